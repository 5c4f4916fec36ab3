import type { Query } from '../stores/postgres/database.js'
import { dbosStatuses } from './client.js'
import { anyAlive } from './liveness.js'

/** `all`: the application has no worker. `version`: workflows wait for a worker of their version, and there is none. */
export type MissingWorkers = 'all' | 'version' | 'none'

/** Which workers of an application are missing. `query`: on their database. */
export async function missingWorkers(query: Query, application: string): Promise<MissingWorkers> {
  if (!(await anyAlive(query, application))) return 'all'
  for (const version of await unfinishedVersions(query, application)) {
    if (!(await anyAlive(query, version))) return 'version'
  }
  return 'none'
}

async function unfinishedVersions(query: Query, application: string): Promise<readonly string[]> {
  if (!(await hasEngineTable(query))) return []
  const found = await query<{ version: string }>(
    `select distinct application_version as version from dbos.workflow_status
      where status = any($1) and application_name = $2`,
    [[...dbosStatuses.queued, ...dbosStatuses.running], application],
  )
  return found.map(({ version }) => version)
}

/**
 * The workflows that have failed, so that no worker continues them. It uses only the database, for processes without the engine.
 * `query`: on the database of the workers.
 */
export async function failedAmong(query: Query, ids: readonly string[]): Promise<readonly string[]> {
  if (ids.length === 0 || !(await hasEngineTable(query))) return []
  const found = await query<{ id: string }>(
    'select workflow_uuid as id from dbos.workflow_status where workflow_uuid = any($1) and status = any($2)',
    [ids, dbosStatuses.failed],
  )
  return found.map(({ id }) => id)
}

/**
 * Whether the engine's table of workflows can be read. Before the first worker it does not exist, and a read-only login may have
 * no access.
 */
async function hasEngineTable(query: Query): Promise<boolean> {
  const tables = await query(
    `select 1 from pg_class join pg_namespace as schema on schema.oid = relnamespace
      where nspname = 'dbos' and relname = 'workflow_status'
        and has_schema_privilege(schema.oid, 'usage') and has_table_privilege(pg_class.oid, 'select')`,
  )
  return tables.length > 0
}
