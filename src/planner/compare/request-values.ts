import { catalog } from '../../catalog/catalog.js'
import { ownValue, recordOf } from '../../catalog/record.js'
import { memberIn } from '../../catalog/shapes.js'
import type { Field, FieldType, Kind } from '../../catalog/types.js'
import { sameValue } from '../../catalog/value.js'
import { isObject, type Json, type JsonObject } from '../../json/json.js'
import type { LiveObject } from '../../live/live-object.js'
import type { Resource } from '../../manifest/resource.js'
import type { FieldValue, FieldValues, ReferenceEntry } from '../plan.js'
import { completed, displayedEntries, displayedEntry } from './reference-entries.js'

/** Makes the values in the requests of a change. */

/** References in the form of a request. A reference that leads nowhere becomes null. */
export function referencesValue(
  field: Field,
  resolved: readonly ReferenceEntry[],
  object: LiveObject | undefined,
): FieldValue {
  const entries = resolved.map((entry) => completed(entry, field, object))
  const [entry] = entries
  if (field.type.is === 'list') return { is: 'references', entries }
  return entry ? { is: 'reference', entry } : { is: 'value', value: field.clearedAs ?? null }
}

/** An object field becomes the live object overlaid with the written members that differ. */
export function plainRequestValue(field: Field, written: Json, object: LiveObject): FieldValue {
  const answered = ownValue(object.fields, field.name)
  if (field.type.is !== 'shape' || !isObject(answered) || !isObject(written)) return { is: 'value', value: written }
  return { is: 'value', value: overlaid(field.type, answered, written) }
}

function overlaid(type: FieldType, answered: JsonObject, written: JsonObject): JsonObject {
  const result = recordOf(Object.entries(answered))
  for (const [name, value] of Object.entries(written)) {
    const { type: member, default: byDefault } = memberIn(type, name)
    const inner = result[name]
    // No plan shows it, so it stays as it is: a platform may take null for another default.
    if (inner !== undefined && sameValue(member, value, inner, byDefault)) continue
    const nested = member.is === 'shape' && isObject(value) && isObject(inner)
    result[name] = nested ? overlaid(member, inner, value) : value
  }
  return result
}

/**
 * Adds the Req (update) fields to the values of an update. Fields that do not differ, or are ignored, are sent with their live
 * values.
 */
export function withRequired(resource: Resource, object: LiveObject, values: FieldValues): FieldValues {
  const kind = catalog[resource.kind]
  const required: Record<string, FieldValue> = {}
  for (const field of Object.values(kind.fields)) {
    if (field.update !== 'Req' || values[field.name]) continue
    const value = ownValue(object.fields, field.name) ?? resource.fields[field.name]
    if (value !== undefined) required[field.name] = { is: 'value', value }
  }
  // A single child is sent in full, except for secrets that no manifest writes: a platform may replace the whole object.
  const whole = kind.naming === undefined ? { ...wholeObject(kind, object), ...writtenSecrets(kind, resource) } : {}
  return { ...whole, ...required, ...values }
}

/** Written secrets are sent with every update: a platform that replaces the whole object would lose them. */
const writtenSecrets = (kind: Kind, resource: Resource): FieldValues =>
  Object.fromEntries(
    Object.entries(resource.fields)
      .filter(([name, value]) => kind.fields[name]?.secret && value !== null)
      .map(([name, value]) => [name, { is: 'value', value }]),
  )

function wholeObject(kind: Kind, object: LiveObject): FieldValues {
  return Object.fromEntries(
    Object.entries(object.fields)
      .filter(([name]) => !kind.fields[name]?.secret && kind.fields[name]?.update !== 'Ign')
      .map(([name, value]) => [name, { is: 'value', value }]),
  )
}

/** A value of a request as plans show it. */
export function displayedRequestValue(value: FieldValue): Json {
  switch (value.is) {
    case 'value':
      return value.value
    case 'reference':
      return displayedEntry(value.entry)
    case 'references':
      return displayedEntries(value.entries)
  }
}
