import { isDeepStrictEqual } from 'node:util'
import { diagnosticOf } from '../documents/diagnostics.js'
import {
  type AreaCommand,
  type AreaResult,
  type AreaState,
  type FleetDocument,
  finishedStates,
} from '../documents/fleet.js'
import { thrownProblems } from '../files/thrown-problems.js'
import { KnownProjects } from '../manifest/known-project.js'
import type { Ports } from '../ports/ports.js'
import { areaInterrupted, areaWithoutPlan, noPlans } from '../problems/fleet.js'
import { ProblemError } from '../problems/problem.js'
import { callsUsedUp } from '../problems/serve.js'
import { type AreaJob, type AreaPorts, notStarted, runAreaJob } from './area-job.js'
import { changesDigest } from './common-changes.js'
import { callsForJob, type JobCalls } from './day-calls.js'
import type { Fleet, FleetArea, Slot } from './fleet.js'
import { fleetDocument } from './fleet-document.js'
import { ownNamesOf } from './own-names.js'
import { inQueues } from './queues.js'
import { callBook, keepCount, recordedCounts, recordsFolder } from './records.js'
import { resumeStale } from './resume-stale.js'
import {
  type FleetRunFolder,
  type FleetRunHead,
  headIn,
  openRun,
  savedDocumentIn,
  savedPlanIn,
  writeHead,
} from './run-folder.js'

/** One command for areas of a fleet. Each area gets its own process. */
export interface FleetRequest {
  readonly fleet: Fleet
  /** The selected areas of the fleet. */
  readonly areas: readonly FleetArea[]
  readonly command: AreaCommand
  /** The folder for reports and state, as an absolute path. */
  readonly folder: string
  /** Only for `apply`: the folder that `plan` has written, as an absolute path. */
  readonly planFolder?: string
  /** Only for `plan`: saves the plans in the folder. */
  readonly save: boolean
  /** Skips the areas that the last run of this command in the folder has finished. */
  readonly resume: boolean
  /** The number of areas that may run at the same time, of all keys together. */
  readonly parallelism: number
  /** Additional arguments of the command line for the job of an area. */
  readonly words: (area: FleetArea) => readonly string[]
}

export type FleetPorts = AreaPorts & Pick<Ports, 'sleep' | 'progress'>

/** Runs the jobs and returns the results of all areas. Throws a ProblemError only if nothing can be run. */
export async function runFleet(request: FleetRequest, given: FleetPorts): Promise<FleetDocument> {
  const ports = { ...given, projects: new KnownProjects() }
  const { fleet, areas, command, resume } = request
  const started = ports.now()
  const { folder, isResumed } = runIn(request, resume, started)
  const finished = areas.flatMap(({ name }) => (isResumed ? (whole(folder, name) ?? []) : []))
  const results = new Map(finished.map((result) => [result.area, result]))
  const left = areas.filter(({ name }) => !results.has(name))
  const running = new Set<string>()
  const tell = (ended?: { readonly area: string; readonly state: AreaState }): void =>
    ports.progress.areas({
      ...{ command, done: results.size, all: areas.length, running: [...running] },
      ...(ended && { ended }),
    })
  const records = recordsFolder(fleet, ports)
  const work = async (area: FleetArea, slot: Slot): Promise<void> => {
    running.add(area.name)
    tell()
    const result = kept(await areaResult({ area, slot, folder, isResumed, records }, request, ports), folder)
    results.set(area.name, result)
    running.delete(area.name)
    tell({ area: area.name, state: result.state })
  }
  await inQueues({ keys: fleet.keys, areas: left }, request.parallelism, work, ports)
  for (const { name } of areas) {
    if (!results.has(name)) results.set(name, notStarted({ area: name, command }, [areaInterrupted(name)], ports))
  }
  return fleetDocument({
    ...{ fleet, command, startedAt: new Date(started).toISOString(), seconds: (ports.now() - started) / 1000 },
    ...{ results: [...results.values()], ownNames: (area) => ownNamesOf(area, ports), problems: [] },
  })
}

