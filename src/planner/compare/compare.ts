import jsonpatch from 'fast-json-patch'
import { catalog } from '../../catalog/catalog.js'
import { ancestors, childFields, elementOf, rankOf, referredKind, targetOf } from '../../catalog/queries.js'
import { ownValue, recordOf } from '../../catalog/record.js'
import { linkValues } from '../../catalog/reference-form.js'
import { shapes } from '../../catalog/shapes.js'
import type { Field, FieldType, Kind, KindName } from '../../catalog/types.js'
import { canonical, datetimeText, sameValue } from '../../catalog/value.js'
import type { Json, JsonObject } from '../../json/json.js'
import { asList, isList, isObject, sameJson } from '../../json/json.js'
import { bySpelling, compareText } from '../../json/order.js'
import { pointerTo } from '../../json/pointer.js'
import { isTold, type LiveIndex } from '../../live/live-index.js'
import type { LiveObject } from '../../live/live-object.js'
import type { Resource } from '../../manifest/resource.js'
import type { FieldChange, FieldValue, FieldValues, ReferenceEntry } from '../plan.js'
import { type Resolver, targetKey } from '../references/resolve.js'
import { inOrder } from './in-order.js'

/** What differs between a resource and its live object, and what a request must carry to change that. */
export interface Comparison {
  readonly fields: readonly FieldChange[]
  readonly values: FieldValues
}

/** Everything that a create of the resource carries, all of it shown as new. */
export function allFields(resource: Resource, resolver: Resolver): Comparison {
  const fields: FieldChange[] = []
  const values = recordOf<FieldValue>()
  for (const field of writtenFields(resource)) {
    const written = resource.fields[field.name] ?? null
    if (written === null) continue
    const value = fieldValue(resource, field, written, undefined, resolver)
    values[field.name] = value
    fields.push({
      path: pointerTo(field.name),
      after: inOrder(field.type, shownValue(value)),
      sensitive: field.secret,
      verdict: 'difference',
    })
  }
  for (const [name, entries] of additionsOf(resource, resolver)) {
    values[name] = { is: 'references', entries }
    fields.push({ path: pointerTo(name), after: shownEntries(entries), sensitive: false, verdict: 'difference' })
  }
  return { fields, values }
}

/** The written fields that differ from the live object; write-only and ignored ones are never compared. */
export function differences(resource: Resource, object: LiveObject, resolver: Resolver, live: LiveIndex): Comparison {
  const fields: FieldChange[] = []
  const values = recordOf<FieldValue>()
  for (const field of writtenFields(resource)) {
    if (field.writeOnly || isLeftAlone(resource, field) || hasEntries(resource, field.name)) continue
    if (isUnverifiable(field, object, live) || !isTold(object, field.name)) continue
    const written = leavingIgnored(resource, field, ownValue(object.fields, field.name))
    const found = compareField(resource, field, written, object, resolver, live)
    if (found.length === 0) continue
    fields.push(...found)
    values[field.name] = fieldValue(resource, field, written, object, resolver)
  }
  for (const [name, added] of additionsOf(resource, resolver)) {
    const present = liveEntries(resource, name, object, live)
    const kept = resource.fields[name] === undefined ? withoutWithdrawn(resource, name, present) : []
    const missing = added.filter((entry) => !kept.some((each) => targetKey(each.target) === targetKey(entry.target)))
    const entries = [...kept, ...missing]
    if (sameEntries(entries, present)) continue
    values[name] = { is: 'references', entries }
    fields.push(changed(pointerTo(name), shownEntries(present), shownEntries(entries), 'shown'))
  }
  return { fields, values: fields.length === 0 ? {} : { ...requiredOnUpdate(resource, object, values), ...values } }
}

const isLeftAlone = ({ ignore }: Resource, field: Field): boolean =>
  ignore.length > 0 && ignore.includes(pointerTo(field.name))

/** A snapshot file leaves secrets out: one that is absent there cannot be compared. */
const isUnverifiable = (field: Field, object: LiveObject, live: LiveIndex): boolean =>
  field.secret && live.secrets === 'left out' && !Object.hasOwn(object.fields, field.name)

