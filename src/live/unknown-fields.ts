import { catalog } from '../catalog/catalog.js'
import { isWritable, kindNames } from '../catalog/queries.js'
import { type IsSecret, secretPlaces } from '../catalog/secret-places.js'
import type { KindName } from '../catalog/types.js'
import { by } from '../json/order.js'
import { keysOf, pointerTo } from '../json/pointer.js'
import type { LiveObject } from './live-object.js'
import { attributesOf } from './object-form.js'

/** A field that an export leaves out, and how many objects of a kind have, or may have, a value in it. */
export interface LeftOutField {
  readonly kind: KindName
  /** With the member after a dot, if only that is left out: `processor.preInputs`. */
  readonly field: string
  readonly objects: number
}

/**
 * The fields of live objects that no manifest can have, because they are unknown. `isWritten`: whether a manifest has one anyway.
 */
export function unknownFields(
  objects: readonly LiveObject[],
  isWritten: (object: LiveObject, field: string) => boolean,
): readonly LeftOutField[] {
  const counts = new Counts()
  for (const object of objects) {
    const { kind, fields } = object
    const attributes = new Set(attributesOf(object).map(({ name }) => name))
    for (const [field, value] of Object.entries(fields)) {
      if (value === null || catalog[kind].fields[field] || attributes.has(field) || isWritten(object, field)) continue
      counts.add(kind, field)
    }
  }
  return counts.inOrder()
}

/**
 * The fields of live objects, and their members, that an export leaves out because somebody put a secret there. `isWritten` gets
 * JSON Pointers.
 */
export function fieldsWithSecrets(
  objects: readonly LiveObject[],
  isSecret: IsSecret,
  isWritten: (object: LiveObject, path: string) => boolean,
): readonly LeftOutField[] {
  const counts = new Counts()
  for (const object of objects) {
    for (const [name, value] of Object.entries(object.fields)) {
      const field = catalog[object.kind].fields[name]
      if (!field || field.secret || !isWritable(field)) continue
      const paths = secretPlaces(field.type, value, isSecret).map((place) => pointerTo(name) + place)
      for (const path of paths) if (!isWritten(object, path)) counts.add(object.kind, keysOf(path).join('.'))
    }
  }
  return counts.inOrder()
}

/** The children of live objects that were not requested: no answer has any, and each object would cost a request. */
export function unreadChildren(objects: readonly LiveObject[]): readonly LeftOutField[] {
  const counts = new Counts()
  for (const { kind, unread } of objects)
    for (const [field, why] of Object.entries(unread ?? {})) if (why === 'not needed') counts.add(kind, field)
  return counts.inOrder()
}

class Counts {
  readonly #counts = new Map<string, LeftOutField>()

  add(kind: KindName, field: string): void {
    const key = `${kind}.${field}`
    this.#counts.set(key, { kind, field, objects: (this.#counts.get(key)?.objects ?? 0) + 1 })
  }

  inOrder(): readonly LeftOutField[] {
    const rank = ({ kind }: LeftOutField): string => String(kindNames.indexOf(kind)).padStart(3, '0')
    return [...this.#counts.values()].sort(by((each) => `${rank(each)} ${each.field}`))
  }
}
