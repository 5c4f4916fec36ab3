import { type Json, objectOf } from './json.js'

/** A key as it stands in a JSON Pointer (RFC 6901). */
const escapedKey = (key: string): string =>
  key.includes('~') || key.includes('/') ? key.replaceAll('~', '~0').replaceAll('/', '~1') : key

/** The key that a part of a JSON Pointer stands for. */
const unescapedKey = (part: string): string =>
  part.includes('~') ? part.replaceAll('~1', '/').replaceAll('~0', '~') : part

/** The keys that a JSON Pointer leads through. */
export const keysOf = (pointer: string): readonly string[] => pointer.split('/').slice(1).map(unescapedKey)

/** Whether one of two JSON Pointers is the other, or leads further into what the other points to. */
export const overlaps = (one: string, other: string): boolean => isWithin(one, other) || isWithin(other, one)

/** Whether a JSON Pointer is another one, or leads further into what that points to. */
export const isWithin = (path: string, outer: string): boolean => path === outer || path.startsWith(`${outer}/`)

/** The JSON Pointer through these keys. */
export const pointerTo = (...keys: readonly string[]): string => keys.map((key) => `/${escapedKey(key)}`).join('')

/** A value below the keys of a path, in objects that hold nothing else. */
export const nested = (path: readonly string[], value: Json): Json =>
  path.reduceRight<Json>((inner, key) => ({ [key]: inner }), value)

/** The same with another value below these keys; what is no object on the way becomes one. */
export function withMember(object: Json | undefined, [key, ...rest]: readonly string[], value: Json): Json {
  if (key === undefined) return value
  const held = objectOf(object)
  return { ...held, [key]: withMember(held[key], rest, value) }
}

/** What a path with slashes lies in, from the outermost on: `a` and `a/b` of `a/b/c`. */
export function outerPaths(path: string): readonly string[] {
  const found: string[] = []
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) found.push(path.slice(0, at))
  return found
}