/** The written fields in the order of the kind's table, then those that no table knows. */
function writtenFields({ kind: name, fields }: Resource): readonly Field[] {
  const kind = catalog[name]
  const names = Object.keys(fields)
  // Manifests are read in this order; only what was put in later stands elsewhere.
  const isInOrder = names.every(
    (each, index) => index === 0 || rankOf(kind, names[index - 1] ?? '') < rankOf(kind, each),
  )
  return (isInOrder ? names : names.sort(byRank(kind))).map((each) => fieldOf(kind, each))
}

const byRank =
  (kind: Kind) =>
  (left: string, right: string): number =>
    rankOf(kind, left) - rankOf(kind, right) || compareText(left, right)

const fieldOf = (kind: Kind, name: string): Field => kind.fields[name] ?? extraField(name)

/** A field that document and notes do not know, passed through under `metadata.extraFields`. */
export const extraField = (name: string): Field => ({
  name,
  type: { is: 'map', of: 'any' },
  create: 'Opt',
  update: 'Opt',
  fetch: 'Exp',
  note: '',
  printedType: undefined,
  origin: 'notes',
  immutable: false,
  writeOnly: false,
  secret: false,
  default: undefined,
  range: undefined,
  readOnly: undefined,
  afterCreate: false,
})

function compareField(
  resource: Resource,
  field: Field,
  written: Json,
  object: LiveObject,
  resolver: Resolver,
  live: LiveIndex,
): readonly FieldChange[] {
  const answered = ownValue(object.fields, field.name)
  if (referredKind(field)) {
    const wanted = resolver.entries(resource, field, written)
    const present = liveEntries(resource, field.name, object, live)
    if (sameEntries(wanted, present)) return same
    return [changed(pointerTo(field.name), shown(field, present), shown(field, wanted), sensitivity(field))]
  }
  if (field.type.is === 'shape' && written !== null) {
    return compareMembers(field.type.shape, written, answered, pointerTo(field.name))
  }
  if (sameValue(field.type, written, answered, field.default)) return same
  const at = pointerTo(field.name)
  return [changed(at, shownLive(field.type, answered), inOrder(field.type, written), sensitivity(field))]
}

const same: readonly never[] = []

/** What is written, with the live values at the places that `metadata.ignore` leaves alone. */
function leavingIgnored(resource: Resource, field: Field, answered: Json | undefined): Json {
  const written = resource.fields[field.name] ?? null
  if (resource.ignore.length === 0) return written
  const at = pointerTo(field.name)
  const inner = resource.ignore.filter((path) => path.startsWith(`${at}/`)).map((path) => path.slice(at.length))
  if (inner.length === 0 || !isObject(written)) return written
  return inner.reduce<Json>((value, path) => {
    const live: Json | undefined = isObject(answered) ? jsonpatch.getValueByPointer(answered, path) : undefined
    return withValueAt(value, path, live)
  }, written)
}

/** The value with another one, or none, at a JSON Pointer; unchanged where the pointer leads nowhere. */
function withValueAt(value: Json, path: string, inner: Json | undefined): Json {
  const operation = inner === undefined ? { op: 'remove' as const, path } : { op: 'add' as const, path, value: inner }
  const copy: Json = jsonpatch.deepClone(value)
  const error = jsonpatch.validate([operation], copy)
  return error ? value : jsonpatch.applyPatch(copy, [operation]).newDocument
}

/** A live value as manifests would write it. */
const shownLive = (type: FieldType, answered: Json | undefined): Json =>
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

/** The members of an object field are managed one by one: those that are written. */
function compareMembers(
  shape: keyof typeof shapes,
  written: Json,
  answered: Json | undefined,
  at: string,
): readonly FieldChange[] {
  if (!isObject(written)) return []
  const present: JsonObject = isObject(answered) ? answered : {}
  return Object.keys(written)
    .sort()
    .flatMap((name): readonly FieldChange[] => {
      const path = at + pointerTo(name)
      const member = shapes[shape][name]
      const type: FieldType = member?.type ?? { is: 'map', of: 'any' }
      const wanted = written[name] ?? null
      const inner = ownValue(present, name)
      if (type.is === 'shape' && wanted !== null) return compareMembers(type.shape, wanted, inner, path)
      if (sameValue(type, wanted, inner, member?.default)) return []
      return [changed(path, inner ?? null, inOrder(type, wanted), 'shown')]
    })
}

