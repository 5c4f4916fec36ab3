import type { Query } from '../stores/postgres/database.js'

/**
 * Whether the engine's table of workflows can be read. Before the first worker it does not exist, and a read-only login may have
 * no access.
 */
export async function hasEngineTable(query: Query): Promise<boolean> {
  const tables = await query(
    `select 1 from pg_class join pg_namespace as schema on schema.oid = relnamespace
      where nspname = 'dbos' and relname = 'workflow_status'
        and has_schema_privilege(schema.oid, 'usage') and has_table_privilege(pg_class.oid, 'select')`,
  )
  return tables.length > 0
}
