import type { JsonObject } from '../json/json.js'
import { catalog } from './catalog.js'
import { areaSchema, fleetSchema } from './fleet-schema.js'
import { type FieldSchemas, fieldSchema, nullable, parentSchema, placeholderOr } from './json-schema-fields.js'
import { apiVersion, isNamedOpenly, type MetadataForm, metadataKeys } from './metadata-keys.js'
import { generated, openApiKind } from './openapi.js'
import { openApiSpecSchema } from './openapi-schema.js'
import { policyKind, policySchema } from './policy-schema.js'
import { environmentDocumentSchema, projectSchema } from './project-schema.js'
import { ancestors, childFields, elementOf, hasSecretName, isWritable, kindNames, metadataWord } from './queries.js'
import { documentOf, integer, labels, nonEmptyText, oneOrMore, texts } from './schema-parts.js'
import { shapes } from './shapes.js'
import type { Field, Kind, KindName, ShapeName } from './types.js'

/** JSON Schemas (draft 2020-12) of manifests, derived from the catalogue, for editors and for `gatewright schema`. */

const draft = 'https://json-schema.org/draft/2020-12/schema'

/** All kinds of documents, including those that are not objects of the catalogue. */
export type DocumentKind = KindName | 'OpenAPI' | 'Policy' | 'Removed' | 'Project' | 'Environment' | 'Fleet' | 'Area'

/** All kinds of documents that users write. */
export const documentKinds: readonly DocumentKind[] = [
  ...kindNames,
  openApiKind,
  policyKind,
  'Removed',
  'Project',
  'Environment',
  'Fleet',
  'Area',
]

/** The complete schema of a document of that kind. */
export function schemaOf(kind: DocumentKind): JsonObject {
  const header = { $schema: draft, $id: schemaFile(kind) }
  switch (kind) {
    case 'Project':
      return { ...header, ...projectSchema('allowed') }
    case 'Environment':
      return { ...header, ...environmentDocumentSchema() }
    case openApiKind:
      return { ...header, ...openApiSchema() }
    case 'Fleet':
      return { ...header, ...fleetSchema('whole') }
    case 'Area':
      return { ...header, ...areaSchema() }
    case policyKind:
      return { ...header, ...policySchema() }
    case 'Removed':
      return { ...header, ...removedSchema() }
    default:
      return { ...header, ...documentSchema(catalog[kind]), $defs: definitions(catalog[kind]) }
  }
}

/** The file name of a kind's schema: `package-key.schema.json`. */
export const schemaFile = (kind: DocumentKind): string =>
  `${kind.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase()}.schema.json`

/** All schemas by file name; `gatewright.schema.json` is for documents of any kind. */
export function allSchemas(): Readonly<Record<string, JsonObject>> {
  const names = documentKinds
  const any = {
    $schema: draft,
    $id: 'gatewright.schema.json',
    title: 'A manifest of gatewright',
    type: 'object',
    required: ['apiVersion', 'kind'],
    properties: { apiVersion: { const: apiVersion }, kind: { enum: names } },
    // This does not use `oneOf`: for an unknown kind, editors would report errors of another kind. It also does not use `const`:
    // editors complete from every `const` that begins with the written text, such as PlanService for Plan.
    allOf: names.map((name) => ({
      if: { required: ['kind'], properties: { kind: { type: 'string', pattern: `^${name}$` } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { $ref: schemaFile(name) },
    })),
  }
  return Object.fromEntries([
    ...names.map((name): [string, JsonObject] => [schemaFile(name), schemaOf(name)]),
    ['gatewright.schema.json', any],
  ])
}

function documentSchema(kind: Kind): JsonObject {
  const spec = fieldSchemas(kind)
  const parts = {
    metadata: metadataSchema(kind, 'document'),
    spec: { type: ['object', 'null'], properties: spec.checked },
  }
  return {
    ...documentOf(kind.name, kind.about, parts, ['metadata']),
    if: allowsExtraFields,
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: { spec: { properties: spec.open } } },
    else: { properties: { spec: { properties: spec.closed, additionalProperties: others(kind) } } },
    ...(hasSecretName(kind) ? { anyOf: identifiedDocument(kind) } : {}),
  }
}

/** What an object may contain in addition to its fields: texts if they are attributes of it, otherwise nothing. */
const others = (kind: Kind): JsonObject | false =>
  kind.extendedAttributes ? { type: ['string', 'null'], description: 'An extended attribute.' } : false

const allowsExtraFields: JsonObject = {
  required: ['metadata'],
  properties: { metadata: { required: ['extraFields'], properties: { extraFields: { const: true } } } },
}

/** An object whose name is secret is identified by its name, by its immutable references, or by its id. */
function identifiedDocument(kind: Kind): readonly JsonObject[] {
  const inSpec = identifyingFields(kind).map((name) => ({
    required: ['spec'],
    properties: { spec: { type: 'object', required: [name] } },
  }))
  return [...inSpec, { required: ['metadata'], properties: { metadata: { required: ['id'] } } }]
}

const identifyingFields = ({ naming, namedBy }: Kind): readonly string[] =>
  [naming, namedBy].filter((name) => name !== undefined)

/** An inline child: its fields, and the reserved key `metadata`. */
function childSchema(kind: Kind): JsonObject {
  const fields = fieldSchemas(kind)
  const metadata = metadataSchema(kind, 'inline')
  return {
    title: kind.name,
    description: kind.about,
    type: 'object',
    ...(isNamedOpenly(kind) && kind.naming !== undefined ? { required: [kind.naming] } : {}),
    properties: { metadata, ...fields.checked },
    if: allowsExtraFields,
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: fields.open },
    else: { properties: { metadata: true, ...fields.closed }, additionalProperties: others(kind) },
    ...(hasSecretName(kind) ? { anyOf: identifiedChild(kind) } : {}),
  }
}

