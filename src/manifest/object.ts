import { addressOf, ownerAddress } from '../catalog/address.js'
import { isNamedOpenly } from '../catalog/metadata-keys.js'
import {
  ancestors as ancestorKinds,
  type ChildField,
  childField,
  givenByParent,
  hasSecretName,
  isWritable,
  owningList,
  referredKind,
} from '../catalog/queries.js'
import type { Field, Json, Kind } from '../catalog/types.js'
import {
  badPointer,
  clearedRequired,
  clearSecret,
  emptyMandatoryList,
  ignoredField,
  missingName,
  missingOnCreate,
  nameDiffers,
  readOnlyField,
  wrongType,
} from '../problem.js'
import { itemsOf, readAny, readString, readValue, reportUnknown } from './field-value.js'
import { addressOfAncestors, checkingOnly, type Gathering } from './gathering.js'
import { type Metadata, readMetadata } from './metadata.js'
import { type Entry, isNull, type Node, valueAt, wordsFor } from './node.js'
import { readName, readReferences } from './reference.js'
import type { Ancestor, Name, Resource } from './resource.js'
import { member, type Scope } from './scope.js'
import { type Mark, placeOf } from './source.js'
import { closest } from './suggest.js'

/** One object as it is written: what its metadata says, where it lives, and its fields. */
export interface ObjectText {
  readonly kind: Kind
  readonly metadata: Metadata
  readonly ancestors: readonly Ancestor[]
  readonly owner: string | undefined
  readonly entries: readonly Entry[]
  readonly mark: Mark
}

interface Reading {
  readonly text: ObjectText
  readonly scope: Scope
  readonly gathering: Gathering
  readonly fields: Map<string, Json>
  readonly marks: Record<string, Mark>
  readonly wholeLists: string[]
  readonly removedChildren: string[]
  readonly relations: { readonly field: string; readonly to: Name; readonly mark: Mark }[]
  /** Children wait until the address of their parent is known. */
  readonly children: ((self: Ancestor, gathering: Gathering) => void)[]
}

/** Reads one object and everything that it contains; what is wrong is reported, and the rest goes on. */
export function readObject(text: ObjectText, gathering: Gathering): void {
  const reading = startReading(text, gathering)
  const key = readKey(reading)
  const id = text.metadata.id ?? readLinkId(reading)
  for (const entry of text.entries) readEntry(entry, reading)
  checkIgnored(reading)
  const isPlaced = text.ancestors.length === ancestorKinds(text.kind).length && (!text.kind.within || text.owner)
  const target = key === undefined || !isPlaced ? checkingOnly(gathering) : gathering
  const resource = resourceOf(reading, key ?? '', id)
  target.add(resource)
  for (const relation of reading.relations) target.relate({ from: resource, ...relation })
  checkGivenByParent(reading)
  checkRequired(reading, resource)
  const self = { kind: text.kind.name, name: key ?? '', ...(id === undefined ? {} : { id }) }
  for (const child of reading.children) child(self, target)
}

function startReading(text: ObjectText, gathering: Gathering): Reading {
  const marks: Record<string, Mark> = {}
  const scope: Scope = {
    kind: text.kind,
    extraFields: text.metadata.extraFields,
    clearSecrets: gathering.clearSecrets,
    report: gathering.report,
    mark: (pointer, mark) => {
      marks[pointer] = mark
    },
  }
  const lists = { wholeLists: [], removedChildren: [], relations: [], children: [] }
  return { text, scope, gathering, fields: new Map(), marks, ...lists }
}

function resourceOf({ text, ...read }: Reading, key: string, id: string | undefined): Resource {
  const { kind, metadata } = text
  const parent = addressOfAncestors(text.ancestors)
  const within = kind.within && text.owner !== undefined ? ownerAddress(kind.within.name, text.owner) : parent
  return {
    kind: kind.name,
    address: addressOf(kind, kind.naming === undefined ? undefined : key, within, id),
    parent,
    ancestors: text.ancestors,
    owner: text.owner,
    key,
    id,
    formerly: metadata.formerly,
    labels: metadata.labels,
    protect: metadata.protect,
    ignore: metadata.ignore.map(({ pointer }) => pointer).sort(),
    fields: inOrder(kind, read.fields),
    additions: {},
    wholeLists: read.wholeLists.sort(),
    removedChildren: read.removedChildren.sort(),
    implied: false,
    mark: text.mark,
    marks: read.marks,
  }
}

/** Fields in the order of the catalogue, whatever order they are written in; unknown ones last. */
function inOrder(kind: Kind, written: ReadonlyMap<string, Json>): Readonly<Record<string, Json>> {
  const order = Object.keys(kind.fields)
  const rank = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length)
  const sorted = [...written].sort(([left], [right]) => rank(left) - rank(right) || (left < right ? -1 : 1))
  return Object.fromEntries(sorted)
}

