import { catalog } from '../catalog/catalog.js'
import { type ChildField, childFields, elementOf } from '../catalog/queries.js'
import type { Kind } from '../catalog/types.js'
import type { Json, JsonObject } from '../json/json.js'
import { entriesOf, isObject } from '../json/json.js'
import { below, complain, type Site, type Write } from './area.js'
import { defaultsOf, isLinkField, type Mode, overlay, readOwnValues } from './body.js'
import { childrenIn, type Entity, rootOfTree } from './entity.js'
import type { RuleTable } from './kind-rules.js'
import { withoutDropped, writeLinks } from './links.js'
import { removeObject } from './remove.js'
import { hasOwnId } from './store.js'

/** Creates and updates objects as the C/U rules say; everything that one request brings, nested objects included. */

/** A write that knows the rules of the kinds. */
export interface RuledWrite extends Write {
  readonly rules: RuleTable
}

/** A new object with the children that its body brings along. */
export function createObject(write: RuledWrite, kind: Kind, site: Site, body: JsonObject, path: string): Entity {
  const rules = write.rules[kind.name]
  const complete = rules?.prepare?.(write, site, body) ?? body
  const given = readOwnValues(write, kind, complete, 'create', path)
  const entity = insertNew(write, kind, site, overlay(write, kind, defaultsOf(write, kind), given))
  const writing = { mode: 'create', body: complete, given, before: {}, path } as const
  rules?.born?.(write, entity, writing)
  writeNested(write, kind, entity, complete, 'create', path)
  rules?.relate?.(write, entity, writing)
  rules?.check?.(write, entity, writing)
  return entity
}

/** Lays a body over an object: top-level fields are merged, a nested array replaces the whole array. */
export function updateObject(write: RuledWrite, entity: Entity, body: JsonObject, path: string): void {
  const kind = catalog[entity.kind]
  const rules = write.rules[kind.name]
  const given = readOwnValues(write, kind, body, 'update', path)
  const before = entity.fields
  write.area.store.change(entity, overlay(write, kind, before, given), write.now)
  writeNested(write, kind, entity, body, 'update', path)
  const writing = { mode: 'update', body, given, before, path } as const
  rules?.relate?.(write, entity, writing)
  rules?.check?.(write, entity, writing)
}

/** Puts the one child of its kind into its parent, over one that stands there. */
export function assignSingle(write: RuledWrite, parent: Entity, child: ChildField, body: JsonObject, path: string) {
  for (const old of childrenIn(parent, child.field)) write.area.store.remove(old)
  return createObject(write, child.kind, { parent, slot: child.field }, body, path)
}

/** Tells the root of an object's tree that something in it has changed. */
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
  // After a restart the same seed gives ids that are taken already.
  while (area.store.find(kind.name, id)) id = area.ids.of(kind.name)
  return id
}

function writeNested(write: RuledWrite, kind: Kind, entity: Entity, body: JsonObject, mode: Mode, path: string): void {
  for (const field of Object.values(kind.fields)) {
    const given = body[field.name]
    const rule = mode === 'create' && field.afterCreate ? 'Ign' : field[mode === 'create' ? 'create' : 'update']
    if (given === undefined || rule === 'Ign') continue
    if (mode === 'create' && isDropped(write, kind, field.name)) continue
    const at = below(path, field.name)
    const element = elementOf(field.type)
    if (isLinkField(kind, field) && element.is !== 'string' && 'kind' in element) {
      const linkKind = catalog[element.kind]
      const links = entriesOf(given)
      const kept = links.map((link) => (isObject(link) ? withoutDropped(write, linkKind, link) : link))
      writeLinks(write, linkKind, entity, field.name, kept, at)
    } else if (element.is === 'child') {
      const child = childFields(kind).find((each) => each.field === field.name)
      if (child) writeChildField(write, entity, child, given, at)
    }
  }
}

function isDropped(write: Write, kind: Kind, field: string): boolean {
  return write.area.settings.ignoreNested.has(`${kind.name}.${field}`)
}

function writeChildField(write: RuledWrite, parent: Entity, child: ChildField, given: Json, path: string): void {
  if (!child.single) writeChildren(write, parent, child, given, path)
  else if (isObject(given)) assignSingle(write, parent, child, given, path)
  else if (given === null) for (const old of childrenIn(parent, child.field)) write.area.store.remove(old)
  else complain(write, path, `Property '${path}' must be an object.`)
}

/** Entries with a known id are merged, entries without one are new, and what is not in the list is dropped. */
function writeChildren(write: RuledWrite, parent: Entity, child: ChildField, given: Json, path: string): void {
  if (given !== null && !Array.isArray(given)) complain(write, path, `Property '${path}' must be an array.`)
  const entries: readonly Json[] = entriesOf(given)
  const standing = childrenIn(parent, child.field)
  const kept = new Set(
    entries.map((entry, index) => writeChild(write, { parent, slot: child.field }, child, entry, `${path}[${index}]`)),
  )
  // The platform's fixed set of messages stays whole: a list is laid over it.
  if (child.kind.fixedSet) return
  for (const old of standing) if (!kept.has(old)) removeObject(write, old)
}

function writeChild(
  write: RuledWrite,
  site: Site & { readonly parent: Entity },
  child: ChildField,
  entry: Json,
  path: string,
): Entity | undefined {
  if (!isObject(entry)) {
    complain(write, path, `Property '${path}' must be an object.`)
    return undefined
  }
  const known = childrenIn(site.parent, site.slot).find((each) => each.id === entry.id)
  if (!known) return createObject(write, child.kind, site, entry, path)
  updateObject(write, known, entry, path)
  return known
}
