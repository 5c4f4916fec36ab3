import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createPlatform } from '../../src/platform/server.js'
import { killedAt } from '../kit/kill.js'
import { document } from '../kit/manifests.js'
import { type Make, testClock, type World, worldIn } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'

/** What a run that was killed has not come to is not applied yet: nobody has changed it on the platform, and --resume does it. */

type Clock = ReturnType<typeof testClock>

const makes: readonly (readonly [string, (clock: Clock) => Make])[] = [
  ['document', (clock) => createPlatform({ autoApprove: true, idSeed: 'test', ...clock })],
  ['recorded', (clock) => createPlatform({ autoApprove: true, idSeed: 'test', dialect: 'recorded', ...clock })],
  ['another make', () => createOtherMake({ defaultErrorSet: 'always' })],
]

const domain = document('Domain', 'example.com')

/** Roles follow the create of their service, what an endpoint refers to that of its tree. */
const documents = (isEveryField: boolean) => [
  domain,
  document('Role', 'Partners'),
  document('Service', 'Orders', {
    roles: [{ name: 'Partners', action: 'read' }],
    errorSets: [{ name: 'own' }],
    endpoints: [
      {
        ...{ name: 'e', requestPathAlias: '/e', trafficManagerDomain: 'example.com', publicDomains: ['example.com'] },
        ...(isEveryField && { errorSet: 'own' }),
      },
    ],
  }),
]

const folder = (): string => {
  const dir = mkdtempSync(join(tmpdir(), 'gatewright-test-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

test.each(makes)('on the make "%s" a run that is killed at any of its writes leaves no drift', async (name, makeIn) => {
  const points = [0, 1, 2, 3, 4].flatMap((write) => [
    { write, when: 'before' } as const,
    { write, when: 'after' } as const,
  ])
  const found: string[] = []
  for (const point of points) {
    const clock = testClock()
    const make = makeIn(clock)
    const first = worldIn(folder(), make, clock)
    first.declare(domain)
    expect((await first.apply()).exitCode).toBe(0)
    const copy = folder()
    const dead = { now: clock.now, sleep: () => Promise.resolve() }
    const cut: World = worldIn(
      first.dir,
      killedAt(make, point, () => first.dir, copy),
      dead,
    )
    cut.declare(...documents(name !== 'another make'))
    if ((await cut.apply()).exitCode === 0) continue
    const left = worldIn(copy, make, clock)
    found.push(`${point.write} ${point.when}: ${(await left.drift()).exitCode}`)
    expect((await left.run(['apply', '--yes', '--resume'])).exitCode).toBe(0)
    expect((await left.plan()).changes).toEqual([])
    expect((await left.drift()).exitCode).toBe(0)
  }
  expect(found.length).toBeGreaterThan(5)
  expect(found.filter((each) => !each.endsWith(': 0'))).toEqual([])
})

test.each(makes)(
  'on the make "%s" what the platform adds by itself is not told as no longer declared',
  async (_, makeIn) => {
    for (const when of ['before', 'after'] as const) {
      const clock = testClock()
      const make = makeIn(clock)
      const first = worldIn(folder(), make, clock)
      const copy = folder()
      const cut = worldIn(
        first.dir,
        killedAt(make, { write: 1, when }, () => first.dir, copy),
        { now: clock.now, sleep: () => Promise.resolve() },
      )
      cut.declare(
        document('Role', 'Partners'),
        document('Service', 'S', { roles: [{ name: 'Partners', action: 'read' }] }),
      )
      expect((await cut.apply()).exitCode).not.toBe(0)
      const left = worldIn(copy, make, clock)
      for (const run of [await left.drift(), await left.run(['plan', '-o', 'json'])]) {
        expect(run.json().diagnostics.map(({ code }) => code)).not.toContain('last-one-stays')
      }
      expect((await left.apply()).exitCode).toBe(0)
      expect((await left.plan()).changes).toEqual([])
    }
  },
)

test.each(makes)(
  'on the make "%s" what a killed run has perhaps written is nobody\'s edit (A88)',
  async (_, makeIn) => {
    const about = (description: string) => document('Service', 'S', { description })
    for (const when of ['before', 'after'] as const) {
      const clock = testClock()
      const make = makeIn(clock)
      const first = worldIn(folder(), make, clock)
      first.declare(about('one'))
      expect((await first.apply()).exitCode).toBe(0)
      const copy = folder()
      const dying = killedAt(make, { write: 0, when }, () => first.dir, copy)
      const cut = worldIn(first.dir, dying, { now: clock.now, sleep: () => Promise.resolve() })
      cut.declare(about('two'))
      expect((await cut.apply()).exitCode).not.toBe(0)
      const left = worldIn(copy, make, clock)
      left.declare(about('three'))
      expect((await left.plan()).changes).toMatchObject([{ fields: [{ path: '/description', verdict: 'pending' }] }])
      expect((await left.apply()).exitCode).toBe(0)
      expect((await left.drift()).exitCode).toBe(0)
    }
  },
)
