import { expect, test } from 'vitest'
import { createPlatform } from '../../src/platform/server.js'
import { document } from '../kit/manifests.js'
import { testClock, world } from '../kit/world.js'

/** A platform that drops the endpoints nested in a plan service, on create as well as on update. */
function forgetful() {
  const clock = testClock()
  const platform = createPlatform({ autoApprove: true, idSeed: 'links', now: clock.now })
  const without = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(without)
    if (typeof value !== 'object' || value === null) return value
    const kept = Object.entries(value).filter(([name]) => name !== 'endpoints')
    return Object.fromEntries(kept.map(([name, inner]) => [name, without(inner)]))
  }
  const fetch = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url)
    const isWrite = request.method === 'POST' || request.method === 'PUT'
    if (!isWrite || !pathname.includes('/packages')) return platform.fetch(request)
    const body = JSON.stringify(without(await request.json()))
    return platform.fetch(new Request(request.url, { method: request.method, headers: request.headers, body }))
  }
  return world({ fetch, log: platform.log }, clock)
}

const service = document('Service', 'Orders', {
  endpoints: ['one', 'two'].map((name) => ({
    name,
    requestPathAlias: `/${name}`,
    trafficManagerDomain: 'api.example.com',
    publicDomains: ['api.example.com'],
    methods: [{ name: 'list' }, { name: 'place' }],
  })),
})

const access = (endpoints: readonly { readonly name: string; readonly methods: readonly string[] }[]) =>
  document('Package', 'Access', {
    plans: [{ name: 'Gold', services: [{ name: 'Orders', endpoints: [...endpoints] }] }],
  })

test('links that a platform drops where they are nested are written through their own routes', async () => {
  const area = forgetful()
  const domain = document('Domain', 'example.com')
  area.declare(domain, service, access([{ name: 'one', methods: ['list'] }]))
  const first = await area.apply()
  expect(first.json().summary).toMatchObject({ failed: 0, notKept: 0 })
  expect(area.make.log.some(({ method, path }) => method === 'POST' && /\/services\/\w+\/endpoints$/.test(path))).toBe(
    true,
  )
  expect((await area.plan()).changes).toEqual([])

  area.declare(domain, service, access([{ name: 'two', methods: ['list', 'place'] }]))
  expect((await area.apply()).exitCode).toBe(0)
  expect(area.make.log.some(({ method, path }) => method === 'DELETE' && /\/endpoints\/\w+$/.test(path))).toBe(true)
  expect((await area.plan()).changes).toEqual([])
})
