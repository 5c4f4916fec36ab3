import { createRequire } from 'node:module'

/** The functions of SQLite that the platform uses. Both drivers have them under these names. */
export interface Sqlite {
  readonly exec: (sql: string) => unknown
  readonly prepare: (sql: string) => Statement
  readonly close: () => unknown
}

interface Statement {
  readonly run: (...values: readonly (string | number | null)[]) => unknown
  /** All rows, as objects with the names of the columns. */
  readonly all: () => readonly unknown[]
}

/** This Node has no SQLite, and the package libsql is not installed. */
export class NoSqlite extends Error {}

/** Loads a module by its name; undefined if it does not exist. */
type LoadModule = (name: string) => unknown

/** Opens a database file. */
export type OpenSqlite = (file: string) => Sqlite

/** The built-in SQLite of Node (22.13 and later), otherwise that of the package libsql. Throws NoSqlite if there is neither. */
export function sqliteDriver(load: LoadModule = installed): OpenSqlite {
  const builtIn = load('node:sqlite')
  const Driver = hasMembers(builtIn) ? builtIn.DatabaseSync : load('libsql')
  if (!isDriver(Driver))
    throw new NoSqlite('it needs SQLite: this Node has none, and the package libsql is not installed')
  return (file) => new Driver(file)
}

const requireHere = createRequire(import.meta.url)

const installed: LoadModule = (name) => {
  try {
    return requireHere(name)
  } catch (error) {
    if (hasMembers(error) && missing.has(error.code)) return undefined
    throw error
  }
}

const missing = new Set<unknown>(['MODULE_NOT_FOUND', 'ERR_UNKNOWN_BUILTIN_MODULE'])

const hasMembers = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

const isDriver = (value: unknown): value is new (file: string) => Sqlite => typeof value === 'function'
