import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { lostConnection } from './disturbed.js'
import type { Make } from './world.js'

/**
 * The point at which a run is killed: during the write with that number, counted from 0, before or after the platform has
 * executed it.
 */
export interface KillPoint {
  readonly write: number
  readonly when: 'before' | 'after'
}

/**
 * A make that simulates the death of a run at that point. The records are copied to `copy` as they are at that moment, but
 * without the lock, which ends with its process. Later requests of the run do not arrive.
 */
export function killedAt(make: Make, { write, when }: KillPoint, dir: () => string, copy: string): Make {
  let writes = 0
  let isDead = false
  const die = (): Error => {
    isDead = true
    copyRecords(dir(), copy)
    return lostConnection()
  }
  return {
    log: make.log,
    fetch: async (request) => {
      if (isDead) throw lostConnection()
      if (request.method === 'GET' || request.url.endsWith('/token')) return make.fetch(request)
      writes += 1
      if (writes <= write) return make.fetch(request)
      if (when === 'after') await make.fetch(request)
      throw die()
    },
  }
}

function copyRecords(from: string, to: string): void {
  for (const name of ['gatewright.yaml', 'manifests', '.gatewright']) {
    if (!existsSync(join(from, name))) continue
    mkdirSync(dirname(join(to, name)), { recursive: true })
    cpSync(join(from, name), join(to, name), { recursive: true, filter: (path) => !basename(path).startsWith('lock') })
  }
}
