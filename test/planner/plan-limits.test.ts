import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/json.js'
import { createPlatform } from '../../src/platform/server.js'
import { temporaryFolder } from '../kit/folder.js'
import { killedAt } from '../kit/kill.js'
import { type DocumentText, document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { strict } from '../kit/strict.js'
import { environment, type Make, testClock, type World, world, worldIn, writesIn } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'

/** Limits of plans and of their keys that change together: no key is ever above its plan, not even for a moment. */

const clock = () => ({ now: testClock().now })
/** On the first make, runs are killed at every write; on the others, in the middle. */
const makes: readonly (readonly [string, () => Make])[] = [
  ['the embedded platform', () => strict(createPlatform({ idSeed: 'limits', ...clock() }))],
  [
    'the embedded platform, as recorded',
    () => strict(createPlatform({ idSeed: 'limits', dialect: 'recorded', ...clock() })),
  ],
  ['another make', () => strict(createOtherMake())],
]

interface Limits {
  readonly plan: JsonObject
  readonly keys: readonly JsonObject[]
}

const env = { ...environment, KEY_0: 'first-apikey', KEY_1: 'second-apikey', PASSWORD: 'a-password' }
const allowed = ['--allow', 'LIMIT_LOWERED']

const documents = ({ plan, keys }: Limits): readonly DocumentText[] => [
  document('Package', 'P', { plans: [{ name: 'Gold', ...plan }] }),
  document('Member', 'm', {
    email: 'm@example.com',
    displayName: 'M',
    externalId: '1',
    passwdNew: '${env:PASSWORD}',
    applications: keys.map((limits, index) => ({
      name: `a${index}`,
      packageKeys: [
        { package: 'P', plan: 'Gold', apikey: `\${env:KEY_${index}}`, secret: '${env:PASSWORD}', ...limits },
      ],
    })),
  }),
]

const limits = (rateLimitCeiling: number, qpsLimitCeiling: number): JsonObject => ({
  rateLimitCeiling,
  qpsLimitCeiling,
})

const cases: readonly (readonly [string, Limits, Limits, writes: number])[] = [
  [
    'one limit rises and the other falls',
    { plan: limits(1000, 50), keys: [limits(1000, 50)] },
    { plan: limits(5000, 10), keys: [limits(4000, 10)] },
    3,
  ],
  [
    'one key gets higher limits and another one lower ones',
    { plan: limits(1000, 50), keys: [limits(100, 50), limits(1000, 5)] },
    { plan: limits(5000, 10), keys: [limits(100, 10), limits(4000, 5)] },
    4,
  ],
  [
    'with another period',
    { plan: { ...limits(100, 50), rateLimitPeriod: 'hour' }, keys: [limits(80, 40)] },
    { plan: { ...limits(2000, 10), rateLimitPeriod: 'day' }, keys: [limits(1500, 8)] },
    3,
  ],
  [
    'with a shorter period and a lower number',
    { plan: { ...limits(100_000, 10), rateLimitPeriod: 'month' }, keys: [limits(80_000, 8)] },
    { plan: { ...limits(5000, 50), rateLimitPeriod: 'hour' }, keys: [limits(4000, 40)] },
    3,
  ],
  [
    'an exemption begins and another limit falls',
    { plan: limits(1000, 50), keys: [limits(1000, 50)] },
    { plan: { ...limits(1000, 10), rateLimitExempt: true }, keys: [limits(9000, 10)] },
    3,
  ],
  [
    'an exemption ends and another limit rises',
    { plan: { ...limits(1000, 50), rateLimitExempt: true }, keys: [limits(9000, 50)] },
    { plan: { ...limits(1000, 90), rateLimitExempt: false }, keys: [limits(900, 80)] },
    3,
  ],
  ['both rise', { plan: limits(10, 5), keys: [limits(10, 5)] }, { plan: limits(20, 9), keys: [limits(20, 9)] }, 2],
  ['both fall', { plan: limits(20, 9), keys: [limits(20, 9)] }, { plan: limits(10, 5), keys: [limits(10, 5)] }, 2],
]

async function beforeChange(make: Make, from: Limits, to: Limits): Promise<World> {
  const area = world(make, { ...testClock(), env })
  area.declare(...documents(from))
  const first = await area.apply()
  expect([first.stderr, first.exitCode]).toEqual([first.stderr, 0])
  area.declare(...documents(to))
  return area
}

const plansOf = async (make: Make) => {
  const fields = ['name', 'rateLimitCeiling', 'qpsLimitCeiling', 'rateLimitPeriod'].map((each) => `plans.${each}`)
  const [found] = await (await restOf(make)).get(`/packages?fields=id,${fields.join(',')}`)
  return ((found?.plans ?? []) as readonly JsonObject[])[0]
}

describe.each(makes)('%s', (name, make) => {
  test.each(cases)('%s: in one apply, and killed at every write in the next one', async (__, from, to, writes) => {
    const uncut = make()
    const area = await beforeChange(uncut, from, to)
    const before = writesIn(uncut)
    const run = await area.apply(...allowed)
    expect([run.stdout, run.exitCode]).toEqual([run.stdout, 0])
    expect(writesIn(uncut) - before).toBe(writes)
    expect((await area.plan()).changes).toEqual([])
    const kills = name === makes[0]?.[0] ? Array.from({ length: writes - 1 }, (___, write) => write) : [0]
    for (const write of kills) {
      const platform = make()
      const cut = await beforeChange(platform, from, to)
      const copy = temporaryFolder()
      await worldIn(
        cut.dir,
        killedAt(platform, { write, when: 'after' }, () => cut.dir, copy),
        cut.io,
      ).apply(...allowed)
      const again = worldIn(copy, platform, cut.io)
      const next = await again.apply(...allowed)
      expect([write, next.stdout, next.exitCode]).toEqual([write, next.stdout, 0])
      expect((await again.plan()).changes).toEqual([])
      expect((await again.drift()).exitCode).toBe(0)
    }
  })
})

describe('a plan with one limit that rises and another one that falls', () => {
  const [[, make] = ['', createOtherMake]] = makes
  const [[, from, to] = ['', { plan: {}, keys: [] }, { plan: {}, keys: [] }]] = cases

  /** A make that refuses every write of a key while `isRefused` says so. */
  const refusing = (platform: Make, isRefused: () => boolean): Make => ({
    log: platform.log,
    fetch: (request) =>
      request.method === 'PUT' && request.url.includes('/packageKeys/') && isRefused()
        ? Promise.resolve(Response.json({ errorCode: 400, errorMessage: 'not today' }, { status: 400 }))
        : platform.fetch(request),
  })

  test('reports it in the plan', async () => {
    const area = await beforeChange(make(), from, to)
    const [plan] = (await area.plan()).changes.filter(({ kind }) => kind === 'Plan')
    expect(plan?.reason).toMatch(/one of its limits rises and another one falls: it first gets the wider value of both/)
  })

  test('keeps the wider limits and reports it if a key is refused; this causes no conflict later', async () => {
    const platform = make()
    const area = await beforeChange(platform, from, to)
    const run = await worldIn(
      area.dir,
      refusing(platform, () => true),
      area.io,
    ).apply(...allowed)
    expect(run.exitCode).toBe(3)
    const plan = run.json().changes.find(({ kind }) => kind === 'Plan')
    expect([plan?.outcome, plan?.left]).toEqual(['blocked', { rateLimitCeiling: 5000 }])
    expect(plan?.error).toMatch(/^needs Member\/m\/.*, which is not done; rateLimitCeiling stands at 5000 for now$/)
    expect(await plansOf(platform)).toMatchObject(limits(5000, 50))
    // The remaining limits of this run count as applied: another number in the manifests is no conflict.
    area.declare(...documents({ plan: limits(6000, 10), keys: [limits(4000, 10)] }))
    const again = await area.apply(...allowed)
    expect([again.stdout, again.exitCode]).toEqual([again.stdout, 0])
    expect(await plansOf(platform)).toMatchObject(limits(6000, 10))
  })

  test('causes no conflict if the run is killed in between and the manifests change then', async () => {
    const platform = make()
    const area = await beforeChange(platform, from, to)
    const copy = temporaryFolder()
    await worldIn(
      area.dir,
      killedAt(platform, { write: 0, when: 'after' }, () => area.dir, copy),
      area.io,
    ).apply(...allowed)
    const again = worldIn(copy, platform, area.io)
    again.declare(...documents({ plan: limits(6000, 10), keys: [limits(4000, 10)] }))
    expect((await again.apply(...allowed)).exitCode).toBe(0)
    expect(await plansOf(platform)).toMatchObject(limits(6000, 10))
  })

  test('can be rolled back, even if it was killed in between', async () => {
    for (const write of [0, 1, 2]) {
      const platform = make()
      const area = await beforeChange(platform, from, to)
      const copy = temporaryFolder()
      await worldIn(
        area.dir,
        killedAt(platform, { write, when: 'after' }, () => area.dir, copy),
        area.io,
      ).apply(...allowed)
      const back = await worldIn(copy, platform, area.io).run(['rollback', 'latest', '--yes', ...allowed])
      expect([write, back.stdout + back.stderr, back.exitCode]).toEqual([write, back.stdout + back.stderr, 0])
      expect(await plansOf(platform)).toMatchObject(limits(1000, 50))
    }
  })
})
