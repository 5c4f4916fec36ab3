import { catalog } from '../catalog/catalog.js'
import { childField, elementOf, linkMembers, pickedFields, targetOf } from '../catalog/queries.js'
import { recordOf } from '../catalog/record.js'
import type { Field, Kind, KindName } from '../catalog/types.js'
import type { Json, JsonObject } from '../json/json.js'
import { objectsIn } from '../json/json.js'
import { findById, type PlatformArea } from './area.js'
import { isLinkField } from './body.js'
import { formatDatetime, formatShort, wholeSeconds } from './dates.js'
import { childrenIn, type Entity } from './entity.js'
import { idsIn } from './indexes.js'
import { eventOf } from './maintenance.js'
import type { Paths } from './paths.js'
import { olderPlaces, unknownFields } from './recorded.js'
import { limitsOf } from './rules/package-key.js'
import { emptyValue, isNullWhenEmpty, pickDeep, type Spelling, spell } from './spelling.js'

/** How one answer shows objects. */
export interface Projection {
  readonly area: PlatformArea
  /** The area for lists and for the objects nested in an answer. It is older than `area` if lists lag. */
  readonly lists: PlatformArea
  readonly spelling: Spelling
  /** Recorded platforms answer writes with fewer fields and with milliseconds (field notes, Answers and Reading). */
  readonly occasion: 'read' | 'write'
}

/** The same projection, with the view of lists. */
export const ofLists = (reader: Projection): Projection =>
  reader.area === reader.lists ? reader : { ...reader, area: reader.lists }

/** The version of an object in lists; undefined if lists do not have it yet. */
export const listed = ({ area, lists }: Projection, entity: Entity): Entity | undefined =>
  area === lists ? entity : lists.store.entity(entity.uid)

/** The children of its target that a link includes: the references of its own list. */
type Included = readonly JsonObject[] | undefined

/** The only field with this name, as an answer shows it. */
export const projectedField = (reader: Projection, entity: Entity, name: string): Json | undefined =>
  project(reader, entity, { whole: false, inner: new Map([[name, all]]) })[name]

/** An object as an answer shows it: the fields that the paths name, or the default set. Unknown names are ignored. */
export function project(
  reader: Projection,
  entity: Entity,
  paths: Paths | undefined,
  included?: JsonObject,
): JsonObject {
  const kind = catalog[entity.kind]
  const isRecorded = reader.spelling.dialect === 'recorded'
  const displayed = recordOf(isRecorded ? beyondCatalog(reader, entity, paths) : [])
  for (const [name, value] of isRecorded && included ? pickedOf(reader, kind, paths, included) : [])
    displayed[name] = value
  for (const field of Object.values(kind.fields)) {
    const below = paths?.inner.get(field.name)
    const isNamed = below !== undefined
    const isDefault =
      ((paths === undefined || paths.whole) && isAnsweredByDefault(reader, kind, field, paths)) ||
      (paths?.every === true && isAnsweredByStar(kind, field))
    if (!isNamed && !isDefault) continue
    const value = fieldValue(reader, { entity, kind, field, paths: below, included })
    if (value !== undefined) displayed[field.name] = value
    else if (isNamed ? isOffered(reader, kind, field) : !isOmittedWhenEmpty(reader, entity.kind, field)) {
      displayed[field.name] = emptyValue(reader.spelling.dialect, entity.kind, field, entity.id)
    }
  }
  return displayed
}

/** The objects that a link selects from its target, at most one of each kind, if the paths name them. Null if it selects none. */
function pickedOf(
  reader: Projection,
  kind: Kind,
  paths: Paths | undefined,
  included: JsonObject,
): readonly (readonly [string, Json])[] {
  return pickedFields(kind).flatMap(({ field, kind: { name }, picks }) => {
    const below = paths?.inner.get(field)
    if (!below || picks === 'any') return []
    const [one] = entitiesOf(reader, name, objectsIn(included[field]))
    return [[field, one ? project(reader, one, below) : null] as const]
  })
}

/** `*` names an object's own values and single references, but not children and lists of references. */
function isAnsweredByStar(kind: Kind, field: Field): boolean {
  if (field.writeOnly || isLinkField(kind, field)) return false
  const element = elementOf(field.type)
  return element.is !== 'child' && (element.is !== 'reference' || field.type.is !== 'list')
}

/**
 * Values that a recorded platform shows although the kind has no such field. Unknown fields that it has stored are shown if the
 * paths name them, and for applications always, because clients read extended attributes in this way (A230). Fields at older
 * paths are shown if they are named.
 */
