import { printable } from '../json/printable.js'
import { type Progress, type RunProgress, unwatched } from '../ports/progress.js'
import { outcomeWords } from '../report/history.js'
import { beginningOf } from '../report/table.js'
import type { Io, Masked, OutputStream } from './io.js'
import type { GlobalOptions } from './options.js'
import { safeStream, withSafeStreams } from './safe-stream.js'

/**
 * Shows the progress of a command on stderr: one live line on a terminal, plain lines otherwise, nothing with --quiet. The same
 * warning is shown once, although a command may connect twice.
 */
export function withProgress(world: Masked, options: Pick<GlobalOptions, 'quiet'>): Io {
  const io = watching(world, options)
  const reported = new Set<string>()
  const warning = (message: string): void => {
    if (!reported.has(message)) io.progress.warning(message)
    reported.add(message)
  }
  return { ...io, progress: { ...io.progress, warning } }
}

function watching(world: Masked, { quiet }: Pick<GlobalOptions, 'quiet'>): Io {
  const safe = withSafeStreams(world)
  if (quiet) return { ...safe, progress: { ...unwatched, warning: plainLines(safe).warning } }
  // A terminal without escape sequences cannot remove a line.
  const isLive = world.stderr.isTTY === true && world.env.TERM !== 'dumb'
  return isLive ? withLiveLine(world) : { ...safe, progress: plainLines(safe) }
}

/** Removes the live line before anything else is written. */
function withLiveLine(world: Masked): Io {
  let isDisplayed = false
  const clear = (): void => {
    if (isDisplayed) world.stderr.write('\r\u001B[K')
    isDisplayed = false
  }
  const show = (text: string): void => {
    const width = (world.stderr.columns ?? 80) - 1
    world.stderr.write(`\r\u001B[K${beginningOf(printable(text), width)}`)
    isDisplayed = true
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
  const applied = countOfChanges()
  const underWay = new Map<string, string>()
  let done = 0
  return {
    target: plainLines({ stderr }).target,
    reading: ({ collection, objects }) => {
      counted.set(collection, objects)
      show(`reading: ${readingText(counted)}`)
    },
    applying: (event, changes) => {
      if (event.is === 'waiting' || event.is === 'doubtful') {
        show(waitingText(event))
        return
      }
      if (event.is === 'sent') underWay.set(event.address, `${event.action} ${event.address}`)
      if (event.is === 'answered') underWay.delete(event.address)
      if (event.is === 'finished') done = applied(event.address)
      if (event.is !== 'answered') show([`applying: ${done} of ${changes}`, ...underWayText(underWay)].join(', '))
    },
    areas: ({ command, done, all, running }) => show(`${command}: ${done} of ${all} areas${runningText(running)}`),
    waiting: (what) => show(`waiting: ${what}`),
    warning: (message) => void stderr.write(`${printable(message)}\n`),
  }
}

function plainLines({ stderr }: Pick<Masked, 'stderr'>): Progress {
  const line = (text: string): void => void stderr.write(`${printable(text)}\n`)
  const applied = countOfChanges()
  return {
    target: (target) => line(`reading ${target}`),
    reading: ({ collection, objects, total }) => {
      // Collections inside each object would need one line per object.
      const isNested = collection.includes('/')
      if (!isNested && (total === undefined || objects >= total)) line(`read ${collection}: ${objects}`)
    },
    applying: (event, changes) => {
      if (event.is === 'waiting' || event.is === 'doubtful') line(waitingText(event))
      if (event.is !== 'finished') return
      const done = applied(event.address)
      const isNews = event.outcome !== 'applied' || changes <= mostLines || isTenth(done, changes)
      const what = event.action === 'blocked' ? '' : `${event.action} `
      if (isNews) line(`${done} of ${changes} ${outcomeWords(event.outcome)}: ${what}${event.address}`)
    },
    areas: ({ command, done, all, ended }) => {
      if (ended) line(`${command} ${done} of ${all} ${ended.state.replaceAll('-', ' ')}: ${ended.area}`)
    },
    waiting: (what) => line(`waiting: ${what}`),
    warning: line,
  }
}

/** If there are more changes, a log shows the changes that were not done and every tenth of the others. */
const mostLines = 200

const isTenth = (done: number, all: number): boolean =>
  Math.floor((done * 10) / all) > Math.floor(((done - 1) * 10) / all)

/** `3 under way: update Role/R, …`, the oldest first. */
function underWayText(underWay: ReadonlyMap<string, string>): readonly string[] {
  return underWay.size === 0 ? [] : [`${underWay.size} under way: ${[...underWay.values()].join(', ')}`]
}

const runningText = (running: readonly string[]): string =>
  running.length === 0 ? '' : `, ${running.length} under way: ${running.join(', ')}`

const waitingText = (event: Extract<RunProgress, { is: 'waiting' | 'doubtful' }>): string =>
  event.is === 'waiting'
    ? `waiting for the approval of ${event.address}`
    : `waiting: up to ${event.forMs / 1000} s for ${event.address}, which the platform may still be creating: ${event.reason}`

/** Counts the finished changes. A change that is reported again counts once. */
function countOfChanges(): (address: string) => number {
  const finished = new Set<string>()
  return (address) => finished.add(address).size
}

/** `6 services, 12 roles of services`: collections inside objects are counted together. */
function readingText(counted: ReadonlyMap<string, number>): string {
  const sums = new Map<string, number>()
  for (const [collection, objects] of counted) {
    // The path alternates between collections and ids.
    const names = collection.split('/').filter((_, index) => index % 2 === 0)
    const name = names.reverse().join(' of ')
    sums.set(name, (sums.get(name) ?? 0) + objects)
  }
  return [...sums].map(([name, objects]) => `${objects} ${name}`).join(', ')
}
