import type { Query } from '../stores/postgres/database.js'
import { dbosStatuses } from './client.js'
import { hasEngineTable } from './engine-table.js'
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
