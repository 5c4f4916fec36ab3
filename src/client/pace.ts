import type { ConnectInput } from './connect-input.js'

/** Lets requests begin one after another, at intervals that the platform and the user allow. */
export interface Pace {
  /** Resolves when the next request may begin; rejects when interrupted. */
  start(): Promise<void>
  /** To be called if the platform refused a request that began at that time because of its rate. */
  throttled(startedAt: number, retryAfterMs: number | undefined): void
  /** To be called if the platform accepted a request that began at that time. */
  succeeded(startedAt: number): void
  /** To be called if the platform says how many calls a second the key allows. */
  allowed(perSecond: number): void
  counts(): PaceCounts
}

interface PaceCounts {
  readonly throttled: number
  readonly waitedMs: number
  /** How many requests began per second, from the first to the last; undefined before there are two times. */
  readonly perSecond: number | undefined
}

const second = 1000
/** After so many answers the rate rises by a step, while nothing is known of the limit. */
const answersToClimb = 3
const step = 0.25
/** Near the rate that was refused, the steps are small, and rare. */
const answersToClimbNear = 10
const slowest = 0.2
/** At the first refusal, when nothing is known of the limit, the rate is not lowered below this. */
const slowestAtFirst = 1
/** The wait if the platform names none; the recorded platform names one second. */
const usualWait = second

/** Requests that are refused one by one wait longer each time, up to so many times that wait. */
const mostWaits = 5

/** A timer may wake so many milliseconds late. Anything later was not waiting for the timer. */
const timerDelay = 25

type PaceInput = Pick<ConnectInput, 'requestsPerSecond' | 'now' | 'sleep' | 'signal'>

/**
 * Requests per second: unlimited until a limit is set, named or met. When the platform refuses requests, the rate is halved, once
 * for all that were under way together, and rises again in steps. If a refused request came no sooner than accepted ones, it was
 * not sent too fast, so a lower rate would not help (A376).
 */
export function createPace({ requestsPerSecond, now, sleep, signal }: PaceInput): Pace {
  let ceiling = requestsPerSecond ?? Number.POSITIVE_INFINITY
  let rate = ceiling
  /** When the last request was due: a timer that wakes late does not delay the requests behind it. */
  let lastDue = Number.NEGATIVE_INFINITY
  let pausedUntil = Number.NEGATIVE_INFINITY
  let loweredAt = Number.NEGATIVE_INFINITY
  /** The rate at which the platform last refused a request. */
  let refusedRate = Number.POSITIVE_INFINITY
  /** When the last accepted request began, and the shortest time of over a second between two accepted requests. */
  let lastTaken = Number.NEGATIVE_INFINITY
  let shortestGap = Number.POSITIVE_INFINITY
  /** How many requests were refused one by one, not for their rate, since the last accepted one. */
  let refusedInARow = 0
  let answers = 0
  let throttledCount = 0
  let waitedMs = 0
  const starts = createStarts()
  let queue: Promise<void> = Promise.resolve()

  /** Never more requests in any one second than the ceiling allows, even if earlier ones were late. */
  const roomAt = (): number => {
    if (!Number.isFinite(ceiling)) return Number.NEGATIVE_INFINITY
    const size = Math.max(1, Math.floor(ceiling))
    const earlier = starts.recent().at(-size)
    return earlier === undefined ? Number.NEGATIVE_INFINITY : earlier + (size * second) / ceiling
  }

  const readyAt = (): number => Math.max(pausedUntil, lastDue + second / rate, roomAt())

  const turn = async (): Promise<void> => {
    for (let wait = readyAt() - now(); wait > 0; wait = readyAt() - now()) {
      waitedMs += wait
      await sleep(Math.ceil(wait), signal)
    }
    signal?.throwIfAborted()
    begin(now())
  }

  const begin = (at: number): void => {
    const late = Math.min(second / rate, timerDelay)
    lastDue = starts.recent().length === 0 ? at : Math.max(pausedUntil, lastDue + second / rate, at - late)
    // If the rate is below one per second, the last start counts for longer than a second.
    starts.add(at, Math.max(second, second / ceiling))
  }

  const wasTooEarly = (startedAt: number): boolean => {
    const isAlone = starts.after(startedAt - second) <= 1
    const othersWereTaken = Number.isFinite(shortestGap) && startedAt - lastTaken >= shortestGap
    return !(isAlone && othersWereTaken)
  }

  /** Rises quickly to nine tenths of the rate that was refused, and carefully from there on. */
  const climb = (): void => {
    if (rate > refusedRate * 1.1) refusedRate = Number.POSITIVE_INFINITY
    // A known limit is right: a request that was refused at it came a little early or late.
    const suspected = refusedRate * (refusedRate < ceiling ? 0.9 : 0.97)
    const isNear = rate >= suspected
    if (answers < (isNear ? Math.max(answersToClimbNear, 2 * rate) : answersToClimb)) return
    const far = Math.min(rate + Math.max(step, finite(refusedRate) / 10), Math.max(suspected, rate))
    rate = Math.min(ceiling, isNear ? rate * 1.01 : far)
    answers = 0
  }

  return {
    start() {
      const mine = queue.then(turn)
      queue = mine.catch(() => undefined)
      return mine
    },
    throttled(startedAt, retryAfterMs) {
      throttledCount += 1
      const isForRate = startedAt <= loweredAt || wasTooEarly(startedAt)
      refusedInARow = isForRate ? 0 : Math.min(refusedInARow + 1, mostWaits)
      pausedUntil = Math.max(pausedUntil, now() + (retryAfterMs ?? usualWait * Math.max(refusedInARow, 1)))
      if (startedAt <= loweredAt || !isForRate) return
      // If no rate was set, half of what was really sent in the last second.
      refusedRate = Number.isFinite(rate) ? rate : Math.max(2 * slowestAtFirst, starts.after(now() - second))
      rate = Math.max(Number.isFinite(rate) ? slowest : slowestAtFirst, refusedRate / 2)
      loweredAt = now()
      answers = 0
    },
    succeeded(startedAt) {
      if (startedAt - lastTaken >= second) shortestGap = Math.min(shortestGap, startedAt - lastTaken)
      lastTaken = Math.max(lastTaken, startedAt)
      refusedInARow = 0
      answers += 1
      if (rate < ceiling) climb()
    },
    allowed(perSecond) {
      // A rate above what the key allows would only be refused.
      if (perSecond >= ceiling) return
      ceiling = perSecond
      rate = Math.min(rate, ceiling)
    },
    counts: () => ({ throttled: throttledCount, waitedMs: Math.round(waitedMs), perSecond: starts.perSecond() }),
  }
}

const finite = (value: number): number => (Number.isFinite(value) ? value : 0)

/** When requests began: the times of recent ones, and the number of all. */
function createStarts() {
  const recent: number[] = []
  let count = 0
  let first = 0
  let last = 0
  return {
    add: (at: number, keptMs: number): void => {
      recent.push(at)
      recent.splice(
        0,
        recent.findIndex((each) => each > at - keptMs),
      )
      if (count === 0) first = at
      count += 1
      last = at
    },
    recent: (): readonly number[] => recent,
    /** How many of the recent requests began after that time. */
    after: (time: number): number => recent.filter((each) => each > time).length,
    perSecond: (): number | undefined => (last > first ? ((count - 1) * second) / (last - first) : undefined),
  }
}
