import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/json.js'
import { makesWith } from '../kit/makes.js'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { type Make, type World, world } from '../kit/world.js'
import { planOfSides, verdicts } from '../planner/base-plan.js'

/** The records of an object keep what was sent, and nothing that was removed. */

const makes = makesWith({ defaultErrorSet: 'unless given' })

const domain = document('Domain', 'example.com', {})
const endpoint = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  requestPathAlias: `/${name}`,
  trafficManagerDomain: 'api.example.com',
  publicDomains: ['api.example.com'],
  systemDomains: ['in.example.com'],
  ...more,
})
const service = (...endpoints: readonly JsonObject[]) => document('Service', 'S', { endpoints })

/** The path of the only endpoint "e" of the only service. */
async function pathOfEndpoint(make: Make): Promise<string> {
  const rest = await restOf(make)
  const [one] = await rest.get('/services')
  const [inner] = await rest.get(`/services/${one?.id}/endpoints`)
  return `/services/${one?.id}/endpoints/${inner?.id}`
}

test.each(makes)('on the make "%s" a cache that was removed may be written again', async (_, make) => {
  const area = world(make())
  for (const contentCacheKeyHeaders of ['accept', null, 'accept-charset', null, 'accept-charset']) {
    const cache = contentCacheKeyHeaders === null ? null : { contentCacheKeyHeaders }
    area.declare(domain, service(endpoint('e', { cache })))
    expect((await area.run(['plan'])).stdout).not.toMatch(/\((drift|conflict)\)/)
    const run = await area.apply()
    expect(run.exitCode, run.stdout).toBe(0)
    expect((await area.plan()).changes).toEqual([])
    expect((await area.drift()).exitCode).toBe(0)
  }
})

test.each(makes)(
  'on the make "%s" a cache that was emptied field by field may be written again',
  async (name, make) => {
    const area = world(make())
    for (const [index, contentCacheKeyHeaders] of ['accept', null, 'accept', null, 'accept-charset'].entries()) {
      area.declare(domain, service(endpoint('e', { cache: { contentCacheKeyHeaders } })))
      // If nothing of it remains, nobody has removed anything.
      if (index === 4 && name !== 'another make')
        await (await restOf(area.make)).remove(`${await pathOfEndpoint(area.make)}/cache`)
      if (index > 0) expect((await area.drift()).exitCode).toBe(0)
      const run = await area.apply()
      expect(run.exitCode, run.stdout).toBe(0)
      expect((await area.plan()).changes).toEqual([])
      expect((await area.drift()).exitCode).toBe(0)
    }
  },
)

test.each(makes)(
  'on the make "%s" fields that somebody sets in a cache that is declared empty are drift',
  async (_, make) => {
    const area = world(make())
    const blank = service(endpoint('e', { cache: { clientSurrogateControlEnabled: false } }))
    area.declare(domain, blank)
    expect((await area.apply()).exitCode).toBe(0)
    const path = await pathOfEndpoint(area.make)
    const touched = endpoint('e', { cache: { clientSurrogateControlEnabled: true } })
    const byHand = async () => (await restOf(area.make)).put(path, touched)
    await byHand()
    const drift = await area.drift()
    expect([drift.exitCode, drift.json().changes]).toMatchObject([
      2,
      [{ action: 'update', side: 'live', fields: [{ path: '/clientSurrogateControlEnabled', verdict: 'drift' }] }],
    ])
    expect((await area.apply()).exitCode).toBe(0)
    expect((await area.drift()).exitCode).toBe(0)
    // We may not delete it either, after no manifest declares it any more.
    await byHand()
    area.declare(domain, service(endpoint('e')))
    expect((await area.plan()).changes).toEqual([])
  },
)

test.each(makes)(
  'on the make "%s" a cache that somebody removed and git changed is reported as drift',
  async (_, make) => {
    const area = world(make())
    area.declare(domain, service(endpoint('e', { cache: { contentCacheKeyHeaders: 'accept' } })))
    await area.apply()
    const rest = await restOf(area.make)
    await rest.remove(`${await pathOfEndpoint(area.make)}/cache`)
    area.declare(domain, service(endpoint('e', { cache: { contentCacheKeyHeaders: 'accept-charset' } })))
    const plan = await area.run(['plan'])
    expect(plan.exitCode, plan.stdout).toBe(0)
    expect(plan.stdout).toMatch(/deleted on the platform: created again|\(drift\)/)
    expect((await area.apply()).exitCode).toBe(0)
  },
)

