import { catalog } from '../catalog/catalog.js'
import type { JsonObject } from '../json/json.js'
import { objectsIn } from '../json/json.js'
import { findById } from './area.js'
import { type Answer, displayedEntity, type PlatformCall, refuseComplaints } from './call.js'
import type { Entity } from './entity.js'
import { updateLink } from './links.js'
import type { ObjectPath, Trace } from './locate.js'
import { eventOf, moveToEvent } from './maintenance.js'
import { listed, ofLists } from './projection.js'
import { parseListQuery, selectPage, traitsOf } from './query.js'
import { notFound, refuse } from './refusal.js'
import { createObject, updateObject } from './write.js'

/** The place of references: the endpoints of an event, what a plan service includes, the event of an endpoint. */
type ReferredPlace = Extract<ObjectPath, { is: 'referred' }>

/** Lists, shows, adds or removes one reference of a list. */
export function actOnReferred(call: PlatformCall, { holder, trail }: ReferredPlace): Answer {
  const last = trail.at(-1)
  if (!last) throw new Error('references without a list')
  if (last.holds === 'one') return actOnPicked(call, holder, trail, last)
  const entries = entriesAlong(holder, trail)
  if (call.method === 'POST') return add(call, holder, trail, last)
  if (last.id === undefined) {
    const known = listed(call.reader, holder)
    const seen = known ? entriesAlong(known, trail) : []
    return listReferred({ ...call, reader: ofLists(call.reader) }, holder, last, seen)
  }
  const entry = entries.find((each) => each.id === last.id)
  const target = entry && findById(call.area, last.kind.name, last.id)
  if (!entry || !target) return notFound(last.kind.name, last.id)
  if (call.method === 'GET') return { is: 'object', item: showEntry(call, holder, target, entry) }
  if (call.method === 'PUT') {
    const changed = { ...call.body, id: last.id }
    replaceList(
      call,
      holder,
      trail,
      entries.map((each) => (each === entry ? changed : each)),
    )
    const now = entriesAlong(holder, trail).find((each) => each.id === last.id) ?? entry
    return { is: 'object', item: showEntry(call, holder, target, now) }
  }
  const others = entries.filter((each) => each !== entry)
  replaceList(call, holder, trail, others)
  return { is: 'gone' }
}

/** The only filter of a plan's method. POST replaces it; the other methods answer 404 if there is none (A315). */
function actOnPicked(call: PlatformCall, holder: Entity, trail: readonly Trace[], last: Trace): Answer {
  const picked = (): Entity | undefined => {
    const [entry] = entriesAlong(holder, trail)
    return typeof entry?.id === 'string' ? findById(call.area, last.kind.name, entry.id) : undefined
  }
  const before = picked()
  if (call.method !== 'POST' && !before) return notFound(last.kind.name, trail.at(-2)?.id ?? '')
  if (call.method === 'POST') replaceList(call, holder, trail, [call.body])
  if (call.method === 'DELETE') replaceList(call, holder, trail, [])
  const now = picked()
  return call.method === 'DELETE' || !now ? { is: 'gone' } : { is: 'object', item: displayedEntity(call, now) }
}

/** The event of an endpoint: assigned by its id, or created from its fields. */
export function actOnInverseReference(call: PlatformCall, endpoint: Entity): Answer {
  if (call.method === 'POST') return assignEvent(call, endpoint)
  const event = eventOf(call.area, endpoint)
  if (!event) return notFound('ScheduledMaintenanceEvent of the endpoint', endpoint.id)
  if (call.method === 'DELETE') {
    moveToEvent(call.write, endpoint, undefined)
    return { is: 'gone' }
  }
  if (call.method === 'PUT') {
    updateObject(call.write, event, call.body, '')
    refuseComplaints(call.write, 'Unable to update ScheduledMaintenanceEvent.')
  }
  return { is: 'object', item: displayedEntity(call, event) }
}

