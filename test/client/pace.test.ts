import { describe, expect, it } from 'vitest'
import { catalog } from '../../src/catalog/catalog.js'
import { createPace } from '../../src/client/pace.js'
import { mostInASecond } from '../kit/most-in-a-second.js'
import { answering, client, fakeClock, json } from './support.js'

async function starts(count: number, pace: ReturnType<typeof createPace>, now: () => number): Promise<number[]> {
  const times: number[] = []
  await Promise.all(Array.from({ length: count }, () => pace.start().then(() => times.push(now()))))
  return times
}

describe('the pace', () => {
  it('does not wait without a limit', async () => {
    const clock = fakeClock()
    expect(await starts(50, createPace(clock), clock.now)).toEqual(Array(50).fill(0))
  })

  it('spaces requests evenly below a set rate', async () => {
    const clock = fakeClock()
    expect(await starts(4, createPace({ ...clock, requestsPerSecond: 2 }), clock.now)).toEqual([0, 500, 1000, 1500])
  })

  it('starts no more requests in any second than allowed, though timers fire late', async () => {
    const clock = fakeClock()
    const late = [24, 0, 0, 7]
    const sleep = (ms: number) => clock.sleep(ms + (late.shift() ?? 0), undefined)
    const pace = createPace({ now: clock.now, sleep, requestsPerSecond: 20 })
    expect(mostInASecond(await starts(100, pace, clock.now))).toBe(20)
  })

  it('waits as long as the answer asks, halves, and rises again in steps', async () => {
    const clock = fakeClock()
    const pace = createPace({ ...clock, requestsPerSecond: 4 })
    await pace.start()
    pace.throttled(clock.now(), 3000)
    expect(await starts(3, pace, clock.now)).toEqual([3000, 3500, 4000])
    for (let answer = 0; answer < 100; answer += 1) pace.succeeded(clock.now())
    expect(await starts(2, pace, clock.now)).toEqual([4250, 4500])
    expect(pace.counts()).toMatchObject({ throttled: 1, waitedMs: 4500 })
  })

  it('halves once for all requests that were running together', async () => {
    const clock = fakeClock()
    const pace = createPace({ ...clock, requestsPerSecond: 8 })
    await pace.start()
    const begun = clock.now()
    pace.throttled(begun, 0)
    pace.throttled(begun, 0)
    pace.throttled(begun, 0)
    const [first = 0, second = 0] = await starts(2, pace, clock.now)
    expect(second - first).toBe(250)
  })

  it('never rises above the rate that the platform allows the key', async () => {
    const clock = fakeClock()
    const pace = createPace(clock)
    pace.allowed(2)
    for (let answer = 0; answer < 100; answer += 1) pace.succeeded(clock.now())
    expect(await starts(3, pace, clock.now)).toEqual([0, 500, 1000])
  })

  /** The number of accepted requests per second, if they are sent one after another and take 20 ms each. */
  async function takenASecond(isRefused: (at: number, index: number) => boolean): Promise<number> {
    const clock = fakeClock()
    const pace = createPace(clock)
    const count = 200
    for (let index = 0, taken = 0; taken < count; index += 1) {
      await pace.start()
      const startedAt = clock.now()
      await clock.sleep(20, undefined)
      if (isRefused(startedAt, index)) pace.throttled(startedAt, undefined)
      else {
        pace.succeeded(startedAt)
        taken += 1
      }
    }
    return count / (clock.now() / 1000)
  }

  it('is not slowed by refusals that do not depend on the rate', async () => {
    expect(await takenASecond((_, index) => index % 5 < 2)).toBeGreaterThan(0.25)
    expect(await takenASecond((_, index) => index % 3 === 2)).toBeGreaterThan(0.6)
    expect(await takenASecond((_, index) => index % 10 === 3)).toBeGreaterThan(0.7)
  })

  it.each([
    ['two a second', 2, 1000],
    ['one in four seconds', 1, 4000],
  ])('stays at the accepted rate: %s', async (_, most, ms) => {
    const taken: number[] = []
    let refused = 0
    const perSecond = await takenASecond((at) => {
      const isFull = taken.filter((each) => each > at - ms).length >= most
      if (isFull) refused += 1
      else taken.push(at)
      return isFull
    })
    expect(perSecond).toBeGreaterThan((0.85 * most * 1000) / ms)
    expect(refused).toBeLessThan(15)
  })

  it('starts nothing after an interruption', async () => {
    const clock = fakeClock()
    const pace = createPace({ ...clock, signal: AbortSignal.abort() })
    await expect(pace.start()).rejects.toThrow()
  })
})

it.each([undefined, 2])('a clock that is set back delays nothing (%s requests a second)', async (requestsPerSecond) => {
  const clock = fakeClock()
  let back = 0
  const wire = answering(() => {
    back = 3_600_000
    return json([])
  })
  const more = { ...clock, now: () => clock.now() - back, ...(requestsPerSecond && { requestsPerSecond }) }
  const { findByName } = client(wire.transport, more)
  for (const name of ['a', 'b', 'c']) await findByName(catalog.Service, {}, name)
  expect(clock.now()).toBe(requestsPerSecond === undefined ? 0 : 1000)
})
