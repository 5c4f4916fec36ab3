import { catalog } from '../../catalog/catalog.js'
import { isObject, sameJson } from '../../json/json.js'
import { below, complain, findById, type Write } from '../area.js'
import { referenced } from '../body.js'
import { childrenIn, type Entity, entityText } from '../entity.js'
import { idsIn, listedTexts, routeClaims, routeKey } from '../indexes.js'
import type { KindRules, Writing } from '../kind-rules.js'
import { moveToEvent } from '../maintenance.js'
import { checkHost } from './domain.js'

/** Active domains must allow the hosts of an endpoint, and no other endpoint may use its routes. */
export const endpointRules: KindRules = {
  relate: relateEvent,
  check: (write, entity, writing) => {
    checkHosts(write, entity, writing, 'publicDomains')
    checkHosts(write, entity, writing, 'systemDomains')
    checkRoutes(write, entity, writing)
    checkErrorSet(write, entity, writing)
    keepCache(write, entity)
  },
}

/** Recorded platforms always show a cache in an endpoint: an object of zeros (field notes, Reading). */
export function keepCache(write: Write, endpoint: Entity): void {
  if (write.area.settings.dialect !== 'recorded' || childrenIn(endpoint, 'cache').length > 0) return
  const fields = Object.fromEntries(
    Object.values(catalog.Cache.fields).map((field) => [field.name, field.default ?? []]),
  )
  const { now, area } = write
  const draft = { kind: 'Cache', id: '', parent: endpoint, slot: 'cache', owner: undefined } as const
  area.store.insert({ ...draft, created: now, updated: now, fields })
}

function relateEvent(write: Write, endpoint: Entity, { body, path }: Writing): void {
  const given = body.scheduledMaintenanceEvent
  if (given === undefined) return
  const at = below(path, 'scheduledMaintenanceEvent')
  const event = given === null ? undefined : referenced(write, 'ScheduledMaintenanceEvent', given, at)
  if (event || given === null) moveToEvent(write, endpoint, event)
}

function checkHosts(write: Write, entity: Entity, { before, path }: Writing, field: string): void {
  if (sameJson(before[field], entity.fields[field])) return
  listedTexts(entity.fields[field]).forEach((host, index) => {
    checkHost(write, host, `${below(path, field)}[${index}]`)
  })
}

function checkRoutes(write: Write, entity: Entity, { before, path }: Writing): void {
  const moved = ['publicDomains', 'supportedHttpMethods', 'requestPathAlias'].some(
    (field) => !sameJson(before[field], entity.fields[field]),
  )
  if (!moved) return
  // In the recordings, the error names the traffic manager's domain.
  const blamed = write.area.settings.dialect === 'recorded' ? 'trafficManagerDomain' : 'requestPathAlias'
  for (const claim of routeClaims(entity)) {
    const holder = write.area.store.found(routeKey(claim)).find((other) => other !== entity)
    if (!holder) continue
    const method = claim.method === '' ? 'ANY' : claim.method.toUpperCase()
    const owner = holder.parent ? `service '${entityText(holder.parent, 'name') ?? holder.parent.id}'` : 'someone else'
    complain(
      write,
      below(path, blamed),
      `Found an endpoint with method '${method}', domain '${claim.host}' and path '${claim.path}' that belongs to ${owner}`,
    )
  }
}

function checkErrorSet(write: Write, entity: Entity, { given, path }: Writing): void {
  if (!isObject(given.errorSet)) return
  const [id = ''] = idsIn(given.errorSet)
  const errorSet = findById(write.area, 'ErrorSet', id)
  if (errorSet && errorSet.parent !== entity.parent) {
    complain(write, below(path, 'errorSet'), `The ErrorSet '${id}' belongs to another service.`)
  }
}
