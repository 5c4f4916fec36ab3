import { nothingRun, type Run } from '../applier/apply-and-verify.js'
import { planDocument } from '../documents/plan.js'
import { withFound, withIdsNow } from '../history/amended-record.js'
import { lastApplied, readAgain } from '../history/last-applied.js'
import { receiptsAfterUndo } from '../history/receipts-after-undo.js'
import { recordNothingDone, takeLease, unlessLockLost } from '../history/run-journal.js'
import { type Undo, unansweredCreates, undoOf } from '../history/undo.js'
import { digest } from '../json/digest.js'
import { noManifests } from '../manifest/resource.js'
import type { Plan } from '../planner/plan.js'
import { nothingAccepted } from '../planner/safety/acceptance.js'
import { addressMatcher } from '../planner/select.js'
import { interruptible } from '../ports/interruption.js'
import type { Ports } from '../ports/ports.js'
import { hasErrors, ProblemError } from '../problems/problem.js'
import { runUnknown } from '../problems/records.js'
import { stillInManifests } from '../problems/refusals.js'
import { closedFence } from '../stores/fence.js'
import type { RunRecord } from '../stores/record.js'
import type { ApplyResult } from './apply.js'
import { type Approver, approvalOf, otherName } from './approval.js'
import { type Area, closeArea, type Planned } from './area.js'
import { connectionTo } from './connection.js'
import { elsewhereOf } from './declared-elsewhere.js'
import { declinedRun, emptyRun, executePlan, type Start } from './execute-plan.js'
import { guardOf, guardRefusals } from './guard.js'
import { learnFromProject } from './known-secrets.js'
import { contextOf, planProblems, refusalsOf, remarksIn } from './plan.js'
import { withoutDoubles } from './plan-with-records.js'
import { policiesOf, type RequestedArea } from './policies.js'
import { chosenProject } from './project.js'
import type { RollbackRequest } from './requests.js'
import { areaOf, planUndo } from './rollback-plan.js'
import { foundOf, lateSeen } from './rollback-waiting.js'
import { accessOf } from './settings.js'

/** Undoes the changes of a run if the live objects are still as the run left them. */
export async function rollbackRun(request: RollbackRequest, approver: Approver, ports: Ports): Promise<ApplyResult> {
  const { ports: reading, commit } = interruptible(ports)
  const opened = await openRecorded(request, reading)
  try {
    const misnamed = otherName(opened, request)
    if (misnamed.length > 0) return { is: 'refused', problems: misnamed }
    const lease = await takeLease(opened, request, ports)
    try {
      const current = { ...opened, last: await readAgain(opened.last, opened.desired.project, request, ports) }
      const undo = await undoIn(current, request, reading)
      const area = areaOf(current, undo)
      const plan = () => planUndo(area, undo, request, reading)
      const looking = { area, request, ports: reading, purpose: 'plan', announced: 'wait' } as const
      const planned = withWarning(await withoutDoubles(await lateSeen(plan, undo, looking), plan, looking), undo)
      const purpose = { is: 'rollback', of: undo.base.origin } as const
      // A rollback may restore values that are not permitted any more (A307).
      const policies = area.policies.evaluate(planned, { ...area, recorded: appliedIn(undo, current) })
      const remarks = [...remarksIn(planProblems(area, planned), area), ...policies.warnings]
      const isSelected = addressMatcher(request.select)
      const keep = (run: Run, remaining: Plan) =>
        receiptsAfterUndo(
          { run, plan: planned.plan, remaining, undo, name: lease.run, isSelected, mask: area.mask },
          current.last,
        )
      const ending = await ended({ area, planned, purpose, remarks, policies }, request, approver, reading)
      if (ending?.is === 'unchanged') {
        await unlessLockLost(lease, area)
        await keep(nothingRun(planned.plan), planned.plan)
        if (!isUndone({ area, planned, undo })) return ending
        await recordNothingDone(lease, { ...planned, purpose }, area, ports)
        return { ...ending, run: emptyRun({ plan: planned.plan, area, purpose, remarks, name: lease.run }) }
      }
      if (ending) return ending
      const start = { area, lease, planned, sentBefore: 0, remarks, purpose, keep, commit, waitDomainsMs: 0 }
      return { is: 'performed', run: await executePlan(start, request, ports) }
    } finally {
      await lease.lock.release()
    }
  } finally {
    await closeArea(opened)
  }
}

/**
 * Whether all interrupted runs are the undone run or rollbacks of it. Then it is known what these rollbacks have restored, and
 * nobody manages the objects that the run adopted, whatever their journals contain (A421).
 */
