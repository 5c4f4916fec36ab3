import type { ChangeResult } from '../applier/run.js'
import type { Client, ReadCost, Reading } from '../client/types.js'
import type { TargetDocument } from '../documents/target.js'
import { type GivenBase, type LastApplied, lastApplied } from '../history/last-applied.js'
import { digest } from '../json/digest.js'
import type { ReadSpec } from '../live/live-object.js'
import { KnownReading } from '../manifest/known-reading.js'
import { projectIn } from '../manifest/project.js'
import { domainsStillUsed } from '../planner/domains-still-used.js'
import { makePlan, type PlanInput } from '../planner/make-plan.js'
import type { Change, Plan, PlanSettings } from '../planner/plan.js'
import { type Purpose, readSpecFor } from '../planner/read-spec.js'
import { domainSpec, doubtfulDomains, refusedDomains } from '../planner/refused-domains.js'
import type { Accepted } from '../planner/safety/acceptance.js'
import { select } from '../planner/select.js'
import { takenRoutes } from '../planner/taken-routes.js'
import { mayBeHazardous, withHazards } from '../policy/hazards.js'
import { tellsUsage, usageIn, usageSpec } from '../policy/usage.js'
import type { Mask } from '../ports/mask.js'
import type { Ports } from '../ports/ports.js'
import { hasErrors, ProblemError } from '../problems/problem.js'
import { offlineClient } from '../snapshot/file.js'
import { closedFence, type Fence } from '../stores/fence.js'
import { acceptedIn } from './accepted.js'
import { earlierFor, type PlannedReading } from './closing.js'
import { connectionTo } from './connection.js'
import { elsewhereOf, type OtherEnvironments } from './declared-elsewhere.js'
import { type Guard, guardOf } from './guard.js'
import { learnFromMatched } from './known-secrets.js'
import { maskedProblem } from './masking.js'
import { type AreaPolicies, noPolicies, policiesOf } from './policies.js'
import { type PlanRequest, pruneFor } from './requests.js'
import { accessOf, type Desired, plannedDesired, type Target, targetOfProject } from './settings.js'
import { keyNames, knownIn, readSnapshot, unknownSecrets } from './snapshot-area.js'

/** The manifests and the client for the live area: the input of plan, apply and drift. */
export interface Area {
  readonly desired: Desired
  readonly access: Target
  readonly client: Client
  readonly settings: PlanSettings
  readonly mask: Mask
  readonly last: LastApplied
  /** The snapshot file that is used instead of the live area. */
  readonly snapshot: string | undefined
  /** Drift that is left alone. */
  readonly accepted: Accepted
  /** The guard rails for changes of the area. */
  readonly guard: Guard | undefined
  /** The policies for changes of the area. There are none if the command changes nothing. */
  readonly policies: AreaPolicies
  /** Opened by the lock of a run. */
  readonly fence: Fence
  /** Absent: the project has no other environment. */
  readonly elsewhere?: OtherEnvironments | undefined
}

/** The target, for documents. */
export const targetDocument = ({ access, desired }: Pick<Area, 'access' | 'desired'>): TargetDocument => ({
  url: access.url,
  area: access.area,
  ...projectIn(desired.project),
})

/** Closes the connections of an area. */
export async function closeArea(area: Area): Promise<void> {
  await area.client.close()
  await area.last.records.close()
}

/**
 * Reads the manifests and makes a client, without sending anything. Throws a ProblemError if that is not possible. `to look`: the
 * policies are not loaded.
 */
