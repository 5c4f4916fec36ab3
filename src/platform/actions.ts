import { catalog } from '../catalog/catalog.js'
import { type Answer, type PlatformCall, settle, shown } from './call.js'
import { childrenIn, type Entity } from './entity.js'
import { createLink, updateLink, withoutDropped } from './links.js'
import { childFieldOf, type ObjectPath } from './locate.js'
import { ofLists } from './projection.js'
import { parseListQuery, selectPage, traitsOf } from './query.js'
import { actOnInverseReference, actOnReferred } from './references.js'
import { notFound } from './refusal.js'
import { removeObject } from './remove.js'
import { keepCache } from './rules/endpoint.js'
import { assignSingle, createObject, type RuledWrite, touch, updateObject } from './write.js'

/** Does what a call asks for at the place that it names. */
export function act(call: PlatformCall, place: ObjectPath): Answer {
  switch (place.is) {
    case 'collection':
      return call.method === 'GET' ? list(call, place) : create(call, place)
    case 'object':
      return actOnObject(call, place.entity)
    case 'single':
      return actOnSingle(call, place)
    case 'referred':
      return actOnReferred(call, place)
    case 'inverseReference':
      return actOnInverseReference(call, place.holder)
  }
}

type CollectionPlace = Extract<ObjectPath, { is: 'collection' }>

function list(call: PlatformCall, { kind, site, members }: CollectionPlace): Answer {
  const query = parseListQuery(call.parameters, traitsOf(call.segment, kind.name, site.parent?.kind), call.pageCap)
  const lists = { ...call, reader: ofLists(call.reader) }
  const { page, total } = selectPage(lists.reader, members(), query)
  return { is: 'list', items: page.map((entity) => shown(lists, entity)), total }
}

function create(call: PlatformCall, { kind, site }: CollectionPlace): Answer {
  const { write } = call
  const entity =
    kind.association !== undefined && site.parent
      ? createLink(
          write,
          { kind, owner: site.parent, slot: site.slot },
          { value: withoutDropped(write, kind, call.body()), path: '' },
        )
      : createObject(write, kind, site, { value: call.body(), path: '' })
  settle(write, `Unable to create ${kind.name}.`)
  if (site.parent) touch(write, entity)
  return { is: 'object', item: shown(call, entity), createdId: entity.id }
}

function actOnObject(call: PlatformCall, entity: Entity): Answer {
  if (call.method === 'GET') return { is: 'object', item: shown(call, entity) }
  if (call.method === 'DELETE') {
    const { parent } = entity
    removeObject(call.write, entity)
    if (parent) touchParent(call.write, parent)
    return { is: 'gone' }
  }
  const kind = catalog[entity.kind]
  if (kind.association === undefined) updateObject(call.write, entity, call.body(), '')
  else updateLink(call.write, entity, withoutDropped(call.write, kind, call.body()), '')
  settle(call.write, `Unable to update ${entity.kind}.`)
  touch(call.write, entity)
  return { is: 'object', item: shown(call, entity) }
}

function actOnSingle(call: PlatformCall, place: Extract<ObjectPath, { is: 'single' }>): Answer {
  const { parent, slot, kind } = place
  const child = childFieldOf(parent, slot)
  const [existing] = childrenIn(parent, slot)
  if (call.method === 'POST') {
    const entity = assignSingle(call.write, parent, child, { value: call.body(), path: '' })
    settle(call.write, `Unable to create ${kind.name}.`)
    touch(call.write, entity)
    return { is: 'object', item: shown(call, entity), createdId: '' }
  }
  if (!existing) return notFound(kind.name, parent.id)
  if (call.method !== 'DELETE') return actOnObject(call, existing)
  removeObject(call.write, existing)
  keepCache(call.write, parent)
  touchParent(call.write, parent)
  return { is: 'gone' }
}

/** The tree of a removed child has changed below its root, even where the parent is that root. */
function touchParent(write: RuledWrite, parent: Entity): void {
  const root = parent.parent ? parent : undefined
  if (root) touch(write, root)
  else write.rules[parent.kind]?.touched?.(write, parent, 'below')
}
