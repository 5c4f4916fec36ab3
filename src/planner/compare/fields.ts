import { catalog } from '../../catalog/catalog.js'
import { isHiddenAnswer } from '../../catalog/hidden-answer.js'
import { extraField, rankOf, referredKind, targetOf } from '../../catalog/queries.js'
import { ownValue, recordOf } from '../../catalog/record.js'
import { memberIn, shapes } from '../../catalog/shapes.js'
import { freeObject } from '../../catalog/table.js'
import type { Field, FieldType, Kind } from '../../catalog/types.js'
import { datetimeText, sameValue } from '../../catalog/value.js'
import { isObject, type Json, type JsonObject, objectOf } from '../../json/json.js'
import { compareText } from '../../json/order.js'
import { isWithin, keysOf, overlaps, pointerTo } from '../../json/pointer.js'
import { isReported } from '../../live/live-index.js'
import type { LiveObject } from '../../live/live-object.js'
import type { Resource } from '../../manifest/resource.js'
import type { FieldChange, FieldValue, FieldValues, ReferenceEntry } from '../plan.js'
import { type Resolved, resolve } from '../references/resolve.js'
import { type BrokenReference, type ReferenceScope, targetKey } from '../references/scope.js'
import { leavingLive, pathsInside } from './ignored.js'
import { inOrder } from './in-order.js'
import { asWritten, displayedDistinctly, displayedEntries, liveEntries, sameEntries } from './reference-entries.js'
import { displayedRequestValue, plainRequestValue, referencesValue, withRequired } from './request-values.js'
import { marked, unavailableFields, valueAtPath } from './secret-values.js'

/** The differences between a resource and its live object, and the values of a request that would remove them. */
export interface Comparison {
  readonly fields: readonly FieldChange[]
  readonly values: FieldValues
  /** References that could not be resolved. They are in none of the values. */
  readonly broken: readonly BrokenReference[]
}

const none: readonly never[] = []

/** One written field that differs from the live object. */
interface DifferingField {
  readonly name: string
  readonly changes: readonly FieldChange[]
  /** The value in an update that keeps the live values at these JSON Pointers. */
  readonly value: (left: readonly string[]) => FieldValue
}

/** All written fields that differ, before it is decided which of them change. */
interface Differences {
  readonly fields: readonly DifferingField[]
  readonly broken: readonly BrokenReference[]
}

/** The written fields that differ from the live object. Write-only and ignored fields are never compared. */
export function differencesOf(resource: Resource, object: LiveObject, scope: ReferenceScope): Differences {
  const fields: DifferingField[] = []
  const broken: BrokenReference[] = []
  for (const field of writtenFields(resource)) {
    if (!isCompared(field, resource, object, scope)) continue
    const written = leavingIgnored(resource, field, object)
    if (referredKind(field)) {
      const desired = resolve(resource, field, written, scope)
      broken.push(...desired.broken)
      fields.push(...referenceDifference(field, desired.entries, object, scope))
    } else {
      const differing = valueChanges(field, written, ownValue(object.fields, field.name))
      const changes = marked(
        differing.filter(({ path }) => isReportedAt(path, resource, object, scope)),
        resource,
      )
      if (changes.length > 0) fields.push(plainDifference(field, written, object, changes))
    }
  }
  for (const [field, added] of additionsOf(resource, scope)) {
    broken.push(...added.broken)
    fields.push(...additionDifference(resource, field, added.entries, { object, scope }))
  }
  return { fields, broken }
}

/**
 * The differences without those in fields that contain a broken reference: the desired value of such a field is unknown (A360).
 */
export const withoutBroken = (resource: Resource, { fields, broken }: Differences): Differences => {
  const names = new Set(broken.flatMap(({ from, at }) => (from === resource ? keysOf(at).slice(0, 1) : [])))
  return { fields: names.size === 0 ? fields : fields.filter(({ name }) => !names.has(name)), broken }
}

/** All changes that would give the live object the values of the resource. */
export const changesIn = ({ fields }: Differences): readonly FieldChange[] => fields.flatMap(({ changes }) => changes)

/** The values of an update that makes only these changes. */
export function comparisonOf(
  resource: Resource,
  object: LiveObject,
  { fields, broken }: Differences,
  kept: readonly FieldChange[],
): Comparison {
  if (kept.length === 0) return { fields: none, values: {}, broken }
  const paths = new Set(kept.map(({ path }) => path))
  const values = recordOf<FieldValue>()
  for (const { name, changes, value } of fields) {
    const left = changes.filter(({ path }) => !paths.has(path)).map(({ path }) => path)
    if (left.length < changes.length) values[name] = value(left)
  }
  return { fields: kept, values: withRequired(resource, object, values), broken }
}

/** Compares a resource with its live object only: every difference is a change. */
export function differences(resource: Resource, object: LiveObject, scope: ReferenceScope): Comparison {
  const found = differencesOf(resource, object, scope)
  return comparisonOf(resource, object, found, changesIn(found))
}

