import { resolve } from 'node:path'
import type { Run } from '../applier/apply-and-verify.js'
import { type Announcement, type ChangeResult, hasDone, isMade, type RunJournal } from '../applier/run.js'
import { parseAddress } from '../catalog/address.js'
import { digest } from '../json/digest.js'
import { indexLive } from '../live/live-index.js'
import { type LiveObject, type Snapshot, withAllInside } from '../live/live-object.js'
import { typedValues } from '../manifest/compose/given-values.js'
import type { Project } from '../manifest/project.js'
import type { Manifests } from '../manifest/resource.js'
import type { Change, Plan, PlanSettings } from '../planner/plan.js'
import { isAddedByPlatform } from '../planner/prune/ownership.js'
import type { Ports } from '../ports/ports.js'
import { type Problem, ProblemError } from '../problems/problem.js'
import { areaNotNamed } from '../problems/project.js'
import { lockHeld, lockLost, lockOfUnknown } from '../problems/records.js'
import type { Fence } from '../stores/fence.js'
import { runName } from '../stores/names.js'
import {
  type Announced,
  type Awaited,
  type HeldLock,
  isRunDone,
  type Journal,
  type Lock,
  type RunHead,
  type RunOutcome,
  type Taking,
  unknownWorker,
} from '../stores/record.js'
import { isPartlyDone, openOf, settledEntry } from './journal-entries.js'
import { type LastApplied, writeReceipts } from './last-applied.js'
import { receiptsAfter } from './receipts-after.js'
import { committedAt, workerOf } from './worker.js'

/** What the recorder must know of the area of a run. */
interface RecordedArea {
  readonly access: { readonly area: string }
  readonly desired: {
    readonly project: Pick<Project, 'dir' | 'platform' | 'layers'>
    readonly manifests: Pick<Manifests, 'digest' | 'resources' | 'texts'>
    /** The commit that the manifests were read at, instead of the working tree. */
    readonly from?: { readonly commit: string }
  }
  readonly settings: Pick<PlanSettings, 'prune' | 'madeFor'>
  readonly last: LastApplied
  readonly fence: Fence
  readonly mask: (text: string) => string
}

/** The plan of a run, and the live state when it was made. */
interface PlannedRun {
  readonly plan: Plan
  readonly snapshot: Snapshot
}

/** A run that may begin: its name, and the lock that it holds until it is released. */
export interface Lease {
  readonly run: string
  readonly lock: Lock
}

/** A run that begins; `ahead` returns the steps that can be announced before the first request. */
interface BeginningRun extends PlannedRun, Pick<RunHead, 'purpose'> {
  readonly ahead?: () => readonly Announcement[]
}

/**
 * Takes the lock of the area, and waits for it at most `lockTimeoutMs`. Throws a ProblemError that names the holder, or that says
 * that the area is not known.
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
  let reported: string | undefined
  while (taking.is === 'held') {
    // The holder may be gone, but only its silence shows that.
    const isSilent = taking.freeInMs !== undefined
    const left = taking.freeInMs ?? end - ports.now()
    if (left <= 0) break
    const { heldBy } = taking.by
    const words = isSilent
      ? `for a sign of life of ${heldBy.who}, who holds the lock`
      : `for the lock, which ${holderWords(taking.by)}`
    if (words !== reported) ports.progress.waiting(words)
    reported = words
    await ports.sleep(Math.min(left, lookAgainMs), ports.signal)
    taking = await take()
  }
  if (taking.is === 'taken') {
    area.fence.open(taking.lock)
    return { run, lock: taking.lock }
  }
  throw new ProblemError([heldBy(taking.by)])
}

const holderWords = ({ heldBy: { who, pid, host }, run }: HeldLock): string =>
  pid === unknownWorker.pid
    ? 'an unknown run holds'
    : `${who} holds (${run === undefined ? '' : `run ${run}, `}process ${pid} on ${host})`

/** Throws a ProblemError if the lock is no longer held: another run may be writing the same records. */
export async function unlessLockLost({ lock }: Lease, { access }: Pick<RecordedArea, 'access'>): Promise<void> {
  if (!(await lock.isHeld())) throw new ProblemError([lockLost(access.area)])
}

