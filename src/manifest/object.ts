import { addressOf, ownerAddress } from '../catalog/address.js'
import { metadataKeys } from '../catalog/metadata-keys.js'
import {
  ancestors as ancestorKinds,
  attributeField,
  type ChildField,
  childField,
  childFields,
  extraField,
  inverseReferenceOf,
  isWritable,
  keyOfName,
  perKind,
  rankOf,
  referredKind,
  wordsForName,
} from '../catalog/queries.js'
import { recordOf } from '../catalog/record.js'
import type { Field, FieldType, Kind } from '../catalog/types.js'
import type { Json, JsonObject } from '../json/json.js'
import { compareText } from '../json/order.js'
import { pointerTo } from '../json/pointer.js'
import { clearedRequired, misplacedField } from '../problems/manifests.js'
import type { Problem } from '../problems/problem.js'
import { nearest } from '../problems/suggest.js'
import { addressOfAncestors, ancestorsBelow } from './ancestors.js'
import { readAny, readValue, reportUnknown } from './field-value.js'
import { type Entry, isNull, lacksIn, type Node } from './node.js'
import { checkObject, checkValues } from './object-checks.js'
import { readChild, takenOut } from './object-children.js'
import { checkingOnly, lookingOnly, type ObjectCollector } from './object-collector.js'
import { readKey, readLinkId } from './object-key.js'
import type { ObjectText } from './object-text.js'
import { composedRanges, type SourceRanges, WrittenObject, withPlaces, withRange } from './ranges.js'
import {
  isSecretText,
  keepSecret,
  keepSensitive,
  keepWritten,
  type ObjectReading,
  type WrittenField,
} from './reading.js'
import { readName, readReferences } from './reference.js'
import type { Resource } from './resource.js'
import type { Scope } from './scope.js'
import { pathsCovered, reportSecretNames, secretPaths, withoutValue } from './secret-paths.js'
import { hide, placeOf } from './source.js'
import { unwritableField } from './unwritable-field.js'

/** Reads one object and everything that it contains. Mistakes are reported, and the rest is still read. */
export function readObject(written: ObjectText, collector: ObjectCollector): void {
  const reading = startReading(written, collector)
  const key = readKey(reading)
  const linkId = readLinkId(reading)
  const id = written.metadata.id ?? linkId
  const text = collector.compose(written, key ?? '', id)
  // It is not desired in this environment.
  if (!text) return
  if (text.isLeftOut) {
    const inside = text.entries.filter((entry) => childField(text.kind, entry.key))
    lookInto(inside, text, { collector, key: key ?? '', id })
    return
  }
  reading.text = text
  reading.isComposed = text !== written || text.generatedBy !== undefined
  for (const entry of text.entries) {
    collector.lacks(lacksOf(entry, text.kind))
    readEntry(entry, reading)
  }
  const isKnown = key !== undefined && isPlaced(text)
  if (!isKnown) collector.misses()
  const target = isKnown ? collector : checkingOnly(collector)
  const resource = resourceOf(reading, key ?? '', id)
  target.add(resource)
  target.composed({ address: resource.address, text })
  for (const inverseReference of reading.inverseReferences) target.relate({ from: resource, ...inverseReference })
  checkObject(reading, resource)
  readChildren(reading, target, key ?? '', id)
  const taken = takenOut(text.kind, written.entries, text.entries).map(({ entry }) => entry)
  if (taken.length > 0) lookInto(taken, text, { collector: target, key: key ?? '', id })
}

/** Checks the fields that a layer writes for objects of a kind, if no object was read with them. */
export function checkFields(
  written: Pick<ObjectText, 'kind' | 'metadata' | 'entries' | 'range'>,
  collector: ObjectCollector,
): void {
  const position = { form: 'inline', ancestors: [], parent: undefined, isInside: false, owner: undefined } as const
  const reading = startReading({ ...written, ...position }, collector)
  reading.isComposed = true
  for (const entry of written.entries) readEntry(entry, reading)
  checkValues(reading, resourceOf(reading, '', undefined))
}

/** Shows the layers the left-out objects in these entries. */
function lookInto(
  entries: readonly Entry[],
  text: ObjectText,
  {
    collector,
    key,
    id,
  }: { readonly collector: ObjectCollector; readonly key: string; readonly id: string | undefined },
): void {
  const inside = startReading({ ...text, isLeftOut: true }, lookingOnly(collector))
  for (const entry of entries) readEntry(entry, inside)
  readChildren(inside, inside.collector, key, id)
}

