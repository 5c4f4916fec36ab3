import type { TakeCalls } from '../ports/child.js'
import type { Ports } from '../ports/ports.js'
import type { Transport, Turn, WireResponse } from '../ports/transport.js'
import { steadyClock } from './steady-clock.js'
import { NotSent } from './transport-fault.js'

interface GateInput extends Pick<Ports, 'now' | 'sleep' | 'signal'> {
  /** Never more than so many calls in so many milliseconds; undefined: as many as the client likes. */
  readonly window: { readonly calls: number; readonly ms: number } | undefined
  /** Of a key whose calls of a day are counted: where they are taken from. It rejects once nobody answers any more. */
  readonly take: TakeCalls | undefined
  /** Resolves when the process has noticed what happened until now, such as the end of who started it. */
  readonly noticed: () => Promise<void>
}

/** What every request of a job goes through, whichever client sends it. */
export type Gate = (transport: Transport) => Transport

/**
 * Keeps the job of an area to its share of a key, by the clock of the platform: when a request arrives is only known to be
 * before its answer, so a window of the rate begins with an answer and not with a start (A320). Throws NotSent once the process
 * was asked to end.
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
      // Interrupted while it waited, or nobody answers any more.
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

/** What the platform itself answers once the calls of a day are used up: whatever is left is done another time. */
const usedUp: WireResponse = {
  status: 403,
  headers: { 'x-error-code': 'ERR_403_DEVELOPER_OVER_RATE', 'content-type': 'application/json' },
  body: JSON.stringify({ errorMessage: 'the fleet has no calls of this day left for the key' }),
}

interface Places {
  /** Since when, or from when on, the place is free. */
  readonly take: () => Promise<number>
  readonly give: (freeAt: number) => void
}

const boundless: Places = { take: () => Promise.resolve(Number.NEGATIVE_INFINITY), give: () => undefined }

/** So many at a time; each is free again from the moment on that it was given back with. */
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

/** So many calls are asked for at a time: as many count as sent if the process is killed. */
const portion = 20

/** Calls one by one, of those that were granted. */
function allowanceFrom(take: TakeCalls, now: () => number) {
  let left = 0
  let until = 0
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <Value>(work: () => Promise<Value>): Promise<Value> => {
    const mine = last.then(work, work)
    last = mine.catch(() => undefined)
    return mine
  }
  const ask = async (calls: number): Promise<void> => {
    const granted = await take({ calls, unused: left })
    left = granted.calls
    until = granted.until
  }
  return {
    /** Whether there was one. */
    one: () =>
      inTurn(async () => {
        if (left === 0 || now() >= until) await ask(portion)
        if (left === 0) return false
        left -= 1
        return true
      }),
    back: () => {
      left += 1
    },
    close: () =>
      inTurn(async () => {
        // Who does not answer any more has nothing to get back.
        if (left > 0) await ask(0).catch(() => undefined)
      }),
  }
}
