import { pausesWithin } from '../applier/existing.js'
import { awaitListed, type Missing, type MissingInput, missingIn, type Unlisted } from '../applier/missing.js'
import { nodeFiles } from '../files/files.js'
import { rangeOfName } from '../manifest/reference-use.js'
import { placeOf } from '../manifest/source.js'
import { match } from '../planner/match/match.js'
import type { Plan } from '../planner/plan.js'
import { claimKey } from '../planner/prune/ownership.js'
import type { Purpose } from '../planner/read-spec.js'
import type { Ports } from '../ports/ports.js'
import { notListed, perhapsBeingCreated, storedOtherwise } from '../problems/planning.js'
import { type Problem, ProblemError } from '../problems/problem.js'
import { type Area, type Planned, planArea } from './area.js'
import { maskedProblem } from './masking.js'
import type { PlanRequest } from './requests.js'
import { manifestsFor } from './settings.js'
import { keyNames } from './snapshot-area.js'

/**
 * `tell`: a command that only reads reports the objects for which apply would wait; `wait`: apply waits for them before it plans
 * to create them.
 */
type AnnouncedUse = 'tell' | 'wait'

/**
 * Reads the live area and plans. Objects that exist according to the records are waited for, and are never planned to be created
 * again. Objects that other environments desire do not count as unmanaged (A365).
 */
export async function planWithRecords(looking: Looking): Promise<Planned> {
  const { area, request, ports, purpose } = looking
  const plan = () => planArea(area, request, ports, purpose)
  const first = await plan()
  const planned = request.snapshot === undefined ? await withoutDoubles(first, plan, looking) : first
  return { ...planned, plan: await leftToOthers(planned.plan, planned, looking) }
}

/**
 * The plan without objects that other environments desire, or that manifests declare which `-f` does not name. These manifests are
 * read only if there are unmanaged objects.
 */
export async function leftToOthers(plan: Plan, planned: Pick<Planned, 'snapshot'>, looking: Looking): Promise<Plan> {
  // With the manifests of a commit, those of the working tree are not comparable.
  if (plan.unmanaged.length === 0 || looking.area.desired.from) return plan
  const own = await notInRest(plan.unmanaged, planned, looking)
  return { ...plan, unmanaged: await notElsewhere(own, planned, looking) }
}

type LeftOver = (
  unmanaged: Plan['unmanaged'],
  planned: Pick<Planned, 'snapshot'>,
  looking: Looking,
) => Promise<Plan['unmanaged']>

const notElsewhere: LeftOver = async (unmanaged, { snapshot }, { area, request, ports }) => {
  if (!area.elsewhere) return unmanaged
  const { unmanagedByAll } = await import('./write-back/other-environments.js')
  const shared = { target: area.access, snapshot, records: area.last, keyName: keyNames(ports) }
  return unmanagedByAll(unmanaged, area.elsewhere.layers, shared, request, ports)
}

/**
 * An object that a written list lacks may have a document of its own that `-f` does not name (A463). Throws a ProblemError if a
 * drift cannot tell, because a document cannot be read.
 */
const notInRest: LeftOver = async (unmanaged, { snapshot }, { area, request, ports, purpose, announced }) => {
  const { project } = area.desired
  const isLacking = unmanaged.some(({ inList }) => inList)
  if (!isLacking || request.paths.length === 0 || project.file === undefined) return unmanaged
  const input = { project, files: nodeFiles(ports.cwd) }
  const rest = await manifestsFor(input, request, ports)
  const { claimed } = match(rest, snapshot, keyNames(ports))
  const declared = new Set(
    [...claimed].flatMap(([{ kind, id }, { address, implicit }]) => (implicit ? [] : [claimKey(kind, id, address)])),
  )
  const left = unmanaged.filter(
    ({ kind, id, address, inList }) => !inList || !declared.has(claimKey(kind, id, address)),
  )
  const isDoubtful = rest.isAllRead === false && left.some(({ inList }) => inList)
  if (isDoubtful && purpose === 'drift' && announced === 'tell') {
    throw new ProblemError(rest.problems.map((each) => maskedProblem(each, ports.mask)))
  }
  return left
}

/** The input for making a plan. */
export interface Looking {
  readonly area: Area
  readonly request: PlanRequest
  readonly ports: Ports
  readonly purpose: Purpose
  readonly announced: AnnouncedUse
}