/** Reads the children of an object when its own name is known. */
function readChildren(
  { text, children }: ObjectReading,
  target: ObjectCollector,
  key: string,
  id: string | undefined,
): void {
  if (children.length === 0) return
  const ancestors = ancestorsBelow({ kind: text.kind.name, ancestors: text.ancestors }, key, id)
  const parent = addressOfAncestors(ancestors)
  const isInside = text.ancestors.length === 0 || text.isInside
  const { owner, generatedBy, isLeftOut } = text
  // Every property is named: there are thousands of children, and copying them with "..." would take most of the time.
  for (const { kind, form, metadata, entries, range } of children) {
    readObject(
      { kind, form, metadata, entries, range, ancestors, parent, isInside, owner, generatedBy, isLeftOut },
      target,
    )
  }
}

/** What the environment does not give of a field. An owned child reports this itself, if it is desired. */
function lacksOf({ key, value }: Entry, kind: Kind): readonly Problem[] {
  if (!childField(kind, key)) return lacksIn(value)
  const all = value.is === 'list' ? [value, ...value.items] : [value]
  return all.flatMap(({ lacks }) => lacks ?? [])
}

/** Whether all its parents are known. */
const isPlaced = ({ kind, ancestors, owner }: ObjectText): boolean =>
  ancestors.length === ancestorKinds(kind).length && (!kind.within || owner !== undefined)

function startReading(text: ObjectText, collector: ObjectCollector): ObjectReading {
  const { kind, metadata } = text
  const { clearSecrets, report } = collector
  const scope: Scope = { kind, extraFields: metadata.extraFields ?? 'refuse', clearSecrets, report, leftOut: [] }
  // Most objects contain no others: they share one list that stays empty.
  const isParent = childFields(kind).length > 0
  return {
    text,
    scope,
    collector,
    keyRange: undefined,
    isComposed: false,
    fields: [],
    inverseReferences: [],
    wholeLists: isParent ? [] : none,
    removedChildren: isParent ? [] : none,
    sensitive: [],
    unavailable: [],
    templates: undefined,
    children: isParent ? [] : none,
  }
}

/** Where the fields are written. Fields that come from layers and values are in no text as they are. */
function rangesOf({ text, scope: { leftOut }, isComposed }: ObjectReading, written: SourceRanges): SourceRanges {
  const isSpliced = text.entries.some(({ value }) => value.spliced)
  if (!isComposed && !isSpliced && leftOut.length === 0) return written
  const entries = text.entries.map((entry) => withoutChildren(text.kind, entry))
  const composed = composedRanges(leftOut.length === 0 ? entries : entriesWithout(entries, new Set(leftOut)))
  return isComposed ? composed : withPlaces(written, composed)
}

const none = Object.freeze<never[]>([]) as never[]

function resourceOf(read: ObjectReading, key: string, id: string | undefined): Resource {
  const { text, keyRange } = read
  const { kind, metadata } = text
  const written = new WrittenObject(text.range, text.form)
  const ranges = rangesOf(read, written)
  const { parent } = text
  const within = kind.within && text.owner !== undefined ? ownerAddress(kind.within.name, text.owner) : parent
  return {
    kind: kind.name,
    address: addressOf(kind, kind.naming === undefined ? undefined : key, within, id),
    parent,
    ancestors: text.ancestors,
    isInside: text.isInside,
    owner: text.owner,
    key,
    id,
    formerly: metadata.formerly.map((name) => keyOfName(kind, name)),
    labels: metadata.labels,
    protect: metadata.protect,
    ignore: metadata.ignore.length === 0 ? nothing : metadata.ignore.map(({ pointer }) => pointer).sort(),
    sensitive: sensitiveIn(read),
    unavailable: read.unavailable.length === 0 ? nothing : read.unavailable.sort(),
    templates: read.templates,
    fields: fieldsInOrder(read.fields),
    additions: noAdditions,
    inverseReferences: read.inverseReferences.length === 0 ? noAdditions : inverseReferencesIn(read),
    wholeLists: read.wholeLists.length === 0 ? nothing : read.wholeLists.sort(),
    removedChildren: read.removedChildren.length === 0 ? nothing : read.removedChildren.sort(),
    absent: text.absent,
    implicit: false,
    recordedAs: text.recordedAs,
    generatedBy: text.generatedBy,
    range: written,
    ranges: keyRange ? withRange(ranges, `/${kind.naming}`, keyRange) : ranges,
  }
}