/** What a request carries for a field: object fields are the live object overlaid with the written members. */
function fieldValue(
  resource: Resource,
  field: Field,
  written: Json,
  object: LiveObject | undefined,
  resolver: Resolver,
): FieldValue {
  if (referredKind(field)) {
    const entries = resolver.entries(resource, field, written).map((entry) => completed(entry, field, object))
    const [entry] = entries
    if (field.type.is === 'list') return { is: 'references', entries }
    return entry ? { is: 'reference', entry } : { is: 'value', value: null }
  }
  const answered = object && ownValue(object.fields, field.name)
  if (field.type.is !== 'shape' || !isObject(answered) || !isObject(written)) return { is: 'value', value: written }
  return { is: 'value', value: overlaid(field.type, answered, written) }
}

function overlaid(type: FieldType, answered: JsonObject, written: JsonObject): JsonObject {
  const result = recordOf(Object.entries(answered))
  for (const [name, value] of Object.entries(written)) {
    const member = type.is === 'shape' ? shapes[type.shape][name]?.type : undefined
    const inner = result[name]
    const nested = member?.is === 'shape' && isObject(value) && isObject(inner)
    result[name] = nested ? overlaid(member, inner, value) : value
  }
  return result
}

/** What a written reference leaves open is taken from the live one: the methods of an endpoint, a role's action. */
function completed(entry: ReferenceEntry, field: Field, object: LiveObject | undefined): ReferenceEntry {
  const answered = object && asList(object.fields[field.name]).find((each) => isSame(each, entry))
  const element = elementOf(field.type)
  const referred = element.is === 'reference' ? element.kind : undefined
  const live = answered === undefined ? undefined : liveEntry(answered, referred)
  const extra = { ...(referred && catalog[referred].sentByDefault), ...live?.extra, ...entry.extra }
  return { ...entry, extra, nested: entry.nested ?? live?.nested }
}

const isSame = (answered: Json, entry: ReferenceEntry): boolean =>
  isObject(answered) && entry.target.is === 'live' && answered.id === entry.target.id

/** Req (update) fields are sent with every update, from the manifest or else as they are live. */
function requiredOnUpdate(resource: Resource, object: LiveObject, values: FieldValues): FieldValues {
  const kind = catalog[resource.kind]
  const required: Record<string, FieldValue> = {}
  for (const field of Object.values(kind.fields)) {
    if (field.update !== 'Req' || values[field.name]) continue
    const value = resource.fields[field.name] ?? object.fields[field.name]
    if (value !== undefined) required[field.name] = { is: 'value', value }
  }
  // A child that exists once is sent whole, secrets that nobody wrote apart: a platform may replace it.
  if (kind.naming !== undefined) return required
  return { ...wholeObject(kind, object), ...writtenSecrets(kind, resource), ...required }
}

/** Secrets that a manifest writes go along with the rest: a platform that replaces the object would lose them. */
const writtenSecrets = (kind: Kind, resource: Resource): FieldValues =>
  Object.fromEntries(
    Object.entries(resource.fields)
      .filter(([name, value]) => kind.fields[name]?.secret && value !== null)
      .map(([name, value]) => [name, { is: 'value', value }]),
  )

function wholeObject(kind: Kind, object: LiveObject): FieldValues {
  return Object.fromEntries(
    Object.entries(object.fields)
      .filter(([name]) => !kind.fields[name]?.secret && kind.fields[name]?.update !== 'Ign')
      .map(([name, value]) => [name, { is: 'value', value }]),
  )
}

function additionsOf(
  resource: Resource,
  resolver: Resolver,
): readonly (readonly [string, readonly ReferenceEntry[]])[] {
  const names = new Set([...Object.keys(resource.additions), ...Object.keys(resource.withdrawals ?? {})])
  return [...names].flatMap((name) => {
    const field = catalog[resource.kind].fields[name]
    return field ? [[name, resolver.entries(resource, field, [...(resource.additions[name] ?? [])])] as const] : []
  })
}

/** Whether a list is not managed as a whole: only some entries must be in it, or leave it. */
const hasEntries = ({ additions, withdrawals }: Resource, name: string): boolean =>
  Object.hasOwn(additions, name) || (withdrawals !== undefined && Object.hasOwn(withdrawals, name))

const withoutWithdrawn = (
  { withdrawals }: Resource,
  name: string,
  present: readonly ReferenceEntry[],
): readonly ReferenceEntry[] =>
  present.filter(({ target }) => target.is !== 'live' || !withdrawals?.[name]?.some(({ id }) => id === target.id))

