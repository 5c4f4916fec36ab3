import type { ClientStats } from '../client/types.js'
import { diagnosticOf } from '../documents/diagnostics.js'
import { type PlanContext, type PlanDocument, planDocument } from '../documents/plan.js'
import type { PoliciesDocument } from '../documents/policies.js'
import { withAllInside } from '../live/live-object.js'
import { typedValues } from '../manifest/compose/given-values.js'
import { placeOf } from '../manifest/source.js'
import { emptySelections } from '../planner/select.js'
import { type Allowance, refusals } from '../policy/refusals.js'
import type { Ports } from '../ports/ports.js'
import { secretsUnavailable } from '../problems/manifests.js'
import { noBase, noBaseToDelete } from '../problems/planning.js'
import { quotaTooSmall } from '../problems/platform.js'
import { hasErrors, type Problem, ProblemError } from '../problems/problem.js'
import { type Area, closeArea, openArea, type Planned, targetDocument } from './area.js'
import { estimateOf } from './estimate.js'
import { guardRefusals } from './guard.js'
import { planWithRecords } from './plan-with-records.js'
import type { PlanRequest } from './requests.js'
import { saveToFile } from './saved-plan.js'

/** A plan to show: its document, messages about it, and why apply would not execute it. */
export interface PlanResult {
  readonly document: PlanDocument
  /**
   * Messages for people, which are not in the document. Notes about manifests are left out, because `validate` reports them to
   * their authors.
   */
  readonly remarks: readonly Problem[]
  readonly refused: readonly Problem[]
  /** The requests that were sent. */
  readonly traffic: ClientStats
}

/** What else is done with a plan. */
interface PlanUse {
  /** The file in which it is saved for apply, relative to `cwd`. */
  readonly out: string | undefined
  /** Whether it is simulated on the embedded platform. */
  readonly prove: boolean
}

/**
 * The changes that apply would make, and why it would refuse them. Sends only GET. Throws a ProblemError if there can be no plan.
 */
export async function planProject(request: PlanRequest, { out, prove }: PlanUse, ports: Ports): Promise<PlanResult> {
  const area = await openArea(request, ports, 'to plan')
  try {
    const planned = await planWithRecords({ area, request, ports, purpose: 'plan', announced: 'tell' })
    const guarded = await guardRefusals(area, 'plan', request, ports)
    const result = planResult(area, planned, request, guarded)
    // Loaded only if requested, because it also loads the embedded platform.
    const proof = prove ? await (await import('./simulate.js')).simulate(area, planned, request, ports) : undefined
    const document = proof ? { ...result.document, proof } : result.document
    const unsaved = out === undefined ? [] : saveToFile(out, document, planned, { area, request }, ports)
    const traffic = area.client.stats()
    if (unsaved.length === 0) return { ...result, document, traffic }
    const diagnostics = [...document.diagnostics, ...unsaved.map(diagnosticOf)]
    return {
      document: { ...document, diagnostics },
      remarks: [...result.remarks, ...unsaved],
      refused: result.refused,
      traffic,
    }
  } finally {
    await closeArea(area)
  }
}

/**
 * The plan in the form for output. `guarded`: the reasons of the guard rails for not applying it. Throws a ProblemError if
 * manifests or plan have errors.
 */
export function planResult(
  area: Area,
  planned: Planned,
  request: PlanRequest,
  guarded: readonly Problem[],
): PlanResult {
  const found = [...planProblems(area, planned), ...unselected(area, planned, request), ...shortOfCalls(area, planned)]
  if (hasErrors(found)) throw new ProblemError(found)
  const policies = area.policies.evaluate(planned, area)
  const problems = [...found, ...withoutBase(area, planned), ...policies.warnings]
  const isEmpty = planned.plan.changes.length === 0
  const refused = isEmpty ? [] : [...guarded, ...refusalsOf(area, planned, request), ...policies.refused]
  const context = contextOf(area, planned, policies.document)
  const document = planDocument({ ...planned.plan, problems }, refused, context)
  return { document, remarks: remarksIn(problems, area), refused, traffic: area.client.stats() }
}

/** The problems without the notes about manifests. For unavailable secrets, only their number. */
export function remarksIn(problems: readonly Problem[], area: Area): readonly Problem[] {
  const ofManifests = new Set(area.desired.problems)
  const unset = area.desired.problems.filter(({ code }) => code === 'secret-unavailable').length
  return [
    ...problems.filter((problem) => problem.severity !== 'note' || !ofManifests.has(problem)),
    ...(unset > 0 ? [secretsUnavailable(unset)] : []),
  ]
}

/** Why apply would refuse a plan, by the request and the project file. */
export function refusalsOf(area: Area, planned: Planned, request: PlanRequest): readonly Problem[] {
  const allowance: Allowance = {
    replace: request.allowReplace,
    skipBlocked: request.skipBlocked,
    take: request.take,
    hazards: request.allow,
    limits: area.desired.project.limits,
    guard: area.guard && { ...area.guard, prune: area.settings.prune },
  }
  // A rollback reads only a small part of the area.
  const looked = withAllInside(planned.snapshot.objects).length
  return refusals(planned.plan, allowance, Math.max(looked, area.last.stored.length))
}

/** Problems of the manifests and of the plan, in this order. */
export const planProblems = (area: Area, { plan }: Planned): readonly Problem[] => [
  ...area.desired.problems,
  ...plan.problems,
]

/** Errors if a selection selects nothing. */
export const unselected = (area: Area, { plan }: Planned, request: PlanRequest): readonly Problem[] =>
  emptySelections(plan, area.desired.manifests, request)

/**
 * Messages about a missing base. They are reported even for an empty plan: otherwise it would look as if there were nothing to
 * delete.
 */
export function withoutBase({ desired, last, settings }: Area, { plan: { changes } }: Planned): readonly Problem[] {
  if (last.base || last.doubts.length > 0) return last.doubts
  if (settings.prune === 'applied') {
    const recordsKept = desired.project.records.startsWith('file:') ? 'are a folder' : 'last'
    return [noBaseToDelete(recordsKept, changes.some(({ action }) => action === 'delete') ? 'by name' : 'nothing')]
  }
  return changes.length > 0 ? [noBase()] : []
}

/** A warning if apply will send more requests than the platform permits for the rest of the day. */
function shortOfCalls(area: Area, planned: Planned): readonly Problem[] {
  const { quota } = area.client.stats()
  if (!quota || planned.plan.changes.length === 0) return []
  const left = Math.max(0, quota.allotted - quota.used)
  const { requests } = estimateOf(area.desired.project, area.settings, planned)
  return requests > left ? [quotaTooSmall(requests, left)] : []
}

/** The input for the documents of plan and drift. */
export function contextOf(area: Area, planned: Planned, policies?: PoliciesDocument): PlanContext {
  const { manifests } = area.desired
  return {
    target: targetDocument(area),
    snapshot: area.snapshot,
    appliedIn: area.desired.from,
    values: typedValues(area.desired.project.layers, area.mask),
    manifests: () => manifests.digest,
    base: area.last.base?.origin ?? null,
    estimate: estimateOf(area.desired.project, area.settings, planned),
    policies,
    placeOf,
    fingerprint: area.last.fingerprint,
    mask: area.mask,
  }
}
