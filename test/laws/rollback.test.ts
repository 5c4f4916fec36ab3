import fc from 'fast-check'
import { expect, test } from 'vitest'
import { environment, worldIn } from '../kit/world.js'
import { manifestsOf, similarAreas } from './area.js'
import { disturb, liveFields, lostOf } from './disturbed.js'
import { applied, everything, platform, runs, within } from './within.js'

/** The words of a rollback after which a plan of the old manifests may still have changes. */
const inPart = /cannot be undone in full: (?!it gets a new id|each of them)|left as it is/

test('after a rollback, a plan of the old manifests is empty, except for changes that the rollback has named', async () => {
  await fc.assert(
    fc.asyncProperty(similarAreas('known'), similarAreas('known'), async (first, second) => {
      await within(platform(), first, async (world) => {
        await applied(world)
        const next = worldIn(world.dir, world.make, { ...world.io, env: { ...environment, ...second.env } })
        next.declare(...manifestsOf(second))
        const change = await next.apply(...everything)
        fc.pre(change.exitCode === 0 && change.json().changes.length > 0)
        const back = await next.run(['rollback', 'latest', '--yes', ...everything])
        expect([back.stdout, back.stderr, back.exitCode]).toEqual([back.stdout, back.stderr, 0])
        world.declare(...manifestsOf(first))
        const left = (await world.plan(...everything)).changes
        const named = back.stderr.split('\n').filter((line) => inPart.test(line))
        const isRemade = back.stderr.includes('gets a new id')
        const unnamed = left.filter(
          (change) =>
            !named.some((line) => isNamed(line, change.address)) &&
            // References to an object that was created again, and that the run did not write, must be linked again.
            !(isRemade && change.action === 'update' && change.fields.every(({ after }) => Array.isArray(after))),
        )
        expect([unnamed, back.stderr]).toEqual([[], back.stderr])
      })
    }),
    runs(6),
  )
})

test('a rollback does not undo later changes by somebody else', async () => {
  await fc.assert(
    fc.asyncProperty(
      similarAreas('known'),
      similarAreas('known'),
      similarAreas('known'),
      fc.nat(),
      async (first, second, others, chosen) => {
        await within(platform(), first, async (world) => {
          await applied(world)
          const next = worldIn(world.dir, world.make, { ...world.io, env: { ...environment, ...second.env } })
          next.declare(...manifestsOf(second))
          const change = await next.apply(...everything)
          fc.pre(change.exitCode === 0 && change.json().changes.length > 0)
          const then = await liveFields(world.make)
          await disturb(world, others, chosen)
          const edited = await liveFields(world.make)
          const { exitCode, stdout, stderr } = await next.run(['rollback', 'latest', '--yes', ...everything])
          const now = await liveFields(world.make)
          // An object that the run created is deleted completely, as its plan shows.
          const isThere = (at: string) => now.has(at.split(' ').slice(0, 3).join(' '))
          const lost = lostOf(then, edited, now).filter(([at]) => isThere(at))
          expect([lost, exitCode, stdout, stderr]).toEqual([[], exitCode, stdout, stderr])
        })
      },
    ),
    runs(4),
  )
})

/** The object itself is named, or one of its ancestors. */
const isNamed = (line: string, address: string): boolean =>
  address.split('/').some((_, index, parts) => line.includes(`${parts.slice(0, index + 1).join('/')} `))