/** The natural key: from `metadata` of a document, from the naming field of an inline child; undefined if there is none. */
function readKey(reading: Reading): string | undefined {
  const { kind, metadata, entries } = reading.text
  if (kind.naming === undefined) return ''
  const written = entries.find((entry) => entry.key === kind.naming)
  const at = { words: `${kind.name}.${kind.naming}`, pointer: `/${kind.naming}` }
  const text = written && readKeyText(written, at.words, reading)
  const key = metadata.name?.text ?? text
  if (metadata.name && text !== undefined && text !== key) {
    reading.scope.report(
      nameDiffers(placeOf(written?.value.mark ?? reading.text.mark), at.words, text, metadata.name.text),
    )
  }
  if (hasSecretName(kind)) return readSecretKey(text, written, reading)
  if (key === undefined) return undefined
  keepKey(key, metadata.name?.mark ?? written?.mark, reading)
  return key
}

function readKeyText(written: Entry, words: string, { text, scope }: Reading): string | undefined {
  if (isNull(written.value)) {
    scope.report(clearedRequired(placeOf(written.mark), text.kind.name, written.key))
    return undefined
  }
  const name = readString(written.value, { words, pointer: '' }, scope)
  if (name !== '') return name
  scope.report(wrongType(placeOf(written.value.mark), words, 'a name', 'an empty text'))
  return undefined
}

/** Links are known by the name of what they refer to; it is no field of theirs. */
function keepKey(key: string, mark: Mark | undefined, { text, fields, marks }: Reading): void {
  const { kind } = text
  if (kind.naming === undefined) return
  if (mark) marks[`/${kind.naming}`] = mark
  if (!kind.linkTo) fields.set(kind.naming, key)
}

/** A secret name may be missing: then the object is known by what it refers to. */
function readSecretKey(text: string | undefined, written: Entry | undefined, reading: Reading): string | undefined {
  if (!written) return ''
  if (text === undefined) return undefined
  keepKey(text, written.mark, reading)
  keepSecret(written, text, reading)
  return text
}

/** A link is a reference: as in references, `id` beside the name says which of several is meant. */
function readLinkId({ text, scope }: Reading): string | undefined {
  const written = text.kind.linkTo ? text.entries.find((entry) => entry.key === 'id') : undefined
  return written && readString(written.value, { words: `${text.kind.name}.id`, pointer: '/id' }, scope)
}

function readEntry(entry: Entry, reading: Reading): void {
  const { kind } = reading.text
  if (entry.key === kind.naming || (kind.linkTo && entry.key === 'id')) return
  const field = Object.hasOwn(kind.fields, entry.key) ? kind.fields[entry.key] : undefined
  const child = childField(kind, entry.key)
  reading.marks[member({ words: '', pointer: '' }, entry.key).pointer] = entry.mark
  if (!field) readUnknown(entry, reading)
  else if (!isWritable(field)) reportUnwritable(field, entry, reading)
  else if (child) readChild(child, entry, reading)
  else readField(field, entry, reading)
}

function readUnknown(entry: Entry, { text, scope, fields }: Reading): void {
  const known = Object.values(text.kind.fields).filter(isWritable)
  reportUnknown(
    text.kind.name,
    entry.key,
    known.map((field) => field.name),
    entry.mark,
    scope,
  )
  const value = readAny(entry.value, member({ words: text.kind.name, pointer: '' }, entry.key), scope)
  if (scope.extraFields === 'pass' && value !== undefined) fields.set(entry.key, value)
}

function reportUnwritable(field: Field, { mark }: Entry, { text, scope }: Reading): void {
  const hint = field.name === 'id' ? 'metadata.id pins one live object; otherwise remove it' : 'remove it'
  const problem =
    field.readOnly === undefined
      ? ignoredField(placeOf(mark), text.kind.name, field.name, hint)
      : readOnlyField(placeOf(mark), text.kind.name, field.name, field.readOnly)
  scope.report(problem)
}

function readField(field: Field, entry: Entry, reading: Reading): void {
  const { text, scope, fields } = reading
  const at = member({ words: text.kind.name, pointer: '' }, field.name)
  if (isNull(entry.value)) {
    if (isRequired(field)) scope.report(clearedRequired(placeOf(entry.mark), text.kind.name, field.name))
    else fields.set(field.name, null)
    return
  }
  if (owningList(text.kind, field)) {
    const to = readName(entry.value, at, scope)
    if (to) reading.relations.push({ field: field.name, to, mark: entry.mark })
    return
  }
  const value = referredKind(field)
    ? readReferences(field, entry.value, at, scope)
    : readValue(field.type, entry.value, at, scope)
  if (value === undefined) return
  fields.set(field.name, value)
  if (field.secret && typeof value === 'string') keepSecret(entry, value, reading)
}

const isRequired = (field: Field): boolean => field.create === 'Req' || field.update === 'Req'

