import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { maskOf } from '../../../src/engine/masking.js'
import type { AreaPorts } from '../../../src/fleet/area-job.js'
import { childrenOf } from '../../../src/fleet/child.js'
import type { Fleet } from '../../../src/fleet/fleet.js'
import type { ReadFleet } from '../../../src/fleet/read-fleet.js'
import { type Controls, decide, startRollout } from '../../../src/fleet/serve/controls.js'
import { applicationOf, rolloutsQueue } from '../../../src/fleet/serve/names.js'
import { type FleetWorker, openFleetWorker } from '../../../src/fleet/serve/serve.js'
import { fleetHistory, fleetStatus, rolloutStatus } from '../../../src/fleet/serve/status.js'
import { openFleetStore } from '../../../src/fleet/serve/store.js'
import { fleetRenamed } from '../../../src/problems/serve.js'
import { openWorkflowClient } from '../../../src/workflows/client.js'
import { gatewright } from '../../cli/run.js'
import { type Brands, type BrandsSetup, brandName, brands } from '../../kit/brands.js'
import { dropDatabase, freshDatabase, onServer, postgresServer } from '../../kit/postgres.js'
import { program } from '../../kit/program.js'
import { fleetText } from '../texts.js'

if (postgresServer === undefined) {
  process.stderr.write('\nThe server of fleets is NOT tested: GATEWRIGHT_TEST_POSTGRES is not set (.ci/postgres).\n\n')
}

const dayMs = 24 * 60 * 60_000

