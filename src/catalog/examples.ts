import type { Json, JsonObject } from '../json/json.js'
import { catalog } from './catalog.js'
import {
  ancestors,
  childField,
  elementOf,
  givenByParent,
  hasSecretName,
  isWritable,
  metadataWord,
  ownFields,
  referredKind,
  targetOf,
} from './queries.js'
import { nestedReferenceForm, type ReferenceForm, referenceForm } from './reference-form.js'
import type { Field, FieldType, Kind, KindName } from './types.js'

/** Examples for `explain` and the reference pages. They look like real manifests and are valid. */

/** The name of an object in examples; '' for a single child. */
const exampleName = ({ naming, examples }: Kind): Json => (naming === undefined ? '' : (examples[naming] ?? 'name'))

/** An example value of a field; undefined if manifests may not contain the field. */
export function exampleValue(kind: Kind, field: Field): Json | undefined {
  if (!isWritable(field)) return undefined
  if (field.secret) return `\${env:${constantCase(`${kind.name}-${field.name}`)}}`
  return kind.examples[field.name] ?? (field.name === kind.naming ? exampleName(kind) : valueOfType(kind, field))
}

function valueOfType(kind: Kind, field: Field): Json {
  const referred = referredKind(field)
  if (referred !== undefined) return listed(field.type, exampleReference(kind, referred))
  const child = childField(kind, field.name)
  if (child) return listed(field.type, exampleChild(child.kind))
  return listed(field.type, plainValue(elementOf(field.type)))
}

const listed = (type: FieldType, value: Json): Json => (type.is === 'list' ? [value] : value)

function plainValue(type: FieldType): Json {
  switch (type.is) {
    case 'boolean':
      return true
    case 'integer':
    case 'number':
      return 1
    case 'enum':
      return type.values[0] ?? ''
    case 'domain':
      return 'api.example.com'
    default:
      return 'text'
  }
}

/** An owned child with its required fields. */
function exampleChild(kind: Kind): JsonObject {
  const needed = ownFields(kind).filter((field) => isWritable(field) && isNeeded(kind, field))
  const some = needed.length > 0 ? needed : ownFields(kind).filter(isWritable).slice(0, 1)
  return Object.fromEntries(some.map((field) => [field.name, exampleValue(kind, field) ?? null]))
}

const isNeeded = (kind: Kind, field: Field): boolean =>
  field.name !== givenByParent(kind) && (field.create === 'Req' || field.update === 'Req' || field.name === kind.naming)

function exampleReference(holder: Kind, referred: KindName): Json {
  const form = referenceForm(holder, referred)
  return namedExample(
    catalog[referred],
    form,
    form.parents.map((word) => [word, nameByWord(word)]),
  )
}

function namedExample(kind: Kind, form: ReferenceForm, parents: readonly (readonly [string, Json])[]): Json {
  const name = exampleName(targetOf(kind))
  const members = form.members.map((field): [string, Json] => [field.name, exampleValue(kind, field) ?? null])
  const nested = form.nested.filter(isOfDocument).map(({ field, kind: inner, picks }): [string, Json] => {
    const one = namedExample(inner, nestedReferenceForm(inner), [])
    return [field, picks === 'any' ? [one] : one]
  })
  if (parents.length + members.length + nested.length === 0) return name
  return Object.fromEntries([...parents, ['name', name], ...members, ...nested])
}

/** Kinds that only recorded platforms have are shown only on their own pages. */
const isOfDocument = ({ kind }: { readonly kind: Kind }): boolean => kind.origin === 'document'

const nameByWord = (word: string): Json =>
  Object.values(catalog).flatMap((kind) => (metadataWord(kind) === word ? exampleName(kind) : []))[0] ?? 'name'

/** The number of fields in an example, in addition to the required ones. */
const optionalFields = 4

/** A manifest of one object. */
export function exampleManifest(kind: Kind): JsonObject {
  const writable = ownFields(kind).filter(
    (field) =>
      isWritable(field) && field.name !== givenByParent(kind) && (field.name !== kind.naming || hasSecretName(kind)),
  )
  const needed = writable.filter((field) => isNeeded(kind, field) || isRoute(kind, field))
  const others = writable
    .filter((field) => !needed.includes(field) && isInformative(kind, field))
    .slice(0, optionalFields)
  const displayed = writable.filter((field) => needed.includes(field) || others.includes(field))
  return {
    apiVersion: 'gatewright/v1',
    kind: kind.name,
    metadata: {
      ...Object.fromEntries(ancestors(kind).map((each) => [metadataWord(each), exampleName(each)])),
      ...(kind.within && { [kind.within.metadata]: '7' }),
      ...(kind.naming === undefined || hasSecretName(kind) ? {} : { name: exampleName(kind) }),
    },
    spec: Object.fromEntries(displayed.map((field) => [field.name, exampleValue(kind, field) ?? null])),
  }
}

const isRoute = (kind: Kind, field: Field): boolean =>
  kind.route !== undefined && Object.values(kind.route).includes(field.name)

/** A field whose example shows more than its type, such as a list of references. */
const isInformative = (kind: Kind, field: Field): boolean =>
  !field.secret &&
  field.type.is !== 'shape' &&
  (kind.examples[field.name] !== undefined || (referredKind(field) !== undefined && field.type.is === 'list'))

/** `PackageKey-secret` as the name of a variable: PACKAGE_KEY_SECRET. */
const constantCase = (text: string): string =>
  text
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_')
    .replaceAll('-', '_')
    .toUpperCase()
