import { chmodSync, closeSync, openSync, realpathSync } from 'node:fs'
import type { KindName } from '../catalog/types.js'
import type { JsonObject } from '../json/json.js'
import type { Entity } from './entity.js'
import { type OpenSqlite, type Sqlite, sqliteDriver } from './sqlite.js'
import type { Changes, Store } from './store.js'

/** Keeps the store's objects in a file: what `write` was given is there after the process was killed. */
export interface Persistence {
  readonly write: (changes: Changes) => void
  readonly load: (store: Store) => void
  readonly close: () => void
}

/** Keeps nothing. */
export const inMemory: Persistence = { write: () => {}, load: () => {}, close: () => {} }

const table = `CREATE TABLE IF NOT EXISTS objects (
  uid INTEGER PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL, parent INTEGER, slot TEXT NOT NULL, owner TEXT,
  created INTEGER NOT NULL, updated INTEGER NOT NULL, fields TEXT NOT NULL)`

/**
 * One row an object, one transaction a request, written ahead of the answer (WAL). Throws if another platform has the file,
 * and NoSqlite if there is nothing to write it with.
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
      for (const row of database.prepare('SELECT * FROM objects ORDER BY uid').all()) restore(store, row as Row)
    },
    close: () => {
      database.close()
      unlock()
    },
  }
}

/** All of the work, or nothing of it. */
function transaction(database: Sqlite, work: () => void): void {
  database.exec('BEGIN')
  try {
    work()
    database.exec('COMMIT')
  } catch (error) {
    try {
      database.exec('ROLLBACK')
    } catch {
      // A full disk, for one, has ended it already.
    }
    throw error
  }
}

/** Keys and passwords are in the file. SQLite gives the files beside it the same mode. */
function makePrivate(file: string): void {
  closeSync(openSync(file, 'a', 0o600))
  chmodSync(file, 0o600)
}

/**
 * Holds SQLite's exclusive lock on a file beside the data, so that it ends with the process. The data's own lock would do,
 * but libsql gives that back only when its statements are collected.
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

interface Row {
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

function restore(store: Store, row: Row): void {
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
