export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

export type JsonObject = { readonly [key: string]: Json }

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value)

/** The entries of a list; nothing else has any. */
export const entriesOf = (value: Json | undefined): readonly Json[] => (isList(value) ? value : [])

/** A list as it is, nothing as an empty one, and any other value as a list of one. */
export function asList(value: Json | undefined): readonly Json[] {
  if (value === undefined || value === null) return []
  return isList(value) ? value : [value]
}

/** The objects among the entries of a list, or the one object that stands for a list of one. */
export function objectsIn(value: Json | undefined): readonly JsonObject[] {
  const held = asList(value)
  return held.every(isObject) ? held : held.filter(isObject)
}

/** The texts among the entries of a list, or the one text that stands for a list of one. */
export const textEntries = (value: Json | undefined): readonly string[] =>
  asList(value).filter((each) => typeof each === 'string')

/** A text that is not empty, or a number as a text: ids are both. */
export function textOf(value: Json | undefined): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** An object as it is, and anything else as an empty one. */
export const objectOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})

/** The members of an object that are texts. */
export const textMembers = (object: JsonObject): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(object).flatMap(([key, text]) => (typeof text === 'string' ? [[key, text]] : [])))

/** An object without some of its members. */
export const withoutMembers = (object: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)))

export const numberOf = (value: Json | undefined): number | undefined => (typeof value === 'number' ? value : undefined)

/** Equality of canonical values: key order has no meaning, the order of lists has. */
export function sameJson(left: Json | undefined, right: Json | undefined): boolean {
  if (left === right) return true
  if (isList(left)) {
    return isList(right) && left.length === right.length && left.every((value, index) => sameJson(value, right[index]))
  }
  if (!isObject(left) || !isObject(right) || Object.keys(left).length !== Object.keys(right).length) return false
  return Object.entries(left).every(([key, value]) => Object.hasOwn(right, key) && sameJson(value, right[key]))
}

/** A JSON value, or undefined where the text is none. */
export function parseJson(text: string): Json | undefined {
  try {
    const value: Json = JSON.parse(text)
    return value
  } catch {
    return undefined
  }
}

/** A value as files and `-o json` hold it: indented, with a line's end. */
export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

/** Values as JSON lines: one a line, each with its end. */
export const jsonLines = (values: readonly unknown[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('')

/** Whether that is true of some text or number inside a value. */
export function someText(value: Json, is: (text: string) => boolean): boolean {
  if (typeof value === 'string' || typeof value === 'number') return is(String(value))
  if (isList(value)) return value.some((each) => someText(each, is))
  return isObject(value) && Object.values(value).some((each) => someText(each, is))
}

/** Every text inside a value. */
export function textsIn(value: Json): readonly string[] {
  if (typeof value === 'string') return [value]
  if (isList(value)) return value.flatMap(textsIn)
  return isObject(value) ? Object.values(value).flatMap(textsIn) : []
}
