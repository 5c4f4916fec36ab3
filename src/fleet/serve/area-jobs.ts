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
import type { Problem } from '../../problems/problem.js'
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
  /** As it is when a job begins. */
  readonly fleet: () => Fleet
  /** How many jobs run at once, of whatever queue: each queue by itself would let so many run. */
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
 * Of the last two nothing is written down, as the rollout that it is part of asks for it again: on another day (`waiting`), or
 * once it goes on, if it does (`held`).
 */
type JobEnding = AreaState | 'waiting' | 'held'

/** Runs jobs of areas; what came of each is written down once, whatever happens to database or worker meanwhile. */
export interface AreaJobs {
  readonly run: (job: ServerJob) => Promise<JobEnding>
  /** Writes down that a job was not run, as one of that area was running still. */
  readonly skip: (job: ServerJob) => Promise<void>
  /** Begins nothing any more, and resolves when what runs has ended. */
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

/** Others go on with it when this worker is gone. */
const leftToOthers = (): Promise<never> => new Promise(() => undefined)

type Record = (result: AreaResult, occasion: string, html?: string) => Promise<void>

/** Undefined: it is left to others, and nothing of it is written down. */
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
    const result = await answerOf({ job, area, key, folder, slot }, own)
    const rested = setTimeout(slot.restMs)
    await calls?.settle(result?.requests ?? null)
    if (result === undefined) return undefined
    const ending = await writtenDown(job, result, setup, record)
    // The next job of the key must not begin at once, whichever worker takes it.
    await rested
    return ending
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A new folder that nobody else reads, or why there is none. */
function folderOfJob(): string | Problem {
  try {
    return mkdtempSync(join(tmpdir(), 'gatewright-area-'))
  } catch (error) {
    return notWritable(tmpdir(), reasonOf(error), codeOf(error))
  }
}

/**
 * Whether the rollout of the job goes on: it may have been paused or stopped while the job was in its queue. What a worker that
 * was killed has begun is finished all the same.
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
  const plan = await textIn(result.files.plan)
  if (job.rollout !== undefined) await noteInRollout(job, job.rollout, result, plan, setup)
  await record(result, job.occasion, await textIn(result.files.html))
  return result.state
}

/** Why the area waits for another day: what is used up is the quota, and nothing is wrong with the area. */
const outOfCalls = ({ state, diagnostics }: AreaResult): string | undefined =>
  state === 'error' || state === 'incomplete'
    ? diagnostics.find(({ code }) => code === 'quota-used-up')?.message
    : undefined

/** A rollout does it on another day, a schedule at its next moment (A282). */
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

/** What every slot of a key may do, so that it does not matter which of them a job has. */
function slotOf(key: FleetKey | undefined): Slot {
  const slots = key ? slotsOf(key) : []
  const rates = slots.flatMap(({ requestsPerSecond }) => requestsPerSecond ?? [])
  return { requestsPerSecond: rates.length > 0 ? Math.min(...rates) : undefined, restMs: longestRest(slots) }
}

/** How long a slot of any of these keys rests at most. */
export const longestRest = (slots: readonly Slot[]): number => Math.max(0, ...slots.map(({ restMs }) => restMs))

interface AreaRun {
  readonly job: ServerJob
  readonly area: FleetArea
  readonly key: FleetKey | undefined
  readonly folder: string
  readonly slot: Slot
}

/** What fails without a result of its own is one as well: nobody else would tell of it. */
async function answerOf(run: AreaRun, setup: JobSetup): Promise<AreaResult | undefined> {
  try {
    return await resultOf(run, setup)
  } catch (error) {
    return { ...notStarted(run.job, thrownProblems(error), setup.ports), state: 'error' }
  }
}

/**
 * A database of records that is away for a while is no failure of the area: what it cut off is done once more, and once again.
 * Nor is a signal that ends this worker and its processes alike, as that of a service manager does: undefined (A396).
 */
async function resultOf(run: AreaRun, setup: JobSetup): Promise<AreaResult | undefined> {
  const { job, slot } = run
  const { restMs, longestMs } = setup.patience
  let isAsked = false
  const child: AreaPorts['child'] = async (call) => {
    const end = await setup.ports.child(call)
    isAsked ||= wasAsked(end)
    return end
  }
  const own = { ...setup, ports: { ...setup.ports, child } }
  let isBegun = false
  for (let tries = 1; ; tries += 1) {
    const result =
      job.command === 'apply' && job.rollout !== undefined
        ? await applied(run, job.rollout, own)
        : await once(run, { save: job.command === 'plan' }, own)
    // This worker may hear of the signal later than they do.
    if (isAsked) await setTimeout(heardMs)
    if (isAsked && setup.isEnding()) return undefined
    const why = withoutDatabase(result)
    if (why === undefined || (setup.awayFor(why) >= longestMs && tries > 2)) return result
    isBegun ||= result.state === 'incomplete'
    // What has begun is finished; nothing is begun for a rollout that somebody has stopped meanwhile.
    if (!isBegun && (await isStopped(job, setup))) return result
    await setTimeout(Math.max(Math.min(restMs * 2 ** (tries - 1), longestRestMs), slot.restMs))
    if (setup.isEnding()) return undefined
    // Mostly it is that of the fleet, which is waited for.
    await lasting(() => setup.store.resultOf(job.area, job.occasion))
  }
}

const heardMs = 1_000

/** Whether a process has ended as a signal asked it to: before it could listen, or in order. */
const wasAsked = ({ is, code, reason = '' }: ChildEnd): boolean =>
  is === 'exited' ? code === interrupted : is === 'killed' && ['SIGTERM', 'SIGINT', 'SIGHUP'].includes(reason)

const longestRestMs = 30_000

async function isStopped({ rollout }: ServerJob, { store }: JobSetup): Promise<boolean> {
  if (rollout === undefined) return false
  const [row] = await lasting(() => store.rollouts(rollout))
  return row?.stopped ?? true
}

/** What is said of the database of records that was away meanwhile. */
const withoutDatabase = ({ state, diagnostics }: AreaResult): string | undefined =>
  state === 'error' || state === 'incomplete'
    ? diagnostics.find(({ code }) => code === 'database-failed' || code === 'lock-lost')?.message
    : undefined

function once(
  { job, area, key, folder, slot: { requestsPerSecond } }: AreaRun,
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
 * Applies the saved plan of an area. If a worker died over it, the journal of the area knows what was sent: where the saved
 * plan does not fit any more because some of it is done, the run that did so is resumed (A283).
 */
async function applied(run: AreaRun, rollout: string, setup: JobSetup): Promise<AreaResult> {
  const { store, ports } = setup
  const { area, folder } = run
  const saved = await lasting(() => store.savedPlan(rollout, area.name))
  const { attempts, began } = await lasting(() => store.beginArea(rollout, area.name))
  const planFile = join(folder, 'saved', 'plan.json')
  writeWhole(planFile, saved ?? '{}', 'owner')
  const again = { attempts, restMs: run.slot.restMs }
  const first = await unlessHeld(() => once(run, { planFile }, setup), again, ports)
  if (attempts === 1 || first.state !== 'stale') return first
  const asked = { area, key: run.key, timeoutMs: setup.fleet.timeoutMs }
  return await resumeStale(first, began - clockSlack, asked, ports, async () => {
    await setTimeout(run.slot.restMs)
    return await unlessHeld(() => once(run, { resume: true }, setup), again, ports)
  })
}

/** Clocks of workers and database differ by less. */
const clockSlack = 60_000

/** The process of a killed worker finishes what is in flight, and holds the lock of the area meanwhile. */
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
  const why = result.diagnostics[0]?.message ?? null
  switch (command) {
    case 'plan':
      return await lasting(() => store.setPlan(rollout, result, plan))
    case 'apply':
      return await lasting(() => store.setArea(rollout, area, result.state, why))
    case 'drift':
      // After a wave: what was applied is to stay. What was written since is for another rollout.
      if (result.state === 'in-sync' || result.state === 'pending') return
      return await lasting(() => store.setArea(rollout, area, result.state, why))
  }
}

/** Calls of the key's day are taken before a job: workers never take the same ones. */
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
    take: (...asked) => lasting(() => take(...asked)),
    giveBack: (...given) => lasting(() => giveBack(...given)),
  }
  return await callsForJob({ key: area.key ?? '', perDay: key.requestsPerDay, command, expected }, book, ports.now)
}

async function textIn(file: string | undefined): Promise<string | undefined> {
  return file === undefined ? undefined : await readFile(file, 'utf8').catch(() => undefined)
}
