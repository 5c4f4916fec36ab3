import { catalog } from '../catalog/catalog.js'
import { hasSecretName } from '../catalog/queries.js'
import type { Kind } from '../catalog/types.js'
import { answeredList } from '../client/answer.js'
import type { Collections } from '../client/merge.js'
import { kindOfCollection, nestedIn } from '../client/nesting.js'
import { markMember } from '../client/normalize.js'
import type { Json, JsonObject } from '../json/json.js'
import { isObject, textOf } from '../json/json.js'

/** A secret name that a snapshot file leaves out, and what is known of its object. */
export interface HiddenKey {
  readonly kind: Kind
  /** The names of its parents, outermost first. */
  readonly parents: readonly string[]
  /** What its address shows of it; '' if the file has nothing. */
  readonly mark: string
  readonly object: JsonObject
}

/** Finds the value for a mark; undefined if it is not known. */
export type KeyFinder = (key: HiddenKey) => string | undefined

/** The collections with the secret names that can be found restored; other objects are identified by their marks. */
export function withKeys(raw: Collections, find: KeyFinder): Collections {
  return Object.fromEntries(
    Object.entries(raw).map(([collection, objects]) => {
      const kind = kindOfCollection(collection)
      return [collection, kind ? objects.map((object) => restored(kind, object, [], find)) : objects]
    }),
  )
}

function restored(kind: Kind, object: JsonObject, parents: readonly string[], find: KeyFinder): JsonObject {
  const own = hasSecretName(kind) ? withName(kind, object, parents, find) : object
  const inner = nestedIn(kind).filter((nested) => nested.holds === 'children' && leadsToSecretNames(nested.kind))
  const path = [...parents, textOf(object[kind.naming ?? 'id']) ?? '']
  const changed = inner
    .filter(({ field }) => own[field] !== undefined)
    .map(({ field, kind: child }): [string, Json] => [
      field,
      answeredList(own[field]).map((each) => (isObject(each) ? restored(child, each, path, find) : each)),
    ])
  return changed.length === 0 ? own : { ...own, ...Object.fromEntries(changed) }
}

function withName(kind: Kind, object: JsonObject, parents: readonly string[], find: KeyFinder): JsonObject {
  const { [markMember]: written, ...rest } = object
  const { naming } = kind
  if (naming === undefined || textOf(rest[naming]) !== undefined) return rest
  const mark = textOf(written)
  const value = find({ kind, parents, mark: mark ?? '', object: rest })
  if (value !== undefined) return { ...rest, [naming]: value }
  return mark === undefined ? rest : { ...rest, [naming]: mark, [markMember]: mark }
}

const leadsToSecretNames = (kind: Kind): boolean =>
  hasSecretName(kind) || nestedIn(kind).some((nested) => leadsToSecretNames(catalog[nested.kind.name]))
