import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isWritable, ownFields } from '../../src/catalog/queries.js'
import { canonical } from '../../src/catalog/value.js'
import { isList, isObject, type Json, sameJson } from '../../src/json/json.js'
import { environment, type Make, type World, worldIn } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'
import { type Desired, type DrawnArea, manifestsOf, similarAreas } from './area.js'
import type { Origin } from './drawn.js'
import { allLive, isBlank, liveArea } from './history/live.js'
import { applied, everything, platform, runs, within } from './within.js'

const cases: readonly (readonly [string, Origin, () => Make])[] = [
  ['document', 'known', () => platform()],
  ['recorded', 'recorded', () => platform({ dialect: 'recorded' })],
  ['another', 'documented', () => createOtherMake({ defaultErrorSet: 'unless given' })],
]

/** What is live: each field that can be written, by its object and its name. */
async function liveFields(make: Make): Promise<ReadonlyMap<string, Json>> {
  const fields = new Map<string, Json>()
  for (const object of allLive(await liveArea(make))) {
    if (isBlank(object)) continue
    const { kind, id, parent } = object
    const name = `${kind.name} ${parent?.id} ${id}`
    fields.set(name, true)
    for (const field of ownFields(kind)) {
      const live = object.value[field.name]
      const value = isWritable(field) ? canonical(field.type, live) : undefined
      if (value !== undefined) fields.set(`${name} ${field.name}`, value)
    }
  }
  return fields
}

/** Of a list of references what has come to it is held against what is there in the end, unless that is gone for good. */
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

/** Somebody with manifests and records of his own applies one of the objects of an area. */
async function disturb({ make, io }: World, area: DrawnArea, chosen: number): Promise<void> {
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

test.each(cases)('on the make "%s" a saved plan undoes nothing that somebody did since', async (_, origin, maker) => {
  await fc.assert(
    fc.asyncProperty(
      similarAreas(origin),
      similarAreas(origin),
      similarAreas(origin),
      fc.nat(),
      async (first, second, others, chosen) => {
        const make = maker()
        await within(make, first, async (world) => {
          await applied(world)
          const next = worldIn(world.dir, make, { ...world.io, env: { ...environment, ...second.env } })
          next.declare(...manifestsOf(second))
          const planned = await next.run(['plan', '--out', 'plan.json', ...everything])
          fc.pre(planned.exitCode === 0)
          const then = await liveFields(make)
          await disturb(world, others, chosen)
          const edited = await liveFields(make)
          next.requests()
          const { exitCode } = await next.run(['apply', 'plan.json', '--yes', ...everything])
          const now = await liveFields(make)
          const sent = next.requests().filter(({ method }) => method !== 'GET')
          expect([0, 3, 4]).toContain(exitCode)
          if (exitCode === 4) expect(sent).toEqual([])
          const there = new Set([...now.keys()].flatMap((at) => at.split(' ')[2] ?? []))
          const isThere = (id: string) => there.has(id)
          const lost = [...edited].filter(([at, value]) => {
            const before = then.get(at)
            return !(before !== undefined && sameJson(before, value)) && isLost(before, value, now.get(at), isThere)
          })
          expect(lost).toEqual([])
        })
      },
    ),
    runs(4),
  )
})
