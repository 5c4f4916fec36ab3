import { nothingRun, type Run } from '../applier/apply-and-verify.js'
import { lookPatiently, pausesWithin, type Waiting } from '../applier/existing.js'
import { addressAndAbove } from '../catalog/address.js'
import { catalog } from '../catalog/catalog.js'
import { hasOwnId } from '../catalog/queries.js'
import { planDocument } from '../documents/plan.js'
import { withFound, withIdsNow } from '../history/amended-record.js'
import { isMoreAppliedSince } from '../history/applied-since.js'
import { claimsIn, lastApplied, readAgain } from '../history/last-applied.js'
import { receiptsAfterUndo, takenOverBy } from '../history/receipts-after-undo.js'
import { withNamesSince } from '../history/renamed-since.js'
import { recordNothingDone, takeLease, unlessLockLost } from '../history/run-journal.js'
import {
  announcedBefore,
  recordedAddress,
  type Unanswered,
  type Undo,
  unansweredCreates,
  undoOf,
} from '../history/undo.js'
import { digest } from '../json/digest.js'
import { groupBy } from '../json/groups.js'
import { type LiveObject, withAllInside } from '../live/live-object.js'
import { declaredOf, noManifests, type Resource } from '../manifest/resource.js'
import type { Base, BaseObject } from '../planner/base/base-object.js'
import { lackingIn } from '../planner/changes/required.js'
import { answeredAt, isOfKey, pathOfPrint, printOf } from '../planner/compare/secret-values.js'
import { type Change, isCreating, type Plan } from '../planner/plan.js'
import { claimKey } from '../planner/prune/ownership.js'
import { readSpecFor } from '../planner/read-spec.js'
import { type Left, onlyAsLeft } from '../planner/rollback.js'
import { nothingAccepted } from '../planner/safety/acceptance.js'
import { addressMatcher, emptyGlobs, select } from '../planner/select.js'
import { interruptible } from '../ports/interruption.js'
import type { Ports } from '../ports/ports.js'
import { hasErrors, type Problem, ProblemError } from '../problems/problem.js'
import { runUnknown } from '../problems/records.js'
import { cannotUndo, leftAsItIs, managedNoMore, stillInManifests } from '../problems/refusals.js'
import { closedFence } from '../stores/fence.js'
import type { RunRecord } from '../stores/record.js'
import type { ApplyResult } from './apply.js'
import { type Approver, approvalOf, otherName } from './approval.js'
import { type Area, closeArea, type Planned, planFrom, withForeseen } from './area.js'
import { connectionTo } from './connection.js'
import { elsewhereOf } from './declared-elsewhere.js'
import { declinedRun, emptyRun, executePlan, type Start } from './execute-plan.js'
import { guardOf, guardRefusals } from './guard.js'
import { learnFromProject } from './known-secrets.js'
import { contextOf, planProblems, refusalsOf, remarksIn } from './plan.js'
import { type Looking, withoutDoubles } from './plan-with-records.js'
import { policiesOf, type RequestedArea } from './policies.js'
import { chosenProject } from './project.js'
import type { RollbackRequest } from './requests.js'
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

/**
 * The ids of objects that a run was about to create, by address. The platform may still be creating them, so they are waited for
 * as in apply. Objects are left out if they were announced long ago, or if a later run has a receipt of them: others may have
 * created them (A106).
 */
async function foundOf({ manifests, at }: Unanswered, area: Area, ports: Ports): Promise<ReadonlyMap<string, string>> {
  const { createPatienceMs } = area.desired.project.platform
  const forMs = Math.min(at + createPatienceMs - ports.now(), createPatienceMs)
  const declared = declaredOf(manifests.resources)
  const [first] = declared
  if (forMs <= 0 || !first) return new Map()
  ports.progress.waiting(`up to ${Math.ceil(forMs / 1000)} s for ${first.address}, which the run may still be creating`)
  const requested: Area = { ...area, desired: { ...area.desired, manifests }, last: { ...area.last, base: undefined } }
  const spec = readSpecFor(manifests, area.settings, 'plan', undefined)
  let found: ReadonlyMap<string, LiveObject> = new Map()
  const look = async (): Promise<true | undefined> => {
    found = planFrom(requested, await area.client.read(spec), ports).matched
    return declared.every(({ address }) => found.has(address)) || undefined
  }
  await lookPatiently(look, pausesWithin(forMs), waitingOf(ports))
  const known = claimsIn(area.last.receipts)
  return new Map(
    declared.flatMap((resource): [string, string][] => {
      const live = found.get(resource.address)
      const isNew = live && !known.has(claimKey(live.kind, live.id, resource.address))
      return isNew ? [[recordedAddress(resource), live.id]] : []
    }),
  )
}

