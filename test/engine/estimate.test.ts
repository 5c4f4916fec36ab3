import { describe, expect, test } from 'vitest'
import type { PlatformSettings } from '../../src/platform/settings.js'
import { type DocumentText, document } from '../kit/manifests.js'
import { canaries, storefront } from '../kit/storefront.js'
import { embedded, environment, type World } from '../kit/world.js'

const allowed = ['TRAFFIC_STOP', 'IRREVERSIBLE', 'KEY_LOSS', 'AUTH_WEAKENED', 'LIMIT_LOWERED', 'ID_CHANGE']
const flags = ['--allow-replace', ...allowed.flatMap((name) => ['--allow', name])]

const domain = document('Domain', 'example.com')
const endpoint = (name: string, more = {}) => ({
  name,
  requestPathAlias: `/${name}`,
  trafficManagerDomain: 'api.example.com',
  publicDomains: ['api.example.com'],
  ...more,
})
const many = (size: number, more = {}) =>
  Array.from({ length: size }, (_, index) => document('Role', `Role ${String(index).padStart(4, '0')}`, more))

const service = (more = {}) =>
  document('Service', 'Orders', {
    roles: [{ name: 'Role 0001', action: 'read' }],
    errorSets: [{ name: 'own', type: 'text/xml', errorMessages: [{ id: 'ERR_403_NOT_AUTHORIZED', status: 'No' }] }],
    endpoints: [
      endpoint('a', { methods: [{ name: 'x' }, { name: 'y' }] }),
      endpoint('b', { cache: { clientSurrogateControlEnabled: true } }),
    ],
    ...more,
  })

const pack = (more = {}) =>
  document('Package', 'Partners', {
    plans: [
      { name: 'Gold', services: [{ name: 'Orders', endpoints: [{ name: 'a', methods: ['x'] }, { name: 'b' }] }] },
      { name: 'Silver' },
    ],
    ...more,
  })

const member = (plan: string) =>
  document('Member', 'jane', {
    email: 'jane@example.com',
    displayName: 'Jane',
    externalId: '1',
    passwdNew: 'a-pass-word',
    applications: [
      { name: 'Shop', packageKeys: [{ package: 'Partners', plan, apikey: 'shop-key-0001', secret: 'shop-secret' }] },
    ],
  })

/** States of an area, one after another: every step is planned, and applied with exactly as many requests. */
const histories: Readonly<Record<string, readonly (readonly DocumentText[])[]>> = {
  'creates with roles and error sets, updates, deletes': [
    [domain, ...many(3), service()],
    [
      domain,
      ...many(3),
      service({ description: 'changed', endpoints: [endpoint('a', { connectionTimeoutForSystemDomainRequest: 10 })] }),
    ],
    [domain, ...many(3), service({ roles: [], endpoints: [] })],
    [domain, ...many(3), document('Removed', { address: 'Service/Orders' })],
  ],
  'renames of objects with children': [
    [domain, ...many(3), service(), pack()],
    [
      domain,
      ...many(3),
      { ...service(), metadata: { name: 'Sales', formerly: ['Orders'] } },
      {
        ...document('Package', 'Partners', {
          plans: [{ name: 'Gold', services: [{ name: 'Sales', endpoints: [{ name: 'a', methods: ['x'] }] }] }],
        }),
        metadata: { name: 'Friends', formerly: ['Partners'] },
      },
    ],
  ],
  'packages, members and keys': [
    [domain, ...many(3), service(), pack(), member('Gold')],
    [domain, ...many(3), service(), pack({ description: 'changed' }), member('Silver')],
    [domain, ...many(3), service(), pack({ plans: [{ name: 'Silver', qpsLimitCeiling: 5 }] }), member('Silver')],
  ],
  'several pages': [
    many(150),
    many(250, { description: 'more' }),
    [...many(90), document('Removed', { address: 'Role/Role 0091' })],
  ],
}

async function step(world: World, documents: readonly DocumentText[], env: Record<string, string>): Promise<void> {
  world.declare(...documents)
  const io = { env: { ...environment, ...env } }
  const planned = await world.run(['plan', '-o', 'json', ...flags], io)
  expect(planned.exitCode, planned.stdout).toBe(0)
  const estimate = planned.json().estimate.requests
  world.requests()
  const run = await world.run(['apply', '--yes', '-o', 'json', ...flags], io)
  expect({ exitCode: run.exitCode, stdout: run.exitCode === 0 ? '' : run.stdout + run.stderr }).toEqual({
    exitCode: 0,
    stdout: '',
  })
  // The reading for the displayed plan does not count as part of the apply, if it is repeated there.
  expect(run.json().requests, 'the run counts as many').toBe(estimate)
}

describe.each(['document', 'recorded'] as const)(
  'the estimate is the number of requests of apply, in the dialect %s',
  (dialect) => {
    // Only a service shows whether roles are answered nested: the document says no, recordings say yes.
    const options: PlatformSettings = { dialect, seed: { services: [{ id: 'legacy', name: 'Legacy' }] } }

    test.each(Object.entries(histories))('%s', async (_, history) => {
      const world = embedded(options)
      for (const documents of history) await step(world, documents, {})
    })

    test('the storefront', async () => {
      const world = embedded(options)
      await step(world, storefront, canaries)
    })

    test('an empty plan costs the reading', async () => {
      const world = embedded(options)
      await step(world, [domain], {})
      const { estimate } = await world.plan()
      expect([estimate.requests, (await world.apply()).json().requests]).toEqual([1, 1])
    })
  },
)
