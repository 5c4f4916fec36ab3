import { catalog } from '../catalog/catalog.js'
import { metadataWord } from '../catalog/queries.js'
import { isObject, type Json, type JsonObject } from '../json/json.js'
import { keysOf } from '../json/pointer.js'
import type { ReportProblem } from '../problems/problem.js'
import type { Pins } from './ancestors.js'
import { fieldUses, type ReferenceUse, rangeOfUse } from './reference-use.js'
import type { Ancestor, Resource } from './resource.js'

/**
 * Adds the id to references that name a pinned object only by its name: they mean that object, and no other one with the name.
 */
export function pinReferences(resources: readonly Resource[], pins: Pins, report: ReportProblem): readonly Resource[] {
  if (pins.areNone) return resources
  return resources.map((resource) => {
    const uses = Object.values(catalog[resource.kind].fields).flatMap((field) => fieldUses(resource, field))
    return uses.reduce(
      (pinned, use) =>
        withPins(
          pinned,
          use,
          pins.resolve(use.ancestors, () => rangeOfUse(use), report),
        ),
      resource,
    )
  })
}

function withPins(resource: Resource, { ancestors, pointer }: ReferenceUse, pinned: readonly Ancestor[]): Resource {
  const isSame = pinned.every((name, index) => name.id === ancestors[index]?.id)
  if (isSame || pointer === undefined) return resource
  const fields = changedAt(resource.fields, keysOf(pointer), (entry) => withIds(entry, pinned))
  return isObject(fields) ? { ...resource, fields } : resource
}

/** The entry with the ids of the object that it names, and of the parents that it names. */
function withIds(entry: JsonObject, pinned: readonly Ancestor[]): JsonObject {
  const ids: Record<string, Json> = {}
  for (const { kind, name, id } of pinned.slice(0, -1)) {
    const word = metadataWord(catalog[kind])
    if (id !== undefined && entry[word] !== undefined) ids[word] = { name, id }
  }
  const own = pinned.at(-1)?.id
  return { ...entry, ...ids, ...(own === undefined ? {} : { id: own }) }
}

function changedAt(value: Json, path: readonly string[], change: (entry: JsonObject) => JsonObject): Json {
  const [first, ...rest] = path
  if (first === undefined) return isObject(value) ? change(value) : value
  if (Array.isArray(value)) {
    const items: readonly Json[] = value
    return items.map((item, index) => (String(index) === first ? changedAt(item, rest, change) : item))
  }
  if (!isObject(value)) return value
  return { ...value, [first]: changedAt(value[first] ?? null, rest, change) }
}
