import { catalog } from '../catalog/catalog.js'
import { isHiddenAnswer } from '../catalog/hidden-answer.js'
import {
  kinds as allKinds,
  childFields,
  domainFields,
  hasSecretName,
  keyOfName,
  perKind,
  referredKind,
} from '../catalog/queries.js'
import { recordOf } from '../catalog/record.js'
import type { Field, Kind, KindName } from '../catalog/types.js'
import { canonical, liveForm } from '../catalog/value.js'
import type { Json, JsonObject } from '../json/json.js'
import { asList, isObject, objectsIn, textOf } from '../json/json.js'
import { compareText } from '../json/order.js'
import type { LiveObject, Snapshot, Unread } from '../live/live-object.js'
import { answeredReferences, distinctValues } from './answered-references.js'
import { withTargetIds } from './link-targets.js'
import { ListedIds } from './listed-ids.js'
import { unique } from './merge.js'
import { collectionOf, nestedIn, segmentOf } from './nesting.js'

/** The objects as answered, by collection; a snapshot file contains the same. */
export type RawCollections = Readonly<Record<string, Json | readonly JsonObject[]>>

/**
 * The live area as the planner compares it. Every answered field has its canonical form, or null if it was answered empty; a
 * field that was not answered is absent. `kinds` are those that were read completely; default: those that the collections show.
 * In a reading, which has `notOffered`, the links of an object without them are unread; in a saved area it has none. Objects of
 * `known` give the names if `raw` has only links to them.
 */
export function normalize(
  raw: RawCollections,
  kinds: readonly KindName[] = kindsIn(raw),
  notOffered?: readonly KindName[],
  known?: Snapshot,
): Snapshot {
  const roots = allKinds.filter((kind) => kind.parent === undefined)
  const ids = new ListedIds((kind) => heldIn(kind, raw), known?.objects ?? [])
  const reading: Normalizing = {
    raw,
    kinds: new Set(kinds),
    notOffered,
    known,
    ids,
    names: new Map(),
    members: new Map(),
  }
  return {
    objects: roots.flatMap((kind) => rootObjects(kind, reading)),
    kinds: allKinds.map((kind) => kind.name).filter((name) => kinds.includes(name)),
    domainMember: answersAddress(raw) ? 'address' : 'domain',
  }
}

/** The names in a snapshot that are not collections of any kind: the file is probably not a snapshot, or a name is misspelt. */
export function unknownCollections(raw: RawCollections): readonly string[] {
  const known = new Set(allKinds.filter((kind) => kind.parent === undefined).map(collectionOf))
  return Object.keys(raw)
    .filter((name) => !known.has(name))
    .sort()
}

/** One run of `normalize`: its input, and what it has found out so far. */
interface Normalizing {
  readonly raw: RawCollections
  readonly kinds: ReadonlySet<KindName>
  readonly notOffered: readonly KindName[] | undefined
  readonly known: Snapshot | undefined
  readonly ids: ListedIds
  /** The names of a kind's objects by their ids; kept because an area has thousands of links. */
  readonly names: Map<KindName, ReadonlyMap<string | undefined, string>>
  /** The members of the last object of a kind: most objects of a kind have the same members, in the same order. */
  readonly members: Map<KindName, MemberNames>
}

/** The member that replaces a secret natural key in a snapshot file: what addresses show of it. */
export const markMember = 'apikeyMark'

/** The parent of an object, and what the object takes from it. */
interface NormalizeContext {
  readonly reading: Normalizing
  readonly parent: LiveObject | undefined
  readonly owner: string | undefined
}

/**
 * The objects of a collection that also contains owners of other kinds, such as sets of templates: for the other kind the owners
 * with objects of it, otherwise the objects with a name.
 */
export function heldIn(kind: Kind, raw: RawCollections): readonly JsonObject[] {
  const held = objectsIn(raw[collectionOf(kind)])
  const { naming } = kind
  if (kind.within) return held.filter((owner) => owner[segmentOf(kind)] !== undefined)
  const isShared = allKinds.some((each) => each.within && collectionOf(each) === collectionOf(kind))
  return isShared && naming !== undefined ? held.filter((object) => object[naming] !== undefined) : held
}

function rootObjects(kind: Kind, reading: Normalizing): readonly LiveObject[] {
  const around: NormalizeContext = { reading, parent: undefined, owner: undefined }
  const held = withTargetIds(kind, heldIn(kind, reading.raw), (name) => namesForKind(reading, catalog[name]))
  if (!kind.within) return held.map((object) => liveObject(kind, object, around))
  return held.flatMap((owner) =>
    objectsIn(owner[segmentOf(kind)]).map((object) => liveObject(kind, object, { ...around, owner: textOf(owner.id) })),
  )
}

