import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/json.js'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { embedded, type World, world } from '../kit/world.js'
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

const plan = (method: JsonObject) =>
  document('Package', 'P', {
    plans: [{ name: 'Gold', services: [{ name: 'S', endpoints: [{ name: 'orders', methods: [method] }] }] }],
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

test('a platform without filters is told, and nothing is created again and again', async () => {
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
  expect(make.log.slice(before).filter(({ method, path }) => method !== 'GET' && !path.endsWith('/token'))).toEqual([])
})
