import { setMaxListeners } from 'node:events'
import { readFileSync } from 'node:fs'
import { maskOf } from '../../../src/engine/masking.js'
import { childrenOf } from '../../../src/fleet/child.js'
import { openFleetWorker, type WorkerRequest } from '../../../src/fleet/serve/serve.js'

/**
 * A worker of a fleet in a separate process, which checks for work and for other workers more often than a real one; it is
 * killed.
 */

interface WorkerWords extends Omit<WorkerRequest, 'warn'> {
  readonly cwd: string
  /** The program that jobs run. */
  readonly program: string
}

const { cwd, program, ...request }: WorkerWords = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'))
const { signal } = new AbortController()
setMaxListeners(0, signal)
const worker = await openFleetWorker(
  { ...request, warn: () => undefined },
  {
    env: process.env,
    cwd,
    now: Date.now,
    signal,
    mask: maskOf(process.env),
    child: childrenOf([process.execPath, program]),
  },
)
process.stdout.write('open\n')
process.on('SIGTERM', () => {
  worker.close().then(() => process.exit(0))
})
