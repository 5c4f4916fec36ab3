import { setTimeout } from 'node:timers/promises'
import { type Connection, type Database, openDatabase } from '../stores/postgres/database.js'

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

/** Takes the lock of this worker, and takes it again whenever its connection was lost. */
export async function keepAlive({ url, worker }: { readonly url: string; readonly worker: string }): Promise<Liveness> {
  const database = await openDatabase(url, 'fleet')
  let held = await take(database, worker).catch(async (error: unknown) => {
    await database.close()
    throw error
  })
  let trying: Promise<void> | undefined
  const look = async (): Promise<void> => {
    if (held && !held.lost.aborted) return
    held = await take(database, worker).catch(() => undefined)
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
const lockOf = "hashtextextended('gatewright worker ' || $1::text, 0)"

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