/** The values of a create of the resource. All its fields are shown as new. */
export function allFields(resource: Resource, scope: ReferenceScope): Comparison {
  const fields: FieldChange[] = []
  const values = recordOf<FieldValue>()
  const broken: BrokenReference[] = []
  const add = (field: Field, value: FieldValue, after: Json): void => {
    values[field.name] = value
    fields.push(...created(field.type, pointerTo(field.name), after, field.secret, resource))
  }
  for (const field of writtenFields(resource)) {
    const written = resource.fields[field.name] ?? null
    if (written === null) continue
    if (referredKind(field)) {
      const desired = resolve(resource, field, written, scope)
      broken.push(...desired.broken)
      const value = referencesValue(field, desired.entries, undefined)
      add(field, value, displayedRequestValue(value))
    } else add(field, { is: 'value', value: written }, inOrder(field.type, written))
  }
  for (const [field, added] of additionsOf(resource, scope)) {
    broken.push(...added.broken)
    add(field, { is: 'references', entries: added.entries }, displayedEntries(added.entries))
  }
  if (resource.unavailable.length === 0) return { fields: marked(fields, resource), values, broken }
  const isDisplayed = ({ path }: FieldChange) => fields.some((field) => overlaps(field.path, path))
  const unset = unavailableFields(resource).filter((field) => !isDisplayed(field))
  const displayed = marked(fields, resource).map((field) => {
    const isUnset = resource.unavailable.some((path) => overlaps(field.path, path))
    return isUnset ? { ...field, unavailable: true as const } : field
  })
  return { fields: [...displayed, ...unset], values, broken }
}

/** The change for a new field. If a member of the field is secret, its members are shown one by one, as for an update (A359). */
function created(
  type: FieldType,
  path: string,
  after: Json,
  sensitive: boolean,
  resource: Resource,
): readonly FieldChange[] {
  const isOfMember = resource.sensitive.some((each) => each !== path && isWithin(each, path))
  if (!isOfMember || type.is !== 'shape' || !isObject(after)) return [{ path, after, sensitive, verdict: 'difference' }]
  return Object.entries(after).flatMap(([name, value]) =>
    created(memberIn(type, name).type, path + pointerTo(name), value, sensitive, resource),
  )
}

function isCompared(field: Field, resource: Resource, object: LiveObject, { names }: ReferenceScope): boolean {
  const { ignore } = resource
  if (field.writeOnly || hasEntries(resource, field.name)) return false
  if (field.secret && field.immutable && isHiddenAnswer(ownValue(object.fields, field.name) ?? null)) return false
  // An update cannot change it, so there is nothing to compare if the platform does not return it.
  if (field.immutable && referredKind(field) && ownValue(object.fields, field.name) === undefined) return false
  if (ignore.length > 0 && ignore.includes(pointerTo(field.name))) return false
  if (names.live.secrets === 'left out' && !Object.hasOwn(object.fields, field.name)) {
    const isSecret = field.secret || resource.sensitive.some((path) => overlaps(path, pointerTo(field.name)))
    if (isSecret) return false
  }
  return isReported(object, field.name)
}

/** Whether the value at a path can be compared: a snapshot file leaves out the secrets inside an object field. */
const isReportedAt = (
  path: string,
  { sensitive }: Resource,
  { fields }: LiveObject,
  { names }: ReferenceScope,
): boolean => names.live.secrets === 'answered' || !sensitive.includes(path) || valueAtPath(fields, path) !== undefined

/** The written value, with the live values at the paths in `metadata.ignore`. */
function leavingIgnored(resource: Resource, field: Field, object: LiveObject): Json {
  const written = resource.fields[field.name] ?? null
  if (resource.ignore.length === 0) return written
  const paths = pathsInside(resource.ignore, pointerTo(field.name))
  return leavingLive(written, ownValue(object.fields, field.name), paths)
}

/** The written fields in the order of the kind's table, then the fields that no table has. */
function writtenFields({ kind: name, fields }: Resource): readonly Field[] {
  const kind = catalog[name]
  const names = Object.keys(fields)
  // Fields from a manifest are in this order already. Only a field that was added later can be in another position.
  const isInOrder = names.every(
    (each, index) => index === 0 || rankOf(kind, names[index - 1] ?? '') < rankOf(kind, each),
  )
  return (isInOrder ? names : names.sort(byRank(kind))).map((each) => kind.fields[each] ?? extraField(each))
}

const byRank =
  (kind: Kind) =>
  (left: string, right: string): number =>
    rankOf(kind, left) - rankOf(kind, right) || compareText(left, right)

function referenceDifference(
  field: Field,
  desired: readonly ReferenceEntry[],
  object: LiveObject,
  { names }: ReferenceScope,
): readonly DifferingField[] {
  const present = liveEntries(object, field, names.live)
  if (sameEntries(desired, present)) return none
  const { before, after } = displayedDistinctly(asWritten(present, desired), desired, field, names.live)
  return [
    {
      name: field.name,
      changes: [changed(pointerTo(field.name), before, after, sensitivity(field))],
      value: () => referencesValue(field, desired, object),
    },
  ]
}

