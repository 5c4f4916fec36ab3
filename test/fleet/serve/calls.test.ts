import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callsForJob } from '../../../src/fleet/day-calls.js'
import { type FleetStore, openFleetStore } from '../../../src/fleet/serve/store.js'
import { dropDatabase, freshDatabase, onServer, postgresServer } from '../../kit/postgres.js'

/** Workers that share a key: each has its own connection to the same database. */
describe.skipIf(postgresServer === undefined)('the calls of a day on a server', () => {
  let url = ''
  let stores: readonly FleetStore[] = []
  const perDay = 100
  const noon = Date.parse('2027-01-31T12:00:00Z')

  beforeAll(async () => {
    url = await freshDatabase()
    stores = await Promise.all([1, 2, 3].map(() => openFleetStore(url, 'brands')))
  })

  afterAll(async () => {
    await Promise.all(stores.map((store) => store.close()))
    await dropDatabase(url)
  })

  const counted = async (key: string) =>
    await onServer(url, `select calls from gatewright.fleet_calls where key = '${key}'`)

  it('are granted completely or not at all, however many workers ask at once', async () => {
    const day = { key: 'all', perDay, day: '2027-01-31' }
    const taken = await Promise.all(
      Array.from({ length: 60 }, (_, index) => stores[index % 3]?.calls.take(day, { least: 7, most: 7 })),
    )
    expect(taken.filter((calls) => calls === 7)).toHaveLength(14)
    expect(taken.filter((calls) => calls === 0)).toHaveLength(46)
    expect(await stores[0]?.calls.take(day, { least: 1, most: 20 })).toBe(2)
    expect(await counted('all')).toEqual([{ calls: perDay }])
  })

  it('may be more than the database can count', async () => {
    const day = { key: 'endless', perDay: 5_000_000_000, day: '2027-01-31' }
    expect(await stores[0]?.calls.take(day, { least: 1, most: 20 })).toBe(20)
    expect(await stores[0]?.history({ limit: 1e20 })).toEqual([])
  })

  it('never exceed the quota, whatever jobs need, and are returned if they need less', async () => {
    let sent = 0
    const runJob = async (store: FleetStore, needs: number): Promise<string> => {
      const job = await callsForJob({ key: 'shared', perDay, command: 'drift', expected: 10 }, store.calls, () => noon)
      if (job === 'none left') return 'waits'
      let left = 0
      for (let call = 0; call < needs; call += 1) {
        if (left === 0) left = (await job.take({ calls: 4, unused: 0 })).calls
        if (left === 0) return 'cut short'
        left -= 1
        sent += 1
      }
      await job.take({ calls: 0, unused: left })
      await job.giveBack(needs)
      return 'done'
    }
    const jobs = Array.from({ length: 24 }, (_, index) => ({ store: stores[index % 3], needs: 3 + (index % 5) * 4 }))
    const endings = await Promise.all(jobs.flatMap(({ store, needs }) => (store ? [runJob(store, needs)] : [])))
    expect(sent).toBeLessThanOrEqual(perDay)
    expect(await counted('shared')).toEqual([{ calls: sent }])
    expect(endings).toContain('waits')
    expect(endings).toContain('done')
  })
})
