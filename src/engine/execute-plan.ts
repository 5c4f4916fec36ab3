import { setMaxListeners } from 'node:events'
import { announcementsOf } from '../applier/announcement.js'
import { applyAndVerify, type Run } from '../applier/apply-and-verify.js'
import { because, type ChangeResult, isApplied, isMade, type RunInput } from '../applier/run.js'
import { ownValue, recordOf } from '../catalog/record.js'
import type { ClientStats } from '../client/types.js'
import { changeErrorText, type RunDocument, reportedAbove, runChange, runDocument } from '../documents/run.js'
import { thrownProblems } from '../files/thrown-problems.js'
import { afterImage, isUnapplied } from '../history/journal-entries.js'
import { beginRun, endRun, type Lease } from '../history/run-journal.js'
import { countsOf } from '../json/groups.js'
import { isObject, type Json, type JsonObject } from '../json/json.js'
import { rangeAt } from '../manifest/reference-use.js'
import { placeOf } from '../manifest/source.js'
import type { Base } from '../planner/base/base-object.js'
import { asMade } from '../planner/base/base-object.js'
import { type Change, desiredAction, liveOf, type Plan } from '../planner/plan.js'
import { select } from '../planner/select.js'
import type { Ports } from '../ports/ports.js'
import { noCallsLeft, notReadBack } from '../problems/platform.js'
import { errorsIn, hasErrors, type Place, type Problem } from '../problems/problem.js'
import { lockLost } from '../problems/records.js'
import { changeNotDone, interruptedAtEnd, leftUndone } from '../problems/refusals.js'
import { maskedValue } from '../secrets/mask.js'
import type { RunHead, RunOutcome } from '../stores/record.js'
import { type Area, type Planned, planFrom, replanArea, targetDocument } from './area.js'
import { bringsMore } from './closing.js'
import type { PlanRequest } from './requests.js'

/** A plan that can be executed, its area, and the lock for it. */
export interface Start {
  readonly area: Area
  readonly lease: Lease
  readonly planned: Planned
  /** The number of requests before the reading right before the first write. */
  readonly sentBefore: number
  /** Messages about the plan. */
  readonly remarks: readonly Problem[]
  readonly purpose: RunHead['purpose']
  /** Writes the receipts of the run. */
  readonly keep: (run: Run, remaining: Plan) => Promise<void>
  /** Called before the first write. After that, a request in progress is finished even after an interruption. */
  readonly commit: () => void
  /** How long to poll for domains that wait for approval. */
  readonly waitDomainsMs: number
}

/** The result of a run. */
export interface RunResult {
  /**
   * `done`: everything was applied; `interrupted`: the user interrupted it; `incomplete`: some changes are not applied, or their
   * outcome is not known.
   */
  readonly is: RunOutcome
  readonly document: RunDocument
  /** Messages about the plan. */
  readonly remarks: readonly Problem[]
  /** The changes that were not made, at the lines that caused this. */
  readonly problems: readonly Problem[]
  /** The errors that ended the run early, in addition to the outcomes of its changes. */
  readonly failures: readonly Problem[]
  /** The requests of the whole command. */
  readonly traffic: ClientStats
}

