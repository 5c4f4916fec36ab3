import { isObject, type Json, textsIn } from '../json/json.js'
import { isWithin, keysOf, pointerTo } from '../json/pointer.js'
import { clearSecret, wrongType } from '../problems/manifests.js'
import type { Gathering } from './gathering.js'
import { type Entry, jsonOf, type Node } from './node.js'
import type { ObjectText } from './object-text.js'
import type { Name } from './resource.js'
import type { Scope } from './scope.js'
import { pathsCovered } from './secret-paths.js'
import { hide, type Mark, placeOf } from './source.js'

/** An inline child, without the parents that it stands in. */
type ChildText = Omit<ObjectText, 'ancestors' | 'parent' | 'isInside' | 'owner' | 'recordedAs' | 'generatedBy'>

/** A field that is written, and its place in the catalogue's order. */
export interface WrittenField {
  readonly name: string
  readonly rank: number
  readonly value: Json
}

/** One object while it is read: what is known of it so far. */
export interface ObjectReading {
  /** As it is written until layers are put on it: then with them. */
  text: ObjectText
  readonly scope: Scope
  readonly gathering: Gathering
  /** Where the natural key is written, if that is not in one of the entries. */
  keyMark: Mark | undefined
  /** Whether layers have written some of its fields. */
  isComposed: boolean
  readonly fields: WrittenField[]
  readonly wholeLists: string[]
  readonly removedChildren: string[]
  /** Values that hold secrets, and those of them of which a secret is not set. */
  readonly sensitive: string[]
  readonly unavailable: string[]
  /** What is written around the secrets, by the paths of the values that hold them; made for the first: few have any. */
  templates: Map<string, Json> | undefined
  readonly inverseReferences: { readonly field: string; readonly to: Name; readonly mark: Mark }[]
  /** Children wait until the address of their parent is known. */
  readonly children: ChildText[]
}

/** Remembers a secret for masking, and tells where it stands in clear. */
export function keepSecret(entry: Entry, value: string, { text, scope, gathering }: ObjectReading): void {
  if (value === '') return
  gathering.addSecret(value)
  // A part of it may be written beside a placeholder.
  hide(entry.value.mark)
  if (entry.value.is === 'scalar' && entry.value.from === 'text') {
    scope.report(clearSecret(placeOf(entry.value.mark), `${text.kind.name}.${entry.key}`, scope.clearSecrets))
  }
}

/**
 * Whether a secret field holds a text, or a list or mapping that is refused later; even the wrong thing in its place is not
 * shown.
 */
export function isSecretText({ value: node }: Entry, at: string, { scope }: ObjectReading): boolean {
  if (node.is !== 'scalar' || typeof node.value === 'string' || node.from === 'unresolved') return true
  hide(node.mark)
  scope.report(wrongType(placeOf(node.mark), at, 'a text', 'something else', 'put it in quotes'))
  return false
}

/** Remembers the texts in a field that `metadata.sensitive` names. */
export function keepSensitive({ key, value: node }: Entry, value: Json, { text, gathering }: ObjectReading): void {
  const { sensitive } = text.metadata
  const named = sensitive.map(({ pointer }) => pointer).filter((pointer) => isWithin(pointer, pointerTo(key)))
  if (named.length === 0) return
  for (const pointer of named.flatMap((each) => [each, ...pathsCovered(text.kind, each)])) {
    for (const each of textsIn(valueBelow(value, keysOf(pointer).slice(1)))) if (each !== '') gathering.addSecret(each)
  }
  hide(node.mark)
}

/** The same of what is written there, before it is known to be right: a message about it shows as little. */
export function keepWritten(entry: Entry, reading: ObjectReading): void {
  if (reading.text.metadata.sensitive.length > 0) keepSensitive(entry, known(entry.value), reading)
}

/** A value without the placeholders in it that stand for nothing here. */
const known = (node: Node): Json => jsonOf(node, ({ from, value }) => (from === 'unresolved' ? null : value))

/** What these keys lead to; null if there is nothing. */
const valueBelow = (value: Json, keys: readonly string[]): Json =>
  keys.reduce<Json>((inner, key) => (isObject(inner) ? (inner[key] ?? null) : null), value)
