import { setTimeout } from 'node:timers/promises'
import { type Connection, type Database, openDatabase, type Query } from '../stores/postgres/database.js'

/**
 * Whether a worker lives is what the database knows: each holds an advisory lock on a connection of its own, which goes
 * with the process however that ends.
 */
export interface Liveness {
  /** Whether this worker holds its own lock now. */
  readonly isHeld: () => boolean
  /** Does the work if that worker's lock is free, and keeps it taken meanwhile; undefined if the worker lives. */
  readonly ifGone: <Value>(worker: string, work: () => Promise<Value>) => Promise<Value | undefined>
  /** Does the work while no other worker of the database does any such, which it waits for up to a minute. */
  readonly alone: <Value>(work: () => Promise<Value>) => Promise<Value>
  readonly end: () => Promise<void>
}

interface Living {
  readonly url: string
  readonly application: string
  /** What the engine knows its workflows by (`versionOf`). */
  readonly version: string
  readonly worker: string
}

/** Takes the lock of this worker, and takes it again whenever its connection was lost. */
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
      // Not a statement that waits: the engine makes indexes that wait for all statements under way.
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
/** Whoever has been at it for longer stands still. */
const aloneMs = 60_000
/** What all workers of an application, or of a version of it, hold together. */
const oneOf = (shared: string): string => `of ${shared}`
const lockOf = "hashtextextended('gatewright worker ' || $1::text, 0)"

/** Whether any worker of an application, or of a version of it, lives; `query`: of their database. */
export async function anyAlive(query: Query, shared: string): Promise<boolean> {
  const found = await query(
    `select 1 from pg_locks join pg_database on pg_database.oid = pg_locks.database
      where datname = current_database() and locktype = 'advisory' and granted and objsubid = 1
        and (classid::bigint << 32) | objid::bigint = ${lockOf} limit 1`,
    [oneOf(shared)],
  )
  return found.length > 0
}

/** The connection that holds the lock; undefined while somebody else has it, who asks whether this worker lives. */
async function take(database: Database, worker: string): Promise<Connection | undefined> {
  const connection = await database.connection()
  try {
    const [row] = await connection.query<{ taken: boolean }>(`select pg_try_advisory_lock(${lockOf}) as taken`, [
      worker,
    ])
    if (row?.taken) return connection
  } catch {
    // It is tried again.
  }
  await connection.end()
  return undefined
}
