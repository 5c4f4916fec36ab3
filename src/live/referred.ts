import { catalog } from '../catalog/catalog.js'
import { pickedFields, referredKind, targetOf } from '../catalog/queries.js'
import type { Kind, KindName } from '../catalog/types.js'
import { asList, isObject, type Json } from '../json/json.js'
import type { LiveObject } from './live-object.js'

/** The id in a reference as answered, or an empty text. */
export const idIn = (reference: Json | undefined): string => (isObject(reference) ? String(reference.id) : '')

/** The objects that a live object refers to, and those named inside: the endpoints of a plan service and their methods. */
export function referredObjects({ kind, fields }: LiveObject): readonly (readonly [KindName, string])[] {
  return Object.values(catalog[kind].fields).flatMap((field) => {
    const referred = referredKind(field)
    return referred ? referredEntries(targetOf(catalog[referred]), fields[field.name]) : []
  })
}

function referredEntries(kind: Kind, value: Json | undefined): readonly (readonly [KindName, string])[] {
  return asList(value).flatMap((each) => {
    if (!isObject(each) || typeof each.id !== 'string') return []
    const inner = pickedFields(kind).flatMap((picked) => referredEntries(picked.kind, each[picked.field]))
    return [[kind.name, each.id] as const, ...inner]
  })
}
