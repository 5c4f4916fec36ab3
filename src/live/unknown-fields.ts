import { catalog } from '../catalog/catalog.js'
import { kindNames } from '../catalog/queries.js'
import type { KindName } from '../catalog/types.js'
import { by } from '../json/order.js'
import type { LiveObject } from './live-object.js'
import { attributesOf } from './object-form.js'

/** A field that no table knows, and how many objects of a kind have something in it. */
export interface UnknownField {
  readonly kind: KindName
  readonly field: string
  readonly objects: number
}

/** The fields of live objects that no manifest says, since nobody knows them; `isSaid` tells of those that one says all the same. */
export function unknownFields(
  objects: readonly LiveObject[],
  isSaid: (object: LiveObject, field: string) => boolean,
): readonly UnknownField[] {
  const counts = new Map<string, UnknownField>()
  for (const object of objects) {
    const { kind, fields } = object
    const attributes = new Set(attributesOf(object).map(({ name }) => name))
    for (const [field, value] of Object.entries(fields)) {
      if (value === null || catalog[kind].fields[field] || attributes.has(field) || isSaid(object, field)) continue
      const key = `${kind}.${field}`
      counts.set(key, { kind, field, objects: (counts.get(key)?.objects ?? 0) + 1 })
    }
  }
  const rank = ({ kind }: UnknownField): string => String(kindNames.indexOf(kind)).padStart(3, '0')
  return [...counts.values()].sort(by((each) => `${rank(each)} ${each.field}`))
}
