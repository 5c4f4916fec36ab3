import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/json.js'
import { createPlatform } from '../../src/platform/server.js'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { embedded, isWrite, type Make, type World, world } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'

/** Response filters of methods, and the plans that use them. */

const endpoint = {
  name: 'orders',
  requestPathAlias: '/orders',
  trafficManagerDomain: 'api.example.com',
  publicDomains: ['api.example.com'],
  systemDomains: ['in.example.com'],
}

const domain = document('Domain', 'example.com', {})

const service = (responseFilters: readonly JsonObject[] | undefined) =>
  document('Service', 'S', {
    endpoints: [
      {
        ...endpoint,
        methods: [{ name: 'list', ...(responseFilters && { responseFilters }) }, { name: 'read' }],
      },
    ],
  })

const plan = (...methods: readonly JsonObject[]) =>
  document('Package', 'P', {
    plans: [{ name: 'Gold', services: [{ name: 'S', endpoints: [{ name: 'orders', methods }] }] }],
  })

const slim = { name: 'slim', jsonFilterFields: '/orders/margin' }
const wide = { name: 'wide', jsonFilterFields: '/orders/margin | /orders/supplier' }

/** Applies, and expects that nothing is left to do. */
async function settled(on: World): Promise<void> {
  const run = await on.apply()
  expect(run.exitCode === 0 ? '' : run.stdout + run.stderr).toBe('')
  expect((await on.plan()).changes).toEqual([])
}

const actions = async (on: World) => (await on.plan()).changes.map(({ action, address }) => `${action} ${address}`)

async function filterOf(on: World): Promise<unknown> {
  const rest = await restOf(on.make)
  const [found] = await rest.get('/packages?fields=plans.services.endpoints.methods.responseFilter.name')
  return JSON.parse(JSON.stringify(found)).plans[0].services[0].endpoints[0].methods[0].responseFilter
}

describe('on a recorded platform', () => {
  test('filters are created, used, changed and deleted, and each second plan is empty', async () => {
    const on = embedded({ dialect: 'recorded' })
    on.declare(domain, service([slim, wide]), plan({ name: 'list', responseFilter: 'slim' }))
    await settled(on)
    expect(await filterOf(on)).toEqual({ name: 'slim' })
    on.declare(domain, service([slim, wide]), plan({ name: 'list', responseFilter: 'wide' }))
    expect(await actions(on)).toEqual(['update Package/P/Plan/Gold/PlanService/S'])
    await settled(on)
    expect(await filterOf(on)).toEqual({ name: 'wide' })
    on.declare(domain, service([{ ...slim, notes: 'x' }]), plan({ name: 'list', responseFilter: null }))
    const { changes } = await on.plan()
    expect(changes.map(({ action, address }) => `${action} ${address}`)).toEqual([
      'update Service/S/Endpoint/orders/Method/list/ResponseFilter/slim',
      'update Package/P/Plan/Gold/PlanService/S',
      'delete Service/S/Endpoint/orders/Method/list/ResponseFilter/wide',
    ])
    expect(changes.at(-1)?.dependsOn).toContain('Package/P/Plan/Gold/PlanService/S')
    await settled(on)
    expect(await filterOf(on)).toBe(null)
  })
})

test('without a filter, a caller sees more than before: this is a hazard for key owners', async () => {
  const on = embedded({ dialect: 'recorded' })
  const key = { package: 'P', plan: 'Gold', apikey: 'apikey-1234', secret: 'secret-1234' }
  const member = document('Member', 'acme', {
    email: 'a@example.com',
    displayName: 'Acme',
    externalId: '1',
    passwdNew: 'a-password',
    applications: [{ name: 'App', packageKeys: [key] }],
  })
  const gold = (responseFilter: string | null) => plan({ name: 'list', responseFilter })
  on.declare(domain, service([slim, wide]), gold('slim'), member)
  await settled(on)
  const hazards = async () =>
    (await on.plan()).changes.map(({ address, hazards: all }) => [address.split('/').at(-1), all])
  on.declare(domain, service([slim, wide]), gold('wide'), member)
  expect(await hazards()).toEqual([['S', ['AUTH_WEAKENED']]])
  on.declare(domain, service([wide]), gold(null), member)
  expect(await hazards()).toEqual([
    ['S', ['AUTH_WEAKENED']],
    ['slim', ['AUTH_WEAKENED']],
  ])
  expect((await on.apply()).exitCode).toBe(5)
  expect((await on.apply('--allow', 'AUTH_WEAKENED')).exitCode).toBe(0)
})

