#!/usr/bin/env node
import { setMaxListeners } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import type { Io } from './cli/io.js'
import { main } from './cli/main.js'

/** The process: the only place that holds the real streams, environment, clock and network. */

const interruption = new AbortController()
// Every request and every wait listens to it.
setMaxListeners(0, interruption.signal)

/** The first signal asks the command to finish what is in flight; a second one ends the process at once. */
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    if (interruption.signal.aborted) process.exit(130)
    interruption.abort()
  })
}

/** A reader that goes away early (`| head`) is no error, and must not stop an apply. */
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}

const io: Io = {
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: process.stdin,
  env: process.env,
  cwd: process.cwd(),
  now: Date.now,
  sleep: async (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal }),
  signal: interruption.signal,
  transport: async () => {
    const { proxiesIn, undiciTransport } = await import('./client/undici-transport.js')
    return undiciTransport({ proxies: proxiesIn(process.env) })
  },
}

process.exitCode = await main(process.argv.slice(2), io)
