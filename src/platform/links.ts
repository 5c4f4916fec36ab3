import { catalog } from '../catalog/catalog.js'
import { elementOf, pickedFields, referredKind } from '../catalog/queries.js'
import type { Field, Kind, KindName } from '../catalog/types.js'
import type { Json, JsonObject } from '../json/json.js'
import { asList, isObject, objectOf, objectsIn } from '../json/json.js'
import { accept } from './accept.js'
import { below, complain, findById, type Given, type Write } from './area.js'
import { referenced } from './body.js'
import { childrenIn, type Entity } from './entity.js'
import { Refusal } from './refusal.js'

/**
 * Links belong to their owner and show their target: services of a plan, roles of a service. A link's own values are only those
 * that the target does not have: the action of a role, the endpoints that a plan includes.
 */

/** The position of links of one kind. */
interface LinkSite {
  readonly kind: Kind
  readonly owner: Entity
  readonly slot: string
}

/** Creates a new link. Refuses if the owner already has a link to that object. */
export function createLink(write: Write, site: LinkSite, given: Given<JsonObject>): Entity {
  const { kind, owner, slot } = site
  const { value: body, path } = given
  const target = linkedTarget(write, kind, body, path)
  if (!target) throw new Refusal(400, `Unable to create ${kind.name}.`, write.complaints)
  if (findLink(owner, slot, target.id)) {
    complain(write, below(path, 'id'), `A ${kind.name} of '${target.id}' already exists.`)
  }
  return insertLink(write, site, target, given)
}

/**
 * The body of an object or a link without the nested parts that this platform drops. These parts are stored only if they are sent
 * by their own routes.
 */
export function withoutDropped({ area }: Write, kind: Kind, body: JsonObject): JsonObject {
  const { ignoreNested } = area.settings
  const dropped = [...ignoreNested].flatMap((path) =>
    path.startsWith(`${kind.name}.`) ? [path.split('.').slice(1)] : [],
  )
  return dropped.reduce(withoutPath, body)
}

function withoutPath(body: JsonObject, [step = '', ...rest]: readonly string[]): JsonObject {
  const { [step]: held, ...others } = body
  if (held === undefined || rest.length === 0) return others
  const inner = asList(held)
  return { ...others, [step]: inner.map((each) => (isObject(each) ? withoutPath(each, rest) : each)) }
}

/** Merges a body into a link: given lists replace the existing ones. */
export function updateLink(write: Write, link: Entity, body: JsonObject, path: string): void {
  const values = linkValues(
    write,
    { kind: link.kind, fields: link.fields, target: linkedTo(write, link) },
    { value: body, path },
  )
  write.area.store.change(link, values, write.now)
}

/** Makes the links of an owner equal to the list: known links are updated, new ones created, and the others removed. */
export function writeLinks(write: Write, site: LinkSite, { value: given, path }: Given): void {
  const { kind, owner, slot } = site
  const kept = new Set<Entity>()
  linksIn(given).forEach((entry, index) => {
    const at = `${path}[${index}]`
    const target = linkedTarget(write, kind, entry, at)
    if (!target) return
    const body = objectOf(entry)
    const known = findLink(owner, slot, target.id)
    if (known) updateLink(write, known, body, at)
    kept.add(known ?? insertLink(write, site, target, { value: body, path: at }))
  })
  for (const link of childrenIn(owner, slot)) if (!kept.has(link)) write.area.store.remove(link)
}

/** The entries of a list of links or selected objects. As elsewhere, a bare value is a list of one, and "" is an empty list. */
export const linksIn = (given: Json): readonly Json[] => (given === '' ? [] : asList(given))

/** The link of an owner to the object with that id, or undefined. */
function findLink(owner: Entity, slot: string, id: string): Entity | undefined {
  return childrenIn(owner, slot).find((link) => link.id === id)
}

/** The target of a link. */
function linkedTo(write: Pick<Write, 'area'>, link: Entity): Entity {
  const { association } = catalog[link.kind]
  const target = association && findById(write.area, association, link.id)
  if (!target) throw new Error(`link ${link.kind}/${link.id} links to nothing`)
  return target
}

/** The fields that belong to the link itself. */
function linkOwnFields(kind: Kind): readonly Field[] {
  const displayed = kind.association === undefined ? {} : catalog[kind.association].fields
  return Object.values(kind.fields).filter(
    (field) => !Object.hasOwn(displayed, field.name) || referredKind(field) !== undefined,
  )
}

