import { join } from 'node:path'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { startRollout } from '../../../src/fleet/serve/controls.js'
import { rolloutsQueue } from '../../../src/fleet/serve/names.js'
import { withControls } from '../../../src/fleet/serve/open-controls.js'
import { rolloutStatus } from '../../../src/fleet/serve/status.js'
import { openFleetStore } from '../../../src/fleet/serve/store.js'
import { brandName, brands } from '../../kit/brands.js'
import { controlPorts, fleetWorkers } from '../../kit/fleet-workers.js'
import { mostInASecond } from '../../kit/most-in-a-second.js'
import { dropDatabase, freshDatabase, onServer, postgresServer } from '../../kit/postgres.js'
import { program } from '../../kit/program.js'
import { tunnelTo } from '../../kit/tunnel.js'

describe.skipIf(postgresServer === undefined)('a database that is away for a while', () => {
  it('loses no result: results of that time are recorded later, once', async () => {
    const direct = await freshDatabase()
    const there = new URL(direct)
    const tunnel = await tunnelTo({ host: there.hostname, port: Number(there.port) })
    const through = new URL(direct)
    through.hostname = '127.0.0.1'
    through.port = String(tunnel.port)
    const count = 3
    const ground = await brands({ count, platform: { latencyMs: 100 } })
    const built = join(inject('built'), 'fleet-worker.js')
    const workers = fleetWorkers({ brands: ground, database: through.href, start: [built], program })
    onTestFinished(async () => {
      await workers.close()
      await tunnel.cut()
      await ground.close()
      await dropDatabase(direct)
    })
    await workers.open()
    await workers.open()
    const ports = controlPorts(ground, direct)
    await withControls(ground.fleet, ports, ({ fleet, workflows }) =>
      workflows.enqueue({
        ...{ workflow: 'drift', id: 'round', input: { at: 'now' } },
        ...{ queue: rolloutsQueue(fleet), partition: fleet.name },
      }),
    )
    // The requests to the platforms show that jobs run. They end while nothing can be recorded.
    await expect.poll(() => [...ground.calls.values()].filter((calls) => calls.length > 0).length).toBe(count)
    await tunnel.cut()
    const sql = 'select area, state from gatewright.fleet_results order by area'
    await new Promise((done) => setTimeout(done, 3_000))
    await tunnel.mend()
    const all = Array.from({ length: count }, (_, index) => ({ area: brandName(index), state: 'drift' }))
    await expect.poll(() => onServer(direct, sql)).toEqual(all)
  })
})

describe.skipIf(postgresServer === undefined)('workers that are killed', () => {
  it('leave a rollout that others complete: each area changed once, one result for each job, and never more calls than the key allows', async () => {
    const database = await freshDatabase()
    const count = 3
    const shared = { requestsPerSecond: 6, requestsPerDay: undefined, concurrency: 2, credentials: {} }
    const ground = await brands({
      ...{ count, platform: { latencyMs: 30 } },
      ...{ keys: { shared }, area: () => ({ key: 'shared' }) },
    })
    const workers = fleetWorkers({
      brands: ground,
      database,
      start: [join(inject('built'), 'fleet-worker.js')],
      program,
    })
    const store = await openFleetStore(database, ground.fleet.name)
    onTestFinished(async () => {
      await workers.close()
      await store.close()
      await ground.close()
      await dropDatabase(database)
    })
    await workers.open()
    await workers.open()
    const ports = controlPorts(ground, database)
    const rollout = await withControls(ground.fleet, ports, (controls, who) => startRollout(controls, who, () => true))
    const areas = () => store.rolloutAreas(rollout)
    // One during the plans, one during the apply, and the one that is left after that.
    await expect.poll(async () => (await areas()).some(({ state }) => state === 'pending')).toBe(true)
    await workers.replaceOldest()
    await expect
      .poll(async () => (await areas()).some(({ state }) => ['applying', 'applied'].includes(state)))
      .toBe(true)
    await workers.replaceOldest()
    await workers.replaceOldest()
    await expect.poll(async () => (await rolloutStatus(store, rollout))?.status).toBe('done')
    expect((await rolloutStatus(store, rollout))?.dropped).toEqual([])
    for (let index = 0; index < count; index += 1) {
      const creates = ground.platforms[index]?.platform.log.filter(
        ({ method, path }) => method === 'POST' && path.endsWith('/services'),
      )
      expect([brandName(index), creates?.length]).toEqual([brandName(index), 1])
    }
    const results = await onServer(database, 'select count(*)::int as count from gatewright.fleet_results')
    expect(results).toEqual([{ count: 2 * count }])
    // By the clock of the platforms, also while one worker took over from another.
    expect(mostInASecond([...ground.calls.values()].flat())).toBeLessThanOrEqual(shared.requestsPerSecond)
  })
})
