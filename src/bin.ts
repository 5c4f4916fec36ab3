#!/usr/bin/env node
import { setMaxListeners } from 'node:events'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import type { World } from './cli/io.js'
import { main } from './cli/main.js'
import { steadyOutput } from './cli/output.js'
import type { Gate } from './client/job-gate.js'
import { gitVariables } from './files/git-variables.js'

/** The process. Only this file uses the real streams, environment, clock and network. */

const interruption = new AbortController()
// All requests and waits listen to it.
setMaxListeners(0, interruption.signal)

/** The first signal asks the command to finish its requests in flight; a second one ends the process at once. */
let requested = 0
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => {
    // A closed terminal can send its signal several times.
    if (name !== 'SIGHUP') requested += 1
    if (requested > 1) process.exit(130)
    interruption.abort()
  })
}

// The parent of a fleet's job holds an IPC channel. If the channel closes, other workers continue the job, so this process must
// end.
process.on('disconnect', () => interruption.abort())
process.channel?.unref()
// The channel may have closed before the listener was added.
if (process.connected === false) interruption.abort()

// Node 22 warns that its SQLite may change, but the functions that the embedded platform uses have not changed since. The warning
// of the PostgreSQL driver about its next version is for the workflow engine, of which an exact version is installed.
const ignoredWarnings = [
  'SQLite is an experimental feature',
  'Calling client.query() when the client is already executing',
]
process.emitWarning = new Proxy(process.emitWarning, {
  apply: (emit, self, args: Parameters<typeof process.emitWarning>) => {
    if (!ignoredWarnings.some((words) => String(args[0]).startsWith(words))) Reflect.apply(emit, self, args)
  },
})

/** The working directory at the start. It may have been deleted. */
function startedIn(): string {
  try {
    return process.cwd()
  } catch {
    process.stderr.write('error: the folder in which this was started is gone\n  hint: change to another one\n')
    process.exit(1)
  }
}

const cwd = startedIn()

// Commands of git in other folders, and the processes of areas, must use the same repository.
Object.assign(process.env, gitVariables(process.env, cwd))

/** The gate for the job of an area. All clients of this process share it, because they share the key. */
let gate: Gate | undefined

const world: World = {
  stdout: steadyOutput(process.stdout),
  stderr: steadyOutput(process.stderr),
  stdin: process.stdin,
  env: process.env,
  cwd,
  now: Date.now,
  sleep: async (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal }),
  signal: interruption.signal,
  children: async () => {
    const { childrenOf } = await import('./fleet/child.js')
    // A single executable, which contains Node, has no main file.
    const { isSea } = await import('node:sea')
    const main = isSea() ? [] : [...process.execArgv, ...process.argv.slice(1, 2)]
    return childrenOf([process.execPath, ...main])
  },
  transport: async (to) => {
    // The parser of HTTP answers is WebAssembly. Its optimization needs 70 ms of processor time, and a small plan ends before it
    // is useful.
    setFlagsFromString('--liftoff-only')
    const { proxiesIn, undiciTransport } = await import('./client/undici-transport.js')
    const wire = undiciTransport({ proxies: proxiesIn(process.env) })
    if (to !== 'platform' || process.env.GATEWRIGHT_JOB === undefined) return wire
    const { createGate } = await import('./client/job-gate.js')
    const { rateWindow } = await import('./fleet/fleet.js')
    const { callsFromParent } = await import('./fleet/parent.js')
    const isCounted = process.env.GATEWRIGHT_JOB === 'counted'
    const rate = Number(process.env.GATEWRIGHT_REQUESTS_PER_SECOND)
    gate ??= createGate({
      ...{ window: rate > 0 ? rateWindow(rate) : undefined },
      take: isCounted ? callsFromParent(process, interruption.signal) : undefined,
      ...{ now: Date.now, sleep: world.sleep, signal: interruption.signal },
      // Lets other events be handled first, such as the end of the channel.
      noticed: () => setImmediate(),
    })
    return gate(wire)
  },
}

process.exitCode = await main(process.argv.slice(2), world)
