import type { DBOSClient, WorkflowStatus as DbosStatus } from '@dbos-inc/dbos-sdk'
import { codeOf } from '../files/system-error.js'
import { errorText, ProblemError } from '../problems/problem.js'
import { noWorkerYet, workflowPackageMissing } from '../problems/serve.js'
import { databaseError } from '../stores/postgres/database.js'
import type { NewJob, Queued, WorkflowClient, WorkflowEnding, WorkflowFilter, WorkflowState } from './workflows.js'

type Dbos = typeof import('@dbos-inc/dbos-sdk')

/** Loads the engine's package. Only this function loads it, and only for fleets with a server. */
export async function loadEngine(): Promise<Dbos> {
  try {
    return await import('@dbos-inc/dbos-sdk')
  } catch (error) {
    if (codeOf(error) !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new ProblemError([workflowPackageMissing()], { cause: error })
  }
}

interface ClientSetup {
  readonly url: string
  readonly application: string
  readonly format: string
}

/** Opens a client for processes that are no worker themselves. */
export async function openWorkflowClient(setup: ClientSetup): Promise<WorkflowClient> {
  const engine = await loadEngine()
  const client = await engine.DBOSClient.create({
    systemDatabaseUrl: setup.url,
    systemDatabasePoolSize: 4,
    applicationName: setup.application,
    logger: silent,
  })
  try {
    await client.listWorkflows({ limit: 1 })
  } catch (error) {
    await client.destroy()
    if (isWithoutTables(error)) throw new ProblemError([noWorkerYet()], { cause: error })
    throw databaseError(setup.url, 'fleet', error)
  }
  return clientVerbs(client, setup)
}

/** PostgreSQL's code for a missing table. */
const isWithoutTables = (error: unknown): boolean =>
  codeOf(error) === '42P01' || /"dbos\..* does not exist/.test(errorText(error))

/** The engine's version of workflows with that format. No other application in the same database may have the same version. */
export const versionOf = ({ application, format }: Pick<ClientSetup, 'application' | 'format'>): string =>
  `${application} ${format}`

const silent = { info: ignore, debug: ignore, warn: ignore, error: ignore }

function ignore(): void {
  // If something fails, the call reports it.
}

export function clientVerbs(client: DBOSClient, setup: Pick<ClientSetup, 'application' | 'format'>): WorkflowClient {
  const version = versionOf(setup)
  const find = async (id: string): Promise<DbosStatus | undefined> =>
    (await client.listWorkflows({ workflowIDs: [id] }))[0]
  return {
    enqueue: (job) => enqueue(client, version, job),
    wait: async (id, timeoutMs = Number.POSITIVE_INFINITY) => {
      const until = Date.now() + timeoutMs
      for (;;) {
        const ending = endingOf(await find(id))
        if (ending || Date.now() >= until) return ending
        await new Promise((done) => setTimeout(done, Math.min(waitPollMs, until - Date.now())))
      }
    },
    signal: (id, topic, message) => client.send(id, { message }, topic),
    list: async (filter) => (await client.listWorkflows(listInput(filter))).map(stateOf),
    forget: (endedBefore) => forget(client, endedBefore),
    close: () => client.destroy(),
  }
}

const waitPollMs = 250

/**
 * Queues a job. The engine itself refuses a second job with the same `only`, but not if the first was handed on to another
 * worker: such a job is found among the jobs that have not ended.
 */
async function enqueue(client: DBOSClient, version: string, job: NewJob): Promise<Queued> {
  const { workflow, id, input, queue, partition, only } = job
  if (only !== undefined) {
    const others = await client.listWorkflows({
      attributes: { only: onlyOf(queue, only) },
      status: ['PENDING', 'ENQUEUED', 'DELAYED'],
      loadInput: false,
      loadOutput: false,
    })
    if (others.some(({ workflowID }) => workflowID !== id)) return 'refused'
  }
  try {
    await client.enqueue(
      {
        workflowName: workflow,
        workflowID: id,
        queueName: queue,
        queuePartitionKey: partition,
        appVersion: version,
        ...(only !== undefined && { deduplicationID: only, attributes: { only: onlyOf(queue, only) } }),
      },
      input,
    )
    return 'queued'
  } catch (error) {
    if (error instanceof Error && error.name === 'DBOSQueueDuplicatedError') return 'refused'
    throw error
  }
}

const onlyOf = (queue: string, only: string): string => `${queue} ${only}`

export const dbosStatuses = {
  queued: ['ENQUEUED', 'DELAYED'],
  running: ['PENDING'],
  done: ['SUCCESS'],
  failed: ['ERROR', 'MAX_RECOVERY_ATTEMPTS_EXCEEDED', 'CANCELLED'],
} as const

const statusOf = (status: string): WorkflowState['status'] => {
  if (status === 'PENDING') return 'running'
  if (status === 'SUCCESS') return 'done'
  return status === 'ENQUEUED' || status === 'DELAYED' ? 'queued' : 'failed'
}

const listInput = ({ status, workflow, ids, limit }: WorkflowFilter) => ({
  ...(status && { status: status.flatMap((each) => [...dbosStatuses[each]]) }),
  ...(workflow !== undefined && { workflowName: workflow }),
  ...(ids && { workflowIDs: [...ids] }),
  ...(limit !== undefined && { limit }),
  sortDesc: true,
  loadInput: false,
  loadOutput: false,
})

function stateOf(found: DbosStatus): WorkflowState {
  const { workflowID, workflowName, status, executorId, createdAt, completedAt } = found
  return {
    id: workflowID,
    workflow: workflowName,
    status: statusOf(status),
    worker: executorId === '' ? undefined : executorId,
    created: createdAt,
    ended: completedAt,
  }
}

function endingOf(found: DbosStatus | undefined): WorkflowEnding | undefined {
  if (!found) return undefined
  const status = statusOf(found.status)
  if (status === 'done') return { is: 'done', value: JSON.parse(JSON.stringify(found.output ?? null)) }
  return status === 'failed' ? { is: 'failed', error: errorText(found.error) } : undefined
}

/** Deletes in parts: one statement for everything would lock the tables for the workers. */
async function forget(client: DBOSClient, endedBefore: number): Promise<number> {
  let count = 0
  for (;;) {
    const old = await client.listWorkflows({
      status: [...dbosStatuses.done, ...dbosStatuses.failed],
      completedBefore: new Date(endedBefore).toISOString(),
      limit: 500,
      loadInput: false,
      loadOutput: false,
    })
    if (old.length === 0) return count
    await client.deleteWorkflows(old.map(({ workflowID }) => workflowID))
    count += old.length
  }
}