const waitingOf = ({ sleep, signal }: Ports): Waiting => ({
  sleep: (milliseconds) => sleep(milliseconds, signal).catch(() => undefined),
  signal,
})

/**
 * The plan, as soon as it undoes everything that an interrupted run has done or may have done. Lists may still show the state
 * before, so they are read again for as long as after a create (A369).
 */
async function lateSeen(plan: () => Promise<Planned>, undo: Undo, { area, ports }: Looking): Promise<Planned> {
  let planned = await plan()
  const late = () => unseenIn(planned, undo)
  const { createPatienceMs } = area.desired.project.platform
  const waitedFor = late()
  const latest = waitedFor.reduce((most, { at }) => Math.max(most, at), Number.NEGATIVE_INFINITY)
  const forMs = Math.min(latest + createPatienceMs - ports.now(), createPatienceMs)
  const [first] = waitedFor
  if (forMs <= 0 || !first) return planned
  ports.progress.waiting(
    `up to ${Math.ceil(forMs / 1000)} s for the lists to show what the run has done to ${first.address}`,
  )
  const look = async (): Promise<true | undefined> => {
    planned = await plan()
    return late().length === 0 || undefined
  }
  const { sleep, signal } = waitingOf(ports)
  const [pause = 0, ...pauses] = pausesWithin(forMs)
  await sleep(pause)
  if (!signal.aborted) await lookPatiently(look, pauses, { sleep, signal })
  return planned
}

/** The changes of a run, or possible changes, that cannot be seen yet, so that the plan does not undo them. */
function unseenIn(
  { plan, snapshot }: Planned,
  { done, manifests }: Undo,
): readonly { readonly address: string; readonly at: number }[] {
  const late = done.flatMap((each) => (each.lateAt === undefined ? [] : [{ ...each, at: each.lateAt }]))
  if (late.length === 0) return []
  const listed = new Set(withAllInside(snapshot.objects).map(({ kind, id }) => `${kind} ${id}`))
  const touched = new Set([...plan.changes, ...plan.skipped].map(({ address }) => address))
  const restored = new Map(manifests.resources.map((resource) => [recordedAddress(resource), resource]))
  return late.filter(({ address, kind, action, id, isLeft }) => {
    if (action === 'update') {
      const resource = restored.get(address)
      return resource && isChanged(resource) && plan.matched.has(resource.address) && !touched.has(resource.address)
    }
    if (id === '' || isLeft || !hasOwnId(kind)) return false
    return action === 'delete' ? listed.has(`${kind} ${id}`) : action === 'create' && !listed.has(`${kind} ${id}`)
  })
}

const isChanged = ({ kind, fields, formerly }: Resource): boolean =>
  formerly.length > 0 || Object.keys(fields).some((name) => name !== catalog[kind].naming)

/** Adds a warning that the manifests still contain what is undone: a rollback does not change them. */
function withWarning(planned: Planned, { of }: Undo): Planned {
  const { plan } = planned
  if (plan.changes.length === 0 || of.purpose.is !== 'apply') return planned
  return { ...planned, plan: { ...plan, problems: [...plan.problems, stillInManifests(of.run, of)] } }
}

const areaOf = (opened: Area, undo: Undo): Area => ({
  ...opened,
  desired: { ...opened.desired, manifests: undo.manifests, problems: [...undo.manifests.problems, ...undo.problems] },
  last: { ...opened.last, base: withAnnounced(withReceipts(undo.base, opened.last), undo, opened.last) },
})