/** The same for a plan that is made in another way. `replan` reads the area again. */
export async function withoutDoubles(
  first: Planned,
  replan: () => Promise<Planned>,
  looking: Looking,
): Promise<Planned> {
  const { area, ports, announced } = looking
  const { sleep, signal } = ports
  const waiting = {
    sleep: (milliseconds: number) => sleep(milliseconds, signal).catch(() => undefined),
    signal,
  }
  let planned = first
  const given = new Set<string>()
  // The objects that were found by their names: one list may show an object before the list from which the plan is made.
  const found = new Map<string, Unlisted>()
  const pauses = [...pausesWithin(area.desired.project.platform.createPatienceMs)]
  // The parts of a tree may appear one by one, so this is repeated as long as objects appear.
  for (;;) {
    const hidden = planned.plan.changes.flatMap(({ action, address }) =>
      action === 'create' ? (found.get(address) ?? []) : [],
    )
    if (hidden.length > 0) {
      const pause = pauses.shift()
      if (pause === undefined || signal.aborted) return withProblems(planned, hidden, looking)
      reportWaiting(hidden, looking)
      await waiting.sleep(pause)
      planned = await replan()
      continue
    }
    const input = inputFor(planned, looking)
    const before = area.client.stats().requests
    const missing = (await missingIn(input)).filter(({ change }) => !given.has(change.address))
    planned = withRequests(planned, area.client.stats().requests - before)
    const late = missing
      .filter((each) => each.is !== 'renamed')
      .filter((each) => each.is === 'unlisted' || announced === 'wait')
    if (late.length === 0) return withProblems(planned, missing, looking)
    reportWaiting(late, looking)
    const many = late.flatMap((each) => (each.is === 'announced' ? [each] : []))
    if (many.length > requestedForEach) {
      await waiting.sleep(Math.max(...many.map(({ forMs }) => forMs)))
      for (const { change } of many) given.add(change.address)
      planned = await replan()
      continue
    }
    const listed = await awaitListed(late, input, waiting)
    for (const each of listed) found.set(each.change.address, each)
    const still = late.filter(({ change }) => !found.has(change.address))
    const unlisted = still.filter(({ is }) => is === 'unlisted')
    if (unlisted.length > 0) return withProblems(planned, unlisted, looking)
    for (const { change } of still) given.add(change.address)
    if (listed.length > 0) planned = await replan()
  }
}

/**
 * Up to so many announced creates are looked up one by one again and again, which can end the waiting early. For more of them,
 * the whole time is waited, and the lists are read once: records in git announce all steps of a run at its beginning (A121).
 */
const requestedForEach = 20

/** Adds the requests for recorded ids to the cost of the plan. */
const withRequests = (planned: Planned, requests: number): Planned =>
  requests === 0
    ? planned
    : { ...planned, usageCost: [...planned.usageCost, { collection: 'recorded ids', objects: requests, requests }] }

const inputFor = ({ plan, snapshot }: Planned, { area, ports }: Looking): MissingInput => ({
  plan,
  resources: area.desired.manifests.resources,
  snapshot,
  recorded: area.last.recorded,
  client: area.client,
  now: ports.now(),
  createPatienceMs: area.desired.project.platform.createPatienceMs,
})

function reportWaiting(late: readonly Missing[], { ports }: Looking): void {
  const [first] = late
  if (!first) return
  const more = late.length > 1 ? ` and ${late.length - 1} more` : ''
  ports.progress.waiting(
    first.is === 'announced'
      ? `up to ${seconds(first.forMs)} s for ${first.change.address}${more}, which an interrupted run may still be creating`
      : `for ${first.change.address}${more}, which exists and is not listed yet`,
  )
}

const seconds = (milliseconds: number): number => Math.ceil(milliseconds / 1000)

/** A drift reports such an object, and continues; a plan would be wrong. */
function withProblems(planned: Planned, missing: readonly Missing[], { purpose, announced }: Looking): Planned {
  if (missing.length === 0) return planned
  const severity = purpose === 'drift' && announced === 'tell' ? 'warning' : 'error'
  const problems = missing.map((each) => problemOf(each, severity))
  return { ...planned, plan: { ...planned.plan, problems: [...planned.plan.problems, ...problems] } }
}

function problemOf(missing: Missing, severity: 'error' | 'warning'): Problem {
  const { address, resource } = missing.change
  const place = placeOf(resource.range)
  switch (missing.is) {
    case 'renamed':
      return storedOtherwise(address, missing, severity, placeOf(rangeOfName(resource)))
    case 'unlisted':
      return notListed(address, missing.id, place)
    case 'announced':
      return perhapsBeingCreated(address, seconds(missing.forMs), place)
  }
}
