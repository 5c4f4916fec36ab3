import { expect, it } from 'vitest'
import { type RolloutSetup, rolloutBody } from '../../../src/fleet/serve/rollout.js'
import { waveDigest } from '../../../src/fleet/serve/rollout-areas.js'
import type { RolloutAreaRow, RolloutRow, RolloutWave } from '../../../src/fleet/serve/rollout-store.js'
import type { Json } from '../../../src/json/json.js'
import type { WorkflowContext } from '../../../src/workflows/workflows.js'

/**
 * The state of an area after its jobs, by their command and the number of starts; `held` and `waiting` are returned, and a job
 * that is `lost` reports nothing.
 */
type Becomes = (area: string, command: string, time: number) => string

const wave = (areas: readonly string[], more: Partial<RolloutWave> = {}): RolloutWave => ({
  ...{ areas, bakeMs: 0, approve: false },
  ...more,
})

/** A rollout on one worker, without database and clock: all its actions, in order. */
async function rolled(
  waves: readonly RolloutWave[],
  becomes: Becomes,
  { failures, onReceive }: { readonly failures?: number; readonly onReceive?: (row: Row, said: string[]) => void } = {},
): Promise<readonly string[]> {
  const said: string[] = []
  const tell = (words: string): Promise<void> => Promise.resolve(void said.push(words))
  const row: Row = { paused: false, stopped: false, approved: [] }
  const states = new Map(waves.flatMap(({ areas }) => areas).map((area) => [area, 'pending']))
  const rows = (): readonly RolloutAreaRow[] =>
    waves.flatMap(({ areas }, index) =>
      areas.map((area) => ({
        ...{ area, wave: index, state: states.get(area) ?? '', plan_digest: `plan of ${area}` },
        ...{ changes: null, summary: null, why: null, began: null, waits: null },
      })),
    )
  const store: RolloutSetup['store'] = {
    rollouts: async () => [
      {
        ...{ rollout: 'r', started: new Date(0), ended: null, who: 'w', status: 'planning', wave: 0, why: null },
        ...{ request: { waves, stop: { failures, failedPercent: undefined } } },
        ...{ paused: row.paused, stopped: row.stopped },
      } satisfies RolloutRow,
    ],
    rolloutAreas: async () => rows(),
    decisions: async () =>
      row.approved.map((each) => ({
        ...{ at: new Date(0), who: 'w', decision: 'approve', wave: each, digest: waveDigest(each, rows()) },
      })),
    setArea: async (_, area, state) => void states.set(area, state),
    setStatus: (_, { status, wave: at, why }) => tell(`${status} ${at}${why === undefined ? '' : `: ${why}`}`),
  }
  let time = 0
  const begun = new Map<string, number>()
  const endings = new Map<string, string>()
  const context: WorkflowContext = {
    id: 'r',
    step: (_, work) => work(),
    sleep: (milliseconds) => tell(`sleep ${milliseconds}`),
    received: async (_, timeoutMs) => {
      await tell('looks again')
      time += timeoutMs
      if (said.length > 100) throw new Error('it never ends')
      onReceive?.(row, said)
      return undefined
    },
    enqueue: (jobs) => {
      for (const { id, input } of jobs) {
        const { area, command } = input as { readonly area: string; readonly command: string }
        const count = (begun.get(`${command} ${area}`) ?? 0) + 1
        begun.set(`${command} ${area}`, count)
        const state = becomes(area, command, count)
        said.push(`${command} ${area}`)
        endings.set(id, state)
        if (!['held', 'waiting', 'lost'].includes(state)) states.set(area, state)
      }
      return Promise.resolve(jobs.map(() => 'queued'))
    },
    wait: (id) => {
      const value = endings.get(id) ?? null
      return Promise.resolve(value === 'lost' ? { is: 'failed', error: 'it was away' } : { is: 'done', value })
    },
  }
  const asJob: RolloutSetup['asJob'] = (job) => ({
    ...{ workflow: 'job', id: job.occasion + job.area, input: { ...job } as Json, queue: 'q', partition: job.area },
  })
  const body = rolloutBody({ store, asJob, now: () => time, lasting: (work) => work() })
  await body('r', context)
  return said
}

interface Row {
  paused: boolean
  stopped: boolean
  approved: number[]
}

const fine: Becomes = (_, command) => ({ plan: 'pending', apply: 'applied' })[command] ?? 'in-sync'

it('plans everything first, then applies wave after wave, and checks each after its time', async () => {
  expect(await rolled([wave(['a']), wave(['b', 'c'], { bakeMs: 60_000 })], fine)).toEqual([
    ...['planning 0', 'plan a', 'plan b', 'plan c'],
    ...['applying 0', 'apply a'],
    ...['applying 1', 'apply b', 'apply c', 'baking 1', 'looks again', 'drift b', 'drift c'],
    'done 1',
  ])
})

it('ends if too many of a wave failed, before and after its time', async () => {
  const failing: Becomes = (area, command, time) =>
    area === 'b' && command === 'apply' ? 'error' : fine(area, command, time)
  const applied = await rolled([wave(['a', 'b']), wave(['c'])], failing, { failures: 1 })
  expect(applied.at(-1)).toBe('stopped 0: 1 of 2 areas of wave 1 failed: b (error)')
  const drifting: Becomes = (area, command, time) => (command === 'drift' ? 'drift' : fine(area, command, time))
  const baked = await rolled([wave(['a'], { bakeMs: 1 }), wave(['b'])], drifting, { failures: 1 })
  expect(baked.at(-1)).toBe('stopped 0: after the wave, 1 of 1 areas of wave 1 failed: a (drift)')
})

