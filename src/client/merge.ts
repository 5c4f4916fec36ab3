import { recordOf } from '../catalog/record.js'
import type { Json, JsonObject } from '../json/json.js'
import { isList, isObject, textOf } from '../json/json.js'

/** Merges the objects of several answers about the same collection by id; the first answer decides which objects there are. */
export function mergedById(answers: readonly (readonly JsonObject[])[]): readonly JsonObject[] {
  const [first = [], ...others] = answers
  return others.reduce<readonly JsonObject[]>((objects, other) => joinedById(objects, other), first)
}

/** Every object once; objects without an id are all kept. */
export function unique(objects: readonly JsonObject[]): readonly JsonObject[] {
  if (objects.length < 2) return objects
  const seen = new Set<string>()
  return objects.filter((object) => {
    const id = textOf(object.id)
    if (id === undefined) return true
    if (seen.has(id)) return false
    seen.add(id)
    return true
  })
}

/** Collections as the interface lists them. */
export type Collections = Readonly<Record<string, readonly JsonObject[]>>

/**
 * Merges collections of several readings. Owners of other kinds, such as sets of templates, may be in two readings with different
 * members.
 */
export function joinedCollections(parts: readonly Collections[]): Collections {
  const all = recordOf<readonly JsonObject[]>()
  for (const part of parts) {
    for (const [name, objects] of Object.entries(part)) all[name] = all[name] ? union(all[name], objects) : objects
  }
  return all
}

function union(some: readonly JsonObject[], others: readonly JsonObject[]): readonly JsonObject[] {
  const idOf = ({ id }: JsonObject): string => String(id ?? '')
  const byId = new Map(others.map((other) => [idOf(other), other]))
  const known = new Set(some.map(idOf))
  return [
    ...some.map((object) => merged(object, byId.get(idOf(object)) ?? {})),
    ...others.filter((other) => !known.has(idOf(other))),
  ]
}

function joinedById(objects: readonly JsonObject[], others: readonly JsonObject[]): readonly JsonObject[] {
  const byId = new Map(others.map((other) => [other.id, other]))
  return objects.map((object) => merged(object, byId.get(object.id) ?? {}))
}

function merged(object: JsonObject, other: JsonObject): JsonObject {
  const both = recordOf(Object.entries(object))
  for (const [name, value] of Object.entries(other)) {
    const own = both[name]
    if (isObjects(own) && isObjects(value)) both[name] = joinedById(own, value)
    else if (isObject(own) && isObject(value)) both[name] = merged(own, value)
    else if (own === undefined) both[name] = value
  }
  return both
}

const isObjects = (value: Json | undefined): value is readonly JsonObject[] =>
  isList(value) && value.every((each) => isObject(each) && each.id !== undefined)
