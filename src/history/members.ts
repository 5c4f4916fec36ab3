import { memberOf } from '../catalog/shapes.js'
import type { FieldType } from '../catalog/types.js'
import { sameValue } from '../catalog/value.js'
import { isObject, type Json, objectOf } from '../json/json.js'

/** Members of object fields are managed one by one, so they are undone one by one. Other values are undone as a whole. */

/**
 * The parts that a run has changed, with their values before it. `managed`: what its manifest wrote, with null for secrets;
 * `after`: the same without secrets. undefined if it changed nothing.
 */
export function changedMembers(
  type: FieldType | undefined,
  value: Json,
  managed: Json | undefined,
  after: Json | undefined,
): Json | undefined {
  if (type?.is !== 'shape' || !isObject(managed)) return value
  const [then, now] = [objectOf(value), objectOf(after)]
  const members = Object.keys(managed).flatMap((name): [string, Json][] => {
    const member = memberOf(type.shape, name)
    const before = then[name] ?? null
    const isObjectNow = member?.type.is === 'shape' && isObject(managed[name])
    const isSame = Object.hasOwn(now, name) && member && sameValue(member.type, now[name], before, member.default)
    if (isSame && !isObjectNow) return []
    const inner = changedMembers(member?.type, before, managed[name], now[name])
    return inner === undefined ? [] : [[name, inner]]
  })
  return members.length === 0 ? undefined : Object.fromEntries(members)
}

/** The members of an object that are also written; any other value as a whole. */
export function membersIn(type: FieldType | undefined, held: Json, written: Json | undefined): Json {
  if (type?.is !== 'shape' || !isObject(held) || !isObject(written)) return held
  const kept = Object.entries(held).filter(([name]) => Object.hasOwn(written, name))
  return Object.fromEntries(
    kept.map(([name, value]) => [name, membersIn(memberOf(type.shape, name)?.type, value, written[name])]),
  )
}

/** The value that was put back, with the members that were known besides; null if none is left. */
export function withMembers(type: FieldType | undefined, known: Json | undefined, back: Json): Json {
  if (type?.is !== 'shape' || !isObject(back)) return back
  const held = objectOf(known)
  const put = Object.entries(back).map(([name, value]): [string, Json] => [
    name,
    withMembers(memberOf(type.shape, name)?.type, held[name], value),
  ])
  const members = Object.entries({ ...held, ...Object.fromEntries(put) }).filter(([, value]) => value !== null)
  return members.length === 0 ? null : Object.fromEntries(members)
}
