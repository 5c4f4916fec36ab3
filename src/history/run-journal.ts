import { resolve } from 'node:path'
import type { Run } from '../applier/apply-and-verify.js'
import { type Announcement, type ChangeResult, hasDone, isMade, type RunJournal } from '../applier/run.js'
import { parseAddress } from '../catalog/address.js'
import { digest } from '../json/digest.js'
import { indexLive } from '../live/live-index.js'
import { type LiveObject, type Snapshot, withAllInside } from '../live/live-object.js'
import { typedValues } from '../manifest/compose/values.js'
import type { Project } from '../manifest/project.js'
import type { Manifests } from '../manifest/resource.js'
import type { Change, Plan, PlanSettings } from '../planner/plan.js'
import { isAddedByPlatform } from '../planner/prune/ownership.js'
import type { Ports } from '../ports/ports.js'
import { type Problem, ProblemError } from '../problems/problem.js'
import { areaNotNamed } from '../problems/project.js'
import { lockHeld, lockLost } from '../problems/records.js'
import type { Fence } from '../stores/fence.js'
import { runName } from '../stores/names.js'
import {
  type Announced,
  type Awaited,
  type HeldLock,
  isDone,
  type Journal,
  type Lock,
  type RunHead,
  type Taking,
} from '../stores/record.js'
import { isPartlyDone, openOf, settled } from './journal-entries.js'
import { type LastApplied, writeReceipts } from './last-applied.js'
import { receiptsAfter } from './receipts-after.js'
import { committedAt, workerOf } from './worker.js'

/** What the recorder must know of the area in which a run takes place. */
export interface RecordedArea {
  readonly access: { readonly area: string }
  readonly desired: {
    readonly project: Pick<Project, 'dir' | 'platform' | 'layers'>
    readonly manifests: Pick<Manifests, 'digest' | 'resources' | 'texts'>
    /** The commit that they were read at, instead of the working tree. */
    readonly from?: { readonly commit: string }
  }
  readonly settings: Pick<PlanSettings, 'prune' | 'madeFor'>
  readonly last: LastApplied
  readonly fence: Fence
  readonly mask: (text: string) => string
}

/** What a run was planned as, and what was live then. */
export interface PlannedRun {
  readonly plan: Plan
  readonly snapshot: Snapshot
}

/** A run that may begin: its name, and the lock that is its own until it is released. */
export interface Lease {
  readonly run: string
  readonly lock: Lock
}

/** A run that begins; `ahead` gives what can be announced before the first request. */
export interface BeginningRun extends PlannedRun, Pick<RunHead, 'purpose'> {
  readonly ahead?: () => readonly Announcement[]
}

/**
 * Takes the lock of the area, and waits for it as long as it is told to. Throws a ProblemError that says who holds it, or that
 * nobody knows which area is meant.
 */
export async function takeLease(
  area: RecordedArea,
  { lockTimeoutMs }: { readonly lockTimeoutMs: number },
  ports: Ports,
): Promise<Lease> {
  if (area.access.area === '') throw new ProblemError([areaNotNamed()])
  const run = runName(ports.now())
  const take = (): Promise<Taking> => area.last.records.lock(area.last.key, workerOf(ports), run)
  const end = ports.now() + lockTimeoutMs
  let taking = await take()
  let told: string | undefined
  while (taking.is === 'held') {
    // The holder may be gone: nothing but its silence tells.
    const isSilent = taking.freeInMs !== undefined
    const left = taking.freeInMs ?? end - ports.now()
    if (left <= 0) break
    const { heldBy, run: theirs } = taking.by
    const words = isSilent
      ? `for a sign of life of ${heldBy.who}, who holds the lock`
      : `for the lock, which ${heldBy.who} holds (${theirs === undefined ? '' : `run ${theirs}, `}process ${heldBy.pid} on ${heldBy.host})`
    if (words !== told) ports.progress.waiting(words)
    told = words
    await ports.sleep(Math.min(left, lookAgainMs), ports.signal)
    taking = await take()
  }
  if (taking.is === 'taken') {
    area.fence.open(taking.lock)
    return { run, lock: taking.lock }
  }
  throw new ProblemError([heldBy(taking.by)])
}

/** Throws a ProblemError if the lock is not held any more: what would be written down, another run may be writing. */
export async function unlessLockLost({ lock }: Lease, { access }: Pick<RecordedArea, 'access'>): Promise<void> {
  if (!(await lock.isHeld())) throw new ProblemError([lockLost(access.area)])
}

export const heldBy = ({ heldBy: holder, since, run }: HeldLock): Problem =>
  lockHeld({ ...holder, since: new Date(since).toISOString(), run })

const lookAgainMs = 2_000

