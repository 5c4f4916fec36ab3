import { nothingRun, type Run } from '../applier/apply-and-verify.js'
import { type PlannedChange, type Strictness, staleChanges } from '../applier/stale.js'
import { withDiagnostics } from '../documents/diagnostics.js'
import type { NoticeContent } from '../documents/notice.js'
import { planDocument } from '../documents/plan.js'
import type { SavedPlan } from '../documents/saved-plan.js'
import { readAgain } from '../history/last-applied.js'
import {
  endsWaiting,
  isNews,
  keepReceipts,
  type Lease,
  recordNothingDone,
  takeLease,
  unlessLockLost,
} from '../history/run-journal.js'
import type { Plan } from '../planner/plan.js'
import { secretsNeeded } from '../policy/secrets-needed.js'
import { interruptible } from '../ports/interruption.js'
import type { Ports } from '../ports/ports.js'
import { hasErrors, type Problem, ProblemError } from '../problems/problem.js'
import { badUsage } from '../problems/project.js'
import { type Approver, approvalOf, nameToType, otherName } from './approval.js'
import { type Area, closeArea, openArea, type Planned, planArea } from './area.js'
import { declinedRun, emptyRun, executePlan, type RunResult } from './execute-plan.js'
import { guardRefusals } from './guard.js'
import { mayMissSome } from './missed.js'
import { problemContent, runContent } from './notify/content.js'
import { type Watched, withNotices } from './notify/notify.js'
import { contextOf, planProblems, planResult, refusalsOf, remarksIn, unselected, withoutBase } from './plan.js'
import { planWithRecords } from './plan-with-records.js'
import type { ApplyRequest } from './requests.js'
import { undoneIn } from './resume.js'
import { asSaved, readFromFile, unfitHere } from './saved-plan.js'

/** The result of an apply or of a rollback. */
export type ApplyResult =
  /** Nothing was sent: it is not permitted, or the plan differs from the approved one. */
  | { readonly is: 'refused' | 'stale'; readonly problems: readonly Problem[] }
  /** The user answered "no". The run contains the changes, which were not started. */
  | { readonly is: 'declined'; readonly run: RunResult }
  | { readonly is: 'unchanged'; readonly run: RunResult }
  | { readonly is: 'performed'; readonly run: RunResult }

/**
 * Applies a saved plan, or a new plan after its approval. Then it reads the area and plans again. A failure is reported to
 * webhooks.
 */
export const applyProject = (request: ApplyRequest, approver: Approver, ports: Ports): Promise<ApplyResult> =>
  withNotices(watched, request, ports, () => applyPlan(request, approver, ports))

const watched: Watched<ApplyResult> = {
  command: 'apply',
  outcomes: (result) => {
    const content = failureIn(result)
    return content === 'nothing to tell' ? [] : [{ matter: 'failed apply', content }]
  },
  withWarnings: (result, warnings) => {
    // Reasons why nothing was sent are no document.
    if (!('run' in result)) return result
    return { ...result, run: { ...result.run, document: withDiagnostics(result.run.document, warnings) } }
  },
}

/** Undefined: it did not fail. */
function failureIn(result: ApplyResult): NoticeContent | undefined | 'nothing to tell' {
  switch (result.is) {
    case 'refused':
    case 'stale':
      return problemContent(result.problems)
    case 'declined':
      return 'nothing to tell'
    case 'unchanged':
      return undefined
    case 'performed': {
      const { is, document, failures } = result.run
      if (is === 'interrupted') return 'nothing to tell'
      return is === 'done' ? undefined : runContent(document, failures)
    }
  }
}

