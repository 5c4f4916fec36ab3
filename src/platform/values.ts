import { type Json, objectOf } from '../json/json.js'
import { type Answer, type PlatformCall, refuseComplaints } from './call.js'
import type { Entity } from './entity.js'
import type { ObjectPath } from './locate.js'
import { projectedField } from './projection.js'
import { notFound } from './refusal.js'
import { touch, updateObject } from './write.js'

/** A value with its own path: the cache of a service, its OAuth profile, the CORS settings of an endpoint. */
type ValuePlace = Extract<ObjectPath, { is: 'value' }>

/** Returns the value, or 404 if it is not set. POST replaces it, PUT merges the body into it, DELETE clears it (A231). */
export function actOnValue(call: PlatformCall, { holder, trail }: ValuePlace): Answer {
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