function keepSecret(entry: Entry, value: string, { text, scope, gathering }: Reading): void {
  if (value === '') return
  gathering.addSecret(value)
  if (entry.value.is === 'scalar' && entry.value.from === 'text') {
    scope.report(clearSecret(placeOf(entry.value.mark), `${text.kind.name}.${entry.key}`, scope.clearSecrets))
  }
}

function readChild(child: ChildField, entry: Entry, reading: Reading): void {
  if (child.single) readSingleChild(child, entry, reading)
  else readChildList(child, entry, reading)
}

function readSingleChild(child: ChildField, entry: Entry, reading: Reading): void {
  if (isNull(entry.value)) reading.removedChildren.push(child.field)
  else readChildObject(child, entry.value, reading)
}

function readChildList(child: ChildField, entry: Entry, reading: Reading): void {
  const { text, scope, wholeLists } = reading
  const at = { words: `${text.kind.name}.${child.field}`, pointer: '' }
  const items = isNull(entry.value) ? [] : itemsOf(entry.value, at, scope)
  // The platform keeps a fixed set of these: those that are not written are left alone.
  if (!child.kind.fixedSet) wholeLists.push(child.field)
  const isEmptied = isNull(entry.value) || (entry.value.is === 'list' && items.length === 0)
  if (isEmptied && text.kind.atLeastOne.includes(child.field)) {
    scope.report(emptyMandatoryList(placeOf(entry.mark), text.kind.name, child.field))
  }
  for (const item of items) readChildObject(child, item, reading)
}

function readChildObject({ kind, field }: ChildField, node: Node, { text, scope, children }: Reading): void {
  const entries = childEntries(kind, node)
  if (!entries) {
    const expected = isNamedOpenly(kind) ? `a name or a mapping of ${kind.name}` : `a mapping of ${kind.name}`
    if (node.is !== 'scalar' || node.from !== 'unresolved') {
      scope.report(wrongType(placeOf(node.mark), `${text.kind.name}.${field}`, expected, wordsFor(node)))
    }
    return
  }
  const written = node.is === 'map' ? valueAt(node, 'metadata') : undefined
  const metadata = readMetadata(kind, written, 'inline', node.mark, scope.report)
  if (isNamedOpenly(kind) && !entries.some((entry) => entry.key === kind.naming)) {
    scope.report(missingName(placeOf(node.mark), kind.name, kind.naming ?? 'name'))
  }
  children.push((self, gathering) => {
    const ancestors = [...text.ancestors, self]
    readObject({ kind, metadata, ancestors, owner: text.owner, entries, mark: node.mark }, gathering)
  })
}

/** The fields of an inline child; a bare text is its name. */
function childEntries(kind: Kind, node: Node): readonly Entry[] | undefined {
  if (node.is === 'map') return node.entries.filter((entry) => entry.key !== 'metadata')
  if (node.is !== 'scalar' || typeof node.value !== 'string' || node.from === 'unresolved') return undefined
  return kind.naming !== undefined && isNamedOpenly(kind)
    ? [{ key: kind.naming, mark: node.mark, value: node }]
    : undefined
}

function checkIgnored({ text, scope }: Reading): void {
  const written = text.entries.map((entry) => entry.key)
  for (const { pointer, mark } of text.metadata.ignore) {
    const [, first = ''] = pointer.split('/')
    if (Object.hasOwn(text.kind.fields, first) || written.includes(first)) continue
    const suggestion = closest(first, Object.keys(text.kind.fields))
    scope.report(badPointer(placeOf(mark), pointer, suggestion === undefined ? undefined : `/${suggestion}`))
  }
}

/** What the parent gives may be repeated, with the parent's value. */
function checkGivenByParent({ text, scope, fields, marks }: Reading): void {
  const given = givenByParent(text.kind)
  const parent = text.ancestors.at(-1)
  const value = given === undefined ? undefined : fields.get(given)
  if (given === undefined || !parent || typeof value !== 'string' || value === parent.name) return
  scope.report(nameDiffers(placeOf(marks[`/${given}`] ?? text.mark), `${text.kind.name}.${given}`, value, parent.name))
}

/** A pinned object exists, and a link is made by naming it: neither lacks anything. */
function checkRequired({ text, scope }: Reading, resource: Resource): void {
  const { kind, entries } = text
  if (kind.linkTo || kind.fixedSet || kind.blocked.create !== undefined || resource.id !== undefined) return
  const missing = Object.values(kind.fields).filter(
    (field) =>
      field.create === 'Req' &&
      field.readOnly === undefined &&
      field.name !== kind.naming &&
      field.name !== givenByParent(kind) &&
      !entries.some((entry) => entry.key === field.name),
  )
  if (missing.length === 0) return
  const what = isNamedOpenly(kind) ? `${kind.name} "${resource.key}"` : `this ${kind.name}`
  scope.report(
    missingOnCreate(
      placeOf(text.mark),
      what,
      missing.map((field) => field.name),
    ),
  )
}