/** Executes a plan and records it. `ports.signal` is the user's signal: after it, no new step starts. */
export async function executePlan(start: Start, request: PlanRequest, ports: Ports): Promise<RunResult> {
  const { area, lease, planned, sentBefore, purpose: why, remarks } = start
  const { plan } = planned
  const { platform } = area.desired.project
  const settings: RunInput['settings'] = {
    nesting: 'whole trees',
    prune: area.settings.prune,
    concurrency: platform.concurrency,
    conventionalOperations: platform.conventionalOperations,
    createPatienceMs: platform.createPatienceMs,
    waitDomainsMs: start.waitDomainsMs,
    restores: why.is === 'rollback',
  }
  const ahead = () => announcementsOf(plan, settings)
  const { journal, writing } = await beginRun(lease, { ...planned, purpose: why, ahead }, area, ports)
  start.commit()
  const signal = AbortSignal.any([ports.signal, lease.lock.lost])
  setMaxListeners(0, signal)
  const input: RunInput = {
    plan,
    client: area.client,
    settings,
    snapshot: planned.snapshot,
    // An interruption ends a wait. The waiting code then continues and notices the interruption.
    sleep: (milliseconds) => ports.sleep(milliseconds, signal).catch(() => undefined),
    now: ports.now,
    signal,
    onProgress: (progress) => ports.progress.applying(progress, plan.changes.length),
    journal: writing,
  }
  const purpose = plan.changes.some(bringsMore) ? 'after creates' : 'plan'
  let last: LastReading | undefined
  const run = await applyAndVerify(input, async (results, what) => {
    const before = what === 'touched' ? { planned, results } : undefined
    const known = knowing(area, plan, results)
    const again = await replanArea(known, request, ports, purpose, before)
    last = { area: known, planned: again }
    return again
  })
  const keep: Start['keep'] = (run, remaining) => start.keep(run, foundById({ run, remaining }, last, request, ports))
  const ending = { run, planned, lease, journal, writing, area, keep }
  const broken = await problemsDuring(() => endRun(ending, ports))
  const failures = [
    ...(lease.lock.lost.aborted ? [lockLost(area.access.area)] : []),
    ...(run.unread === undefined ? [] : thrownProblems(run.unread).map(notReadBack)),
    ...(run.quota === undefined ? [] : [noCallsLeft(run.quota)]),
    ...errorsIn(run.remaining?.problems ?? []),
    ...broken,
  ]
  const requests = area.client.stats().requests - sentBefore
  const ended = { name: lease.run, plan, run, area, requests, purpose: why, remarks, failures }
  return { ...runResult(ended), is: endOf(run, broken, lease) }
}

/** The last reading of a run, and the area with the changes of the run in its base. */
interface LastReading {
  readonly area: Area
  readonly planned: Planned
}

/**
 * The plan after a run, for its receipts. If a platform stores an object under another name than the sent one, the object is
 * found by its id, as in reports. Otherwise a report would say that somebody had changed it (A441).
 */
function foundById(
  { run, remaining }: { readonly run: Run; readonly remaining: Plan },
  last: LastReading | undefined,
  request: PlanRequest,
  ports: Ports,
): Plan {
  const isMadeHere = (change: Change): boolean => {
    const result = run.results.get(change.address)
    return change.action === 'create' && result?.outcome === 'notKept' && result.id !== undefined
  }
  if (!last || !remaining.changes.some(isMadeHere)) return remaining
  const area: Area = { ...last.area, settings: { ...last.area.settings, madeFor: 'report' } }
  return select(planFrom(area, last.planned, ports), area.desired.manifests, request)
}

/** A run that writes nothing: the live objects are as declared. `adopted`: the number of those that no run knew. */
export function emptyRun(ended: Unperformed, adopted = 0): RunResult {
  const run = unperformed(ended, new Map())
  return adopted === 0 ? run : { ...run, document: { ...run.document, recorded: adopted } }
}

/** A run that was not confirmed: none of its changes was started. */
export function declinedRun(ended: Omit<Unperformed, 'name'>): RunResult {
  const error = because('the answer was no')
  const results = ended.plan.changes.map((change): [string, ChangeResult] => {
    const id = liveOf(change)?.id
    return [change.address, { outcome: 'notStarted', id, error }]
  })
  return unperformed({ ...ended, name: null }, new Map(results))
}

const unperformed = (ended: Unperformed, results: Run['results']): RunResult => ({
  ...runResult({
    ...ended,
    run: { results, interrupted: false, remaining: undefined },
    requests: ended.area.client.stats().requests,
    failures: [],
  }),
  is: 'done',
})

type Unperformed = Pick<Ended, 'name' | 'plan' | 'area' | 'purpose' | 'remarks'>

interface Ended {
  /** Null if no run is recorded. */
  readonly name: string | null
  readonly plan: Plan
  readonly run: Pick<Run, 'results' | 'interrupted' | 'remaining'>
  readonly area: Area
  readonly requests: number
  readonly purpose: RunHead['purpose']
  readonly remarks: readonly Problem[]
  readonly failures: readonly Problem[]
}