const identifiedChild = (kind: Kind): readonly JsonObject[] => [
  ...identifyingFields(kind).map((name) => ({ required: [name] })),
  { required: ['metadata'], properties: { metadata: { required: ['id'] } } },
]

/**
 * The fields of a kind in three parts: those that are always checked, those that are only partly checked if unknown fields are
 * permitted, and the complete list if they are not.
 */
function fieldSchemas(kind: Kind): FieldSchemas {
  const fields = Object.values(kind.fields).filter((field) => isWritable(field) || isLinkId(kind, field))
  const isOpen = ({ type }: Field) => ['shape', 'child'].includes(elementOf(type).is)
  const properties = (list: readonly Field[], schema: (field: Field) => JsonObject | true) =>
    Object.fromEntries(list.map((field) => [field.name, schema(field)]))
  return {
    checked: properties(
      fields.filter((field) => !isOpen(field)),
      (field) => fieldSchema(kind, field),
    ),
    // If unknown fields are permitted, they are also permitted in all nested objects, and the schema of a child elsewhere does
    // not say that.
    open: properties(fields.filter(isOpen), ({ type }) => ({
      type: [type.is === 'list' ? 'array' : 'object', 'string', 'null'],
    })),
    closed: {
      ...(kind.extendedAttributes ? noAttributes(kind) : {}),
      ...properties(fields, (field) => (isOpen(field) ? fieldSchema(kind, field) : true)),
    },
  }
}

/** Names that attributes cannot have: fields that the platform sets, and the keys of `metadata`. */
const noAttributes = (kind: Kind): JsonObject =>
  Object.fromEntries([...Object.keys(kind.fields), ...metadataKeys(kind, 'inline').known].map((name) => [name, false]))

/** A link is a reference, so its `id` can select one of several objects. */
const isLinkId = (kind: Kind, field: Field): boolean => kind.association !== undefined && field.name === 'id'

/** The contents of `$defs`: all kinds of nested children, and all their value objects. */
function definitions(kind: Kind): JsonObject {
  const inline = kindsBelow(kind)
  const used = [kind, ...inline].flatMap((each) => Object.values(each.fields)).flatMap(({ type }) => shapesOf(type))
  return Object.fromEntries([
    ...inline.map((each): [string, JsonObject] => [each.name, childSchema(each)]),
    ...[...new Set(used)].sort().map((name): [string, JsonObject] => [name, shapeSchema(name)]),
  ])
}

const kindsBelow = (kind: Kind): readonly Kind[] =>
  childFields(kind).flatMap((child) => [child.kind, ...kindsBelow(child.kind)])

