import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { hostname } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ProblemError } from '../../src/problems/problem.js'
import { openRecords } from '../../src/stores/open.js'
import { openDatabase } from '../../src/stores/postgres/database.js'
import { dropDatabase, freshDatabase, onServer, postgresServer as server } from '../kit/postgres.js'
import { recordsContract, whole } from './contract.js'

if (server === undefined) {
  process.stderr.write(
    '\nPostgreSQL is NOT tested: GATEWRIGHT_TEST_POSTGRES is not set. Run .ci/postgres npx vitest run test/stores,\n' +
      'which starts a server of its own, or set it to the URL of a server whose databases may be dropped.\n\n',
  )
}

describe.skipIf(server === undefined)('PostgreSQL', () => {
  let url = ''

  beforeEach(async () => {
    url = await freshDatabase()
  })

  // The hook that is registered first runs last: the contract has closed its stores then.
  afterEach(async () => {
    await dropDatabase(url)
  })

  recordsContract('PostgreSQL', {
    open: () => openRecords(url, { dir: '/', now: () => 1_000 }),
    address: () => url,
    damage: async (what, json) => {
      await query(
        {
          head: `update gatewright.runs set head = '${json}' where run = 'r1'`,
          entry: `update gatewright.entries set entry = '${json}' where number = 1`,
          receipt: `update gatewright.receipts set receipt = '${json}'`,
          lock: `update gatewright.locks set worker = '${json}'`,
        }[what],
      )
    },
  })

  const open = () => openRecords(url, { dir: '/', now: () => 1_000 })
  const area = { url: 'https://platform.example', area: 'a' }
  const key = { ...area, project: 'p' }
  const worker = { who: 'me', host: 'here', pid: 1 }

  it('many processes that start at once create one schema', async () => {
    const stores = await Promise.all(Array.from({ length: 8 }, open))
    expect(await query('select version from gatewright.version')).toEqual([{ version: 3 }])
    for (const records of stores) await records.close()
  })

  it('a schema of a later version is not changed', async () => {
    await (await open()).close()
    await query('update gatewright.version set version = 99')
    await expect(open()).rejects.toThrow('have version 99, and this program knows versions up to 3')
  })

  it('records of the first version are migrated, whatever their values are', async () => {
    const records = await open()
    const head = { run: 'old', key, worker, started: 0, commit: undefined, plan: 'p', manifests: 'm', changes: [] }
    for (const [run, outcome] of [
      ['a', 'done'],
      ['b', 'interrupted'],
    ] as const) {
      const journal = await records.begin({ ...head, run, purpose: { is: 'apply' } })
      const error = '\0 \ud800 "is":"ended"'
      await journal.append({
        is: 'settled',
        address: 'A',
        outcome: 'failed',
        id: undefined,
        error,
        before: undefined,
        after: undefined,
        at: 0,
      })
      await journal.append({ is: 'ended', outcome, at: 1 })
    }
    await records.close()
    await query(
      'drop table gatewright.notified; alter table gatewright.entries drop column ended; update gatewright.version set version = 1',
    )
    const again = await open()
    expect((await again.recent(key)).map((run) => run.head.run)).toEqual(['b', 'a'])
    expect(await query('select ended from gatewright.entries order by run, number')).toEqual(
      [null, 'done', null, 'interrupted'].map((ended) => ({ ended })),
    )
    await again.close()
  })

  it('a login that may not create schemas can use an existing one', async () => {
    await (await open()).close()
    const name = `limited_${process.pid}`
    await query(`create role ${name} login password 'limited-password'`)
    try {
      await query(`grant usage on schema gatewright to ${name}`)
      await query(`grant select, insert, update, delete on all tables in schema gatewright to ${name}`)
      const limited = new URL(url)
      limited.username = name
      limited.password = 'limited-password'
      const records = await openRecords(limited.href, { dir: '/', now: () => 0 })
      await records.keep(key, [], [])
      expect((await records.lock(area, worker, 'r')).is).toBe('taken')
      await records.close()
    } finally {
      await query(`drop owned by ${name}; drop role ${name}`)
    }
  })

  it('a holder whose connection breaks is informed, and the lock is free', async () => {
    const records = await open()
    const taking = await records.lock(area, worker, 'r1')
    if (taking.is !== 'taken') throw new Error('held')
    await query('select pg_terminate_backend(connection) from gatewright.locks')
    await expect.poll(() => taking.lock.lost.aborted).toBe(true)
    // The server reports it a moment before it releases the lock.
    await expect.poll(async () => (await records.lock(area, worker, 'r2')).is).toBe('taken')
    await records.close()
  })

  it('a lock whose row cannot be removed is free nevertheless, and no error is reported', async () => {
    const records = await open()
    const taking = await records.lock(area, worker, 'r1')
    if (taking.is !== 'taken') throw new Error('held')
    await query('alter table gatewright.locks rename to away')
    await taking.lock.release()
    await query('alter table gatewright.away rename to locks')
    expect((await records.lock(area, worker, 'r2')).is).toBe('taken')
    await records.close()
  })

  it('the lock of a killed holder is awaited, because the server may not have noticed its end yet', async () => {
    const records = await open()
    const other = await open()
    const taking = await records.lock(area, { ...worker, host: hostname() }, 'r1')
    if (taking.is !== 'taken') throw new Error('held')
    expect((await other.lock(area, worker, 'r2')).is).toBe('held')
    const { pid } = spawnSync(process.execPath, ['--eval', ''])
    await query(`update gatewright.locks set worker = jsonb_set(worker::jsonb, '{process,pid}', '${pid}')::json`)
    expect(await other.holder(area)).toBeUndefined()
    const again = other.lock(area, worker, 'r2')
    await setTimeout(300)
    await taking.lock.release()
    expect((await again).is).toBe('taken')
    await other.close()
    await records.close()
  })

  it('records stay usable if a server drops its idle connections', async () => {
    const records = await open()
    await records.keep(key, [], [])
    await query(
      'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
    )
    await expect.poll(() => records.runs(key, whole).catch(() => 'not yet')).toEqual([])
    await records.close()
  })

  it('a journal continues after an entry that was written but not acknowledged', async () => {
    const way = await wayThatLosesAnswerTo('insert into gatewright.entries')
    const records = await openRecords(way.url, { dir: '/', now: () => 1_000 })
    const head = { run: 'r1', key, worker, started: 0, commit: undefined, plan: 'p', manifests: 'm', changes: [] }
    const journal = await records.begin({ ...head, purpose: { is: 'apply' } })
    const settled = { is: 'settled', address: 'Role/A', outcome: 'applied', id: '1', error: undefined, at: 0 } as const
    await expect(journal.append({ ...settled, before: undefined, after: undefined })).rejects.toThrow('cannot be used')
    await journal.append({ is: 'ended', outcome: 'done', at: 0 })
    const [run] = await records.runs(key, whole)
    expect(run?.entries.map((entry) => entry.is)).toEqual(['settled', 'ended'])
    await records.close()
    way.close()
  })

  it('a separate connection ends within a minute after its machine is gone', async () => {
    const database = await openDatabase(url)
    const connection = await database.connection()
    const found = await connection.query(
      "select name, setting from pg_settings where starts_with(name, 'tcp_keepalives_') order by name",
    )
    expect(found).toEqual([
      { name: 'tcp_keepalives_count', setting: '3' },
      { name: 'tcp_keepalives_idle', setting: '20' },
      { name: 'tcp_keepalives_interval', setting: '10' },
    ])
    await connection.end()
    await database.close()
  })

  it('an entry is acknowledged only when it is on disk, whatever the settings of the database are', async () => {
    const { pathname } = new URL(url)
    await query(`alter database ${pathname.slice(1)} set synchronous_commit = off`)
    const database = await openDatabase(url)
    const [row] = await database.query<{ set: string }>("select current_setting('synchronous_commit') as set")
    expect(row?.set).toBe('on')
    await database.close()
  })

  it('every character is accepted, although the encoding of the database lacks it', async () => {
    const name = `${new URL(url).pathname.slice(1)}_latin`
    await query(`create database ${name} encoding 'LATIN1' template template0 lc_collate 'C' lc_ctype 'C'`)
    const other = wrong((each) => (each.pathname = `/${name}`)).href
    try {
      const records = await openRecords(other, { dir: '/', now: () => 1_000 })
      const euro = 'costs 5 \u20ac \ud83d\ude00 \ud800 \u00fc \0'
      const address = `Service/${euro}`
      await records.lock(area, { ...worker, who: euro }, 'r')
      const changes = [{ address, kind: 'Service', action: 'create' }]
      const head = { run: 'r', key, worker, started: 0, commit: undefined, plan: 'p', manifests: 'm', changes }
      const journal = await records.begin({ ...head, purpose: { is: 'apply' } })
      await journal.append({ is: 'announced', step: address, request: 'r', addresses: [address], creates: [], at: 1 })
      const image = { fields: { description: euro }, fingerprints: {} }
      await records.keep(key, [{ address, kind: 'Service', id: '1', image, run: 'r', origin: 'created' }], [])
      expect((await records.run(key, 'r'))?.entries).toMatchObject([{ step: address }])
      expect(await records.receipts(key)).toMatchObject([{ address, image }])
      expect((await records.holder(area))?.heldBy.who).toBe(euro)
      await records.close()
    } finally {
      await query(`drop database ${name} with (force)`)
    }
  })

  it.each(['repeatable read', 'serializable'])(
    'many processes may write at once, although the database has set %s',
    async (level) => {
      const { pathname } = new URL(url)
      await query(`alter database ${pathname.slice(1)} set default_transaction_isolation = '${level}'`)
      const stores = await Promise.all(Array.from({ length: 6 }, open))
      const told = { webhook: 'w', part: '', matter: 'drift', digest: 'd', since: 0, at: 0 } as const
      await Promise.all(
        stores.map(async (records, index) => {
          await records.changeNotified(key, (before) => [...before, { ...told, webhook: `w${index}` }])
          const takings = [
            await records.lock({ ...area, area: `a${index}` }, worker, 'r'),
            await records.lock(area, worker, 'r'),
          ]
          for (const taking of takings) if (taking.is === 'taken') await taking.lock.release()
          await records.keep(key, [], [`Service/${index}`])
        }),
      )
      expect(await stores[0]?.notified(key)).toHaveLength(6)
      for (const records of stores) await records.close()
    },
  )

  it('no error displays the password', async () => {
    const password = 'p%40ss-word-1'
    for (const broken of [
      wrong((each) => (each.password = password)),
      wrong((each) => (each.port = '1')),
      wrong((each) => (each.pathname = '/none')),
    ]) {
      const failure: unknown = await openRecords(broken.href, { dir: '/', now: () => 0 }).catch((error) => error)
      expect(failure).toBeInstanceOf(ProblemError)
      const shown = inspect(failure, { depth: 9, showHidden: true })
      expect(shown).toContain('cannot be used: ')
      expect(shown).not.toContain(broken.password)
      expect(shown).not.toContain(decodeURIComponent(broken.password))
    }
  })

  const wrong = (change: (each: URL) => unknown): URL => {
    const broken = new URL(url)
    change(broken)
    return broken
  }

  const query = (sql: string): Promise<unknown> => onServer(url, sql)

  /** The connection breaks once, after the server has executed a statement and before its answer arrives. */
  async function wayThatLosesAnswerTo(sql: string): Promise<{ readonly url: string; readonly close: () => void }> {
    const { hostname: host, port } = new URL(url)
    let hasBroken = false
    const server = createServer((near) => {
      const far = connect({ host, port: Number(port) })
      let isAsked = false
      near.on('data', (bytes) => {
        isAsked ||= !hasBroken && bytes.includes(sql)
        far.write(bytes)
      })
      far.on('data', (bytes) => {
        if (!isAsked) near.write(bytes)
        else if (bytes.includes('INSERT')) {
          hasBroken = true
          near.destroy()
        }
      })
      for (const [socket, other] of [
        [near, far],
        [far, near],
      ] as const) {
        socket.on('error', () => undefined).on('close', () => other.destroy())
      }
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const way = new URL(url)
    way.port = String((server.address() as AddressInfo).port)
    return { url: way.href, close: () => server.close() }
  }
})
