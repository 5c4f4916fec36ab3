import type { Json } from '../json/json.js'
import { isObject } from '../json/json.js'
import { withValueAt } from '../json/patch.js'
import { pointerTo } from '../json/pointer.js'
import { memberOf } from './shapes.js'
import type { FieldType } from './types.js'
import { canonical } from './value.js'

/** Whether a value contains a known secret. */
export type IsSecret = (value: Json) => boolean

/**
 * The positions of the secrets in a field, as JSON Pointers within its value. The members of an object field are managed one by
 * one, so each is secret or not by itself (A359). '' is the whole value.
 */
export function secretPlaces(type: FieldType | undefined, value: Json, isSecret: IsSecret): readonly string[] {
  if (!isSecret(value)) return []
  if (type?.is !== 'shape' || !isObject(value)) return ['']
  return Object.entries(value).flatMap(([name, inner]) =>
    secretPlaces(memberOf(type.shape, name)?.type, inner, isSecret).map((place) => pointerTo(name) + place),
  )
}

/** A value without its secrets; undefined if nothing else remains. */
export function withoutSecrets(type: FieldType, value: Json, isSecret: IsSecret): Json | undefined {
  const places = secretPlaces(type, value, isSecret)
  if (places.length === 0) return value
  if (places.includes('')) return undefined
  const open = places.reduce((rest, place) => withValueAt(rest, place, undefined), value)
  return canonical(type, open) === undefined ? undefined : open
}

/** A value in which a word replaces each secret. */
export const withSecretsHidden = (type: FieldType | undefined, value: Json, isSecret: IsSecret, word: string): Json =>
  secretPlaces(type, value, isSecret).reduce<Json>(
    (open, place) => (place === '' ? word : withValueAt(open, place, word)),
    value,
  )
