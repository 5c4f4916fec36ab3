import type { JsonObject } from '../json/json.js'

/** What the schemas of all kinds of documents have in common. */

export const nonEmptyText: JsonObject = { type: 'string', minLength: 1 }

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
