import { catalog } from '../../catalog/catalog.js'
import { childFields, isFieldOfParent, isReadOnly } from '../../catalog/queries.js'
import type { LiveObject } from '../../live/live-object.js'
import type { Resource } from '../../manifest/resource.js'
import type { Matches } from '../match/match.js'

/** Whether an object is in a list of its parent or at the root, and is not a link, a fixed message, or a single child. */
export function isListed(object: LiveObject): boolean {
  // Kinds that manifests can only refer to are neither kept nor deleted.
  if (catalog[object.kind].within === undefined && isReadOnly(catalog[object.kind])) return false
  const kind = catalog[object.kind]
  if (kind.fixedSet) return false
  if (!kind.parent) return true
  return !kind.parent.single && childFields(catalog[kind.parent.kind]).some((child) => child.kind === kind)
}

/** Live children that are missing in a written list of their declared parent, with that parent. */
export function extrasInLists(world: Matches): ReadonlyMap<LiveObject, Resource> {
  const extras = new Map<LiveObject, Resource>()
  for (const resource of world.resources.values()) {
    const parent = resource.wholeLists.length === 0 ? undefined : world.matched.get(resource.address)
    if (!parent) continue
    for (const child of childFields(catalog[resource.kind])) {
      if (!resource.wholeLists.includes(child.field) || child.kind.fixedSet) continue
      for (const object of world.live.among(child.kind.name, parent)) {
        if (!world.claimed.has(object)) extras.set(object, resource)
      }
    }
  }
  return extras
}

/**
 * Whether the object is a link whose parent writes the field that contains it. That field then decides about the link (roles of a
 * service).
 */
export function isInFieldOfParent(object: LiveObject, world: Matches): boolean {
  const kind = catalog[object.kind]
  const parent = object.parent && world.resources.get(world.addressOfLive(object.parent))
  return isFieldOfParent(kind) && parent?.fields[kind.parent?.field ?? ''] !== undefined
}