export async function openArea(request: PlanRequest, ports: Ports, purpose: 'to plan' | 'to look'): Promise<Area> {
  // With a base in git, most manifests are read twice with the same text.
  const reading = request.base === undefined ? undefined : new KnownReading()
  const given = { ...request, reading }
  const read = await plannedDesired(request, ports, reading)
  if (hasErrors(read.problems)) throw new ProblemError(read.problems)
  const desired = { ...read, problems: read.problems.filter(({ answeredBy }) => answeredBy !== 'plan') }
  const { project } = desired
  const policies =
    purpose === 'to plan'
      ? await policiesOf(project, targetOfProject(project, request, ports), request, ports)
      : noPolicies
  if (request.snapshot !== undefined) return offlineArea({ desired, policies }, request.snapshot, given, ports)
  const access = accessOf(project, request, ports)
  const guard = guardOf(project, access, request, ports)
  const { mask } = ports
  const fence = closedFence()
  const client = await connectionTo({ access, project, mask, ...fence, logHttp: request.logHttp }, ports)
  const accepted = acceptedIn(project, access, request, ports)
  const settings = planSettings(project, request)
  const elsewhere = await elsewhereOf(desired, access, request, ports)
  // The caller closes what this opens, so nothing after it may fail.
  const last = await lastApplied(project, access, given, ports)
  const shared = { desired, access, client, settings, mask, last, accepted, guard, policies, fence, elsewhere }
  return { ...shared, snapshot: undefined }
}

/** An area that is only a snapshot file: nothing is sent, and no credentials are needed. */
async function offlineArea(
  { desired, policies }: Pick<Area, 'desired' | 'policies'>,
  file: string,
  request: PlanRequest & GivenBase,
  ports: Ports,
): Promise<Area> {
  const { project, manifests } = desired
  const reading = readSnapshot(file, knownIn(manifests), ports)
  const client = offlineClient(reading)
  const problems = [...desired.problems, ...unknownSecrets(file, manifests, reading.snapshot)]
  const { mask } = ports
  const access = targetOfProject(project, request, ports)
  const guard = guardOf(project, access, request, ports)
  const settings = planSettings(project, request)
  const accepted = acceptedIn(project, access, request, ports)
  const elsewhere = await elsewhereOf(desired, access, request, ports)
  const last = await lastApplied(project, access, request, ports)
  const offline = { access, client, settings, mask, last, snapshot: file, accepted, guard, policies, elsewhere }
  return { ...offline, fence: closedFence(), desired: { ...desired, problems } }
}

/** The settings of a plan, from the project and the request. */
export function planSettings(
  project: Desired['project'],
  request: Pick<PlanRequest, 'prune' | 'take' | 'allowReplace'> & Partial<Pick<PlanRequest, 'paths'>>,
): PlanSettings {
  return {
    prune: pruneFor({ paths: [], ...request }) ?? project.prune,
    scope: project.scope,
    conventionalOperations: project.platform.conventionalOperations,
    take: request.take,
    allowReplace: request.allowReplace,
  }
}

/** One reading of the area, and the plan that was made from it. */
export interface Planned extends PlannedReading {
  /** The cost of reading the users of changed objects, the domains, and the recorded objects. */
  readonly usageCost: readonly ReadCost[]
}

/** An earlier plan and the results of its changes: only the changed objects are read again. */
interface Before {
  readonly planned: Planned
  readonly results: ReadonlyMap<string, ChangeResult>
}

/** Reads the live area and plans. The plan has the warnings and hazards that are needed to decide about it. */
export async function planArea(area: Area, request: PlanRequest, ports: Ports, purpose: Purpose): Promise<Planned> {
  const planned = await replanArea(area, request, ports, purpose)
  if (area.settings.madeFor === 'report') return planned
  return withForeseen(area, planned.plan, planned, planned.spec)
}

/** Adds the warnings about what the platform and the other live objects will make of a plan, and its hazards. */
export async function withForeseen(
  area: Area,
  plan: Plan,
  reading: Pick<Reading, 'snapshot' | 'notOffered' | 'cost'>,
  spec: ReadSpec,
): Promise<Planned> {
  const { snapshot } = reading
  const found = [...takenRoutes(plan, snapshot), ...domainsStillUsed(plan, area.desired.manifests, snapshot)]
  const problems = [...plan.problems, ...found.map((each) => maskedProblem(each, area.mask))]
  const reported = found.length === 0 ? plan : { ...plan, problems }
  return withRefusedDomains(area, await withUsage(area, reported, reading, spec))
}

