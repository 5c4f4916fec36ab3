import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Make } from './world.js'

/** When a run is killed: while it sends its write of that number, from 0; the platform has done it, or not. */
export interface KillPoint {
  readonly write: number
  readonly when: 'before' | 'after'
}

/**
 * A make at which a run is killed. The records are copied to `copy` as they are at that moment, without the lock, which dies
 * with its process; nothing that the run sends after its death arrives.
 */
export function killedAt(make: Make, { write, when }: KillPoint, dir: () => string, copy: string): Make {
  let writes = 0
  let isDead = false
  const lost = () => new TypeError('fetch failed', { cause: Object.assign(new Error('gone'), { code: 'ECONNRESET' }) })
  const die = (): Error => {
    isDead = true
    copyRecords(dir(), copy)
    return lost()
  }
  return {
    log: make.log,
    fetch: async (request) => {
      if (isDead) throw lost()
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