function runResult(ended: Ended): Omit<RunResult, 'is'> {
  const { name, plan, run, area, requests, purpose, remarks, failures } = ended
  const results = plan.changes.flatMap((change) => {
    const result = run.results.get(change.address)
    return result ? [{ change, result: masked(result, area.mask) }] : []
  })
  const undone = results.filter(({ result }) => result.outcome !== 'applied').length
  // If there are other failures too, the message says so.
  const end = run.remaining ? 'read again' : 'not read again'
  const atEnd = undone > 0 ? leftUndone(undone, purpose) : interruptedAtEnd(end)
  const left = run.interrupted && (undone > 0 || failures.length === 0) ? [atEnd] : []
  const above = reportedAbove(results.map(runChange))
  const inside = countsOf(above.values())
  const reported = results.filter(({ change }) => !above.has(change.address))
  const problems = [...reported.flatMap((each) => problemOf(each, inside.get(each.change.address) ?? 0)), ...left]
  const allProblems = [...remarks, ...failures, ...problems]
  const of = purpose.is === 'rollback' ? purpose.of : null
  const what = { target: targetDocument(area), purpose: purpose.is, of, run: name }
  return {
    document: runDocument({ ...what, results, requests, problems: allProblems, accepted: plan.accepted.length }),
    remarks,
    problems,
    failures,
    traffic: area.client.stats(),
  }
}

function masked(result: ChangeResult, mask: (text: string) => string): ChangeResult {
  if (result.outcome === 'applied') return result
  const { error, left } = result
  const complaints = error.complaints.map((each) => ({ ...each, message: mask(each.message) }))
  const reported = Object.entries(left ?? {}).map(([name, value]): [string, Json] => [name, maskedValue(value, mask)])
  return {
    ...result,
    error: { ...error, message: mask(error.message), complaints },
    ...(left && { left: Object.fromEntries(reported) }),
  }
}

/**
 * A platform error with its property messages, at the manifest line that caused it. `inside`: the number of objects inside it
 * with the same error.
 */
function problemOf(
  { change, result }: { readonly change: Change; readonly result: ChangeResult },
  inside: number,
): readonly Problem[] {
  if (result.outcome === 'applied' || result.outcome === 'notStarted') return []
  const [blamed] = result.error.complaints.filter((each) => each.property !== undefined)
  const named = blamed?.property && `/${blamed.property.replaceAll(/\[(\d+)\]/g, '/$1').replaceAll('.', '/')}`
  const place = placeFor(change, result.outcome === 'notKept' ? result.path : named)
  return [
    changeNotDone(change.address, desiredAction(change), { ...result, inside }, changeErrorText(result.error), place),
  ]
}

function placeFor(change: Change, pointer = ''): Place | undefined {
  if (!change.source) return undefined
  return placeOf('resource' in change ? rangeAt(change.resource, pointer) : change.source)
}

/**
 * Returns the problems of the work instead of throwing them, so that the results of the run are reported even if its end fails.
 */
async function problemsDuring(work: () => Promise<void>): Promise<readonly Problem[]> {
  try {
    await work()
    return []
  } catch (error) {
    return thrownProblems(error)
  }
}

/**
 * The area with the changes of the run so far in its base. The base is the only source for values that the platform does not
 * return.
 */
function knowing(area: Area, plan: Plan, results: ReadonlyMap<string, ChangeResult>): Area {
  const { base } = plan
  const objects = new Map(base?.objects)
  for (const change of plan.changes) {
    const result = results.get(change.address)
    if (!result || !(isApplied(result) || isMade(change, result))) continue
    const image = afterImage(change, plan, area.last)
    // Deleted objects and unset values remain in the base: the platform may still have them, whatever it answered.
    if (!image || change.action === 'delete' || isUnapplied(change, base)) continue
    const { address, kind } = change
    const known = objects.get(address)
    const fields = change.action === 'update' ? withUnset(image.fields, known?.fields ?? {}) : image.fields
    const made = asMade(known, { address, kind, id: result.id, ...image, fields })
    objects.set(address, change.action === 'update' ? made : { ...made, isNew: true })
  }
  const known: Base = { origin: base?.origin ?? 'this run', objects }
  return { ...area, last: { ...area.last, base: known } }
}

/** The fields, with the earlier values of fields that are empty now. */
const withUnset = (now: JsonObject, before: JsonObject): JsonObject =>
  recordOf(
    Object.entries(now).map(([name, value]) => {
      const earlier = ownValue(before, name)
      if (isObject(value) && isObject(earlier)) return [name, withUnset(value, earlier)]
      return [name, value ?? earlier ?? null]
    }),
  )

function endOf(run: Run, broken: readonly Problem[], { lock }: Lease): RunResult['is'] {
  const isUnknown = run.unread !== undefined || hasErrors(run.remaining?.problems ?? [])
  if (lock.lost.aborted || broken.length > 0 || isUnknown) return 'incomplete'
  if (run.interrupted) return 'interrupted'
  return [...run.results.values()].some((result) => result.outcome !== 'applied') ? 'incomplete' : 'done'
}
