import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { document } from '../kit/manifests.js'
import { dropDatabase, freshDatabase, onServer, postgresServer } from '../kit/postgres.js'
import { embedded, environment } from '../kit/world.js'

/** A pool that is not closed keeps the process running for ten seconds. */
describe.skipIf(postgresServer === undefined)('a plan that fails before it has begun', () => {
  let url = ''

  beforeEach(async () => {
    url = await freshDatabase()
  })

  afterEach(() => dropDatabase(url))

  it.each([
    ['--base', 'nope', 'unknown-git-reference'],
    ['--accepted', 'nope.json', 'accepted-drift-broken'],
  ])('because of its %s closes its connections to the records', async (option, value, code) => {
    const world = embedded({}, { env: { ...environment, GATEWRIGHT_RECORDS: url } })
    world.declare(document('Role', 'R'))
    const run = await world.run(['plan', option, value])
    expect(run.stderr).toContain(`[${code}]`)
    const left = `select count(*)::integer as count from pg_stat_activity
                   where datname = current_database() and application_name = 'gatewright'`
    await expect.poll(() => onServer(url, left)).toEqual([{ count: 0 }])
  })
})
