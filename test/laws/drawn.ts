import fc from 'fast-check'
import { catalog } from '../../src/catalog/catalog.js'
import {
  type ChildField,
  childFields,
  givenByParent,
  isExtra,
  isWritable,
  ownFields,
  referredKind,
} from '../../src/catalog/queries.js'
import { shapes } from '../../src/catalog/shapes.js'
import type { Field, FieldType, Kind, KindName, ShapeName } from '../../src/catalog/types.js'
import { parseDatetime } from '../../src/catalog/value.js'
import type { Json, JsonObject } from '../../src/json/json.js'

/**
 * Random objects from the catalogue: values of every field type, nested as kinds own each other; references are added later.
 */
export interface Drawn {
  readonly kind: Kind
  readonly name: string
  /** Its own values, without references. */
  readonly values: JsonObject
  readonly children: readonly { readonly child: ChildField; readonly objects: readonly Drawn[] }[]
  /** Random choices for later: the targets of references, the way of writing. */
  readonly picks: readonly number[]
}

/**
 * The fields that are drawn: all known ones, or only those of the document; or all known ones and, inside them, objects of
 * kinds that only recorded platforms have.
 */
export type Origin = 'known' | 'documented' | 'recorded'

const letters = [
  'a',
  'B',
  'z',
  '7',
  ' ',
  '/',
  '%',
  '"',
  "'",
  ',',
  ':',
  '#',
  '&',
  '~',
  '.',
  '${',
  'é',
  '漢',
  '🙂',
  '\\',
  '-',
]

/** Names with every sign that could be a problem for addresses, URLs, filters and YAML. */
export const nameText = fc
  .array(fc.constantFrom(...letters), { minLength: 1, maxLength: 8 })
  .map((parts) => parts.join(''))

const freeText = fc.oneof(
  { weight: 3, arbitrary: nameText },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', 'two\nlines\n', '  spaces  ', '2027-01-01', 'true', '0x1F', 'null', '- x'),
  },
)

const integer = fc.oneof(fc.integer({ min: 0, max: 100_000 }), fc.constantFrom(0, 1))

const datetime = fc
  .tuple(fc.integer({ min: 0, max: 9_000 }), fc.constantFrom('+0000', '-0530', '+02:00', 'Z'))
  .map(([hours, offset]) => `${new Date(Date.UTC(2027, 0, 1, hours)).toISOString().replace('Z', '')}${offset}`)

/** A value of that type; empty ones are included. */
export function anyOf(type: FieldType): fc.Arbitrary<Json> {
  switch (type.is) {
    case 'string':
      return freeText
    case 'integer':
      return integer
    // A platform of the document accepts no fraction.
    case 'number':
    case 'identifier':
      return integer
    case 'boolean':
      return fc.boolean()
    case 'datetime':
      return datetime
    case 'enum':
      return fc.constantFrom(...type.values)
    case 'map':
      return fc.dictionary(nameText, type.of === 'string' ? nameText : fc.oneof(nameText, integer), { maxKeys: 2 })
    case 'domain':
      return fc.constantFrom(...hosts)
    case 'shape':
      return shapeValue(type.shape)
    case 'list':
      return fc.uniqueArray(type.of.is === 'string' ? nameText : anyOf(type.of), { maxLength: 3 })
    case 'child':
    case 'reference':
      return fc.constant(null)
  }
}

/** Members of a value object, without those that contain such objects again, because they would never end. */
function shapeValue(name: ShapeName): fc.Arbitrary<JsonObject> {
  const members = Object.entries(shapes[name]).filter(([, { type }]) => !(type.is === 'list' && type.of.is === 'shape'))
  return recordOf(Object.fromEntries(members.map(([member, { type }]) => [member, anyOf(type)])), [])
}

const recordOf = (
  arbitraries: Readonly<Record<string, fc.Arbitrary<Json>>>,
  requiredKeys: readonly string[],
): fc.Arbitrary<JsonObject> =>
  fc
    .record({ ...arbitraries }, { requiredKeys: [...requiredKeys] })
    .map((record) =>
      Object.fromEntries(
        Object.entries(record).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
      ),
    )

/** Domains that every random area declares, and hosts in them. */
export const domains = ['example.com', 'backend.example']
const hosts = ['example.com', 'api.example.com', 'a.b.example.com', 'backend.example', 'x.backend.example']

