import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JournalEntry } from '../../src/stores/record.js'
import type { Make } from './world.js'

/** The entries of all journals in a folder, in the order in which the runs began. */
export function journalIn(dir: string): readonly JournalEntry[] {
  const records = join(dir, '.gatewright')
  if (!existsSync(records)) return []
  const files = readdirSync(records, { recursive: true, encoding: 'utf8' })
  return files
    .filter((file) => /[\\/]runs[\\/]/.test(file))
    .sort()
    .flatMap((file) => readFileSync(join(records, file), 'utf8').split('\n').slice(1))
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as JournalEntry)
}

/** A make that collects all writes that were not in a journal when they arrived. `{id}` in a journal matches any id. */
export function watched(make: Make, dirOf: () => string): Make & { readonly unannounced: readonly string[] } {
  const unannounced: string[] = []
  const sent: number[] = []
  return {
    log: make.log,
    unannounced,
    fetch: (request) => {
      const { pathname } = new URL(request.url)
      if (request.method !== 'GET' && !pathname.endsWith('/token')) {
        const write = `${request.method} ${pathname.replace('/v3/rest', '')}`
        const announced = journalIn(dirOf()).flatMap((entry) => (entry.is === 'announced' ? [entry.request] : []))
        const found = announced.findIndex((each, index) => !sent.includes(index) && isOf(write, each))
        if (found === -1) unannounced.push(write)
        else sent.push(found)
      }
      return make.fetch(request)
    },
  }
}

const isOf = (write: string, announced: string): boolean => {
  const steps = announced.split('/')
  const others = write.split('/')
  return (
    steps.length === others.length && steps.every((step, index) => /^\{\w+\}$/.test(step) || step === others[index])
  )
}
