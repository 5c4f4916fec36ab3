import { catalog } from '../catalog/catalog.js'
import { type Json, objectOf } from '../json/json.js'
import { type Answer, displayedEntity, type PlatformCall, refuseComplaints } from './call.js'
import { childrenIn, type Entity } from './entity.js'
import { actOnHosts } from './hosts.js'
import { createLink, updateLink, withoutDropped, writeLinks } from './links.js'
import { childFieldOf, type ObjectPath } from './locate.js'
import { ofLists, projectedField } from './projection.js'
import { parseListQuery, selectPage, traitsOf } from './query.js'
import { actOnInverseReference, actOnReferred } from './references.js'
import { notFound } from './refusal.js'
import { removeObject } from './remove.js'
import { keepCache } from './rules/endpoint.js'
import { assignSingle, createObject, type RuledWrite, touch, updateObject } from './write.js'

/** Executes a call at the place that its path names. */
export function act(call: PlatformCall, place: ObjectPath): Answer {
  switch (place.is) {
    case 'collection':
      return actOnCollection(call, place)
    case 'object':
      return actOnObject(call, place.entity)
    case 'single':
      return actOnSingle(call, place)
    case 'referred':
      return actOnReferred(call, place)
    case 'inverseReference':
      return actOnInverseReference(call, place.holder)
    case 'value':
      return actOnValue(call, place)
    case 'hosts':
      return actOnHosts(call, place.list)
  }
}

function actOnCollection(call: PlatformCall, place: CollectionPlace): Answer {
  switch (call.method) {
    case 'GET':
      return list(call, place)
    case 'POST':
      return create(call, place)
    case 'PUT':
    case 'DELETE':
      return replaceAll(call, place)
  }
}

type CollectionPlace = Extract<ObjectPath, { is: 'collection' }>

function list(call: PlatformCall, { kind, site, members }: CollectionPlace): Answer {
  const query = parseListQuery(call.parameters, traitsOf(call.segment, kind.name, site.parent?.kind), call.pageCap)
  const lists = { ...call, reader: ofLists(call.reader) }
  const { page, total } = selectPage(lists.reader, members(), query)
  return { is: 'list', items: page.map((entity) => displayedEntity(lists, entity)), total }
}

/** Replaces all links of an owner at once: `{"roles":[{"id","action"}]}`. DELETE removes all. */
function replaceAll(call: PlatformCall, { kind, site: { parent, slot } }: CollectionPlace): Answer {
  if (!parent) throw new Error(`the ${kind.name} collection of nothing cannot be replaced`)
  const value = call.method === 'PUT' ? (call.body[slot] ?? []) : []
  writeLinks(call.write, { kind, owner: parent, slot }, { value, path: slot })
  refuseComplaints(call.write, `Unable to update ${parent.kind}.`)
  touch(call.write, parent)
  if (call.method === 'DELETE') return { is: 'gone' }
  const links = childrenIn(parent, slot)
  const asRead: PlatformCall = { ...call, reader: { ...call.reader, occasion: 'read' } }
  return { is: 'list', items: links.map((link) => displayedEntity(asRead, link)), total: links.length }
}

function create(call: PlatformCall, { kind, site: named }: CollectionPlace): Answer {
  const { write } = call
  const isAtRoot = kind.parent !== undefined && named.parent === undefined
  const site = (isAtRoot && write.rules[kind.name]?.site?.(write, call.body)) || named
  const entity =
    kind.association !== undefined && site.parent
      ? createLink(
          write,
          { kind, owner: site.parent, slot: site.slot },
          { value: withoutDropped(write, kind, call.body), path: '' },
        )
      : createObject(write, kind, site, { value: call.body, path: '' })
  refuseComplaints(write, `Unable to create ${kind.name}.`)
  if (site.parent) touch(write, entity)
  return { is: 'object', item: displayedEntity(call, entity), createdId: entity.id }
}

function actOnObject(call: PlatformCall, entity: Entity): Answer {
  if (call.method === 'GET') return { is: 'object', item: displayedEntity(call, entity) }
  if (call.method === 'DELETE') {
    const { parent } = entity
    removeObject(call.write, entity)
    if (parent) touchParent(call.write, parent)
    return { is: 'gone' }
  }
  const kind = catalog[entity.kind]
  if (kind.association === undefined) updateObject(call.write, entity, call.body, '')
  else updateLink(call.write, entity, withoutDropped(call.write, kind, call.body), '')
  refuseComplaints(call.write, `Unable to update ${entity.kind}.`)
  touch(call.write, entity)
  return { is: 'object', item: displayedEntity(call, entity) }
}

function actOnSingle(call: PlatformCall, place: Extract<ObjectPath, { is: 'single' }>): Answer {
  const { parent, slot, kind } = place
  const child = childFieldOf(parent, slot)
  const [existing] = childrenIn(parent, slot)
  if (call.method === 'POST') {
    const entity = assignSingle(call.write, parent, child, { value: call.body, path: '' })
    refuseComplaints(call.write, `Unable to create ${kind.name}.`)
    touch(call.write, entity)
    return { is: 'object', item: displayedEntity(call, entity), createdId: '' }
  }
  if (!existing) return notFound(kind.name, parent.id)
  if (call.method !== 'DELETE') return actOnObject(call, existing)
  removeObject(call.write, existing)
  keepCache(call.write, parent)
  touchParent(call.write, parent)
  return { is: 'gone' }
}

/** The tree of a removed child has changed below its root, even if the parent is the root. */
function touchParent(write: RuledWrite, parent: Entity): void {
  if (parent.parent) touch(write, parent)
  else write.rules[parent.kind]?.touched?.(write, parent, 'below')
}

/** A value with its own path: the cache of a service, its OAuth profile, the CORS settings of an endpoint. */
type ValuePlace = Extract<ObjectPath, { is: 'value' }>

/** Returns the value, or 404 if it is not set. POST replaces it, PUT merges the body into it, DELETE clears it (A231). */
function actOnValue(call: PlatformCall, { holder, trail }: ValuePlace): Answer {
  const [field, member] = trail
  const whole = objectOf(displayedField(call, holder, field))
  const current = member === undefined ? whole : objectOf(whole[member])
  const name = trail.join('.')
  if (call.method !== 'POST' && Object.keys(current).length === 0) return notFound(name, holder.id)
  if (call.method === 'GET') return { is: 'object', item: current }
  const next = call.method === 'DELETE' ? null : { ...(call.method === 'PUT' ? current : {}), ...call.body }
  updateObject(call.write, holder, { [field]: member === undefined ? next : { ...whole, [member]: next } }, '')
  refuseComplaints(call.write, `Unable to update ${name}.`)
  touch(call.write, holder)
  if (next === null) return { is: 'gone' }
  const stored = objectOf(displayedField(call, holder, field))
  return { is: 'object', item: member === undefined ? stored : objectOf(stored[member]) }
}

/** The field as an answer shows it, so that a body of the same form can be merged into it. */
const displayedField = ({ reader }: PlatformCall, holder: Entity, field: string): Json | undefined =>
  projectedField(reader, holder, field)
