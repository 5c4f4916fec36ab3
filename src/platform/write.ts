import { catalog } from '../catalog/catalog.js'
import { type ChildField, childField, elementOf, hasOwnId } from '../catalog/queries.js'
import type { Field, Kind } from '../catalog/types.js'
import type { JsonObject } from '../json/json.js'
import { entriesOf, isList, isObject } from '../json/json.js'
import { below, complain, findChild, type Given, type Site, type Write } from './area.js'
import { defaultsOf, isLinkField, type Mode, overlay, readOwnValues, rulesOf } from './body.js'
import { childrenIn, type Entity, rootOfTree } from './entity.js'
import type { RuleTable } from './kind-rules.js'
import { linksIn, withoutDropped, writeLinks } from './links.js'
import { checkUnknown, unknownFields, withoutOlderPaths } from './recorded.js'
import { removeObject } from './remove.js'

/** A write with the rules of all kinds. */
export interface RuledWrite extends Write {
  readonly rules: RuleTable
}

/** Creates an object with the children in its body. */
export function createObject(write: RuledWrite, kind: Kind, site: Site, { value, path }: Given<JsonObject>): Entity {
  const rules = write.rules[kind.name]
  // Values that the platform itself adds to a new object are never dropped.
  const body = withoutDropped(write, kind, withoutOlderPaths(write.area.settings.dialect, kind, value))
  const complete = rules?.prepare?.(write, site, body) ?? body
  const given = readOwnValues(write, kind, { value: complete, path }, 'create')
  const entity = insertNew(write, kind, site, overlay(write, kind, defaultsOf(write, kind), given))
  checkUnknown(write, unknownFields(kind, entity.fields), path)
  const writing = { mode: 'create', body: complete, given, before: {}, path } as const
  rules?.generate?.(write, entity, writing)
  writeNested(write, entity, { value: complete, path }, 'create')
  rules?.relate?.(write, entity, writing)
  rules?.check?.(write, entity, writing)
  return entity
}

/** Merges a body into an object. Top-level fields are merged; a nested array replaces the whole array. */
export function updateObject(write: RuledWrite, entity: Entity, value: JsonObject, path: string): void {
  const kind = catalog[entity.kind]
  const body = withoutOlderPaths(write.area.settings.dialect, kind, value)
  const rules = write.rules[kind.name]
  const given = readOwnValues(write, kind, { value: body, path }, 'update')
  const before = entity.fields
  write.area.store.change(entity, overlay(write, kind, before, given), write.now)
  checkUnknown(write, unknownFields(kind, entity.fields), path)
  writeNested(write, entity, { value: body, path }, 'update')
  const writing = { mode: 'update', body, given, before, path } as const
  rules?.relate?.(write, entity, writing)
  rules?.check?.(write, entity, writing)
}

/** Creates the single child in a field of its parent, and replaces the existing one. */
export function assignSingle(write: RuledWrite, parent: Entity, child: ChildField, given: Given<JsonObject>) {
  for (const old of childrenIn(parent, child.field)) write.area.store.remove(old)
  return createObject(write, child.kind, { parent, slot: child.field }, given)
}

/** Notifies the root of an object's tree that something in the tree has changed. */
export function touch(write: RuledWrite, entity: Entity): void {
  const root = rootOfTree(entity)
  write.rules[root.kind]?.touched?.(write, root, root === entity ? 'itself' : 'below')
}

function insertNew(write: Write, kind: Kind, site: Site, fields: JsonObject): Entity {
  const { area, now } = write
  return area.store.insert({
    kind: kind.name,
    id: newId(write, kind, fields),
    parent: site.parent,
    slot: site.slot,
    owner: site.owner,
    created: now,
    updated: now,
    fields,
  })
}

function newId({ area }: Write, kind: Kind, fields: JsonObject): string {
  if (kind.naming === undefined) return ''
  if (!hasOwnId(kind.name)) return String(fields[kind.naming] ?? '')
  let id = area.ids.of(kind.name)
  // After a restart, the same seed gives ids that are already in use.
  while (area.store.find(kind.name, id)) id = area.ids.of(kind.name)
  return id
}

function writeNested(write: RuledWrite, entity: Entity, { value: body, path }: Given<JsonObject>, mode: Mode): void {
  const kind = catalog[entity.kind]
  for (const field of Object.values(kind.fields)) {
    const given = body[field.name]
    const rule = rulesOf(write.area.settings, field)[mode === 'create' ? 'create' : 'update']
    if (given === undefined || rule === 'Ign' || (mode === 'create' && isLate(write, field))) continue
    const at = below(path, field.name)
    const element = elementOf(field.type)
    if (isLinkField(kind, field) && element.is !== 'string' && 'kind' in element) {
      const linkKind = catalog[element.kind]
      const kept = linksIn(given).map((link) => (isObject(link) ? withoutDropped(write, linkKind, link) : link))
      writeLinks(write, { kind: linkKind, owner: entity, slot: field.name }, { value: kept, path: at })
    } else if (element.is === 'child') {
      const child = childField(kind, field.name)
      if (child) writeChildField(write, entity, child, { value: given, path: at })
    }
  }
}

/** Clients of recorded platforms send roles in the create of a service. */
const isLate = ({ area }: Write, field: Field): boolean => field.afterCreate && area.settings.dialect === 'document'

function writeChildField(write: RuledWrite, parent: Entity, child: ChildField, given: Given): void {
  const { value, path } = given
  if (!child.single) writeChildren(write, parent, child, given)
  else if (isObject(value)) assignSingle(write, parent, child, { value, path })
  else if (value === null) for (const old of childrenIn(parent, child.field)) write.area.store.remove(old)
  else complain(write, path, `Property '${path}' must be an object.`)
}

/** Entries with a known id are updated, entries without an id are created, and children that are not in the list are deleted. */
function writeChildren(write: RuledWrite, parent: Entity, child: ChildField, { value, path }: Given): void {
  if (value !== null && !isList(value)) complain(write, path, `Property '${path}' must be an array.`)
  const entries = entriesOf(value)
  const existing = childrenIn(parent, child.field)
  const kept = new Set(
    entries.map((entry, index) => writeChild(write, parent, child, { value: entry, path: `${path}[${index}]` })),
  )
  // The platform's fixed set of messages stays complete: a list only changes some of them.
  if (child.kind.fixedSet) return
  for (const old of existing) if (!kept.has(old)) removeObject(write, old)
}

function writeChild(write: RuledWrite, parent: Entity, child: ChildField, { value, path }: Given): Entity | undefined {
  if (!isObject(value)) {
    complain(write, path, `Property '${path}' must be an object.`)
    return undefined
  }
  const site = { parent, slot: child.field }
  const known = typeof value.id === 'string' ? findChild(write.area, child.kind.name, site, value.id) : undefined
  if (!known) return createObject(write, child.kind, site, { value, path })
  updateObject(write, known, value, path)
  return known
}
