import { setTimeout } from 'node:timers/promises'
import { type Connection, type Database, openDatabase, type Query } from '../stores/postgres/database.js'

/**
 * Finds out from the database whether a worker is alive. Each worker holds an advisory lock on a connection of its own, which
 * closes when the process ends for any reason.
 */
export interface Liveness {
  /** Whether this worker holds its own lock now. */
  readonly isHeld: () => boolean
  /** Does the work if that worker's lock is free, and holds the lock during the work. Undefined if the worker is alive. */
  readonly ifGone: <Value>(worker: string, work: () => Promise<Value>) => Promise<Value | undefined>
  /** Does the work while no other worker of the database does such work. It waits for the others for up to a minute. */
  readonly alone: <Value>(work: () => Promise<Value>) => Promise<Value>
  readonly end: () => Promise<void>
}

interface Living {
  readonly url: string
  readonly application: string
  /** The engine's version of its workflows (`versionOf`). */
  readonly version: string
  readonly worker: string
}

/** Takes the lock of this worker, and takes it again after each loss of its connection. */
export async function keepAlive({ url, application, version, worker }: Living): Promise<Liveness> {
  const database = await openDatabase(url, 'fleet')
  const takeOwn = async (): Promise<Connection | undefined> => {
    const connection = await take(database, worker)
    try {
      for (const shared of [application, version]) {
        await connection?.query(`select pg_advisory_lock_shared(${lockOf})`, [oneOf(shared)])
      }
      return connection
    } catch (error) {
      await connection?.end()
      throw error
    }
  }
  let held = await takeOwn().catch(async (error: unknown) => {
    await database.close()
    throw error
  })
  let trying: Promise<void> | undefined
  const look = async (): Promise<void> => {
    if (held && !held.lost.aborted) return
    held = await takeOwn().catch(() => undefined)
  }
  const timer = setInterval(() => {
    trying ??= look().finally(() => {
      trying = undefined
    })
  }, lookMs)
  return {
    isHeld: () => held !== undefined && !held.lost.aborted,
    ifGone: (other, work) =>
      database.transaction(async (query) => {
        const [row] = await query<{ taken: boolean }>(`select pg_try_advisory_xact_lock(${lockOf}) as taken`, [other])
        return row?.taken ? await work() : undefined
      }),
    alone: async (work) => {
      // It does not use a statement that waits for the lock: the engine creates indexes, and these wait for all running
      // statements.
      let lock = await take(database, 'alone')
      for (const until = Date.now() + aloneMs; !lock && Date.now() < until; lock = await take(database, 'alone')) {
        await setTimeout(lookMs)
      }
      try {
        return await work()
      } finally {
        await lock?.end()
      }
    },
    end: async () => {
      clearInterval(timer)
      await trying
      await held?.end()
      await database.close()
    },
  }
}

const lookMs = 500
/** A worker that needs longer hangs. */
const aloneMs = 60_000
/** The lock that all workers of an application, or of one of its versions, share. */
const oneOf = (shared: string): string => `of ${shared}`
const lockOf = "hashtextextended('gatewright worker ' || $1::text, 0)"

/** Whether any worker of an application, or of one of its versions, is alive. `query`: on their database. */
export async function anyAlive(query: Query, shared: string): Promise<boolean> {
  const found = await query(
    `select 1 from pg_locks join pg_database on pg_database.oid = pg_locks.database
      where datname = current_database() and locktype = 'advisory' and granted and objsubid = 1
        and (classid::bigint << 32) | objid::bigint = ${lockOf} limit 1`,
    [oneOf(shared)],
  )
  return found.length > 0
}

/**
 * The connection that holds the lock. Undefined if the lock is not free: another worker may be checking whether this one is
 * alive.
 */
async function take(database: Database, worker: string): Promise<Connection | undefined> {
  const connection = await database.connection()
  try {
    const [row] = await connection.query<{ taken: boolean }>(`select pg_try_advisory_lock(${lockOf}) as taken`, [
      worker,
    ])
    if (row?.taken) return connection
  } catch {
    // The caller tries again.
  }
  await connection.end()
  return undefined
}
