import fc from 'fast-check'
import { expect, test } from 'vitest'
import { environment, worldIn } from '../kit/world.js'
import { manifestsOf, similarAreas } from './area.js'
import { applied, everything, makes, refused, runs, within } from './within.js'

/** The root object of an address. */
const rootOf = (address: string): string => address.split('/').slice(0, 2).join('/')

test.each(makes)(
  'on the make "%s" an area is changed to another one, one root object after another',
  async (_, origin, maker) => {
    await fc.assert(
      fc.asyncProperty(similarAreas(origin), similarAreas(origin), fc.nat(), async (first, second, chosen) => {
        await within(maker(), first, async (world) => {
          await applied(world)
          const before = refused(world).length
          const next = worldIn(world.dir, world.make, { ...world.io, env: { ...environment, ...second.env } })
          next.declare(...manifestsOf(second))
          for (;;) {
            const { changes } = await next.plan(...everything)
            fc.pre(!changes.some(({ action }) => action === 'blocked'))
            if (changes.length === 0) break
            const roots = [...new Set(changes.map(({ address }) => rootOf(address)))]
            const turned = roots.map((_each, index) => roots[(index + chosen) % roots.length] ?? '')
            let isDone = false
            for (const root of turned) {
              const run = await next.apply('--select', root, ...everything)
              const made = (run.json().changes ?? []).map(({ address }) => rootOf(address))
              expect(made).toEqual(made.map(() => root))
              isDone ||= run.exitCode === 0 && made.length > 0
            }
            // A plan that is deleted with its keys, and a key for the plan that replaces it, need each other.
            if (!isDone) await applied(next, ...roots.flatMap((root) => ['--select', root]), ...everything)
          }
          expect(refused(next).slice(before)).toEqual([])
        })
      }),
      runs(2),
    )
  },
)