/** One worker in this process, with a platform for each area; jobs are real child processes. */
describe.skipIf(postgresServer === undefined)('the server of a fleet', () => {
  let url = ''
  /** The content of the fleet file whenever it is read again. */
  const reading = { now: (fleet: Fleet): ReadFleet => ({ fleet, problems: [] }) }
  const opened: { close: () => Promise<void> }[] = []

  beforeEach(async () => {
    url = await freshDatabase()
  })

  afterEach(async () => {
    reading.now = (fleet) => ({ fleet, problems: [] })
    for (const each of opened.splice(0).reverse()) await each.close()
    await dropDatabase(url)
  })

  async function serving(wanted: BrandsSetup, now = Date.now): Promise<Serving> {
    const ground = await brands(wanted)
    opened.push(ground)
    const ports: AreaPorts = {
      ...{
        env: ground.env,
        cwd: ground.dir,
        now,
        signal: new AbortController().signal,
        mask: maskOf(ground.env),
      },
      child: childrenOf([process.execPath, program]),
    }
    const { fleet } = ground
    const request = {
      fleet,
      database: url,
      jobs: 3,
      warn: () => undefined,
      pollMs: 100,
      recoverMs: 500,
      read: () => reading.now(fleet),
      readEveryMs: 50,
    }
    const worker = await openFleetWorker(request, ports)
    opened.push(worker)
    const controls = { fleet, store: worker.store, workflows: worker.workflows, now }
    return { ...ground, worker, controls }
  }

  interface Serving extends Brands {
    readonly worker: FleetWorker
    readonly controls: Controls
  }

  const statesOf = async ({ fleet, worker }: Serving) => (await fleetStatus(fleet, worker.store, Date.now())).states

  it('checks for drift by the clock, in each area once for each time', async () => {
    const served = await serving({ count: 3, drift: { schedule: '* * * * * *', timezone: 'UTC', jitterMs: 0 } })
    await expect.poll(() => statesOf(served)).toEqual({ drift: 3 })
    await served.worker.workflows.schedule([])
    const { jobs } = await fleetHistory(served.fleet, served.worker.store, { limit: 100 })
    const occasions = jobs.map(({ area, occasion }) => `${area} ${occasion}`)
    expect(new Set(occasions).size).toBe(occasions.length)
    expect(jobs.filter(({ state, hasReport }) => state === 'drift' && hasReport).length).toBeGreaterThan(0)
    const { store } = served.worker
    const [first] = (await fleetStatus(served.fleet, store, Date.now())).areas
    expect(await store.report(brandName(0), first?.report ?? '')).toContain('<!doctype html>')
  })

  it('leaves nothing running if its schedule is refused', async () => {
    const drift = { schedule: '5/10 * * * *', timezone: 'UTC', jitterMs: 0 }
    await expect(serving({ count: 1, drift })).rejects.toThrow('5/10')
    const served = await serving({ count: 1 })
    expect(await statesOf(served)).toEqual({ unknown: 1 })
  })

  it('knows if there are workers for waiting jobs: workers do not take jobs that another version has started', async () => {
    const { fleet, worker } = await serving({ count: 1 })
    const { store } = worker
    expect(await store.missingWorkers()).toBe('none')
    const other = await openWorkflowClient({ url, application: applicationOf(fleet), format: 'fleet/0' })
    opened.push(other)
    const rollout = { workflow: 'rollout', id: 'r', input: { rollout: 'r' }, partition: fleet.name }
    await other.enqueue({ ...rollout, queue: rolloutsQueue(fleet) })
    expect(await store.missingWorkers()).toBe('version')
    // Another fleet in the database does not affect this.
    const another = await openFleetStore(url, 'bran')
    opened.push(another)
    expect(await another.missingWorkers()).toBe('all')
  })

  it('rolls out in waves: a canary, an approval, and only approved plans', async () => {
    const waves = [
      {
        labels: { ring: 'canary' },
        percent: undefined,
        bakeMs: 1,
        approve: false,
        place: { file: '', line: 1, column: 1 },
      },
      { labels: {}, percent: undefined, bakeMs: 0, approve: true, place: { file: '', line: 1, column: 1 } },
    ]
    const rollout = { waves, stop: { failures: 1, failedPercent: undefined } }
    const served = await serving({
      count: 3,
      rollout,
      area: (index) => (index === 0 ? { labels: { ring: 'canary' } } : {}),
    })
    const { controls, worker } = served
    const name = await startRollout(controls, 'jane', () => true)
    const now = () => rolloutStatus(worker.store, name)
    await expect.poll(async () => (await now())?.awaits?.wave).toBe(2)
    expect((await now())?.same).toMatchObject([{ areas: [brandName(0), brandName(1), brandName(2)] }])
    expect([0, 1, 2].map((index) => served.writes(brandName(index)) > 0)).toEqual([true, false, false])
    const next = await startRollout(controls, 'jane', () => true)
    const nextNow = () => rolloutStatus(worker.store, next)
    expect((await nextNow())?.status).toBe('queued')
    const seen = { wave: 2, digest: (await now())?.awaits?.digest ?? '' }
    await expect(
      decide(controls, { rollout: name, decision: 'approve', who: 'x', seen: { ...seen, digest: 'other' } }),
    ).rejects.toThrow('are not those that were shown')
    await decide(controls, { rollout: name, decision: 'approve', who: 'joe', seen })
    await expect.poll(async () => (await now())?.status).toBe('done')
    expect((await now())?.waves.map(({ states }) => states)).toEqual([{ applied: 1 }, { applied: 2 }])
    expect((await now())?.decisions).toMatchObject([
      { who: 'jane', decision: 'start' },
      { who: 'joe', decision: 'approve', ...seen },
    ])
    await expect.poll(async () => (await nextNow())?.status).toBe('done')
  })

  it('lets people decide about a rollout and look at it while the fleet file has errors', async () => {
    const wave = { labels: {}, percent: undefined, bakeMs: 0, approve: true, place: { file: '', line: 1, column: 1 } }
    const rollout = { waves: [wave], stop: { failures: undefined, failedPercent: undefined } }
    const served = await serving({ count: 1, rollout })
    const name = await startRollout(served.controls, 'jane', () => true)
    const now = () => rolloutStatus(served.worker.store, name)
    await expect.poll(async () => (await now())?.awaits?.wave).toBe(1)
    const fleetFile = join(served.dir, served.fleet.file)
    const run = async (...words: readonly string[]) => {
      const { exitCode, stdout, stderr } = await gatewright(['fleet', ...words], {
        cwd: served.dir,
        env: { GATEWRIGHT_FLEET_DATABASE: url },
      })
      return [exitCode, stderr.includes('has errors, and what cannot be read in it is left out'), stdout] as const
    }
    const areas = `[{name: ${brandName(0)}, project: ${brandName(0)}}, {name: other, ring: canary}]`
    writeFileSync(fleetFile, fleetText(`areas: ${areas}`))
    expect(await run('status')).toEqual([0, true, expect.stringContaining(`\n${brandName(0)}  pending  `)])
    expect(await run('history', brandName(0))).toEqual([0, true, expect.stringContaining('pending')])
    expect(await run('rollout', 'pause')).toEqual([0, true, expect.stringContaining(`Rollout ${name}: paused`)])
    // Nothing but the name is needed.
    writeFileSync(fleetFile, 'metadata: {name: brands}\n')
    expect(await run('rollout', 'resume')).toEqual([0, true, expect.stringContaining(`Rollout ${name}: waiting`)])
    expect(await run('rollout', 'start')).toEqual([1, false, ''])
    expect(await run('rollout', 'approve')).toEqual([0, true, expect.stringContaining('wave 1 approved by')])
    await expect.poll(async () => (await now())?.status).toBe('done')
    writeFileSync(fleetFile, 'metadata: {name: [}\n')
    expect(await run('rollout', 'stop')).toEqual([1, false, ''])
  })

  it('reports that a rollout has failed, and that nobody continues it', async () => {
    const wave = { labels: {}, percent: undefined, bakeMs: 0, approve: true, place: { file: '', line: 1, column: 1 } }
    const rollout = { waves: [wave], stop: { failures: undefined, failedPercent: undefined } }
    const served = await serving({ count: 1, rollout })
    const name = await startRollout(served.controls, 'jane', () => true)
    const now = () => rolloutStatus(served.worker.store, name)
    await expect.poll(async () => (await now())?.awaits?.wave).toBe(1)
    await onServer(
      url,
      `update dbos.workflow_status set status = 'ERROR' where workflow_uuid = 'brands rollout ${name}'`,
    )
    expect(await now()).toMatchObject({
      ...{ status: 'failed', ended: null, awaits: null },
      why: `rollout ${name} has failed, and no worker goes on with it`,
    })
    const decided = (decision: 'approve' | 'stop') => decide(served.controls, { rollout: name, decision, who: 'jane' })
    await expect(decided('approve')).rejects.toThrow('has failed')
    await decided('stop')
    expect(await now()).toMatchObject({ status: 'stopped', notBegun: [brandName(0)] })
  })

  it('starts each requested rollout, even in the same second', async () => {
    const { controls, worker } = await serving({ count: 2 })
    const at = Date.now()
    const asked = [brandName(0), brandName(1)].map((area) =>
      startRollout({ ...controls, now: () => at }, 'jane', ({ name }) => name === area),
    )
    const started = await Promise.all((await Promise.all(asked)).map((name) => rolloutStatus(worker.store, name)))
    expect(started.map((each) => each?.waves[0]?.areas)).toEqual([[brandName(0)], [brandName(1)]])
  })

  const counted = (requestsPerDay: number, concurrency: number) => ({
    keys: { shared: { requestsPerSecond: undefined, requestsPerDay, concurrency, credentials: {} } },
    area: () => ({ key: 'shared' }),
  })
  /** A clock whose day has just begun: no day ends during a test. */
  const wholeDays = (): (() => number) => {
    const since = Date.now() % dayMs
    return () => Date.now() - since
  }
  const callsSoFar = ({ calls }: Serving): number => [...calls.values()].flat().length

  it('never exceeds the calls of a key on a day: the rest of a rollout waits for another day', async () => {
    const perDay = 60
    let later = 0
    const now = wholeDays()
    const served = await serving({ count: 3, ...counted(perDay, 2) }, () => now() + later)
    const { controls, worker } = served
    const name = await startRollout(controls, 'jane', () => true)
    const rollout = async () => await rolloutStatus(worker.store, name)
    const reasons: string[] = []
    const left = async () => {
      const found = await rollout()
      reasons.push(...(found?.waiting ?? []).map(({ why }) => why))
      const applied = found?.waves[0]?.states.applied ?? 0
      return { isOver: found?.ended !== null, allWait: applied < 3 && found?.waiting.length === 3 - applied }
    }
    let days = 1
    for (; ; days += 1) {
      await expect.poll(async () => Object.values(await left()).includes(true)).toBe(true)
      if ((await left()).isOver) break
      expect(await rollout()).toMatchObject({ why: null, dropped: [] })
      later += dayMs
      await decide(controls, { rollout: name, decision: 'resume', who: 'jane' })
    }
    // Every call of the platforms is in the book of a day, and no day exceeds its quota.
    const book = (await onServer(url, 'select calls from gatewright.fleet_calls')) as { calls: number }[]
    expect(Math.max(...book.map(({ calls }) => calls))).toBeLessThanOrEqual(perDay)
    expect(book.reduce((sum, { calls }) => sum + calls, 0)).toBe(callsSoFar(served))
    expect(days).toBeGreaterThan(1)
    expect(reasons[0]).toContain('used up')
    expect(await rollout()).toMatchObject({ status: 'done', waiting: [], waves: [{ states: { applied: 3 } }] })
    const { areas } = await fleetStatus(served.fleet, worker.store, Date.now())
    expect(areas.map(({ waits }) => waits)).toEqual([null, null, null])
  })

  it('interrupts a job at the last call of the day, and displays the area as waiting', async () => {
    const schedule = { schedule: '* * * * * *', timezone: 'UTC', jitterMs: 0 }
    const served = await serving({ count: 1, drift: schedule, ...counted(1, 1) }, wholeDays())
    const area = async () => (await fleetStatus(served.fleet, served.worker.store, Date.now())).areas[0]
    await expect.poll(async () => (await area())?.waits).toContain('used up')
    expect(await area()).toMatchObject({ state: 'not-started', report: null })
    expect(callsSoFar(served)).toBe(1)
  })

  it('uses a changed fleet file, and keeps the earlier one while the new one has errors', async () => {
    const drift = { schedule: '* * * * * *', timezone: 'UTC', jitterMs: 0 }
    const served = await serving({ count: 3 })
    const { store, inForce } = served.worker
    const seen = async () =>
      new Set((await fleetHistory(served.fleet, store, { limit: 500 })).jobs.map(({ area }) => area))
    const [first, second, third] = served.fleet.areas
    if (!first || !second || !third) throw new Error('three areas')
    reading.now = (fleet) => ({ fleet: { ...fleet, drift, areas: [first, second] }, problems: [] })
    await expect.poll(async () => [...(await seen())].sort()).toEqual([first.name, second.name])
    reading.now = () => ({ fleet: undefined, problems: [fleetRenamed('brands', 'other')] })
    await expect.poll(() => inForce.fault()).toContain('its previous version stays in use')
    expect(inForce.fleet().areas).toHaveLength(2)
    // The key of the new area lets more than one run at a time: there is no such queue yet.
    const keys = { wide: { requestsPerSecond: undefined, requestsPerDay: undefined, concurrency: 2, credentials: {} } }
    const added = { ...third, key: 'wide' }
    reading.now = (fleet) => ({ fleet: { ...fleet, keys, drift, areas: [first, added] }, problems: [] })
    await expect.poll(async () => (await seen()).has(third.name)).toBe(true)
    expect(inForce.fault()).toBeNull()
    expect(inForce.fleet().areas.map(({ name }) => name)).toEqual([first.name, third.name])
  })
})
