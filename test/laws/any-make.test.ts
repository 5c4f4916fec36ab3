import fc from 'fast-check'
import { expect, test } from 'vitest'
import { exported } from '../kit/exports.js'
import { environment, type World, worldIn } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'
import type { StoreOptions } from '../other-make/store.js'
import { manifestsOf, similarAreas } from './area.js'
import { applied, everything, runs, within } from './within.js'

/** Makes with any mixture of the options of the other make, as long as nothing that was sent is lost. */
const options: fc.Arbitrary<Partial<StoreOptions>> = fc.record({
  defaultErrorSet: fc.constantFrom('never', 'unless given', 'always'),
  errorSetName: fc.constantFrom('Default', 'Standard'),
  singles: fc.constantFrom('in a list', 'bare'),
  booleans: fc.constantFrom('words', 'zero and one', 'texts'),
  numbers: fc.constantFrom('numbers', 'texts'),
  datetimes: fc.constantFrom('to the millisecond', 'to the minute'),
  secrets: fc.constantFrom('in clear', 'hidden', 'hidden by length', 'but for the end'),
  ignoredOnCreate: fc.subarray([
    'members.roles',
    'services.description',
    'plans.eav',
    'endpoints.cors',
    'methods.sampleXmlResponse',
  ]),
  roles: fc.constantFrom('apart', 'nested'),
  linkIds: fc.constantFrom('of roles', 'of links'),
  pageLimit: fc.constantFrom(2, 7, 100),
})

async function isAsDeclared(world: World): Promise<void> {
  const { changes, diagnostics } = await world.plan()
  expect([changes, diagnostics.filter(({ severity }) => severity === 'error')]).toEqual([[], []])
  const drift = await world.drift()
  expect([drift.exitCode, drift.json().changes]).toEqual([0, []])
}

test('on any make: a plan after an apply is empty, after a change, after a rollback, and of an export', async () => {
  await fc.assert(
    fc.asyncProperty(options, similarAreas('documented'), similarAreas('documented'), (make, first, second) =>
      within(createOtherMake(make), first, async (world) => {
        await applied(world)
        await isAsDeclared(world)
        const next = worldIn(world.dir, world.make, { ...world.io, env: { ...environment, ...second.env } })
        next.declare(...manifestsOf(second))
        const change = await next.apply(...everything)
        fc.pre(change.exitCode !== 1 && change.exitCode !== 5)
        expect([change.exitCode, change.json().changes.filter(({ outcome }) => outcome !== 'applied')]).toEqual([0, []])
        await isAsDeclared(next)
        const back = await next.run(['rollback', 'latest', '--yes', ...everything])
        expect([back.exitCode, back.stderr]).toEqual([0, back.stderr])
        world.declare(...manifestsOf(first))
        await applied(world, ...everything)
        await isAsDeclared(world)
        await exported(world)
        const planned = (await world.run(['plan', '-o', 'json'], { env: environment })).json()
        expect([planned.changes, planned.diagnostics.filter(({ severity }) => severity === 'error')]).toEqual([[], []])
      }),
    ),
    runs(4),
  )
})
