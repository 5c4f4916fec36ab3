import { catalog } from '../../catalog/catalog.js'
import { referredKind } from '../../catalog/queries.js'
import { ownValue } from '../../catalog/record.js'
import { shapes } from '../../catalog/shapes.js'
import type { FieldType, KindName } from '../../catalog/types.js'
import { sameValue } from '../../catalog/value.js'
import { isObject, type Json, type JsonObject, sameJson } from '../../json/json.js'
import { keysOf } from '../../json/pointer.js'
import type { Resource } from '../../manifest/resource.js'
import { noPrint } from '../base/base-object.js'
import type { FieldChange, Verdict } from '../plan.js'
import { resolve } from '../references/resolve.js'
import { isBlank } from './blank.js'
import { sameEntries } from './reference-entries.js'
import type { SinceBase } from './since-base.js'

/** Who changed what: each field that differs, by base, live and desired value (design §4, Base and verdicts). */

export interface Classified {
  readonly fields: readonly FieldChange[]
  /** Secrets that the platform does not give back and that were applied without a key to tell them by. */
  readonly unverifiable: readonly string[]
}

/** The verdict on each field that differs; fields that are in sync after all, or cannot be told from it, are left out. */
export function classified(changes: readonly FieldChange[], resource: Resource, since: SinceBase): Classified {
  const unverifiable: string[] = []
  const fields = changes.flatMap((change) => {
    const verdict = verdictOn(change.path, resource, since)
    if (verdict === 'not returned') unverifiable.push(change.path)
    if (verdict === 'in sync' || verdict === 'not returned') return []
    const applied = verdict === 'conflict' ? valueAt(since.base.fields, change.path) : undefined
    return [{ ...change, verdict, ...(applied !== undefined && { applied }) }]
  })
  return { fields, unverifiable }
}

function verdictOn(path: string, resource: Resource, since: SinceBase): Verdict | 'in sync' | 'not returned' {
  const [name = ''] = keysOf(path)
  const print = ownValue(since.base.fingerprints, name)
  if (print !== undefined) return verdictOnSecret(name, print, resource, since)
  const then = valueAt(since.base.fields, path)
  if (then === undefined || !since.hasChanged(path)) return 'pending'
  // A single child that is blank was deleted, which is drift whatever is written now (A57).
  return isStillDesired(path, resource, then, since) || isBlank(since.object) ? 'drift' : 'conflict'
}

/** What the platform does not give back can only be told by what was sent last. */
function verdictOnSecret(
  name: string,
  print: string,
  resource: Resource,
  { object, reading: { fingerprint } }: SinceBase,
): Verdict | 'in sync' | 'not returned' {
  const desired = resource.fields[name] ?? null
  const desiredPrint = desired === null ? noPrint : fingerprint(desired)
  const isTellable = print !== noPrint && fingerprint(null) !== undefined
  const answered = object.fields[name]
  if (answered === undefined) {
    if (!isTellable) return 'not returned'
    return desiredPrint === print ? 'in sync' : 'pending'
  }
  if (!isTellable) return 'unverifiable'
  if (answered !== null && fingerprint(answered) === print) return 'pending'
  return desiredPrint === print ? 'drift' : 'conflict'
}

/** Whether the desired value is still the one of the base. */
function isStillDesired(path: string, resource: Resource, then: Json, { reading }: SinceBase): boolean {
  const desired = valueAt(resource.fields, path)
  const described = describedAt(resource.kind, path)
  if (!described) return sameJson(then, desired)
  const field = catalog[resource.kind].fields[path.slice(1)]
  if (!field || !referredKind(field)) return sameValue(described.type, then, desired, described.default)
  // By what they lead to: a name may be an earlier one, and "*" stands for all that there is.
  const leadsTo = (written: Json) => resolve(resource, field, written, reading.scope).entries
  return sameEntries(leadsTo(desired ?? null), leadsTo(then))
}

/** What stands at a path; what an object holds that was cleared is cleared as well. */
function valueAt(fields: JsonObject, path: string): Json | undefined {
  const parts = keysOf(path)
  let value: Json | undefined = fields
  for (const part of parts) {
    if (value === null) return null
    value = isObject(value) ? ownValue(value, part) : undefined
  }
  return value
}

interface Described {
  readonly type: FieldType
  readonly default?: Json | undefined
}

function describedAt(kind: KindName, path: string): Described | undefined {
  const [name = '', ...members] = keysOf(path)
  let described: Described | undefined = catalog[kind].fields[name]
  for (const member of members) {
    described = described?.type.is === 'shape' ? shapes[described.type.shape][member] : undefined
  }
  return described
}

const bySeverity: readonly Verdict[] = ['conflict', 'drift', 'difference', 'unverifiable', 'pending']

/** The verdict on a whole change. */
export const mostSevere = (fields: readonly FieldChange[], none: Verdict): Verdict =>
  bySeverity.find((verdict) => fields.some((field) => field.verdict === verdict)) ?? none