/** An object of a kind with its children; names are unique among siblings. */
function objectOf(kind: Kind, origin: Origin): fc.Arbitrary<Drawn> {
  return fc.record({
    kind: fc.constant(kind),
    name: nameOf(kind),
    values: valuesOf(kind, origin),
    children: fc.tuple(...drawnChildren(kind, origin).map((child) => childrenOf(child, origin))),
    picks: fc.array(fc.nat(1000), { minLength: 6, maxLength: 6 }),
  })
}

/**
 * Children that are written in objects of this kind: the keys of a member are those of its applications. Only some of the makes
 * have those that the document does not have.
 */
const drawnChildren = (kind: Kind, origin: Origin): readonly ChildField[] =>
  childFields(kind).filter(
    (child) => child.kind.parent?.kind === kind.name && (origin === 'recorded' || !isExtra(child.kind)),
  )

const childrenOf = (child: ChildField, origin: Origin) =>
  objectsOf(child.kind, origin, child.single ? 1 : 2).map((objects) => ({ child, objects }))

/** Objects of a kind with different names. */
export const objectsOf = (kind: Kind, origin: Origin, most: number): fc.Arbitrary<Drawn[]> =>
  fc.uniqueArray(objectOf(kind, origin), { maxLength: most, selector: (each) => each.name })

const messageIds = ['ERR_403_DEVELOPER_OVER_QPS', 'ERR_403_NOT_AUTHORIZED', 'ERR_CUSTOM']

function nameOf(kind: Kind): fc.Arbitrary<string> {
  if (kind.fixedSet) return fc.constantFrom(...messageIds)
  const added = kind.parent && catalog[kind.parent.kind].addedByPlatform[kind.parent.field]
  return added ? fc.oneof(nameText, fc.constantFrom(...added)) : nameText
}

function valuesOf(kind: Kind, origin: Origin): fc.Arbitrary<JsonObject> {
  const fields = drawnFields(kind, origin)
  const always = fields.filter((field) => field.create === 'Req' || field.update === 'Req').map(({ name }) => name)
  const record = Object.fromEntries(fields.map((field) => [field.name, requiredOr(field)]))
  return recordOf(record, always).map((values) => inOrder(kind, values))
}

/** A period that ends before it starts would be a mistake in the manifests. */
function inOrder(kind: Kind, values: JsonObject): JsonObject {
  const ordered = { ...values }
  for (const [first, second] of kind.inOrder) {
    const [start, end] = [values[first], values[second]]
    if (start === undefined || end === undefined || moment(start) <= moment(end)) continue
    ordered[first] = end
    ordered[second] = start
  }
  return ordered
}

const moment = (value: Json): number => (typeof value === 'string' ? (parseDatetime(value) ?? 0) : 0)

const requiredOr = (field: Field): fc.Arbitrary<Json> => {
  // Members have a few keys of a plan; a lower limit would be a mistake in the manifests.
  if (field.name === 'maxNumKeysAllowed') return fc.constantFrom(0, 9, 100)
  if (field.range) return fc.integer({ min: field.range[0], max: field.range[1] })
  const isRequired = field.create === 'Req' || field.update === 'Req'
  return isRequired && field.type.is === 'string' ? nameText : anyOf(field.type)
}

/** The fields with random values: the name, the references and the route are filled in when the area is wired. */
export function drawnFields(kind: Kind, origin: Origin): readonly Field[] {
  const limits = Object.entries(kind.limited?.fields ?? {}).flatMap(([name, { exempt }]) => [name, exempt])
  return ownFields(kind).filter(
    (field) =>
      isWritable(field) &&
      field.name !== kind.naming &&
      field.name !== givenByParent(kind) &&
      field.name !== kind.route?.path &&
      !limits.includes(field.name) &&
      referredKind(field) === undefined &&
      kind.association === undefined &&
      (origin !== 'documented' || field.origin === 'document') &&
      (isExtra(kind) || hasTheRulesPrinted(field)),
  )
}

/** Whether a platform of the document accepts a field like recorded ones: the same laws apply to both. */
export const hasTheRulesPrinted = (field: Field): boolean => field.printedRules === undefined

export const rootKinds: readonly KindName[] = ['Role', 'Service', 'ScheduledMaintenanceEvent', 'Package', 'Member']