/** Most objects have no children: they share this list, and nothing is ever added to it. */
const childless = Object.freeze<LiveObject[]>([]) as LiveObject[]

function liveObject(kind: Kind, answered: JsonObject, around: NormalizeContext): LiveObject {
  const { reading } = around
  const nested = nestedIn(kind)
  const children: LiveObject[] = nested.length === 0 ? childless : []
  const own = withOlderPaths(kind, answered)
  const isMarked = hasSecretName(kind) && own[markMember] !== undefined
  const object: LiveObject = {
    kind: kind.name,
    id: answeredId(kind, answered, reading),
    key: answeredKey(kind, answered, reading),
    parent: around.parent,
    owner: around.owner,
    keyIs: isMarked ? 'mark' : undefined,
    fields: normalFields(kind, isMarked ? withoutMark(own) : own, reading),
    children,
    unread: reading.notOffered && unreadIn(kind, answered, reading.kinds, reading.notOffered),
    updated: textOf(answered.updated),
  }
  let within: NormalizeContext | undefined
  for (const { field, kind: inner, holds } of nested) {
    const held = answered[field]
    if (held === undefined) continue
    within ??= { reading, parent: object, owner: around.owner }
    const there: NormalizeContext = within
    const objects = holds === 'links' ? distinctValues(objectsIn(held)) : unique(objectsIn(held))
    const below = objects.map((each) => liveObject(inner, each, there))
    for (const each of below.sort(byKeyAndId)) children.push(each)
  }
  return object
}

function withoutMark(answered: JsonObject): JsonObject {
  const { [markMember]: _, ...rest } = answered
  return rest
}

function unreadIn(
  kind: Kind,
  answered: JsonObject,
  kinds: ReadonlySet<KindName>,
  notOffered: readonly KindName[],
): Unread | undefined {
  const unread: [string, Unread[string]][] = []
  for (const { field, kind: inner, holds, isExtra } of nestedIn(kind)) {
    if (answered[field] !== undefined) continue
    const isOffered = !notOffered.includes(inner.name)
    if (holds === 'links') unread.push([field, isOffered ? 'not asked for' : 'not offered'])
    else if (isExtra && !isOffered) unread.push([field, 'not offered'])
    else if (isExtra && kinds.has(inner.name)) unread.push([field, 'not needed'])
  }
  return unread.length === 0 ? undefined : recordOf(unread)
}

/**
 * The natural key. If a link is answered with only its id, its target has the name. If the platform hides a key, it is unknown:
 * the text in its place does not identify it (A391).
 */
function answeredKey(kind: Kind, answered: JsonObject, reading: Normalizing): string {
  if (kind.naming === undefined) return ''
  const name = textOf(answered[kind.naming])
  if (hasSecretName(kind) && isHiddenAnswer(name ?? '')) return ''
  if (name !== undefined || kind.association === undefined) return keyOfName(kind, name ?? '')
  return namesForKind(reading, catalog[kind.association]).get(answeredId(kind, answered, reading)) ?? ''
}

/** The id of a link is that of its target. */
function answeredId({ fields, association }: Kind, answered: JsonObject, { ids }: Normalizing): string {
  const id = fields.id && textOf(answered.id)
  if (id === undefined) return ''
  return association === undefined ? id : ids.spelling(association, id)
}

function namesForKind({ raw, known, names }: Normalizing, kind: Kind): ReadonlyMap<string | undefined, string> {
  const reported = names.get(kind.name)
  if (reported) return reported
  const before = known?.objects.filter((each) => each.kind === kind.name) ?? []
  const found = new Map<string | undefined, string>(before.map(({ id, key }) => [id, key]))
  for (const each of objectsIn(raw[collectionOf(kind)])) {
    found.set(textOf(each.id), textOf(each[kind.naming ?? 'name']) ?? '')
  }
  names.set(kind.name, found)
  return found
}

function normalFields(kind: Kind, answered: JsonObject, { members, ids }: Normalizing): JsonObject {
  // The platform's order of members differs from one answer to the next.
  const { sorted, isSorted } = memberNames(kind, answered, members)
  if (isSorted && sorted.every((name) => isAsCompared(kind, name, answered))) return answered
  const owned = childNames(kind)
  const fields = recordOf<Json>()
  for (const name of sorted) {
    if (!owned.has(name)) fields[name] = fieldValue(kind, kind.fields[name], answered[name] ?? null, ids)
  }
  return fields
}

