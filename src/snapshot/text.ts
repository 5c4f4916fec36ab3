import { catalog } from '../catalog/catalog.js'
import { attributeField, hasSecretName, kinds, linkMembers, pickedFields, referredKind } from '../catalog/queries.js'
import { type IsSecret, withoutSecrets } from '../catalog/secret-places.js'
import type { Field, Kind } from '../catalog/types.js'
import { answeredList } from '../client/answer.js'
import { joinedCollections } from '../client/merge.js'
import { collectionOf, nestedIn, segmentOf } from '../client/nesting.js'
import { heldIn, markMember, withOlderPaths } from '../client/normalize.js'
import type { Reading } from '../client/types.js'
import type { Json, JsonObject } from '../json/json.js'
import { isList, isObject, jsonText, objectsIn, textOf } from '../json/json.js'
import { bySpelling, compareText } from '../json/order.js'

/** Identifies a secret name without showing it. */
type MarkOf = (secret: string) => string

/** Keeps secrets out of a file: marks for secret names, and a test for known secrets. */
interface SnapshotSecrets {
  readonly markOf: MarkOf
  readonly isSecret: IsSecret
}

/**
 * The area as a snapshot file: the collections, nested as in answers of the interface. Lists are sorted by names, so the same
 * area gives the same bytes. A secret with a value is left out, an empty one is null; secret names leave a mark.
 */
export function snapshotText(raw: Reading['raw'], keeping: SnapshotSecrets): string {
  const roots = kinds.filter((kind) => kind.parent === undefined)
  const collections = roots.map((kind): Readonly<Record<string, readonly JsonObject[]>> => {
    // Owners that no plan names, and kinds that the platform does not have, are left out.
    if (raw[collectionOf(kind)] === undefined && (kind.within || kind.origin === 'notes')) return {}
    const objects = heldIn(kind, raw)
    if (!kind.within) return { [collectionOf(kind)]: keptObjects(kind, objects, keeping) }
    const field = segmentOf(kind)
    return {
      [collectionOf(kind)]: objects.map((owner) => ({
        id: owner.id ?? null,
        [field]: keptObjects(kind, objectsIn(owner[field]), keeping),
      })),
    }
  })
  return jsonText(joinedCollections(collections))
}

const keptObjects = (kind: Kind, objects: readonly JsonObject[], keeping: SnapshotSecrets): readonly JsonObject[] =>
  objects.map((object) => keptObject(kind, object, keeping)).sort(byName(kind))

/** The fields of the catalogue, in its order; nested objects are converted in the same way. */
function keptObject(kind: Kind, answered: JsonObject, keeping: SnapshotSecrets): JsonObject {
  const own = withOlderPaths(kind, answered)
  const nested = new Map(nestedIn(kind).map((each) => [each.field, each]))
  const members = Object.values(kind.fields).flatMap((field): readonly [string, Json][] => {
    const value = own[field.name]
    if (field.secret) return secretMembers(kind, field, value, keeping.markOf)
    if (value === undefined || field.writeOnly) return []
    const inner = nested.get(field.name)
    if (!inner) {
      const open = field.name === kind.naming ? value : withoutSecrets(field.type, value, keeping.isSecret)
      return open === undefined ? [] : [[field.name, keptValue(field, open)]]
    }
    if (inner.holds !== 'single') return [[field.name, keptObjects(inner.kind, objectsIn(value), keeping)]]
    return [[field.name, isObject(value) ? keptObject(inner.kind, value, keeping) : null]]
  })
  return Object.fromEntries([...members, ...attributesIn(kind, own, keeping)])
}

function attributesIn(kind: Kind, own: JsonObject, keeping: SnapshotSecrets): readonly [string, Json][] {
  return Object.entries(own)
    .filter(([name, value]) => typeof value === 'string' && attributeField(kind, name) && !keeping.isSecret(value))
    .sort(([left], [right]) => compareText(left, right))
}

function secretMembers(kind: Kind, field: Field, value: Json | undefined, markOf: MarkOf): readonly [string, Json][] {
  if (field.writeOnly) return []
  if (value === undefined || value === null || value === '') return [[field.name, null]]
  const isName = hasSecretName(kind) && field.name === kind.naming
  return isName && typeof value === 'string' ? [[markMember, markOf(value)]] : []
}

function keptValue(field: Field, value: Json): Json {
  const referred = referredKind(field)
  if (referred !== undefined) return keptReferences(catalog[referred], field, value)
  if (field.type.is === 'list') return answeredList(value).map(sortedInside).sort(bySpelling)
  return field.type.is === 'shape' ? sortedInside(value) : value
}

/** Lists in a value object are sets as well. */
function sortedInside(value: Json): Json {
  if (isList(value)) return value.map(sortedInside).sort(bySpelling)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, sortedInside(member)]))
}

/**
 * References keep their id, their name, a link's own fields, and what is picked in them; other members of an answer do not belong
 * to them.
 */
function keptReferences(kind: Kind, field: Field, value: Json): Json {
  const kept = (each: Json): Json => (isObject(each) ? keptReference(kind, each) : each)
  if (field.type.is !== 'list') return kept(value)
  const objects = answeredList(value).map(kept)
  return objects.every((each) => isObject(each)) ? [...objects].sort(byName(kind)) : objects
}

function keptReference(kind: Kind, answered: JsonObject): JsonObject {
  const picked = new Map(pickedFields(kind).map((each) => [each.field, each]))
  const kept = new Set(['id', kind.naming, ...linkMembers(kind).map(({ name }) => name)])
  const names = new Set([...Object.keys(kind.fields), ...picked.keys()])
  const members = [...names].flatMap((name): readonly [string, Json][] => {
    const value = answered[name]
    if (value === undefined || kind.fields[name]?.secret) return []
    if (kept.has(name)) return [[name, value]]
    const inner = picked.get(name)
    if (!inner) return []
    const references = objectsIn(value).map((each) => keptReference(inner.kind, each))
    return [[name, inner.picks === 'any' ? references.sort(byName(inner.kind)) : (references[0] ?? null)]]
  })
  return Object.fromEntries(members)
}

const byName =
  ({ naming = 'name' }: Kind) =>
  (left: JsonObject, right: JsonObject): number =>
    compareText(textOf(left[naming]) ?? '', textOf(right[naming]) ?? '') ||
    compareText(textOf(left.id) ?? '', textOf(right.id) ?? '')
