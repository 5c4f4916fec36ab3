import { catalog } from '../catalog/catalog.js'
import {
  type ChildField,
  childField,
  childFields,
  creationRank,
  elementOf,
  hasOwnId,
  hasSecretName,
  isReadOnly,
  kinds,
  perKind,
} from '../catalog/queries.js'
import type { Field, Kind, KindName } from '../catalog/types.js'
import { parseDatetime } from '../catalog/value.js'
import type { Json, JsonObject } from '../json/json.js'
import { isList, isObject, objectsIn } from '../json/json.js'
import { complain, findById, type Given, type Site, setFields, type Write } from './area.js'
import { defaultsOf, isLinkField, overlay, readOwnValues } from './body.js'
import type { Entity } from './entity.js'
import { usernameKey } from './indexes.js'
import { writeLinks } from './links.js'
import { withoutOlderPaths } from './recorded.js'
import { Refusal } from './refusal.js'
import { messageCode } from './rules/default-messages.js'
import { keepCache } from './rules/endpoint.js'
import { withDefaultSet } from './rules/error-set.js'
import { usualKeyLength } from './rules/package-key.js'
import { servicePolicies } from './rules/service.js'
import { inDocumentSpelling } from './seed-spelling.js'
import type { SeedSnapshot } from './settings.js'
import type { RuledWrite } from './write.js'

const loadRank = (kind: Kind): number => (isReadOnly(kind) ? -1 : creationRank(kind.name))

/** Kinds that own objects which are not their children. Owners and owned objects are loaded together. */
const owners = new Set(kinds.flatMap(({ within }) => within?.name ?? []))

/** The other collections in load order: referenced objects come before the objects that refer to them. */
const order: readonly (readonly [string, Kind])[] = kinds
  .filter(({ name, parent, within }) => parent === undefined && within === undefined && !owners.has(name))
  .sort((left, right) => loadRank(left) - loadRank(right))
  .flatMap((kind) => (kind.operations.list ? [[kind.operations.list.path.slice(1), kind]] : []))

/**
 * Loads a snapshot without changes: ids and dates are kept, states and hosts are not checked. Throws a Refusal with all errors.
 */
export function loadSeed(given: RuledWrite, snapshot: SeedSnapshot): void {
  const write: RuledWrite = { ...given, understood: 'either' }
  checkCollections(write, snapshot)
  if (write.complaints.length > 0) throw new Refusal(400, 'The seed cannot be loaded.', write.complaints)
  for (const [collection, kind] of order) {
    ;(snapshot[collection] ?? []).forEach((object, index) => {
      load(write, kind, { parent: undefined, slot: '' }, { value: object, path: `${collection}[${index}]` })
    })
  }
  loadEmailTemplates(write, snapshot.emailTemplateSets ?? [])
  loadUnnested(write, snapshot)
  if (write.complaints.length > 0) throw new Refusal(400, 'The seed cannot be loaded.', write.complaints)
}

const collections = new Set([...order.map(([name]) => name), 'emailTemplateSets', 'applications', 'packageKeys'])

/** A list that is no collection is an error, as in the client's reader of snapshots (A53). Other members are ignored. */
function checkCollections(write: Write, snapshot: SeedSnapshot): void {
  for (const [name, value] of Object.entries<Json | undefined>(snapshot)) {
    if (value === undefined) continue
    const objects = isList(value) && value.every(isObject)
    if (collections.has(name) && !objects) complain(write, name, 'It is not a list of objects.')
    else if (!collections.has(name) && isList(value)) complain(write, name, 'There is no such collection.')
  }
}