function isUndone({
  area,
  planned,
  undo,
}: {
  readonly area: Area
  readonly planned: Planned
  readonly undo: Undo
}): boolean {
  const { interrupted } = area.last
  const isOfThisRun = ({ head: { run, purpose } }: RunRecord): boolean =>
    (purpose.is === 'rollback' ? purpose.of : run) === undo.of.run
  return interrupted.length > 0 && interrupted.every(isOfThisRun) && !planned.plan.isPart
}

/** The area of a project without its manifests: only the records count. */
async function openRecorded(request: RollbackRequest, ports: Ports): Promise<Area> {
  const { project, problems } = chosenProject(request, ports)
  const manifests = { ...noManifests, digest: digest('') }
  const access = accessOf(project, request, ports)
  const guard = guardOf(project, access, request, ports)
  const { mask } = ports
  await learnFromProject(project, request, ports)
  const policies = await policiesOf(project, access, request, ports)
  const fence = closedFence()
  const client = await connectionTo({ access, project, mask, ...fence, logHttp: request.logHttp }, ports)
  const elsewhere = await elsewhereOf({ project }, access, request, ports)
  const last = await lastApplied(project, access, request, ports)
  const settings = {
    prune: 'applied',
    scope: project.scope,
    conventionalOperations: project.platform.conventionalOperations,
    // If somebody has changed what the run wrote, the live values are kept.
    take: 'live',
    allowReplace: request.allowReplace,
    goneBecause: 'the run made it',
    madeFor: 'rollback',
  } as const
  const desired = { project, manifests, problems }
  // A rollback restores the state before the run, whatever was accepted since.
  const accepted = nothingAccepted
  const shared = { desired, access, client, settings, mask, last, accepted, guard, policies, fence, elsewhere }
  return { ...shared, snapshot: undefined }
}

async function undoIn(opened: Area, { run }: RollbackRequest, ports: Ports): Promise<Undo> {
  const { last } = opened
  const found = await last.records.run(last.key, run)
  if (found) {
    const record = withIdsNow(found, last.receipts)
    const unanswered = unansweredCreates(record)
    return undoOf(unanswered ? withFound(record, await foundOf(unanswered, opened, ports)) : record)
  }
  const known = (await last.records.runs(last.key, ({ head }) => head.run)).slice(0, 5)
  throw new ProblemError([runUnknown(run, known)])
}

/** Adds a warning that the manifests may still contain what is undone: a rollback does not change them. */
function withWarning(planned: Planned, { of }: Undo): Planned {
  const { plan } = planned
  if (plan.changes.length === 0 || of.purpose.is !== 'apply') return planned
  return { ...planned, plan: { ...plan, problems: [...plan.problems, stillInManifests(of.run, of)] } }
}

/** The last applied values for policies, including those of objects that the run has deleted. */
function appliedIn({ done }: Undo, { last }: Area): RequestedArea['recorded'] {
  const before = new Map(done.map((each) => [each.address, { fingerprints: {}, ...each.before, labels: each.labels }]))
  return (address) => last.base?.objects.get(address) ?? before.get(address)
}

interface RollbackEnd extends Pick<Start, 'area' | 'planned' | 'purpose' | 'remarks'> {
  readonly policies: ReturnType<Area['policies']['evaluate']>
}

/** Shows the plan and asks. Returns the result if the plan is not executed, otherwise undefined. */
async function ended(
  { area, planned, purpose, remarks, policies }: RollbackEnd,
  request: RollbackRequest,
  approver: Approver,
  ports: Ports,
): Promise<ApplyResult | undefined> {
  const { plan } = planned
  const found = planProblems(area, planned)
  if (hasErrors(found)) throw new ProblemError(found)
  const problems = [...found, ...policies.warnings]
  const guarded = plan.changes.length === 0 ? [] : await guardRefusals(area, 'rollback', request, ports)
  const prune = plan.changes.some(({ action }) => action === 'delete') ? 'applied' : 'none'
  const requested = { ...area, settings: { ...area.settings, prune } } as const
  const refused =
    plan.changes.length === 0 ? [] : [...guarded, ...refusalsOf(requested, planned, request), ...policies.refused]
  const context = contextOf(area, planned, policies.document)
  const displayed = {
    document: planDocument({ ...plan, problems }, refused, context),
    remarks,
    refused,
    traffic: area.client.stats(),
  }
  approver.show(displayed)
  const unperformed = { plan, area, purpose, remarks }
  if (plan.changes.length === 0) return { is: 'unchanged', run: emptyRun({ ...unperformed, name: null }) }
  if (refused.length > 0) return { is: 'refused', problems: refused }
  const answer = await approvalOf(area, request, approver, displayed)
  if (typeof answer === 'object') return answer
  return answer === 'no' ? { is: 'declined', run: declinedRun(unperformed) } : undefined
}
