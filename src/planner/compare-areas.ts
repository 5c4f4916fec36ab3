import { catalog } from '../catalog/catalog.js'
import {
  extraField,
  givenByParent,
  inverseReferenceOf,
  isFieldOfParent,
  isWritable,
  ownFields,
  referredKind,
} from '../catalog/queries.js'
import { ownValue } from '../catalog/record.js'
import { type IsSecret, secretPlaces } from '../catalog/secret-places.js'
import type { Field, Kind, KindName } from '../catalog/types.js'
import { sameValue } from '../catalog/value.js'
import { isList, isObject, type Json, type JsonObject, objectOf } from '../json/json.js'
import { by, canonicalText, compareText } from '../json/order.js'
import { withValueAt } from '../json/patch.js'
import { pointerTo } from '../json/pointer.js'
import { isReported, type LiveIndex } from '../live/live-index.js'
import type { LiveObject } from '../live/live-object.js'
import { attributesOf, liveFields } from '../live/object-form.js'
import { declaredOf, type Manifests, type Resource } from '../manifest/resource.js'
import type { SourceRange } from '../manifest/source.js'
import { isBlank } from './compare/blank.js'
import { valueAtPath } from './compare/secret-values.js'
import { type Change, desiredAction, type Plan } from './plan.js'
import { isAddedByPlatform } from './prune/ownership.js'

/** Compares two sides by address and field, whatever the sides are. Ids and read-only fields are not compared. */

/** An object that exists on one side only, or that differs. */
export interface Difference {
  readonly address: string
  readonly kind: KindName
  readonly in: 'a' | 'b' | 'both'
  /** For two environments: the address in b, if it differs. */
  readonly addressInB?: string
  /** For an object of only one environment: the position of the `metadata.environments` that causes this. */
  readonly limited?: SourceRange
  readonly fields: readonly FieldDifference[]
}

export interface FieldDifference {
  /** JSON Pointer within the object. */
  readonly path: string
  /** Absent if that side does not have the field or does not write it. */
  readonly a?: Json
  readonly b?: Json
  /** True for secrets: no view may print either value. */
  readonly sensitive: boolean
}

/** All live objects of one side, and their addresses. */
export interface LiveSide {
  readonly live: LiveIndex
  readonly addressOf: (object: LiveObject) => string
}

/** A secret of an object on both sides that is not compared, because the file of one side leaves it out. */
interface LeftOut {
  readonly address: string
  readonly by: 'a' | 'b'
}

/** Compares two live areas, or snapshot files of them. Files leave out secrets. */
export function compareLive(
  a: LiveSide,
  b: LiveSide,
  isSecret: IsSecret = () => false,
): { readonly differences: readonly Difference[]; readonly leftOut: readonly LeftOut[] } {
  const [first, second] = [objectsOf(a), objectsOf(b)]
  const leftOut: LeftOut[] = []
  const differences = addressesOf(first, second).flatMap((address): readonly Difference[] => {
    const [left, right] = [first.get(address), second.get(address)]
    if (!left || !right) return onlyOne(address, left, right)
    const found = liveDifferences(left, right, { a: a.live, b: b.live, isSecret })
    leftOut.push(...found.leftOut.map((side) => ({ address, by: side })))
    return found.fields.length === 0 ? [] : [{ address, kind: left.kind, in: 'both', fields: found.fields }]
  })
  return { differences, leftOut }
}

/** Compares two sets of manifests. */
export function compareManifests(a: Manifests, b: Manifests): readonly Difference[] {
  const [first, second] = [declaredIn(a), declaredIn(b)]
  return addressesOf(first, second).flatMap((address): readonly Difference[] => {
    const [left, right] = [first.get(address), second.get(address)]
    if (!left || !right) return onlyOne(address, left, right)
    const fields = writtenDifferences(left, right)
    return fields.length === 0 ? [] : [{ address, kind: left.kind, in: 'both', fields }]
  })
}

/** The changes of a plan as differences between the manifests and the live side. `manifests` is the side of the manifests. */
export function differencesIn(plan: Plan, manifests: 'a' | 'b'): readonly Difference[] {
  const live = manifests === 'a' ? 'b' : 'a'
  return plan.changes
    .filter((change) => !isOnlyAdded(change))
    .map((change): Difference => {
      const does = desiredAction(change)
      const only = does === 'create' ? manifests : live
      const fields = change.fields.map(({ path, before, after, sensitive }) => ({
        path,
        ...(before !== undefined && { [live]: before }),
        ...(after !== undefined && { [manifests]: after }),
        sensitive,
      }))
      return {
        address: change.address,
        kind: change.kind,
        in: does === 'create' || does === 'delete' ? only : 'both',
        fields: does === 'create' || does === 'delete' ? [] : fields,
      }
    })
    .sort(by((each) => each.address))
}

/** Whether the platform adds the object to every parent of that kind: its absence in the manifests is no difference. */
const isOnlyAdded = (change: Change): boolean =>
  change.action !== 'create' &&
  change.live !== undefined &&
  desiredAction(change) === 'delete' &&
  isAddedByPlatform(change.live)

/** The objects by address, without links that are a field of their parent and without empty children. */
function objectsOf({ live, addressOf }: LiveSide): ReadonlyMap<string, LiveObject> {
  const displayed = live.all.filter((object) => !isFieldOfParent(catalog[object.kind]) && !isBlank(object))
  return new Map(displayed.map((object) => [addressOf(object), object]))
}

