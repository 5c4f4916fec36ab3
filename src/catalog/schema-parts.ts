import type { JsonObject } from '../json/json.js'

/** What the schemas of all kinds of documents have in common. */

export const nonEmptyText: JsonObject = { type: 'string', minLength: 1 }

const longestName = 200

/** In words: what a name of ours is. */
export const nameWords = `a name of at most ${longestName} characters that are all visible`

/**
 * A name of something of ours: it stands in messages, in databases and, digested, in names of files. No control characters, no
 * marks of direction, no separators of lines, no halves of characters.
 */
export const nameText: JsonObject = {
  ...nonEmptyText,
  pattern: `^[^\\u0000-\\u001f\\u007f-\\u009f\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ufeff\\ud800-\\udfff]{0,${longestName}}$`,
  title: nameWords,
}

/** Whether a text that is not empty is such a name. */
export const isNameText = (text: string): boolean => new RegExp(String(nameText.pattern), 'u').test(text)

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