function assignEvent(call: PlatformCall, endpoint: Entity): Answer {
  const body = call.body
  const kind = catalog.ScheduledMaintenanceEvent
  const known = typeof body.id === 'string' ? findById(call.area, kind.name, body.id) : undefined
  if (typeof body.id === 'string' && !known) refuse('id', `There is no ${kind.name} with id '${body.id}'.`)
  const event = known ?? createObject(call.write, kind, { parent: undefined, slot: '' }, { value: body, path: '' })
  refuseComplaints(call.write, `Unable to create ${kind.name}.`)
  moveToEvent(call.write, endpoint, event)
  const item = displayedEntity(call, event)
  return known ? { is: 'object', item } : { is: 'object', item, createdId: event.id }
}

function listReferred(
  call: PlatformCall,
  holder: Entity,
  { kind, field }: Trace,
  entries: readonly JsonObject[],
): Answer {
  const byTarget = new Map<Entity, JsonObject>()
  for (const entry of entries) {
    const target = typeof entry.id === 'string' ? findById(call.reader.area, kind.name, entry.id) : undefined
    if (target) byTarget.set(target, entry)
  }
  const query = parseListQuery(call.parameters, traitsOf(field, kind.name, holder.kind), call.pageCap)
  const { page, total } = selectPage(call.reader, [...byTarget.keys()], query)
  return { is: 'list', items: page.map((target) => showEntry(call, holder, target, byTarget.get(target) ?? {})), total }
}

/** A plan service shows only the included parts of its endpoints; an event shows its endpoints completely. */
function showEntry(call: PlatformCall, holder: Entity, target: Entity, entry: JsonObject): JsonObject {
  return catalog[holder.kind].association === undefined
    ? displayedEntity(call, target)
    : displayedEntity(call, target, entry)
}

function add(call: PlatformCall, holder: Entity, trail: readonly Trace[], last: Trace): Answer {
  const body = call.body
  const entries = entriesAlong(holder, trail)
  if (entries.some((each) => each.id === body.id)) refuse('id', `${last.kind.name} '${body.id}' already exists.`)
  replaceList(call, holder, trail, [...entries, body])
  const target = typeof body.id === 'string' ? findById(call.area, last.kind.name, body.id) : undefined
  const entry = entriesAlong(holder, trail).find((each) => each.id === body.id)
  if (!target || !entry) return notFound(last.kind.name, String(body.id))
  return { is: 'object', item: showEntry(call, holder, target, entry), createdId: target.id }
}

function entriesAlong(holder: Entity, trail: readonly Trace[]): readonly JsonObject[] {
  let owner: JsonObject = holder.fields
  let entries: readonly JsonObject[] = []
  for (const [index, { kind, field, id }] of trail.entries()) {
    entries = objectsIn(owner[field])
    if (index === trail.length - 1) break
    owner = entries.find((each) => each.id === id) ?? notFound(kind.name, id ?? '')
  }
  return entries
}

function replaceList(call: PlatformCall, holder: Entity, trail: readonly Trace[], list: readonly JsonObject[]): void {
  const body = bodyWith(holder.fields, trail, list)
  if (catalog[holder.kind].association === undefined) updateObject(call.write, holder, body, '')
  else updateLink(call.write, holder, body, '')
  refuseComplaints(call.write, `Unable to update ${holder.kind}.`)
}

/** A body that changes only the list at the end of the trail. */
function bodyWith(owner: JsonObject, trail: readonly Trace[], list: readonly JsonObject[]): JsonObject {
  const [first, ...rest] = trail
  if (!first) return owner
  if (rest.length === 0) return { [first.field]: first.holds === 'list' ? list : (list[0] ?? null) }
  const entries = objectsIn(owner[first.field]).map((entry) =>
    entry.id === first.id ? { ...entry, ...bodyWith(entry, rest, list) } : entry,
  )
  return { [first.field]: entries }
}
