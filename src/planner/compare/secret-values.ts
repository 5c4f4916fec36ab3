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

/**
 * Keyed fingerprints identify secret values. The key of the fingerprint of a field is its name; for a member of a field it is
 * `field/member`.
 */

/** The key of the fingerprint for a JSON Pointer. */
export const printKey = (path: string): string => path.slice(1)

/** The JSON Pointer for the key of a fingerprint. */
export const pathOfPrint = (key: string): string => `/${key}`

/** The field for the key of a fingerprint. */
export const fieldOfKey = (key: string): string => keysOf(pathOfPrint(key))[0] ?? ''

/** The type and the platform's default of the value at a JSON Pointer into an object of that kind. */
export function describedAt(kind: KindName, path: string): Described | undefined {
  const [name = '', ...members] = keysOf(path)
  let described: Described | undefined = catalog[kind].fields[name]
  for (const member of members) {
    described = described?.type.is === 'shape' ? shapes[described.type.shape][member] : undefined
  }
  return described
}

/** The value at a JSON Pointer. Inside an object that is null, every value is null. */
export function valueAtPath(fields: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = fields
  for (const part of keysOf(path)) {
    if (value === null) return null
    value = isObject(value) ? ownValue(value, part) : undefined
  }
  return value
}

/** The fingerprint of a secret value, which does not depend on its spelling. `noPrint` if there is no key. */
export function printOf(kind: KindName, path: string, value: Json, fingerprint: Fingerprint): string {
  const type = describedAt(kind, path)?.type
  const meaning = !type || type.is === 'string' ? value : (canonical(type, value) ?? null)
  return fingerprint(meaning) ?? noPrint
}

/** Whether a fingerprint was made with today's key. Others cannot be compared. */
export function isOfKey(print: string, fingerprint: Fingerprint): boolean {
  const keyOf = (each: string) => each.slice(0, each.lastIndexOf(':'))
  const todays = fingerprint(null)
  return print !== noPrint && todays !== undefined && keyOf(print) === keyOf(todays)
}

/** The live value of something that was applied as a secret. Undefined if the platform does not return it or hides it (A391). */
export function answeredAt(object: LiveObject, path: string): Json | undefined {
  if (isHiddenAt(object, path)) return undefined
  const value = valueAtPath(object.fields, path)
  const isSecretField = catalog[object.kind].fields[keysOf(path)[0] ?? '']?.secret
  // In other fields, the platform leaves out empty values.
  return value === undefined && !isSecretField ? null : value
}

/** Whether the platform shows something in the place of a secret at the path: nobody knows whether the secret differs (A391). */
export const isHiddenAt = ({ fields }: LiveObject, path: string): boolean =>
  isHiddenAnswer(valueAtPath(fields, path) ?? null)

/** The changes, marked as sensitive if they contain a secret. */
export const marked = (changes: readonly FieldChange[], { sensitive }: Resource): readonly FieldChange[] =>
  sensitive.length === 0
    ? changes
    : changes.map((change) =>
        sensitive.some((path) => overlaps(path, change.path)) ? { ...change, sensitive: true } : change,
      )

/** What is known about written secrets that are unavailable. */
export interface Unavailable {
  /** Secrets whose live value differs from the last applied one, or whose surrounding text differs. */
  readonly drifted: readonly FieldChange[]
  /** The paths of secrets that cannot be verified. */
  readonly unverified: readonly string[]
}

/** Compares the live secrets with the last applied ones, because the desired values are not known. */
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
    // If a value is never compared when its secret is available, it is not compared here either.
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

/** The unavailable secrets as a create shows them. */
export const unavailableFields = ({ unavailable }: Resource): readonly FieldChange[] =>
  unavailable.map((path) => ({ path, after: '', sensitive: true, unavailable: true, verdict: 'difference' }))
