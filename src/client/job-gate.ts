import type { Ports } from '../ports/ports.js'
import type { Transport } from '../ports/transport.js'
import { NotSent } from './transport-fault.js'

interface GateInput extends Pick<Ports, 'now' | 'sleep' | 'signal'> {
  /** Never more than so many calls in so many milliseconds; undefined: as many as the client likes. */
  readonly window: { readonly calls: number; readonly ms: number } | undefined
  /** Resolves when the process has noticed what happened until now, such as the end of who started it. */
  readonly noticed: () => Promise<void>
}

/** What every request of a job goes through, whichever client sends it. */
export type Gate = (transport: Transport) => Transport

/**
 * Keeps the job of an area to its share of a key, by the clock of the platform: when a request arrives is only known to be before
 * its answer, so a window of the rate begins with an answer and not with a start (A320). Throws NotSent once the process was asked to end.
 */
export function createGate({ window, noticed, now, sleep, signal }: GateInput): Gate {
  const { calls, ms } = window ?? { calls: 0, ms: 0 }
  const places = calls > 0 ? placesOf(calls) : undefined
  const pass = async <Value>(send: () => Promise<Value>): Promise<Value> => {
    if (!places) return await send()
    const freeAt = await places.take()
    let answeredAt = Number.NEGATIVE_INFINITY
    try {
      for (let wait = freeAt - now(); wait > 0; wait = freeAt - now()) await slept(wait)
      return await send().finally(() => {
        answeredAt = now()
      })
    } finally {
      places.give(Math.max(freeAt, answeredAt + ms))
    }
  }
  const slept = (milliseconds: number): Promise<void> =>
    sleep(milliseconds, signal).catch((error: unknown) => {
      throw signal.aborted ? new NotSent() : error
    })
  return (transport) =>
    Object.assign(
      (request: Parameters<Transport>[0]) =>
        pass(async () => {
          await noticed()
          if (signal.aborted) throw new NotSent()
          return await transport(request)
        }),
      transport.close && { close: transport.close },
    )
}

/** So many at a time; each is free again from the moment on that it was given back with. */
function placesOf(count: number): { readonly take: () => Promise<number>; readonly give: (freeAt: number) => void } {
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
