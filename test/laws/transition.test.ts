import fc from 'fast-check'
import { expect, test } from 'vitest'
import { environment, type Make, type World, worldIn } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'
import { manifestsOf, similarAreas } from './area.js'
import type { Origin } from './drawn.js'
import { applied, everything, platform, refused, runs, within } from './within.js'

const cases: readonly (readonly [string, Origin, () => Make, string])[] = [
  ['document', 'known', () => platform(), 'applied'],
  ['document', 'known', () => platform(), 'all'],
  ['recorded', 'recorded', () => platform({ dialect: 'recorded' }), 'applied'],
  ['another', 'documented', () => createOtherMake({ defaultErrorSet: 'unless given' }), 'all'],
]

/** A service must always have an error set: such a plan is refused, which this law does not check. */
async function isStopped(world: World, prune: string): Promise<boolean> {
  const { changes } = await world.plan('--prune', prune, ...everything)
  return changes.some((change) => change.action === 'blocked' && change.reason?.includes('keeps at least one'))
}

/** Refusals of only the second apply. */
const refusedSince = (world: World, before: number) => refused(world).slice(before)

test.each(cases)('on the make "%s" any area becomes any other ', async (_, origin, make, prune) => {
  await fc.assert(
    fc.asyncProperty(similarAreas(origin), similarAreas(origin), async (first, second) => {
      await within(make(), first, async (world) => {
        await applied(world)
        const before = refused(world).length
        const next = worldIn(world.dir, world.make, { ...world.io, env: { ...environment, ...second.env } })
        next.declare(...manifestsOf(second))
        fc.pre(!(await isStopped(next, prune)))
        await applied(next, '--prune', prune, ...everything)
        expect(refusedSince(next, before)).toEqual([])
        expect((await next.plan('--prune', prune)).changes).toEqual([])
      })
    }),
    runs(6),
  )
})
