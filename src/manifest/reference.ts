import { recordOf } from '../catalog/record.js'
import { nestedReferenceForm, type ReferenceForm, referenceForm } from '../catalog/reference-form.js'
import type { Field } from '../catalog/types.js'
import type { Json } from '../json/json.js'
import { missingName, wrongType } from '../problems/manifests.js'
import { isMistyped } from '../problems/suggest.js'
import { itemsOf, readNonEmpty, readString, readValue, reportUnknown } from './field-value.js'
import { type Entry, isNull, type MapNode, type Node, wordsFor } from './node.js'
import type { Name } from './resource.js'
import type { Reporter, Scope } from './scope.js'
import { placeOf } from './source.js'

/** Reads a field of references: "*", one reference, or a list of them. Each is a name or {name, id, …}. */
export function readReferences(field: Field, node: Node, at: string, scope: Scope): Json | undefined {
  if (field.type.is === 'reference') return readReference(referenceForm(scope.kind, field.type.kind), node, at, scope)
  if (field.type.is !== 'list' || field.type.of.is !== 'reference') return undefined
  return readEntries(referenceForm(scope.kind, field.type.of.kind), node, at, scope)
}

function readEntries(form: ReferenceForm, node: Node, at: string, scope: Scope): Json | undefined {
  if (form.everything === 'allowed' && isEverything(node)) return '*'
  const read: Json[] = []
  for (const item of itemsOf(node, at, scope)) {
    if (form.everything === 'allowed' && isEverything(item)) {
      const hint = 'write "*" instead of the list, or {name: "*"} for an object of that name'
      scope.report(wrongType(placeOf(item.range), at, '"*" alone, or a list of names', '"*" in a list', hint))
      scope.leftOut.push(item)
      continue
    }
    const reference = readReference(form, item, at, scope)
    if (reference === undefined) scope.leftOut.push(item)
    else read.push(reference)
  }
  return read
}

const isEverything = (node: Node): boolean => node.is === 'scalar' && node.value === '*'

function readReference(form: ReferenceForm, node: Node, at: string, scope: Scope): Json | undefined {
  if (node.is === 'scalar' && node.from === 'unresolved') return undefined
  if (node.is === 'scalar' && typeof node.value === 'string' && form.parents.length === 0) {
    return requiredName({ name: node.value }, node, at, form, scope)
  }
  if (node.is === 'map') return readObject(form, node, at, scope)
  const words = form.parents.map((word) => `${word}: …, `).join('')
  const expected = form.parents.length > 0 ? `{${words}name: …}` : 'a name or {name: …}'
  scope.report(wrongType(placeOf(node.range), at, expected, wordsFor(node)))
  return undefined
}

function readObject(form: ReferenceForm, node: MapNode, at: string, scope: Scope): Json | undefined {
  const read = recordOf<Json>()
  // If `name` is written, no other word counts as the name.
  const own = node.entries.some(({ key }) => key === 'name') ? { ...form, wordsForName: [] } : form
  for (const part of node.entries) {
    const value = readPart(own, part, `${at}.${part.key}`, scope)
    if (value !== undefined) read[part.key] = value
  }
  return requiredName(read, node, at, form, scope)
}

function requiredName(
  read: Readonly<Record<string, Json>>,
  node: Node,
  at: string,
  form: ReferenceForm,
  scope: Scope,
): Json | undefined {
  const missing = [...form.parents, 'name'].filter((word) => read[word] === undefined || read[word] === '')
  // A mistyped key is already reported.
  const keys = node.is === 'map' ? node.entries.map(({ key }) => key) : []
  const written = (word: string) =>
    keys.includes(word) || isMistyped(word, keys, wordsOfForm(form), word === 'name' ? form.wordsForName : [])
  for (const word of missing) {
    if (!written(word) || read[word] === '') {
      scope.report(missingName(placeOf(node.range), `entry of ${at}`, word))
    }
  }
  return missing.length === 0 ? read : undefined
}

function readPart(form: ReferenceForm, part: Entry, at: string, scope: Scope): Json | undefined {
  const nested = form.nested.find((each) => each.field === part.key)
  if (nested) {
    const inner = nestedReferenceForm(nested.kind)
    if (nested.picks === 'any') return readEntries(inner, part.value, at, scope)
    return isNull(part.value) ? null : readReference(inner, part.value, at, scope)
  }
  if (part.key === 'name') return readString(part.value, at, scope)
  if (part.key === 'id') return readNonEmpty(part.value, at, scope)
  if (form.parents.includes(part.key)) return nameJson(readName(part.value, at, scope))
  const field = form.members.find((each) => each.name === part.key)
  if (field) return isNull(part.value) ? null : readValue(field.type, part.value, at, scope)
  const holder = `an entry of ${at.slice(0, at.lastIndexOf('.'))}`
  const meant = form.wordsForName.includes(part.key) ? 'name' : undefined
  reportUnknown(holder, part.key, wordsOfForm(form), part.range, { report: scope.report, extraFields: 'refuse' }, meant)
  return undefined
}

const wordsOfForm = ({ parents, members, nested }: ReferenceForm): readonly string[] => [
  'name',
  'id',
  ...parents,
  ...members.map((each) => each.name),
  ...nested.map((each) => each.field),
]

const nameJson = (name: Name | undefined): Json | undefined =>
  name && (name.id === undefined ? { name: name.name } : { name: name.name, id: name.id })

/** The name of a parent: a text or {name, id}; undefined if it is wrong, which is reported. */
export function readName(node: Node, at: string, scope: Reporter): Name | undefined {
  if (node.is === 'list') {
    scope.report(wrongType(placeOf(node.range), at, 'a name or {name, id}', wordsFor(node)))
    return undefined
  }
  if (node.is === 'scalar') {
    const name = readNonEmpty(node, at, scope)
    return name === undefined ? undefined : { name }
  }
  const { name, id } = readNameParts(node, at, scope)
  const keys = node.entries.map(({ key }) => key)
  if (name === undefined && !keys.includes('name') && !isMistyped('name', keys, ['name', 'id'])) {
    scope.report(missingName(placeOf(node.range), at, 'name'))
  }
  if (name === undefined) return undefined
  return id === undefined ? { name } : { name, id }
}

function readNameParts(node: MapNode, at: string, scope: Reporter): { readonly name?: string; readonly id?: string } {
  const parts: { name?: string; id?: string } = {}
  for (const { key, range, value } of node.entries) {
    if (key !== 'name' && key !== 'id') {
      reportUnknown(at, key, ['name', 'id'], range, { report: scope.report, extraFields: 'refuse' })
      continue
    }
    const text = readNonEmpty(value, `${at}.${key}`, scope)
    if (text !== undefined) parts[key] = text
  }
  return parts
}