/** The last applied values for policies, including those of objects that the run has deleted. */
function appliedIn({ done }: Undo, { last }: Area): RequestedArea['recorded'] {
  const before = new Map(done.map((each) => [each.address, { fingerprints: {}, ...each.before, labels: each.labels }]))
  return (address) => last.base?.objects.get(address) ?? before.get(address)
}

/**
 * Adds the objects that an interrupted rollback was about to create again. Children that the platform added to them by itself are
 * then deleted as well.
 */
function withAnnounced(base: Base, undo: Undo, { base: last, interrupted }: Area['last']): Base {
  const announced = [...announcedBefore(undo, interrupted).creates].flatMap((address): [string, BaseObject][] => {
    const object = last?.objects.get(address)
    return object?.announced && !base.objects.has(address) ? [[address, object]] : []
  })
  return { ...base, objects: new Map([...base.objects, ...announced]) }
}

/**
 * Adds facts from the receipts. Children that the platform added to a created object are deleted with it, unless the run created
 * them itself, as a rollback that restores them does. Objects that are protected now are kept.
 */
function withReceipts(base: Base, { receipts }: Area['last']): Base {
  const noted = new Map(receipts.map((receipt) => [receipt.address, receipt]))
  const made = new Set([...base.objects.values()].map(({ kind, id = '' }) => `${kind} ${id}`))
  const objects = [...base.objects].map(([address, known]): [string, BaseObject] => {
    const { id, added: all, protect } = noted.get(address) ?? {}
    const added = all?.filter((each) => !made.has(`${each.kind} ${each.id}`))
    return [address, id === known.id ? { ...known, ...(added && { added }), ...(protect && { protect }) } : known]
  })
  return { ...base, objects: new Map(objects) }
}

/** The inverse of the run, without objects that are no longer as the run left them. */
async function planUndo(area: Area, undo: Undo, request: RollbackRequest, ports: Ports): Promise<Planned> {
  // One reading serves two plans: what must be restored, and whether created objects and their contents are unchanged.
  const all = {
    ...undo.manifests,
    resources: [...undo.manifests.resources, ...undo.created.resources],
    removals: undo.created.resources.map(({ address, kind, range }) => ({ address, kind, range })),
  }
  const spec = readSpecFor(all, area.settings, 'drift', undo.base)
  const reading = await area.client.read(spec)
  const created = {
    ...area,
    desired: { ...area.desired, manifests: undo.created },
    last: { ...area.last, base: undefined },
    // If an object does not exist any more, or refers to such an object, the others are still compared.
    settings: { ...area.settings, madeFor: 'report' } as const,
  }
  const asCreated = planFrom(created, reading, ports)
  const { plan, left: leaving } = onlyAsLeft(planFrom(area, reading, ports), {
    ids: new Map([...undo.base.objects].map(([address, { id = '' }]) => [address, id])),
    deleted: deletedIn(undo),
    announced: announcedBefore(undo, area.last.interrupted).creates,
    created: createdIn(undo, asCreated),
    moved: new Set([
      ...changedIn(asCreated),
      ...withOtherSecrets(undo, asCreated, area.last),
      ...withMoreSince(undo, asCreated, area.last),
    ]),
  })
  const left = withNamesSince(leaving, undo, { plan, objects: withAllInside(reading.snapshot.objects) })
  const leftWhole = new Set(left.map(({ address }) => address))
  const inPart = (plan.notRestored ?? []).filter(({ address }) => !leftWhole.has(address))
  const changed = [...undo.done, ...undo.manifests.resources, ...undo.created.resources, ...plan.changes]
  const takenOver = [...takenOverBy(undo, area.last.receipts)]
  const problems = [
    ...plan.problems,
    ...leftProblems(left),
    ...inPart.map(({ address, why }) => cannotUndo(address, why)),
    ...managedNoMore(takenOver.filter(addressMatcher(request.select)).sort()),
    ...emptyGlobs(request.select, [...new Set([...changed.map(({ address }) => address), ...takenOver])]),
  ]
  // Without manifests it is not known what is unmanaged, except for objects in a restored list.
  const unmanaged = plan.unmanaged.filter(({ inList }) => inList)
  const selected = select({ ...plan, unmanaged, released: undo.released, problems }, undo.manifests, request)
  const requested = { ...selected, problems: [...selected.problems, ...selected.changes.flatMap(lackingInRecreated)] }
  return withForeseen(area, requested, reading, spec)
}

