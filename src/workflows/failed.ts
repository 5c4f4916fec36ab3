import type { Query } from '../stores/postgres/database.js'
import { dbosStatuses } from './client.js'

/**
 * Those of the workflows that have failed: nobody goes on with them. It asks the database alone, for those who have no engine;
 * `query`: of the database of the workers.
 */
export async function failedAmong(query: Query, ids: readonly string[]): Promise<readonly string[]> {
  if (ids.length === 0) return []
  // Before the first worker there is no such table, and a login that only reads may not be let in.
  const tables = await query(
    `select 1 from pg_class join pg_namespace as schema on schema.oid = relnamespace
      where nspname = 'dbos' and relname = 'workflow_status'
        and has_schema_privilege(schema.oid, 'usage') and has_table_privilege(pg_class.oid, 'select')`,
  )
  if (tables.length === 0) return []
  const found = await query<{ id: string }>(
    'select workflow_uuid as id from dbos.workflow_status where workflow_uuid = any($1) and status = any($2)',
    [ids, dbosStatuses.failed],
  )
  return found.map(({ id }) => id)
}