test('a plan of filters and their uses can be proved', async () => {
  const on = embedded({ dialect: 'recorded' })
  on.declare(domain, service([slim, wide]), plan({ name: 'list', responseFilter: 'slim' }))
  await settled(on)
  on.declare(domain, service([{ ...wide, notes: 'x' }]), plan({ name: 'list', responseFilter: 'wide' }))
  const { proof } = JSON.parse((await on.run(['plan', '--prove', '-o', 'json'])).stdout)
  expect(proof).toMatchObject({ holds: true, failures: [] })
})

test.each([
  ['another dialect', () => embedded()],
  ['another make', () => world(createOtherMake())],
] as const)('an area of a platform without filters is like one that uses none: %s', async (_, without) => {
  const [here, there] = [embedded({ dialect: 'recorded' }), without()]
  const differences = async () => {
    for (const [name, on] of Object.entries({ here, there }))
      expect((await on.run(['snapshot', '--out', join(here.dir, `${name}.json`)])).exitCode).toBe(0)
    const diff = ['diff', 'here.json', 'there.json', '--select', 'Package/**', '-o', 'json']
    return JSON.parse((await here.run(diff)).stdout).differences
  }
  for (const gold of [plan(), plan({ name: 'list' }, { name: 'read' })]) {
    for (const on of [here, there]) {
      on.declare(domain, service(undefined), gold)
      await settled(on)
    }
    expect(await differences()).toEqual([])
  }

  here.declare(domain, service([slim]), plan({ name: 'list', responseFilter: 'slim' }, { name: 'read' }))
  await settled(here)
  const a = [{ name: 'orders', methods: [{ name: 'list', responseFilter: 'slim' }, 'read'] }]
  const b = [{ name: 'orders', methods: ['list', 'read'] }]
  const fields = [{ path: '/endpoints', a, b }]
  expect(await differences()).toMatchObject([{ address: 'Package/P/Plan/Gold/PlanService/S', fields }])
})

describe.each(['nested', 'apart'] as const)('on a make of the interface with filters %s', (filters) => {
  test('filters are created, used, changed and deleted, and each second plan is empty', async () => {
    const make = createOtherMake({ filters })
    const on = world(make)
    const used = () => JSON.stringify(make.store.all('planServices').map(({ values }) => values.endpoints))
    on.declare(domain, service([slim, wide]), plan({ name: 'list', responseFilter: 'slim' }))
    await settled(on)
    const [wideId, slimId] = ['wide', 'slim'].map(
      (name) => make.store.all('responseFilters').find(({ values }) => values.name === name)?.id,
    )
    expect(make.store.all('responseFilters')).toHaveLength(2)
    expect(used()).toContain(`"responseFilter":{"id":"${slimId}"}`)
    on.declare(domain, service([slim, wide]), plan({ name: 'list', responseFilter: 'wide' }))
    await settled(on)
    expect(used()).toContain(`"responseFilter":{"id":"${wideId}"}`)
    on.declare(domain, service([{ ...slim, notes: 'x' }]), plan({ name: 'list', responseFilter: null }))
    await settled(on)
    expect(used()).not.toContain('responseFilter')
    expect(make.store.all('responseFilters').map(({ values }) => values)).toEqual([{ ...slim, notes: 'x' }])
  })
})

test('a platform without filters is reported, and nothing is created again and again', async () => {
  const make = createOtherMake()
  const on = world(make)
  on.declare(domain, service(undefined))
  await settled(on)
  on.declare(domain, service([slim]))
  const { changes } = await on.plan()
  expect(changes.map(({ action, address, reason }) => [action, address, reason])).toEqual([
    [
      'blocked',
      'Service/S/Endpoint/orders/Method/list/ResponseFilter/slim',
      'this platform does not offer objects of kind ResponseFilter',
    ],
  ])
  const before = make.log.length
  expect((await on.apply()).exitCode).toBe(5)
  expect(make.log.slice(before).filter(isWrite)).toEqual([])
})

