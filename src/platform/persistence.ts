import { chmodSync, closeSync, openSync, realpathSync } from 'node:fs'
import type { KindName } from '../catalog/types.js'
import type { JsonObject } from '../json/json.js'
import type { Entity } from './entity.js'
import { type OpenSqlite, type Sqlite, sqliteDriver } from './sqlite.js'
import type { Changes, Store } from './store.js'

/** Stores the store's objects in a file. Written changes survive even if the process is killed. */
interface Persistence {
  readonly write: (changes: Changes) => void
  readonly load: (store: Store) => void
  readonly close: () => void
}

/** Stores nothing. */
export const inMemory: Persistence = { write: () => {}, load: () => {}, close: () => {} }

const table = `CREATE TABLE IF NOT EXISTS objects (
  uid INTEGER PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL, parent INTEGER, slot TEXT NOT NULL, owner TEXT,
  created INTEGER NOT NULL, updated INTEGER NOT NULL, fields TEXT NOT NULL)`

/**
 * Opens the data file, with one row per object and one transaction per request, which is written before the answer is sent (WAL).
 * Throws an error if another platform uses the file, and NoSqlite if there is no SQLite driver.
 */
export function openFile(file: string): Persistence {
  const open = sqliteDriver()
  makePrivate(file)
  const unlock = lock(file, open)
  try {
    return openLocked(open(file), unlock)
  } catch (error) {
    unlock()
    throw error
  }
}

function openLocked(database: Sqlite, unlock: () => void): Persistence {
  database.exec('PRAGMA journal_mode = WAL')
  database.exec('PRAGMA synchronous = NORMAL')
  database.exec(table)
  const put = database.prepare('INSERT OR REPLACE INTO objects VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)')
  const drop = database.prepare('DELETE FROM objects WHERE uid = ?')
  const writeAll = (changes: Changes): void => {
    for (const [uid, entity] of changes) entity ? put.run(...rowOf(entity)) : drop.run(uid)
  }
  return {
    write: (changes) => transaction(database, () => writeAll(changes)),
    load: (store) => {
      for (const row of database.prepare('SELECT * FROM objects ORDER BY uid').all()) restore(store, row as EntityRow)
    },
    close: () => {
      database.close()
      unlock()
    },
  }
}

/** Executes the work completely or not at all. */
function transaction(database: Sqlite, work: () => void): void {
  database.exec('BEGIN')
  try {
    work()
    database.exec('COMMIT')
  } catch (error) {
    try {
      database.exec('ROLLBACK')
    } catch {
      // The transaction may have ended already, for example because of a full disk.
    }
    throw error
  }
}

/** The file contains keys and passwords. SQLite gives its additional files the same mode. */
function makePrivate(file: string): void {
  closeSync(openSync(file, 'a', 0o600))
  chmodSync(file, 0o600)
}

/**
 * Takes SQLite's exclusive lock on a second file, so that it is released when the process ends. A lock on the data file would
 * also work, but libsql releases that one only when its statements are garbage-collected.
 */
function lock(file: string, open: OpenSqlite): () => void {
  const beside = `${realpathSync(file)}-lock`
  makePrivate(beside)
  const database = open(beside)
  try {
    database.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    throw new Error(`${file} is in use by another platform`, { cause: error })
  }
  return () => database.close()
}

interface EntityRow {
  readonly uid: number
  readonly kind: KindName
  readonly id: string
  readonly parent: number | null
  readonly slot: string
  readonly owner: string | null
  readonly created: number
  readonly updated: number
  readonly fields: string
}

function rowOf(entity: Entity): readonly (string | number | null)[] {
  const { uid, kind, id, parent, slot, owner, created, updated, fields } = entity
  return [uid, kind, id, parent?.uid ?? null, slot, owner ?? null, created, updated, JSON.stringify(fields)]
}

function restore(store: Store, row: EntityRow): void {
  store.restore(row.uid, {
    kind: row.kind,
    id: row.id,
    parent: row.parent === null ? undefined : store.entity(row.parent),
    slot: row.slot,
    owner: row.owner ?? undefined,
    created: row.created,
    updated: row.updated,
    fields: JSON.parse(row.fields) as JsonObject,
  })
}
