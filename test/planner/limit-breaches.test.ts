import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/json.js'
import { document } from '../kit/manifests.js'
import { embedded, environment } from '../kit/world.js'
import { planOf, words } from './plans.js'

/** The limits of a key compared with those of a live plan: a change that the platform would refuse is blocked in the plan. */

const live = (plan: JsonObject, ...keys: readonly JsonObject[]) => ({
  packages: [{ id: 'p', name: 'P', plans: [{ id: 'g', name: 'G', rateLimitCeiling: 100, services: [], ...plan }] }],
  members: [{ id: 'j', username: 'j', applications: [{ id: 'a', name: 'A', packageKeys: keys }] }],
})
const key = (own: JsonObject) =>
  document(
    'PackageKey',
    { member: 'j', application: 'A' },
    { package: 'P', plan: 'G', apikey: 'key-1', secret: '$' + '{env:SECRET}', ...own },
  )
const plan = (fields: JsonObject) => document('Plan', { package: 'P', name: 'G' }, fields)
const told = (documents: Parameters<typeof planOf>[0], area: Parameters<typeof planOf>[1]) =>
  planOf(documents, area).changes.flatMap((change) =>
    change.kind === 'PackageKey' ? [change.action === 'blocked' ? change.reason : change.action] : [],
  )

test.each<readonly [string, JsonObject, JsonObject, readonly string[]]>([
  ['above the maximum', { rateLimitCeiling: 500 }, {}, ['rateLimitCeiling 500 is above the 100 of its plan']],
  ['within it', { rateLimitCeiling: 50 }, {}, ['create']],
  ['above the maximum of an exempt plan', { rateLimitCeiling: 500 }, { rateLimitExempt: true }, ['create']],
  [
    'an exemption that is not allowed',
    { rateLimitExempt: true },
    { rateLimitKeyOverrideAllowed: false },
    ['rateLimitExempt is a limit of its own, and rateLimitKeyOverrideAllowed of its plan is false'],
  ],
])('a new key of a plan that no manifest declares: %s', (_, own, limits, problems) => {
  expect(told([key(own)], live(limits))).toEqual(problems)
})

test.each<readonly [string, JsonObject, JsonObject, string]>([
  ['its own limit', { rateLimitCeiling: 10 }, {}, 'rateLimitCeiling is a limit of its own'],
  [
    'its own limit, with a maximum of 0',
    { qpsLimitCeiling: 1 },
    { qpsLimitCeiling: 0 },
    'qpsLimitCeiling is a limit of its own',
  ],
  ['the limit that platforms set by default', { rateLimitCeiling: 5000, qpsLimitCeiling: 2 }, {}, 'create'],
  ['none', { rateLimitCeiling: 0 }, {}, 'create'],
])('a new key of a new plan that does not allow limits for its keys: %s', (_, own, limits, outcome) => {
  const forbidding = { rateLimitKeyOverrideAllowed: false, qpsLimitKeyOverrideAllowed: false, ...limits }
  const documents = [
    document('Package', { name: 'Q' }, { plans: [{ name: 'G', ...forbidding }] }),
    key({ ...own, package: 'Q' }),
  ]
  expect(told(documents, live({}))).toEqual([expect.stringMatching(outcome)])
})

test('a declared plan counts with its desired limits', () => {
  expect(told([plan({ rateLimitCeiling: 1000 }), key({ rateLimitCeiling: 500 })], live({}))).toEqual(['create'])
  expect(told([plan({ description: 'new' }), key({ rateLimitCeiling: 500 })], live({}))).toEqual([
    'rateLimitCeiling 500 is above the 100 of its plan',
  ])
})

test('a key that already has such a limit is not blocked, whatever else of it changes', () => {
  const references = { package: { id: 'p', name: 'P' }, plan: { id: 'g', name: 'G' } }
  const there = { id: 'k', apikey: 'key-1', secret: 'secret-value', rateLimitCeiling: 500, ...references }
  const changed = planOf([key({ rateLimitCeiling: 500, status: 'disabled' })], live({}, there))
  expect(words(changed)).toEqual([expect.stringMatching(/^update .*: \/status$/)])
})

test('the plan is read with its limits for this check', async () => {
  const area = embedded(
    { seed: live({ rateLimitKeyOverrideAllowed: false }) },
    { env: { ...environment, SECRET: 's' } },
  )
  area.declare(key({ rateLimitCeiling: 50 }))
  expect((await area.plan()).changes).toMatchObject([
    {
      action: 'blocked',
      reason: 'rateLimitCeiling is a limit of its own, and rateLimitKeyOverrideAllowed of its plan is false',
    },
  ])
})

test("a plan that no longer writes its limit gets the platform's default; a plan that ignores it keeps the live limit", async () => {
  const area = embedded({ seed: live({ rateLimitCeiling: 50 }) }, { env: { ...environment, SECRET: 's' } })
  area.declare(plan({ rateLimitCeiling: 100 }), key({}))
  expect((await area.apply('--allow', 'LIMIT_LOWERED')).exitCode).toBe(0)
  const planned = async () => (await area.plan()).changes.map(({ kind, action }) => `${action} ${kind}`)
  area.declare(plan({}), key({ rateLimitCeiling: 500 }))
  expect(await planned()).toEqual(['update Plan', 'update PackageKey'])
  area.declare(
    document('Plan', { package: 'P', name: 'G', ignore: ['/rateLimitCeiling'] }, {}),
    key({ rateLimitCeiling: 500 }),
  )
  expect(await planned()).toEqual(['blocked PackageKey'])
  const ignored = document('Plan', { package: 'P', name: 'G', ignore: ['/rateLimitCeiling'] }, { rateLimitCeiling: 5 })
  area.declare(ignored, key({ rateLimitCeiling: 60 }))
  expect(await planned()).toEqual(['update PackageKey'])
})

test.each([
  ['beside its plan', [plan({ rateLimitCeiling: 100 })]],
  ['of a plan that no manifest declares', []],
] as const)('a secret limit is not displayed in any message: %s', async (_, plans) => {
  const env = { ...environment, SECRET: 's', LIMIT: '731' }
  const area = embedded({ seed: live({}) }, { env })
  area.declare(...plans, key({ rateLimitCeiling: '$' + '{env:LIMIT}' }))
  for (const form of ['text', 'json', 'markdown']) {
    const { stdout, stderr } = await area.run(['plan', '-o', form])
    expect(stdout + stderr).toContain('above the limit of its plan')
    expect(stdout + stderr).not.toMatch(/\b731\b/)
  }
  const range = document('Package', 'Q', { nearQuotaThreshold: '$' + '{env:LIMIT}' })
  area.declare(range)
  const { stdout } = await area.run(['validate'])
  expect(stdout).toContain('only 0 to 100 mean anything')
  expect(stdout).not.toMatch(/\b731\b/)
})
