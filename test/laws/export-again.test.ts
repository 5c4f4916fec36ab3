import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { filesIn, variablesOf } from '../kit/exports.js'
import { environment } from '../kit/world.js'
import { areas, type Desired, type DrawnArea, manifestsOf } from './area.js'
import { drawnFields } from './drawn.js'
import { applied, platform, runs, within } from './within.js'

const cases = [
  ['document', () => platform()],
  ['recorded', () => platform({ dialect: 'recorded' })],
] as const

/** The same area as somebody wrote it long ago: other values, some children missing, some with other names. */
function former(area: DrawnArea, other: DrawnArea): DrawnArea {
  const donors = new Map<string, Desired[]>()
  const collect = (object: Desired): void => {
    donors.set(object.kind.name, [...(donors.get(object.kind.name) ?? []), object])
    object.children.forEach(collect)
  }
  other.objects.forEach(collect)
  let count = 0
  const changed = (object: Desired, parent: Desired | undefined): Desired => {
    count += 1
    const names = drawnFields(object.kind, 'known').filter(({ secret, writeOnly }) => !secret && !writeOnly)
    const all = donors.get(object.kind.name) ?? []
    const donor = all[count % Math.max(all.length, 1)]
    const fields = { ...object.fields }
    for (const { name } of names) {
      const value = donor?.fields[name]
      if (fields[name] !== undefined && value !== undefined) fields[name] = value
    }
    const isRenamed =
      parent !== undefined &&
      count % 7 === 0 &&
      object.kind.naming !== undefined &&
      !object.kind.association &&
      !object.kind.fixedSet
    const name = isRenamed ? `${object.name} (old)` : object.name
    const copy: Desired = { ...object, name, parent, fields, children: [] }
    copy.children.push(
      ...object.children.filter((_, index) => (index + count) % 4 !== 0).map((child) => changed(child, copy)),
    )
    return copy
  }
  return { ...area, objects: area.objects.map((object) => changed(object, undefined)) }
}

describe.each(cases)('on the make "%s"', (_, make) => {
  test('whatever the manifests contain, their plan is empty after an export, and another export writes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(areas('known'), areas('known'), (area, other) =>
        within(make(), area, async (world) => {
          await applied(world)
          world.declare(...manifestsOf(former(area, other)))
          const exported = await world.run(['export', '--prune', '--dir', 'manifests', '-o', 'json'])
          expect(exported.exitCode, exported.stdout + exported.stderr).toBe(0)
          const env = { ...environment, ...(await variablesOf(world.make)), ...area.env }
          const plan = (await world.run(['plan', '-o', 'json'], { env })).json()
          expect(plan.changes ?? plan.diagnostics, exported.stdout).toEqual([])
          const files = filesIn(world, 'manifests')
          expect((await world.run(['export', '--dir', 'manifests', '-o', 'json'])).json().files).toEqual([])
          expect(filesIn(world, 'manifests')).toEqual(files)
        }),
      ),
      runs(8),
    )
  })
})
