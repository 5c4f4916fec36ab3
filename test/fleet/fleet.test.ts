import { describe, expect, it } from 'vitest'
import { type FleetKey, queueOf, slotsOf, type Wave, wavesOf } from '../../src/fleet/fleet.js'
import { area } from './areas.js'

const key = (requestsPerSecond: number | undefined, concurrency: number): FleetKey => ({
  requestsPerSecond,
  requestsPerDay: undefined,
  concurrency,
  credentials: {},
})

describe('the slots of a key', () => {
  it.each([
    [2, 1, [2]],
    [2.5, 1, [2.5]],
    [0.5, 1, [0.5]],
    [2, 2, [1, 1]],
    [3, 2, [2, 1]],
    // A rate below one call a second cannot be divided into whole ones: fewer areas run at once.
    [2, 8, [1, 1]],
    [0.5, 4, [0.5]],
    [10, 4, [3, 3, 2, 2]],
    [undefined, 2, [undefined, undefined]],
  ])('divide %s calls a second among %i areas as %j', (rate, concurrency, rates) => {
    expect(slotsOf(key(rate, concurrency)).map(({ requestsPerSecond }) => requestsPerSecond)).toEqual(rates)
  })

  it('rest for more than one step of their rate', () => {
    expect(slotsOf(key(2, 1))).toEqual([{ requestsPerSecond: 2, restMs: 1010 }])
    expect(slotsOf(key(undefined, 1))).toEqual([{ requestsPerSecond: undefined, restMs: 0 }])
  })

  it('never send more calls in any second than the key allows, if each keeps its own rate', () => {
    for (const rate of [1, 2, 3, 5, 7.5]) {
      for (const concurrency of [1, 2, 3, 8]) {
        const sum = slotsOf(key(rate, concurrency)).reduce((all, slot) => all + (slot.requestsPerSecond ?? 0), 0)
        expect(sum).toBeLessThanOrEqual(rate)
      }
    }
  })
})

describe('queues', () => {
  it('belong to keys; an area without a key has its own, whatever its name', () => {
    expect([area('a', { key: 'shared' }), area('b', { key: 'shared' }), area('shared')].map(queueOf)).toEqual([
      'key shared',
      'key shared',
      'area shared',
    ])
  })
})

describe('waves', () => {
  const wave = (more: Partial<Wave>): Wave => ({
    labels: {},
    percent: undefined,
    bakeMs: 0,
    approve: false,
    place: { file: 'f', line: 1, column: 1 },
    ...more,
  })
  const areas = [...'abcdefghij'].map((name, index) => area(name, { labels: index < 2 ? { ring: 'canary' } : {} }))
  const namesOf = (...waves: readonly Wave[]) =>
    wavesOf({ areas, rollout: { waves, stop: { failures: undefined, failedPercent: undefined } } }).map((each) =>
      each.map(({ name }) => name).join(''),
    )

  it('get the areas that no earlier wave has; {} means the rest', () => {
    expect(namesOf(wave({ labels: { ring: 'canary' } }), wave({ percent: 25 }), wave({}))).toEqual([
      'ab',
      'cde',
      'fghij',
    ])
  })

  it('omit areas that no wave has', () => {
    expect(namesOf(wave({ percent: 10 }), wave({ labels: { ring: 'canary' } }))).toEqual(['a', 'b'])
  })

  it('are one wave of all areas if no rollout is written', () => {
    expect(wavesOf({ areas, rollout: undefined })).toEqual([areas])
  })
})
