import { isList, isObject, type JsonObject } from '../json/json.js'
import { isNamedOpenly } from './metadata-keys.js'
import { childField } from './queries.js'
import { nestedReferenceForm, type ReferenceForm, referenceForm } from './reference-form.js'
import { integer, nonEmptyText } from './schema-parts.js'
import type { Field, FieldType, Kind } from './types.js'
import { wordsInAny } from './vocabulary.js'

/** The JSON Schemas of fields, including shorthand and placeholders. */

export interface FieldSchemas {
  readonly checked: JsonObject
  readonly open: JsonObject
  readonly closed: JsonObject
}

const text: JsonObject = { type: 'string' }
const placeholder: JsonObject = { type: 'string', pattern: '^\\$\\{(env|file|value|sops|age):' }
const datetime: JsonObject = {
  type: 'string',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[+-]\\d{2}:?\\d{2})$',
}

/** A value that is neither a text nor an object can come from a placeholder. */
export const placeholderOr = (schema: JsonObject): JsonObject => ({ anyOf: [schema, placeholder] })

/** The same schema, or null, which clears the field. */
export function nullable(schema: JsonObject): JsonObject {
  const { anyOf, description, ...rest } = schema
  const choices = Array.isArray(anyOf) ? anyOf : [rest]
  return { anyOf: [...choices, { type: 'null' }], ...(description === undefined ? {} : { description }) }
}

/** The values that a field accepts in a manifest. Members of value objects have no kind. */
export function fieldSchema(
  kind: Kind | undefined,
  field: Pick<Field, 'name' | 'type' | 'note'> & Partial<Field>,
): JsonObject {
  const child = kind && childField(kind, field.name)
  if (kind && child) return described(childrenSchema(kind, field.name, child), field)
  if (kind && (field.name === kind.naming || field.name === 'id')) return described(nonEmptyText, field)
  const schema = typeSchema(kind, field.type)
  const isRequired = field.create === 'Req' || field.update === 'Req'
  return described(kind === undefined || isRequired ? schema : nullable(schema), field)
}

function described(schema: JsonObject, field: Pick<Field, 'note'> & Partial<Field>): JsonObject {
  const parts = [
    field.note ?? '',
    field.create === 'Req' ? 'required to create' : '',
    field.immutable ? 'cannot change once the object exists' : '',
  ].filter((part) => part !== '')
  return parts.length === 0 ? schema : { ...schema, description: `${parts.join('; ')}.` }
}

function childrenSchema(
  kind: Kind,
  name: string,
  child: { readonly kind: Kind; readonly single: boolean },
): JsonObject {
  const object: JsonObject = { $ref: `#/$defs/${child.kind.name}` }
  if (child.single) return { anyOf: [object, { type: 'null' }] }
  const bare = isNamedOpenly(child.kind) ? [nonEmptyText] : []
  const list: JsonObject = { type: 'array', items: bare.length > 0 ? { anyOf: [...bare, object] } : object }
  if (kind.atLeastOne.includes(name)) return { anyOf: [{ ...list, minItems: 1 }, ...bare] }
  return { anyOf: [list, ...bare, { type: 'null' }] }
}

function typeSchema(kind: Kind | undefined, type: FieldType): JsonObject {
  switch (type.is) {
    case 'string':
      return text
    case 'integer':
      return placeholderOr(integer)
    case 'number':
      return placeholderOr({ type: 'number' })
    case 'identifier':
      return { anyOf: [nonEmptyText, integer] }
    case 'boolean':
      return { anyOf: [{ type: 'boolean' }, { enum: [0, 1] }, placeholder] }
    case 'datetime':
      return placeholderOr(datetime)
    case 'enum':
      return placeholderOr({ enum: spellings(type) })
    case 'map':
      return type.of === 'string' ? { type: 'object', additionalProperties: text } : { type: 'object' }
    case 'domain':
      return domain
    case 'shape':
      return { $ref: `#/$defs/${type.shape}` }
    case 'child':
      return { $ref: `#/$defs/${type.kind}` }
    case 'reference':
      return kind ? referenceSchema(referenceForm(kind, type.kind)) : text
    case 'list':
      return listSchema(kind, type.of)
  }
}

const domain: JsonObject = {
  anyOf: [
    text,
    {
      type: 'object',
      properties: { domain: text, address: text },
      minProperties: 1,
      maxProperties: 1,
      additionalProperties: false,
    },
  ],
}

/** OAuth grant types are also written with underscores (field notes), and some words in the vendor's vocabulary. */
function spellings(type: Extract<FieldType, { is: 'enum' }>): readonly (string | number)[] {
  const underscored = type.values.flatMap((value) =>
    typeof value === 'string' && value.includes('-') ? [value.replaceAll('-', '_')] : [],
  )
  return [...wordsInAny(type), ...underscored]
}

/** A list; a bare scalar is a list of one. */
function listSchema(kind: Kind | undefined, of: FieldType): JsonObject {
  if (kind && of.is === 'reference') return referencesSchema(referenceForm(kind, of.kind))
  const items = typeSchema(kind, of)
  const list = { type: 'array', items }
  if (of.is === 'shape') return list
  return { anyOf: [list, ...(of.is === 'domain' ? [text] : choicesOf(items))] }
}

const choicesOf = (schema: JsonObject): readonly JsonObject[] =>
  isList(schema.anyOf) ? schema.anyOf.filter(isObject) : [schema]

function referencesSchema(form: ReferenceForm): JsonObject {
  const bare = form.parents.length === 0 ? [nonEmptyText] : []
  return { anyOf: [{ type: 'array', items: referenceSchema(form) }, ...bare] }
}

function referenceSchema(form: ReferenceForm): JsonObject {
  const bare = form.parents.length === 0 ? [nonEmptyText] : []
  const properties = [
    ['name', nonEmptyText],
    ['id', nonEmptyText],
    ...form.parents.map((word) => [word, parentSchema]),
    ...form.members.map((field) => [field.name, nullable(typeSchema(undefined, field.type))]),
    ...form.nested.map(({ field, kind, picks }) => {
      const inner = nestedReferenceForm(kind)
      return [field, picks === 'any' ? referencesSchema(inner) : nullable(referenceSchema(inner))]
    }),
  ]
  const object: JsonObject = {
    type: 'object',
    required: ['name', ...form.parents],
    properties: Object.fromEntries(properties),
    additionalProperties: false,
  }
  return bare.length > 0 ? { anyOf: [...bare, object] } : object
}

export const parentSchema: JsonObject = {
  anyOf: [
    nonEmptyText,
    {
      type: 'object',
      required: ['name'],
      properties: { name: nonEmptyText, id: nonEmptyText },
      additionalProperties: false,
    },
  ],
}
