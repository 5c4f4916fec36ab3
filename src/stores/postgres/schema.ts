import { ProblemError } from '../../problems/problem.js'
import { recordsTooNew } from '../../problems/records.js'
import type { Database, Query } from './database.js'

/**
 * The changes of each version, the oldest first. A released version is never edited: a change is a further version. Unlike
 * `jsonb`, `json` keeps the written bytes.
 */
const recordsVersions: readonly string[] = [
  `
  create table gatewright.projects (
    id integer generated always as identity primary key,
    url text not null,
    area text not null,
    project text not null,
    unique (url, area, project)
  );
  create table gatewright.runs (
    id bigint generated always as identity primary key,
    project integer not null references gatewright.projects,
    run text not null,
    head json not null,
    unique (project, run)
  );
  create table gatewright.entries (
    run bigint not null references gatewright.runs,
    number integer not null,
    entry json not null,
    primary key (run, number)
  );
  create table gatewright.receipts (
    project integer not null references gatewright.projects,
    -- SHA-256 of the address: addresses can be longer than an index takes.
    digest text not null,
    receipt json not null,
    primary key (project, digest)
  );
  create table gatewright.locks (
    url text not null,
    area text not null,
    connection integer not null,
    worker json not null,
    since bigint not null,
    run text not null,
    primary key (url, area)
  );
  `,
  // A value that is queried has a column of its own: no JSON operator can read every text that a JSON value may contain.
  String.raw`
  alter table gatewright.entries add column ended text;
  update gatewright.entries
     set ended = substring(entry::text from '^\{"is":"ended","outcome":"([a-z]+)"')
   where entry::text like '{"is":"ended",%';
  create index on gatewright.entries (run) where ended is not null;
  `,
  `
  create table gatewright.notified (
    project integer primary key references gatewright.projects,
    notified json not null
  );
  `,
]

/** A number that nobody else uses for advisory locks with two keys: here it means "migrating". */
const migrating = [0x67617465, 1]

/** Tables of the schema `gatewright` that have a version of their own. A table with this name contains the version. */
interface VersionedTables {
  readonly name: string
  /** The changes of each version, the oldest first. */
  readonly versions: readonly string[]
}

const recordsTables: VersionedTables = { name: 'version', versions: recordsVersions }

/**
 * Updates the tables, by default those of the records, to the version that this program knows. Any number of programs may do so
 * at once.
 */
export async function migrate(database: Database, { name, versions } = recordsTables): Promise<void> {
  const found = await versionOf(database.query, database.where, { name, versions })
  if (found === versions.length) return
  await database.transaction(async (query) => {
    await query('select pg_advisory_xact_lock($1, $2)', migrating)
    const now = await versionOf(query, database.where, { name, versions })
    if (now === 0) {
      // If the schema exists, the login may lack the right to create one.
      const [schema] = await query("select 1 from pg_namespace where nspname = 'gatewright'")
      if (!schema) await query('create schema gatewright')
      await query(`create table gatewright.${name} (version integer not null)`)
      await query(`insert into gatewright.${name} values (0)`)
    }
    for (const statements of versions.slice(now)) await query(statements)
    await query(`update gatewright.${name} set version = $1`, [versions.length])
  })
}

async function versionOf(query: Query, where: string, { name, versions }: VersionedTables): Promise<number> {
  // to_regclass is not used: it may still return the state before a migration that this transaction has waited for.
  const [table] = await query(
    `select 1 from pg_class join pg_namespace on pg_namespace.oid = relnamespace
      where nspname = 'gatewright' and relname = $1`,
    [name],
  )
  if (!table) return 0
  const [row] = await query<{ version: number }>(`select version from gatewright.${name}`)
  const version = row?.version ?? 0
  if (version > versions.length) throw new ProblemError([recordsTooNew(where, version, versions.length)])
  return version
}
