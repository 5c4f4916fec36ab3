import { isList, isObject, type Json } from './json.js'

/** The order of texts by their code units, which does not depend on a locale. */
export function compareText(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}

/** Sorts values by a text of each. */
export const by =
  <Value>(text: (value: Value) => string) =>
  (left: Value, right: Value): number =>
    compareText(text(left), text(right))

/** Sorts values by their JSON text. */
export const bySpelling: (left: Json, right: Json) => number = by((value) => JSON.stringify(value))

/** The same value with the keys of its objects in order, and also the entries of its lists if these are sets. */
export function inCanonicalOrder(value: Json, lists: 'sets' | 'as written'): Json {
  if (isList(value)) {
    const entries = value.map((entry) => inCanonicalOrder(entry, lists))
    return lists === 'sets' ? entries.sort(bySpelling) : entries
  }
  if (!isObject(value)) return value
  const members = Object.entries(value).map(([key, inner]) => [key, inCanonicalOrder(inner, lists)] as const)
  return Object.fromEntries(members.sort(by(([key]) => key)))
}

/** One text for all spellings of a value: JSON in canonical order. */
export const canonicalText = (value: Json, lists: 'sets' | 'as written'): string =>
  JSON.stringify(inCanonicalOrder(value, lists))
