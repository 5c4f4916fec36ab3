import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { pid } from 'node:process'
import { digest } from '../../json/digest.js'
import { isObject, type Json } from '../../json/json.js'
import { openWorker } from '../../workflows/worker.js'
import type { WorkflowBody, Workflows } from '../../workflows/workflows.js'
import type { AreaPorts } from '../area-job.js'
import { type Fleet, slotsOf } from '../fleet.js'
import { areaJobs, lasting, longestRest, queueName, type ServerJob } from './area-jobs.js'
import { applicationOf, jobIn, rolloutsQueue, workflowFormat } from './names.js'
import { rolloutBody } from './rollout.js'
import { type FleetStore, openFleetStore } from './store.js'

/** What a worker of a fleet is given. */
export interface WorkerRequest {
  readonly fleet: Fleet
  /** The database, as a URL of PostgreSQL. */
  readonly database: string
  /** How many jobs it runs at once. */
  readonly jobs: number
  readonly retentionDays: number
  readonly warn: (message: string) => void
  /** Tests ask and look after others more often. */
  readonly pollMs?: number
  readonly recoverMs?: number
}

/** A worker of a fleet: it takes jobs until it is closed. */
export interface FleetWorker {
  readonly name: string
  readonly store: FleetStore
  readonly workflows: Workflows
  /** Waits for what runs, and leaves the rest to others. */
  readonly close: () => Promise<void>
}

/** Opens the database, brings its tables up to date, and begins to work. Throws a ProblemError if the database cannot be used. */
export async function openFleetWorker(request: WorkerRequest, ports: AreaPorts): Promise<FleetWorker> {
  const { fleet, database, jobs: perWorker, retentionDays, warn } = request
  const name = `${hostname()} ${pid} ${randomBytes(4).toString('hex')}`
  const store = await openFleetStore(database, fleet.name)
  // What jobs do is finished, and the rest is left to others: they are not interrupted.
  const jobs = areaJobs({ fleet, store, worker: name, ports: { ...ports, signal: new AbortController().signal } })
  const rollout = rolloutBody({ store, asJob: (job) => jobIn(fleet, job), now: ports.now, lasting })
  let workflows: Workflows | undefined
  const bodies: Readonly<Record<string, WorkflowBody>> = {
    area: (input, { step }) => step('job', () => jobs.run(serverJob(input))),
    drift: async (input, { step, enqueue }) => {
      const round = roundOf(fleet, textIn(input, 'at'))
      const queued = await enqueue(round.map(({ job, delayMs }) => ({ ...jobIn(fleet, job), delayMs })))
      const refused = round.filter((_, index) => queued[index] === 'refused')
      await step('skipped', async () => {
        for (const { job } of refused) await jobs.skip(job)
        return refused.length
      })
      return null
    },
    rollout: (input, context) => rollout(textIn(input, 'rollout'), context),
    housekeeping: (_, { step }) =>
      step('forget', async () => {
        const before = ports.now() - retentionDays * 24 * 60 * 60_000
        await store.prune(before)
        return (await workflows?.forget(before)) ?? 0
      }),
  }
  const slots = Object.values(fleet.keys).map(slotsOf)
  const queues = [...new Set([1, ...slots.map(({ length }) => length)])]
  try {
    workflows = await openWorker({
      url: database,
      application: applicationOf(fleet),
      format: workflowFormat,
      worker: name,
      bodies,
      queues: [
        ...queues.map((concurrency) => ({
          name: queueName(fleet, concurrency),
          perWorker,
          partition: { concurrency },
        })),
        { name: rolloutsQueue(fleet), perWorker: 10, partition: { concurrency: 1 } },
      ],
      pollMs: request.pollMs ?? 500,
      // What a killed worker's processes have sent last must not count any more when others go on.
      recoverMs: Math.max(request.recoverMs ?? 5_000, longestRest(slots.flat())),
      warn,
    })
    await workflows.schedule(schedulesOf(fleet))
  } catch (error) {
    await store.close()
    throw error
  }
  const opened = workflows
  return {
    name,
    store,
    workflows: opened,
    close: async () => {
      await jobs.drain()
      await opened.close(0)
      await store.close()
    },
  }
}

function schedulesOf(fleet: Fleet): Parameters<Workflows['schedule']>[0] {
  const { name, drift } = fleet
  const housekeeping = { cron: '23 * * * *', timezone: 'UTC', input: {} }
  return [
    { name: `${name} housekeeping`, workflow: 'housekeeping', ...housekeeping },
    ...(drift
      ? [{ name: `${name} drift`, workflow: 'drift', cron: drift.schedule, timezone: drift.timezone, input: {} }]
      : []),
  ]
}

/** The jobs of one moment of the schedule, each a little later than that: the same ones however often they are asked for. */
function roundOf(
  { areas, drift }: Fleet,
  at: string,
): readonly { readonly job: ServerJob; readonly delayMs: number }[] {
  const jitterMs = drift?.jitterMs ?? 0
  return areas.map(({ name }) => ({
    job: { area: name, command: 'drift', occasion: `drift ${at}` },
    delayMs: jitterMs === 0 ? 0 : Number.parseInt(digest(`${at} ${name}`).slice(-8), 16) % jitterMs,
  }))
}

function textIn(input: Json, member: string): string {
  const value = isObject(input) ? input[member] : undefined
  return typeof value === 'string' ? value : ''
}

function serverJob(input: Json): ServerJob {
  const command = textIn(input, 'command')
  const rollout = textIn(input, 'rollout')
  return {
    area: textIn(input, 'area'),
    command: command === 'plan' || command === 'apply' ? command : 'drift',
    occasion: textIn(input, 'occasion'),
    ...(rollout !== '' && { rollout }),
  }
}