test('a change that needs an unsupported filter is blocked in the plan, not only by apply', async () => {
  const on = embedded()
  on.declare(domain, service(undefined))
  await settled(on)
  on.declare(domain, service([slim]), plan({ name: 'list', responseFilter: 'slim' }))
  const { changes } = await on.plan('--skip-blocked')
  const filter = 'Service/S/Endpoint/orders/Method/list/ResponseFilter/slim'
  expect(changes.flatMap(({ action, address, reason }) => (action === 'blocked' ? [[address, reason]] : []))).toEqual([
    [filter, 'this platform does not offer objects of kind ResponseFilter'],
    ['Package/P/Plan/Gold/PlanService/S', `needs ${filter}, which is blocked`],
  ])
  const run = await on.apply('--skip-blocked')
  expect(run.json().changes.map(({ address, outcome }) => [address, outcome])).toEqual(
    changes.map(({ action, address }) => [address, action === 'blocked' ? 'blocked' : 'applied']),
  )
  expect((await on.plan('--skip-blocked')).changes.map(({ action }) => action)).toEqual(['blocked', 'blocked'])
})

test('if a platform refuses to nest filters, they are requested separately', async () => {
  const make = createOtherMake({ filters: 'apart' })
  const refusing: Make = {
    log: make.log,
    fetch: (request) => {
      const names = new URL(request.url).searchParams.getAll('fields').flatMap((text) => text.split(/[,.]/))
      if (!names.some((name) => name.startsWith('responseFilter'))) return make.fetch(request)
      const errors = [{ property: 'fields', message: 'there is no such field' }]
      return Promise.resolve(Response.json(errors, { status: 400 }))
    },
  }
  const on = world(refusing)
  on.declare(domain, service([slim, wide]), plan({ name: 'list', responseFilter: 'slim' }))
  await settled(on)
  on.declare(domain, service([slim]), plan({ name: 'list', responseFilter: null }))
  await settled(on)
  expect(make.store.all('responseFilters').map(({ values }) => values)).toEqual([slim])
})

describe('an export', () => {
  const both = [domain, service([slim, wide]), plan({ name: 'list', responseFilter: 'slim' })]

  async function exported(on: World, ...options: readonly string[]) {
    rmSync(join(on.dir, 'manifests'), { recursive: true })
    const run = await on.run(['export', '--dir', 'manifests', '-o', 'json', ...options])
    expect(run.exitCode === 0 ? '' : run.stdout + run.stderr).toBe('')
    const text = (name: string) => readFileSync(join(on.dir, 'manifests', name), 'utf8')
    const { leftOut, diagnostics } = JSON.parse(run.stdout) as {
      readonly leftOut: readonly object[]
      readonly diagnostics: readonly { readonly message: string }[]
    }
    return { leftOut, diagnostics, service: text('services/s.yaml'), package: text('packages/p.yaml') }
  }

  const makes: readonly (readonly [string, () => World])[] = [
    ['a recorded platform', () => embedded({ dialect: 'recorded' })],
    ['a make that nests filters', () => world(createOtherMake({ filters: 'nested' }))],
  ]

  test.each(makes)('of %s has filters and their uses, and plans to nothing', async (_, make) => {
    const on = make()
    on.declare(...both)
    await settled(on)
    const found = await exported(on)
    expect(found.leftOut).toEqual([])
    expect(found.service).toContain('jsonFilterFields: /orders/margin | /orders/supplier')
    expect(found.package).toContain('responseFilter: slim')
    expect((await on.plan()).changes).toEqual([])
  })

  test('of a make with separate filters reports what it did not read; --full reads it', async () => {
    const on = world(createOtherMake({ filters: 'apart' }))
    on.declare(...both)
    await settled(on)
    // Applied filters are known.
    const known = await exported(on)
    expect(known.leftOut).toEqual([{ kind: 'Method', field: 'responseFilters', objects: 1 }])
    expect(known.package).toContain('responseFilter: slim')
    expect((await on.plan()).changes).toEqual([])
    rmSync(join(on.dir, '.gatewright'), { recursive: true })
    const short = await exported(on)
    expect(short.leftOut).toEqual([{ kind: 'Method', field: 'responseFilters', objects: 1 }])
    expect(short.service).not.toContain('responseFilters')
    expect((await on.plan()).changes).toEqual([])
    on.requests()
    const full = await exported(on, '--full')
    expect(full.leftOut).toEqual([])
    expect(full.service).toContain('jsonFilterFields: /orders/margin | /orders/supplier')
    expect((await on.plan()).changes).toEqual([])
  })

  test('of a make without filters does not mention them, and requests them once', async () => {
    const on = world(createOtherMake())
    on.declare(domain, service(undefined))
    await settled(on)
    on.requests()
    expect((await exportedServices(on, '--full')).leftOut).toEqual([])
    expect(on.requests().filter(({ path }) => path.endsWith('/responseFilters'))).toHaveLength(1)
  })

  const exportedServices = async (on: World, ...options: readonly string[]) =>
    JSON.parse((await on.run(['export', '--dir', 'manifests', '-o', 'json', ...options])).stdout) as {
      readonly leftOut: readonly object[]
    }
})

