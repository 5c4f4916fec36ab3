import { catalog } from '../../catalog/catalog.js'
import { referredKind } from '../../catalog/queries.js'
import type { KindName } from '../../catalog/types.js'
import type { Json } from '../../json/json.js'
import { isObject } from '../../json/json.js'
import type { LiveObject } from '../../live/live-object.js'
import type { Resource } from '../../manifest/resource.js'
import type { Sides } from './locate.js'

/** What tells which live objects a name of today's manifests means. */
export type Meanings = Pick<Sides, 'declared' | 'live' | 'matched'>

/** The live objects under a live parent that a resource may stand for: pinned, by its own key, or by an earlier name. */
export function candidates(resource: Resource, parent: LiveObject | undefined, names: Meanings): readonly LiveObject[] {
  const { live } = names
  const kind = catalog[resource.kind]
  if (kind.naming === undefined) return live.among(kind.name, parent)
  if (kind.association) {
    // A link is the inverse reference to one object: it is known by that object's id.
    const ids = resource.id === undefined ? idsOf(kind.association, resource.key, names) : new Set([resource.id])
    return [...ids].flatMap((id) => live.withId(kind.name, parent, id))
  }
  if (resource.id !== undefined) return live.withId(kind.name, parent, resource.id)
  if (resource.key === '') return withSameReferences(resource, live.among(kind.name, parent), names)
  const found = live.find(kind.name, parent, resource.key, resource.owner)
  if (found.length === 0) return resource.formerly.flatMap((name) => live.find(kind.name, parent, name, resource.owner))
  return kind.namedBy === undefined ? found : amongSharing(resource, found, names)
}

/**
 * Which of the live keys of its value a key is. Several that share their value are told apart by their packages; one that moves
 * to another package is one that is none of the others.
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

/** A key without its own value is the only one there of its package. */
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

/** Whether a live reference is to the object that a name (or id) means today: one that is only renamed is the same. */
export function refersTo(live: Json | undefined, written: Json | undefined, kind: KindName, names: Meanings): boolean {
  if (!isObject(live) || !isObject(written)) return false
  if (written.id !== undefined) return live.id === written.id
  if (typeof written.name !== 'string') return false
  return typeof live.id === 'string' ? idsOf(kind, written.name, names).has(live.id) : live.name === written.name
}

/**
 * The ids of the live objects at the root that a name means: those of what is declared under it, whatever it is called live.
 */
function idsOf(kind: KindName, name: string, { declared, live, matched }: Meanings): ReadonlySet<string> {
  const resources = declared.named(undefined, kind, name)
  if (resources.length > 0) return new Set(resources.map((each) => matched.get(each.address)?.id ?? ''))
  return new Set(live.find(kind, undefined, name).map((each) => each.id))
}