/** References as answered, each with the name that the area knows it by. */
function liveEntries(resource: Resource, name: string, object: LiveObject, live: LiveIndex): readonly ReferenceEntry[] {
  const field = catalog[resource.kind].fields[name]
  const referred = field && referredKind(field)
  if (!referred) return []
  const kind = targetOf(catalog[referred]).name
  const ownerKind = severalParents(resource.kind, kind)
  return asList(object.fields[name]).flatMap((each) => {
    const entry = liveEntry(each, referred)
    if (entry?.target.is !== 'live') return []
    const known = live.byId(kind, entry.target.id)
    const named = known && known.key !== '' ? { ...entry, name: known.key } : entry
    return [ownerKind ? { ...named, owner: known?.parent?.key } : named]
  })
}

/** Whether references from one kind to another may be to children of several parents: an event's endpoints. */
function severalParents(from: KindName, to: KindName): boolean {
  const parent = catalog[to].parent?.kind
  if (!parent || catalog[from].linkTo === parent || ancestors(catalog[from]).some((each) => each.name === parent)) {
    return false
  }
  return !Object.values(catalog[from].fields).some((field) => referredKind(field) === parent)
}

/** The list of children that references to a kind carry along: the methods of an endpoint. */
const nestedListOf = (kind: KindName): string | undefined =>
  childFields(targetOf(catalog[kind])).find((child) => !child.single)?.field

function liveEntry(answered: Json, referred: KindName | undefined): ReferenceEntry | undefined {
  if (!isObject(answered) || typeof answered.id !== 'string') return undefined
  const nestedList = referred && nestedListOf(referred)
  const inner = nestedList === undefined ? undefined : answered[nestedList]
  const nested = isList(inner) ? inner : undefined
  return {
    target: { is: 'live', id: answered.id },
    name: typeof answered.name === 'string' ? answered.name : answered.id,
    owner: undefined,
    extra: referred ? linkValues(referred, answered) : {},
    nested:
      nested && nestedList !== undefined
        ? { field: nestedList, entries: nested.flatMap((each) => liveEntry(each, undefined) ?? []) }
        : undefined,
  }
}

/** Sets of references are the same if every wanted one is there, as far as it says how, and no other. */
export function sameEntries(wanted: readonly ReferenceEntry[], present: readonly ReferenceEntry[]): boolean {
  if (wanted.length !== present.length) return false
  const byTarget = new Map(present.map((entry) => [targetKey(entry.target), entry]))
  return wanted.every((entry) => {
    const other = byTarget.get(targetKey(entry.target))
    if (!other) return false
    const sameExtra = Object.entries(entry.extra).every(([name, value]) => sameJson(value, other.extra[name]))
    return sameExtra && (!entry.nested || sameEntries(entry.nested.entries, other.nested?.entries ?? []))
  })
}

function shownValue(value: FieldValue): Json {
  switch (value.is) {
    case 'value':
      return value.value
    case 'reference':
      return shownEntry(value.entry)
    case 'references':
      return shownEntries(value.entries)
  }
}

const shown = (field: Field, entries: readonly ReferenceEntry[]): Json =>
  field.type.is === 'list' ? shownEntries(entries) : (entries.map(shownEntry)[0] ?? null)

function shownEntries(entries: readonly ReferenceEntry[]): Json {
  return entries.map(shownEntry).sort(bySpelling)
}

function shownEntry(entry: ReferenceEntry): Json {
  const name = entry.owner === undefined ? entry.name : `${entry.owner}/${entry.name}`
  const members: Record<string, Json> = { name, ...entry.extra }
  if (entry.nested) members[entry.nested.field] = shownEntries(entry.nested.entries)
  return Object.keys(members).length === 1 ? name : members
}

/** Whether a field that cannot change differs. */
export function immutableDiffers(field: Field, written: Json, answered: Json | undefined): boolean {
  return canonical(field.type, answered) !== undefined && !sameValue(field.type, written, answered, field.default)
}

/** A child that exists once and holds nothing but what the platform puts there is no object to speak of, live or wanted. */
export function isBlank(object: Pick<LiveObject | Resource, 'kind' | 'fields'>): boolean {
  const kind = catalog[object.kind]
  if (kind.naming !== undefined) return false
  return Object.entries(object.fields).every(([name, value]) => {
    const field = kind.fields[name]
    return sameValue(field?.type ?? { is: 'map', of: 'any' }, undefined, value, field?.default)
  })
}
