import { isObject, type Json, textsIn } from '../json/json.js'
import { isWithin, keysOf, pointerTo } from '../json/pointer.js'
import { clearSecret, wrongType } from '../problems/manifests.js'
import { type Entry, jsonOf, type Node } from './node.js'
import type { ObjectCollector } from './object-collector.js'
import type { ObjectText } from './object-text.js'
import type { Name } from './resource.js'
import type { Scope } from './scope.js'
import { pathsCovered } from './secret-paths.js'
import { hide, placeOf, type SourceRange } from './source.js'

/** An inline child, without its parents. */
type ChildText = Omit<ObjectText, 'ancestors' | 'parent' | 'isInside' | 'owner' | 'recordedAs' | 'generatedBy'>

/** A written field, and its position in the catalogue's order. */
export interface WrittenField {
  readonly name: string
  readonly rank: number
  readonly value: Json
}

/** What is known of one object while it is read. */
export interface ObjectReading {
  /** The object as written; after the layers are applied, with them. */
  text: ObjectText
  readonly scope: Scope
  readonly collector: ObjectCollector
  /** Where the natural key is written, if it is not in one of the entries. */
  keyRange: SourceRange | undefined
  /** Whether layers have written some of its fields. */
  isComposed: boolean
  readonly fields: WrittenField[]
  readonly wholeLists: string[]
  readonly removedChildren: string[]
  /** Paths of values that contain secrets, and of those in which a secret is not set. */
  readonly sensitive: string[]
  readonly unavailable: string[]
  /**
   * The text around the secrets, by the paths of the values that contain them. It is made for the first one: few objects have
   * any.
   */
  templates: Map<string, Json> | undefined
  readonly inverseReferences: { readonly field: string; readonly to: Name; readonly range: SourceRange }[]
  /** Children wait until the address of their parent is known. */
  readonly children: ChildText[]
}

/** Remembers a secret for masking, and reports a secret in clear text. */
export function keepSecret(entry: Entry, value: string, { text, scope, collector }: ObjectReading): void {
  if (value === '') return
  collector.addSecret(value)
  // A part of it may be written next to a placeholder.
  hide(entry.value.range)
  if (entry.value.is === 'scalar' && entry.value.from === 'text') {
    scope.report(clearSecret(placeOf(entry.value.range), `${text.kind.name}.${entry.key}`, scope.clearSecrets))
  }
}

/**
 * Whether a secret field has a text, or a list or mapping, which is refused later. A wrong value in its place is not shown
 * either.
 */
export function isSecretText({ value: node }: Entry, at: string, { scope }: ObjectReading): boolean {
  if (node.is !== 'scalar' || typeof node.value === 'string' || node.from === 'unresolved') return true
  hide(node.range)
  scope.report(wrongType(placeOf(node.range), at, 'a text', 'something else', 'put it in quotes'))
  return false
}

/** Remembers the texts in a field that `metadata.sensitive` names. */
export function keepSensitive({ key, value: node }: Entry, value: Json, { text, collector }: ObjectReading): void {
  const { sensitive } = text.metadata
  const named = sensitive.map(({ pointer }) => pointer).filter((pointer) => isWithin(pointer, pointerTo(key)))
  if (named.length === 0) return
  for (const pointer of named.flatMap((each) => [each, ...pathsCovered(text.kind, each)])) {
    for (const each of textsIn(valueBelow(value, keysOf(pointer).slice(1)))) if (each !== '') collector.addSecret(each)
  }
  hide(node.range)
}

/** The same for a written value before it is checked: a message about it must not show more. */
export function keepWritten(entry: Entry, reading: ObjectReading): void {
  if (reading.text.metadata.sensitive.length > 0) keepSensitive(entry, known(entry.value), reading)
}

/** A value without the placeholders that have no value here. */
const known = (node: Node): Json => jsonOf(node, ({ from, value }) => (from === 'unresolved' ? null : value))

/** The value at these keys; null if there is none. */
const valueBelow = (value: Json, keys: readonly string[]): Json =>
  keys.reduce<Json>((inner, key) => (isObject(inner) ? (inner[key] ?? null) : null), value)
