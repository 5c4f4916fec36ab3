import { mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { AreaResult, AreaState } from '../../documents/fleet.js'
import { codeOf, reasonOf } from '../../files/system-error.js'
import { thrownProblems } from '../../files/thrown-problems.js'
import { writeWhole } from '../../files/write-file.js'
import type { ChildEnd } from '../../ports/child.js'
import { errorsIn, type Problem } from '../../problems/problem.js'
import { notWritable } from '../../problems/records.js'
import { areaNotInFleet, areaStillBusy, callsUsedUp, noCallsToday } from '../../problems/serve.js'
import { type AreaPorts, interrupted, notStarted, runAreaJob } from '../area-job.js'
import { type CallBook, callsForJob, type JobCalls } from '../day-calls.js'
import { type Fleet, type FleetArea, type FleetKey, type Slot, slotsOf } from '../fleet.js'
import { permitsFor } from '../queues.js'
import { resumeStale } from '../resume-stale.js'
import { type AwayPatience, absences, databasePatience } from './absences.js'
import { lasting } from './lasting.js'
import type { ServerJob } from './names.js'
import { stoppedBy } from './rollout-areas.js'
import type { FleetStore } from './store.js'

interface JobsSetup extends Omit<JobSetup, 'fleet' | 'patience' | 'awayFor' | 'isEnding'> {
  /** The fleet at the time when a job begins. */
  readonly fleet: () => Fleet
  /** How many jobs may run at the same time in all queues together: the queues' own limits are independent of each other. */
  readonly atOnce: number
  readonly patience?: AwayPatience
}

interface JobSetup {
  readonly fleet: Fleet
  readonly store: FleetStore
  readonly worker: string
  readonly ports: AreaPorts
  readonly patience: AwayPatience
  readonly awayFor: ReturnType<typeof absences>
  /** Whether this worker is about to end. */
  readonly isEnding: () => boolean
}

/**
 * No result is stored for the last two, because the rollout requests the job again: on another day (`waiting`), or when it
 * continues (`held`).
 */
type JobEnding = AreaState | 'waiting' | 'held'

/** Runs jobs of areas. The result of each job is stored once, whatever happens to database or worker in the meantime. */
export interface AreaJobs {
  readonly run: (job: ServerJob) => Promise<JobEnding>
  /** Stores that a job was not run because another job of that area was still running. */
  readonly skip: (job: ServerJob) => Promise<void>
  /** Starts no more jobs, and resolves when the running ones have ended. */
  readonly drain: () => Promise<void>
}

export function areaJobs(setup: JobsSetup): AreaJobs {
  const { store, worker, ports, patience = databasePatience } = setup
  const awayFor = absences(ports.now)
  const running = new Set<Promise<unknown>>()
  const permits = permitsFor(setup.atOnce)
  let isDraining = false
  const record = (result: AreaResult, occasion: string, html?: string): Promise<void> =>
    lasting(() => store.record(result, { occasion, worker, html }))
  return {
    run: async (job) => {
      if (!isDraining) await permits.take()
      if (isDraining) return await leftToOthers()
      const work = perform(
        job,
        { ...setup, patience, awayFor, isEnding: () => isDraining, fleet: setup.fleet() },
        record,
      )
      running.add(work)
      const ending = await work.finally(() => {
        running.delete(work)
        permits.give()
      })
      return ending ?? (await leftToOthers())
    },
    skip: ({ area, command, occasion }) =>
      record(notStarted({ area, command }, [areaStillBusy(area)], ports), occasion),
    drain: async () => {
      isDraining = true
      while (running.size > 0) await Promise.allSettled(running)
    },
  }
}

/** Never resolves: other workers continue the job when this worker has ended. */
const leftToOthers = (): Promise<never> => new Promise(() => undefined)

type Record = (result: AreaResult, occasion: string, html?: string) => Promise<void>

/** Undefined: the job is left to other workers, and no result is stored. */
async function perform(job: ServerJob, setup: JobSetup, record: Record): Promise<JobEnding | undefined> {
  const { fleet, store, ports } = setup
  const earlier = await lasting(() => store.resultOf(job.area, job.occasion))
  if (earlier !== undefined) return earlier
  if (!(await mayBegin(job, setup))) return 'held'
  const area = fleet.areas.find(({ name }) => name === job.area)
  const key = area?.key === undefined ? undefined : fleet.keys[area.key]
  const notRun = async (problem: Problem): Promise<AreaState> => {
    const result = notStarted(job, [problem], ports)
    if (job.rollout !== undefined) await noteInRollout(job, job.rollout, result, undefined, setup)
    await record(result, job.occasion)
    return result.state
  }
  if (!area) return await notRun(areaNotInFleet(job.area, fleet.file))
  const folder = folderOfJob()
  if (typeof folder !== 'string') return await notRun(folder)
  try {
    const calls = await callsOfDay(area, key, job, setup)
    if (calls === 'none left') {
      const name = area.key ?? ''
      const result = notStarted(job, [callsUsedUp(area.name, name)], ports)
      return await postponed(job, result, noCallsToday(name), setup, record)
    }
    const slot = slotOf(key)
    const own = calls ? { ...setup, ports: { ...ports, calls: calls.take } } : setup
    const result = await resultOrFailure({ job, area, key, folder, slot }, own)
    const rested = setTimeout(slot.restMs)
    await calls?.giveBack(result?.requests ?? null)
    if (result === undefined) return undefined
    const ending = await writtenDown(job, result, setup, record)
    // The next job of the key must not begin at once, not even on another worker.
    await rested
    return ending
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A new private folder, or the reason why it could not be created. */
function folderOfJob(): string | Problem {
  try {
    return mkdtempSync(join(tmpdir(), 'gatewright-area-'))
  } catch (error) {
    return notWritable(tmpdir(), reasonOf(error), codeOf(error))
  }
}

/**
 * Whether the rollout of the job continues: it may have been paused or stopped while the job waited in its queue. A job that
 * another worker has begun before it was killed is finished in any case.
 */
async function mayBegin({ area, rollout, command }: ServerJob, { store }: JobSetup): Promise<boolean> {
  if (rollout === undefined) return true
  const [row] = await lasting(() => store.rollouts(rollout))
  const areas = await lasting(() => store.rolloutAreas(rollout))
  if (areas.find((each) => each.area === area)?.state === 'applying') return true
  if (!row || row.paused || row.stopped) return false
  return command !== 'apply' || stoppedBy(row.request.stop, row.wave, areas) === null
}

async function writtenDown(job: ServerJob, result: AreaResult, setup: JobSetup, record: Record): Promise<JobEnding> {
  const why = outOfCalls(result)
  if (why !== undefined) return await postponed(job, { ...result, state: 'not-started' }, why, setup, record)
  const plan = await textOfFile(result.files.plan)
  if (job.rollout !== undefined) await noteInRollout(job, job.rollout, result, plan, setup)
  await record(result, job.occasion, await textOfFile(result.files.html))
  return result.state
}

/** Why the area must wait for another day: the key's quota is used up, and nothing is wrong with the area. */
const outOfCalls = ({ state, diagnostics }: AreaResult): string | undefined =>
  state === 'error' || state === 'incomplete'
    ? diagnostics.find(({ code }) => code === 'quota-used-up')?.message
    : undefined

/** A rollout repeats the job on another day, a schedule at its next time (A282). */
async function postponed(
  { area, occasion, rollout }: ServerJob,
  result: AreaResult,
  why: string,
  { store, ports }: JobSetup,
  record: Record,
): Promise<JobEnding> {
  await lasting(() => store.areaWaits(area, { occasion, why, at: ports.now() }))
  if (rollout === undefined) await record(result, occasion)
  else await lasting(() => store.setWaiting(rollout, area, why))
  return rollout === undefined ? 'not-started' : 'waiting'
}

/** A slot that fits every slot of the key, so that it does not matter which of them a job has. */
function slotOf(key: FleetKey | undefined): Slot {
  const slots = key ? slotsOf(key) : []
  const rates = slots.flatMap(({ requestsPerSecond }) => requestsPerSecond ?? [])
  return { requestsPerSecond: rates.length > 0 ? Math.min(...rates) : undefined, restMs: longestRest(slots) }
}

/** The longest pause of these slots, in milliseconds. */
export const longestRest = (slots: readonly Slot[]): number => Math.max(0, ...slots.map(({ restMs }) => restMs))

interface JobRun {
  readonly job: ServerJob
  readonly area: FleetArea
  readonly key: FleetKey | undefined
  readonly folder: string
  readonly slot: Slot
}

/** If a job fails without a result, the failure becomes its result: otherwise nobody would report it. */
async function resultOrFailure(run: JobRun, setup: JobSetup): Promise<AreaResult | undefined> {
  try {
    return await jobResult(run, setup)
  } catch (error) {
    return { ...notStarted(run.job, thrownProblems(error), setup.ports), state: 'error' }
  }
}

/**
 * If the database of the records is unavailable for a while, the area has not failed: the job is repeated. If a signal ends this
 * worker and its processes at the same time, as that of a service manager does, the area has not failed either: the result is
 * undefined (A396).
 */
async function jobResult(run: JobRun, setup: JobSetup): Promise<AreaResult | undefined> {
  const { job, slot } = run
  const { restMs, longestMs } = setup.patience
  let isRequested = false
  const child: AreaPorts['child'] = async (call) => {
    const end = await setup.ports.child(call)
    isRequested ||= wasRequested(end)
    return end
  }
  const own = { ...setup, ports: { ...setup.ports, child } }
  let isStarted = false
  for (let tries = 1; ; tries += 1) {
    const result =
      job.command === 'apply' && job.rollout !== undefined
        ? await applied(run, job.rollout, own)
        : await runOnce(run, { save: job.command === 'plan' }, own)
    // This worker may receive the signal later than its processes.
    if (isRequested) await setTimeout(heardMs)
    if (isRequested && setup.isEnding()) return undefined
    const why = withoutDatabase(result)
    if (why === undefined || (setup.awayFor(why) >= longestMs && tries > 2)) return result
    isStarted ||= result.state === 'incomplete'
    // A job that has begun is finished. If somebody has stopped the rollout in the meantime, nothing new begins for it.
    if (!isStarted && (await isStopped(job, setup))) return result
    await setTimeout(Math.max(Math.min(restMs * 2 ** (tries - 1), longestRestMs), slot.restMs))
    if (setup.isEnding()) return undefined
    // In most cases, records and fleet have the same database. This call waits until it is available.
    await lasting(() => setup.store.resultOf(job.area, job.occasion))
  }
}

const heardMs = 1_000

/** Whether a process has ended because of a signal: before it could handle the signal, or in the normal way. */
const wasRequested = ({ is, code, reason = '' }: ChildEnd): boolean =>
  is === 'exited' ? code === interrupted : is === 'killed' && ['SIGTERM', 'SIGINT', 'SIGHUP'].includes(reason)

const longestRestMs = 30_000

async function isStopped({ rollout }: ServerJob, { store }: JobSetup): Promise<boolean> {
  if (rollout === undefined) return false
  const [row] = await lasting(() => store.rollouts(rollout))
  return row?.stopped ?? true
}

/** The message about the database of the records, if it was unavailable during the job. */
const withoutDatabase = ({ state, diagnostics }: AreaResult): string | undefined =>
  state === 'error' || state === 'incomplete'
    ? diagnostics.find(({ code }) => code === 'database-failed' || code === 'lock-lost')?.message
    : undefined

function runOnce(
  { job, area, key, folder, slot: { requestsPerSecond } }: JobRun,
  how: { readonly save?: boolean; readonly planFile?: string; readonly resume?: boolean },
  { fleet, ports }: JobSetup,
): Promise<AreaResult> {
  const rate = requestsPerSecond === undefined ? {} : { requestsPerSecond }
  return runAreaJob(
    { area, key, command: job.command, folder, timeoutMs: fleet.timeoutMs, words: [], ...rate, ...how },
    ports,
  )
}

/**
 * Applies the saved plan of an area. If an earlier worker has died during this job, the area's journal contains what was sent. If
 * the saved plan is stale because a part of it is done, the run of that worker is resumed (A283).
 */
async function applied(run: JobRun, rollout: string, setup: JobSetup): Promise<AreaResult> {
  const { store, ports } = setup
  const { area, folder } = run
  const saved = await lasting(() => store.savedPlan(rollout, area.name))
  const { attempts, began } = await lasting(() => store.beginArea(rollout, area.name))
  const planFile = join(folder, 'saved', 'plan.json')
  writeWhole(planFile, saved ?? '{}', 'owner')
  const again = { attempts, restMs: run.slot.restMs }
  const first = await unlessHeld(() => runOnce(run, { planFile }, setup), again, ports)
  if (attempts === 1 || first.state !== 'stale') return first
  const requested = { area, key: run.key, timeoutMs: setup.fleet.timeoutMs }
  return await resumeStale(first, began - clockSlack, requested, ports, async () => {
    await setTimeout(run.slot.restMs)
    return await unlessHeld(() => runOnce(run, { resume: true }, setup), again, ports)
  })
}

/** The clocks of workers and database differ by less than this, in milliseconds. */
const clockSlack = 60_000

/** The process of a killed worker finishes its requests in flight. Until then it holds the lock of the area. */
async function unlessHeld(
  work: () => Promise<AreaResult>,
  { attempts, restMs }: { readonly attempts: number; readonly restMs: number },
  { now }: Pick<AreaPorts, 'now'>,
): Promise<AreaResult> {
  const until = now() + (attempts > 1 ? 60_000 : 0)
  for (;;) {
    const result = await work()
    const isHeld = result.diagnostics.some(({ code }) => code === 'lock-held')
    if (!isHeld || now() > until) return result
    await setTimeout(Math.max(1_000, restMs))
  }
}

async function noteInRollout(
  { area, command }: ServerJob,
  rollout: string,
  result: AreaResult,
  plan: string | undefined,
  { store }: JobSetup,
): Promise<void> {
  // A warning, such as one about a webhook, is no reason.
  const why = errorsIn(result.diagnostics)[0]?.message ?? null
  switch (command) {
    case 'plan':
      return await lasting(() => store.setPlan(rollout, result, plan))
    case 'apply':
      return await lasting(() => store.setArea(rollout, area, result.state, why))
    case 'drift':
      // After a wave, its changes must still be there. Changes in the manifests since then belong to another rollout.
      if (result.state === 'in-sync' || result.state === 'pending') return
      return await lasting(() => store.setArea(rollout, area, result.state, why))
  }
}

/** Reserves calls of the key's day before a job. No two workers get the same calls. */
async function callsOfDay(
  area: FleetArea,
  key: FleetKey | undefined,
  { command }: ServerJob,
  { store, ports }: JobSetup,
): Promise<JobCalls | 'none left' | undefined> {
  if (key?.requestsPerDay === undefined) return undefined
  const expected = await lasting(() => store.lastCalls(area.name, command))
  const { take, giveBack } = store.calls
  const book: CallBook = {
    take: (...requested) => lasting(() => take(...requested)),
    giveBack: (...given) => lasting(() => giveBack(...given)),
  }
  return await callsForJob({ key: area.key ?? '', perDay: key.requestsPerDay, command, expected }, book, ports.now)
}

async function textOfFile(file: string | undefined): Promise<string | undefined> {
  return file === undefined ? undefined : await readFile(file, 'utf8').catch(() => undefined)
}
