import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { NoSqlite, sqliteDriver } from '../../src/platform/sqlite.js'

const requireHere = createRequire(import.meta.url)

class Driver {
  readonly exec = () => undefined
  readonly prepare = () => ({ run: () => undefined, all: () => [] })
  readonly close = () => undefined
}

class Other extends Driver {}

it('the SQLite of Node is preferred to that of the package, and without both the message names the package', () => {
  const both = (name: string) => (name === 'libsql' ? Other : { DatabaseSync: Driver })
  expect(sqliteDriver(both)('file')).not.toBeInstanceOf(Other)
  expect(sqliteDriver((name) => (name === 'libsql' ? Other : undefined))('file')).toBeInstanceOf(Other)
  expect(() => sqliteDriver(() => undefined)).toThrow(NoSqlite)
  expect(() => sqliteDriver(() => undefined)).toThrow('libsql')
})

it.skipIf(!isBuiltin('node:sqlite'))('a file of one can be read by the other', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatewright-sqlite-'))
  const ofNode = sqliteDriver()
  const ofPackage = sqliteDriver((name) => (name === 'libsql' ? requireHere(name) : undefined))
  const pairs = [
    { writer: ofNode, reader: ofPackage },
    { writer: ofPackage, reader: ofNode },
  ]
  for (const [index, { writer, reader }] of pairs.entries()) {
    const file = join(folder, `${index}.db`)
    const written = writer(file)
    written.exec('PRAGMA journal_mode = WAL')
    written.exec('CREATE TABLE objects (uid INTEGER PRIMARY KEY, parent INTEGER, fields TEXT)')
    written.prepare('INSERT INTO objects VALUES (?, ?, ?)').run(1, null, '{"name": "ä"}')
    written.close()
    const read = reader(file)
    expect(read.prepare('SELECT * FROM objects').all()).toEqual([{ uid: 1, parent: null, fields: '{"name": "ä"}' }])
    read.close()
  }
  rmSync(folder, { recursive: true })
})