function load(write: RuledWrite, kind: Kind, site: Site, seed: Given<JsonObject>): Entity {
  const { value: object, path } = seed
  const existing = typeof object.id === 'string' && hasOwnId(kind.name) && findById(write.area, kind.name, object.id)
  if (existing) write.complaints.push({ property: path, message: `${kind.name} '${object.id}' stands there twice.` })
  const value = inDocumentSpelling(kind, withoutOlderPaths(write.area.settings.dialect, kind, object))
  checkName(write, kind, { value, path })
  const given = readOwnValues(write, kind, { value, path }, 'seed')
  const reported = withoutNulls(given)
  const completed = { ...generatedValues(write, kind, site), ...reported, ...secretName(write, kind, reported) }
  const entity = write.area.store.insert({
    kind: kind.name,
    id: seededId(write, kind, object),
    parent: site.parent,
    slot: site.slot,
    owner: site.owner,
    created: parseDatetime(object.created) ?? write.now,
    updated: parseDatetime(object.updated) ?? parseDatetime(object.created) ?? write.now,
    fields: overlay(write, kind, defaultsOf(write, kind), completed),
  })
  loadNested(write, entity, { value: completeNested(write, kind, object), path })
  if (childFields(kind).some((child) => child.kind.name === 'Cache')) keepCache(write, entity)
  return entity
}

/** A snapshot may leave out fields that creates require, but not the name: nothing could find or refer to the object. */
function checkName(write: Write, kind: Kind, { value, path }: Given<JsonObject>): void {
  const { naming } = kind
  if (naming === undefined || hasSecretName(kind) || kind.fields[naming]?.create !== 'Req') return
  const at = `${path}.${naming}`
  if ((value[naming] ?? '') === '') complain(write, at, `Property '${at}' is required.`)
}

/** The values that a platform sets in such an object. They are used if the snapshot does not have them. */
function generatedValues({ editor }: Write, kind: Kind, site: Site): JsonObject {
  const values: Partial<Record<KindName, JsonObject>> = {
    Service: { ...servicePolicies, revisionNumber: 1, editorHandle: editor },
    Role: { isPredefined: false },
    Domain: { status: 'active' },
    PackageKey: { status: 'active' },
    Application: { username: site.parent?.fields.username ?? null },
  }
  return values[kind.name] ?? {}
}

/** A snapshot leaves out secret names. Each key gets a new one, because no two keys of a package may be the same (A54). */
const secretName = ({ area }: Write, kind: Kind, reported: JsonObject): JsonObject =>
  kind.naming !== undefined && hasSecretName(kind) && reported[kind.naming] === undefined
    ? { [kind.naming]: area.ids.text(usualKeyLength) }
    : {}

function withoutNulls(given: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null))
}

function seededId(write: Write, kind: Kind, object: JsonObject): string {
  if (kind.naming === undefined) return ''
  return typeof object.id === 'string' && object.id !== '' ? object.id : write.area.ids.of(kind.name)
}

/** Adds the error set and the messages that every service and every set has. */
function completeNested(write: RuledWrite, kind: Kind, object: JsonObject): JsonObject {
  if (Object.hasOwn(kind.addedByPlatform, 'errorSets')) {
    const sets = objectsIn(object.errorSets)
    return { ...object, errorSets: sets.length > 0 ? sets : withDefaultSet(write.area.settings, []) }
  }
  if (!childFields(kind).some((child) => child.kind.fixedSet)) return object
  return write.rules[kind.name]?.prepare?.(write, { parent: undefined, slot: '' }, object) ?? object
}

function loadNested(write: RuledWrite, entity: Entity, { value: object, path }: Given<JsonObject>): void {
  const kind = catalog[entity.kind]
  for (const field of fieldsInOrder(kind)) {
    const given = object[field.name]
    const element = elementOf(field.type)
    if (given === undefined || given === null || (element.is !== 'child' && element.is !== 'reference')) continue
    const part = { value: given, path: `${path}.${field.name}` }
    if (isLinkField(kind, field)) {
      ensureTargets(write, catalog[element.kind], given)
      writeLinks(write, { kind: catalog[element.kind], owner: entity, slot: field.name }, part)
    } else if (element.is === 'child') {
      const child = childField(kind, field.name)
      if (child) loadChildren(write, entity, child, part)
    }
  }
}

