import { catalog } from '../../catalog/catalog.js'
import { isHiddenAnswer } from '../../catalog/hidden-answer.js'
import { ownValue } from '../../catalog/record.js'
import { type Described, shapes } from '../../catalog/shapes.js'
import type { KindName } from '../../catalog/types.js'
import { canonical } from '../../catalog/value.js'
import { isObject, type Json, type JsonObject } from '../../json/json.js'
import { isWithin, keysOf, overlaps } from '../../json/pointer.js'
import type { LiveObject } from '../../live/live-object.js'
import type { Resource } from '../../manifest/resource.js'
import type { Fingerprint } from '../../secrets/fingerprint.js'
import { type BaseObject, isAssumed, noPrint } from '../base/base-object.js'
import type { FieldChange } from '../plan.js'

/** Secret values are known by keyed fingerprints: of a field under its name, of a member of one as `field/member`. */

/** The key of the fingerprint of what a JSON Pointer leads to. */
export const printKey = (path: string): string => path.slice(1)

/** The JSON Pointer that a key of a fingerprint means. */
export const pathOfPrint = (key: string): string => `/${key}`

/** The field that a key of a fingerprint belongs to. */
export const fieldOfKey = (key: string): string => keysOf(pathOfPrint(key))[0] ?? ''

/** The type of what a JSON Pointer into an object of that kind leads to, and what the platform puts there. */
export function describedAt(kind: KindName, path: string): Described | undefined {
  const [name = '', ...members] = keysOf(path)
  let described: Described | undefined = catalog[kind].fields[name]
  for (const member of members) {
    described = described?.type.is === 'shape' ? shapes[described.type.shape][member] : undefined
  }
  return described
}

/** The value at a JSON Pointer; what an object holds that was cleared is cleared as well. */
export function valueAt(fields: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = fields
  for (const part of keysOf(path)) {
    if (value === null) return null
    value = isObject(value) ? ownValue(value, part) : undefined
  }
  return value
}

/** The fingerprint of a secret value: the same for every spelling of it; `noPrint` where there is no key to make one with. */
export function printOf(kind: KindName, path: string, value: Json, fingerprint: Fingerprint): string {
  const type = describedAt(kind, path)?.type
  const meaning = !type || type.is === 'string' ? value : (canonical(type, value) ?? null)
  return fingerprint(meaning) ?? noPrint
}

/** Whether a fingerprint was made with today's key: any other one cannot be compared. */
export function isOfKey(print: string, fingerprint: Fingerprint): boolean {
  const keyOf = (each: string) => each.slice(0, each.lastIndexOf(':'))
  const todays = fingerprint(null)
  return print !== noPrint && todays !== undefined && keyOf(print) === keyOf(todays)
}

/** A live value that was applied as a secret; undefined where the platform does not give it back, or hides it (A391). */
export function answeredAt(object: LiveObject, path: string): Json | undefined {
  if (isHiddenAt(object, path)) return undefined
  const value = valueAt(object.fields, path)
  const isSecretField = catalog[object.kind].fields[keysOf(path)[0] ?? '']?.secret
  // Of other fields the platform leaves out what is empty.
  return value === undefined && !isSecretField ? null : value
}

/** Whether the platform shows something in the place of a secret there: nobody knows whether it differs (A391). */
export const isHiddenAt = ({ fields }: LiveObject, path: string): boolean =>
  isHiddenAnswer(valueAt(fields, path) ?? null)

/** The changes with those marked as sensitive that a secret is in. */
export const marked = (changes: readonly FieldChange[], { sensitive }: Resource): readonly FieldChange[] =>
  sensitive.length === 0
    ? changes
    : changes.map((change) =>
        sensitive.some((path) => overlaps(path, change.path)) ? { ...change, sensitive: true } : change,
      )

/** What can be told of written secrets that are not set here. */
export interface Unavailable {
  /** Those of which the live value is another than the one that was last applied, or what is written around them is. */
  readonly drifted: readonly FieldChange[]
  /** The paths for which it is unknown whether they are as they should be. */
  readonly unverified: readonly string[]
}

/** Holds the live object against what was last applied, since what is desired is not known. */
export function unavailableOf(
  { kind, unavailable, templates, ignore }: Resource,
  live: LiveObject,
  base: BaseObject | undefined,
  fingerprint: Fingerprint,
): Unavailable {
  const drifted: FieldChange[] = []
  const unverified: string[] = []
  const isIgnored = (path: string) => ignore.some((each) => isWithin(path, each))
  for (const path of unavailable) {
    // What is never compared where its secret is set is not compared here.
    if (catalog[kind].fields[keysOf(path)[0] ?? '']?.writeOnly || isIgnored(path)) continue
    const print = base && ownValue(base.fingerprints, printKey(path))
    const answered = answeredAt(live, path)
    const template = base?.templates && ownValue(base.templates, printKey(path))
    const todays = fingerprint(templates?.get(path) ?? '')
    const isEdited = template !== undefined && isOfKey(template, fingerprint) && todays !== template
    if (isEdited) {
      drifted.push({ path, before: answered ?? '', after: '', sensitive: true, unavailable: true, verdict: 'pending' })
    } else if (!base || !print || !isOfKey(print, fingerprint) || isAssumed(base, path)) unverified.push(path)
    else if (answered !== undefined && printOf(kind, path, answered, fingerprint) !== print) {
      drifted.push({ path, before: answered, after: '', sensitive: true, unavailable: true, verdict: 'drift' })
    }
  }
  return { drifted, unverified }
}

/** Written secrets that are not set here, as a create shows them. */
export const unavailableFields = ({ unavailable }: Resource): readonly FieldChange[] =>
  unavailable.map((path) => ({ path, after: '', sensitive: true, unavailable: true, verdict: 'difference' }))
