import type { ConnectOptions } from './options.js'

/** Lets requests begin one after another, as far apart as the platform and the user allow. */
export interface Pace {
  /** Resolves when the next request may begin; rejects when interrupted. */
  start(): Promise<void>
  /** The platform turned a request away that began at that time. */
  throttled(startedAt: number, retryAfterMs: number | undefined): void
  succeeded(): void
  /** The platform told how many calls a second the key allows. */
  allowed(perSecond: number): void
  counts(): { readonly throttled: number; readonly waitedMs: number }
}

const second = 1000
/** After so many answers the rate climbs by a step. */
const answersToClimb = 3
const step = 0.25
const slowest = 0.2
/** The first time, when nothing is known of the limit, it is not lowered below this. */
const slowestAtFirst = 1
/** Where the platform names no time: the recorded one names one second. */
const usualWait = second

type PaceOptions = Pick<ConnectOptions, 'requestsPerSecond' | 'now' | 'sleep' | 'signal'>

/**
 * Requests a second: unlimited until a limit is set, told or met. Every time that the platform turns requests away the
 * rate is halved, once for all that were under way together, and climbs again in steps.
 */
export function createPace({ requestsPerSecond, now, sleep, signal }: PaceOptions): Pace {
  let ceiling = requestsPerSecond ?? Number.POSITIVE_INFINITY
  let rate = ceiling
  let lastStart = Number.NEGATIVE_INFINITY
  let pausedUntil = Number.NEGATIVE_INFINITY
  let loweredAt = Number.NEGATIVE_INFINITY
  let answers = 0
  let throttledCount = 0
  let waitedMs = 0
  let recentStarts: number[] = []
  let queue: Promise<void> = Promise.resolve()

  const readyAt = (): number => Math.max(pausedUntil, lastStart + second / rate)

  const turn = async (): Promise<void> => {
    for (let wait = readyAt() - now(); wait > 0; wait = readyAt() - now()) {
      waitedMs += wait
      await sleep(Math.ceil(wait), signal)
    }
    signal?.throwIfAborted()
    lastStart = now()
    recentStarts = [...recentStarts.filter((at) => at > lastStart - second), lastStart]
  }

  /** Half the rate, or of what was really sent in the last second where none was set. */
  const halved = (): number =>
    Number.isFinite(rate) ? Math.max(slowest, rate / 2) : Math.max(slowestAtFirst, recentStarts.length / 2)

  return {
    start() {
      const mine = queue.then(turn)
      queue = mine.catch(() => undefined)
      return mine
    },
    throttled(startedAt, retryAfterMs) {
      throttledCount += 1
      pausedUntil = Math.max(pausedUntil, now() + (retryAfterMs ?? usualWait))
      if (startedAt <= loweredAt) return
      rate = halved()
      loweredAt = now()
      answers = 0
    },
    succeeded() {
      answers += 1
      if (rate >= ceiling || answers < answersToClimb) return
      rate = Math.min(ceiling, rate + step)
      answers = 0
    },
    allowed(perSecond) {
      // Climbing above what the key allows could only be turned away.
      if (perSecond >= ceiling) return
      ceiling = perSecond
      rate = Math.min(rate, ceiling)
    },
    counts: () => ({ throttled: throttledCount, waitedMs: Math.round(waitedMs) }),
  }
}
