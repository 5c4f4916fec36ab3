import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inverseReferenceOf, isWritable, ownFields } from '../../src/catalog/queries.js'
import { canonical } from '../../src/catalog/value.js'
import { isList, isObject, type Json, sameJson } from '../../src/json/json.js'
import { environment, type Make, type World, worldIn } from '../kit/world.js'
import { type Desired, type DrawnArea, manifestsOf } from './area.js'
import { allLive, isBlank, liveArea } from './history/live.js'
import { everything } from './within.js'

/** Each writable field, by its object and its name. */
export type Live = ReadonlyMap<string, Json>

/** The live fields. */
export async function liveFields(make: Make): Promise<Live> {
  const fields = new Map<string, Json>()
  for (const object of allLive(await liveArea(make))) {
    if (isBlank(object)) continue
    const { kind, id, parent } = object
    const name = `${kind.name} ${parent?.id} ${id}`
    fields.set(name, true)
    for (const field of ownFields(kind)) {
      const live = object.value[field.name]
      // The event of an endpoint is answered in the list of the event.
      const isTold = isWritable(field) && inverseReferenceOf(kind, field) === undefined
      const value = isTold ? canonical(field.type, live) : undefined
      if (value === undefined) continue
      for (const [at, each] of leavesOf(`${name} ${field.name}`, value)) fields.set(at, each)
    }
  }
  return fields
}

/** Members of object fields are managed one by one. */
const leavesOf = (at: string, value: Json): readonly (readonly [string, Json])[] =>
  isObject(value) ? Object.entries(value).flatMap(([member, each]) => leavesOf(`${at}/${member}`, each)) : [[at, value]]

/** For a list of references, additions are compared with the final list, unless their target was deleted. */
function isLost(
  then: Json | undefined,
  edited: Json,
  now: Json | undefined,
  isThere: (id: string) => boolean,
): boolean {
  if (sameJson(edited, now ?? null)) return false
  const ids = (list: Json | undefined) =>
    isList(list) ? list.flatMap((each) => (isObject(each) && typeof each.id === 'string' ? each.id : [])) : []
  if (ids(edited).length === 0) return true
  return ids(edited).some((id) => !ids(then).includes(id) && !ids(now).includes(id) && isThere(id))
}

/** Somebody with separate manifests and records applies one of the objects of an area. */
export async function disturb({ make, io }: World, area: DrawnArea, chosen: number): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'gatewright-law-'))
  try {
    const world = worldIn(dir, make, { ...io, env: { ...environment, ...area.env } })
    const roots = area.objects.filter(({ kind }) => kind.name !== 'Domain')
    const isMeant = (each: Desired) => each.kind.name === 'Domain' || each === roots[chosen % roots.length]
    world.declare(...manifestsOf({ ...area, objects: area.objects.filter(isMeant) }))
    await world.run(['apply', '--yes', '--prune', 'none', ...everything])
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** Changes by somebody between two moments that are lost later, unless their target was deleted. */
export function lostOf(then: Live, edited: Live, now: Live): readonly (readonly [string, Json])[] {
  const there = new Set([...now.keys()].flatMap((at) => at.split(' ')[2] ?? []))
  const isThere = (id: string) => there.has(id)
  return [...edited].filter(([at, value]) => {
    const before = then.get(at)
    return !(before !== undefined && sameJson(before, value)) && isLost(before, value, now.get(at), isThere)
  })
}
