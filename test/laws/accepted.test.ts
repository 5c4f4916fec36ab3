import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { environment, type Make, type World, worldIn } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'
import { type DrawnArea, manifestsOf, similarAreas } from './area.js'
import { applied, everything, platform, runs, within } from './within.js'

const accept = ['--accept', '--reason', 'a law', '--owner', 'ops', '--expires', '2026-12-01']

const later = { now: () => Date.UTC(2026, 11, 2) }

const makes: readonly (readonly [string, 'known' | 'documented', () => Make])[] = [
  ['document', 'known', () => platform()],
  ['another', 'documented', () => createOtherMake({ defaultErrorSet: 'unless given' })],
]

const wordsOf = (changes: Awaited<ReturnType<World['plan']>>['changes']) =>
  changes.map(({ action, address, fields }) => [action, address, fields.map(({ path }) => path)])

/** Somebody without our records changes the area to another one. */
async function becomes(world: World, area: DrawnArea): Promise<boolean> {
  const dir = mkdtempSync(join(tmpdir(), 'gatewright-law-'))
  try {
    const other = worldIn(dir, world.make, { ...world.io, env: { ...environment, ...area.env } })
    other.declare(...manifestsOf(area))
    return (await other.apply('--prune', 'all', ...everything)).exitCode === 0
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

test.each(makes)(
  'on the make "%s" all changes by somebody can be accepted: plan and apply do not change them until that is over',
  async (_, origin, make) => {
    await fc.assert(
      fc.asyncProperty(similarAreas(origin), similarAreas(origin), async (first, second) => {
        await within(make(), first, async (world) => {
          await applied(world)
          fc.pre(await becomes(world, second))
          const before = wordsOf((await world.plan()).changes)
          const run = await world.drift(...accept)
          expect([run.exitCode, run.stdout]).toEqual([0, run.stdout])
          expect(wordsOf((await world.plan()).changes)).toEqual([])
          world.requests()
          expect((await world.apply()).exitCode).toBe(0)
          expect(world.requests().filter(({ method }) => method !== 'GET')).toEqual([])
          expect((await world.drift()).exitCode).toBe(0)
          expect(wordsOf((await world.plan()).changes)).toEqual([])
          // Values that nobody changed since are unchanged, and are reported as drift, after the acceptance has ended.
          expect(wordsOf((await world.run(['plan', '-o', 'json'], later)).json().changes)).toEqual(before)
          expect((await world.run(['drift'], later)).exitCode).toBe(before.length === 0 ? 0 : 2)
        })
      }),
      runs(4),
    )
  },
)
