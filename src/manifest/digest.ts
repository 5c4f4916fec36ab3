import { createHash } from 'node:crypto'
import { catalog } from '../catalog/catalog.js'
import { hasSecretName } from '../catalog/queries.js'
import type { FieldType, Json } from '../catalog/types.js'
import { isObject } from '../catalog/value.js'
import type { Removal, Resource } from './resource.js'

/** "sha256:…" of what manifests say: files, order, comments and the values of secrets have no part in it. */
export function digestOf(resources: readonly Resource[], removals: readonly Removal[]): string {
  const texts = resources.map((resource) => JSON.stringify(sorted(meaning(resource)))).sort()
  const removed = removals.map(({ address }) => address).sort()
  return `sha256:${createHash('sha256')
    .update(JSON.stringify([texts, removed]))
    .digest('hex')}`
}

function meaning(resource: Resource): Json {
  const { kind, address, parent, id, formerly, labels, protect, ignore, additions, wholeLists, removedChildren } =
    resource
  return {
    kind,
    // An address that shows a part or a fingerprint of a secret would let the digest depend on it.
    address: hasSecretName(catalog[kind]) ? (parent ?? '') : address,
    id: id ?? null,
    formerly: [...formerly].sort(),
    labels,
    protect,
    ignore,
    fields: fieldsOf(resource),
    additions: Object.fromEntries(Object.entries(additions).map(([field, entries]) => [field, sortedSet(entries)])),
    wholeLists,
    removedChildren,
    implied: resource.implied,
  }
}

function fieldsOf({ kind, fields }: Resource): Json {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]): [string, Json] => {
      const field = catalog[kind].fields[name]
      if (field?.secret) return [name, value === null ? null : '(secret)']
      return [name, field ? ofType(field.type, value) : value]
    }),
  )
}

/** Every list of the document is a set; free maps are taken as they are written. */
const ofType = (type: FieldType, value: Json): Json => (type.is === 'map' ? value : withSets(value))

function withSets(value: Json): Json {
  if (Array.isArray(value)) return sortedSet(value)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withSets(inner)]))
}

function sortedSet(values: readonly Json[]): Json {
  const texts = values.map((value) => ({ value: withSets(value), text: JSON.stringify(sorted(withSets(value))) }))
  return texts.sort((left, right) => (left.text < right.text ? -1 : 1)).map(({ value }) => value)
}

/** The same value with the keys of all its objects in order. */
function sorted(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(sorted)
  if (!isObject(value)) return value
  const pairs = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1))
  return Object.fromEntries(pairs.map(([key, inner]) => [key, sorted(inner)]))
}
