import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { pid } from 'node:process'
import { isObject, type Json } from '../../json/json.js'
import { openWorker } from '../../workflows/worker.js'
import type { Queue, WorkflowBody, Workflows } from '../../workflows/workflows.js'
import type { AreaPorts } from '../area-job.js'
import { type Fleet, slotsOf } from '../fleet.js'
import type { ReadFleet } from '../read-fleet.js'
import { areaJobs, longestRest } from './area-jobs.js'
import { driftRound } from './drift-round.js'
import { type FleetInForce, fleetInForce } from './fleet-in-force.js'
import { everLasting } from './lasting.js'
import { applicationOf, jobIn, queueName, rolloutsQueue, type ServerJob, workflowFormat } from './names.js'
import { rolloutBody } from './rollout.js'
import { type FleetStore, openFleetStore } from './store.js'

/** The settings of a worker of a fleet. */
export interface WorkerRequest {
  readonly fleet: Fleet
  /** The URL of the PostgreSQL database. */
  readonly database: string
  /** How many jobs the worker runs at the same time. */
  readonly jobs: number
  readonly warn: (message: string) => void
  /** Reads the fleet file again. If absent, the fleet never changes. */
  readonly read?: () => ReadFleet
  readonly readEveryMs?: number
  /** For tests, which poll and recover more often. */
  readonly pollMs?: number
  readonly recoverMs?: number
}

/** A worker of a fleet. It runs jobs until it is closed. */
export interface FleetWorker {
  readonly name: string
  readonly store: FleetStore
  readonly workflows: Workflows
  readonly inForce: FleetInForce
  /** Waits for the running jobs and leaves the others to other workers. */
  readonly close: () => Promise<void>
}

/** Opens the database, updates its tables, and starts to work. Throws a ProblemError if the database cannot be used. */
export async function openFleetWorker(request: WorkerRequest, ports: AreaPorts): Promise<FleetWorker> {
  const { fleet: first, database, jobs: perWorker, warn, read = () => ({ fleet: first, problems: [] }) } = request
  const inForce = fleetInForce(first, read, warn)
  const { fleet } = inForce
  const name = `${hostname()} ${pid} ${randomBytes(4).toString('hex')}`
  const store = await openFleetStore(database, first.name)
  // Running jobs are not interrupted: they finish, and other jobs are left to other workers.
  const own = { ...ports, signal: new AbortController().signal }
  const jobs = areaJobs({ fleet, store, worker: name, atOnce: perWorker, ports: own })
  const rollout = rolloutBody({
    ...{ store, asJob: (job) => jobIn(fleet(), job), now: ports.now },
    // A rollout lasts for days, and a failed one could not be continued or stopped.
    lasting: everLasting,
  })
  let workflows: Workflows | undefined
  const bodies: Readonly<Record<string, WorkflowBody>> = {
    area: (input, { step }) => step('job', () => jobs.run(serverJob(input))),
    drift: driftRound({ fleet, jobs }),
    rollout: (input, context) => rollout(inputText(input, 'rollout'), context),
    housekeeping: (_, { step }) =>
      step('forget', async () => {
        const before = ports.now() - fleet().serve.retentionDays * 24 * 60 * 60_000
        await store.prune(before)
        return (await workflows?.forget(before)) ?? 0
      }),
  }
  try {
    workflows = await openWorker({
      url: database,
      application: applicationOf(first),
      format: workflowFormat,
      worker: name,
      bodies,
      queues: queuesOf(first, perWorker),
      pollMs: request.pollMs ?? 500,
      // Other workers continue the jobs of a killed worker only when the last calls of its processes no longer count.
      recoverMs: Math.max(request.recoverMs ?? 5_000, longestRest(Object.values(first.keys).flatMap(slotsOf))),
      warn,
    })
    await workflows.schedule(schedulesOf(first))
  } catch (error) {
    await workflows?.close(0)
    await store.close()
    throw error
  }
  const opened = workflows
  const taken = takingUp(inForce, async () => {
    await opened.takeFrom(queuesOf(fleet(), perWorker))
    await opened.schedule(schedulesOf(fleet()))
  })
  const timer = setInterval(() => taken(warn), request.readEveryMs ?? readEveryMs)
  return {
    name,
    store,
    workflows: opened,
    inForce,
    close: async () => {
      clearInterval(timer)
      await jobs.drain()
      await opened.close(0)
      await store.close()
    },
  }
}

/** In milliseconds. A changed file comes into force within this time (A321). */
const readEveryMs = 15_000

/** Checks the file for changes. The update of the database is repeated until it succeeds. */
function takingUp(inForce: FleetInForce, tellAll: () => Promise<void>): (warn: (message: string) => void) => void {
  let isOpen = false
  let underWay = false
  return (warn) => {
    if (underWay) return
    isOpen = inForce.look() === 'changed' || isOpen
    if (!isOpen) return
    underWay = true
    tellAll()
      .then(() => {
        isOpen = false
      })
      .catch((error: unknown) => warn(`the schedule is not changed yet: ${String(error)}`))
      .finally(() => {
        underWay = false
      })
  }
}

function queuesOf(fleet: Fleet, perWorker: number): readonly Queue[] {
  const concurrencies = new Set([1, ...Object.values(fleet.keys).map((key) => slotsOf(key).length)])
  return [
    ...[...concurrencies].map((concurrency) => ({
      ...{ name: queueName(fleet, concurrency), perWorker, partition: { concurrency } },
    })),
    { name: rolloutsQueue(fleet), perWorker: 10, partition: { concurrency: 1 } },
  ]
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

function inputText(input: Json, member: string): string {
  const value = isObject(input) ? input[member] : undefined
  return typeof value === 'string' ? value : ''
}

function serverJob(input: Json): ServerJob {
  const command = inputText(input, 'command')
  const rollout = inputText(input, 'rollout')
  return {
    area: inputText(input, 'area'),
    command: command === 'plan' || command === 'apply' ? command : 'drift',
    occasion: inputText(input, 'occasion'),
    ...(rollout !== '' && { rollout }),
  }
}
