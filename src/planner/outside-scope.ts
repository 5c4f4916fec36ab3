import { catalog } from '../catalog/catalog.js'
import { inverseReferenceOf, isFieldOfParent, isWritable, ownFields, referredKind } from '../catalog/queries.js'
import { sameValue } from '../catalog/value.js'
import { type LiveObject, type Snapshot, withAllInside } from '../live/live-object.js'
import type { Plan } from './plan.js'

/** Objects that differ between two snapshots although no change of the plan affects them, as "Kind name". Pure. */
export function outsideScope(before: Snapshot, after: Snapshot, plan: Plan): readonly string[] {
  const [then, now] = [byKey(before), byKey(after)]
  const touched = touchedBy(plan)
  const isLinkGone = linkGoneTest(then, now)
  const gone = [...then].filter(([key, object]) => !now.has(key) && !isTouched(object, touched) && !isLinkGone(object))
  const changed = [...then].flatMap(([key, object]) => {
    const other = now.get(key)
    return other && !isTouched(object, touched) && !isAlike(object, other) ? [object] : []
  })
  const made = new Set(
    plan.changes.flatMap((change) => ('resource' in change ? [`${change.kind} ${change.resource.key}`] : [])),
  )
  const added = [...now].flatMap(([key, object]) => {
    const isNew = !then.has(key) && !(object.parent && !then.has(objectKey(object.parent)))
    const isMeant = made.has(`${object.kind} ${object.key}`) || isWrittenLink(object, touched)
    return isNew && !isMeant ? [object] : []
  })
  return [...gone.map(([, object]) => object), ...changed, ...added].map(({ kind, key }) => `${kind} "${key}"`).sort()
}

const objectKey = (object: LiveObject): string =>
  `${object.parent ? `${objectKey(object.parent)} ` : ''}${object.kind} ${object.id}`

const byKey = (snapshot: Snapshot): ReadonlyMap<string, LiveObject> =>
  new Map(withAllInside(snapshot.objects).map((object) => [objectKey(object), object]))

const touchedBy = ({ changes }: Plan): ReadonlySet<string> =>
  new Set(changes.flatMap((change) => (change.action === 'create' || !change.live ? [] : [objectKey(change.live)])))

/** Whether the plan changes the object or one of its parents. */
function isTouched(object: LiveObject, touched: ReadonlySet<string>): boolean {
  for (let each: LiveObject | undefined = object; each; each = each.parent)
    if (touched.has(objectKey(each))) return true
  return false
}

/** Whether a link is a field of its parent, such as the roles of a service, and the plan changes the parent. */
const isWrittenLink = ({ kind, parent }: LiveObject, touched: ReadonlySet<string>): boolean =>
  parent !== undefined && isFieldOfParent(catalog[kind]) && touched.has(objectKey(parent))

/** Whether a link disappeared with its linked object. */
function linkGoneTest(
  then: ReadonlyMap<string, LiveObject>,
  now: ReadonlyMap<string, LiveObject>,
): (object: LiveObject) => boolean {
  const idsIn = (all: typeof then) => new Set([...all.values()].map((object) => `${object.kind} ${object.id}`))
  const [before, after] = [idsIn(then), idsIn(now)]
  return ({ kind, id }) => {
    const target = `${catalog[kind].association} ${id}`
    return before.has(target) && !after.has(target)
  }
}

/**
 * Whether the writable fields of two objects are equal. References are not compared, because they may disappear when their
 * targets are deleted.
 */
function isAlike(one: LiveObject, other: LiveObject): boolean {
  const kind = catalog[one.kind]
  return ownFields(kind)
    .filter(
      (field) => isWritable(field) && !field.writeOnly && !referredKind(field) && !inverseReferenceOf(kind, field),
    )
    .every((field) => sameValue(field.type, one.fields[field.name], other.fields[field.name], field.default))
}
