import { createRequire } from 'node:module'

/** What the platform needs of SQLite; the drivers share these names. */
export interface Sqlite {
  readonly exec: (sql: string) => unknown
  readonly prepare: (sql: string) => Statement
  readonly close: () => unknown
}

interface Statement {
  readonly run: (...values: readonly (string | number | null)[]) => unknown
  /** The rows, each by the names of its columns. */
  readonly all: () => readonly unknown[]
}

/** This Node has no SQLite, and no package brings it. */
export class NoSqlite extends Error {}

/** The module of a name, or undefined if there is none. */
type LoadModule = (name: string) => unknown

/** Opens a database file. */
export type OpenSqlite = (file: string) => Sqlite

/** The SQLite that Node has built in (22.13 and later), else that of the package libsql. Throws NoSqlite. */
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
