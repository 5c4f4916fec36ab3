import { setTimeout } from 'node:timers/promises'
import type { Client, ClientBase, Pool } from 'pg'
import { urlIn } from '../../catalog/base-url.js'
import { codeOf } from '../../files/system-error.js'
import { ProblemError } from '../../problems/problem.js'
import { badRecordsPlace, type DatabaseUse, databaseFailed, databasePackageMissing } from '../../problems/records.js'

/** A PostgreSQL database; everything that fails in it is a ProblemError, and none shows the login. */
export interface Database {
  /** Host and name of the database. */
  readonly where: string
  readonly query: <Row extends object>(sql: string, values?: readonly unknown[]) => Promise<readonly Row[]>
  /** All of the work, or nothing of it. */
  readonly transaction: <Value>(work: (query: Query) => Promise<Value>) => Promise<Value>
  /** A connection of its own, which the caller ends; the server ends it within a minute of the machine being gone. */
  readonly connection: () => Promise<Connection>
  readonly close: () => Promise<void>
}

export type Query = <Row extends object>(sql: string, values?: readonly unknown[]) => Promise<readonly Row[]>

export interface Connection {
  readonly query: Query
  /** Aborted when the connection ends before `end` is called. */
  readonly lost: AbortSignal
  readonly end: () => Promise<void>
}

/** Opens a database by its URL. The package pg is loaded only here. */
export async function openDatabase(url: string, use: DatabaseUse = 'records'): Promise<Database> {
  const { where } = describe(url)
  const pg = await loadPackage(use)
  const options = {
    connectionString: url,
    application_name: 'gatewright',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  }
  const failing = async <Value>(work: () => Promise<Value>): Promise<Value> => {
    try {
      return await work()
    } catch (error) {
      throw error instanceof ProblemError ? error : databaseError(url, use, error)
    }
  }
  const pool = await failing(() => Promise.resolve(new pg.Pool({ ...options, max: 4, onConnect: settle })))
  // An idle connection that breaks is replaced by the pool; the next query says so if it cannot be.
  pool.on('error', () => undefined)
  return {
    where,
    query: (sql, values) => failing(() => queryOn(pool)(sql, values)),
    transaction: (work) => failing(() => transactionOn(pool, work)),
    connection: () => failing(() => connectionOf(new pg.Client({ ...options, query_timeout: 15_000 }), failing)),
    close: () => failing(() => pool.end()),
  }
}

/** What the driver has thrown, without the login. No cause: its errors carry the settings of the connection. */
export function databaseError(url: string, use: DatabaseUse, error: unknown): ProblemError {
  const { where, password } = describe(url)
  const words = password === '' ? wordsOf(error) : wordsOf(error).replaceAll(password, '***')
  return new ProblemError([databaseFailed(use, where, words)])
}

async function loadPackage(use: DatabaseUse): Promise<{ readonly Pool: typeof Pool; readonly Client: typeof Client }> {
  try {
    return await import('pg')
  } catch (error) {
    if (codeOf(error) !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new ProblemError([databasePackageMissing(use)], { cause: error })
  }
}

function describe(url: string): { readonly where: string; readonly password: string } {
  const read = urlIn(url)
  if (!read) throw new ProblemError([badRecordsPlace(undefined)])
  const { host, pathname, password, searchParams } = read
  const shownHost = host || searchParams.get('host') || 'localhost'
  return {
    where: `postgres://${shownHost}${pathname}`,
    password: decoded(password) || searchParams.get('password') || '',
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A connection that is refused on every address of a host has no words of its own. */
function wordsOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(wordsOf).join('; ')
  if (error instanceof Error && error.message !== '') return error.message
  return codeOf(error) || String(error)
}

/**
 * Whatever the server or the role has set: what is acknowledged must be on the server's disk, and what waits for others must see
 * then what they have written.
 */
async function settle(client: ClientBase): Promise<void> {
  await client.query(
    `select set_config('default_transaction_isolation', 'read committed', false),
            case current_setting('synchronous_commit') when 'off' then set_config('synchronous_commit', 'on', false) end`,
  )
}

const queryOn =
  (client: Pool | ClientBase): Query =>
  async <Row extends object>(sql: string, values: readonly unknown[] = []) =>
    (await client.query<Row>(sql, [...values])).rows

async function transactionOn<Value>(pool: Pool, work: (query: Query) => Promise<Value>): Promise<Value> {
  const client = await pool.connect()
  // A connection that breaks between two statements tells nobody else, and would end the program; the next statement fails.
  const broken = () => undefined
  client.on('error', broken)
  try {
    await client.query('begin')
    const value = await work(queryOn(client))
    await client.query('commit')
    client.release()
    return value
  } catch (error) {
    // The connection goes, and with it whatever the transaction did.
    client.release(true)
    throw error
  } finally {
    client.off('error', broken)
  }
}

async function connectionOf(
  client: Client,
  failing: <Value>(work: () => Promise<Value>) => Promise<Value>,
): Promise<Connection> {
  const lost = new AbortController()
  let ending = false
  const gone = () => ending || lost.abort()
  client.on('error', gone)
  client.on('end', gone)
  const end = async (): Promise<void> => {
    ending = true
    // What is broken already needs no end, and a server that is gone without a word answers none.
    await Promise.race([client.end().catch(() => undefined), setTimeout(5_000, undefined, { ref: false })])
    // Not among its types: from now on it keeps no program from ending.
    if ('unref' in client && typeof client.unref === 'function') client.unref()
  }
  await client.connect()
  try {
    await client.query(ownSettings)
  } catch (error) {
    await end()
    throw error
  }
  return { query: (sql, values) => failing(() => queryOn(client)(sql, values)), lost: lost.signal, end }
}

/**
 * The server must notice within a minute that a machine is gone without a word, and must not end a connection that waits.
 * Not every server has every setting.
 */
const ownSettings = `
  select set_config(desired.name, desired.value, false)
    from (values ('tcp_keepalives_idle', '20'), ('tcp_keepalives_interval', '10'), ('tcp_keepalives_count', '3'),
                 ('tcp_user_timeout', '50000'), ('idle_session_timeout', '0'),
                 ('default_transaction_isolation', 'read committed')) as desired (name, value)
    join pg_settings on pg_settings.name = desired.name`
