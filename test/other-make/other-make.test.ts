import { expect, test } from 'vitest'
import { canaries, documentedStorefront } from '../kit/storefront.js'
import { environment, world } from '../kit/world.js'
import { createOtherMake } from './area.js'
import type { StoreOptions } from './store.js'

const env = { ...environment, ...canaries }

test.each(['never', 'unless given', 'always'] as const)(
  'plan, apply, empty plan, no drift; an error set "Default": %s',
  async (defaultErrorSet) => {
    const make = createOtherMake({ defaultErrorSet })
    const other = world(make, { env })
    other.declare(...documentedStorefront)
    const planned = await other.plan()
    expect(planned.changes.every((change) => change.action === 'create')).toBe(true)
    const applied = await other.apply()
    expect(applied.json().changes.filter((change) => change.outcome !== 'applied')).toEqual([])
    expect(applied.exitCode).toBe(0)
    expect(make.log.filter(({ status }) => status >= 400)).toEqual([])
    expect((await other.plan()).changes).toEqual([])
    expect((await other.drift()).exitCode).toBe(0)
  },
)

const quirks: readonly (readonly [string, Partial<StoreOptions>])[] = [
  ['datetimes are answered without seconds', { datetimes: 'to the minute' }],
  [
    'a create ignores fields that an update takes',
    { ignoredOnCreate: ['members.roles', 'services.description', 'packages.eav', 'plans.rateLimitCeiling'] },
  ],
  ['flags and numbers are answered as texts', { booleans: 'texts', numbers: 'texts' }],
]

test.each(quirks)('plan, apply, empty plan, no drift; %s', async (_, options) => {
  const make = createOtherMake(options)
  const other = world(make, { env })
  const attributes = { eav: { level: 3, isOpen: true } }
  other.declare(...documentedStorefront, { kind: 'Package', metadata: { name: 'Numbers' }, spec: attributes })
  expect((await other.apply()).exitCode).toBe(0)
  expect(make.log.filter(({ status }) => status >= 400)).toEqual([])
  expect((await other.plan()).changes).toEqual([])
  expect((await other.drift()).exitCode).toBe(0)
  const exported = world(make, { env })
  expect((await exported.run(['export', '--dir', 'manifests'])).exitCode).toBe(0)
  expect((await exported.plan()).changes).toEqual([])
})

test.each(['never', 'always'] as const)(
  'names are cut off: each object is created once, and the name to write is reported; an error set "Default": %s',
  async (defaultErrorSet) => {
    const make = createOtherMake({ longestName: 10, defaultErrorSet })
    const other = world(make)
    const names = ['problem-json', 'plain-text-1', 'short']
    other.declare({
      kind: 'Service',
      metadata: { name: 'S' },
      spec: { errorSets: names.map((name) => ({ name, type: 'text/json' })) },
    })
    const run = await other.apply()
    expect(run.exitCode).toBe(3)
    const errors = run.json().changes.flatMap(({ error }) => error ?? [])
    expect(errors.map((error) => /under the name "(.*)": write that name/.exec(error)?.[1]).sort()).toEqual([
      'plain-text',
      'problem-js',
    ])
    await other.apply()
    const made = make.store.all('errorSets').map(({ values }) => String(values.name))
    expect(made.sort()).toEqual(names.map((name) => name.slice(0, 10)).sort())
  },
)

test('an update that empties fields which it does not contain is reported as that', async () => {
  const other = world(createOtherMake({ updates: 'replace' }))
  const declare = (version: string) =>
    other.declare({ kind: 'Service', metadata: { name: 'S' }, spec: { description: 'text', version } })
  declare('1')
  expect((await other.apply()).exitCode).toBe(0)
  declare('2')
  const run = await other.apply()
  expect(run.exitCode).toBe(3)
  expect(run.json().changes).toMatchObject([
    {
      outcome: 'notKept',
      error: expect.stringMatching(/^the platform emptied \/description, which the update did not name/),
    },
  ])
})

test('domains that wait for approval: a later apply continues', async () => {
  const make = createOtherMake({ domains: 'waiting' })
  const other = world(make, { env })
  other.declare(...documentedStorefront)
  const first = await other.apply()
  expect(first.exitCode).toBe(3)
  const { changes, summary } = first.json()
  const outcomeOf = (address: string) => changes.find((change) => change.address === address)?.outcome
  expect(outcomeOf('Service/Orders API')).toBe('applied')
  expect(outcomeOf('Service/Orders API/Endpoint/orders')).toBe('waiting')
  expect(outcomeOf('Service/Orders API/Endpoint/orders/Method/listOrders')).toBe('blocked')
  expect(summary).toMatchObject({ failed: 0, waiting: 3 })

  expect((await other.apply()).exitCode).toBe(3)
  make.approveDomains()
  expect((await other.apply()).exitCode).toBe(0)
  expect((await other.plan()).changes).toEqual([])
})

test('a change on the platform is named and corrected', async () => {
  const make = createOtherMake()
  const other = world(make, { env })
  other.declare(...documentedStorefront)
  await other.apply()
  const [plan] = make.store.all('plans').filter((each) => each.values.name === 'Gold')
  if (plan) plan.values.rateLimitCeiling = 1
  const [orders] = make.store.all('endpoints').filter((each) => each.values.name === 'orders')
  if (orders) delete orders.singles.cache
  const drift = await other.drift()
  expect(drift.exitCode).toBe(2)
  expect(drift.json().changes.map(({ address, action }) => `${action} ${address}`)).toEqual([
    'create Service/Orders API/Endpoint/orders/Cache',
    'update Package/Partner Access/Plan/Gold',
  ])
  expect((await other.apply()).exitCode).toBe(0)
  expect((await other.drift()).exitCode).toBe(0)
})

test('an empty remaining set with prune all deletes everything', async () => {
  const make = createOtherMake()
  const other = world(make, { env })
  other.declare(...documentedStorefront)
  await other.apply()
  other.declare({ kind: 'Domain', metadata: { name: 'example.com' } })
  const allowed = ['KEY_LOSS', 'TRAFFIC_STOP', 'IRREVERSIBLE'].flatMap((hazard) => ['--allow', hazard])
  const run = await other.apply('--prune', 'all', ...allowed)
  expect(run.json().changes.filter((change) => change.outcome !== 'applied')).toEqual([])
  // Nothing is refused. Only the check that a deleted object is gone may be answered 404.
  const isLook = ({ method, status }: { readonly method: string; readonly status: number }) =>
    method === 'GET' && status === 404
  expect(make.log.filter((request) => request.status >= 400 && !isLook(request))).toEqual([])
  const left = ['services', 'packages', 'members', 'roles', 'scheduledMaintenanceEvents', 'domains']
  expect(left.map((name) => make.store.all(name).length)).toEqual([0, 0, 0, 0, 0, 1])
})
