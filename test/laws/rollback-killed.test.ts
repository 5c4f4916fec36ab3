import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type KillPoint, killedAt } from '../kit/kill.js'
import { environment, type Run, testClock, type World, worldIn } from '../kit/world.js'
import { type DrawnArea, manifestsOf, similarAreas } from './area.js'
import { applied, everything, keepsake, platform, runs, within } from './within.js'

/** Rollbacks of runs that were killed, rollbacks that were killed, and rollbacks of runs that took something over. */

/** The words of a rollback after which a plan of the old manifests may still have changes. */
const inPart = /cannot be undone in full: (?!it gets a new id|each of them)|left/

const kills = fc.record({ write: fc.nat(15), when: fc.constantFrom('before' as const, 'after' as const) })

const areas = () => [similarAreas('known'), similarAreas('known')] as const

/** Uses a folder that is deleted afterwards. */
async function inFolder<Result>(use: (dir: string) => Promise<Result>): Promise<Result> {
  const dir = mkdtempSync(join(tmpdir(), 'gatewright-law-'))
  try {
    return await use(dir)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** The same project in another folder, with the secrets of an area. */
const inThatOf = ({ make, io }: World, dir: string, { env }: DrawnArea): World =>
  worldIn(dir, make, { ...io, env: { ...environment, ...env } })

/** Runs until it is killed; its records are then in `copy`, and it has not ended. */
async function cut(world: World, at: KillPoint, copy: string, run: (world: World) => Promise<Run>): Promise<void> {
  const dead = worldIn(
    world.dir,
    killedAt(world.make, at, () => world.dir, copy),
    // Further work of a dead run takes no time.
    { ...world.io, sleep: () => Promise.resolve() },
  )
  fc.pre((await run(dead)).exitCode === 3)
}

/** Checks that a rollback has succeeded, and that a plan of the manifests before the run has only changes that it has named. */
async function expectUndone(world: World, back: Run, before: DrawnArea): Promise<void> {
  expect([back.stdout, back.stderr, back.exitCode]).toEqual([back.stdout, back.stderr, 0])
  expect(back.stderr).not.toContain('somebody')
  world.declare(...manifestsOf(before))
  const named = back.stderr.split('\n').filter((line) => inPart.test(line))
  const isNamed = (address: string) =>
    address
      .split('/')
      .some((_, index, parts) => named.some((line) => line.includes(`${parts.slice(0, index + 1).join('/')} `)))
  const isRemade = back.stderr.includes('gets a new id')
  const unnamed = (await world.plan(...everything)).changes.filter(
    (change) =>
      !isNamed(change.address) &&
      // References to an object that was created again, and that the run did not write, must be linked again.
      !(isRemade && change.action === 'update' && change.fields.every(({ after }) => Array.isArray(after))),
  )
  expect([unnamed, back.stderr]).toEqual([[], back.stderr])
}

/** A project whose records have the manifests of one area, and whose manifests are now those of another. */
interface Two {
  readonly first: DrawnArea
  readonly second: World
  /** When a run is killed, and the folder for the records of the killed run. */
  readonly at: KillPoint
  readonly copy: string
  readonly clock: ReturnType<typeof testClock>
  /** The first area with these records. */
  readonly firstAgain: () => World
}

const forTwoAreas = (law: (two: Two) => Promise<void>) =>
  fc.assert(
    fc.asyncProperty(...areas(), kills, async (first, second, at) => {
      const clock = testClock()
      await within(platform({ now: clock.now }), first, (drawn) =>
        inFolder(async (copy) => {
          const world = worldIn(drawn.dir, drawn.make, { ...drawn.io, ...clock })
          await applied(world)
          const next = inThatOf(world, world.dir, second)
          next.declare(...manifestsOf(second))
          await law({ first, second: next, at, copy, clock, firstAgain: () => inThatOf(world, copy, first) })
        }),
      )
    }),
    runs(2),
  )

/** Undoes the changes after an area was applied, and expects that a plan of that area is empty then. */
const expectUndoneBy = (undo: (two: Two) => Promise<Run>) =>
  forTwoAreas(async (two) => {
    const back = await undo(two)
    await expectUndone(two.firstAgain(), back, two.first)
  })

/** Applies the second area and kills the rollback of that run; returns the command of the rollback. */
async function killedRollback({ second, at, copy }: Two): Promise<readonly string[]> {
  const change = await second.apply(...everything)
  fc.pre(change.exitCode === 0 && change.json().changes.length > 0)
  const rollback = ['rollback', change.json().run ?? '', '--yes', ...everything]
  await cut(second, at, copy, (dead) => dead.run(rollback))
  return rollback
}

test('the rollback of a killed run undoes its changes', () =>
  expectUndoneBy(async ({ second, at, copy }) => {
    await cut(second, at, copy, (dead) => dead.apply(...everything))
    const back = await worldIn(copy, second.make, second.io).run(['rollback', 'latest', '--yes', ...everything])
    // A key has no name by which it can be found: an announced create stays.
    fc.pre(!back.stderr.includes('PackageKey'))
    return back
  }))

test('a rollback that was killed and is run again ends in the same state as an uncut one', () =>
  expectUndoneBy(async (two) => {
    const rollback = await killedRollback(two)
    return await worldIn(two.copy, two.second.make, two.second.io).run(rollback)
  }))

test('an apply of the manifests before the run completes a rollback that was killed', () =>
  forTwoAreas(async (two) => {
    await killedRollback(two)
    const back = two.firstAgain()
    back.declare(...manifestsOf(two.first))
    await two.clock.sleep(600_000)
    await applied(back, ...everything)
    expect((await back.plan(...everything)).changes).toEqual([])
    expect((await back.drift()).exitCode).toBe(0)
  }))

test('an object that a run took over belongs to nobody after its rollback', async () => {
  await fc.assert(
    fc.asyncProperty(...areas(), async (first, second) => {
      await within(platform(), first, (drawn) =>
        inFolder(async (dir) => {
          await applied(drawn)
          const own = inThatOf(drawn, dir, second)
          own.declare(...keepsake)
          await own.apply()
          own.declare(...manifestsOf(second))
          const change = await own.apply(...everything)
          fc.pre(change.exitCode === 0 && change.json().run !== null)
          const back = await own.run(['rollback', 'latest', '--yes', ...everything])
          expect([back.stdout, back.stderr, back.exitCode]).toEqual([back.stdout, back.stderr, 0])
          own.declare(...keepsake)
          expect([(await own.plan()).changes, back.stderr]).toEqual([[], back.stderr])
          expect((await own.drift()).exitCode).toBe(0)
        }),
      )
    }),
    runs(3),
  )
})