/** Begins the journal of a run: nothing is sent that is not announced in it. */
export async function beginRun(
  { run }: Lease,
  { plan, snapshot, purpose, ahead = () => [] }: BeginningRun,
  area: RecordedArea,
  ports: Ports,
): Promise<{ readonly journal: Journal; readonly writing: RunWriting }> {
  const changes = plan.changes.map(({ address, kind, action }) => ({ address, kind, action }))
  const { project, manifests, from } = area.desired
  const texts = textsApplied(area)
  const values = purpose.is === 'apply' ? typedValues(project.layers, area.mask) : undefined
  // A rollback is made from the records alone: no file is read that could be another than in git.
  const read = purpose.is === 'apply' ? filesOf(manifests).map((file) => resolve(ports.cwd, file)) : []
  const tree = from
    ? { commit: from.commit, isDirty: false }
    : committedAt(resolve(ports.cwd, project.dir), read, ports.env)
  const awaited = stillAwaited(area, ports.now())
  const head: RunHead = {
    run,
    key: area.last.key,
    worker: workerOf(ports),
    started: ports.now(),
    commit: tree?.commit,
    ...(tree?.isDirty && { dirty: true as const }),
    plan: digest(
      JSON.stringify(plan.changes.map(({ address, action, precondition }) => [address, action, precondition])),
    ),
    manifests: manifests.digest,
    ...(texts !== undefined && purpose.is === 'apply' && { texts }),
    ...(values && { values }),
    ...(plan.isPart && { part: true as const }),
    purpose,
    changes,
    ...(awaited.length > 0 && { awaited }),
  }
  const at = ports.now()
  const announced = () => ahead().map((step): Announced => ({ is: 'announced', ...openOf(step, plan, area), at }))
  const journal = await area.last.records.begin(head, announced)
  return { journal, writing: writingTo(journal, { plan, snapshot }, area, ports) }
}

/**
 * What the next run must know of creates without an outcome, since it looks back no further than to this one, once it has
 * ended: what may still be carried out, and what no plan has told of yet, such as one of some of the manifests (A425).
 */
function stillAwaited({ desired, settings, last }: RecordedArea, now: number): readonly Awaited[] {
  const { createPatienceMs } = desired.project.platform
  const hasTold = settings.prune !== 'none' && settings.madeFor !== 'rollback' && !last.isGiven
  const declared = new Set(desired.manifests.resources.flatMap(({ address, implied }) => (implied ? [] : [address])))
  const isUntold = (address: string): boolean => !hasTold && !declared.has(address) && !isAdded(address)
  return last.awaited.filter(({ address, at }) => at + createPatienceMs > now || isUntold(address))
}

/** Whether a run would end the waiting for creates of earlier ones, since they are old enough and reported (A416). */
export const endsWaiting = (area: RecordedArea, now: number): boolean =>
  stillAwaited(area, now).length < area.last.awaited.length

function isAdded(address: string): boolean {
  const { kind, steps } = parseAddress(address) ?? {}
  return kind !== undefined && isAddedByPlatform({ kind, key: steps?.at(-1)?.name ?? '' })
}

/** What the environments that come after this one ask for; of a project without environments nobody does. */
const textsApplied = ({ desired: { project, manifests } }: Pick<RecordedArea, 'desired'>): string | undefined =>
  project.layers?.environment === undefined ? undefined : manifests.texts

/** Whether a run of all manifests would be news to the environments that come after this one. */
export function isNews(area: Pick<RecordedArea, 'desired' | 'last'>, plan: Plan): boolean {
  const texts = textsApplied(area)
  if (texts === undefined || plan.isPart) return false
  const { newest } = area.last
  return newest === undefined || !isDone(newest) || newest.head.texts !== texts || newest.head.part === true
}

/** The files that manifests were read from, each once. */
const filesOf = ({ resources }: Pick<Manifests, 'resources'>): readonly string[] => [
  ...new Set(
    resources.flatMap(({ mark, generatedBy }) =>
      [mark, ...(generatedBy ? [generatedBy] : [])].map((each) => each.source.file),
    ),
  ),
]

/** Where a run is written down, and what could not be. */
interface RunWriting extends RunJournal {
  /** The addresses of changes whose outcome is not written down yet. */
  readonly unwritten: ReadonlySet<string>
}

/** Writes down what a run does, with what stood before it. */
export function writingTo(
  journal: Pick<Journal, 'append'>,
  { plan, snapshot }: PlannedRun,
  area: RecordedArea,
  ports: Pick<Ports, 'now'>,
): RunWriting {
  const live = indexLive(snapshot)
  const unwritten = new Set<string>()
  return {
    unwritten,
    announce: (step) => journal.append({ is: 'announced', ...openOf(step, plan, area), at: ports.now() }),
    settle: async (change, result) => {
      unwritten.add(change.address)
      await journal.append({ is: 'settled', ...settled(change, result, { plan, area, live }), at: ports.now() })
      unwritten.delete(change.address)
    },
  }
}