export function heldBy({ heldBy: holder, since: ms, run }: HeldLock): Problem {
  const since = new Date(ms).toISOString()
  return holder.pid === unknownWorker.pid ? lockOfUnknown(since) : lockHeld({ ...holder, since, run })
}

const lookAgainMs = 2_000

/** Begins the journal of a run: no request is sent that is not announced in it. */
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
  // A rollback needs only the records: it reads no file that could differ from git.
  const read = purpose.is === 'apply' ? filesOf(manifests).map((file) => resolve(ports.cwd, file)) : []
  const tree = from ? { commit: from.commit, isDirty: false } : committedAt(resolve(ports.cwd, project.dir), read)
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
 * Creates without an outcome that the next run must know, because it reads the records only back to this run, if this run ends
 * normally. They may still be carried out, or no plan has reported them yet, such as a plan of some of the manifests (A425).
 */
function stillAwaited({ desired, settings, last }: RecordedArea, now: number): readonly Awaited[] {
  const { createPatienceMs } = desired.project.platform
  const hasReported = settings.prune !== 'none' && settings.madeFor !== 'rollback' && !last.isGiven
  const declared = new Set(desired.manifests.resources.flatMap(({ address, implicit }) => (implicit ? [] : [address])))
  const isUnreported = (address: string): boolean => !hasReported && !declared.has(address) && !isAddedAddress(address)
  return last.awaited.filter(({ address, at }) => at + createPatienceMs > now || isUnreported(address))
}

/** Whether a run would end the waiting for creates of earlier runs, because they are old enough and reported (A416). */
export const endsWaiting = (area: RecordedArea, now: number): boolean =>
  stillAwaited(area, now).length < area.last.awaited.length

function isAddedAddress(address: string): boolean {
  const { kind, steps } = parseAddress(address) ?? {}
  return kind !== undefined && isAddedByPlatform({ kind, key: steps?.at(-1)?.name ?? '' })
}

/** The digest that later environments look for (`guard.after`); undefined for a project without environments. */
const textsApplied = ({ desired: { project, manifests } }: Pick<RecordedArea, 'desired'>): string | undefined =>
  project.layers?.environment === undefined ? undefined : manifests.texts

/** Whether a run of all manifests would change what later environments find (`guard.after`). */
export function isNews(area: Pick<RecordedArea, 'desired' | 'last'>, plan: Plan): boolean {
  const texts = textsApplied(area)
  if (texts === undefined || plan.isPart) return false
  const { newest } = area.last
  return newest === undefined || !isRunDone(newest) || newest.head.texts !== texts || newest.head.part === true
}

/** The files that manifests were read from, each once. */
const filesOf = ({ resources }: Pick<Manifests, 'resources'>): readonly string[] => [
  ...new Set(
    resources.flatMap(({ range, generatedBy }) =>
      [range, ...(generatedBy ? [generatedBy] : [])].map((each) => each.source.file),
    ),
  ),
]

/** Where a run is recorded, and what could not be recorded. */
interface RunWriting extends RunJournal {
  /** The addresses of changes whose outcome is not recorded yet. */
  readonly unwritten: ReadonlySet<string>
}

/** Records what a run does, and the values before it. */
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
    finish: async (change, result) => {
      unwritten.add(change.address)
      await journal.append({ is: 'settled', ...settledEntry(change, result, { plan, area, live }), at: ports.now() })
      unwritten.delete(change.address)
    },
  }
}

interface Ending {
  readonly run: Run
  readonly planned: PlannedRun
  readonly lease: Lease
  readonly journal: Journal
  readonly writing: RunWriting
  readonly area: RecordedArea
  readonly keep: (run: Run, remaining: Plan) => Promise<void>
}

