import { catalog } from '../catalog/catalog.js'
import { givenByParent, kinds, metadataWord } from '../catalog/queries.js'
import type { Kind } from '../catalog/types.js'
import { answeredList } from '../client/answer.js'
import type { Collections } from '../client/merge.js'
import { collectionOf } from '../client/nesting.js'
import { groupBy } from '../json/groups.js'
import type { Json, JsonObject } from '../json/json.js'
import { isObject, objectOf } from '../json/json.js'

/** Collections of kinds with a parent: the interface also lists applications and keys on their own. */
export const unnestedCollections: readonly { readonly collection: string; readonly kind: Kind }[] = kinds.flatMap(
  (kind) => {
    const path = kind.operations.list?.path ?? ''
    return kind.parent !== undefined && !path.includes('{') && path !== ''
      ? [{ collection: collectionOf(kind), kind }]
      : []
  },
)

/** Moves objects that are listed outside their parent into it, unless they are already there; outermost kinds come first. */
export function nestUnnested(raw: Collections): Collections {
  return unnestedCollections.reduce<Collections>((collections, { collection, kind }) => {
    const { [collection]: unnested, ...rest } = collections
    return unnested === undefined || unnested.length === 0 ? rest : withUnnested(rest, kind, unnested)
  }, raw)
}

function withUnnested(raw: Collections, kind: Kind, unnested: readonly JsonObject[]): Collections {
  if (!kind.parent) return raw
  const parent = catalog[kind.parent.kind]
  const { field } = kind.parent
  // The field that a child takes from its parent (an application's username), or else the parent's id in the child.
  const given = givenByParent(kind)
  const word = metadataWord(parent)
  const byParent = groupBy(unnested, (each) => (given === undefined ? objectOf(each[word]).id : each[given]))
  byParent.delete(undefined)
  const rehomed = (object: JsonObject): JsonObject => {
    const own = byParent.get(object[given ?? 'id']) ?? []
    const held = answeredList(object[field]).filter(isObject)
    const ids = new Set(held.map((each) => each.id))
    const added = own.filter((each) => !ids.has(each.id))
    return added.length === 0 ? object : { ...object, [field]: [...held, ...added] }
  }
  return Object.fromEntries(
    Object.entries(raw).map(([name, objects]) => [
      name,
      objects.map((each) => everywhere(parent, name, each, rehomed)),
    ]),
  )
}

/** Changes the objects of a kind anywhere below a root of that collection. */
function everywhere(
  kind: Kind,
  collection: string,
  object: JsonObject,
  change: (each: JsonObject) => JsonObject,
): JsonObject {
  if (kind.parent === undefined) return collectionOf(kind) === collection ? change(object) : object
  const outer = catalog[kind.parent.kind]
  const { field } = kind.parent
  return everywhere(outer, collection, object, (each) => {
    const inner = each[field]
    if (inner === undefined || inner === null) return each
    const objects: readonly Json[] = answeredList(inner).map((one) => (isObject(one) ? change(one) : one))
    return { ...each, [field]: objects }
  })
}