/** The objects that manifests declare, by address. */
export const declaredIn = ({ resources }: Manifests): ReadonlyMap<string, Resource> =>
  new Map(declaredOf(resources).map((resource) => [resource.address, resource]))

const addressesOf = (a: ReadonlyMap<string, unknown>, b: ReadonlyMap<string, unknown>): readonly string[] =>
  [...new Set([...a.keys(), ...b.keys()])].sort(compareText)

type Kinded = { readonly kind: KindName } | undefined

function onlyOne(address: string, a: Kinded, b: Kinded): readonly Difference[] {
  const kind = (a ?? b)?.kind
  return kind === undefined ? [] : [{ address, kind, in: a ? 'a' : 'b', fields: [] }]
}

function liveDifferences(
  left: LiveObject,
  right: LiveObject,
  { a, b, isSecret }: { readonly a: LiveIndex; readonly b: LiveIndex; readonly isSecret: IsSecret },
): { readonly fields: readonly FieldDifference[]; readonly leftOut: readonly LeftOut['by'][] } {
  const [first, second] = [liveFields(left, a), liveFields(right, b)]
  const attributes = new Map([left, right].flatMap(attributesOf).map((field) => [field.name, field]))
  const kind = catalog[left.kind]
  const leftOut: LeftOut['by'][] = []
  const fields = [...ownFields(kind), ...attributes.values()]
    .filter((field) => isWritable(field) && !field.writeOnly && !isReportedElsewhere(kind, field))
    .flatMap((field) => {
      const [one, other] = [picksIn(field, first[field.name]), picksIn(field, second[field.name])]
      if (!isReported(left, field.name) || !isReported(right, field.name)) return []
      const unreported = {
        a: placesLeftOut(field, left, a, secretsIn(field, other, isSecret)),
        b: placesLeftOut(field, right, b, secretsIn(field, one, isSecret)),
      }
      // A secret name is compared by its part in the address.
      if (field.name !== kind.naming)
        leftOut.push(...unreported.a.map(() => 'a' as const), ...unreported.b.map(() => 'b' as const))
      const places = [...unreported.a, ...unreported.b]
      if (places.includes('')) return []
      const [open, otherOpen] = [one, other].map((value) => places.reduce<Json>(withoutPlace, value))
      return difference(field, open ?? null, otherOpen ?? null)
    })
  return { fields, leftOut }
}

/** Whether the address or the list of another object contains the same fact. */
const isReportedElsewhere = (kind: Kind, field: Field): boolean =>
  field.name === givenByParent(kind) || inverseReferenceOf(kind, field) !== undefined

/** A link without picks equals a link whose picks the platform does not return, and a link with an empty list of picks. */
const picksIn = (field: Field, value: Json = null): Json => (referredKind(field) === undefined ? value : picked(value))

function picked(value: Json): Json {
  if (isList(value)) return value.map(picked)
  if (!isObject(value)) return value
  const members = Object.entries(value).flatMap(([key, each]) =>
    hasNothing(each) ? [] : [[key, picked(each)] as const],
  )
  return members.length === 1 && value.name !== undefined ? value.name : Object.fromEntries(members)
}

const hasNothing = (value: Json): boolean => value === null || (isList(value) && value.length === 0)

/** The positions of secrets in the value of a field. */
const secretsIn = (field: Field, value: Json, isSecret: IsSecret): readonly string[] =>
  field.secret ? [''] : secretPlaces(field.type, value, isSecret)

/** The positions of the secrets that a snapshot file leaves out: the value of the other side cannot be compared with them. */
const placesLeftOut = (
  field: Field,
  { fields }: LiveObject,
  live: LiveIndex,
  secrets: readonly string[],
): readonly string[] =>
  live.secrets === 'answered'
    ? []
    : secrets.filter((place) => valueAtPath(fields, pointerTo(field.name) + place) === undefined)

const withoutPlace = (value: Json, place: string): Json => withValueAt(value, place, undefined)

/** The fields that two manifests write differently. A secret that is unavailable on one side is not compared. */
export function writtenDifferences(left: Resource, right: Resource): readonly FieldDifference[] {
  const unset = [...left.unavailable, ...right.unavailable]
  const known = (resource: Resource) => objectOf(unset.reduce<Json>(withoutPlace, writtenValues(resource)))
  const [first, second] = [known(left), known(right)]
  const names = [...new Set([...Object.keys(first), ...Object.keys(second)])]
  return names.flatMap((name) => {
    const field = catalog[left.kind].fields[name] ?? extraField(name)
    const [a, b] = [ownValue(first, name), ownValue(second, name)]
    if (a !== undefined && b !== undefined) return difference(field, a, b)
    return [
      { path: pointerTo(name), ...(a !== undefined && { a }), ...(b !== undefined && { b }), sensitive: field.secret },
    ]
  })
}

const writtenValues = ({ fields, additions }: Resource): JsonObject => ({ ...fields, ...additions })

function difference(field: Field, a: Json, b: Json): readonly FieldDifference[] {
  const sameEitherWay = () => sameValue(field.type, a, b, field.default) || sameValue(field.type, b, a, field.default)
  const same = referredKind(field) === undefined ? sameEitherWay() : sameReferences(a, b)
  return same ? [] : [{ path: pointerTo(field.name), a, b, sensitive: field.secret }]
}

/** Lists of references are sets. A missing list equals an empty one. */
export const sameReferences = (a: Json, b: Json): boolean =>
  canonicalText(a ?? [], 'sets') === canonicalText(b ?? [], 'sets')
