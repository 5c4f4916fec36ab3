import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Brands } from './brands.js'

/** Workers of a fleet in separate processes. */
export interface FleetWorkers {
  readonly open: () => Promise<void>
  /** Kills the oldest worker and opens another one. */
  readonly replaceOldest: () => Promise<void>
  readonly close: () => Promise<void>
}

export interface WorkersSetup {
  readonly brands: Brands
  readonly database: string
  /** The command that starts a worker (`test/fleet/serve/worker.ts`), and the program for its jobs. */
  readonly start: readonly string[]
  readonly program: string
  readonly jobs?: number
}

/** The command that starts a worker without a build. */
export const workerFromSource: readonly string[] = [
  '--import',
  'tsx',
  `${import.meta.dirname}/../fleet/serve/worker.ts`,
]

/** What the controls of such a fleet need. */
export const controlPorts = ({ env }: Pick<Brands, 'env'>, database: string) => ({
  env: { ...env, GATEWRIGHT_FLEET_DATABASE: database },
  now: Date.now,
})

export function fleetWorkers({ brands, database, start, program, jobs = 3 }: WorkersSetup): FleetWorkers {
  const running: ChildProcess[] = []
  const request = { fleet: brands.fleet, database, jobs, pollMs: 200, recoverMs: 500 }
  // A thousand areas would be too long for a command line.
  const words = join(brands.dir, 'worker.json')
  writeFileSync(words, JSON.stringify({ ...request, cwd: brands.dir, program }))
  const open = async (): Promise<void> => {
    const child = spawn(process.execPath, ['--no-deprecation', ...start, words], {
      env: brands.env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    running.push(child)
    await Promise.race([
      once(child.stdout, 'data'),
      once(child, 'exit').then(() => Promise.reject(new Error('the worker ended'))),
    ])
  }
  const end = async (child: ChildProcess, signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exit = once(child, 'exit')
    child.kill(signal)
    await exit
  }
  return {
    open,
    replaceOldest: async () => {
      const oldest = running.shift()
      if (oldest) await end(oldest, 'SIGKILL')
      await open()
    },
    close: async () => {
      await Promise.all(running.splice(0).map((child) => end(child, 'SIGKILL')))
    },
  }
}
