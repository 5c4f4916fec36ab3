import type { Json } from '../json/json.js'
import type { PlatformArea, Write } from './area.js'
import type { Entity } from './entity.js'
import { idsIn, refersKey } from './indexes.js'

/**
 * The event of an endpoint; the oldest one if several list it. The events hold this inverse reference, and endpoints only show
 * it.
 */
export function eventOf(area: PlatformArea, endpoint: Entity): Entity | undefined {
  return eventsOf(area, endpoint)[0]
}

/** Adds an endpoint to one event and removes it from all others. If the event is undefined, removes it from all. */
export function moveToEvent(write: Write, endpoint: Entity, event: Entity | undefined): void {
  for (const old of eventsOf(write.area, endpoint)) if (old !== event) dropEndpoint(write, old, endpoint.id)
  if (event && !endpointIdsOf(event).includes(endpoint.id)) addEndpoint(write, event, endpoint.id)
}

function addEndpoint(write: Write, event: Entity, id: string): void {
  setEndpoints(write, event, [...endpointIdsOf(event), id])
}

function dropEndpoint(write: Write, event: Entity, id: string): void {
  setEndpoints(
    write,
    event,
    endpointIdsOf(event).filter((each) => each !== id),
  )
}

/** The ids of the endpoints in an event. */
const endpointIdsOf = (event: Entity): readonly string[] => idsIn(event.fields.endpoints)

function eventsOf({ store }: PlatformArea, endpoint: Entity): readonly Entity[] {
  const listing = store.found(refersKey(endpoint.id)).filter((each) => each.kind === 'ScheduledMaintenanceEvent')
  return [...listing].sort((left, right) => left.uid - right.uid)
}

function setEndpoints(write: Write, event: Entity, ids: readonly string[]): void {
  const endpoints: Json = ids.map((id) => ({ id }))
  write.area.store.change(event, { ...event.fields, endpoints }, write.now)
}
