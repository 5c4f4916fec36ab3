import { setTimeout } from 'node:timers/promises'
import type { Client, ClientBase, Pool } from 'pg'
import { unescapedUrl, urlIn } from '../../catalog/base-url.js'
import { codeOf } from '../../files/system-error.js'
import { ProblemError } from '../../problems/problem.js'
import { badRecordsPlace, type DatabaseUse, databaseFailed, databasePackageMissing } from '../../problems/records.js'

/** A PostgreSQL database. Every error is a ProblemError, and none shows the login. */
export interface Database {
  /** The host, and the name of the database. */
  readonly where: string
  readonly query: <Row extends object>(sql: string, values?: readonly unknown[]) => Promise<readonly Row[]>
  /** Does all of the work, or nothing. */
  readonly transaction: <Value>(work: (query: Query) => Promise<Value>) => Promise<Value>
  /** A connection of its own, which the caller ends. If the machine disappears, the server ends it within a minute. */
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
  const pool = await failing(() => Promise.resolve(new pg.Pool({ ...options, max: 4, onConnect: configure })))
  // The pool replaces an idle connection that breaks; if that fails, the next query reports it.
  pool.on('error', () => undefined)
  return {
    where,
    query: (sql, values) => failing(() => queryOn(pool)(sql, values)),
    transaction: (work) => failing(() => transactionOn(pool, work)),
    connection: () => failing(() => connectionOf(new pg.Client({ ...options, query_timeout: 15_000 }), failing)),
    close: () => failing(() => pool.end()),
  }
}

/** The error of the driver, without the login. It has no cause: errors of the driver contain the settings of the connection. */
export function databaseError(url: string, use: DatabaseUse, error: unknown): ProblemError {
  const { where, password } = describe(url)
  const words = password === '' ? errorWords(error) : errorWords(error).replaceAll(password, '***')
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
  const displayedHost = host || searchParams.get('host') || 'localhost'
  return {
    where: `postgres://${displayedHost}${pathname}`,
    password: unescapedUrl(password) || searchParams.get('password') || '',
  }
}

/** If every address of a host refuses the connection, the error has no message of its own. */
function errorWords(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(errorWords).join('; ')
  if (error instanceof Error && error.message !== '') return error.message
  return codeOf(error) || String(error)
}

/**
 * Settings that apply whatever the server or the role has set: an acknowledged write must be on the server's disk, and a
 * transaction that waits for others must then see what they have written.
 */
async function configure(client: ClientBase): Promise<void> {
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
  // If a connection breaks between two statements, only this listener keeps the program from ending; the next statement fails.
  const broken = () => undefined
  client.on('error', broken)
  try {
    await client.query('begin')
    const value = await work(queryOn(client))
    await client.query('commit')
    client.release()
    return value
  } catch (error) {
    // The connection is closed, and its transaction is undone.
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
    // A broken connection needs no end, and a server that has disappeared does not answer.
    await Promise.race([client.end().catch(() => undefined), setTimeout(5_000, undefined, { ref: false })])
    // `unref` is not in the types: from now on the connection does not keep the program from ending.
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
 * The server must notice within a minute that a machine has disappeared, and must not end a connection that waits. Some servers
 * lack some of these settings.
 */
const ownSettings = `
  select set_config(desired.name, desired.value, false)
    from (values ('tcp_keepalives_idle', '20'), ('tcp_keepalives_interval', '10'), ('tcp_keepalives_count', '3'),
                 ('tcp_user_timeout', '50000'), ('idle_session_timeout', '0'),
                 ('default_transaction_isolation', 'read committed')) as desired (name, value)
    join pg_settings on pg_settings.name = desired.name`
