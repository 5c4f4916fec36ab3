import type { DBOS as DbosClass } from '@dbos-inc/dbos-sdk'
import type { Json, JsonObject } from '../json/json.js'
import { errorText } from '../problems/problem.js'
import { databaseError } from '../stores/postgres/database.js'
import { clientVerbs, loadEngine, versionOf } from './client.js'
import { keepAlive, type Liveness } from './liveness.js'
import { recovery } from './recovery.js'
import { warnOnce } from './warn-once.js'
import type {
  Queue,
  WorkerSetup,
  WorkflowBody,
  WorkflowClient,
  WorkflowContext,
  WorkflowEnding,
  Workflows,
} from './workflows.js'

type Engine = typeof DbosClass

/** Opens a worker, which takes jobs from the queues until it is closed. A process can have only one worker. */
export async function openWorker(setup: WorkerSetup): Promise<Workflows> {
  const { DBOS, DBOSClient, Error: engineErrors } = await loadEngine()
  const { url, application, format, worker, bodies, queues, pollMs, warn } = setup
  const warnOfEngine = warnOnce(warn, Date.now)
  const logger = { info: ignore, debug: ignore, warn: warnOfEngine, error: warnOfEngine }
  DBOS.setConfig({
    name: application,
    systemDatabaseUrl: url,
    applicationVersion: versionOf({ application, format }),
    executorID: worker,
    schedulerPollingIntervalMs: 5_000,
    logger,
  })
  const client = await DBOSClient.create({
    systemDatabaseUrl: url,
    systemDatabasePoolSize: 4,
    applicationName: application,
    logger,
  })
  const verbs = clientVerbs(client, { application, format })
  const running = new Set<string>()
  const registered = Object.entries(bodies).map(([name, body]) => {
    const run = bodyOf(DBOS, verbs, body, running)
    const scheduled = async (at: Date, input: JsonObject): Promise<void> => {
      await run({ ...input, at: at.toISOString() })
    }
    return {
      name,
      run: DBOS.registerWorkflow(run, { name }),
      scheduled: DBOS.registerWorkflow(scheduled, { name: `${name} by schedule` }),
    }
  })
  const named = (name: string) => {
    const found = registered.find((each) => each.name === name)
    if (!found) throw new Error(`there is no workflow ${name}`)
    return found
  }
  const takeFrom = async (added: readonly Queue[]): Promise<void> => {
    for (const { name, perWorker, partition } of added) {
      await DBOS.registerQueue(name, {
        workerConcurrency: perWorker,
        partitionConcurrency: partition.concurrency,
        ...(partition.rate && {
          partitionRateLimit: { limitPerPeriod: partition.rate.limit, periodSec: partition.rate.periodMs / 1000 },
        }),
        minPollingIntervalMs: pollMs,
        onConflict: 'always_update',
      })
    }
  }
  let alive: Liveness | undefined
  try {
    alive = await keepAlive({ url, application, version: versionOf(setup), worker })
    // The engine creates its tables without a lock: if several workers did it at the same time, they would deadlock or leave
    // incomplete tables.
    await alive.alone(() => DBOS.launch())
    await takeFrom(queues)
  } catch (error) {
    await alive?.end()
    await client.destroy()
    await DBOS.shutdown({ deregister: true })
    // The engine's tables could not be created or updated.
    throw error instanceof engineErrors.DBOSInitializationError
      ? databaseError(url, 'fleet', error.error ?? error)
      : error
  }
  const recovering = recovery({ client, setup, alive, running })
  return {
    ...verbs,
    start: async ({ workflow, id, input }) => {
      await DBOS.startWorkflow(named(workflow).run, { workflowID: id })(input)
    },
    schedule: async (schedules) => {
      const names = schedules.map(({ name }) => name)
      const old = (await DBOS.listSchedules()).filter(({ scheduleName }) => !names.includes(scheduleName))
      for (const { scheduleName } of old) await DBOS.deleteSchedule(scheduleName)
      const rows = schedules.map(({ name, workflow, input, cron, timezone }) => ({
        scheduleName: name,
        workflowFn: named(workflow).scheduled,
        schedule: cron,
        context: input,
        cronTimezone: timezone,
      }))
      await DBOS.applySchedules(rows)
    },
    takeFrom,
    recover: recovering.now,
    close: async (patienceMs) => {
      await recovering.stop()
      await DBOS.shutdown({ deregister: true, workflowCompletionTimeoutMS: patienceMs })
      await client.destroy()
      await alive.end()
    },
  }
}

function ignore(): void {
  // Such messages are not shown.
}

const bodyOf =
  (engine: Engine, verbs: WorkflowClient, body: WorkflowBody, running: Set<string>) =>
  async (input: Json): Promise<Json> => {
    const id = engine.workflowID ?? ''
    running.add(id)
    try {
      return await body(input, contextOf(engine, verbs, id))
    } finally {
      running.delete(id)
    }
  }

const contextOf = (engine: Engine, verbs: WorkflowClient, id: string): WorkflowContext => ({
  id,
  step: (name, work) => engine.runStep(work, { name }),
  sleep: (milliseconds) => engine.sleepms(milliseconds),
  received: async (topic, timeoutMs) => {
    const found = await engine.recv<{ readonly message: Json }>(topic, { timeoutSeconds: timeoutMs / 1000 })
    return found?.message
  },
  enqueue: (jobs) => engine.runStep(() => inGroups(jobs, verbs.enqueue), { name: 'enqueue' }),
  wait: async (other): Promise<WorkflowEnding> => {
    try {
      return { is: 'done', value: await engine.retrieveWorkflow<Json>(other).getResult() }
    } catch (error) {
      return { is: 'failed', error: errorText(error) }
    }
  },
})

/** Processes the values in groups of a size for which the client has enough connections. */
async function inGroups<Value, Answer>(
  values: readonly Value[],
  work: (value: Value) => Promise<Answer>,
): Promise<readonly Answer[]> {
  const answers: Answer[] = []
  for (let from = 0; from < values.length; from += groupSize) {
    answers.push(...(await Promise.all(values.slice(from, from + groupSize).map(work))))
  }
  return answers
}

const groupSize = 20
