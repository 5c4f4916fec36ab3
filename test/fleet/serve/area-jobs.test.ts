import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { AreaResult } from '../../../src/documents/fleet.js'
import { areaJobs } from '../../../src/fleet/serve/area-jobs.js'
import { rolloutStatus } from '../../../src/fleet/serve/status.js'
import { type FleetStore, openFleetStore } from '../../../src/fleet/serve/store.js'
import type { JsonObject } from '../../../src/json/json.js'
import type { ChildEnd, RunChild } from '../../../src/ports/child.js'
import { masking } from '../../../src/secrets/mask.js'
import { folderWith } from '../../kit/folder.js'
import { dropDatabase, freshDatabase, postgresServer } from '../../kit/postgres.js'
import { area, serveSettings } from '../areas.js'

/** Jobs of a rollout that wait in their queues while somebody decides; the start of a child is noted. */
describe.skipIf(postgresServer === undefined)('a job of a rollout', () => {
  let url = ''
  let store: FleetStore
  const areas = ['acme', 'globex', 'initech'].map((name) => area(name, { project: '.' }))
  const fleet = {
    ...{ name: 'brands', file: 'f', dir: '.', keys: {}, drift: undefined, rollout: undefined, areas },
    ...{ records: '.', timeoutMs: 1_000, serve: serveSettings },
  }

  beforeAll(async () => {
    url = await freshDatabase()
    store = await openFleetStore(url, 'brands')
  })

  afterAll(async () => {
    await store.close()
    await dropDatabase(url)
  })

  const planned = (name: string): AreaResult => ({
    ...{ area: name, command: 'plan', exit: 0, state: 'pending', summary: {}, requests: 2, seconds: 1, changes: 'c' },
    ...{ startedAt: '2027-01-01T00:00:00.000Z', document: null, diagnostics: [], files: {} },
  })

  const gone: ChildEnd = { is: 'failed', code: null, reason: 'not here', stdout: '', stderr: '' }

  /** A rollout with one wave, and a saved plan for each area; returns the result of a job, and the areas that were started. */
  async function applying(
    rollout: string,
    child: RunChild = () => Promise.resolve(gone),
    { longestMs = 0, now = Date.now }: { readonly longestMs?: number; readonly now?: () => number } = {},
  ) {
    const wave = { areas: areas.map(({ name }) => name), bakeMs: 0, approve: false }
    await store.addRollout({ rollout, who: 'jane', waves: [wave], stop: { failures: 1, failedPercent: undefined } })
    for (const { name } of areas) await store.setPlan(rollout, planned(name), '{}')
    await store.setStatus(rollout, { status: 'applying', wave: 0 })
    const cwd = folderWith({ 'gatewright.yaml': 'apiVersion: gatewright/v1\nkind: Project\nmetadata: {name: shop}\n' })
    const begun: string[] = []
    const jobs = areaJobs({
      ...{ fleet: () => fleet, store, worker: 'w', atOnce: 3, patience: { restMs: 1, longestMs } },
      ports: {
        ...{ env: { GATEWRIGHT_TOKEN: 't' }, cwd, now, signal: new AbortController().signal },
        mask: masking([]),
        child: (call) => {
          begun.push(call.args.includes('--resume') ? 'resume' : (call.args[0] ?? ''))
          return child(call)
        },
      },
    })
    const run = (name: string) =>
      jobs.run({ area: name, command: 'apply', occasion: `rollout ${rollout} apply`, rollout })
    return { begun, run, drain: jobs.drain }
  }

  it('does not start after the rollout is paused or stopped; a job that was started before is finished', async () => {
    const { begun, run } = await applying('r1')
    await store.beginArea('r1', 'initech')
    await store.decide('r1', { who: 'jane', decision: 'pause' })
    expect([await run('acme'), begun]).toEqual(['held', []])
    await store.decide('r1', { who: 'jane', decision: 'resume' })
    await store.decide('r1', { who: 'jane', decision: 'stop' })
    expect([await run('acme'), begun]).toEqual(['held', []])
    await run('initech')
    expect((await store.rolloutAreas('r1')).map(({ state }) => state)).toEqual(['pending', 'pending', 'error'])
    await store.setStatus('r1', { status: 'stopped', wave: 0, why: 'somebody stopped it' })
    expect(await rolloutStatus(store, 'r1')).toMatchObject({
      notBegun: ['acme', 'globex'],
      dropped: [{ area: 'initech', state: 'error' }],
    })
  })

  const answering = (code: number, answer: JsonObject): ChildEnd => ({
    ...{ is: 'exited', code, stdout: JSON.stringify(answer), stderr: '' },
  })
  const runOf = (applied: number): JsonObject => ({
    ...{ format: 'gatewright.run/1', summary: { applied }, target: {}, changes: [], diagnostics: [] },
  })
  const failing = (code: string): JsonObject => ({
    ...{ format: 'gatewright.diagnostics/1', diagnostics: [{ code, severity: 'error', message: code }] },
  })

  it('completes the apply of a killed worker', async () => {
    const history = { runs: [{ purpose: 'apply', started: new Date().toISOString() }] }
    const { begun, run } = await applying('r6', ({ args }) => {
      if (args[0] === 'history') return Promise.resolve(answering(0, history))
      return Promise.resolve(args.includes('--resume') ? answering(0, runOf(0)) : answering(4, failing('stale-plan')))
    })
    await store.beginArea('r6', 'acme')
    expect([await run('acme'), begun]).toEqual(['applied', ['apply', 'history', 'resume']])
  })

  it('is repeated if the database of its records was away, and fails only if it stays away', async () => {
    const answers = [
      answering(1, failing('database-failed')),
      answering(3, { ...runOf(0), diagnostics: failing('lock-lost').diagnostics ?? [] }),
    ]
    const { begun, run } = await applying('r7', () => Promise.resolve(answers.shift() ?? answering(0, runOf(1))))
    const away = await applying('r8', () => Promise.resolve(answering(1, failing('database-failed'))))
    expect(await Promise.all([run('acme'), away.run('acme')])).toEqual(['applied', 'error'])
    expect([begun, away.begun]).toEqual([
      ['apply', 'apply', 'apply'],
      ['apply', 'apply', 'apply'],
    ])
  })

  it('waits for a database of records that is away for longer, and the jobs that need it wait together', async () => {
    let isAway = true
    let time = Date.now()
    const { begun, run } = await applying(
      'r9',
      () => Promise.resolve(isAway ? answering(1, failing('database-failed')) : answering(0, runOf(1))),
      { longestMs: 2_000, now: () => time },
    )
    const waiting = run('acme')
    await expect.poll(() => begun.length).toBeGreaterThan(5)
    isAway = false
    expect(await waiting).toBe('applied')
    isAway = true
    time += 2_000
    begun.length = 0
    // As far as anybody knows, it has been away for this time.
    expect([await run('globex'), begun]).toEqual(['error', ['apply', 'apply', 'apply']])
  })

  it('waits for such a database only while its rollout continues', async () => {
    const { begun, run } = await applying('r10', () => Promise.resolve(answering(1, failing('database-failed'))), {
      longestMs: 600_000,
    })
    const waiting = run('acme')
    await expect.poll(() => begun.length).toBeGreaterThan(1)
    await store.decide('r10', { who: 'jane', decision: 'stop' })
    expect(await waiting).toBe('error')
  })

  it.each<[string, Partial<ChildEnd>]>([
    ['in order', { is: 'exited', code: 130 }],
    ['before it could listen', { is: 'killed', reason: 'SIGTERM' }],
  ])('is left to other workers if a signal has ended its process %s, and this worker as well', async (how, end) => {
    const name = `signal ${how}`
    const ended: (() => void)[] = []
    const { begun, run, drain } = await applying(
      name,
      () => new Promise((resolve) => void ended.push(() => resolve({ ...gone, ...end }))),
    )
    const told: string[] = []
    for (const each of ['acme', 'globex']) void run(each).then((ending) => told.push(ending))
    await expect.poll(() => begun.length).toBe(2)
    ended[0]?.()
    const drained = drain()
    ended[1]?.()
    await drained
    expect(told).toEqual([])
    expect((await store.rolloutAreas(name)).map(({ state }) => state)).toEqual(['applying', 'applying', 'pending'])
  })

  it('has failed if a signal has ended only its process', async () => {
    const { run } = await applying('alone', () => Promise.resolve({ ...gone, is: 'exited', code: 130 }))
    expect(await run('acme')).toBe('interrupted')
  })

  it('does not wait any more for an approval that is given, though no worker has read it', async () => {
    await applying('r3')
    await store.setStatus('r3', { status: 'waiting', wave: 0 })
    const awaits = async () => (await rolloutStatus(store, 'r3'))?.awaits ?? null
    const digest = (await awaits())?.digest ?? ''
    for (const decided of [
      { wave: 0, digest: 'of others' },
      { wave: 1, digest },
    ]) {
      await store.decide('r3', { who: 'jane', decision: 'approve', ...decided })
      expect(await awaits()).toEqual({ wave: 1, digest })
    }
    await store.decide('r3', { who: 'jane', decision: 'approve', wave: 0, digest })
    expect(await awaits()).toBeNull()
  })

  it('does not wait for another day after its rollout is over', async () => {
    await applying('r5')
    const waits = async () => (await store.areas()).filter((each) => each.waits !== null).map(({ area: each }) => each)
    for (const name of ['acme', 'globex']) await store.areaWaits(name, { occasion: 'o', why: 'used up', at: 0 })
    await store.setWaiting('r5', 'acme', 'used up')
    await store.setStatus('r5', { status: 'applying', wave: 0 })
    expect((await waits()).sort()).toEqual(['acme', 'globex'])
    await store.setStatus('r5', { status: 'stopped', wave: 0, why: 'somebody stopped it' })
    // The other one waits for its schedule.
    expect(await waits()).toEqual(['globex'])
  })

  it('failed because of an error, not because of a warning such as one about a webhook', async () => {
    const diagnostics = [
      { code: 'webhook-not-told', severity: 'warning', message: 'not told' },
      { code: 'change-failed', severity: 'error', message: 'not done' },
    ]
    const { run } = await applying('r20', () => Promise.resolve(answering(3, { ...runOf(0), diagnostics })))
    expect(await run('acme')).toBe('incomplete')
    const [acme] = await store.rolloutAreas('r20')
    expect(acme).toMatchObject({ area: 'acme', why: 'not done' })
  })

  it('reports that no folder can be created for it', async () => {
    const { begun, run } = await applying('r4')
    vi.stubEnv('TMPDIR', '/dev/null/none')
    onTestFinished(() => void vi.unstubAllEnvs())
    expect([await run('acme'), begun]).toEqual(['not-started', []])
    expect((await store.rolloutAreas('r4')).find(({ area }) => area === 'acme')).toMatchObject({
      state: 'not-started',
      why: '/dev/null/none cannot be written: a part of the path is not a folder',
    })
  })

  it('does not start after another one has failed, if that stops the rollout', async () => {
    const { begun, run } = await applying('r2')
    expect(await run('acme')).toBe('error')
    const before = [...begun]
    expect([await run('globex'), begun]).toEqual(['held', before])
  })

  it('counts towards the limit of the worker, whatever queue it comes from', async () => {
    const cwd = folderWith({ 'gatewright.yaml': 'apiVersion: gatewright/v1\nkind: Project\nmetadata: {name: shop}\n' })
    const began: (() => void)[] = []
    const jobs = areaJobs({
      ...{ fleet: () => fleet, store, worker: 'w', atOnce: 2 },
      ports: {
        ...{ env: { GATEWRIGHT_TOKEN: 't' }, cwd, now: Date.now, signal: new AbortController().signal },
        mask: masking([]),
        child: () =>
          new Promise((ended) => {
            began.push(() => ended({ is: 'failed', code: null, reason: 'not here', stdout: '', stderr: '' }))
          }),
      },
    })
    const all = areas.map(({ name: each }) => jobs.run({ area: each, command: 'drift', occasion: 'drift at once' }))
    await expect.poll(() => began.length).toBe(2)
    await new Promise((later) => setTimeout(later, 100))
    expect(began).toHaveLength(2)
    began[0]?.()
    // Either of the two may have started first.
    await Promise.race(all)
    await expect.poll(() => began.length).toBe(3)
    // Closing the worker waits for running jobs.
    const drained = jobs.drain()
    for (const end of began) end()
    await Promise.all([drained, ...all])
  })
})
