import { catalog } from '../catalog/catalog.js'
import { elementOf, inverseReferenceOf, linkMembers, targetOf } from '../catalog/queries.js'
import { recordOf } from '../catalog/record.js'
import type { Field, Kind, KindName } from '../catalog/types.js'
import type { Json, JsonObject } from '../json/json.js'
import { asList, isObject } from '../json/json.js'
import { accept } from './accept.js'
import { below, complain, findById, type Given, type Write } from './area.js'
import type { Entity } from './entity.js'
import { isDispensable, placed, unknownFields } from './recorded.js'
import type { Settings } from './settings.js'
import { storedName } from './stored-names.js'

/** How a body is read: by the create rules, by the update rules, or as a snapshot, in which every field is read. */
export type Mode = 'create' | 'update' | 'seed'

/**
 * The own values in a body by the C/U rules of its kind. Null means that a field is cleared; fields that were not given are
 * absent. Unknown fields are included if the platform keeps them.
 */
export function readOwnValues(
  write: Write,
  kind: Kind,
  { value: body, path }: Given<JsonObject>,
  mode: Mode,
): JsonObject {
  const { dialect } = write.area.settings
  const values = recordOf<Json>(dialect === 'recorded' ? unknownFields(kind, body) : [])
  for (const field of Object.values(kind.fields)) {
    if (!isTaken(write.area.settings, kind, field, mode)) continue
    const at = below(path, field.name)
    const given = givenValue(write, field, body, mode)
    if (isDemanded(write.area.settings, field, given, mode) && !isDispensable(dialect, kind, field)) {
      complain(write, at, `Property '${at}' is required.`)
    } else if (given !== undefined) {
      values[field.name] = readOwnValue(write, kind, field, { value: given, path: at })
    }
  }
  return values
}

/** The given value of a field. Recorded platforms treat "" as absent if the field cannot be empty (A233). */
function givenValue({ area }: Write, field: Field, body: JsonObject, mode: Mode): Json | undefined {
  const given = Object.hasOwn(body, field.name) ? body[field.name] : undefined
  if (given !== '' || area.settings.dialect === 'document') return given
  return mode === 'create' || (mode === 'update' && field.create === 'Req') ? undefined : given
}

/** The initial values of a new object, which the platform is known to set. */
export function defaultsOf({ area }: Write, kind: Kind): JsonObject {
  const values: Record<string, Json> = {}
  for (const field of Object.values(kind.fields)) {
    const value = defaultOf(area.settings, field)
    if (value !== undefined) values[field.name] = value
  }
  return values
}

/** The platform of the document's dialect does not set defaults that only the field notes mention. */
const defaultOf = ({ dialect }: Settings, field: Field | undefined): Json | undefined =>
  dialect === 'document' && field?.origin === 'notes' ? undefined : field?.default

/** Merges values: a cleared field gets the platform's default, or is removed if there is none. */
export function overlay({ area }: Write, kind: Kind, before: JsonObject, given: JsonObject): JsonObject {
  const after = recordOf(Object.entries(before))
  for (const [name, value] of Object.entries(given)) {
    const next = value ?? defaultOf(area.settings, kind.fields[name])
    if (next === undefined) delete after[name]
    else after[name] = next
  }
  return after
}

/**
 * Whether a field is stored among an object's own values. These are not stored there: children, links, inverse references that
 * another object holds, and fields that the platform sets (id and dates).
 */
function isOwnValue(kind: Kind, field: Field): boolean {
  if (placed.has(field.name) && kind.naming !== field.name) return false
  const element = elementOf(field.type)
  if (element.is === 'child') return false
  if (element.is !== 'reference') return true
  return !isLinkField(kind, field) && !isInverse(kind, field)
}

/** Whether a field holds links that live in objects of this kind: the roles of a service, the services of a plan. */
export function isLinkField(kind: Kind, field: Field): boolean {
  const element = elementOf(field.type)
  if (element.is !== 'reference' && element.is !== 'child') return false
  const held = catalog[element.kind]
  return held.association !== undefined && held.parent?.kind === kind.name && held.parent.field === field.name
}

/**
 * Whether a field shows an inverse reference. Its value comes from the objects that refer to this one, or from what its children
 * own.
 */
function isInverse(kind: Kind, field: Field): boolean {
  const element = elementOf(field.type)
  if (element.is !== 'reference') return false
  return field.readOnly !== undefined || inverseReferenceOf(kind, field) !== undefined
}

/** The rules for a field: those of the document, or those that recorded platforms follow. */
export const rulesOf = ({ dialect }: Settings, field: Field): Pick<Field, 'create' | 'update'> =>
  dialect === 'document' ? (field.printedRules ?? field) : field

function isTaken(settings: Settings, kind: Kind, field: Field, mode: Mode): boolean {
  if (!isOwnValue(kind, field)) return false
  if (mode === 'seed') return true
  const rule = rulesOf(settings, field)[mode]
  return rule !== 'Ign' && rule !== 'Ctx'
}

/** An update may leave out a field that a create requires, but may not clear it. */
function isDemanded(settings: Settings, field: Field, given: Json | undefined, mode: Mode): boolean {
  if (mode === 'seed') return false
  const { create, update } = rulesOf(settings, field)
  const isEmpty = given === null || given === ''
  if (mode === 'create') return create === 'Req' && (given === undefined || isEmpty)
  if (update === 'Req' && given === undefined) return true
  return (create === 'Req' || update === 'Req') && isEmpty
}

function readOwnValue(write: Write, kind: Kind, field: Field, given: Given): Json {
  const value = readValue(write, field, given)
  return value === undefined ? null : storedName(write.nameForms, kind, field, value)
}

function readValue(write: Write, field: Field, { value: given, path }: Given): Json | undefined {
  const element = elementOf(field.type)
  if (element.is !== 'reference') return accept(field.type, given, path, write)
  if (given === null || (isObject(given) && given.id === null)) return undefined
  if (field.type.is === 'reference') return readReference(write, element.kind, given, path)
  const byId = new Map<Json | undefined, JsonObject>()
  asList(given).forEach((entry, index) => {
    const reference = readReference(write, element.kind, entry, `${path}[${index}]`)
    if (reference) byId.set(reference.id, reference)
  })
  return [...byId.values()]
}

/**
 * Reads the id of a reference. For a reference through a link, also reads the members of the link. All other members are ignored.
 */
function readReference(write: Write, kind: KindName, given: Json, path: string): JsonObject | undefined {
  const target = referenced(write, targetOf(catalog[kind]).name, given, path)
  if (!target) return undefined
  const own: Record<string, Json> = { id: target.id }
  for (const { name, type } of linkMembers(catalog[kind])) {
    const value = isObject(given) ? accept(type, given[name], below(path, name), write) : undefined
    if (value !== undefined) own[name] = value
  }
  return own
}

/** The object that a reference in a body refers to. If there is none, adds a complaint and returns undefined. */
export function referenced(write: Write, kind: KindName, given: Json, path: string): Entity | undefined {
  const id = isObject(given) ? given.id : undefined
  if (typeof id !== 'string' || id === '') {
    complain(write, below(path, 'id'), `Property '${below(path, 'id')}' is required.`)
    return undefined
  }
  const target = findById(write.area, kind, id)
  if (!target) complain(write, below(path, 'id'), `There is no ${kind} with id '${id}'.`)
  return target
}
