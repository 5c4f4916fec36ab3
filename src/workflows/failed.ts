import type { Query } from '../stores/postgres/database.js'
import { dbosStatuses } from './client.js'
import { hasEngineTable } from './engine-table.js'

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
