import { addressOf, ownerAddress } from '../catalog/address.js'
import { catalog } from '../catalog/catalog.js'
import { hasSecretName, metadataWord } from '../catalog/queries.js'
import type { Json, JsonObject } from '../json/json.js'
import { isObject } from '../json/json.js'
import type { LiveIndex } from './live-index.js'
import type { LiveObject } from './live-object.js'

/** True if another object with the same parent has the same name, so that only the id distinguishes them. */
export function isAmbiguous(object: LiveObject, live: LiveIndex): boolean {
  const kind = catalog[object.kind]
  const target = kind.association && live.byId(kind.association, object.id)
  if (target) return isAmbiguous(target, live)
  if (kind.naming === undefined) return false
  const named = live.find(object.kind, object.parent, object.key, object.owner)
  // A key is identified by its package: its value may be the same, or unknown.
  return named.some((each) => each !== object && hasSameNamingReference(each, object))
}

/** True if another object with the same parent is shown with the same name: a second key of a package with that name. */
export const hasSibling = (object: LiveObject, live: LiveIndex): boolean =>
  live
    .among(object.kind, object.parent)
    .some((each) => each !== object && displayedName(each) === displayedName(object))

const hasSameNamingReference = (one: LiveObject, other: LiveObject): boolean =>
  namingReferenceOf(one)?.id === namingReferenceOf(other)?.id

/** The reference that names an object whose own name is a secret: the package of a key. */
function namingReferenceOf({ kind, fields }: LiveObject): JsonObject | undefined {
  const value = fields[catalog[kind].namedBy ?? '']
  return isObject(value) ? value : undefined
}

/** The name of an object in messages and variables: never a secret. */
export function displayedName(object: LiveObject): string {
  if (!hasSecretName(catalog[object.kind])) return object.key
  const reference = namingReferenceOf(object)
  return String(reference?.name ?? reference?.id ?? '')
}

/**
 * The address of an object for messages: the kinds and names of its parents and its own. An object that is named by a secret is
 * shown by the object that it refers to.
 */
export function addressOfLive(object: LiveObject): string {
  const kind = catalog[object.kind]
  const parent = object.parent
    ? addressOfLive(object.parent)
    : kind.within && ownerAddress(kind.within.name, object.owner ?? '')
  return addressOf(kind, kind.naming === undefined ? undefined : displayedName(object), parent)
}

/** The objects from the root to an object, including it. */
export const pathTo = (object: LiveObject): readonly LiveObject[] =>
  object.parent ? [...pathTo(object.parent), object] : [object]

/** The root of the tree that contains an object; a root object itself. */
export const rootAbove = (object: LiveObject): LiveObject => (object.parent ? rootAbove(object.parent) : object)

/** How manifests name an object: by its name, with the id if the name alone is ambiguous. */
export const nameForm = (object: LiveObject, live: LiveIndex): Json =>
  isAmbiguous(object, live) ? { name: object.key, id: object.id } : object.key

/** The names of an object's parents, by the words of `metadata`, outermost first. */
export const parentNames = (object: LiveObject, nameOf: (parent: LiveObject) => Json): JsonObject =>
  Object.fromEntries(
    pathTo(object)
      .slice(0, -1)
      .map((each) => [metadataWord(catalog[each.kind]), nameOf(each)]),
  )
