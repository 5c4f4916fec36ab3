import type { JsonObject } from '../json/json.js'

/** What the schemas of all kinds of documents have in common. */

export const nonEmptyText: JsonObject = { type: 'string', minLength: 1 }

/** One, or a list of such. */
export const oneOrMore = (schema: JsonObject) => ({ anyOf: [schema, { type: 'array', items: schema }] })

export const texts = oneOrMore(nonEmptyText)

export const labels: JsonObject = { type: 'object', additionalProperties: { type: 'string' } }

/** An object with no other keys than these, and at least the required ones. */
export const closed = <Properties extends JsonObject>(properties: Properties, required: readonly string[] = []) => ({
  ...({ type: 'object', properties, additionalProperties: false } as const),
  ...(required.length > 0 && { required: [...required] }),
})
