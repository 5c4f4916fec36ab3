import { isObject, type Json, type JsonObject, objectOf } from '../json/json.js'

/** One key of a document, from its JSON Schema. */
export interface OutlineRow {
  /** The key with all keys above it: `spec.environments.NAME.guard`. */
  readonly key: string
  /** A description of its values: `text`, `none or applied or all`. */
  readonly takes: string
  readonly about: string
  readonly schema: JsonObject
}

/**
 * The keys of a closed object, outermost first. `NAME` means any key; an object with arbitrary keys is one row. If two keys have
 * the same name and contents, the second one refers to the first.
 */
export function outlineOf(schema: JsonObject): readonly OutlineRow[] {
  const seen = new Map<string, string>()
  const below = (object: JsonObject, prefix: string): readonly OutlineRow[] =>
    schemaMembers(object).flatMap(([name, member]) => rowsOf(name, member, `${prefix}${name}`))
  const rowsOf = (name: string, member: JsonObject, key: string): readonly OutlineRow[] => {
    const inner = formsOf(member).filter((form) => schemaMembers(form).length > 0)
    const about = typeof member.description === 'string' ? member.description : ''
    const identity = `${name} ${JSON.stringify(inner)}`
    const first = seen.get(identity)
    if (inner.length > 0 && first !== undefined)
      return [{ key, takes: takesOf(member), about: `As ${first}.`, schema: member }]
    if (inner.length > 0) seen.set(identity, key)
    return [
      { key, takes: takesOf(member), about, schema: member },
      ...inner.flatMap((form) => below(form, `${key}${stepInto(form)}`)),
    ]
  }
  return below(schema, '')
}

const stepInto = (form: JsonObject): string => (isObject(form.items) ? '[].' : '.')

/** The schemas of the members of an object, or of the entries of a list. */
function schemaMembers(schema: JsonObject): readonly [string, JsonObject][] {
  if (isObject(schema.items)) return schemaMembers(schema.items)
  if (isObject(schema.additionalProperties)) return [['NAME', schema.additionalProperties]]
  if (schema.additionalProperties !== false || !isObject(schema.properties)) return []
  return Object.entries(schema.properties).map(([name, member]) => [name, objectOf(member)])
}

/** The alternatives of a schema, without those for placeholders. */
const formsOf = (schema: JsonObject): readonly JsonObject[] =>
  Array.isArray(schema.anyOf)
    ? schema.anyOf
        .filter(isObject)
        .filter((form) => !isPlaceholder(form))
        .flatMap(formsOf)
    : [schema]

const isPlaceholder = ({ pattern }: JsonObject): boolean => typeof pattern === 'string' && pattern.startsWith('\\$\\{')

const takesOf = (schema: JsonObject): string => [...new Set(formsOf(schema).flatMap(acceptedWords))].join(' or ')

function acceptedWords(form: JsonObject): readonly string[] {
  if (typeof form.const === 'string') return [form.const]
  if (Array.isArray(form.enum)) return form.enum.length > 8 ? ['one of several words'] : form.enum.map(String)
  if (form.type === 'array' && isObject(form.items)) return [`list of ${takesOf(form.items)}`]
  const types: readonly Json[] = Array.isArray(form.type) ? form.type : [form.type ?? null]
  return types.flatMap((type) => (typeof type === 'string' ? (typeNames[type] ?? []) : ['anything']))
}

const typeNames: Readonly<Record<string, readonly string[]>> = {
  string: ['text'],
  integer: ['whole number'],
  number: ['number'],
  boolean: ['true', 'false'],
  array: ['list'],
  object: ['mapping'],
  null: [],
}
