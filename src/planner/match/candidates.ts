import { catalog } from '../../catalog/catalog.js'
import { referredKind } from '../../catalog/queries.js'
import type { KindName } from '../../catalog/types.js'
import type { Json } from '../../json/json.js'
import { isObject } from '../../json/json.js'
import type { LiveObject } from '../../live/live-object.js'
import type { Resource } from '../../manifest/resource.js'
import type { Sides } from './locate.js'

/** The input for finding the live objects that a name in today's manifests means. */
type Meanings = Pick<Sides, 'declared' | 'live' | 'matched'>

/** The live objects under a live parent that a resource can match: by its pinned id, its own key, or an earlier name. */
export function candidates(resource: Resource, parent: LiveObject | undefined, names: Meanings): readonly LiveObject[] {
  const { live } = names
  const kind = catalog[resource.kind]
  if (kind.naming === undefined) return live.among(kind.name, parent)
  if (kind.association) {
    // A link is identified by the id of its linked object.
    const ids = resource.id === undefined ? idsNamed(kind.association, resource.key, names) : new Set([resource.id])
    return [...ids].flatMap((id) => live.withId(kind.name, parent, id))
  }
  if (resource.id !== undefined) return live.withId(kind.name, parent, resource.id)
  if (resource.key === '') return withSameReferences(resource, live.among(kind.name, parent), names)
  const found = live.find(kind.name, parent, resource.key, resource.owner)
  if (found.length === 0) return resource.formerly.flatMap((name) => live.find(kind.name, parent, name, resource.owner))
  return kind.namedBy === undefined ? found : amongSharing(resource, found, names)
}

/**
 * The live keys, among those with the same value, that a resource can match. Several keys with one value are distinguished by
 * their packages. A key that moves to another package matches a live key that none of the others matches.
 */
function amongSharing(resource: Resource, found: readonly LiveObject[], names: Meanings): readonly LiveObject[] {
  const sharing = names.declared.named(resource.parent, resource.kind, resource.key)
  if (found.length === 1 && sharing.length === 1) return found
  const fitting = withSameReferences(resource, found, names)
  if (fitting.length > 0) return fitting.length === 1 ? fitting : found
  const moving = sharing.filter((each) => withSameReferences(each, found, names).length === 0)
  const left = found.filter((object) => sharing.every((each) => withSameReferences(each, [object], names).length === 0))
  if (moving.length <= 1) return left
  const place = moving.indexOf(resource)
  return left.slice(place, place + 1)
}

/** The objects with the same package as a resource that has no own value: such a key is the only one of its package. */
export function withSameReferences(
  resource: Resource,
  objects: readonly LiveObject[],
  names: Meanings,
): readonly LiveObject[] {
  const { namedBy = '', fields } = catalog[resource.kind]
  const kind = fields[namedBy] && referredKind(fields[namedBy])
  if (kind === undefined) return objects
  return objects.filter((object) => refersTo(object.fields[namedBy], resource.fields[namedBy], kind, names))
}

/** Whether a live reference names the object that a written name or id means today. A renamed object is still the same. */
export function refersTo(live: Json | undefined, written: Json | undefined, kind: KindName, names: Meanings): boolean {
  if (!isObject(live) || !isObject(written)) return false
  if (written.id !== undefined) return live.id === written.id
  if (typeof written.name !== 'string') return false
  return typeof live.id === 'string' ? idsNamed(kind, written.name, names).has(live.id) : live.name === written.name
}

/**
 * The ids of the live objects at the root that a name means. If an object is declared under that name, its live name does not
 * matter.
 */
function idsNamed(kind: KindName, name: string, { declared, live, matched }: Meanings): ReadonlySet<string> {
  const resources = declared.named(undefined, kind, name)
  if (resources.length > 0) return new Set(resources.map((each) => matched.get(each.address)?.id ?? ''))
  return new Set(live.find(kind, undefined, name).map((each) => each.id))
}
