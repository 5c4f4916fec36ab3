import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/json.js'
import { laidOut } from '../kit/laid-out.js'
import { restOf } from '../kit/rest.js'
import type { World } from '../kit/world.js'
import { manifestsOf, similarAreas } from './area.js'
import { disturb } from './disturbed.js'
import { platform, runs, within } from './within.js'

/** Any change by somebody in an area is written into manifests in any layout by drift --write, or reported as not written. */

const cases = [
  ['document', () => platform()],
  ['recorded', () => platform({ dialect: 'recorded' })],
] as const

/** The services, and the endpoints of one, that get another name on the platform. */
const renames = fc.array(fc.record({ service: fc.nat(2), endpoint: fc.option(fc.nat(2)) }), { maxLength: 2 })

type Renames = typeof renames extends fc.Arbitrary<infer Value> ? Value : never

async function rename({ make }: World, chosen: Renames): Promise<void> {
  const rest = await restOf(make)
  for (const { service, endpoint } of chosen) {
    const services = await rest.get('/services?fields=id,name')
    const [{ id, name } = {}] = services.slice(service % Math.max(services.length, 1))
    if (endpoint === null && id) await rest.put(`/services/${String(id)}`, { name: `x: ${String(name)} #` })
    if (endpoint === null || !id) continue
    const path = `/services/${String(id)}/endpoints`
    const endpoints = await rest.get(`${path}?fields=id,name`)
    const [found] = endpoints.slice(endpoint % Math.max(endpoints.length, 1))
    if (found) await rest.put(`${path}/${String(found.id)}`, { name: `- ${String(found.name)}` })
  }
}

const folder = ({ dir }: World) => join(dir, 'manifests')

const textsIn = (world: World) =>
  readdirSync(folder(world)).map((name) => readFileSync(join(folder(world), name), 'utf8'))

function lay(world: World, documents: readonly object[], next: () => number): void {
  rmSync(folder(world), { recursive: true })
  mkdirSync(folder(world))
  documents.forEach((each, index) => {
    const value: JsonObject = JSON.parse(JSON.stringify({ apiVersion: 'gatewright/v1', ...each }))
    writeFileSync(join(folder(world), `${index}.yaml`), laidOut(value, next))
  })
}

describe.each(cases)('on the make "%s"', (_, make) => {
  test('drift is written, once, or reported as not written', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(similarAreas('known'), similarAreas('known'), fc.nat(20), renames),
        fc.infiniteStream(fc.nat(9)),
        ([area, other, chosen, renamed], numbers) =>
          within(make(), area, async (world) => {
            lay(world, manifestsOf(area), () => numbers.next().value ?? 0)
            const apply = await world.apply()
            fc.pre(apply.exitCode === 0)
            await disturb(world, other, chosen)
            await rename(world, renamed)
            const drift = await world.drift('--write')
            const written = textsIn(world)
            const told = `${written.join('---\n')}${drift.stdout}`
            const refused = drift.json().diagnostics.filter(({ severity }) => severity === 'warning')
            expect([0, 2], told).toContain(drift.exitCode)
            const plan = await world.plan()
            const left = plan.changes.filter(({ fields }) => fields.some(({ verdict }) => verdict !== 'pending'))
            const untold = left.filter(({ address }) => !refused.some(({ message }) => message.startsWith(address)))
            expect(untold, told).toEqual([])
            await world.drift('--write')
            expect(textsIn(world), told).toEqual(written)
          }),
      ),
      runs(6),
    )
  })
})
