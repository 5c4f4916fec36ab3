import { catalog } from '../catalog/catalog.js'
import { linkFields, ownFields, pickedFields, referredKind, targetOf } from '../catalog/queries.js'
import type { Kind } from '../catalog/types.js'
import { collectionOf } from '../client/nesting.js'
import { picksOf } from '../client/picked.js'
import type { ReadCost } from '../client/types.js'
import { type Json, objectsIn } from '../json/json.js'
import type { LiveObject, Snapshot, TouchedObject } from '../live/live-object.js'

/** A root object in which something changes. A created one has no id yet. */
export type TouchedRoot = TouchedObject | { readonly is: 'created'; readonly address: string }

/** The lists inside objects of a root kind that are read object by object, without links. */
export const listsIn = (kind: Kind, cost: readonly ReadCost[]): readonly ReadCost[] => {
  const way = `${collectionOf(kind)}/`
  const links = linkFields(kind).map(({ field }) => way + field)
  return cost.filter(({ collection }) => collection.startsWith(way) && !links.includes(collection))
}

/**
 * The number of requests for reading these objects one by one. Undefined if they cannot be read like that, or if the number is
 * not known.
 */
export function requestsFor(
  kind: Kind,
  roots: readonly TouchedRoot[],
  { paging }: ReadCost,
  { cost, snapshot }: { readonly cost: readonly ReadCost[]; readonly snapshot: Snapshot },
): number | undefined {
  if (!kind.operations.fetch || !paging) return undefined
  const lists = listsIn(kind, cost)
  // The number of lists in a new object is not known before it is created.
  if (lists.length > 0 && roots.some(({ is }) => is === 'created')) return undefined
  const own = roots.reduce((sum, { is }) => sum + (is === 'deleted' ? 1 : paging.parts), 0)
  if (lists.length === 0) return own
  const ids = new Set(roots.flatMap((root) => (root.is === 'there' ? [root.id] : [])))
  const there = snapshot.objects.filter((object) => object.kind === kind.name && ids.has(object.id))
  return lists.reduce((sum, part) => sum + requestedIn(part, there), own)
}

/** The number of requests for a collection inside these objects: one for each list that is read, or for each pick. */
function requestedIn({ collection: way, objects, requests }: ReadCost, roots: readonly LiveObject[]): number {
  const holders = holdersOf(way, roots)
  const field = way.slice(way.lastIndexOf('/') + 1)
  if (field !== picksOf) {
    const read = holders.filter(({ unread }) => unread?.[field] === undefined).length
    // Without totals, each list takes one more request than with totals.
    return Math.round((read * requests) / Math.max(1, objects))
  }
  return holders.reduce((sum, holder) => sum + picksIn(holder), 0)
}

/** The number of picks in links that can have at most one, as far as the platform has returned them. */
const picksIn = ({ kind, fields }: LiveObject): number =>
  ownFields(catalog[kind]).reduce((sum, field) => {
    const referred = referredKind(field)
    return referred === undefined ? sum : sum + picksOfOne(targetOf(catalog[referred]), fields[field.name])
  }, 0)

const picksOfOne = (kind: Kind, value: Json | undefined): number =>
  objectsIn(value).reduce((sum, entry) => {
    const picked = pickedFields(kind).map(({ field, kind: inner, picks }) => {
      if (picks === 'any') return picksOfOne(inner, entry[field])
      return entry[field] === undefined ? 0 : 1
    })
    return picked.reduce((all, each) => all + each, sum)
  }, 0)

/** The objects with the last list of a path such as "services/endpoints/methods". */
function holdersOf(way: string, roots: readonly LiveObject[]): readonly LiveObject[] {
  return way
    .split('/')
    .slice(1, -1)
    .reduce<readonly LiveObject[]>(
      (objects, field) =>
        objects.flatMap(({ children }) => children.filter((child) => catalog[child.kind].parent?.field === field)),
      roots,
    )
}