/** Problems for the objects that are skipped. Objects that are skipped only because of their parent are counted there. */
function leftProblems(left: readonly Left[]): readonly Problem[] {
  const inside = groupBy(left, ({ within }) => within)
  return left.flatMap(({ address, why, within }) =>
    within === undefined ? [leftAsItIs(address, why, inside.get(address)?.length ?? 0)] : [],
  )
}

/** A problem if an object to create again does not have a field that the interface requires. */
const lackingInRecreated = (change: Change): readonly Problem[] =>
  isCreating(change) ? lackingIn(change.resource, change.values, 'create') : []

const changedIn = ({ changes }: Plan): readonly LiveObject[] =>
  changes.flatMap((change) => (change.action === 'create' ? [] : (change.live ?? [])))

/** The objects that the run created and that still exist. */
const createdIn = ({ created }: Undo, { matched }: Plan): ReadonlyMap<string, LiveObject> =>
  new Map(
    created.resources.flatMap(({ address, implicit }) => {
      const live = implicit ? undefined : matched.get(address)
      return live ? [[address, live]] : []
    }),
  )

/**
 * Objects that the run created with secrets, if one of the secrets has changed since. The records contain only fingerprints. If
 * another rollback has created an object again, its secrets are missing, and nobody has removed them.
 */
function withOtherSecrets(
  { created, done }: Undo,
  { matched }: Plan,
  { fingerprint, receipts }: Area['last'],
): readonly LiveObject[] {
  const made = new Map(done.map((each) => [each.address, each]))
  const recreated = new Set(receipts.flatMap(({ address, formerId }) => (formerId === undefined ? [] : [address])))
  return created.resources.flatMap((resource) => {
    const live = matched.get(resource.address)
    const recorded = recordedAddress(resource)
    const prints = Object.entries(made.get(recorded)?.after?.fingerprints ?? {})
    const isRecreated = addressAndAbove(recorded).some((each) => recreated.has(each))
    const isOther = ([key, print]: readonly [string, string]): boolean => {
      const path = pathOfPrint(key)
      const answered = live && answeredAt(live, path)
      if (answered === undefined || !isOfKey(print, fingerprint)) return false
      if (isRecreated && (answered ?? '') === '') return false
      return printOf(resource.kind, path, answered ?? '', fingerprint) !== print
    }
    return live && prints.some(isOther) ? [live] : []
  })
}

/** Objects that the run created and that a later run has changed in fields that the run did not write. */
function withMoreSince({ created, done }: Undo, { matched }: Plan, { receipts }: Area['last']): readonly LiveObject[] {
  const made = new Map(done.map((each) => [each.address, each]))
  const latest = new Map(receipts.map((receipt) => [receipt.address, receipt]))
  return created.resources.flatMap((resource) => {
    const live = matched.get(resource.address)
    const recorded = recordedAddress(resource)
    const [after, receipt] = [made.get(recorded)?.after, latest.get(recorded)]
    if (!live || !after || !receipt || (receipt.id !== '' && receipt.id !== live.id)) return []
    return isMoreAppliedSince(resource.kind, after, receipt.image) ? [live] : []
  })
}

/**
 * The addresses of objects that the run deleted. The members of a fixed set are included: they have no changes of their own,
 * because they were deleted with their parent.
 */
function deletedIn({ done, manifests: { resources } }: Undo): ReadonlySet<string> {
  const recorded = new Set(done.filter(({ action }) => action === 'delete').map(({ address }) => address))
  const deleted = new Set(resources.filter((each) => recorded.has(recordedAddress(each))).map(({ address }) => address))
  const members = resources.filter(({ kind, parent = '' }) => catalog[kind].fixedSet && deleted.has(parent))
  return new Set([...deleted, ...members.map(({ address }) => address)])
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
