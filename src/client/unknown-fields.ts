import type { Kind, KindName } from '../catalog/types.js'
import type { JsonObject } from '../json/json.js'
import { objectsIn } from '../json/json.js'
import { isRequested, nestedIn, type Requested } from './nesting.js'

/** What recorded platforms show of unknown fields: all of them, if `fields` contains `*` (A223). */

/** The paths for all fields of a kind, and of every requested kind inside it; links show the fields of their targets. */
export const everyPath = (kind: Kind, requested: Requested): readonly string[] => [
  '*',
  ...nestedIn(kind)
    .filter((nested) => nested.holds !== 'links' && isRequested(nested.kind, requested))
    .flatMap((nested) => everyPath(nested.kind, requested).map((path) => `${nested.field}.${path}`)),
]

/**
 * The names of fields in answered objects that no table has, by kind. Fields of links that belong to their targets are not
 * included.
 */
export function unknownNames(kind: Kind, objects: readonly JsonObject[]): ReadonlyMap<KindName, ReadonlySet<string>> {
  const found = new Map<KindName, Set<string>>()
  collect(kind, objects, found)
  return found
}

function collect(kind: Kind, objects: readonly JsonObject[], found: Map<KindName, Set<string>>): void {
  const nested = nestedIn(kind)
  const known = new Set([
    ...Object.keys(kind.fields),
    ...nested.map(({ field }) => field),
    ...Object.values(kind.olderPaths).map((path) => path.split('.')[0] ?? path),
  ])
  for (const object of objects) {
    for (const { field, kind: inner } of nested) collect(inner, objectsIn(object[field]), found)
    if (kind.association !== undefined) continue
    for (const name of Object.keys(object)) {
      if (known.has(name) || !/^[\w-]+$/.test(name)) continue
      found.set(kind.name, (found.get(kind.name) ?? new Set()).add(name))
    }
  }
}
