#!/usr/bin/env node
import { setMaxListeners } from 'node:events'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import type { World } from './cli/io.js'
import { main } from './cli/main.js'
import { steadyOutput } from './cli/output.js'
import type { Gate } from './client/job-gate.js'
import { gitVariables } from './files/git-variables.js'

/** The process: the only place that holds the real streams, environment, clock and network. */

const interruption = new AbortController()
// Every request and every wait listens to it.
setMaxListeners(0, interruption.signal)

/** The first signal asks the command to finish what is in flight; a second one ends the process at once. */
let asked = 0
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => {
    // A terminal that is closed says so more than once.
    if (name !== 'SIGHUP') asked += 1
    if (asked > 1) process.exit(130)
    interruption.abort()
  })
}

// Who runs it as a job of a fleet holds a channel: once that is gone, others go on with the job, and must not find it running.
process.on('disconnect', () => interruption.abort())
process.channel?.unref()
// It may have gone before anybody listened.
if (process.connected === false) interruption.abort()

// Node 22 warns that its SQLite may change; what the embedded platform needs of it has stayed the same since. What the driver
// of PostgreSQL says of its coming version is meant for the workflow engine, of which one exact version is used.
const unspoken = ['SQLite is an experimental feature', 'Calling client.query() when the client is already executing']
process.emitWarning = new Proxy(process.emitWarning, {
  apply: (emit, self, args: Parameters<typeof process.emitWarning>) => {
    if (!unspoken.some((words) => String(args[0]).startsWith(words))) Reflect.apply(emit, self, args)
  },
})

/** The folder in which it was started, which may be gone by now. */
function startedIn(): string {
  try {
    return process.cwd()
  } catch {
    process.stderr.write('error: the folder in which this was started is gone\n  hint: change to another one\n')
    process.exit(1)
  }
}

const cwd = startedIn()

// The git that it starts in other folders, and processes of areas, mean the same repository.
Object.assign(process.env, gitVariables(process.env, cwd))

/** Of the job of an area: one for all clients of this process, as they share its key. */
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
    // What was built with Node in it has no main file.
    const { isSea } = await import('node:sea')
    const main = isSea() ? [] : [...process.execArgv, ...process.argv.slice(1, 2)]
    return childrenOf([process.execPath, ...main])
  },
  transport: async (to) => {
    // The parser of answers is WebAssembly: to optimize it takes 70 ms of processor time, and a small plan ends before it is used.
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
      // What a process is told comes in between: also that its channel is gone.
      noticed: () => setImmediate(),
    })
    return gate(wire)
  },
}

process.exitCode = await main(process.argv.slice(2), world)
