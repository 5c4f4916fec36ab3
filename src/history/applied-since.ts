import { catalog } from '../catalog/catalog.js'
import { memberOf } from '../catalog/shapes.js'
import { freeObject } from '../catalog/table.js'
import type { FieldType, KindName } from '../catalog/types.js'
import { sameValue } from '../catalog/value.js'
import { isObject, type Json } from '../json/json.js'
import type { Image } from '../stores/record.js'

/**
 * Whether a later run has applied more than the run that created an object: a field, a member or a secret that this run did not
 * write. The platform's defaults do not count: the object had them from the beginning.
 */
export function isMoreAppliedSince(kind: KindName, created: Image, latest: Image): boolean {
  const row = catalog[kind].fields
  return (
    Object.entries(latest.fields).some(([name, value]) => hasMore(row[name], created.fields[name], value)) ||
    Object.keys(latest.fingerprints).some((key) => !Object.hasOwn(created.fingerprints, key))
  )
}

interface Typed {
  readonly type: FieldType
  readonly default?: Json | undefined
}

/** Members are compared one by one as they are managed; any other value that both have is compared with the live object. */
function hasMore(field: Typed | undefined, created: Json | undefined, latest: Json): boolean {
  const type = field?.type ?? freeObject
  if (created === undefined) return !sameValue(type, undefined, latest, field?.default)
  if (type.is !== 'shape' || !isObject(created) || !isObject(latest)) return false
  return Object.entries(latest).some(([name, value]) => hasMore(memberOf(type.shape, name), created[name], value))
}
