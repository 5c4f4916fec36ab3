import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/json/json.js'
import { makesWith } from '../kit/makes.js'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { environment, type Make, world } from '../kit/world.js'

/** Platforms that do not delete a service that still has endpoints, or a package that still has plans (A30). */

/** The list of a path's last object that keeps it from being deleted. */
const keptBy = (pathname: string): string | undefined => {
  const [, parent = ''] = /\/(services|packages|applications)\/[^/]+$/.exec(pathname) ?? []
  return { services: 'endpoints', packages: 'plans', applications: 'packageKeys' }[parent]
}

/** `says`: the word of the refusal. */
function keeping(make: Make, status: 400 | 409, says = (list: string) => `it still has ${list}`): Make {
  return {
    log: make.log,
    fetch: async (request) => {
      const { pathname } = new URL(request.url)
      const list = keptBy(pathname)
      if (list === undefined || request.method !== 'DELETE') return make.fetch(request)
      const headers = { authorization: request.headers.get('authorization') ?? '' }
      const parent = request.url.split('?')[0]?.replace(/\/members\/[^/]+/, '')
      const listed = await make.fetch(new Request(`${parent}/${list}`, { headers }))
      if (((await listed.json()) as readonly Json[]).length === 0) return make.fetch(request)
      return Response.json({ errorCode: status, errorMessage: says(list) }, { status })
    },
  }
}

const service = document('Service', 'S', {
  endpoints: ['e', 'f'].map((name) => ({
    ...{ name, requestPathAlias: `/${name}`, trafficManagerDomain: 'api.example.com', methods: [{ name: 'm' }] },
  })),
  errorSets: [{ name: 'json', type: 'text/json' }],
})
const pack = document('Package', 'P', {
  plans: [{ name: 'Gold', services: [{ name: 'S', endpoints: [{ name: 'e' }] }] }, { name: 'Silver' }],
})

describe.each(makesWith())('%s', (_, make) => {
  test.each([400, 409] as const)(
    'the objects that a %i names are deleted first, and then the object',
    async (status) => {
      const on = world(keeping(make(), status), { env: environment })
      on.declare(service, pack)
      expect((await on.apply()).exitCode).toBe(0)
      on.declare(document('Domain', 'example.com', {}))
      const run = await on.apply('--allow', 'TRAFFIC_STOP')
      expect([run.exitCode, run.stderr]).toEqual([0, expect.not.stringContaining('error')])
      const rest = await restOf(on.make)
      expect([await rest.get('/services'), await rest.get('/packages')]).toEqual([[], []])
      expect((await on.plan()).changes).toEqual([])
    },
  )

  test.each([
    'has packageKeys',
    'has active package keys',
    'still contains 1 package key',
    'has keys',
    'must not contain package keys',
    'cannot have keys when it is deleted',
  ])('an application that "%s" is deleted after them', async (says) => {
    const on = world(
      keeping(make(), 400, () => says),
      { env: environment },
    )
    const member = (applications: JsonObject[]) =>
      document('Member', 'acme', {
        ...{ email: 'a@b.example', displayName: 'A', externalId: '1', passwdNew: 'password-1', applications },
      })
    const key = { package: 'P', plan: 'Gold', secret: 'secret-of-key' }
    on.declare(service, pack, member([{ name: 'Shop', packageKeys: [key] }]))
    expect((await on.apply()).exitCode).toBe(0)
    on.declare(service, pack, member([]))
    expect((await on.apply('--allow', 'KEY_LOSS')).exitCode).toBe(0)
    const rest = await restOf(on.make)
    expect([await rest.get('/applications'), await rest.get('/packageKeys')]).toEqual([[], []])
  })

  test.each([
    'in use',
    'its endpoints serve traffic',
    'it has no endpoints that serve traffic, and is locked',
    'you do not have the right to delete endpoints',
    "you don't have the right to delete endpoints",
    'you may not have permission to delete endpoints',
    'you must have the right to delete endpoints',
  ])('a refusal with the words "%s" deletes nothing', async (says) => {
    const on = world(
      keeping(make(), 409, () => says),
      { env: environment },
    )
    on.declare(service)
    expect((await on.apply()).exitCode).toBe(0)
    on.declare(document('Domain', 'example.com', {}))
    const run = await on.apply('--allow', 'TRAFFIC_STOP')
    expect(run.exitCode).toBe(3)
    expect(run.stdout).toContain(says)
    const [live] = await (await restOf(on.make)).get('/services?fields=name,endpoints.name')
    expect(live?.endpoints).toHaveLength(2)
  })
})
