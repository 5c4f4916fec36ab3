import { type Json, objectOf } from './json.js'

/** A key as it is written in a JSON Pointer (RFC 6901). */
const escapedKey = (key: string): string =>
  key.includes('~') || key.includes('/') ? key.replaceAll('~', '~0').replaceAll('/', '~1') : key

/** The key that is written as this part of a JSON Pointer. */
const unescapedKey = (part: string): string =>
  part.includes('~') ? part.replaceAll('~1', '/').replaceAll('~0', '~') : part

/** The keys of a JSON Pointer. */
export const keysOf = (pointer: string): readonly string[] => pointer.split('/').slice(1).map(unescapedKey)

/** Whether two JSON Pointers are equal, or one of them leads into the value of the other. */
export const overlaps = (one: string, other: string): boolean => isWithin(one, other) || isWithin(other, one)

/** Whether a JSON Pointer equals another one, or leads into its value. */
export const isWithin = (path: string, outer: string): boolean => path === outer || path.startsWith(`${outer}/`)

/** The JSON Pointer through these keys. */
export const pointerTo = (...keys: readonly string[]): string => keys.map((key) => `/${escapedKey(key)}`).join('')

/** A value at the keys of a path, in objects that contain nothing else. */
export const nested = (path: readonly string[], value: Json): Json =>
  path.reduceRight<Json>((inner, key) => ({ [key]: inner }), value)

/** The same object with another value at these keys; anything on the way that is not an object is replaced by one. */
export function withMember(object: Json | undefined, [key, ...rest]: readonly string[], value: Json): Json {
  if (key === undefined) return value
  const held = objectOf(object)
  return { ...held, [key]: withMember(held[key], rest, value) }
}

/** The outer paths of a path with slashes, outermost first: `a` and `a/b` of `a/b/c`. */
export function outerPaths(path: string): readonly string[] {
  const found: string[] = []
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) found.push(path.slice(0, at))
  return found
}
