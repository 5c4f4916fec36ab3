import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { restOf } from '../../kit/rest.js'
import { chanceOf } from '../history/chance.js'
import type { Effort, Figure } from './figure.js'
import { makeAt, startPlatform } from './workplace.js'

/** kill -9 of the embedded platform, with its data in a file, while many clients write to it. */
export async function data({ count, seed }: Effort): Promise<Figure> {
  const dir = mkdtempSync(join(tmpdir(), 'gatewright-data-'))
  const chance = chanceOf(seed)
  const answered = new Set<string>()
  const failures: string[] = []
  try {
    for (let index = 0; index < count; index += 1) {
      const { url, child } = await startPlatform(['--data', 'area.db'], dir)
      const rest = await restOf(makeAt(url))
      const live = new Set<string>()
      for (let offset = 0; ; offset += 100) {
        const page = await rest.get(`/services?limit=100&offset=${offset}`)
        for (const { name } of page) live.add(String(name))
        if (page.length < 100) break
      }
      for (const name of answered) if (!live.has(name)) failures.push(`${name} was answered, and is gone`)
      const ended = new Promise((resolve) => child.once('close', resolve))
      const writing = Array.from({ length: 8 }, async (_, writer) => {
        for (let number = 0; ; number += 1) {
          const name = `${index}-${writer}-${number}`
          await rest.post('/services', { name })
          answered.add(name)
        }
      }).map((each) => each.catch(() => undefined))
      await new Promise((resolve) => setTimeout(resolve, 200 + chance.below(600)))
      child.kill('SIGKILL')
      await Promise.all([ended, ...writing])
    }
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
  return {
    attack: 'kill -9 of the embedded platform with --data while eight writers write',
    tried: `${count} kills, ${answered.size} writes answered`,
    held: 'what was answered is there after the restart',
    failures,
  }
}
