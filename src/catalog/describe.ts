import type { Json } from '../json/json.js'
import { exampleValue } from './examples.js'
import { elementOf, referredKind } from './queries.js'
import { mapValues } from './record.js'
import { nestedReferenceForm, type ReferenceForm, referenceForm } from './reference-form.js'
import { shapes } from './shapes.js'
import type { DefaultValue, Field, FieldOrigin, FieldType, Kind, Operation, ShapeName } from './types.js'

/** A field of the catalogue as plain JSON, for people and programs. */
export interface FieldDescription {
  /** The type as the document prints it. */
  readonly type: string
  readonly create: string
  readonly update: string
  readonly fetch: string
  readonly note?: string
  readonly enum?: readonly (string | number)[]
  readonly origin: FieldOrigin
  readonly default?: DefaultValue
  readonly secret?: true
  readonly immutable?: true
  readonly writeOnly?: true
  /** Why manifests may not contain it. */
  readonly readOnly?: string
  /** The members of a value object, from the field notes. */
  readonly members?: Readonly<Record<string, MemberDescription>>
  /** An example for manifests; absent if manifests may not contain the field. */
  readonly example?: Json
}

export interface MemberDescription {
  readonly type: string
  readonly note?: string
  readonly enum?: readonly (string | number)[]
  readonly default?: Json
}

export interface OperationDescription {
  readonly method: string
  readonly path: string
  readonly documented: boolean
  /** Given if the document does not have the operation. */
  readonly origin?: 'notes'
  readonly caveat?: string
}

export interface KindDescription {
  readonly about: string
  /** The field of the parent that contains objects of this kind; absent at the root. */
  readonly parent?: { readonly kind: string; readonly field: string; readonly single: boolean }
  /** The naming field; null for a single child. */
  readonly identity: string | null
  readonly association?: string
  readonly fields: Readonly<Record<string, FieldDescription>>
  readonly operations: Readonly<Record<string, OperationDescription>>
  /** Operations that are impossible, with the reasons. */
  readonly blocked?: Readonly<Record<string, string>>
}

export function describeKind(kind: Kind): KindDescription {
  const { parent, association, blocked } = kind
  return {
    about: kind.about,
    ...(parent && { parent: { kind: parent.kind, field: parent.field, single: parent.single ?? false } }),
    identity: kind.naming ?? null,
    ...(association && { association }),
    fields: mapValues(kind.fields, (_, field) => describeField(kind, field)),
    operations: mapValues(kind.operations, (_, operation) => describeOperation(operation)),
    ...(Object.keys(blocked).length > 0 && { blocked }),
  }
}

export function describeField(kind: Kind, field: Field): FieldDescription {
  const example = exampleValue(kind, field)
  const words = enumOf(field.type)
  const members = describedMembers(field.type)
  const referred = referredKind(field)
  const notes = [field.note, ...(referred ? picksOne(referenceForm(kind, referred)) : [])].filter((note) => note !== '')
  return {
    type: field.printedType ?? typeText(field.type),
    create: field.create,
    update: field.update,
    fetch: field.fetch,
    ...(notes.length > 0 && { note: notes.join('; ') }),
    ...(words && { enum: words }),
    origin: field.origin,
    ...(field.default !== undefined && { default: field.default }),
    ...(field.secret && { secret: true }),
    ...(field.immutable && { immutable: true }),
    ...(field.writeOnly && { writeOnly: true }),
    ...(field.readOnly !== undefined && { readOnly: field.readOnly }),
    ...(members && { members }),
    ...(example !== undefined && { example }),
  }
}

/** The nested fields in which a reference selects one object: the filter that a plan uses for a method. */
const picksOne = ({ nested }: ReferenceForm): readonly string[] =>
  nested.flatMap(({ field, kind, picks }) =>
    picks === 'one' && kind.parent
      ? [`of each ${kind.parent.kind}, ${field}: the name of one of its ${kind.parent.field}, null for none`]
      : picksOne(nestedReferenceForm(kind)),
  )

/** A type as the document's tables print it: "array of Endpoint", "integer enum", "object Cors". */
function typeText(type: FieldType): string {
  switch (type.is) {
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
    case 'datetime':
      return type.is
    case 'identifier':
      return 'string or integer'
    case 'enum':
      return type.base === 'integer' ? 'integer enum' : 'enum'
    case 'map':
      return 'object'
    case 'domain':
      return 'object Domain'
    case 'shape':
      return `object ${type.shape}`
    case 'child':
    case 'reference':
      return `object ${type.kind}`
    case 'list':
      return `array of ${typeText(type.of).replace(/^object (?=.)/, '')}`
  }
}

function describeOperation(operation: Operation): OperationDescription {
  const { method, path, documented, origin, caveat } = operation
  return { method, path, documented, ...(origin === 'notes' && { origin }), ...(caveat !== undefined && { caveat }) }
}

function enumOf(type: FieldType): readonly (string | number)[] | undefined {
  const element = elementOf(type)
  return element.is === 'enum' ? element.values : undefined
}

function describedMembers(type: FieldType): Readonly<Record<string, MemberDescription>> | undefined {
  const element = elementOf(type)
  return element.is === 'shape' ? Object.fromEntries(membersIn(element.shape, '')) : undefined
}

/** The members of a value object. Members of nested value objects have dotted paths. */
function membersIn(name: ShapeName, prefix: string): readonly [string, MemberDescription][] {
  return Object.entries(shapes[name]).flatMap(([member, { type, note, default: fallback }]) => {
    const words = enumOf(type)
    const described: MemberDescription = {
      type: typeText(type),
      ...(note !== '' && { note }),
      ...(words && { enum: words }),
      ...(fallback !== undefined && { default: fallback }),
    }
    const inner = type.is === 'shape' ? membersIn(type.shape, `${prefix}${member}.`) : []
    return [[`${prefix}${member}`, described], ...inner]
  })
}
