import { catalog } from '../catalog/catalog.js'
import { kinds, rootOf } from '../catalog/queries.js'
import type { Kind, KindName } from '../catalog/types.js'
import { groupBy } from '../json/groups.js'
import type { JsonObject } from '../json/json.js'
import { objectsIn, textOf } from '../json/json.js'
import type { Earlier, LiveObject, Snapshot } from '../live/live-object.js'
import { type Nested, nestedIn, type Requested } from './nesting.js'
import { withOlderPaths } from './normalize.js'

/** A reading of the touched objects takes all other objects from the reading before it. */

/** An earlier reading whose root objects are found by their ids. */
export interface Found extends Earlier {
  readonly rootOf: (kind: KindName, id: string) => LiveObject | undefined
}

/** The reading with an index of its objects for each requested kind, made once: an area has thousands of objects. */
export function findable(earlier: Earlier): Found {
  const known = new Map<KindName, ReadonlyMap<string, LiveObject>>()
  const idsOf = (kind: KindName): ReadonlyMap<string, LiveObject> => {
    const own = earlier.snapshot.objects.filter((object) => object.kind === kind)
    return new Map(own.map((object) => [object.id, object]))
  }
  return {
    ...earlier,
    rootOf: (kind, id) => {
      const ids = known.get(kind) ?? idsOf(kind)
      known.set(kind, ids)
      return ids.get(id)
    },
  }
}

/** The links that an object is known to have, in the form of an answer; undefined if they must be requested. */
export function earlierLinks(
  { field, holds }: Nested,
  kind: Kind,
  id: string,
  earlier: Found | undefined,
): readonly JsonObject[] | undefined {
  if (holds !== 'links' || !earlier || earlier.hasOtherLinks(kind.name, id)) return undefined
  const held = earlier.rootOf(kind.name, id)?.fields[field]
  return Array.isArray(held) ? objectsIn(held) : undefined
}

/** Whether an answer lacks a part that the object had: single objects may show less than pages (A201). */
export function isPartial(kind: Kind, objects: readonly JsonObject[], earlier: Found, requested: Requested): boolean {
  return objects.some((object) =>
    lacks(kind, object, earlier.rootOf(kind.name, textOf(object.id) ?? ''), earlier, requested),
  )
}

function lacks(
  kind: Kind,
  answered: JsonObject,
  before: LiveObject | undefined,
  earlier: Earlier,
  requested: Requested,
): boolean {
  if (!before) return false
  const own = withOlderPaths(kind, answered)
  const isMissing = Object.entries(before.fields).some(
    ([name, value]) =>
      value !== null &&
      own[name] === undefined &&
      (requested.get(kind.name)?.includes(name) ?? false) &&
      !earlier.mayLack(kind.name, name),
  )
  if (isMissing) return true
  return nestedIn(kind).some(({ field, kind: inner }) => {
    const held = before.children.filter((child) => child.kind === inner.name)
    const byId = new Map(held.map((child) => [child.id, child]))
    return objectsIn(own[field]).some((object) =>
      lacks(inner, object, byId.get(textOf(object.id) ?? ''), earlier, requested),
    )
  })
}

/**
 * The earlier snapshot, with the objects that were read again. Kinds in `whole` were read completely; of other touched kinds
 * single objects were read. A touched object that was not read again is deleted.
 */
export function splicedSnapshot(
  earlier: Earlier,
  fresh: Snapshot,
  roots: readonly Kind[],
  whole: ReadonlySet<KindName>,
): Snapshot {
  const requested = new Set(roots.map(({ name }) => name))
  const old = groupBy(earlier.snapshot.objects, ({ kind }) => kind)
  const now = groupBy(fresh.objects, ({ kind }) => kind)
  const objects = kinds.flatMap(({ name }) => {
    if (!requested.has(name)) return []
    if (whole.has(name)) return now.get(name) ?? []
    const touched = earlier.touched.get(name)
    const before = old.get(name) ?? []
    if (!touched || touched === 'pages') return before
    const read = new Map((now.get(name) ?? []).map((object) => [object.id, object]))
    const known = new Set(before.map(({ id }) => id))
    const again = new Set(touched.map(({ id }) => id))
    return [
      ...before.flatMap((object) => (again.has(object.id) ? (read.get(object.id) ?? []) : object)),
      ...[...read.values()].filter(({ id }) => !known.has(id)),
    ]
  })
  // If a kind was not requested before, single objects are not all objects of the kind.
  const isRead = (name: KindName) => earlier.snapshot.kinds.includes(name) || whole.has(rootOf(catalog[name]).name)
  const domainMember = fresh.domainMember === 'address' ? 'address' : earlier.snapshot.domainMember
  return { objects, kinds: fresh.kinds.filter(isRead), domainMember }
}
