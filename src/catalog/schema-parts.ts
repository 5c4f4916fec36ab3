import type { JsonObject } from '../json/json.js'
import { apiVersion } from './metadata-keys.js'

/** What the schemas of all kinds of documents have in common. */

export const nonEmptyText: JsonObject = { type: 'string', minLength: 1 }

const longestName = 200

/** In words: what a name of ours is. */
export const nameWords = `a name of at most ${longestName} characters that are all visible`

/** Control characters, marks of direction, separators of lines, halves of characters. */
const notVisible = '\\u0000-\\u001f\\u007f-\\u009f\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ufeff\\ud800-\\udfff'

/** A name of something of ours: it stands in messages, in databases and, digested, in names of files. */
export const nameText: JsonObject = {
  ...nonEmptyText,
  pattern: `^[^${notVisible}]{0,${longestName}}$`,
  title: nameWords,
}

/** What is wrong with a text as such a name, in words that show nothing of it; undefined if nothing is. */
export function nameFault(text: string): string | undefined {
  const { length } = [...text]
  if (length === 0) return 'an empty one'
  if (length > longestName) return `one of ${length} characters`
  const code = new RegExp(`[${notVisible}]`, 'u').exec(text)?.[0].codePointAt(0)
  if (code === undefined) return undefined
  return code === 10 || code === 13
    ? 'one with a line break'
    : `one with the character U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}

/** Larger ones would be read as other numbers. */
export const integer: JsonObject = {
  type: 'integer',
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
}

/** One, or a list of such. */
export const oneOrMore = (schema: JsonObject) => ({ anyOf: [schema, { type: 'array', items: schema }] })

export const texts = oneOrMore(nonEmptyText)

export const labels: JsonObject = { type: 'object', additionalProperties: { type: 'string' } }

/** An object with no other keys than these, and at least the required ones. */
export const closed = <Properties extends JsonObject>(properties: Properties, required: readonly string[] = []) => ({
  ...({ type: 'object', properties, additionalProperties: false } as const),
  ...(required.length > 0 && { required: [...required] }),
})

/** A whole document of that kind; `parts`: what its keys beside `apiVersion` and `kind` take. */
export const documentOf = (kind: string, description: string, parts: JsonObject, required: readonly string[]) => ({
  ...{ title: kind, description, type: 'object', required: ['apiVersion', 'kind', ...required] },
  additionalProperties: false,
  properties: { apiVersion: { const: apiVersion }, kind: { const: kind }, ...parts },
})
