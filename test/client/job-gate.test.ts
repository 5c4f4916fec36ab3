import { setMaxListeners } from 'node:events'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { catalog } from '../../src/catalog/catalog.js'
import { createGate } from '../../src/client/job-gate.js'
import { NotSent } from '../../src/client/transport-fault.js'
import { rateWindow } from '../../src/fleet/fleet.js'
import type { TakeCalls } from '../../src/ports/child.js'
import type { Transport, WireRequest } from '../../src/ports/transport.js'
import { mostInASecond } from '../kit/most-in-a-second.js'
import { client } from './support.js'

const sleep = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) reject(signal.reason)
    setTimeout(resolve, milliseconds)
    signal?.addEventListener('abort', () => reject(signal.reason))
  })

const request: WireRequest = {
  method: 'GET',
  url: 'https://a.example',
  headers: {},
  body: undefined,
  signal: undefined,
}

/** Numbers from 0 to 1, the same in each run. */
function drawn(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
}

function gateFor(perSecond: number | undefined, more: Partial<Parameters<typeof createGate>[0]> = {}) {
  const { signal } = new AbortController()
  setMaxListeners(0, signal)
  return createGate({
    window: perSecond === undefined ? undefined : rateWindow(perSecond),
    take: undefined,
    noticed: () => Promise.resolve(),
    ...{ now: Date.now, sleep, signal },
    ...more,
  })
}

describe('the gate of a job', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 0 })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it.each([
    [1, 40],
    [2, 40],
    [4, 80],
    [2.5, 40],
  ])('lets at most %s requests arrive in any second, however long each takes', async (rate, count) => {
    for (let seed = 1; seed <= 5; seed += 1) {
      const draw = drawn(seed)
      const arrivals: number[] = []
      const wire: Transport = async () => {
        // Most are quick; a new connection, or a busy machine, delays one for longer.
        await sleep(draw() < 0.3 ? draw() * 900 : draw() * 20)
        arrivals.push(Date.now())
        await sleep(draw() * 50)
        return { status: 200, headers: {}, body: '' }
      }
      const send = gateFor(rate)(wire)
      const all = Promise.all(Array.from({ length: count }, () => send(request)))
      await vi.runAllTimersAsync()
      await all
      expect(arrivals.length).toBe(count)
      expect(mostInASecond(arrivals)).toBeLessThanOrEqual(rate)
    }
  })

  it('is shared by all clients of the process', async () => {
    const arrivals: number[] = []
    const wire: Transport = () => {
      arrivals.push(Date.now())
      return Promise.resolve({ status: 200, headers: {}, body: '' })
    }
    const gate = gateFor(2)
    const all = Promise.all([gate(wire), gate(wire), gate(wire)].map((send) => send(request)))
    await vi.runAllTimersAsync()
    await all
    expect(arrivals).toEqual([0, 0, 1010])
  })

  it('does not wait longer if the clock is set back', async () => {
    let slept = 0
    let back = 0
    const send = gateFor(1, {
      now: () => Date.now() - back,
      sleep: (ms) => {
        slept += ms
        vi.setSystemTime(Date.now() + ms)
        return Promise.resolve()
      },
    })(() => Promise.resolve({ status: 200, headers: {}, body: '' }))
    await send(request)
    back = 3_600_000
    await send(request)
    expect(slept).toBeLessThanOrEqual(2_000)
  })

  it('sends nothing after the process has noticed that it must end', async () => {
    const asked = new AbortController()
    const sent: string[] = []
    const wire: Transport = ({ method }) => {
      sent.push(method)
      return Promise.resolve({ status: 200, headers: {}, body: '' })
    }
    // The parent process has ended while this process was busy.
    const send = gateFor(undefined, { signal: asked.signal, noticed: () => Promise.resolve(asked.abort()) })(wire)
    await expect(send(request)).rejects.toBeInstanceOf(NotSent)
    const waiting = new AbortController()
    const paced = gateFor(1, { signal: waiting.signal })(wire)
    await paced(request)
    const second = expect(paced(request)).rejects.toBeInstanceOf(NotSent)
    waiting.abort()
    await second
    expect(sent).toEqual(['GET'])
  })

  it('comes before the check of the lock, and a write that may not be sent returns its slot', async () => {
    const seen: string[] = []
    const wire: Transport = ({ method }) => {
      seen.push(`${method} at ${Date.now()}`)
      return Promise.resolve({ status: 200, headers: {}, body: '{"id":"1"}' })
    }
    const { update } = catalog.Service.operations
    if (!update) throw new Error('services can be updated')
    let held = true
    const online = client(gateFor(1)(wire), {
      ...{ now: Date.now, sleep },
      mayWrite: () => {
        seen.push(`lock asked at ${Date.now()}`)
        return held
      },
    })
    const write = () => online.write(update, { serviceId: 'a' }, {})
    await write()
    held = false
    const unsent = write()
    await vi.runAllTimersAsync()
    expect((await unsent).is).toBe('unreachable')
    held = true
    await write()
    expect(seen).toEqual(['lock asked at 0', 'PUT at 0', 'lock asked at 1010', 'lock asked at 1010', 'PUT at 1010'])
  })

  describe('of a key with a limit of calls per day', () => {
    const answered = { status: 200, headers: {}, body: '' }

    /** A fleet with this number of calls left; its requests are noted. */
    function left(calls: number, until = Number.POSITIVE_INFINITY) {
      const state = { calls }
      const asked: unknown[] = []
      const take: TakeCalls = (each) => {
        asked.push(each)
        state.calls += each.unused
        const granted = Math.min(each.calls, state.calls)
        state.calls -= granted
        return Promise.resolve({ calls: granted, until })
      }
      return { state, asked, take }
    }

    it('sends only calls that were granted, and returns the calls that it did not need', async () => {
      const { state, take } = left(50)
      let sent = 0
      const send = gateFor(undefined, { take })(() => {
        sent += 1
        return Promise.resolve(answered)
      })
      await Promise.all(Array.from({ length: 7 }, () => send(request)))
      await send.close?.()
      expect([sent, state.calls]).toEqual([7, 43])
      const answers = await Promise.all(Array.from({ length: 60 }, () => send(request)))
      expect([sent, state.calls]).toEqual([50, 0])
      expect(answers.filter(({ status }) => status === 403)).toHaveLength(17)
    })

    it('asks again on another day', async () => {
      const { asked, take } = left(100, 1_000)
      const send = gateFor(undefined, { take })(() => Promise.resolve(answered))
      await send(request)
      vi.setSystemTime(2_000)
      await send(request)
      expect(asked).toEqual([
        { calls: 20, unused: 0 },
        { calls: 20, unused: 19 },
      ])
    })

    it('sends nothing if there is no answer any more', async () => {
      const sent: unknown[] = []
      const take = () => Promise.reject(new Error('gone'))
      const send = gateFor(undefined, { take })((each) => {
        sent.push(each)
        return Promise.resolve(answered)
      })
      await expect(send(request)).rejects.toBeInstanceOf(NotSent)
      expect(sent).toEqual([])
    })
  })
})