/** Ends the journal, and writes the receipts if the area was read again; otherwise the journal takes their place. */
export async function endRun(ending: Ending, ports: Ports): Promise<void> {
  const { run, planned, lease, journal, writing, area, keep } = ending
  const { plan } = planned
  const remaining = run.remaining && new Map(run.remaining.changes.map((change) => [change.address, change]))
  const context = { plan, area, live: indexLive(planned.snapshot), ...(remaining && { remaining }) }
  // What another run may be writing by now is not written.
  const isOurs = await lease.lock.isHeld()
  for (const change of plan.changes) {
    const result = run.results.get(change.address)
    if (!result) continue
    // Only the closing reading shows the outcome: the journal already has it as applied, or failed.
    const isSeen = result.outcome === 'applied' && result.seen !== undefined
    const isLate = isSeen || (run.remaining !== undefined && isPartlyDone(change, result))
    // A disk or a database may have been unavailable for a moment. Without this outcome the change could not be undone.
    if (!isLate && !writing.unwritten.has(change.address)) continue
    await journal.append({ is: 'settled', ...settledEntry(change, result, context), at: ports.now() })
  }
  if (run.remaining && isOurs) await keep(run, run.remaining)
  await journal.append({ is: 'ended', outcome: isOurs ? endOf(run, plan) : 'interrupted', at: ports.now() })
  await journal.close()
}

/** A run is "interrupted" if its receipts were not written, whatever the reason. */
function endOf({ results, remaining, interrupted }: Run, { changes }: Plan): RunOutcome {
  const outcomes = [...results.values()].map((result) => result.outcome)
  const isAnyDone = changes.some((change) => hasDone(change, results.get(change.address)))
  if (interrupted || (!remaining && isAnyDone)) return 'interrupted'
  return outcomes.every((outcome) => outcome === 'applied') ? 'done' : 'incomplete'
}

/** The fields that a run has written of an object that is not as declared. */
function writtenOf(
  change: Change,
  result: ChangeResult | undefined,
): readonly (readonly [string, readonly string[]])[] {
  if (change.action !== 'update' || !result || result.outcome === 'applied') return []
  const areAll = result.outcome === 'notKept' || result.part
  const names = Object.keys(areAll ? change.values : (result.left ?? {}))
  return names.length === 0 ? [] : [[change.address, names]]
}

/** What a run has done, and the live state after it. */
export interface EndedRun {
  readonly run: Run
  readonly plan: Plan
  /** A plan of the same manifests after the run. */
  readonly remaining: Plan
  /** The name of the run. */
  readonly name: string
}

/** Writes the receipts of every declared object; a run without changes takes over live objects as well. */
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
  // An object that this run has deleted was applied by this project. If nothing replaced it, that is not drift.
  const lost = plan.changes.flatMap((change) => removedBy(change, run.results.get(change.address)))
  const removed = new Set(lost.map(({ kind, id }) => `${kind} ${id}`))
  const gone = receipts.filter(({ kind, id }) => removed.has(`${kind} ${id}`)).map(({ address }) => address)
  const left = keep.filter(({ kind, id }) => !removed.has(`${kind} ${id}`))
  await writeReceipts(area.last, left, new Set([...forget, ...gone]))
}

/** The old object of a replace after it is deleted, with everything in it that has an id. */
const removedBy = (change: Change, result: ChangeResult | undefined): readonly LiveObject[] =>
  change.action === 'replace' && (isMade(change, result) || isRemoved(result))
    ? withAllInside([change.live]).filter(({ id }) => id !== '')
    : []

const isRemoved = (result: ChangeResult | undefined): boolean =>
  result !== undefined && result.outcome !== 'applied' && result.removed === true

/** Records a run without changes. After it, the journals of earlier interrupted runs are no longer needed (A109). */
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
