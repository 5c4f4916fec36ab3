import type { TakeCalls } from '../ports/child.js'
import type { Ports } from '../ports/ports.js'
import type { Transport, Turn, WireResponse } from '../ports/transport.js'
import { steadyClock } from './steady-clock.js'
import { NotSent } from './transport-fault.js'

interface GateInput extends Pick<Ports, 'now' | 'sleep' | 'signal'> {
  /** The most calls in a window of so many milliseconds; undefined: no limit. */
  readonly window: { readonly calls: number; readonly ms: number } | undefined
  /** If the calls of a day are counted for a key: where they are taken from. It rejects when nobody answers any more. */
  readonly take: TakeCalls | undefined
  /** Resolves when the process has noticed everything that happened so far, such as the end of its parent process. */
  readonly noticed: () => Promise<void>
}

/** Wraps every request of a job, whichever client sends it. */
export type Gate = (transport: Transport) => Transport

/**
 * Keeps the job of an area to its share of a key, by the clock of the platform. Only its answer shows that a request has arrived,
 * so a window of the rate begins with an answer and not with a start (A320). Throws NotSent when the process was asked to end.
 */
export function createGate({ window, take, noticed, now, sleep, signal }: GateInput): Gate {
  const places = window ? placesOf(window.calls) : boundless
  const steady = steadyClock(now)
  const allowance = take && allowanceFrom(take, now)

  const ready = async (freeAt: number): Promise<'granted' | 'none left'> => {
    try {
      for (let wait = freeAt - steady(); wait > 0; wait = freeAt - steady()) await sleep(wait, signal)
      return !allowance || (await allowance.one()) ? 'granted' : 'none left'
    } catch {
      // It was interrupted while it waited, or nobody answers any more.
      places.give(freeAt)
      throw new NotSent()
    }
  }

  const turnOn = async (transport: Transport): Promise<Turn> => {
    const freeAt = await places.take()
    const state = await ready(freeAt)
    const back = (): void => {
      if (state === 'granted') allowance?.back()
      places.give(freeAt)
    }
    return {
      back,
      send: async (request) => {
        await noticed()
        if (signal.aborted || state === 'none left') {
          back()
          if (state === 'none left') return usedUp
          throw new NotSent()
        }
        return await transport(request).finally(() => places.give(steady() + (window?.ms ?? 0)))
      },
    }
  }

  return (transport) =>
    Object.assign(async (request: Parameters<Transport>[0]) => (await turnOn(transport)).send(request), {
      turn: () => turnOn(transport),
      close: async () => {
        await allowance?.close()
        await transport.close?.()
      },
    })
}

/** The platform's own answer when the calls of a day are used up: the rest must be done another time. */
const usedUp: WireResponse = {
  status: 403,
  headers: { 'x-error-code': 'ERR_403_DEVELOPER_OVER_RATE', 'content-type': 'application/json' },
  body: JSON.stringify({ errorMessage: 'the fleet has no calls of this day left for the key' }),
}

interface Places {
  /** The time since which, or from which on, the place is free. */
  readonly take: () => Promise<number>
  readonly give: (freeAt: number) => void
}

const boundless: Places = { take: () => Promise.resolve(Number.NEGATIVE_INFINITY), give: () => undefined }

/** A number of places; each is free again from the time that `give` names. */
function placesOf(count: number): Places {
  const free = Array.from({ length: count }, () => Number.NEGATIVE_INFINITY)
  const waiting: ((freeAt: number) => void)[] = []
  return {
    take: () => {
      const earliest = free.sort((left, right) => left - right).shift()
      return earliest === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(earliest)
    },
    give: (freeAt) => {
      const next = waiting.shift()
      if (next) next(freeAt)
      else free.push(freeAt)
    },
  }
}

/** How many calls are requested at a time. They all count as sent if the process is killed. */
const portion = 20

/** Gives out the granted calls one by one. */
function allowanceFrom(take: TakeCalls, now: () => number) {
  let left = 0
  let until = 0
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <Value>(work: () => Promise<Value>): Promise<Value> => {
    const mine = last.then(work, work)
    last = mine.catch(() => undefined)
    return mine
  }
  const reserve = async (calls: number): Promise<void> => {
    const granted = await take({ calls, unused: left })
    left = granted.calls
    until = granted.until
  }
  return {
    /** Whether there was a call left. */
    one: () =>
      inTurn(async () => {
        if (left === 0 || now() >= until) await reserve(portion)
        if (left === 0) return false
        left -= 1
        return true
      }),
    back: () => {
      left += 1
    },
    close: () =>
      inTurn(async () => {
        // If nobody answers any more, nothing can be given back.
        if (left > 0) await reserve(0).catch(() => undefined)
      }),
  }
}