describe.each(makes)('on the make "%s" a list that the platform fills in by itself', (name, make) => {
  const answering = (returnedHeaders: JsonObject['a'] | undefined) =>
    service(endpoint('e', returnedHeaders === undefined ? {} : { returnedHeaders }))
  const liveIn = async (area: World) =>
    (await (await restOf(area.make)).get(`${await pathOfEndpoint(area.make)}?fields=returnedHeaders`))[0]
      ?.returnedHeaders
  const shownBy = (list: readonly string[]) => (name === 'another make' ? list[0] : list)

  test('may be empty from the start', async () => {
    const area = world(make())
    area.declare(domain, answering([]))
    expect((await area.apply()).exitCode).toBe(0)
    expect(await liveIn(area)).toEqual(shownBy([]))
    expect((await area.plan()).changes).toEqual([])
  })

  test('may be emptied later, and written again', async () => {
    const area = world(make())
    for (const list of [['svc-responder'], [], ['svc-responder']]) {
      area.declare(domain, answering(list))
      expect((await area.apply()).exitCode).toBe(0)
      expect(await liveIn(area)).toEqual(shownBy(list))
      expect((await area.plan()).changes).toEqual([])
    }
  })

  test('is compared if it is written, and drifts if somebody empties it', async () => {
    const area = world(make())
    area.declare(domain, answering(['svc-responder']))
    await area.apply()
    await (await restOf(area.make)).put(await pathOfEndpoint(area.make), { returnedHeaders: [] })
    expect((await area.drift()).exitCode).toBe(2)
  })

  test('stays the same after an export', async () => {
    const area = world(make())
    area.declare(domain, answering([]))
    await area.apply()
    await area.run(['export', '--dir', 'exported'])
    expect((await area.plan('-f', 'exported')).changes).toEqual([])
    const written = readdirSync(join(area.dir, 'exported'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.yaml'))
      .map((file) => readFileSync(join(area.dir, 'exported', file), 'utf8'))
    expect(written.join('').includes('returnedHeaders: []')).toBe(name !== 'another make')
  })

  test('is not changed if no manifest writes it', async () => {
    const area = world(make())
    area.declare(domain, answering(undefined))
    await area.apply()
    expect((await area.plan()).changes).toEqual([])
    const exported = await area.run(['export'])
    expect(exported.stdout).not.toContain('returnedHeaders')
  })
})

describe.each(makes)('on the make "%s" a plan that gives access to everything in a service', (_, make) => {
  const access = (endpoints: JsonObject['a']) =>
    document('Package', 'P', { plans: [{ name: 'L', services: [{ name: 'S', endpoints }] }] })
  const methods = (...names: readonly string[]) => ({ methods: names.map((name) => ({ name })) })
  const marks = async (area: World) => (await area.run(['plan'])).stdout.match(/\((drift|conflict)\)/g) ?? []

  const cases: readonly (readonly [string, JsonObject['a'], readonly JsonObject[], readonly JsonObject[]])[] = [
    ['a method is added', '*', [endpoint('e', methods('m'))], [endpoint('e', methods('m', 'n'))]],
    ['an endpoint is added', '*', [endpoint('e', methods('m'))], [endpoint('e', methods('m')), endpoint('f')]],
    [
      'one is added and one is deleted',
      '*',
      [endpoint('e'), endpoint('f', methods('m'))],
      [endpoint('e'), endpoint('g')],
    ],
    [
      'a method of an endpoint is added',
      [{ name: 'e', methods: '*' }],
      [endpoint('e', methods('m'))],
      [endpoint('e', methods('m', 'n'))],
    ],
  ]
  test.each(cases)('is changed only by git if %s', async (_words, endpoints, before, after) => {
    const area = world(make())
    area.declare(domain, service(...before), access(endpoints))
    await area.apply()
    area.declare(domain, service(...after), access(endpoints))
    expect(await marks(area)).toEqual([])
    expect((await area.drift()).exitCode).toBe(0)
    const run = await area.apply('--allow', 'TRAFFIC_STOP')
    expect(run.exitCode, run.stdout).toBe(0)
    expect((await area.plan()).changes).toEqual([])
    expect((await area.drift()).exitCode).toBe(0)
  })

  test('that no longer gives access: the entries are removed, and nothing else is reported', async () => {
    const area = world(make())
    area.declare(domain, service(endpoint('e', methods('m')), endpoint('f')), access('*'))
    await area.apply()
    area.declare(
      domain,
      service(endpoint('e', methods('m', 'n')), endpoint('f')),
      access([{ name: 'e', methods: ['m'] }]),
    )
    expect(await marks(area)).toEqual([])
    const run = await area.apply('--allow', 'TRAFFIC_STOP')
    expect(run.exitCode, run.stdout).toBe(0)
    expect((await area.plan()).changes).toEqual([])
  })

  test('drifts if somebody removes an entry', async () => {
    const area = world(make())
    area.declare(domain, service(endpoint('e'), endpoint('f')), access('*'))
    await area.apply()
    const rest = await restOf(area.make)
    const [one] = await rest.get('/services')
    const [bundle] = await rest.get('/packages')
    const [plan] = await rest.get(`/packages/${bundle?.id}/plans`)
    const [kept] = await rest.get(`/services/${one?.id}/endpoints`)
    await rest.put(`/packages/${bundle?.id}/plans/${plan?.id}/services/${one?.id}`, {
      id: one?.id ?? '',
      endpoints: [{ id: kept?.id ?? '' }],
    })
    expect(await marks(area)).toEqual(['(drift)'])
    expect((await area.drift()).exitCode).toBe(2)
  })
})

describe('a base that says "*"', () => {
  const e = document('Endpoint', { service: 'S', name: 'e' }, {})
  const star = document('PlanService', { package: 'P', plan: 'L', name: 'S' }, { endpoints: '*' })
  const live = {
    services: [{ id: 's', name: 'S', endpoints: [{ id: 'e', name: 'e' }] }],
    packages: [
      {
        id: 'p',
        name: 'P',
        plans: [
          { id: 'l', name: 'L', services: [{ id: 's', name: 'S', endpoints: [{ id: 'e', name: 'e', methods: [] }] }] },
        ],
      },
    ],
  }

  test('means the objects that were live and applied then: a git reference, or records of an earlier version', () => {
    const desired = [
      e,
      document('Endpoint', { service: 'S', name: 'f' }, { requestPathAlias: '/f', trafficManagerDomain: 'tm' }),
      star,
    ]
    expect(verdicts(planOfSides({ base: [e, star], live, desired }))).toEqual([
      'pending create Service/S/Endpoint/f',
      'pending /endpoints',
    ])
  })
})