/** The same without some entries of the lists in them: the other entries are counted as if these were not written. */
const entriesWithout = (entries: readonly Entry[], leftOut: ReadonlySet<Node>): readonly Entry[] =>
  entries.map((entry) => ({ ...entry, value: nodeWithout(entry.value, leftOut) }))

function nodeWithout(node: Node, leftOut: ReadonlySet<Node>): Node {
  switch (node.is) {
    case 'scalar':
      return node
    case 'list':
      return {
        ...node,
        items: node.items.filter((item) => !leftOut.has(item)).map((item) => nodeWithout(item, leftOut)),
      }
    case 'map':
      return { ...node, entries: entriesWithout(node.entries, leftOut) }
  }
}

/** Children have places of their own. */
const withoutChildren = (kind: Kind, entry: Entry): Entry =>
  childField(kind, entry.key) ? { ...entry, value: { is: 'list', items: [], range: entry.value.range } } : entry

const nothing: readonly never[] = []
const noAdditions: Resource['additions'] = {}

function sensitiveIn({ sensitive, text: { kind, metadata } }: ObjectReading): readonly string[] {
  if (sensitive.length === 0 && metadata.sensitive.length === 0) return nothing
  const covered = metadata.sensitive.flatMap(({ pointer }) => pathsCovered(kind, pointer))
  return [...new Set([...sensitive, ...covered])].sort()
}

const inverseReferencesIn = ({ inverseReferences }: ObjectReading): JsonObject =>
  Object.fromEntries(
    inverseReferences.map(({ field, to: { name, id } }) => [field, id === undefined ? { name } : { name, id }]),
  )

/** Fields in the order of the catalogue, not in that of the manifest; unknown ones last. */
function fieldsInOrder(written: WrittenField[]): JsonObject {
  const fields = recordOf<Json>()
  for (const { name, value } of written.sort(byRank)) fields[name] = value
  return fields
}

const byRank = (left: WrittenField, right: WrittenField): number =>
  left.rank - right.rank || compareText(left.name, right.name)

/** A field of a kind, and what its reading depends on. */
interface Readable {
  readonly field: Field
  /** Its position in the catalogue. */
  readonly rank: number
  /** Its name in messages: "Endpoint.cors". */
  readonly at: string
  readonly holds: 'child' | 'inverseReference' | 'references' | 'value' | 'nothing writable'
  readonly child: ChildField | undefined
}

const readables = perKind(
  (kind): ReadonlyMap<string, Readable> =>
    new Map(
      Object.values(kind.fields).map((field) => {
        const child = childField(kind, field.name)
        const rank = rankOf(kind, field.name)
        return [field.name, { field, rank, at: `${kind.name}.${field.name}`, holds: held(kind, field, child), child }]
      }),
    ),
)

function held(kind: Kind, field: Field, child: ChildField | undefined): Readable['holds'] {
  if (!isWritable(field)) return 'nothing writable'
  if (child) return 'child'
  if (inverseReferenceOf(kind, field)) return 'inverseReference'
  return referredKind(field) ? 'references' : 'value'
}

function readEntry(entry: Entry, reading: ObjectReading): void {
  const { kind } = reading.text
  const { report } = reading.scope
  if (entry.key === kind.naming || (kind.association && entry.key === 'id')) return
  const readable = readables(kind).get(entry.key) ?? attributeIn(kind, entry)
  if (!readable) readUnknown(entry, reading)
  else if (readable.holds === 'nothing writable')
    report(unwritableField(placeOf(entry.range), kind.name, readable.field))
  else if (readable.child) readChild(readable.child, entry, reading)
  else readField(readable, entry, reading)
}

/**
 * An attribute: a text under a name that is not that of a field, and not similar to one, in a kind that accepts such texts. null
 * clears it.
 */