async function applyPlan(request: ApplyRequest, approver: Approver, ports: Ports): Promise<ApplyResult> {
  if (request.resume && request.planFile !== undefined) {
    throw new ProblemError([badUsage('--resume takes no saved plan', 'leave out one of the two')])
  }
  if (request.replan && request.planFile === undefined) {
    throw new ProblemError([
      badUsage('--replan is about a saved plan', 'name its file: gatewright apply FILE --replan'),
    ])
  }
  const { planFile } = request
  const read = planFile === undefined ? undefined : await readFromFile(planFile, request, ports)
  if (read?.is === 'changed') return { is: 'stale', problems: [read.problem] }
  const saved = read?.plan
  if (saved && request.appliedIn !== undefined && request.appliedIn !== saved.appliedIn?.environment) {
    throw new ProblemError([badUsage('--applied-in says something else than the saved plan', 'leave it out')])
  }
  const { ports: reading, commit } = interruptible(ports)
  const asPlanned = saved ? asSaved(saved, request, ports) : request
  const opened = await openArea(asPlanned, reading, 'to plan')
  try {
    const unfit = saved ? unfitHere(saved, opened, request) : []
    if (unfit.length > 0) return { is: 'stale', problems: unfit }
    const misnamed = otherName(opened, request)
    if (misnamed.length > 0) return { is: 'refused', problems: misnamed }
    const lease = await takeLease(opened, request, ports)
    try {
      const area = { ...opened, last: await readAgain(opened.last, opened.desired.project, asPlanned, ports) }
      const ready = await (saved
        ? fromFile(saved, area, asPlanned, approver, reading)
        : fresh(area, asPlanned, approver, reading))
      if ('problems' in ready) return ready
      const { plan } = ready.planned
      const unperformed = { plan, area, purpose, remarks: ready.remarks }
      if (ready.is === 'declined') return { is: 'declined', run: declinedRun(unperformed) }
      if (plan.changes.length === 0) {
        const name = await nothingToDo({ area, lease, planned: ready.planned }, asPlanned, ports)
        const known = area.last.base?.objects
        const adopted = [...plan.matched.keys()].filter((address) => !known?.has(address)).length
        return { is: 'unchanged', run: emptyRun({ ...unperformed, name }, adopted) }
      }
      const keep = (run: Run, remaining: Plan) => keepReceipts({ run, plan, remaining, name: lease.run }, area)
      const { waitDomainsMs } = request
      const start = { area, lease, ...ready, purpose, keep, commit, waitDomainsMs }
      return { is: 'performed', run: await executePlan(start, asPlanned, ports) }
    } finally {
      await lease.lock.release()
    }
  } finally {
    await closeArea(opened)
  }
}

const purpose = { is: 'apply' } as const

/** A plan that can be executed now, or the end of the command. */
type Ready =
  | Extract<ApplyResult, { readonly is: 'refused' | 'stale' }>
  | {
      readonly is: 'ready' | 'declined'
      readonly planned: Planned
      readonly remarks: readonly Problem[]
      readonly sentBefore: number
    }

async function fresh(area: Area, request: ApplyRequest, approver: Approver, ports: Ports): Promise<Ready> {
  const whole = await planWithRecords({ area, request, ports, purpose: 'plan', announced: 'wait' })
  const undone = request.resume ? await undoneIn(area, whole.plan) : undefined
  const planned = undone ? onlyPlanned(whole, undone) : whole
  const guarded = await guardRefusals(area, 'fresh plan', request, ports)
  const result = planResult(area, planned, request, guarded)
  approver.show(result)
  const reasons = [...result.refused, ...secretsNeeded(planned.plan)]
  if (reasons.length > 0) return { is: 'refused', problems: reasons }
  const answer = planned.plan.changes.length === 0 ? 'already' : await approvalOf(area, request, approver, result)
  if (typeof answer === 'object') return answer
  const { remarks } = result
  if (answer === 'no') return { is: 'declined', planned, remarks, sentBefore: 0 }
  // Right before the first write, the objects in the plan are read again. This is not needed for a plan that was just made from
  // complete pages.
  const isFresh = answer === 'already' && !(await mayMissSome(planned, area.client))
  if (isFresh) return { is: 'ready', planned, remarks, sentBefore: 0 }
  const sentBefore = area.client.stats().requests
  const current = await planArea(area, request, ports, 'drift')
  const stale = staleIn(planned.plan.changes, current, 'strict', area)
  if (stale.length > 0) return { is: 'stale', problems: stale }
  return { is: 'ready', planned: onlyPlanned(current, planned.plan.changes), remarks, sentBefore }
}

/**
 * Prepares a saved plan, which is executed as it was shown: the values on which it relied are read again and must be the same.
 */
