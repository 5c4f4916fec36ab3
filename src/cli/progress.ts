import type { RunEvent } from '../applier/run.js'
import type { ReadProgress } from '../client/options.js'
import { printable } from '../report/value-text.js'
import type { Io } from './io.js'
import type { GlobalOptions } from './options.js'

/** How far a command is, on stderr: one live line on a terminal, plain lines otherwise, nothing under --quiet. */
export interface Progress {
  readonly reading: (progress: ReadProgress) => void
  readonly applying: (event: RunEvent) => void
  /** Something is waited for before a plan can be made. */
  readonly waiting: (what: string) => void
  /** Takes the live line away, before something else is written. */
  readonly clear: () => void
}

export function progressOf(options: Pick<GlobalOptions, 'quiet'>, io: Pick<Io, 'stderr'>): Progress {
  if (options.quiet)
    return { reading: () => undefined, applying: () => undefined, waiting: () => undefined, clear: () => undefined }
  return io.stderr.isTTY ? liveLine(io) : plainLines(io)
}

function liveLine({ stderr }: Pick<Io, 'stderr'>): Progress {
  const counted = new Map<string, number>()
  let settled = 0
  const show = (text: string): void => {
    const width = (stderr.columns ?? 80) - 1
    stderr.write(`\r\u001B[K${[...text].slice(0, width).join('')}`)
  }
  return {
    reading: ({ collection, objects }) => {
      counted.set(collection, objects)
      show(`reading: ${[...counted].map(([name, count]) => `${count} ${name}`).join(', ')}`)
    },
    applying: (event) => {
      if (event.is === 'waiting') show(`waiting for the approval of ${printable(event.address)}`)
      if (event.is === 'settled') {
        settled += 1
        show(`applying: ${settled} done, last ${event.result.outcome}: ${printable(event.change.address)}`)
      }
    },
    waiting: (what) => show(`waiting: ${printable(what)}`),
    clear: () => {
      stderr.write('\r\u001B[K')
    },
  }
}

function plainLines({ stderr }: Pick<Io, 'stderr'>): Progress {
  return {
    reading: ({ collection, objects, total }) => {
      if (total === undefined || objects >= total) stderr.write(`read ${objects} ${collection}\n`)
    },
    applying: (event) => {
      if (event.is === 'waiting') stderr.write(`waiting for the approval of ${printable(event.address)}\n`)
      if (event.is === 'settled') {
        stderr.write(`${event.result.outcome}: ${event.change.action} ${printable(event.change.address)}\n`)
      }
    },
    waiting: (what) => void stderr.write(`waiting: ${printable(what)}\n`),
    clear: () => undefined,
  }
}