const plainDifference = (
  field: Field,
  written: Json,
  object: LiveObject,
  changes: readonly FieldChange[],
): DifferingField => ({
  name: field.name,
  changes,
  value: (left) => {
    const live = ownValue(object.fields, field.name)
    return plainRequestValue(field, leavingLive(written, live, pathsInside(left, pointerTo(field.name))), object)
  },
})

/** The changes of a field without references, compared with the live value. */
function valueChanges(field: Field, written: Json, answered: Json | undefined): readonly FieldChange[] {
  if (field.type.is === 'shape' && written !== null) {
    return memberChanges(field.type.shape, written, answered, pointerTo(field.name))
  }
  if (sameValue(field.type, written, answered, field.default)) return none
  const at = pointerTo(field.name)
  return [changed(at, displayedLive(field.type, answered), inOrder(field.type, written), sensitivity(field))]
}

/** The changes of the written members of an object field. These are managed one by one. */
function memberChanges(
  shape: keyof typeof shapes,
  written: Json,
  answered: Json | undefined,
  at: string,
): readonly FieldChange[] {
  if (!isObject(written)) return none
  const present: JsonObject = objectOf(answered)
  return Object.keys(written)
    .sort()
    .flatMap((name): readonly FieldChange[] => {
      const path = at + pointerTo(name)
      const member = shapes[shape][name]
      const type: FieldType = member?.type ?? freeObject
      const desired = written[name] ?? null
      const inner = ownValue(present, name)
      if (type.is === 'shape' && desired !== null) return memberChanges(type.shape, desired, inner, path)
      if (sameValue(type, desired, inner, member?.default)) return none
      return [changed(path, inner ?? null, inOrder(type, desired), 'shown')]
    })
}

/** A live value in the form of manifests. */
const displayedLive = (type: FieldType, answered: Json | undefined): Json =>
  type.is === 'datetime' && typeof answered === 'number' ? datetimeText(answered) : (answered ?? null)

type Sensitivity = 'sensitive' | 'shown'

const sensitivity = (field: Field): Sensitivity => (field.secret ? 'sensitive' : 'shown')

const changed = (path: string, before: Json, after: Json, sensitive: Sensitivity): FieldChange => ({
  path,
  before,
  after,
  sensitive: sensitive === 'sensitive',
  verdict: 'difference',
})

/** The lists that are not managed as a whole, with the entries that must be in them. */
function additionsOf(resource: Resource, scope: ReferenceScope): readonly (readonly [Field, Resolved])[] {
  const names = [...Object.keys(resource.additions), ...Object.keys(resource.withdrawals ?? {})]
  if (names.length === 0) return none
  return [...new Set(names)].flatMap((name) => {
    const field = catalog[resource.kind].fields[name]
    if (!field) return []
    const found = resolve(resource, field, [...(resource.additions[name] ?? [])], scope)
    return [[field, { ...found, entries: found.entries.filter((entry) => !isLeftDeleted(entry, scope)) }] as const]
  })
}

/** An object that remains deleted is added to no list. */
const isLeftDeleted = ({ target }: ReferenceEntry, { removals }: ReferenceScope): boolean =>
  target.is === 'desired' && removals.leftDeleted.has(target.address)

/** Whether the plan deletes the object: it may be deleted before the list is sent. */
function isDeleted({ target }: ReferenceEntry, field: Field, { names, removals }: ReferenceScope): boolean {
  const referred = referredKind(field)
  if (target.is !== 'live' || !referred || removals.deleted.size === 0) return false
  const live = names.live.byId(targetOf(catalog[referred]).name, target.id)
  return live !== undefined && removals.deleted.has(live)
}

/** Whether a list is not managed as a whole: the resource only adds or removes some entries. */
const hasEntries = ({ additions, withdrawals }: Resource, name: string): boolean =>
  Object.hasOwn(additions, name) || (withdrawals !== undefined && Object.hasOwn(withdrawals, name))

/**
 * The change of a list with the added entries and without the withdrawn ones. If the list is sent, it also leaves out objects
 * that the plan deletes.
 */
function additionDifference(
  { fields, withdrawals }: Resource,
  field: Field,
  added: readonly ReferenceEntry[],
  { object, scope }: { readonly object: LiveObject; readonly scope: ReferenceScope },
): readonly DifferingField[] {
  const { name } = field
  const present = liveEntries(object, field, scope.names.live)
  const isWithdrawn = ({ target }: ReferenceEntry) =>
    target.is === 'live' && (withdrawals?.[name]?.some(({ id }) => id === target.id) ?? false)
  const kept = fields[name] === undefined ? present.filter((entry) => !isWithdrawn(entry)) : []
  const there = new Set(kept.map(({ target }) => targetKey(target)))
  const missing = added.filter(({ target }) => !there.has(targetKey(target)))
  if (sameEntries([...kept, ...missing], present)) return none
  const entries = [...kept.filter((entry) => !isDeleted(entry, field, scope)), ...missing]
  const changes = [changed(pointerTo(name), displayedEntries(present), displayedEntries(entries), 'shown')]
  return [{ name, changes, value: () => ({ is: 'references', entries }) }]
}