async function fromFile(
  saved: SavedPlan,
  area: Area,
  request: ApplyRequest,
  approver: Approver,
  ports: Ports,
): Promise<Ready> {
  const guarded = saved.changes.length === 0 ? [] : await guardRefusals(area, 'saved plan', request, ports)
  if (guarded.length > 0) return { is: 'refused', problems: guarded }
  const ready = await asItWasSaved(saved, area, request, ports)
  if (ready.is !== 'ready' || ready.planned.plan.changes.length === 0) return ready
  // The user has looked at the plan before saving it. So nobody is asked, unless the guard rails require the name, or the name is
  // given.
  if (request.confirm === undefined && !area.guard?.rails.confirm) return ready
  const document = planDocument({ ...ready.planned.plan, problems: [] }, [], contextOf(area, ready.planned))
  const displayed = { document, remarks: ready.remarks, refused: [], traffic: area.client.stats() }
  if (nameToType(area, request) !== undefined) approver.show(displayed)
  const answer = await approvalOf(area, request, approver, displayed)
  if (typeof answer === 'object') return answer
  if (answer === 'no') return { ...ready, is: 'declined' }
  return answer === 'yes' ? await asItWasSaved(saved, area, request, ports) : ready
}

async function asItWasSaved(saved: SavedPlan, area: Area, request: ApplyRequest, ports: Ports): Promise<Ready> {
  const sentBefore = area.client.stats().requests
  const current = await planWithRecords({ area, request, ports, purpose: 'drift', announced: 'wait' })
  const problems = [...planProblems(area, current), ...unselected(area, current, request)]
  if (hasErrors(problems)) throw new ProblemError(problems)
  const strictness = request.replan ? 'same effect' : 'strict'
  const stale = staleIn(saved.changes, current, strictness, area)
  if (stale.length > 0) return { is: 'stale', problems: stale }
  const planned = onlyPlanned(current, saved.changes)
  const policies = area.policies.evaluate(planned, area)
  const denied = planned.plan.changes.length === 0 ? [] : policies.refused
  const refused = [...refusalsOf(area, planned, request), ...denied, ...secretsNeeded(planned.plan)]
  if (refused.length > 0) return { is: 'refused', problems: refused }
  const reported = [...problems, ...withoutBase(area, current), ...policies.warnings]
  return { is: 'ready', planned, remarks: remarksIn(reported, area), sentBefore }
}

/** The changes that are stale now. Secrets that somebody may have written into other fields are masked. */
const staleIn = (
  planned: readonly PlannedChange[],
  { plan }: Planned,
  strictness: Strictness,
  { last, mask }: Area,
): readonly Problem[] =>
  staleChanges(planned, plan, strictness, last.fingerprint).map((problem) => ({
    ...problem,
    message: mask(problem.message),
  }))

/** The planned changes as they are now. New changes were not approved, so they are left out. */
function onlyPlanned(current: Planned, changes: readonly { readonly address: string }[]): Planned {
  const approved = new Set(changes.map((change) => change.address))
  const kept = current.plan.changes
    .filter((change) => approved.has(change.address))
    .map((change) => ({ ...change, dependsOn: change.dependsOn.filter((address) => approved.has(address)) }))
  const others = current.plan.changes.filter((change) => !approved.has(change.address))
  // An object whose change is not executed keeps its base.
  const skipped = [...current.plan.skipped, ...others.map(({ address }) => ({ address, paths: 'all' as const }))]
  const isPart = current.plan.isPart || others.length > 0
  return { ...current, plan: { ...current.plan, changes: kept, skipped, ...(isPart && { isPart: true as const }) } }
}

/**
 * Ends an apply without changes, which may adopt live objects: receipts record that they were as declared. Returns the name of
 * the run if it is recorded, otherwise null.
 */
async function nothingToDo(
  { area, lease, planned }: { readonly area: Area; readonly lease: Lease; readonly planned: Planned },
  request: ApplyRequest,
  ports: Ports,
): Promise<string | null> {
  const { plan } = planned
  const use = request.planFile === undefined ? 'fresh plan' : 'saved plan'
  await unlessLockLost(lease, area)
  await keepReceipts({ run: nothingRun(plan), plan, remaining: plan, name: lease.run }, area)
  const isWhole = plan.skipped.every(({ paths }) => paths !== 'all')
  // Guard rails of later environments check the last run of this one.
  const isReported = isNews(area, plan) && (await guardRefusals(area, use, request, ports)).length === 0
  const isEnd = area.last.interrupted.length > 0 || endsWaiting(area, ports.now())
  if (!isWhole || !(isEnd || isReported)) return null
  await recordNothingDone(lease, { ...planned, purpose }, area, ports)
  return lease.run
}