/** Reads the live area and plans the remaining changes, without warnings and hazards. */
export async function replanArea(
  area: Area,
  request: PlanRequest,
  ports: Ports,
  purpose: Purpose,
  before?: Before,
): Promise<Planned> {
  const { manifests } = area.desired
  const spec = readSpecFor(manifests, area.settings, purpose, area.last.base)
  // The whole result is not kept, so that the memory of the answers, which are as large again, can be freed.
  const { snapshot, notOffered, cost } = await area.client.read(
    spec,
    before && earlierFor(before.planned, before.results, spec),
  )
  const plan = select(planFrom(area, { snapshot, notOffered }, ports), manifests, request)
  return { snapshot, notOffered, cost, plan, usageCost: [], spec }
}

/** Adds warnings about host names that the platform will refuse. Reads the domains only if that is necessary. */
async function withRefusedDomains(area: Area, planned: Planned): Promise<Planned> {
  const { plan, snapshot } = planned
  const doubtful = doubtfulDomains(plan, area.desired.manifests, snapshot)
  if (doubtful.length === 0) return planned
  const spec = domainSpec()
  const isRead = [...spec.fields.keys()].every((kind) => snapshot.kinds.includes(kind))
  const read = isRead ? { ...planned, cost: [] } : await area.client.read(spec)
  if (read.notOffered.length > 0) return planned
  const refused = refusedDomains(doubtful, read.snapshot, plan).map((each) => maskedProblem(each, area.mask))
  const problems = [...plan.problems, ...refused]
  return { ...planned, plan: { ...plan, problems }, usageCost: [...planned.usageCost, ...read.cost] }
}

/** The plan that the manifests give for a reading. */
export function planFrom(
  area: Area,
  { snapshot, notOffered }: Pick<Reading, 'snapshot' | 'notOffered'>,
  ports: Ports,
): Plan {
  const input = {
    manifests: area.desired.manifests,
    snapshot,
    notOffered,
    settings: area.settings,
    base: area.last.base,
    fingerprint: area.last.fingerprint,
    ownedElsewhere: area.last.claimed,
    keyName: keyNames(ports),
    accepted: area.accepted,
    digest,
  }
  const plan = withoutElsewhere(makePlan(input), input, area)
  // When a platform refuses a request, its message may contain live values.
  learnFromMatched(area.desired.manifests.resources, plan.matched, area.mask)
  return { ...plan, problems: plan.problems.map((each) => maskedProblem(each, area.mask)) }
}

/**
 * The plan without deletes of what other environments declare in the area: their records may be elsewhere, so that they claim
 * nothing. Their manifests are composed only if the plan deletes something (A495).
 */
function withoutElsewhere(plan: Plan, input: PlanInput, { elsewhere }: Pick<Area, 'elsewhere'>): Plan {
  if (!elsewhere || !plan.changes.some(deletesSomething)) return plan
  const { declared, problems } = elsewhere.declaredIn(input.snapshot)
  const ownedElsewhere = new Set([...input.ownedElsewhere, ...declared.keys()])
  const planned = declared.size === 0 ? plan : makePlan({ ...input, ownedElsewhere, declaredElsewhere: declared })
  return planned.changes.some(deletesSomething) && problems.length > 0
    ? { ...planned, problems: [...planned.problems, ...problems] }
    : planned
}

const deletesSomething = (change: Change): boolean =>
  change.action === 'delete' || (change.action === 'blocked' && change.live !== undefined)

/** Adds the hazards to a plan. Reads the users of changed objects if they are not known yet. */
async function withUsage(
  area: Pick<Area, 'client'>,
  selected: Plan,
  { snapshot, notOffered, cost }: Pick<Reading, 'snapshot' | 'notOffered' | 'cost'>,
  spec: ReadSpec,
): Promise<Planned> {
  const planned = { plan: selected, snapshot, notOffered, cost, usageCost: [], spec }
  if (!mayBeHazardous(selected)) return planned
  const needed = usageSpec(selected)
  if (tellsUsage(snapshot, spec, needed)) {
    return { ...planned, plan: withHazards(selected, usageIn(snapshot), snapshot) }
  }
  const usage = await area.client.read(needed)
  return { ...planned, plan: withHazards(selected, usageIn(usage.snapshot), usage.snapshot), usageCost: usage.cost }
}