function beyondCatalog(
  reader: Projection,
  entity: Entity,
  paths: Paths | undefined,
): readonly (readonly [string, Json])[] {
  const kind = catalog[entity.kind]
  const always = paths?.every || (extended.has(entity.kind) && reader.occasion === 'read' && (paths?.whole ?? true))
  const target = kind.association && findById(reader.area, kind.association, entity.id)
  const kept = unknownFields(kind, { ...target?.fields, ...entity.fields }).flatMap(([name, value]) => {
    const below = paths?.inner.get(name)
    return always || below ? [[name, pickDeep(value, below)] as const] : []
  })
  const older = olderPlaces(kind).flatMap(({ field, outer, inner }) => {
    const below = paths?.inner.get(outer)
    const row = kind.fields[field]
    if (!below || !row) return []
    const value = fieldValue(reader, { entity, kind, field: row, paths: below.inner.get(inner), included: undefined })
    return [[outer, value === undefined ? null : { [inner]: value }] as const]
  })
  return [...kept, ...older]
}

/** The kinds with extended attributes as fields of their own. */
const extended: ReadonlySet<KindName> = new Set<KindName>(['Application'])

function isAnsweredByDefault(reader: Projection, kind: Kind, field: Field, paths: Paths | undefined): boolean {
  if (field.fetch !== 'Imp' || field.writeOnly) return false
  const isBrief = reader.spelling.dialect === 'recorded' && reader.occasion === 'write' && paths === undefined
  if (isBrief && kind.naming !== undefined && Object.hasOwn(kind.fields, 'created')) {
    return brief.has(field.name) || field.name === kind.naming
  }
  return true
}

/** The fields in the answer to a write without `fields` (field notes, Answers). */
const brief: ReadonlySet<string> = new Set(['id', 'created', 'updated'])

/**
 * Write-only fields are never returned. The document's dialect also does not return the roles of a service, and fields that only
 * recorded platforms have.
 */
function isOffered(reader: Projection, kind: Kind, field: Field): boolean {
  if (field.writeOnly) return false
  if (reader.spelling.dialect === 'recorded' || field.origin === 'document') return true
  return field.printedRules === undefined && !isLinkField(kind, field)
}

/**
 * Fields that are not in the document are shown only if they have a value. The same is true for all fields of recorded portal
 * objects.
 */
function isOmittedWhenEmpty(reader: Projection, kind: KindName, field: Field): boolean {
  return field.origin === 'notes' || (reader.spelling.dialect === 'recorded' && portalKinds.has(kind))
}

const portalKinds: ReadonlySet<KindName> = new Set<KindName>(['Member', 'Application'])

/** The kinds whose recorded dates have the short form (field notes, Reading). */
const shortlyDated: ReadonlySet<KindName> = new Set<KindName>(['Application'])

/** One field of an object, with the requested paths and what a link includes. */
interface RequestedField {
  readonly entity: Entity
  readonly kind: Kind
  readonly field: Field
  readonly paths: Paths | undefined
  readonly included: JsonObject | undefined
}

/** The value of one field; undefined if it has no value or the field is not offered. */
function fieldValue(reader: Projection, requested: RequestedField): Json | undefined {
  const { entity, kind, field, paths } = requested
  if (!isOffered(reader, kind, field)) return undefined
  const placed = placedValue(reader, entity, kind, field)
  if (placed !== undefined) return placed
  const element = elementOf(field.type)
  if (element.is === 'child' || isLinkField(kind, field)) {
    return childValue(reader, requested)
  }
  if (element.is === 'reference') return referenceValue(reader, element.kind, requested)
  const own = entityValue(reader, entity, field)
  return own === undefined ? undefined : spell(reader.spelling, field.type, own, paths)
}

function placedValue(reader: Projection, entity: Entity, kind: Kind, field: Field): Json | undefined {
  if (field.name === 'id' && kind.naming !== 'id') return entity.id
  if (field.name === 'created') return dateOf(reader, kind, entity.created, 'past')
  if (field.name === 'updated') return dateOf(reader, kind, entity.updated, 'latest')
  return undefined
}

function dateOf(
  { spelling, occasion }: Projection,
  kind: Kind,
  milliseconds: number,
  which: 'past' | 'latest',
): string {
  if (spelling.dialect === 'recorded' && shortlyDated.has(kind.name)) return formatShort(milliseconds)
  const isFresh = spelling.dialect === 'recorded' && occasion === 'write' && which === 'latest'
  return formatDatetime(isFresh ? milliseconds : wholeSeconds(milliseconds))
}

/** The own value of an object. A link without a value of its own shows the value of its target. */
function entityValue(reader: Projection, entity: Entity, field: Field): Json | undefined {
  const own = entity.fields[field.name] ?? computed[entity.kind]?.[field.name]?.(reader, entity)
  if (own !== undefined) return own
  const { association } = catalog[entity.kind]
  return association && findById(reader.area, association, entity.id)?.fields[field.name]
}

