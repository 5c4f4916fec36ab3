import { printable } from '../json/printable.js'
import { type Progress, unwatched } from '../ports/progress.js'
import type { Io, OutputStream, World } from './io.js'
import type { GlobalOptions } from './options.js'
import { safeStream } from './safe-stream.js'

/** How far a command is, on stderr: one live line on a terminal, plain lines otherwise, nothing under --quiet. */
export function withProgress(world: World, { quiet }: Pick<GlobalOptions, 'quiet'>): Io {
  const safe = { ...world, stdout: safeStream(world.stdout), stderr: safeStream(world.stderr) }
  if (quiet) return { ...safe, progress: { ...unwatched, warning: plainLines(safe).warning } }
  return world.stderr.isTTY ? withLiveLine(world) : { ...safe, progress: plainLines(safe) }
}

/** Takes the live line away before anything else is written. */
function withLiveLine(world: World): Io {
  let isShown = false
  const clear = (): void => {
    if (isShown) world.stderr.write('\r\u001B[K')
    isShown = false
  }
  const show = (text: string): void => {
    const width = (world.stderr.columns ?? 80) - 1
    world.stderr.write(`\r\u001B[K${[...printable(text)].slice(0, width).join('')}`)
    isShown = true
  }
  const cleared = (stream: OutputStream): OutputStream => {
    const safe = safeStream(stream)
    const write = (text: string): unknown => {
      clear()
      return safe.write(text)
    }
    return { ...safe, write }
  }
  const [stdout, stderr] = [cleared(world.stdout), cleared(world.stderr)]
  return { ...world, stdout, stderr, progress: liveLine(show, stderr) }
}

function liveLine(show: (text: string) => void, stderr: OutputStream): Progress {
  const counted = new Map<string, number>()
  let finished = 0
  return {
    reading: ({ collection, objects }) => {
      counted.set(collection, objects)
      show(`reading: ${[...counted].map(([name, count]) => `${count} ${name}`).join(', ')}`)
    },
    applying: (event) => {
      if (event.is === 'waiting') show(`waiting for the approval of ${printable(event.address)}`)
      if (event.is === 'finished') {
        finished += 1
        show(`applying: ${finished} done, last ${event.outcome}: ${printable(event.address)}`)
      }
    },
    waiting: (what) => show(`waiting: ${printable(what)}`),
    warning: (message) => void stderr.write(`${message}\n`),
  }
}

function plainLines({ stderr }: Pick<World, 'stderr'>): Progress {
  return {
    reading: ({ collection, objects, total }) => {
      if (total === undefined || objects >= total) stderr.write(`read ${objects} ${collection}\n`)
    },
    applying: (event) => {
      if (event.is === 'waiting') stderr.write(`waiting for the approval of ${printable(event.address)}\n`)
      if (event.is === 'finished') stderr.write(`${event.outcome}: ${event.action} ${printable(event.address)}\n`)
    },
    waiting: (what) => void stderr.write(`waiting: ${printable(what)}\n`),
    warning: (message) => void stderr.write(`${message}\n`),
  }
}
