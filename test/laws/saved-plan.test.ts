import fc from 'fast-check'
import { expect, test } from 'vitest'
import { environment, worldIn } from '../kit/world.js'
import { manifestsOf, similarAreas } from './area.js'
import { disturb, liveFields, lostOf } from './disturbed.js'
import { applied, everything, makes, runs, within } from './within.js'

test.each(makes)(
  'on the make "%s" a saved plan does not undo later changes by somebody else',
  async (_, origin, maker) => {
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
            expect(lostOf(then, edited, now)).toEqual([])
          })
        },
      ),
      runs(4),
    )
  },
)
