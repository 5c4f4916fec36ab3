import { elementOf } from '../../catalog/queries.js'
import { shapes } from '../../catalog/shapes.js'
import type { FieldType } from '../../catalog/types.js'
import type { Json, JsonObject } from '../../json/json.js'
import { isObject } from '../../json/json.js'

/** A value as it is shown: the order in which somebody wrote the keys of an object, or the elements of a set, is no part of it. */
export function inOrder(type: FieldType, value: Json): Json {
  // References are shown by names, in an order of their own already.
  if (elementOf(type).is === 'reference') return value
  if (Array.isArray(value)) return type.is === 'list' ? sortedSet(type.of, value as readonly Json[]) : value
  if (!isObject(value)) return value
  const typeOf = (name: string): FieldType =>
    (type.is === 'shape' ? shapes[type.shape][name]?.type : undefined) ?? { is: 'map', of: 'any' }
  return sortedKeys(value, (name, inner) => inOrder(typeOf(name), inner))
}

const sortedKeys = (value: JsonObject, change: (name: string, inner: Json) => Json): JsonObject =>
  Object.fromEntries(
    Object.entries(value)
      .map(([name, inner]): [string, Json] => [name, change(name, inner)])
      .sort(([left], [right]) => (left < right ? -1 : 1)),
  )

function sortedSet(of: FieldType, elements: readonly Json[]): Json {
  const texts = new Map(elements.map((each) => inOrder(of, each)).map((each) => [JSON.stringify(each), each]))
  return [...texts].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, each]) => each)
}