export interface Ending {
  readonly run: Run
  readonly planned: PlannedRun
  readonly lease: Lease
  readonly journal: Journal
  readonly writing: RunWriting
  readonly area: RecordedArea
  readonly keep: (run: Run, remaining: Plan) => Promise<void>
}

/** Ends the journal, and writes the receipts where the area was read again: without that the journal stands for them. */
export async function endRun(ending: Ending, ports: Ports): Promise<void> {
  const { run, planned, lease, journal, writing, area, keep } = ending
  const { plan } = planned
  const remaining = run.remaining && new Map(run.remaining.changes.map((change) => [change.address, change]))
  const settling = { plan, area, live: indexLive(planned.snapshot), ...(remaining && { remaining }) }
  // What another run may be writing by now is left to it.
  const isOurs = await lease.lock.isHeld()
  for (const change of plan.changes) {
    const result = run.results.get(change.address)
    if (!result) continue
    // Only the closing reading tells: by then the journal has called it applied, or failed.
    const isSeen = result.outcome === 'applied' && result.seen !== undefined
    const isLate = isSeen || (run.remaining !== undefined && isPartlyDone(change, result))
    // A disk or a database that was away for a moment: without that outcome nobody could undo the change.
    if (!isLate && !writing.unwritten.has(change.address)) continue
    await journal.append({ is: 'settled', ...settled(change, result, settling), at: ports.now() })
  }
  if (run.remaining && isOurs) await keep(run, run.remaining)
  await journal.append({ is: 'ended', outcome: isOurs ? endOf(run, plan) : 'interrupted', at: ports.now() })
  await journal.close()
}

/** An "interrupted" run is one whose receipts were not written, whatever cut it off. */
function endOf({ results, remaining, interrupted }: Run, { changes }: Plan): 'done' | 'incomplete' | 'interrupted' {
  const outcomes = [...results.values()].map((result) => result.outcome)
  const isAnyDone = changes.some((change) => hasDone(change, results.get(change.address)))
  if (interrupted || (!remaining && isAnyDone)) return 'interrupted'
  return outcomes.every((outcome) => outcome === 'applied') ? 'done' : 'incomplete'
}

/** The fields that a run has written of an object that is not as it was declared. */
function writtenOf(
  change: Change,
  result: ChangeResult | undefined,
): readonly (readonly [string, readonly string[]])[] {
  if (change.action !== 'update' || !result || result.outcome === 'applied') return []
  const names = Object.keys(result.outcome === 'notKept' ? change.values : (result.left ?? {}))
  return names.length === 0 ? [] : [[change.address, names]]
}

/** What a run has done, and what is live after it. */
export interface EndedRun {
  readonly run: Run
  readonly plan: Plan
  /** What a plan of the same manifests says after the run. */
  readonly remaining: Plan
  /** The run's own name. */
  readonly name: string
}

/** Writes what is known now of every declared object; a run without changes takes live objects over as well. */
export async function keepReceipts({ run, plan, remaining, name }: EndedRun, area: RecordedArea): Promise<void> {
  const { receipts, base, fingerprint } = area.last
  const made = plan.changes.filter((change) => isMade(change, run.results.get(change.address)))
  const { keep, forget } = receiptsAfter({
    run: name,
    resources: area.desired.manifests.resources,
    plan: remaining,
    results: run.results,
    made: new Set(made.map((change) => change.address)),
    written: new Map(plan.changes.flatMap((change) => writtenOf(change, run.results.get(change.address)))),
    base,
    receipts,
    fingerprint,
    mask: area.mask,
  })
  // What this run has deleted was applied from here, and is no drift where nothing came in its place.
  const lost = plan.changes.flatMap((change) => removedBy(change, run.results.get(change.address)))
  const removed = new Set(lost.map(({ kind, id }) => `${kind} ${id}`))
  const gone = receipts.filter(({ kind, id }) => removed.has(`${kind} ${id}`)).map(({ address }) => address)
  const left = keep.filter(({ kind, id }) => !removed.has(`${kind} ${id}`))
  await writeReceipts(area.last, left, new Set([...forget, ...gone]))
}

/** The old object of a replace, once it is deleted, with all that was in it and has an id. */
const removedBy = (change: Change, result: ChangeResult | undefined): readonly LiveObject[] =>
  change.action === 'replace' && (isMade(change, result) || isRemoved(result))
    ? withAllInside([change.live]).filter(({ id }) => id !== '')
    : []

const isRemoved = (result: ChangeResult | undefined): boolean =>
  result !== undefined && result.outcome !== 'applied' && result.removed === true

/** A run without changes, from which on the journals of runs that were cut off before it tell nothing new (A109). */
export async function recordNothingDone(
  lease: Lease,
  planned: PlannedRun & Pick<RunHead, 'purpose'>,
  area: RecordedArea,
  ports: Ports,
): Promise<void> {
  const { journal } = await beginRun(lease, planned, area, ports)
  await journal.append({ is: 'ended', outcome: 'done', at: ports.now() })
  await journal.close()
}
