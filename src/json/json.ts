export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

export type JsonObject = { readonly [key: string]: Json }

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value)

/** The entries of a list; none for any other value. */
export const entriesOf = (value: Json | undefined): readonly Json[] => (isList(value) ? value : [])

/** A list as it is, no value as an empty list, and any other value as a list of one. */
export function asList(value: Json | undefined): readonly Json[] {
  if (value === undefined || value === null) return []
  return isList(value) ? value : [value]
}

/** The objects in a list, or a single object as a list of one. */
export function objectsIn(value: Json | undefined): readonly JsonObject[] {
  const held = asList(value)
  return held.every(isObject) ? held : held.filter(isObject)
}

/** The texts in a list, or a single text as a list of one. */
export const textEntries = (value: Json | undefined): readonly string[] =>
  asList(value).filter((each) => typeof each === 'string')

/** A text that is not empty, or a number as a text: an id may be either. */
export function textOf(value: Json | undefined): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** An object as it is; an empty object for any other value. */
export const objectOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})

/** The members of an object that are texts. */
export const textMembers = (object: JsonObject): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(object).flatMap(([key, text]) => (typeof text === 'string' ? [[key, text]] : [])))

/** An object without some of its members. */
export const withoutMembers = (object: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)))

export const numberOf = (value: Json | undefined): number | undefined => (typeof value === 'number' ? value : undefined)

/** Equality of canonical values: the order of keys does not matter, the order of lists does. */
export function sameJson(left: Json | undefined, right: Json | undefined): boolean {
  if (left === right) return true
  if (isList(left)) {
    return isList(right) && left.length === right.length && left.every((value, index) => sameJson(value, right[index]))
  }
  if (!isObject(left) || !isObject(right) || Object.keys(left).length !== Object.keys(right).length) return false
  return Object.entries(left).every(([key, value]) => Object.hasOwn(right, key) && sameJson(value, right[key]))
}

/** The JSON value of a text, or undefined if it is not JSON. */
export function parseJson(text: string): Json | undefined {
  try {
    const value: Json = JSON.parse(text)
    return value
  } catch {
    return undefined
  }
}

/** A value in the form of files and `-o json`: indented, with a line end. */
export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

/** Values as JSON lines: each on one line, with a line end. */
export const jsonLines = (values: readonly unknown[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('')

/** Whether the test is true of any text or number inside a value. */
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