function attributeIn(kind: Kind, { key, value }: Entry): Readable | undefined {
  const field = attributeField(kind, key)
  const isText = value.is === 'scalar' && (typeof value.value === 'string' || value.value === null)
  if (!field || !isText || metadataKeys(kind, 'inline').known.includes(key)) return undefined
  if (nearest(key, Object.keys(kind.fields)) !== undefined) return undefined
  return { field, rank: rankOf(kind, key), at: `${kind.name}.${key}`, holds: 'value', child: undefined }
}

function readUnknown(entry: Entry, reading: ObjectReading): void {
  const { text, scope, fields } = reading
  // The value may be a secret in the wrong place.
  if (entry.value.range.start > entry.range.start) hide(entry.value.range)
  const known = Object.values(text.kind.fields).filter(isWritable)
  // The key may be meant as that of children.
  const meant = nearest(
    entry.key,
    known.map((field) => field.name),
  )
  if (scope.extraFields !== 'pass' && meant !== undefined && childField(text.kind, meant)) reading.collector.misses()
  if (scope.extraFields !== 'pass' && metadataKeys(text.kind, 'inline').known.includes(entry.key)) {
    scope.report(misplacedField(placeOf(entry.range), text.kind.name, entry.key, `metadata: {${entry.key}: …}`))
  } else {
    reportUnknown(
      text.kind.name,
      entry.key,
      known.map((field) => field.name),
      entry.range,
      scope,
      isForName(entry, reading) ? text.kind.naming : undefined,
    )
  }
  keepWritten(entry, reading)
  const value = readAny(entry.value, `${text.kind.name}.${entry.key}`, scope)
  if (scope.extraFields !== 'pass') return
  const passed = entry.value.secret ? knownPart(value, extraField(entry.key).type, entry, reading) : value
  if (passed === undefined) return
  fields.push({ name: entry.key, rank: rankOf(text.kind, entry.key), value: passed })
  keepSensitive(entry, passed, reading)
}

/** Whether an inline object has its name under another word, which people write instead of `name`. */
const isForName = ({ key }: Entry, { text: { kind, form, entries } }: ObjectReading): boolean =>
  form === 'inline' && wordsForName(kind).includes(key) && !entries.some((entry) => entry.key === kind.naming)

function readField({ field, rank, at, holds }: Readable, entry: Entry, reading: ObjectReading): void {
  const { text, scope, fields } = reading
  const { name } = field
  if (isNull(entry.value)) {
    if (isRequired(field)) scope.report(clearedRequired(placeOf(entry.range), text.kind.name, name))
    else fields.push({ name, rank, value: null })
    return
  }
  if (entry.value.secret && (holds === 'inverseReference' || holds === 'references')) {
    reportSecretNames(entry.value, scope.report)
    return
  }
  if (holds === 'inverseReference') {
    const to = readName(entry.value, at, scope)
    if (to) reading.inverseReferences.push({ field: name, to, range: entry.range })
    return
  }
  if (field.secret && !isSecretText(entry, at, reading)) return
  keepWritten(entry, reading)
  const value =
    holds === 'references'
      ? readReferences(field, entry.value, at, scope)
      : readValue(field.type, entry.value, at, scope)
  const known = entry.value.secret ? knownPart(value, field.type, entry, reading) : value
  if (known === undefined) return
  fields.push({ name, rank, value: known })
  if (field.secret && typeof known === 'string') keepSecret(entry, known, reading)
  else keepSensitive(entry, known, reading)
}

/** The value without the parts in which a secret is not set; records which parts contain secrets. */
function knownPart(
  value: Json | undefined,
  type: FieldType,
  { key, value: node }: Entry,
  reading: ObjectReading,
): Json | undefined {
  const { sensitive, unavailable } = reading
  const field = pointerTo(key)
  const paths = secretPaths(type, node, field)
  sensitive.push(...paths.map(({ path }) => path))
  if (paths.length > 0) reading.templates ??= new Map()
  for (const { path, template } of paths) reading.templates?.set(path, template)
  const unset = paths.filter(({ isSet }) => !isSet).map(({ path }) => path)
  unavailable.push(...unset)
  const held: JsonObject = value === undefined ? {} : { [key]: value }
  return unset.reduce(withoutValue, held)[key]
}

const isRequired = (field: Field): boolean => field.create === 'Req' || field.update === 'Req'
