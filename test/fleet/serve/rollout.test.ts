import { describe, expect, it } from 'vitest'
import type { RolloutStatus } from '../../../src/documents/fleet-status.js'
import { runningRollout } from '../../../src/fleet/serve/controls.js'
import { fleetDatabaseIn, jobIn } from '../../../src/fleet/serve/names.js'
import { approvalsOf, stoppedBy, waveDigest } from '../../../src/fleet/serve/rollout-areas.js'
import type { RolloutRow } from '../../../src/fleet/serve/rollout-store.js'
import { area, serveSettings } from '../areas.js'

const row = (name: string, state: string, wave = 0, plan = `plan of ${name}`) => ({
  ...{ area: name, wave, state, changes: null, plan_digest: plan, summary: null, why: null, began: null, waits: null },
})

describe('the reason to stop a rollout', () => {
  const areas = [row('a', 'applied'), row('b', 'error'), row('c', 'stale'), row('d', 'pending'), row('e', 'error', 1)]

  it('is a number of failures, or a percentage, of its own wave', () => {
    expect(stoppedBy({ failures: 1, failedPercent: undefined }, 0, areas)).toBe(
      '1 of 4 areas of wave 1 failed: b (error)',
    )
    expect(stoppedBy({ failures: 2, failedPercent: undefined }, 0, areas)).toBeNull()
    expect(stoppedBy({ failures: undefined, failedPercent: 25 }, 0, areas)).not.toBeNull()
    expect(stoppedBy({ failures: undefined, failedPercent: 26 }, 0, areas)).toBeNull()
    expect(stoppedBy({ failures: undefined, failedPercent: undefined }, 0, areas)).toBeNull()
  })

  it('is not a stale plan, and not a failure of another wave', () => {
    expect(
      stoppedBy({ failures: 1, failedPercent: undefined }, 0, [row('c', 'stale'), row('e', 'error', 1)]),
    ).toBeNull()
  })
})

it('an approval is for these plans of these areas: for no other plan, and for no other area', () => {
  const shown = waveDigest(0, [row('a', 'pending'), row('b', 'pending')])
  expect(waveDigest(0, [row('b', 'pending'), row('a', 'pending'), row('c', 'pending', 1)])).toBe(shown)
  expect(waveDigest(0, [row('a', 'pending'), row('b', 'pending', 0, 'another')])).not.toBe(shown)
  expect(waveDigest(0, [row('a', 'pending'), row('b', 'stale')])).not.toBe(shown)
})

describe('an approval is requested before the wave that has changes to apply', () => {
  const waves = [true, false, false].map((approve) => ({ approve }))
  const began = (name: string, state: string, wave: number) => ({ ...row(name, state, wave), began: new Date(0) })

  it.each([
    ['its own, if nothing is planned yet', [row('a', 'waiting'), row('b', 'waiting', 1)], [true, false, false]],
    ['the next one, if its own has no changes', [row('a', 'in-sync'), row('b', 'pending', 1)], [false, true, false]],
    ['a later one', [row('a', 'refused'), row('c', 'pending', 2)], [false, false, true]],
    ['its own, whatever its results are', [began('a', 'in-sync', 0), row('b', 'pending', 1)], [true, false, false]],
    ['none', [row('a', 'in-sync'), row('b', 'error', 1)], [false, false, false]],
  ])('%s', (_, areas, approvals) => {
    expect(approvalsOf(waves, areas)).toEqual(approvals)
  })
})

describe('a decision without a name is about', () => {
  const rollout = (name: string, status: RolloutStatus): RolloutRow => ({
    ...{
      rollout: name,
      started: new Date(0),
      ended: status === 'done' ? new Date(1) : null,
      who: 'w',
      status,
      wave: 0,
    },
    ...{ request: { waves: [], stop: { failures: undefined, failedPercent: undefined } } },
    ...{ paused: false, stopped: false, why: null },
  })
  const meant = (...rollouts: readonly RolloutRow[]) => runningRollout({ rollouts: async () => rollouts })
  const queued = rollout('q', 'queued')

  it('the rollout that runs, whatever is queued, or else the only queued one', async () => {
    expect(await meant(queued, rollout('a', 'applying'), rollout('d', 'done'))).toBe('a')
    expect(await meant(queued, rollout('r', 'queued'), rollout('w', 'waiting'))).toBe('w')
    expect(await meant(queued, rollout('d', 'done'))).toBe('q')
  })

  it('none if several are possible', async () => {
    await expect(meant(rollout('d', 'done'))).rejects.toThrow('no rollout runs')
    await expect(meant(queued, rollout('r', 'queued'))).rejects.toThrow('2 rollouts have not ended')
    // The workflow of one of them may have failed: only a name can say which one is meant.
    await expect(meant(rollout('a', 'applying'), rollout('b', 'planning'))).rejects.toThrow('2 rollouts have not ended')
  })
})

it('areas of a key share its limits, and other areas have separate ones', () => {
  const key = { requestsPerSecond: 6, requestsPerDay: undefined, concurrency: 3, credentials: {} }
  const fleet = {
    ...{ name: 'brands', file: 'f', dir: '.', keys: { shared: key }, drift: undefined, rollout: undefined },
    ...{ records: '.', timeoutMs: 1, serve: serveSettings, areas: [area('acme', { key: 'shared' }), area('globex')] },
  }
  const job = (name: string) => jobIn(fleet, { area: name, command: 'drift', occasion: 'drift 1' })
  expect(job('acme')).toMatchObject({ queue: 'brands areas 3 at a time', partition: 'key shared', only: 'acme' })
  expect(job('globex')).toMatchObject({ queue: 'brands areas 1 at a time', partition: 'area globex', only: 'globex' })
})

it('only the environment gives the database', () => {
  expect(() => fleetDatabaseIn({})).toThrow('GATEWRIGHT_FLEET_DATABASE is not set')
  for (const url of ['postgres://h/d', 'postgresql://bücher.example/d']) {
    expect(fleetDatabaseIn({ GATEWRIGHT_FLEET_DATABASE: url })).toBe(url)
  }
})
