import { linkMembers, pickedFields } from '../catalog/queries.js'
import type { Kind } from '../catalog/types.js'
import { canonical } from '../catalog/value.js'
import { isObject, type Json, type JsonObject, textOf } from '../json/json.js'
import { compareText } from '../json/order.js'
import { answeredList } from './answer.js'
import type { ListedIds } from './listed-ids.js'

/** A reference in the form of live objects. */
type AnsweredReference = JsonObject & { readonly id: string }

/** In a link, the referred objects show what is picked inside them; elsewhere each is meant as a whole. */
type ReferenceDepth = 'whole' | 'picked'

export function answeredReferences(
  kind: Kind,
  value: Json | undefined,
  depth: ReferenceDepth,
  ids: ListedIds,
): readonly AnsweredReference[] {
  const references = answeredList(value).flatMap((each) => answeredReference(kind, each, depth, ids))
  return [...distinctValues(references)].sort(
    (left, right) => compareText(textOf(left.name) ?? '', textOf(right.name) ?? '') || compareText(left.id, right.id),
  )
}

/** Every value once. A link may well occur once for each of its actions. */
export const distinctValues = <Value extends Json>(values: readonly Value[]): readonly Value[] =>
  values.length < 2 ? values : [...new Map(values.map((each) => [JSON.stringify(each), each])).values()]

function answeredReference(
  kind: Kind,
  value: Json,
  depth: ReferenceDepth,
  ids: ListedIds,
): readonly AnsweredReference[] {
  const answered = isObject(value) ? textOf(value.id) : value
  if (typeof answered !== 'string' || answered === '') return []
  const id = ids.spelling(kind.name, answered)
  if (!isObject(value)) return [{ id }]
  const naming = kind.naming === undefined ? undefined : kind.fields[kind.naming]
  const name = naming && !naming.secret ? textOf(value[naming.name]) : undefined
  return [
    {
      id,
      ...(name === undefined ? {} : { name }),
      ...linkMemberValues(kind, value),
      ...(depth === 'picked' ? pickedIn(kind, value, ids) : {}),
    },
  ]
}

function linkMemberValues(kind: Kind, value: JsonObject): JsonObject {
  const members = linkMembers(kind).flatMap((field): [string, Json][] => {
    const form = canonical(field.type, value[field.name])
    return form === undefined ? [] : [[field.name, form]]
  })
  return Object.fromEntries(members)
}

function pickedIn(kind: Kind, value: JsonObject, ids: ListedIds): JsonObject {
  const picked = pickedFields(kind)
    .filter(({ field }) => value[field] !== undefined)
    .map(({ field, kind: inner, picks }): [string, Json] => {
      const references = answeredReferences(inner, value[field], 'picked', ids)
      return [field, picks === 'any' ? references : (references[0] ?? null)]
    })
  return Object.fromEntries(picked)
}
