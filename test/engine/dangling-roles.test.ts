import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isList, isObject, type Json } from '../../src/json/json.js'
import { createPlatform } from '../../src/platform/server.js'
import { makesWith } from '../kit/makes.js'
import { document } from '../kit/manifests.js'
import { environment, type Make, testClock, world } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'

/** Links of services to a role that does not exist any more (A358), and links of a plan to deleted methods. */

/** A make that does not list the role "Ghost"; `linkIds`: whether links have their own ids. */
function withoutGhost(make: Make, linkIds: 'of roles' | 'own'): Make {
  const apart = (value: Json): Json => {
    if (isList(value)) return value.map(apart)
    if (!isObject(value)) return value
    const id = Object.hasOwn(value, 'action') ? { id: `link-${String(value.id)}` } : {}
    return { ...Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, apart(inner)])), ...id }
  }
  return {
    log: make.log,
    fetch: async (request) => {
      const { pathname } = new URL(request.url)
      const response = await make.fetch(request)
      if (request.method !== 'GET') return response
      const answer = (await response.json()) as Json
      if (linkIds === 'own' && pathname.includes('/services')) return Response.json(apart(answer))
      const isRoles = pathname.endsWith('/rest/roles') && isList(answer)
      return Response.json(isRoles ? answer.filter((each) => !isObject(each) || each.name !== 'Ghost') : answer)
    },
  }
}

const platform = (dialect: 'document' | 'recorded') => () =>
  createPlatform({ autoApprove: true, idSeed: 'test', dialect, ...testClock() })

test.each([
  ['document', 'of roles', platform('document')],
  ['document', 'own', platform('document')],
  ['recorded', 'of roles', platform('recorded')],
  ['recorded', 'own', platform('recorded')],
  ['other make', 'of roles', () => createOtherMake()],
] as const)('%s, ids of links: %s', async (_, linkIds, made) => {
  const make = made()
  const before = world(make, { env: environment })
  const service = (...roles: readonly string[]) =>
    document('Service', 'S', { roles: roles.map((name) => ({ name, action: 'read' })) })
  before.declare(document('Role', 'Ghost'), document('Role', 'Partners'), service('Ghost', 'Partners'))
  expect((await before.apply()).exitCode).toBe(0)
  const on = world(withoutGhost(make, linkIds), { env: environment })

  // A plan accepts the output of an export.
  const exported = await on.run(['export', '--dir', 'manifests'])
  expect([exported.exitCode, exported.stderr]).toEqual([0, expect.stringContaining('dangling-reference')])
  expect(exported.stderr).toContain('roles refers to something that the area does not have ("Ghost", id')
  expect((await on.plan()).changes).toEqual([])
  expect((await on.run(['get', 'ServiceRole'])).stdout).toContain('Service/S/ServiceRole/Ghost')

  rmSync(join(on.dir, 'manifests'), { recursive: true })
  on.declare(service('Ghost', 'Partners'))
  for (const command of ['plan', 'drift']) {
    const run = await on.run([command])
    expect([run.exitCode, run.stderr]).toEqual([1, expect.stringContaining('Service/S refers to Role "Ghost"')])
  }

  on.declare(service('Partners'))
  expect((await on.apply()).exitCode).toBe(0)
  expect((await on.plan()).changes).toEqual([])
  expect((await on.drift()).exitCode).toBe(0)
})

/** A make that does not list the method "Ghost" of services, although plans have it. */
const withoutGhostMethod = (make: Make): Make => {
  const without = (value: Json): Json => {
    if (isList(value)) return value.filter((each) => !isObject(each) || each.name !== 'Ghost').map(without)
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, without(inner)]))
  }
  return {
    log: make.log,
    fetch: async (request) => {
      const response = await make.fetch(request)
      if (request.method !== 'GET' || !new URL(request.url).pathname.includes('/rest/services')) return response
      return Response.json(without((await response.json()) as Json))
    },
  }
}

test.each(makesWith())('%s: an export reports methods of a plan that do not exist, and omits them', async (_, made) => {
  const make = made()
  const before = world(make, { env: environment })
  const endpoint = {
    ...{ name: 'e', requestPathAlias: '/e', trafficManagerDomain: 'example.com', publicDomains: ['example.com'] },
    methods: [{ name: 'Ghost' }, { name: 'm' }],
  }
  const pick = { name: 'S', endpoints: [{ name: 'e', methods: ['Ghost', 'm'] }] }
  before.declare(
    document('Domain', 'example.com'),
    document('Service', 'S', { endpoints: [endpoint] }),
    document('Package', 'P', { plans: [{ name: 'Gold', services: [pick] }] }),
  )
  expect((await before.apply()).exitCode).toBe(0)
  const on = world(withoutGhostMethod(make), { env: environment })
  const exported = await on.run(['export', '--dir', 'manifests'])
  expect([exported.exitCode, exported.stderr]).toEqual([0, expect.stringContaining('dangling-reference')])
  expect(exported.stderr).toContain('endpoints.methods refers to something that the area does not have (')
  expect((await on.plan()).changes).toEqual([])
})