function whole(folder: FleetRunFolder, area: string): AreaResult | undefined {
  const result = folder.result(area)
  return result && finishedStates.includes(result.state) ? folder.whole(area) : undefined
}

/** An older result no longer describes the area, and its run is over. */
const longestLook = 12 * 3_600_000

/**
 * The run that is resumed, if the last run in the folder had the same command and left something undone; otherwise a new run. If
 * all plans are applied, nothing is left, and they are not applied again, because all would be stale. An old drift or plan that
 * has looked at every area is over, even if some areas have failed (A352).
 */
function runIn(
  { fleet, areas, command, folder: path, planFolder: applied }: FleetRequest,
  resume: boolean,
  started: number,
): { readonly folder: FleetRunFolder; readonly isResumed: boolean } {
  const planFolder = applied ?? null
  const plannedAt = planFolder === null ? null : (headIn(planFolder)?.startedAt ?? null)
  const head: FleetRunHead = {
    ...{ fleet: fleet.name, command, startedAt: new Date(started).toISOString(), planFolder, plannedAt },
  }
  const last = resume ? headIn(path) : undefined
  if (last && isDeepStrictEqual({ ...last, startedAt: head.startedAt }, head)) {
    const folder = openRun(path, last)
    const isOld = started - Date.parse(last.startedAt) > longestLook
    const isLeft = ({ name }: FleetArea): boolean =>
      isOld ? !hadItsTurn(folder.result(name)) : whole(folder, name) === undefined
    if (plannedAt !== null || areas.some(isLeft)) return { folder, isResumed: true }
  }
  writeHead(path, head)
  return { folder: openRun(path, head), isResumed: false }
}

const hadItsTurn = (result: AreaResult | undefined): boolean =>
  result !== undefined && result.state !== 'not-started' && result.state !== 'interrupted'

interface AreaRun {
  readonly area: FleetArea
  readonly slot: Slot
  readonly folder: FleetRunFolder
  readonly isResumed: boolean
  /** The folder for the counts. It is the same for all runs. */
  readonly records: string
}

/** If a job fails without a result, the failure becomes its result. */
async function areaResult(run: AreaRun, request: FleetRequest, ports: FleetPorts): Promise<AreaResult> {
  const { area, records } = run
  const { command } = request
  const job = { area: area.name, command }
  let result: AreaResult | undefined
  try {
    const plan = request.planFolder === undefined ? undefined : plannedIn(request.planFolder, area, ports)
    if (plan && 'result' in plan) return plan.result
    const calls = await callsOfDay(run, request, ports)
    if (calls === 'none left') return notStarted(job, [callsUsedUp(area.name, area.key ?? '')], ports)
    try {
      result = await performed(run, request, plan?.file, { ...ports, ...(calls && { calls: calls.take }) })
    } finally {
      await calls?.giveBack(result?.requests ?? null)
    }
    // The number of calls of an interrupted job is too small.
    if (result.requests !== null && finishedStates.includes(result.state)) {
      keepCount(records, command, area.name, result.requests)
    }
    return result
  } catch (error) {
    return withFailure(result ?? { ...notStarted(job, [], ports), state: 'error' }, error)
  }
}

/** If a result cannot be written, it is still reported, and the other areas continue. */
function kept(result: AreaResult, folder: FleetRunFolder): AreaResult {
  try {
    folder.keep(result)
    return result
  } catch (error) {
    return withFailure(result, error)
  }
}

/** The result with the failure added. What was done is still reported, but the area does not count as finished. */
function withFailure(result: AreaResult, error: unknown): AreaResult {
  const state = result.state === 'applied' ? 'incomplete' : 'error'
  return {
    ...result,
    ...(finishedStates.includes(result.state) && { state }),
    diagnostics: [...thrownProblems(error).map(diagnosticOf), ...result.diagnostics],
  }
}

