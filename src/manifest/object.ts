import { addressOf, ownerAddress } from '../catalog/address.js'
import {
  ancestors as ancestorKinds,
  childField,
  isWritable,
  owningList,
  perKind,
  referredKind,
} from '../catalog/queries.js'
import type { Field, Json, Kind } from '../catalog/types.js'
import { clearedRequired, ignoredField, readOnlyField, wrongType } from '../problem.js'
import { readAny, readValue, reportUnknown } from './field-value.js'
import { addressOfAncestors, checkingOnly, type Gathering } from './gathering.js'
import { type Entry, isNull } from './node.js'
import { checkObject } from './object-checks.js'
import { readChild } from './object-children.js'
import { readKey, readLinkId } from './object-key.js'
import { keepSecret, type ObjectText, type Reading } from './reading.js'
import { readName, readReferences } from './reference.js'
import type { Resource } from './resource.js'
import { member, type Scope } from './scope.js'
import { hide, type Mark, placeOf } from './source.js'

/** Reads one object and everything that it contains; what is wrong is reported, and the rest goes on. */
export function readObject(text: ObjectText, gathering: Gathering): void {
  const reading = startReading(text, gathering)
  const key = readKey(reading)
  const id = text.metadata.id ?? readLinkId(reading)
  for (const entry of text.entries) readEntry(entry, reading)
  const target = key === undefined || !isPlaced(text) ? checkingOnly(gathering) : gathering
  const resource = resourceOf(reading, key ?? '', id)
  target.add(resource)
  for (const relation of reading.relations) target.relate({ from: resource, ...relation })
  checkObject(reading, resource)
  const self = { kind: text.kind.name, name: key ?? '', ...(id === undefined ? {} : { id }) }
  const chain = [...text.ancestors, self]
  for (const child of reading.children) readObject({ ...child, ancestors: chain, owner: text.owner }, target)
}

/** Whether all its parents are known. */
const isPlaced = ({ kind, ancestors, owner }: ObjectText): boolean =>
  ancestors.length === ancestorKinds(kind).length && (!kind.within || owner !== undefined)

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
  const fields: Record<string, Json> = {}
  const keep = (name: string) => {
    const value = written.get(name)
    if (value !== undefined) fields[name] = value
  }
  for (const name of fieldNames(kind)) keep(name)
  const unknown = [...written.keys()].filter((each) => !Object.hasOwn(kind.fields, each))
  for (const name of unknown.sort()) keep(name)
  return fields
}

const fieldNames = perKind((kind) => Object.keys(kind.fields))

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
  if (field.secret && entry.value.is === 'scalar' && typeof entry.value.value !== 'string') {
    // Even the wrong thing in the place of a secret is not shown.
    hide(entry.value.mark)
    scope.report(wrongType(placeOf(entry.value.mark), at.words, 'a text', 'something else', 'put it in quotes'))
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