function linkedTarget(write: Write, kind: Kind, given: Json, path: string): Entity | undefined {
  return kind.association && referenced(write, kind.association, given, path)
}

function insertLink(write: Write, { kind, owner, slot }: LinkSite, target: Entity, given: Given<JsonObject>): Entity {
  const fields = linkValues(write, { kind: kind.name, target, fields: {} }, given)
  const { now, area } = write
  return area.store.insert({
    kind: kind.name,
    id: target.id,
    parent: owner,
    slot,
    owner: undefined,
    created: now,
    updated: now,
    fields,
  })
}

/** The target of a link, and the link's own values. */
interface LinkBefore extends Pick<Entity, 'kind' | 'fields'> {
  readonly target: Entity
}

function linkValues(
  write: Write,
  { kind, target, fields: before }: LinkBefore,
  { value: body, path }: Given<JsonObject>,
): JsonObject {
  const after: Record<string, Json> = { ...before }
  for (const field of linkOwnFields(catalog[kind])) {
    const at = below(path, field.name)
    const given = body[field.name]
    const missing = given === null || given === '' || (given === undefined && before[field.name] === undefined)
    if (field.create === 'Req' && missing) complain(write, at, `Property '${at}' is required.`)
    if (given === undefined) continue
    const value =
      referredKind(field) === undefined
        ? accept(field.type, given, at, write)
        : readIncluded(
            write,
            { parent: target, slot: field.name, before: before[field.name] },
            { value: given, path: at },
          )
    after[field.name] = value ?? []
  }
  return after
}

/** A list of included children, and its previous value. */
interface Including {
  readonly parent: Entity
  readonly slot: string
  readonly before: Json | undefined
}

/**
 * Reads the children of the target that a link includes, and their own included children: `[{id, methods: [{id}]}]`. An inner
 * list that is not given is unchanged; for a child that was not included before, it is empty.
 */
function readIncluded(write: Write, { parent, slot, before }: Including, { value: given, path }: Given): Json {
  const known = objectsIn(before)
  const included = new Map<string, JsonObject>()
  linksIn(given).forEach((entry, index) => {
    const part = { value: isObject(entry) ? entry : {}, path: `${path}[${index}]` }
    const kind = elementOf(catalog[parent.kind].fields[slot]?.type ?? { is: 'string' })
    const child = kind.is === 'child' ? includedChild(write, parent, kind.kind, part) : undefined
    if (!child) return
    const old = known.find((each) => each.id === child.id)
    included.set(child.id, { id: child.id, ...readInner(write, child, old, part) })
  })
  return [...included.values()]
}

function readInner(
  write: Write,
  child: Entity,
  old: JsonObject | undefined,
  { value: entry, path }: Given<JsonObject>,
): JsonObject {
  const inner: Record<string, Json> = {}
  for (const { field, picks, kind } of pickedFields(catalog[child.kind])) {
    const given = entry[field]
    const part = { value: given ?? null, path: below(path, field) }
    if (picks === 'one') {
      if (kind.origin === 'notes' && write.area.settings.dialect === 'document') continue
      const one = given === undefined ? old?.[field] : readOne(write, child, kind.name, part)
      if (one !== undefined) inner[field] = one
    } else if (given === undefined || given === null) inner[field] = old?.[field] ?? []
    else inner[field] = readIncluded(write, { parent: child, slot: field, before: old?.[field] }, part)
  }
  return inner
}

/** The one child that a link selects; undefined if it selects none. */
function readOne(write: Write, parent: Entity, kind: KindName, { value, path }: Given): JsonObject | undefined {
  const child = value === null ? undefined : includedChild(write, parent, kind, { value: objectOf(value), path })
  return child && { id: child.id }
}

function includedChild(
  write: Write,
  parent: Entity,
  kind: KindName,
  { value: entry, path }: Given<JsonObject>,
): Entity | undefined {
  const child = referenced(write, kind, entry, path)
  if (!child || child.parent === parent) return child
  const at = below(path, 'id')
  complain(write, at, `The ${child.kind} '${child.id}' does not belong to the ${parent.kind} '${parent.id}'.`)
  return undefined
}