/** Given if the key's calls per day are counted. */
async function callsOfDay(
  { area, records }: AreaRun,
  { fleet, command }: FleetRequest,
  { now }: FleetPorts,
): Promise<JobCalls | 'none left' | undefined> {
  const perDay = area.key === undefined ? undefined : fleet.keys[area.key]?.requestsPerDay
  if (area.key === undefined || perDay === undefined) return undefined
  const expected = recordedCounts(records, command)[area.name]
  return await callsForJob({ key: area.key, perDay, command, expected }, callBook(records), now)
}

async function performed(
  { area, slot, folder, isResumed }: AreaRun,
  request: FleetRequest,
  planFile: string | undefined,
  ports: FleetPorts,
): Promise<AreaResult> {
  const { fleet, command, save } = request
  const began = isResumed ? folder.jobStartedAt(area.name) : undefined
  folder.begin(area.name, began ?? ports.now())
  const key = area.key === undefined ? undefined : fleet.keys[area.key]
  const job: AreaJob = {
    ...{ area, key, command, folder: folder.of(area.name), timeoutMs: fleet.timeoutMs, save },
    ...(slot.requestsPerSecond !== undefined && { requestsPerSecond: slot.requestsPerSecond }),
    words: request.words(area),
  }
  const first = await runAreaJob(planFile === undefined ? job : { ...job, planFile }, ports)
  // A saved plan is stale if an earlier run has done a part of it. The journal of that run knows what is left.
  if (command !== 'apply' || began === undefined || first.state !== 'stale') return first
  return await resumeStale(first, began, job, ports, async () => {
    await ports.sleep(slot.restMs, ports.signal)
    return await runAreaJob({ ...job, resume: true }, ports)
  })
}

/** The saved plan of an area, or its result if there is nothing to apply. Throws a ProblemError if the folder has no plans. */
function plannedIn(
  path: string,
  { name }: FleetArea,
  ports: FleetPorts,
): { readonly file: string } | { readonly result: AreaResult } {
  const head = headIn(path)
  const folder = head && openRun(path, head)
  const planned = folder?.result(name)
  const job = { area: name, command: 'apply' } as const
  if (planned?.state === 'in-sync') {
    return { result: { ...notStarted(job, [], ports), state: 'in-sync', exit: 0, requests: 0 } }
  }
  const file = folder && savedPlanIn(folder, name)
  return file === undefined ? { result: notStarted(job, [areaWithoutPlan(name, planned?.state)], ports) } : { file }
}

/**
 * The plans of these areas that `fleet plan` saved, as a document. `path` is absolute, `displayed` is the path as the user typed
 * it. Throws a ProblemError if the folder has no plans of the fleet.
 */
export function savedPlans(
  fleet: Fleet,
  areas: readonly FleetArea[],
  { path, displayed }: { readonly path: string; readonly displayed: string },
  ports: Pick<Ports, 'env' | 'cwd'>,
): FleetDocument {
  const head = headIn(path)
  if (head?.command !== 'plan' || head.fleet !== fleet.name) throw new ProblemError([noPlans(displayed, fleet.name)])
  const folder = openRun(path, head)
  const projects = new KnownProjects()
  const ownNames = (area: FleetArea) => ownNamesOf(area, { ...ports, projects })
  const results = areas.flatMap((area): readonly AreaResult[] => {
    const planned = folder.whole(area.name)
    // The saved plan is shown, because it is what will be applied; the report beside it is not.
    const document = savedDocumentIn(folder, area.name)
    if (!planned || !document) return planned ? [planned] : []
    return [{ ...planned, document, summary: document.summary, changes: changesDigest(document, ownNames(area)) }]
  })
  const seconds = results.reduce((sum, each) => sum + each.seconds, 0)
  return fleetDocument({ fleet, command: 'plan', startedAt: head.startedAt, seconds, results, ownNames, problems: [] })
}
