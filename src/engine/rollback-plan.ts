import { addressAndAbove } from '../catalog/address.js'
import { catalog } from '../catalog/catalog.js'
import { isMoreAppliedSince } from '../history/applied-since.js'
import { takenOverBy } from '../history/receipts-after-undo.js'
import { withNamesSince } from '../history/renamed-since.js'
import { announcedBefore, recordedAddress, type Undo } from '../history/undo.js'
import { groupBy } from '../json/groups.js'
import { type LiveObject, withAllInside } from '../live/live-object.js'
import type { Base, BaseObject } from '../planner/base/base-object.js'
import { lackingIn } from '../planner/changes/required.js'
import { answeredAt, isHiddenAt, isOfKey, pathOfPrint, printOf, valueAtPath } from '../planner/compare/secret-values.js'
import { type Change, isCreating, type Plan } from '../planner/plan.js'
import { readSpecFor } from '../planner/read-spec.js'
import { type Left, onlyAsLeft } from '../planner/rollback.js'
import { addressMatcher, emptyGlobs, select } from '../planner/select.js'
import type { Ports } from '../ports/ports.js'
import type { Problem } from '../problems/problem.js'
import { cannotUndo, leftAsItIs, managedNoMore } from '../problems/refusals.js'
import { type Area, type Planned, planFrom, withForeseen } from './area.js'
import type { RollbackRequest } from './requests.js'

export const areaOf = (opened: Area, undo: Undo): Area => ({
  ...opened,
  desired: { ...opened.desired, manifests: undo.manifests, problems: [...undo.manifests.problems, ...undo.problems] },
  last: { ...opened.last, base: withAnnounced(withReceipts(undo.base, opened.last), undo, opened.last) },
})

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
export async function planUndo(area: Area, undo: Undo, request: RollbackRequest, ports: Ports): Promise<Planned> {
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
  const isSelected = addressMatcher(request.select)
  const inPart = [...(plan.notRestored ?? []), ...unseenSecrets(undo, plan)].filter(
    ({ address }) => !leftWhole.has(address) && isSelected(address),
  )
  const changed = [...undo.done, ...undo.manifests.resources, ...undo.created.resources, ...plan.changes]
  const takenOver = [...takenOverBy(undo, area.last.receipts)]
  const problems = [
    ...plan.problems,
    ...leftProblems(left),
    ...inPart.map(({ address, why }) => cannotUndo(address, why)),
    ...managedNoMore(takenOver.filter(isSelected).sort()),
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

/** Secrets that the run set and that the platform does not answer: it is not known whether one was there before. */
function unseenSecrets({ manifests, base }: Undo, { matched }: Plan) {
  return manifests.resources.flatMap(({ address, fields }) => {
    const live = matched.get(address)
    const names = Object.keys(base.objects.get(address)?.fingerprints ?? {}).filter((key) => {
      const path = pathOfPrint(key)
      const isUnseen = live && answeredAt(live, path) === undefined && !isHiddenAt(live, path)
      return isUnseen && valueAtPath(fields, path) === null
    })
    const why = `the platform does not show whether there was another value in ${names.join(', ')} before`
    return names.length === 0 ? [] : [{ address, why }]
  })
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