/** Fields with references to their siblings come last: an endpoint refers to an error set of its service. */
const fieldsInOrder = perKind((kind): readonly Field[] =>
  Object.values(kind.fields).sort((left, right) => referenceCount(left) - referenceCount(right)),
)

/** How many fields of the field's children hold references. */
function referenceCount({ type }: Field): number {
  const element = elementOf(type)
  if (element.is !== 'child') return 0
  return Object.values(catalog[element.kind].fields).filter((field) => elementOf(field.type).is === 'reference').length
}

function loadChildren(write: RuledWrite, parent: Entity, child: ChildField, { value, path }: Given): void {
  const site = { parent, slot: child.field }
  if (child.single) {
    if (isObject(value)) load(write, child.kind, site, { value, path })
    return
  }
  objectsIn(value).forEach((object, index) => {
    const entity = load(write, child.kind, site, { value: object, path: `${path}[${index}]` })
    if (child.kind.fixedSet && entity.fields.code === undefined)
      setFields(write, entity, { code: messageCode(entity.id) })
  })
}

/**
 * Creates the roles to which services refer but which the snapshot does not have. For other links, such as those to a service, a
 * name would not be enough.
 */
function ensureTargets(write: RuledWrite, linkKind: Kind, given: Json): void {
  const { association } = linkKind
  if (association === undefined || linkKind.parent?.kind !== 'Service') return
  for (const { id, name } of objectsIn(given)) {
    if (typeof id !== 'string' || typeof name !== 'string' || findById(write.area, association, id)) continue
    load(
      write,
      catalog[association],
      { parent: undefined, slot: '' },
      { value: { id, name }, path: `${association} ${id}` },
    )
  }
}

function loadEmailTemplates(write: RuledWrite, sets: readonly JsonObject[]): void {
  sets.forEach((set, index) => {
    const owner = String(set.id)
    const site = { parent: undefined, slot: '', owner }
    for (const old of write.area.store.all('EmailTemplate')) if (old.owner === owner) write.area.store.remove(old)
    if (set.name !== undefined && !findById(write.area, 'EmailTemplateSet', owner)) {
      const seed = { value: { ...set, id: owner }, path: `emailTemplateSets[${index}]` }
      load(write, catalog.EmailTemplateSet, { parent: undefined, slot: '' }, seed)
    }
    objectsIn(set.emailTemplates).forEach((template, number) => {
      const path = `emailTemplateSets[${index}].emailTemplates[${number}]`
      load(write, catalog.EmailTemplate, site, { value: template, path })
    })
  })
}

/**
 * Loads applications and keys that are not nested in their owners. Owners are found by user name, or by the id of the
 * application.
 */
function loadUnnested(write: RuledWrite, snapshot: SeedSnapshot): void {
  ;(snapshot.applications ?? []).forEach((object, index) => {
    const path = `applications[${index}]`
    if (typeof object.id === 'string' && findById(write.area, 'Application', object.id)) return
    const [parent] = write.area.store.found(usernameKey(String(object.username)))
    if (parent) load(write, catalog.Application, { parent, slot: 'applications' }, { value: object, path })
    else write.complaints.push({ property: path, message: `There is no member '${String(object.username)}'.` })
  })
  ;(snapshot.packageKeys ?? []).forEach((object, index) => {
    const path = `packageKeys[${index}]`
    if (typeof object.id === 'string' && findById(write.area, 'PackageKey', object.id)) return
    const id = isObject(object.application) ? object.application.id : undefined
    const parent = typeof id === 'string' ? findById(write.area, 'Application', id) : undefined
    if (parent) load(write, catalog.PackageKey, { parent, slot: 'packageKeys' }, { value: object, path })
    else write.complaints.push({ property: path, message: 'The application of the key is not told: application.id' })
  })
}
