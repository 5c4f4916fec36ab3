import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/json/json.js'
import { type DocumentText, document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { embedded, environment, world } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'

/** The effects of a change on key owners, reported with numbers, and refused unless they are allowed by name. */

interface Shop {
  readonly plan?: JsonObject
  readonly service?: JsonObject
  readonly endpoint?: JsonObject
  readonly account?: JsonObject
  /** Fields that the plan and the endpoint do not write any more. */
  readonly without?: readonly string[]
  /** The number of applications with a key of the plan. */
  readonly holders?: number
}

function shop({
  plan = {},
  service = {},
  endpoint = {},
  account = {},
  without = [],
  holders = 2,
}: Shop = {}): readonly DocumentText[] {
  const rest = (fields: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(fields).filter(([name]) => !without.includes(name)))
  const key = (index: number) => ({
    package: 'Access',
    plan: 'Gold',
    apikey: `apikey-number-${index}`,
    secret: 'x'.repeat(10),
  })
  return [
    document('Domain', 'example.com'),
    document('Service', 'Orders', {
      qpsLimitOverall: 100,
      ...service,
      endpoints: [
        rest({
          name: 'orders',
          requestPathAlias: '/orders',
          trafficManagerDomain: 'api.example.com',
          publicDomains: ['api.example.com'],
          supportedHttpMethods: ['get', 'post'],
          highSecurity: true,
          methods: [{ name: 'list' }, { name: 'place' }],
          ...endpoint,
        }),
      ],
    }),
    document('Package', 'Access', {
      plans: [
        rest({
          name: 'Gold',
          rateLimitCeiling: 1000,
          rateLimitPeriod: 'day',
          qpsLimitCeiling: 50,
          qpsLimitExempt: true,
          services: [{ name: 'Orders', endpoints: [{ name: 'orders', methods: ['list', 'place'] }] }],
          ...plan,
        }),
      ],
    }),
    document('Member', 'acme', {
      email: 'a@example.com',
      displayName: 'Acme',
      externalId: '1',
      passwdNew: 'secret-password',
      areaStatus: 'active',
      ...account,
      applications: Array.from({ length: holders }, (_, index) => ({
        name: `App ${index}`,
        packageKeys: [key(index)],
      })),
    }),
  ]
}

const services = (endpoints: JsonObject['endpoints']) => ({
  services: [{ name: 'Orders', endpoints: endpoints ?? [] }],
})

describe('hazards', () => {
  it.each([
    ['a lower limit of a plan', { plan: { rateLimitCeiling: 10 } }, 'LIMIT_LOWERED'],
    ['a lower limit of a service', { service: { qpsLimitOverall: 5 } }, 'LIMIT_LOWERED'],
    ['an endpoint that a plan loses', { plan: services([]) }, 'TRAFFIC_STOP'],
    ['a method that a plan loses', { plan: services([{ name: 'orders', methods: ['list'] }]) }, 'TRAFFIC_STOP'],
    ['another path', { endpoint: { requestPathAlias: '/elsewhere' } }, 'TRAFFIC_STOP'],
    ['one verb less', { endpoint: { supportedHttpMethods: ['get'] } }, 'TRAFFIC_STOP'],
    ['calls without keys', { endpoint: { allowMissingApiKey: true } }, 'AUTH_WEAKENED'],
    ['calls without SSL', { endpoint: { highSecurity: false } }, 'AUTH_WEAKENED'],
    ['SSL that is cleared', { endpoint: { highSecurity: null } }, 'AUTH_WEAKENED'],
    ['SSL that is not written any more', { without: ['highSecurity'] }, 'AUTH_WEAKENED'],
    ['a quota for a longer period', { plan: { rateLimitPeriod: 'month' } }, 'LIMIT_LOWERED'],
    ['an exemption that is not written any more', { without: ['qpsLimitExempt'] }, 'LIMIT_LOWERED'],
    ['a limit whose default is lower', { plan: { qpsLimitCeiling: null } }, 'LIMIT_LOWERED'],
    ['a member that is shut out', { account: { areaStatus: 'disabled' } }, 'TRAFFIC_STOP'],
  ] as const)('%s is refused unless it is allowed', async (_, edit, hazard) => {
    const world = embedded()
    world.declare(...shop())
    expect((await world.apply()).exitCode).toBe(0)
    world.declare(...shop(edit))
    const plan = await world.plan()
    expect(plan.changes.flatMap((change) => change.hazards)).toEqual([hazard])
    expect(plan.changes.map((change) => change.reason).join()).toContain('2 keys of 2 applications')
    const refused = await world.apply()
    expect(refused.exitCode).toBe(5)
    expect(refused.json().diagnostics.map((each) => each.code)).toEqual(['hazard'])
    expect((await world.apply('--allow', hazard)).exitCode).toBe(0)
    expect((await world.plan()).changes).toEqual([])
  })

  it.each([
    ['a higher limit', { plan: { rateLimitCeiling: 10_000 } }],
    ['one more verb', { endpoint: { supportedHttpMethods: ['get', 'post', 'put'] } }],
    [
      'one more host, and one in other upper and lower case',
      { endpoint: { publicDomains: ['API.example.com', 'b.example.com'] } },
    ],
    ['a description', { service: { description: 'Orders of all kinds' } }],
  ] as const)('%s is no hazard', async (_, edit) => {
    const world = embedded()
    world.declare(...shop())
    await world.apply()
    world.declare(...shop(edit))
    expect((await world.apply()).exitCode).toBe(0)
  })

  const backend = { systemDomainAuthentication: { type: 'httpBasic', username: 'gateway', password: 'secret-word' } }
  const caching = { cache: { clientSurrogateControlEnabled: true } }

  describe.each([
    ['the embedded platform', embedded],
    ['the other make', () => world(createOtherMake())],
  ])('with %s', (_make, opened) => {
    it.each<readonly [string, Shop, Shop, readonly [hazard: string, words: string][]]>([
      [
        'a first limit',
        { service: { qpsLimitOverall: 0 } },
        { service: { qpsLimitOverall: 1000 } },
        [['LIMIT_LOWERED', 'qpsLimitOverall becomes 1000']],
      ],
      ['no limit any more', {}, { service: { qpsLimitOverall: 0 } }, []],
      ['a quota for a shorter period', { plan: { rateLimitPeriod: 'month' } }, {}, []],
      ['an exemption', { plan: { qpsLimitExempt: false } }, {}, []],
      ['calls with SSL only', { endpoint: { highSecurity: false } }, {}, []],
      ['a member that is let in again', { account: { areaStatus: 'disabled' } }, {}, []],
      [
        'no authentication to the backend any more',
        { endpoint: backend },
        { endpoint: { systemDomainAuthentication: null } },
        [['AUTH_WEAKENED', 'SystemDomainAuthentication goes']],
      ],
      ['no cache any more', { endpoint: caching }, { endpoint: { cache: null } }, []],
      [
        'a service that a plan loses',
        {},
        { plan: { services: [] } },
        [['TRAFFIC_STOP', 'Plan Gold loses Service Orders']],
      ],
    ])('%s', async (_change, before, after, expected) => {
      const area = opened()
      area.declare(...shop(before))
      expect((await area.apply()).exitCode).toBe(0)
      area.declare(...shop(after))
      const { changes } = await area.plan()
      expect(changes).toHaveLength(1)
      expect(changes.flatMap(({ hazards, reason }) => hazards.map((hazard) => [hazard, reason]))).toEqual(
        expected.map(([hazard, words]) => [hazard, expect.stringContaining(`${words}: 2 keys of 2 applications`)]),
      )
      expect((await area.apply()).exitCode).toBe(expected.length === 0 ? 0 : 5)
    })
  })

  const endpointOf = (name: string, path: string, more: JsonObject = {}): JsonObject => ({
    ...{ name, requestPathAlias: path, trafficManagerDomain: 'api.example.com', publicDomains: ['api.example.com'] },
    ...more,
  })
  const twoEndpoints = (endpoints: readonly JsonObject[], picked: readonly JsonObject[]): readonly DocumentText[] =>
    shop().map((each) => {
      if (each.kind === 'Service') return document('Service', 'Orders', { endpoints })
      if (each.kind !== 'Package') return each
      return document('Package', 'Access', {
        plans: [{ name: 'Gold', services: [{ name: 'Orders', endpoints: picked }] }],
      })
    })

  it('are not reported if an endpoint and a method are renamed, and the plan gets one more of each', async () => {
    const world = embedded()
    const other = endpointOf('other', '/other')
    world.declare(
      ...twoEndpoints(
        [endpointOf('old', '/a', { methods: [{ name: 'list' }, { name: 'place' }] }), other],
        [{ name: 'old', methods: ['list'] }],
      ),
    )
    expect((await world.apply()).exitCode).toBe(0)
    const methods = [{ name: 'all', metadata: { formerly: ['list'] } }, { name: 'place' }]
    world.declare(
      ...twoEndpoints(
        [endpointOf('new', '/a', { metadata: { formerly: ['old'] }, methods }), other],
        [{ name: 'new', methods: ['all', 'place'] }, { name: 'other' }],
      ),
    )
    expect((await world.plan()).changes.flatMap(({ hazards }) => hazards)).toEqual([])
    expect((await world.apply()).exitCode).toBe(0)
    expect((await world.plan()).changes).toEqual([])
  })

  it('are reported if a plan gets another endpoint with the same name', async () => {
    const world = embedded()
    world.declare(...twoEndpoints([endpointOf('same', '/a')], [{ name: 'same' }]))
    expect((await world.apply()).exitCode).toBe(0)
    const rest = await restOf(world.make)
    const [service] = await rest.get('/services')
    const path = `/services/${String(service?.id)}/endpoints`
    const [first] = await rest.get(path)
    const second = await rest.post(path, endpointOf('same', '/b', { publicDomains: [{ domain: 'api.example.com' }] }))
    const pinned = [first, second].map((each) => ({ id: String(each?.id) }))
    const both = ['/a', '/b'].map((at, index) => endpointOf('same', at, { metadata: pinned[index] ?? {} }))
    world.declare(...twoEndpoints(both, [{ name: 'same', ...pinned[1] }]))
    const [change] = (await world.plan()).changes.filter(({ kind }) => kind === 'PlanService')
    expect(change).toMatchObject({ action: 'update', hazards: ['TRAFFIC_STOP'] })
    expect(change?.reason).toContain('Plan Gold loses Endpoint same: 2 keys of 2 applications')
  })

  it('are not reported if nobody has a key', async () => {
    const world = embedded()
    world.declare(...shop({ holders: 0 }))
    await world.apply()
    world.declare(...shop({ holders: 0, plan: { rateLimitCeiling: 10, ...services([]) } }))
    expect((await world.apply()).exitCode).toBe(0)
  })

  it('of a delete inside a service are reported only for objects to which plans give access', async () => {
    const used = { name: 'orders', methods: ['list'] }
    const stock = endpointOf('stock', '/stock')
    const orders = (...methods: readonly string[]) =>
      endpointOf('orders', '/orders', { methods: methods.map((name) => ({ name })) })
    const area = (service: JsonObject, picked: readonly JsonObject[]) =>
      twoEndpoints([], picked).map((each) => (each.kind === 'Service' ? document('Service', 'Orders', service) : each))
    const errorSets = ['one', 'two'].map((name) => ({ name }))
    const world = embedded()
    world.declare(...area({ endpoints: [orders('list', 'place'), stock], errorSets }, [used]))
    expect((await world.apply()).exitCode).toBe(0)
    // No plan has either of them.
    world.declare(...area({ endpoints: [orders('list')], errorSets: errorSets.slice(1) }, [used]))
    const { changes } = await world.plan()
    expect(changes.map(({ action, address, hazards }) => [action, address, hazards])).toEqual([
      ['delete', 'Service/Orders/Endpoint/orders/Method/place', []],
      ['delete', 'Service/Orders/Endpoint/stock', []],
      ['delete', 'Service/Orders/ErrorSet/one', []],
    ])
    expect((await world.apply()).exitCode).toBe(0)
    world.declare(...area({ endpoints: [], errorSets: errorSets.slice(1) }, []))
    const [, gone] = (await world.plan()).changes
    expect(gone).toMatchObject({
      action: 'delete',
      address: 'Service/Orders/Endpoint/orders',
      hazards: ['TRAFFIC_STOP'],
    })
    expect(gone?.reason).toContain('plans lose Endpoint orders: 2 keys of 2 applications')
  })

  it('of a delete name the deleted keys, and the account that cannot be created again', async () => {
    const world = embedded()
    world.declare(...shop())
    await world.apply()
    world.declare(...shop().slice(0, 3))
    const [change] = (await world.plan()).changes.filter((each) => each.kind === 'Member')
    expect(change).toMatchObject({ action: 'delete', hazards: ['IRREVERSIBLE', 'KEY_LOSS'] })
    expect(change?.reason).toBe(
      'removed from the manifests; Member is deleted with what it holds, and its account cannot be recreated: 2 keys of 2 applications',
    )
    expect((await world.apply('--allow', 'KEY_LOSS')).exitCode).toBe(5)
    expect((await world.apply('--allow', 'KEY_LOSS', '--allow', 'IRREVERSIBLE')).exitCode).toBe(0)
  })
})

describe('a key that moves to another plan', () => {
  const plans = (other: JsonObject): DocumentText =>
    document('Package', 'Access', {
      plans: [
        {
          name: 'Gold',
          rateLimitCeiling: 1000,
          rateLimitPeriod: 'day',
          qpsLimitCeiling: 50,
          ...access('orders', 'stock'),
        },
        { name: 'Other', rateLimitCeiling: 1000, rateLimitPeriod: 'day', qpsLimitCeiling: 50, ...other },
      ],
    })
  const access = (...endpoints: readonly string[]) =>
    services(endpoints.map((name) => ({ name, methods: ['list', 'place'] })))
  const endpoint = (name: string) => ({
    name,
    methods: [{ name: 'list' }, { name: 'place' }],
    requestPathAlias: `/${name}`,
    trafficManagerDomain: 'api.example.com',
    publicDomains: ['api.example.com'],
  })
  const documents = (plan: string, other: JsonObject, key: JsonObject = {}): readonly DocumentText[] => [
    document('Domain', 'example.com'),
    document('Service', 'Orders', { endpoints: [endpoint('orders'), endpoint('stock')] }),
    plans(other),
    document('Member', 'acme', {
      email: 'a@example.com',
      displayName: 'Acme',
      externalId: '1',
      passwdNew: 'secret-password',
      applications: [
        {
          name: 'App',
          packageKeys: [{ package: 'Access', plan, apikey: 'apikey-number-1', secret: 'x'.repeat(10), ...key }],
        },
      ],
    }),
  ]
  const both = access('orders', 'stock')

  const cases: readonly (readonly [string, JsonObject, JsonObject, readonly string[]])[] = [
    ['as good', both, {}, []],
    ['with higher limits', { ...both, rateLimitCeiling: 0, rateLimitExempt: true, qpsLimitCeiling: 60 }, {}, []],
    ['with a lower limit', { ...both, rateLimitCeiling: 999 }, {}, ['LIMIT_LOWERED']],
    ['with a longer period', { ...both, rateLimitPeriod: 'month' }, {}, ['LIMIT_LOWERED']],
    ['with a lower limit than its own', { ...both, qpsLimitCeiling: 20 }, { qpsLimitCeiling: 10 }, []],
    ['without an endpoint', access('orders'), {}, ['TRAFFIC_STOP']],
    ['without a method', services([{ name: 'orders' }, { name: 'stock' }]), {}, ['TRAFFIC_STOP']],
    ['without access to anything', { rateLimitCeiling: 5 }, {}, ['LIMIT_LOWERED', 'TRAFFIC_STOP']],
  ]
  describe.each([
    ['the embedded platform', embedded],
    ['the other make', () => world(createOtherMake({ linkIds: 'of links' }))],
  ])('of %s', (_, create) => {
    it.each(cases)('%s', async (__, other, key, hazards) => {
      const w = create()
      w.declare(...documents('Gold', other, key))
      expect((await w.apply()).exitCode).toBe(0)
      w.declare(...documents('Other', other, key))
      const [change] = (await w.plan()).changes
      expect(change).toMatchObject({ kind: 'PackageKey', action: 'update', hazards })
      expect((await w.apply()).exitCode).toBe(hazards.length === 0 ? 0 : 5)
      expect((await w.apply(...hazards.flatMap((each) => ['--allow', each]))).exitCode).toBe(0)
      expect((await w.plan()).changes).toEqual([])
    })

    it('that is created, or gets higher limits, in the same run: its desired limits count', async () => {
      const w = create()
      const weak = { rateLimitCeiling: 10 }
      w.declare(...documents('Gold', weak))
      expect((await w.apply()).exitCode).toBe(0)
      w.declare(...documents('Other', both))
      expect((await w.plan()).changes.flatMap((change) => change.hazards)).toEqual([])
      const made = documents('New', both).map((each) =>
        each.kind === 'Package'
          ? document('Package', 'Access', { plans: [{ name: 'New', qpsLimitCeiling: 1, ...both }] })
          : each,
      )
      w.declare(...made)
      const [key] = (await w.plan('--prune', 'none')).changes.filter(({ kind }) => kind === 'PackageKey')
      expect(key).toMatchObject({ hazards: ['LIMIT_LOWERED'] })
      expect(key?.reason).toContain('its new Plan allows less by qpsLimitCeiling: 1 key of 1 application')
    })

    it.each([
      ['an endpoint', access('orders'), 'Endpoint stock of Service Orders'],
      ['its service', { services: [] }, 'Service Orders'],
    ])('that loses %s in the same run does without it', async (_lost, then, words) => {
      const w = create()
      w.declare(...documents('Gold', both))
      expect((await w.apply()).exitCode).toBe(0)
      w.declare(...documents('Other', then))
      const [key] = (await w.plan()).changes.filter(({ kind }) => kind === 'PackageKey')
      expect(key).toMatchObject({ action: 'update', hazards: ['TRAFFIC_STOP'] })
      expect(key?.reason).toContain(`its new Plan does without ${words}`)
      expect((await w.apply()).exitCode).toBe(5)
    })

    it('that is created without limits has the defaults of the platform', async () => {
      const w = create()
      w.declare(...documents('Gold', both))
      expect((await w.apply()).exitCode).toBe(0)
      const made = (more: JsonObject) =>
        documents('New', both).map((each) =>
          each.kind === 'Package'
            ? document('Package', 'Access', { plans: [{ name: 'New', ...both, ...more }] })
            : each,
        )
      const keyOf = async () => (await w.plan('--prune', 'none')).changes.find(({ kind }) => kind === 'PackageKey')
      w.declare(...made({ qpsLimitCeiling: 50 }))
      expect(await keyOf()).toMatchObject({ hazards: [] })
      for (const limit of [{}, { qpsLimitCeiling: null }]) {
        w.declare(...made(limit))
        expect((await keyOf())?.reason).toContain('its new Plan allows less by qpsLimitCeiling: 1 key of 1 application')
      }
    })

    it('is not lost with its old plan, but a key that stays there is', async () => {
      const w = create()
      w.declare(...documents('Gold', both))
      expect((await w.apply()).exitCode).toBe(0)
      const other = { name: 'Other', rateLimitCeiling: 1000, rateLimitPeriod: 'day', qpsLimitCeiling: 50, ...both }
      const without = (plan: string) =>
        documents(plan, both).map((each) =>
          each.kind === 'Package' ? document('Package', 'Access', { plans: [other] }) : each,
        )
      w.declare(...without('Other').filter(({ kind }) => kind !== 'Member'))
      const stays = (await w.plan('--prune', 'all')).changes.find(({ address }) => address.endsWith('/Plan/Gold'))
      expect(stays).toMatchObject({ action: 'delete', hazards: ['KEY_LOSS'] })

      w.declare(...without('Other'))
      const { changes } = await w.plan()
      const gold = changes.find(({ address }) => address.endsWith('/Plan/Gold'))
      const key = changes.find(({ kind }) => kind === 'PackageKey')
      expect(gold).toMatchObject({ action: 'delete', hazards: [], dependsOn: [key?.address] })
      expect((await w.apply()).exitCode).toBe(0)
      expect((await w.plan()).changes).toEqual([])
    })
  })
})

describe('a key that gets its own limit', () => {
  const account = (key: JsonObject): DocumentText =>
    document('Member', 'acme', {
      ...{ email: 'a@example.com', displayName: 'Acme', externalId: '1', passwdNew: 'secret-password' },
      applications: [
        {
          name: 'App',
          packageKeys: [{ package: 'Access', plan: 'Gold', apikey: 'apikey-number-1', secret: 'x'.repeat(10), ...key }],
        },
      ],
    })
  const limited = (plan: JsonObject, key: JsonObject) => [
    document('Package', 'Access', { plans: [{ name: 'Gold', ...plan }] }),
    account(key),
  ]

  type Written = readonly [plan: JsonObject, key: JsonObject]
  it.each<readonly [string, Written, Written, boolean]>([
    ['below that of its plan', [{ qpsLimitCeiling: 50 }, {}], [{ qpsLimitCeiling: 50 }, { qpsLimitCeiling: 20 }], true],
    [
      'equal to that of its plan',
      [{ qpsLimitCeiling: 50 }, {}],
      [{ qpsLimitCeiling: 50 }, { qpsLimitCeiling: 50 }],
      false,
    ],
    ['while its plan rises', [{ qpsLimitCeiling: 10 }, {}], [{ qpsLimitCeiling: 50 }, { qpsLimitCeiling: 20 }], false],
    ['lower than before', [{}, { qpsLimitCeiling: 2 }], [{}, { qpsLimitCeiling: 1 }], true],
    [
      'instead of an exemption',
      [{ qpsLimitCeiling: 50 }, { qpsLimitExempt: true }],
      [{ qpsLimitCeiling: 50 }, { qpsLimitExempt: false }],
      true,
    ],
    [
      'instead of an exemption, in an exempt plan',
      [{ qpsLimitExempt: true }, { qpsLimitExempt: true }],
      [{ qpsLimitExempt: true }, { qpsLimitExempt: false }],
      false,
    ],
  ])('%s', async (name, before, after, isLowered) => {
    const world = embedded()
    world.declare(...limited(...before))
    expect((await world.apply()).exitCode).toBe(0)
    world.declare(...limited(...after))
    const [key] = (await world.plan()).changes.filter(({ kind }) => kind === 'PackageKey')
    expect(key).toMatchObject({ action: 'update', hazards: isLowered ? ['LIMIT_LOWERED'] : [] })
    // A manifest of only the key also reports its plan.
    if (name === 'while its plan rises') return
    world.declare(account(after[1]))
    const [alone] = (await world.plan('--prune', 'none')).changes.filter(({ kind }) => kind === 'PackageKey')
    expect(alone).toMatchObject({ action: 'update', hazards: isLowered ? ['LIMIT_LOWERED'] : [] })
  })
})

describe('a key that moves to another package', () => {
  const packaged = (name: string, plan: JsonObject): DocumentText =>
    document('Package', name, {
      plans: [{ name: 'Gold', qpsLimitCeiling: 50, ...services([{ name: 'orders', methods: ['list'] }]), ...plan }],
    })
  const keyOf = (name: string, key: JsonObject = {}): DocumentText =>
    document('Member', 'acme', {
      ...{ email: 'a@example.com', displayName: 'Acme', externalId: '1', passwdNew: 'secret-password' },
      applications: [
        {
          name: 'App',
          packageKeys: [{ package: name, plan: 'Gold', apikey: 'apikey-number-1', secret: 'x'.repeat(10), ...key }],
        },
      ],
    })
  const [domain, service] = shop().slice(0, 2) as [DocumentText, DocumentText]

  it.each([
    ['as good a plan', {}, []],
    ['a lower limit', { qpsLimitCeiling: 1 }, ['LIMIT_LOWERED']],
    ['less access', { services: [] }, ['TRAFFIC_STOP']],
  ] as const)('with %s', async (_, less, hazards) => {
    const world = embedded()
    const both = [domain, service, packaged('A', {}), packaged('B', less)]
    world.declare(...both, keyOf('A'))
    expect((await world.apply()).exitCode).toBe(0)
    world.declare(...both, keyOf('B'))
    expect((await world.plan('--allow-replace')).changes).toMatchObject([{ action: 'replace', hazards }])
    expect((await world.apply('--allow-replace')).exitCode).toBe(hazards.length === 0 ? 0 : 5)
  })

  it('is not lost with its old package, but a key that stays there is', async () => {
    const world = embedded()
    world.declare(domain, service, packaged('A', {}), packaged('B', {}), keyOf('A'))
    expect((await world.apply()).exitCode).toBe(0)
    const rest = await restOf(world.make)
    const left = async () =>
      (await world.plan('--allow-replace')).changes.find(({ address }) => address === 'Package/A')
    world.declare(domain, service, packaged('B', {}), keyOf('B'))
    expect(await left()).toMatchObject({ action: 'delete', hazards: [] })

    const [application] = await rest.get('/applications')
    const [key] = await rest.get('/packageKeys')
    const named = (each: unknown) => ({ id: (each as { readonly id: string }).id })
    const extra = { ...{ apikey: 'another', secret: 's' }, package: named(key?.package), plan: named(key?.plan) }
    const another = await rest.post(`/applications/${String(application?.id)}/packageKeys`, extra)
    expect((await left())?.reason).toContain('1 key of 1 application')
    await rest.remove(`/packageKeys/${String(another.id)}`)
    expect((await world.apply('--allow-replace')).exitCode).toBe(0)
    expect((await world.plan()).changes).toEqual([])
  })
})

it.each(['text', 'json', 'markdown'])('a hazard displays no part of a secret in a field: -o %s', async (form) => {
  const area = embedded()
  area.declare(...shop())
  expect((await area.apply()).exitCode).toBe(0)
  const host = '${env:HOST}.example.com'
  area.declare(
    ...shop({
      plan: { rateLimitCeiling: '${env:CEILING}' },
      endpoint: { publicDomains: [host], requestPathAlias: '/${env:PATH_HIDDEN}', trafficManagerDomain: host },
    }),
  )
  const env = { ...environment, HOST: 'unseen-host', PATH_HIDDEN: 'unseen-path', CEILING: '731' }
  const { exitCode, stdout, stderr } = await area.run(['plan', '-o', form], { env })
  expect(exitCode).toBe(5)
  for (const shown of ['rateLimitCeiling changes', 'publicDomains changes', 'requestPathAlias changes']) {
    expect(stdout).toContain(shown)
  }
  expect(stdout + stderr).not.toMatch(/unseen|\b731\b/)
})