const both = [domain, service([slim, wide]), plan({ name: 'list', responseFilter: 'slim' })]
const filterAddress = 'Service/S/Endpoint/orders/Method/list/ResponseFilter'

const makes: readonly (readonly [string, () => World])[] = [
  ['a recorded platform', () => embedded({ dialect: 'recorded' })],
  ['a make that nests filters', () => world(createOtherMake({ filters: 'nested' }))],
  ['a make that has filters apart', () => world(createOtherMake({ filters: 'apart' }))],
]

describe.each(makes)('on %s', (_, make) => {
  test('a rollback restores a filter, and its use', async () => {
    const on = make()
    on.declare(...both)
    await settled(on)
    on.declare(domain, service([wide]), plan({ name: 'list', responseFilter: 'wide' }))
    await settled(on)
    const run = await on.run(['rollback', 'latest', '--yes', '-o', 'json'])
    expect(run.exitCode === 0 ? '' : run.stdout + run.stderr).toBe('')
    on.declare(...both)
    expect((await on.plan()).changes).toEqual([])
  })

  test('a rollback removes a use that the run has created', async () => {
    const on = make()
    const other = { name: 'read' }
    on.declare(domain, service([slim, wide]), plan({ name: 'list' }, other))
    await settled(on)
    on.declare(domain, service([slim, wide]), plan({ name: 'list', responseFilter: 'slim' }, other))
    const { changes } = await on.plan()
    expect(changes.map(({ address, fields }) => [address, fields.map(({ before, after }) => [before, after])])).toEqual(
      [
        [
          'Package/P/Plan/Gold/PlanService/S',
          [
            [
              [{ name: 'orders', methods: ['read', { name: 'list', responseFilter: null }] }],
              [{ name: 'orders', methods: ['read', { name: 'list', responseFilter: 'slim' }] }],
            ],
          ],
        ],
      ],
    )
    await settled(on)
    const run = await on.run(['rollback', 'latest', '--yes', '-o', 'json'])
    expect(run.exitCode === 0 ? '' : run.stdout + run.stderr).toBe('')
    on.declare(domain, service([slim, wide]), plan({ name: 'list', responseFilter: null }, other))
    expect((await on.plan()).changes).toEqual([])
  })

  test('changes of a filter, or of its use, by somebody else are drift and are corrected', async () => {
    const on = make()
    on.declare(...both)
    await settled(on)
    const rest = await restOf(on.make)
    const [found] = await rest.get('/services')
    const endpoints = `/services/${String(found?.id)}/endpoints`
    const [held] = await rest.get(endpoints)
    const methods = await rest.get(`${endpoints}/${String(held?.id)}/methods`)
    const list = methods.find(({ name }) => name === 'list')
    const filters = `${endpoints}/${String(held?.id)}/methods/${String(list?.id)}/responseFilters`
    const [one] = (await rest.get(filters)).filter(({ name }) => name === 'slim')
    await rest.put(`${filters}/${String(one?.id)}`, { jsonFilterFields: '/orders' })
    const drift = await on.drift()
    expect(drift.exitCode).toBe(2)
    expect(drift.json().changes.map(({ address, fields }) => [address, fields.map(({ path }) => path)])).toEqual([
      [`${filterAddress}/slim`, ['/jsonFilterFields']],
    ])
    await settled(on)
    await rest.remove(`${filters}/${String(one?.id)}`)
    const gone = (await on.drift()).json().changes.map(({ address }) => address)
    expect(gone).toEqual([`${filterAddress}/slim`, 'Package/P/Plan/Gold/PlanService/S'])
    await settled(on)
  })

  test('a small change needs few requests', async () => {
    const on = make()
    const services = (notes: string) =>
      Array.from({ length: 9 }, (_, index) =>
        document('Service', `S${index}`, {
          endpoints: ['a', 'b'].map((name) => ({
            ...endpoint,
            name,
            requestPathAlias: `/${name}${index}`,
            methods: [
              { name: 'list', responseFilters: [{ ...slim, notes: index === 3 ? notes : 'n' }] },
              { name: 'read' },
            ],
          })),
        }),
      )
    const packages = [0, 1].map((index) =>
      document('Package', `P${index}`, {
        plans: [
          {
            name: 'Gold',
            services: [
              { name: `S${index}`, endpoints: [{ name: 'a', methods: [{ name: 'list', responseFilter: 'slim' }] }] },
            ],
          },
        ],
      }),
    )
    on.declare(domain, ...services('n'), ...packages)
    await settled(on)
    on.requests()
    expect((await on.plan()).changes).toEqual([])
    const idle = on.requests().length
    on.declare(domain, ...services('x'), ...packages)
    const { estimate } = await on.plan()
    on.requests()
    expect((await on.apply()).exitCode).toBe(0)
    const spent = on.requests().length
    expect(spent).toBe(estimate.requests)
    // Two filters of one service: two writes, and one object that is read again with its children.
    expect(spent).toBeLessThan(idle + 2 + 8)
  })

  test('a filter may be a separate document, be renamed, and be removed by a document', async () => {
    const on = make()
    const alone = (name: string, more: JsonObject = {}) =>
      document('ResponseFilter', { service: 'S', endpoint: 'orders', method: 'list', name, ...more }, { notes: 'n' })
    on.declare(domain, service(undefined), alone('one'), plan({ name: 'list', responseFilter: 'one' }))
    await settled(on)
    on.declare(
      domain,
      service(undefined),
      alone('two', { formerly: 'one' }),
      plan({ name: 'list', responseFilter: 'two' }),
    )
    expect(await actions(on)).toEqual([`update ${filterAddress}/two`])
    await settled(on)
    on.declare(domain, service(undefined), plan({ name: 'list' }))
    expect(await actions(on)).toEqual([`delete ${filterAddress}/two`])
    await settled(on)
  })

  test.each([
    ['one', [slim]],
    ['none', []],
  ] as const)(
    'a filter that somebody adds to a list of %s is drift, and is deleted with prune: all',
    async (_, written) => {
      const on = make()
      on.declare(domain, service(written))
      await settled(on)
      const rest = await restOf(on.make)
      const [found] = await rest.get('/services')
      const endpoints = `/services/${found?.id}/endpoints`
      const [held] = await rest.get(endpoints)
      const methods = `${endpoints}/${held?.id}/methods`
      const list = (await rest.get(methods)).find(({ name }) => name === 'list')
      await rest.post(`${methods}/${list?.id}/responseFilters`, wide)
      const drift = await on.drift()
      expect(drift.exitCode).toBe(2)
      expect(drift.json().changes.map(({ address }) => address)).toEqual([])
      expect(drift.json().unmanaged.map(({ address }) => address)).toEqual([`${filterAddress}/wide`])
      expect((await on.plan('--prune', 'all')).changes).toMatchObject([
        { action: 'delete', address: `${filterAddress}/wide` },
      ])
    },
  )

  test('an estimate for changed filters is the number of requests of apply', async () => {
    const on = make()
    on.declare(...both)
    await settled(on)
    for (const notes of ['x', 'y']) {
      on.declare(domain, service([{ ...slim, notes }, wide]), plan({ name: 'list', responseFilter: 'slim' }))
      const { estimate } = await on.plan()
      on.requests()
      expect((await on.apply()).exitCode).toBe(0)
      expect(on.requests()).toHaveLength(estimate.requests)
    }
  })
})

test('a rollback sends a refused filter no second time without its fields: nothing of it is in the document', async () => {
  const make = createPlatform({ dialect: 'recorded', autoApprove: true })
  const sent: unknown[] = []
  let isRefusing = false
  const on = world({
    log: make.log,
    fetch: async (request) => {
      if (request.method !== 'POST' || !request.url.includes('/responseFilters') || !isRefusing)
        return make.fetch(request)
      sent.push(await request.json())
      return Response.json([{ property: 'jsonFilterFields', message: 'is no path' }], { status: 400 })
    },
  })
  on.declare(domain, service([slim, wide]))
  await settled(on)
  on.declare(domain, service([slim]))
  await settled(on)
  isRefusing = true
  expect((await on.run(['rollback', 'latest', '--yes'])).exitCode).toBe(3)
  expect(sent).toEqual([expect.objectContaining(wide)])
})
