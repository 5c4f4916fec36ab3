import { elementOf } from '../../catalog/queries.js'
import { memberIn } from '../../catalog/shapes.js'
import type { FieldType } from '../../catalog/types.js'
import { isList, isObject, type Json } from '../../json/json.js'
import { by, inCanonicalOrder } from '../../json/order.js'

/** A value in the order for display: the order of the keys of an object, or of the elements of a set, has no meaning. */
export function inOrder(type: FieldType, value: Json): Json {
  // References are shown by their names, which are in order already.
  if (elementOf(type).is === 'reference') return value
  if (type.is === 'list' && isList(value)) return sortedSet(type.of, value)
  if (type.is !== 'shape' || !isObject(value)) return inCanonicalOrder(value, 'as written')
  const sorted = Object.entries(value).map(([name, inner]): [string, Json] => {
    return [name, inOrder(memberIn(type, name).type, inner)]
  })
  return Object.fromEntries(sorted.sort(by(([name]) => name)))
}

function sortedSet(of: FieldType, elements: readonly Json[]): Json {
  const texts = new Map(elements.map((each) => inOrder(of, each)).map((each) => [JSON.stringify(each), each]))
  return [...texts].sort(by(([text]) => text)).map(([, each]) => each)
}