function shapesOf(type: Field['type']): readonly ShapeName[] {
  const element = elementOf(type)
  if (element.is !== 'shape') return []
  // A value object can contain itself: suborganizations of an organization.
  const members = Object.values(shapes[element.shape]).flatMap((part) => {
    const inner = elementOf(part.type)
    return inner.is === 'shape' && inner.shape === element.shape ? [] : shapesOf(part.type)
  })
  return [element.shape, ...members]
}

function shapeSchema(name: ShapeName): JsonObject {
  const properties = Object.entries(shapes[name]).flatMap(([member, { type, note, mashery }]) =>
    [member, mashery ?? []]
      .flat()
      .map((spelling): [string, JsonObject] => [
        spelling,
        nullable(fieldSchema(undefined, { name: member, type, note })),
      ]),
  )
  return { title: name, type: 'object', properties: Object.fromEntries(properties), additionalProperties: false }
}

const pointer: JsonObject = { type: 'string', pattern: '^(/|\\$\\{)' }
const pointers = oneOrMore(pointer)

const environments: JsonObject = {
  ...texts,
  description: 'Only in these environments (an empty list: in all); "!prod" means all but that one.',
}

const metadataWords: Readonly<Record<string, JsonObject>> = {
  name: { ...nonEmptyText, description: 'The name of the object in its area or parent, by which it is identified.' },
  labels: { ...labels, description: 'For selection only; never sent.' },
  id: { ...nonEmptyText, description: 'The id of the live object, if its name is ambiguous.' },
  formerly: {
    ...texts,
    description: 'Earlier names: the object is renamed, not deleted and created.',
  },
  protect: {
    ...placeholderOr({ type: 'boolean' }),
    description: 'Whether plan refuses to delete or replace the object.',
  },
  ignore: { ...pointers, description: 'JSON Pointers of fields that are left alone after creation.' },
  sensitive: { ...pointers, description: 'JSON Pointers of fields that are masked like secret ones.' },
  extraFields: {
    ...placeholderOr({ type: 'boolean' }),
    description: 'Whether unknown fields are sent, with a warning; also in children, unless they set false.',
  },
  environments,
  defaults: {
    type: 'object',
    propertyNames: { enum: [...kindNames] },
    additionalProperties: { type: ['object', 'null'] },
    description: 'Fields by kind, for objects inside this one that do not write them.',
  },
  without: { ...pointers, description: 'JSON Pointers of fields that take no defaults.' },
}

/** The purpose of each key of `metadata`, without those that name ancestors. */
export const metadataAbout: readonly (readonly [key: string, about: string])[] = Object.entries(metadataWords).map(
  ([key, { description }]) => [key, typeof description === 'string' ? description : ''],
)

function metadataSchema(kind: Kind, form: MetadataForm | 'generator'): JsonObject {
  const { known, required } = metadataKeys(kind, form)
  const words = new Map<string, JsonObject>(
    ancestors(kind).map((ancestor) => [
      metadataWord(ancestor),
      { ...parentSchema, description: `The ${ancestor.name} that it lives in.` },
    ]),
  )
  if (kind.within) words.set(kind.within.metadata, { anyOf: [nonEmptyText, integer] })
  return {
    // In an inline child, `metadata` may be empty.
    type: 'object',
    ...(required.length > 0 ? { required: [...required] } : {}),
    properties: Object.fromEntries(known.map((key) => [key, words.get(key) ?? metadataWords[key] ?? true])),
    additionalProperties: false,
  }
}

const openApiSchema = (): JsonObject =>
  documentOf(
    openApiKind,
    `Gives a ${generated.kind.parent?.kind ?? ''} an ${generated.kind.name} for each path or operation of an OpenAPI file, which is read in every run.`,
    { metadata: metadataSchema(generated.kind, 'generator'), spec: openApiSpecSchema() },
    ['metadata', 'spec'],
  )

const removedSchema = (): JsonObject =>
  documentOf(
    'Removed',
    'Deletes the object at this address, and everything in it.',
    {
      metadata: {
        type: 'object',
        required: ['address'],
        additionalProperties: false,
        properties: {
          address: { type: 'string', pattern: '/', description: 'Such as Service/Orders API/Endpoint/orders.' },
          environments,
        },
      },
    },
    ['metadata'],
  )
