import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { historyOf } from '../history/commits.js'
import { liveArea } from '../history/live.js'
import { allowed } from '../history/play.js'
import { judge } from '../history/verdict.js'
import type { Effort, Figure } from './figure.js'
import { workplace } from './workplace.js'

const figure = {
  attack: 'the disk of the records is full at the start, or while an apply works',
  held: 'no stack trace; with room again the next applies come to what the manifests say, and nothing is there twice',
}

/** A small separate file system that is filled; only root may mount one. */
export async function fullDisk({ count, seed }: Effort): Promise<Figure> {
  const dir = mkdtempSync(join(tmpdir(), 'gatewright-disk-'))
  if (!isMounted(dir)) {
    rmSync(dir, { recursive: true, force: true })
    return { ...figure, tried: '0', failures: [], skipped: 'only root may mount a small disk' }
  }
  const failures: string[] = []
  try {
    for (let index = 0; index < count; index += 1) {
      const records = join(dir, String(index))
      mkdirSync(records)
      const shop = await workplace(`file:${records}`)
      try {
        const [commit] = historyOf(seed + index, { origin: 'known', commits: 0 })
        if (!commit) continue
        shop.declare(commit.written)
        fill(dir, index % 6)
        const full = await shop.run(['apply', '--yes', ...allowed])
        if (/\n\s+at .*\.js:\d+/.test(full.stderr)) failures.push(`seed ${seed + index}: ${full.stderr.slice(0, 300)}`)
        rmSync(join(dir, 'filling'), { force: true })
        let code: number | null = null
        for (let tries = 0; tries < 4 && code !== 0; tries += 1)
          ({ code } = await shop.run(['apply', '--yes', ...allowed]))
        if (code !== 0) failures.push(`seed ${seed + index}: with room again apply ends with ${code}`)
        const { findings } = judge(commit.project, await liveArea(shop.make))
        failures.push(...findings.map((each) => `seed ${seed + index}: ${each}`))
      } finally {
        await shop.close()
        rmSync(records, { recursive: true, force: true })
      }
    }
  } finally {
    execFileSync('umount', [dir])
    rmSync(dir, { recursive: true, force: true })
  }
  return { ...figure, tried: `${count} applies, then again`, failures }
}

function isMounted(dir: string): boolean {
  if (process.getuid?.() !== 0) return false
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', dir], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Leaves this number of blocks of four kilobytes. */
function fill(dir: string, blocks: number): void {
  const { bavail, bsize } = statfsSync(dir)
  writeFileSync(join(dir, 'filling'), Buffer.alloc(Math.max(0, bavail * bsize - blocks * 4096)))
}
