import { catalog } from '../../catalog/catalog.js'
import { referredKind } from '../../catalog/queries.js'
import { ownValue } from '../../catalog/record.js'
import { sameValue } from '../../catalog/value.js'
import { isObject, type Json, sameJson } from '../../json/json.js'
import type { Resource } from '../../manifest/resource.js'
import { isAssumed, noPrint } from '../base/base-object.js'
import type { FieldChange, Verdict } from '../plan.js'
import { resolve } from '../references/resolve.js'
import { isBlank } from './blank.js'
import { displayedIn, sameEntries } from './reference-entries.js'
import { answeredAt, describedAt, isOfKey, printKey, printOf, valueAtPath } from './secret-values.js'
import type { SinceBase } from './since-base.js'
import { isStillListed } from './withdrawals.js'

/** The verdict on each field that differs, from the base, the live and the desired value (design §4, Base and verdicts). */

interface Classified {
  readonly fields: readonly FieldChange[]
  /** Secrets that the platform does not return, and that were applied without a key for fingerprints. */
  readonly unverifiable: readonly string[]
}

/** The verdicts on the fields that differ. Fields that are in sync, or cannot be compared, are left out. */
export function classified(changes: readonly FieldChange[], resource: Resource, since: SinceBase): Classified {
  const unverifiable: string[] = []
  const fields = changes.flatMap((change) => {
    const verdict = verdictOn(change.path, resource, since)
    if (verdict === 'not returned') unverifiable.push(change.path)
    if (verdict === 'in sync' || verdict === 'not returned') return []
    // A value that was applied as a secret remains a secret while it is live, whatever the manifest writes now.
    const sensitive = change.sensitive || Object.hasOwn(since.base.fingerprints, printKey(change.path))
    const applied = verdict === 'conflict' ? appliedAt(change.path, resource, since) : undefined
    return [{ ...change, sensitive, verdict, ...(applied !== undefined && { applied }) }]
  })
  return { fields, unverifiable }
}

/** The last applied value, as plans show it. If a name in a list leads nowhere any more, the list is shown as it was written. */
function appliedAt(path: string, resource: Resource, { base, reading }: SinceBase): Json | undefined {
  const then = valueAtPath(base.fields, path)
  const field = catalog[resource.kind].fields[path.slice(1)]
  if (then === undefined || !field || !referredKind(field)) return then
  const { entries, broken } = resolve(resource, field, then, reading.scope)
  return broken.length > 0 ? then : displayedIn(field, entries)
}

function verdictOn(path: string, resource: Resource, since: SinceBase): Verdict | 'in sync' | 'not returned' {
  const print = ownValue(since.base.fingerprints, printKey(path))
  if (print !== undefined) return verdictOnSecret(path, print, resource, since)
  const then = valueAtPath(since.base.fields, path)
  if (then === undefined || !since.hasChanged(path)) return 'pending'
  if (isStillListed(since.object, path, then, since.reading.scope.names)) return 'pending'
  if (isAssumed(since.base, path)) return 'unverifiable'
  // A single child that is blank was deleted, which is drift whatever the manifest writes now (A57).
  return isStillDesired(path, resource, then, since) || isBlank(since.object) ? 'drift' : 'conflict'
}

/** The verdict on a value that the platform does not return: it can only be compared with the value that was sent last. */
function verdictOnSecret(
  path: string,
  print: string,
  resource: Resource,
  { base, object, reading: { fingerprint } }: SinceBase,
): Verdict | 'in sync' | 'not returned' {
  const desired = valueAtPath(resource.fields, path) ?? null
  const desiredPrint = desired === null ? noPrint : printOf(resource.kind, path, desired, fingerprint)
  const answered = answeredAt(object, path)
  if (answered === undefined) {
    if (print === noPrint || fingerprint(null) === undefined) return 'not returned'
    // A value that was sent with another key is sent again.
    return desiredPrint === print ? 'in sync' : 'pending'
  }
  if (!isOfKey(print, fingerprint)) return 'unverifiable'
  if (answered !== null && printOf(resource.kind, path, answered, fingerprint) === print) return 'pending'
  if (isAssumed(base, path)) return 'unverifiable'
  return desiredPrint === print ? 'drift' : 'conflict'
}

/** Whether the desired value is still the one of the base. */
function isStillDesired(path: string, resource: Resource, then: Json, { base, reading }: SinceBase): boolean {
  const desired = valueAtPath(resource.fields, path)
  // If there was no object, all written members are desired, including those with the platform's default.
  const object = path.slice(0, path.lastIndexOf('/'))
  if (object !== '' && valueAtPath(base.fields, object) === null && isObject(valueAtPath(resource.fields, object)))
    return false
  const described = describedAt(resource.kind, path)
  if (!described) return sameJson(then, desired)
  const field = catalog[resource.kind].fields[path.slice(1)]
  if (!field || !referredKind(field)) return sameValue(described.type, then, desired, described.default)
  // References are compared by their targets: an applied name may be an earlier one, and "*" means all objects.
  const leadsTo = (written: Json) => resolve(resource, field, written, reading.scope)
  const { entries, broken } = leadsTo(then)
  // A reference that leads nowhere now was applied too, so a list without it differs.
  return broken.length > 0 ? sameJson(then, desired) : sameEntries(leadsTo(desired ?? null).entries, entries)
}

const bySeverity: readonly Verdict[] = ['conflict', 'drift', 'difference', 'unverifiable', 'pending']

/** The most severe verdict of a change. `none` is the verdict if no field differs. */
export const mostSevere = (fields: readonly FieldChange[], none: Verdict): Verdict =>
  bySeverity.find((verdict) => fields.some((field) => field.verdict === verdict)) ?? none
