import type { JsonObject } from '../json/json.js'
import { apiVersion } from './metadata-keys.js'

/** Parts of the schemas of all kinds of documents. */

export const nonEmptyText: JsonObject = { type: 'string', minLength: 1 }

const longestName = 200

/** A description of valid names, for messages. */
export const nameWords = `a name of at most ${longestName} characters that are all visible`

/** Control characters, directional marks, line separators, surrogates. */
const notVisible = '\\u0000-\\u001f\\u007f-\\u009f\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ufeff\\ud800-\\udfff'

/** The name of a project, an environment and the like. It is used in messages, in databases, and as a digest in file names. */
export const nameText: JsonObject = {
  ...nonEmptyText,
  pattern: `^[^${notVisible}]{0,${longestName}}$`,
  title: nameWords,
}

/** Why a text is no valid name, without showing the text; undefined if it is valid. */
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

/** Larger integers would lose precision. */
export const integer: JsonObject = {
  type: 'integer',
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
}

/** One value, or a list of values. */
export const oneOrMore = (schema: JsonObject) => ({ anyOf: [schema, { type: 'array', items: schema }] })

export const texts = oneOrMore(nonEmptyText)

export const labels: JsonObject = { type: 'object', additionalProperties: { type: 'string' } }

/** An object with only these keys, of which some are required. */
export const closed = <Properties extends JsonObject>(properties: Properties, required: readonly string[] = []) => ({
  ...({ type: 'object', properties, additionalProperties: false } as const),
  ...(required.length > 0 && { required: [...required] }),
})

/** A whole document of that kind. `parts`: the schemas of its keys in addition to `apiVersion` and `kind`. */
export const documentOf = (kind: string, description: string, parts: JsonObject, required: readonly string[]) => ({
  ...{ title: kind, description, type: 'object', required: ['apiVersion', 'kind', ...required] },
  additionalProperties: false,
  properties: { apiVersion: { const: apiVersion }, kind: { const: kind }, ...parts },
})