it('counts an area as failed if its job has ended without a result', async () => {
  const losing: Becomes = (area, command, time) =>
    area === 'b' && command === 'apply' ? 'lost' : fine(area, command, time)
  const applied = await rolled([wave(['a', 'b']), wave(['c'])], losing, { failures: 1 })
  expect(applied.at(-1)).toBe('stopped 0: 1 of 2 areas of wave 1 failed: b (error)')
  const unplanned: Becomes = (area, command, time) => (command === 'plan' ? 'lost' : fine(area, command, time))
  expect(await rolled([wave(['a'])], unplanned)).not.toContain('apply a')
})

it('is done although areas failed, unless no other area is as planned', async () => {
  const ends =
    (states: Readonly<Record<string, string>>): Becomes =>
    (area, command, time) =>
      command === 'plan' ? (states[area] ?? '') : fine(area, command, time)
  const waves = [wave(['a', 'b']), wave(['c'])]
  const last = async (states: Readonly<Record<string, string>>) => (await rolled(waves, ends(states))).at(-1)
  expect(await last({ a: 'refused', b: 'refused', c: 'error' })).toBe(
    'stopped 1: all 3 areas failed, and none is as planned: a (refused), b (refused), c (error)',
  )
  expect(await last({ a: 'refused', b: 'stale', c: 'stale' })).toBe(
    'stopped 1: 1 of 3 areas failed, and none is as planned: a (refused)',
  )
  expect(await last({ a: 'refused', b: 'refused', c: 'pending' })).toBe('done 1')
  expect(await last({ a: 'refused', b: 'refused', c: 'in-sync' })).toBe('done 1')
  expect(await last({ a: 'stale', b: 'stale', c: 'stale' })).toBe('done 1')
})

it('ends at once if somebody stops it between two waves', async () => {
  const said = await rolled([wave(['a'], { bakeMs: 3_600_000 }), wave(['b'])], fine, {
    onReceive: (row) => {
      row.stopped = true
    },
  })
  expect(said.slice(-3)).toEqual(['baking 0', 'looks again', 'stopped 0: somebody stopped it'])
})

it('does not wait for a day if a wave has nothing to check', async () => {
  const failing: Becomes = (area, command, time) =>
    area === 'a' && command === 'apply' ? 'error' : fine(area, command, time)
  expect(await rolled([wave(['a'], { bakeMs: 1 }), wave(['b'])], failing)).toEqual([
    ...['planning 0', 'plan a', 'plan b', 'applying 0', 'apply a', 'baking 0', 'looks again'],
    ...['applying 1', 'apply b', 'done 1'],
  ])
})

it('repeats a job that waits for calls of a day after another job has ended, and waits for the next day if none has', async () => {
  const waiting: Becomes = (area, command, time) =>
    area === 'b' && command === 'apply' && time < 3 ? 'waiting' : fine(area, command, time)
  const said = await rolled([wave(['a', 'b'])], waiting, {
    onReceive: (row, all) => {
      if (all.filter((each) => each === 'looks again').length === 2) row.stopped = true
    },
  })
  expect(said).toEqual([
    ...['planning 0', 'plan a', 'plan b', 'applying 0', 'apply a', 'apply b', 'apply b', 'looks again', 'looks again'],
    'stopped 0: somebody stopped it',
  ])
})

it('if a wave that needs approval has no changes, asks before the next wave with changes, so that no change is unseen', async () => {
  const waves = [wave(['a']), wave(['b'], { approve: true }), wave([]), wave(['c']), wave(['d'])]
  const synced: Becomes = (area, command, time) =>
    area === 'b' && command === 'plan' ? 'in-sync' : fine(area, command, time)
  expect(await rolled(waves, synced, { onReceive: (row) => row.approved.push(3) })).toEqual([
    ...['planning 0', 'plan a', 'plan b', 'plan c', 'plan d', 'applying 0', 'apply a'],
    ...['waiting 3', 'looks again', 'applying 3', 'apply c', 'applying 4', 'apply d', 'done 4'],
  ])
})

it('waits while it is paused, asks before a wave that needs approval, and ends if somebody stops it', async () => {
  const approved = await rolled([wave(['a'], { approve: true })], fine, {
    onReceive: (row) => row.approved.push(0),
  })
  expect(approved).toEqual(['planning 0', 'plan a', 'waiting 0', 'looks again', 'applying 0', 'apply a', 'done 0'])
  const stopped = await rolled([wave(['a'], { approve: true })], fine, {
    onReceive: (row) => {
      row.stopped = true
    },
  })
  expect(stopped.at(-1)).toBe('stopped 0: somebody stopped it')
  let pausing: Row | undefined
  const paused = await rolled(
    [wave(['a', 'b'], { approve: true })],
    (area, command, time) => {
      if (pausing && area === 'a' && command === 'apply') pausing.paused = true
      return fine(area, command, time)
    },
    {
      onReceive: (row) => {
        row.approved = [0]
        pausing = row
        row.paused = false
      },
    },
  )
  expect(paused).toEqual([
    ...['planning 0', 'plan a', 'plan b', 'waiting 0', 'looks again', 'applying 0', 'apply a'],
    ...['paused 0', 'looks again', 'applying 0', 'apply b', 'done 0'],
  ])
})