/** Values that are computed for each answer. */
const computed: Readonly<
  Partial<Record<KindName, Readonly<Record<string, (reader: Projection, entity: Entity) => Json | undefined>>>>
> = {
  PackageKey: { limits: ({ area }, entity) => limitsOf(area, entity) },
  Application: {
    status: ({ spelling }) => (spelling.dialect === 'recorded' ? 'draft' : undefined),
    isPackaged: (reader, entity) => (reader.spelling.dialect === 'recorded' ? hasKeys(reader, entity) : undefined),
  },
}

/** Whether an application has keys: the value of isPackaged. */
export const hasKeys = (reader: Projection, application: Entity): boolean =>
  childrenOf(reader, application, 'packageKeys').length > 0

function childValue(reader: Projection, { entity, kind, field, paths, included }: RequestedField): Json | undefined {
  const children = childrenOf(reader, entity, field.name)
  const single = childField(kind, field.name)?.single
  if (single) {
    const [only] = children
    return only && wholeOf(ofLists(reader), only, paths)
  }
  const kept: Included = included && (included[field.name] === undefined ? undefined : objectsIn(included[field.name]))
  const displayed = kept ? children.filter((child) => kept.some((each) => each.id === child.id)) : children
  if (displayed.length === 0 && isNullWhenEmpty(reader.spelling.dialect, entity.kind, field.name)) return undefined
  return reader.spelling.arrange(displayed).map((child) =>
    project(
      ofLists(reader),
      child,
      paths ?? all,
      kept?.find((each) => each.id === child.id),
    ),
  )
}

/** The children of an object. A link shows the children of its target. */
function childrenOf(reader: Projection, entity: Entity, slot: string): readonly Entity[] {
  const { association } = catalog[entity.kind]
  const displayed = association === undefined ? entity : findById(reader.area, association, entity.id)
  const held = displayed && listed(reader, displayed)
  return held ? childrenIn(held, slot) : []
}

/** A single child is shown completely if its name ends the path. */
function wholeOf(reader: Projection, entity: Entity, paths: Paths | undefined): JsonObject {
  return project(reader, entity, paths ?? all)
}

const all: Paths = { whole: true, inner: new Map() }

function referenceValue(
  reader: Projection,
  referred: KindName,
  { entity, field, paths }: RequestedField,
): Json | undefined {
  if (field.type.is === 'list') {
    const entries = objectsIn(entity.fields[field.name])
    const far = farSide[entity.kind]?.[field.name]
    const held = far && listed(reader, entity)
    const targets = far ? ((held && far(held)) ?? []) : entitiesOf(reader, targetOf(catalog[referred]).name, entries)
    return reader.spelling.arrange(targets).map((target) => {
      const entry = entries.find((each) => each.id === target.id)
      const displayed = project(reader, target, paths ?? all, catalog[entity.kind].association && entry)
      return { ...displayed, ...fieldsOfLink(catalog[referred], entry, paths ?? all) }
    })
  }
  const target = oneReferred(reader, entity, field, referred)
  return target && project(reader, target, paths && !paths.whole ? paths : nameOnly(referred, paths))
}

/** The members of a link that a reference shows in addition to the target: the action of a plan's role. */
function fieldsOfLink(link: Kind, entry: JsonObject | undefined, { whole, inner }: Paths): JsonObject {
  const members = linkMembers(link).filter(({ name }) => whole || inner.has(name))
  return Object.fromEntries(
    members.flatMap(({ name }): [string, Json][] => {
      const value = entry?.[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

function oneReferred(reader: Projection, entity: Entity, field: Field, referred: KindName): Entity | undefined {
  const [id] = idsIn(entity.fields[field.name])
  if (id !== undefined) return findById(reader.area, referred, id)
  // The list of the event holds this inverse reference, and the endpoint shows it.
  return referred === 'ScheduledMaintenanceEvent' ? eventOf(reader.area, entity) : undefined
}

function entitiesOf(reader: Projection, kind: KindName, entries: readonly JsonObject[]): readonly Entity[] {
  return entries.flatMap(({ id }) => (typeof id === 'string' ? (findById(reader.area, kind, id) ?? []) : []))
}

/** Inverse references that are computed: the keys of a member are those of its applications. */
const farSide: Readonly<Partial<Record<KindName, Readonly<Record<string, (entity: Entity) => readonly Entity[]>>>>> = {
  Member: {
    packageKeys: (member) =>
      childrenIn(member, 'applications').flatMap((application) => childrenIn(application, 'packageKeys')),
  },
}

/** By default, a reference shows its id and its name. */
function nameOnly(kind: KindName, paths: Paths | undefined): Paths {
  const inner = new Map(paths?.inner ?? [])
  for (const name of ['id', catalog[kind].naming ?? 'id']) inner.set(name, { whole: true, inner: new Map() })
  return { whole: false, inner }
}
