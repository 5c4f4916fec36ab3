import Database from 'libsql'
import type { JsonObject, KindName } from '../catalog/types.js'
import type { Entity } from './entity.js'
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

/** One row an object, one transaction a request, written ahead of the answer (WAL). */
export function openFile(file: string): Persistence {
  const database = new Database(file)
  database.exec('PRAGMA journal_mode = WAL')
  database.exec('PRAGMA synchronous = NORMAL')
  database.exec(table)
  const put = database.prepare('INSERT OR REPLACE INTO objects VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)')
  const drop = database.prepare('DELETE FROM objects WHERE uid = ?')
  const writeAll = database.transaction((changes: Changes) => {
    for (const [uid, entity] of changes) entity ? put.run(...rowOf(entity)) : drop.run(uid)
  })
  return {
    write: (changes) => void writeAll(changes),
    load: (store) => {
      for (const row of database.prepare('SELECT * FROM objects ORDER BY uid').all()) restore(store, row as Row)
    },
    close: () => void database.close(),
  }
}

interface Row {
  readonly uid: number
  readonly kind: string
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
    kind: row.kind as KindName,
    id: row.id,
    parent: row.parent === null ? undefined : store.entity(row.parent),
    slot: row.slot,
    owner: row.owner ?? undefined,
    created: row.created,
    updated: row.updated,
    fields: JSON.parse(row.fields) as JsonObject,
  })
}
