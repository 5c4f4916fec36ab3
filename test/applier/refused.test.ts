import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/json.js'
import { document, projectText } from '../kit/manifests.js'
import { type Make, type World, world } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'
import { makes } from '../other-make/worlds.js'

/** If conventional operations are refused, only operations that the document shows are used instead. */

const refuse = projectText(`  platform: {conventionalOperations: refuse}
`)

const pack = document('Package', 'P', { plans: [{ name: 'Gold' }] })
const key = (apikey?: string) => ({ package: 'P', plan: 'Gold', secret: 'a-secret', ...(apikey && { apikey }) })
const member = (...applications: readonly { readonly name: string; readonly keys: readonly JsonObject[] }[]) =>
  document('Member', 'jane', {
    email: 'jane@example.com',
    displayName: 'Jane',
    externalId: '1',
    passwdNew: 'a-pass-word',
    applications: applications.map(({ name, keys }) => ({ name, packageKeys: keys })),
  })

const posts = (area: World) =>
  area
    .requests()
    .filter(({ method }) => method === 'POST')
    .map(({ path }) => path.replace('/v3/rest', '').replace(/\/members\/[^/]+/, '/members/{}'))
    .sort()

describe.each(makes)('conventional operations are refused, %s:', (_, make) => {
  test('keys are sent with their new application', async () => {
    const area = make()
    area.write('gatewright.yaml', refuse)
    const shop = { name: 'Shop', keys: [key('shop-key-0001'), key('shop-key-0002')] }
    area.declare(pack, member(shop))
    const first = await area.plan()
    expect(first.changes.filter(({ action }) => action !== 'create')).toEqual([])
    area.requests()
    const run = await area.apply()
    expect([run.stdout, run.stderr, run.exitCode]).toEqual([run.stdout, run.stderr, 0])
    expect(posts(area)).toEqual(['/members', '/members/{}/applications', '/packages'])
    expect((await area.plan()).changes).toEqual([])

    area.declare(pack, member(shop, { name: 'App', keys: [key()] }))
    area.requests()
    const more = await area.apply()
    expect([more.stdout, more.stderr, more.exitCode]).toEqual([more.stdout, more.stderr, 0])
    expect(posts(area)).toEqual(['/members/{}/applications'])
    expect((await area.plan()).changes).toEqual([])
  })

  test('a new key of an existing application has no documented operation', async () => {
    const area = make()
    area.write('gatewright.yaml', refuse)
    area.declare(pack, member({ name: 'Shop', keys: [] }))
    expect((await area.apply()).exitCode).toBe(0)
    area.declare(pack, member({ name: 'Shop', keys: [key('shop-key-0001')] }))
    const plan = await area.plan()
    expect(plan.changes).toMatchObject([
      { action: 'blocked', reason: expect.stringContaining('/packageKeys is conventional') },
    ])
  })
})

test('keys that a platform drops from a new application are reported, and not sent in another way', async () => {
  const make = createOtherMake()
  const dropping: Make = {
    ...make,
    fetch: async (request) => {
      if (request.method !== 'POST' || !request.url.includes('/applications')) return make.fetch(request)
      const { packageKeys: _, ...body } = (await request.json()) as Record<string, unknown>
      return make.fetch(new Request(request, { body: JSON.stringify(body) }))
    },
  }
  const area = world(dropping)
  area.write('gatewright.yaml', refuse)
  area.declare(pack, member({ name: 'Shop', keys: [key('shop-key-0001')] }))
  const run = await area.apply()
  expect(run.exitCode).toBe(3)
  const { changes } = run.json()
  expect(changes.find(({ kind }) => kind === 'Application')).toMatchObject({ outcome: 'applied' })
  expect(changes.find(({ kind }) => kind === 'PackageKey')).toMatchObject({
    outcome: 'failed',
    error: expect.stringContaining('dropped it from the request that creates'),
  })
  expect(posts(area)).toEqual(['/members', '/members/{}/applications', '/packages'])
})
