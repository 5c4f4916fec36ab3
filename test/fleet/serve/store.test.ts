import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { AreaResult, AreaState } from '../../../src/documents/fleet.js'
import type { PlanDocument } from '../../../src/documents/plan.js'
import { fleetStatus } from '../../../src/fleet/serve/status.js'
import { type FleetStore, openFleetStore } from '../../../src/fleet/serve/store.js'
import { dropDatabase, freshDatabase, postgresServer } from '../../kit/postgres.js'
import { serveSettings } from '../areas.js'

describe.skipIf(postgresServer === undefined)('the states of areas on a server', () => {
  let url = ''
  let name = 'brands'
  let store: FleetStore

  beforeAll(async () => {
    url = await freshDatabase()
  })

  // Fleets in one database are independent: each test has its own.
  beforeEach(async () => {
    name += "'s"
    store = await openFleetStore(url, name)
  })

  afterEach(() => store.close())
  afterAll(() => dropDatabase(url))

  const change = (name: string, more: Partial<PlanDocument['changes'][number]>): PlanDocument['changes'][number] => ({
    ...{ address: `Role/${name}`, kind: 'Role', action: 'update', fields: [], dependsOn: [], precondition: '' },
    ...{ hazards: [], ...more },
  })

  const drift = (changes: PlanDocument['changes']): PlanDocument => ({
    ...{ format: 'gatewright.drift/1', manifests: 'sha256:1', base: null, refused: [], unmanaged: [], accepted: [] },
    ...{ diagnostics: [], estimate: { requests: 0, seconds: 0 }, changes },
    target: { url: 'https://a.example', area: 'a', project: 'p' },
    summary: { create: 0, update: 1, replace: 0, delete: 0, blocked: 0, unchanged: 0, unmanaged: 0, accepted: 0 },
  })

  const result = (area: string, document: PlanDocument): AreaResult => ({
    ...{ area, command: 'drift', exit: 2, state: 'drift', requests: 7, seconds: 1.5, changes: 'sha256:1' },
    ...{ startedAt: '2027-01-01T00:00:00.000Z', document, summary: {}, diagnostics: [], files: {} },
  })

  it('name the last editor, and nobody for changes that are only not applied yet', async () => {
    const pending = change('A', { side: 'manifest', editor: 'ci', updated: '2027-01-02T00:00:00.000+0000' })
    const drifted = change('B', { side: 'live', editor: 'jdoe', updated: '2027-01-01T00:00:00.000+0000' })
    const about = { occasion: 'drift 1', worker: 'w', html: undefined }
    await store.record(result('acme', drift([pending, drifted])), about)
    await store.record(result('globex', drift([pending])), about)
    const editors = (await store.areas()).map(({ area, editor }) => [area, editor]).sort()
    expect(editors).toEqual([
      ['acme', 'jdoe'],
      ['globex', null],
    ])
  })

  it('are the results of their last job, whatever the clocks of the workers say', async () => {
    const at = (startedAt: string, state: AreaResult['state']) => ({
      ...result('initech', drift([])),
      startedAt,
      state,
    })
    const about = { worker: 'w', html: undefined }
    await store.record(at('2027-01-01T00:05:00.000Z', 'error'), { ...about, occasion: 'drift 1' })
    await store.record(at('2027-01-01T00:04:00.000Z', 'in-sync'), { ...about, occasion: 'drift 2' })
    // Only the first result of a job is kept, even if another worker has done it as well.
    await store.record(at('2027-01-01T00:06:00.000Z', 'drift'), { ...about, occasion: 'drift 1' })
    const row = (await store.areas()).find(({ area }) => area === 'initech')
    expect(row).toMatchObject({ occasion: 'drift 2', state: 'in-sync' })
  })

  it('come with the messages of the last job', async () => {
    const diagnostics = [{ code: 'webhook-not-told', severity: 'warning', message: 'not told' }] as const
    await store.record({ ...result('acme', drift([])), diagnostics }, { occasion: 'o', worker: 'w', html: undefined })
    await store.areaWaits('globex', { occasion: 'o', why: 'used up', at: 0 })
    const messages = (await store.areas()).map((row) => [row.area, row.messages]).sort()
    expect(messages).toEqual([
      ['acme', ['not told']],
      ['globex', null],
    ])
  })

  it('are the result of a plan, which does not know what has drifted', async () => {
    const job = async (command: AreaResult['command'], state: AreaState, hour: number) => {
      const about = { occasion: `${command} ${hour}`, worker: 'w', html: undefined }
      const startedAt = `2027-01-01T0${hour}:00:00.000Z`
      await store.record({ ...result('acme', drift([])), command, state, startedAt }, about)
      const [row] = await store.areas()
      return [row?.state, row?.occasion, row?.since.getUTCHours(), row?.checked.getUTCHours()]
    }
    expect(await job('plan', 'pending', 1)).toEqual(['pending', 'plan 1', 1, 1])
    expect(await job('plan', 'error', 2)).toEqual(['error', 'plan 2', 2, 2])
    expect(await job('drift', 'drift', 3)).toEqual(['drift', 'drift 3', 3, 3])
    expect(await job('plan', 'pending', 4)).toEqual(['drift', 'drift 3', 3, 4])
    expect(await job('plan', 'in-sync', 5)).toEqual(['in-sync', 'plan 5', 5, 5])
    expect(await job('drift', 'conflict', 6)).toEqual(['conflict', 'drift 6', 6, 6])
    expect(await job('plan', 'not-started', 7)).toEqual(['conflict', 'drift 6', 6, 6])
    expect(await job('plan', 'pending', 8)).toEqual(['conflict', 'drift 6', 6, 8])
    expect(await job('apply', 'applied', 9)).toEqual(['applied', 'apply 9', 9, 9])
  })

  it('include the rollouts that have not ended, however many were started since', async () => {
    const stop = { failures: undefined, failedPercent: undefined }
    const names = Array.from({ length: 60 }, (_, index) => `r${index + 10}`)
    for (const rollout of names) {
      await store.addRollout({ rollout, who: 'ci', waves: [{ areas: ['acme'], bakeMs: 0, approve: true }], stop })
      await store.setStatus(rollout, { status: rollout === 'r10' ? 'waiting' : 'done', wave: 0 })
    }
    const fleet = {
      ...{ name, file: 'f', dir: '.', keys: {}, drift: undefined, rollout: undefined, areas: [] },
      ...{ records: '.', timeoutMs: 1_000, serve: serveSettings },
    }
    const { rollouts } = await fleetStatus(fleet, store, Date.now())
    expect(rollouts.map(({ rollout }) => rollout)).toEqual([...names.slice(-10).reverse(), 'r10'])
  })
})