/** Whether a member is a text in exactly the form that is compared: an object with only such members is not copied. */
function isAsCompared(kind: Kind, name: string, answered: JsonObject): boolean {
  const value = answered[name]
  return typeof value === 'string' && value !== '' && kind.fields[name]?.type.is === 'string'
}

/** The sorted names of the last object of the kind mostly fit. */
function memberNames(kind: Kind, answered: JsonObject, members: Normalizing['members']): MemberNames {
  const names = Object.keys(answered)
  const last = members.get(kind.name)
  if (last && names.length === last.names.length && names.every((name, index) => name === last.names[index]))
    return last
  const sorted = [...names].sort()
  const found = { names, sorted, isSorted: names.every((name, index) => name === sorted[index]) }
  members.set(kind.name, found)
  return found
}

interface MemberNames {
  readonly names: readonly string[]
  readonly sorted: readonly string[]
  readonly isSorted: boolean
}

const childNames = perKind((kind): ReadonlySet<string> => new Set(childFields(kind).map((child) => child.field)))

function fieldValue(kind: Kind, field: Field | undefined, value: Json, ids: ListedIds): Json {
  // A field that neither the document nor the notes have is kept as it is, for manifests with `metadata.extraFields`.
  if (!field) return canonical({ is: 'map', of: 'any' }, value) ?? null
  const referred = referredKind(field)
  // A list without elements is not the same as no list (A12).
  if (referred === undefined) return liveForm(field.type, value) ?? (Array.isArray(value) ? [] : null)
  const depth = kind.association === undefined ? 'whole' : 'picked'
  const references = answeredReferences(catalog[referred], value, depth, ids)
  return field.type.is === 'list' ? references : (references[0] ?? null)
}

/** Moves a field that an older platform answers in another place to the place of newer platforms. */
export function withOlderPaths(kind: Kind, answered: JsonObject): JsonObject {
  let object: JsonObject = answered
  for (const [field, path] of olderPaths(kind)) {
    const [container = '', ...steps] = path.split('.')
    if (object[container] === undefined) continue
    const { [container]: contained, ...rest } = object
    const value = steps.reduce<Json | undefined>(
      (inner, step) => (isObject(inner) ? inner[step] : undefined),
      contained,
    )
    object = isEmpty(rest[field]) && value !== undefined ? { ...rest, [field]: value } : rest
  }
  return object
}

const olderPaths = perKind((kind) => Object.entries(kind.olderPaths))

/** The kinds that hand-made or saved collections have completely: those that no answer leaves out. */
function kindsIn(raw: RawCollections): readonly KindName[] {
  return allKinds.flatMap((kind) => {
    const collection = raw[collectionOf(kind)]
    if (kind.parent !== undefined || collection === undefined) return []
    const held = heldIn(kind, raw)
    if (held.length === 0 && objectsIn(collection).length > 0) return []
    return [kind.name, ...(kind.within ? [] : nestedKinds(kind, held))]
  })
}

function nestedKinds(kind: Kind, objects: readonly JsonObject[]): readonly KindName[] {
  return nestedIn(kind).flatMap(({ field, kind: inner, holds, isExtra }) => {
    // A single child is left out if there is none.
    const isLeftOut =
      holds !== 'single' && (isExtra || objects.length > 0) && objects.every((each) => each[field] === undefined)
    if (isLeftOut) return []
    const below = objects.flatMap((each) => objectsIn(each[field]))
    return [inner.name, ...(holds === 'children' ? nestedKinds(inner, below) : [])]
  })
}

/** Whether this platform uses `address` instead of the document's `domain`. */
function answersAddress(raw: RawCollections): boolean {
  return allKinds
    .filter((kind) => kind.parent === undefined)
    .some((kind) => someAddress(kind, objectsIn(raw[collectionOf(kind)])))
}

function someAddress(kind: Kind, objects: readonly JsonObject[]): boolean {
  const { domains, inner } = placesOfDomains(kind)
  return objects.some(
    (object) =>
      domains.some((field) => asList(object[field.name]).some(isAddress)) ||
      inner.some(
        (nested) => object[nested.field] !== undefined && someAddress(nested.kind, objectsIn(object[nested.field])),
      ),
  )
}

const placesOfDomains = perKind((kind) => ({
  domains: domainFields(kind),
  inner: nestedIn(kind).filter((nested) => nested.holds === 'children'),
}))

const isAddress = (value: Json): boolean => isObject(value) && !isEmpty(value.address) && isEmpty(value.domain)

const isEmpty = (value: Json | undefined): boolean => value === undefined || value === null || value === ''

const byKeyAndId = (left: LiveObject, right: LiveObject): number =>
  compareText(left.key, right.key) || compareText(left.id, right.id)
