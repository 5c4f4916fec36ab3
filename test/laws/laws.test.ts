import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createOtherMake } from '../other-make/area.js'
import { areas } from './area.js'
import { applied, makes, refused, runs, within } from './within.js'

const cases = [...makes, ['yet another', 'documented', () => createOtherMake({ defaultErrorSet: 'never' })] as const]

describe.each(cases)('on the make "%s"', (_, origin, make) => {
  test('a plan after an apply is empty, and there is no drift', async () => {
    await fc.assert(
      fc.asyncProperty(areas(origin), (area) =>
        within(make(), area, async (world) => {
          await applied(world)
          expect(refused(world)).toEqual([])
          expect((await world.plan()).changes).toEqual([])
          expect((await world.drift()).exitCode).toBe(0)
        }),
      ),
      runs(12),
    )
  })
})
