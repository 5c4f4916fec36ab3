import { catalog } from '../../catalog/catalog.js'
import { attributeField, inverseReferenceFields, isWritable } from '../../catalog/queries.js'
import { ownValue, recordOf } from '../../catalog/record.js'
import { memberIn } from '../../catalog/shapes.js'
import type { Field, FieldType, KindName } from '../../catalog/types.js'
import { isObject, type Json, type JsonObject } from '../../json/json.js'
import { keysOf, overlaps, withMember } from '../../json/pointer.js'
import type { Resource } from '../../manifest/resource.js'
import type { BaseObject } from '../base/base-object.js'
import { fieldOfKey } from './secret-values.js'
import type { SinceBase } from './since-base.js'

/** A resource with the fields that it no longer writes: unset if the live value still equals the base, otherwise released. */
interface WithUnsets {
  readonly resource: Resource
  readonly released: readonly Released[]
}

/**
 * A field that is no longer written and does not change: somebody has changed it since, or its meaning is unknown
 * (`extraFields`).
 */
export interface Released {
  readonly path: string
  readonly because: 'changed' | 'unknown'
}

/** Adds a null for each field that the base has and the resource does not write any more. */
export function withUnsets(resource: Resource, since: SinceBase): WithUnsets {
  const { base, object } = since
  // The manifest is the one that was applied.
  if (base.fields === resource.fields) return { resource, released: none }
  const unknown = unknownIn(resource, base)
  const names: string[] = []
  for (const name in base.fields) if (mayLack(resource, name, base)) names.push(name)
  for (const key in base.fingerprints) {
    const name = fieldOfKey(key)
    if (!names.includes(name) && mayLack(resource, name, base)) names.push(name)
  }
  if (names.length === 0) return { resource, released: unknown }
  // Somebody deleted the applied object and created another one with the same name, so nothing is unset.
  const isAnother = base.id !== undefined && base.id !== object.id
  const released = [...unknown]
  const unset: UnsetAt = (path) => {
    if (resource.unavailable.some((each) => overlaps(each, path))) return undefined
    if (!isAnother && !since.hasChanged(path)) return null
    released.push({ path, because: 'changed' })
    return undefined
  }
  const fields: Record<string, Json> = { ...resource.fields }
  for (const name of names.sort()) {
    const field = appliedField(resource.kind, name, base)
    const value =
      field && withoutDropped(field.type, fields[name], { base: appliedAt(base, name), at: `/${name}`, unset })
    if (value !== undefined) fields[name] = value
  }
  return { resource: { ...resource, fields }, released }
}

const none: readonly never[] = []

/** Fields that no table has, and that the manifest does not write any more. */
function unknownIn({ kind, fields, ignore }: Resource, base: BaseObject): readonly Released[] {
  const names = Object.entries(base.fields).flatMap(([name, value]) =>
    value === null || fields[name] !== undefined || appliedField(kind, name, base) ? [] : [`/${name}`],
  )
  return names.filter((path) => !ignore.includes(path)).map((path) => ({ path, because: 'unknown' }))
}

/** The applied value of a field. Members of which only a fingerprint is known are null. */
function appliedAt({ fields, fingerprints }: BaseObject, name: string): Json {
  const members = Object.keys(fingerprints).filter((key) => key.startsWith(`${name}/`))
  return members.reduce<Json>((value, key) => withMember(value, keysOf(`/${key}`).slice(1), null), fields[name] ?? null)
}

/** Whether an applied field may not be written any more. Members of object fields are examined one by one. */
function mayLack({ kind, fields, ignore }: Resource, name: string, base: BaseObject): boolean {
  const field = appliedField(kind, name, base)
  if (!field) return false
  const lacks =
    fields[name] === undefined ? mayBeUnset(field) && !isInverseReference(kind, name) : field.type.is === 'shape'
  return lacks && !ignore.includes(`/${name}`)
}

/**
 * The field of an applied name. If no table has the name, only texts that are attributes count as fields (A224); other values
 * were passed through unchanged.
 */
function appliedField(kind: KindName, name: string, { fields }: BaseObject): Field | undefined {
  const known = catalog[kind].fields[name]
  const applied = ownValue(fields, name)
  return (
    known ?? (applied === undefined || typeof applied === 'string' ? attributeField(catalog[kind], name) : undefined)
  )
}

/** Whether the field is an inverse reference: the list of the other object then decides. */
const isInverseReference = (kind: KindName, name: string): boolean =>
  inverseReferenceFields(catalog[kind]).some(({ field }) => field.name === name)

/**
 * Whether a field can be unset. A secret is kept, because exports leave secrets out, and a plan of an export must change nothing
 * (A131).
 */
const mayBeUnset = (field: Field): boolean =>
  !field.secret &&
  !field.writeOnly &&
  !field.immutable &&
  field.create !== 'Req' &&
  field.update !== 'Req' &&
  isWritable(field)

/** The new value of a path that is no longer written: null, or undefined if it is not changed. */
type UnsetAt = (path: string) => null | undefined

/** A value of the base, by its JSON Pointer. */
interface AppliedBase {
  readonly base: Json
  readonly at: string
  readonly unset: UnsetAt
}

/**
 * The written value, with a null for each applied value that is not written any more. Members of object fields are managed and
 * unset one by one.
 */
function withoutDropped(type: FieldType, written: Json | undefined, applied: AppliedBase): Json | undefined {
  const { base, at, unset } = applied
  if (type.is !== 'shape' || !isObject(base) || !(written === undefined || isObject(written))) {
    return written === undefined ? unset(at) : written
  }
  const result: Record<string, Json> = recordOf(Object.entries<Json>(written ?? {}))
  for (const [name, value] of Object.entries(base)) {
    const member = memberIn(type, name).type
    const inner: JsonObject = written ?? {}
    const left = withoutDropped(member, ownValue(inner, name), { base: value, at: `${at}/${name}`, unset })
    if (left !== undefined) result[name] = left
  }
  return written === undefined && Object.keys(result).length === 0 ? undefined : result
}
