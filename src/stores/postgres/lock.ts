import { setTimeout } from 'node:timers/promises'
import { once } from '../../json/once.js'
import { ProblemError } from '../../problems/problem.js'
import { lockDamaged } from '../../problems/records.js'
import { isMark, lifeHere, ownMark, type ProcessMark } from '../liveness.js'
import { digestOf } from '../names.js'
import { pulse, type Timing } from '../pulse.js'
import {
  type AreaKey,
  type HeldLock,
  type Lock,
  type LockRequest,
  type Taking,
  unknownWorker,
  type Worker,
} from '../record.js'
import { isMap, isWorker } from '../shape.js'
import type { Connection, Database, Query } from './database.js'
import { storable, storableJson } from './storable.js'

/**
 * The lock of an area is an advisory lock on a connection of its own: the server frees it when that connection ends, whatever the
 * reason. A row in a table names the holder, and counts only while the holder's connection has the lock.
 */
export async function takeAdvisoryLock(
  database: Database,
  area: AreaKey,
  { worker, run, since }: LockRequest,
): Promise<Taking> {
  const connection = await database.connection()
  try {
    const process = await ownMark()
    for (let attempt = 1; ; attempt += 1) {
      const requested = Date.now()
      if (await isTaken(connection.query, area)) {
        await sayWho(connection.query, area, { worker, process, run, since })
        return { is: 'taken', lock: lockOn(connection, area, { ...patience, since: requested }) }
      }
      const holder = await holderOf(database, area)
      if (attempt >= attemptsFor(holder)) {
        await connection.end()
        return { is: 'held', by: holder?.by ?? { heldBy: unknownWorker, since, run: undefined } }
      }
      await setTimeout(pauseMs)
    }
  } catch (error) {
    await connection.end()
    throw error
  }
}

/** The server ends the connection of a silent machine after 20 + 3 * 10 seconds. */
const patience = { heartbeatMs: 10_000, staleMs: 50_000 }
const pauseMs = 100
/**
 * The holder may not have written its row yet, or may be releasing the lock. The server may still be working for a killed
 * process, and notices its end only afterwards.
 */
function attemptsFor(holder: LockHolder | undefined): number {
  if (holder === undefined) return 20
  return holder.isDead ? 100 : 1
}

interface LockHolder {
  readonly by: HeldLock
  /** Its process is known to have ended: the lock will soon be free. */
  readonly isDead: boolean
}

/** The holder of an area's lock, if it lives and has written its row. */
export async function advisoryHolder(database: Database, area: AreaKey): Promise<HeldLock | undefined> {
  const holder = await holderOf(database, area)
  return holder?.isDead ? undefined : holder?.by
}

async function holderOf({ query, where }: Database, area: AreaKey): Promise<LockHolder | undefined> {
  const [row] = await query<{ worker: unknown; since: string; run: string }>(
    `select locks.worker, locks.since, locks.run
       from gatewright.locks as locks
       join pg_locks as held on held.pid = locks.connection
      where locks.url = $1 and locks.area = $2
        and held.locktype = 'advisory' and held.granted and held.objsubid = 1
        and held.database = (select oid from pg_database where datname = current_database())
        and (held.classid::bigint << 32 | held.objid::bigint) = $3::bigint`,
    [storable(area.url), storable(area.area), lockNumber(area)],
  )
  if (!row) return undefined
  if (!isWorker(row.worker)) {
    const row = `gatewright.locks, url ${area.url}, area ${area.area}`
    throw new ProblemError([lockDamaged(`${where}, ${row}`, 'delete the row')])
  }
  const { who, host, pid } = row.worker
  const process = isMap(row.worker) ? row.worker.process : undefined
  return {
    by: { heldBy: { who, host, pid }, since: Number(row.since), run: row.run },
    isDead: isMark(process) && (await lifeHere(process, host)) === 'dead',
  }
}

/** 64 bits that identify the area. */
const lockNumber = ({ url, area }: AreaKey): string =>
  digestOf(['gatewright lock', url, area]).readBigInt64BE().toString()

async function isTaken(query: Query, area: AreaKey): Promise<boolean> {
  const [row] = await query<{ taken: boolean }>('select pg_try_advisory_lock($1::bigint) as taken', [lockNumber(area)])
  return row?.taken === true
}

interface DatabaseClaim {
  readonly worker: Worker
  readonly process: ProcessMark
  readonly run: string
  readonly since: number
}

async function sayWho(query: Query, area: AreaKey, { worker, process, run, since }: DatabaseClaim): Promise<void> {
  await query(
    `insert into gatewright.locks (url, area, connection, worker, since, run)
     values ($1, $2, pg_backend_pid(), $3, $4, $5)
     on conflict (url, area) do update
       set connection = excluded.connection, worker = excluded.worker, since = excluded.since, run = excluded.run`,
    [storable(area.url), storable(area.area), storableJson({ ...worker, process }), since, run],
  )
}

function lockOn(connection: Connection, area: AreaKey, timing: Timing): Lock {
  const lost = new AbortController()
  connection.lost.addEventListener('abort', () => lost.abort(), { once: true })
  // While its connection answers, nobody else has the lock.
  const beat = async (): Promise<boolean> => (await connection.query('select 1')).length === 1
  const { isHeld, stop } = pulse(beat, timing, lost)
  const release = once(async (): Promise<void> => {
    try {
      await stop()
      if (lost.signal.aborted) return
      const own = 'url = $1 and area = $2 and connection = pg_backend_pid()'
      await connection.query(`delete from gatewright.locks where ${own}`, [storable(area.url), storable(area.area)])
    } catch {
      // The lock ends with its connection anyway.
    } finally {
      await connection.end()
    }
  })
  return { lost: lost.signal, isHeld, release }
}
