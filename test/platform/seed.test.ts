import { describe, expect, it } from 'vitest'
import { catalog } from '../../src/catalog/catalog.js'
import { elementOf } from '../../src/catalog/queries.js'
import type { KindName } from '../../src/catalog/types.js'
import type { JsonObject } from '../../src/json/json.js'
import { Refusal } from '../../src/platform/refusal.js'
import { createPlatform } from '../../src/platform/server.js'
import { type Connection, connect, connectTo, endpointBody } from './client.js'

const date = '2017-11-22T15:22:09.000+0000'

/** An area as the interface answers it, in the words of both dialects. */
const seed = {
  roles: [{ id: 'r1', name: 'Partners' }],
  domains: [{ id: 'd1', domain: 'example.com', status: 'waiting' }],
  services: [
    {
      id: 's1',
      name: 'Orders',
      created: date,
      updated: date,
      revisionNumber: 306,
      editorHandle: 'jane.editor',
      robotsPolicy: null,
      roles: [{ id: 'r1', name: 'Partners', action: 'read' }],
      errorSets: [
        { id: 'es1', name: 'json', type: 'text/json', errorMessages: [{ id: 'ERR_400_BAD_REQUEST', status: 'x' }] },
      ],
      endpoints: [
        {
          id: 'e1',
          ...endpointBody('orders'),
          created: date,
          updated: date,
          publicDomains: [{ address: 'api.elsewhere.example' }],
          cors: null,
          cache: { cacheTtlOverride: 5 },
          systemDomainAuthentication: { type: 'httpBasic', username: 'u', password: 'p' },
          errorSet: { id: 'es1', name: 'json' },
          methods: [{ id: 'm1', name: 'list' }],
        },
      ],
    },
    { id: 's2', name: 'Orders', roles: [{ id: 'r9', name: 'Others', action: 'read' }] },
  ],
  scheduledMaintenanceEvents: [
    { id: 'w1', name: 'W', startDateTime: date, endDateTime: date, endpoints: [{ id: 'e1', name: 'orders' }] },
  ],
  packages: [
    {
      id: 'p1',
      name: 'Access',
      plans: [
        {
          id: 'pl1',
          name: 'Gold',
          status: 'inactive',
          services: [{ id: 's1', name: 'Orders', endpoints: [{ id: 'e1', methods: [{ id: 'm1' }] }] }],
        },
      ],
    },
  ],
  members: [
    {
      id: 'mb1',
      username: 'acme',
      email: 'e',
      displayName: 'd',
      externalId: 'x',
      roles: [{ id: 'r1' }],
      applications: [
        {
          id: 'a1',
          name: 'Shop',
          packageKeys: [{ id: 'k1', apikey: 'key', secret: 's', package: { id: 'p1' }, plan: { id: 'pl1' } }],
        },
      ],
    },
  ],
  applications: [{ id: 'a2', name: 'Loose', username: 'acme' }],
  packageKeys: [
    { id: 'k2', apikey: 'key2', secret: 's', application: { id: 'a2' }, package: { id: 'p1' }, plan: { id: 'pl1' } },
  ],
  emailTemplateSets: [{ id: '7', emailTemplates: [{ id: 't1', type: 'welcome', from: 'a@example.com' }] }],
} satisfies Record<string, readonly JsonObject[]>

describe('a seed', () => {
  it('gives each key without a value in a snapshot its own value, so that both can be changed', async () => {
    const [member] = seed.members
    const key = { package: { id: 'p1' }, plan: { id: 'pl1' }, status: 'active' }
    const packageKeys = [
      { id: 'k1', apikeyMark: '0001-0a1b2c3d', ...key },
      { id: 'k2', apikey: null, ...key },
    ]
    const members = [{ ...member, applications: [{ id: 'a1', name: 'Shop', packageKeys }] }]
    const { get, put } = await connect({ seed: { ...seed, members, packageKeys: [] } })
    const values = (await get('/packageKeys?fields=apikey')).list.map(({ apikey }) => apikey)
    expect(values).toEqual([expect.stringMatching(/^[a-z0-9]{24}$/), expect.stringMatching(/^[a-z0-9]{24}$/)])
    expect(values[0]).not.toBe(values[1])
    for (const id of ['k1', 'k2']) expect((await put(`/packageKeys/${id}`, { status: 'disabled' })).status).toBe(200)
  })

  it('keeps ids, dates, states and reverse references', async () => {
    const { get } = await connect({ seed })
    const fields =
      'id,created,revisionNumber,editorHandle,endpoints.id,endpoints.publicDomains,endpoints.cache.cacheTtlOverride'
    expect((await get(`/services/s1?fields=${fields},endpoints.errorSet,endpoints.methods.id`)).object).toEqual({
      id: 's1',
      created: date,
      revisionNumber: 306,
      editorHandle: 'jane.editor',
      endpoints: [
        {
          id: 'e1',
          publicDomains: [{ domain: 'api.elsewhere.example' }],
          cache: { cacheTtlOverride: 5 },
          errorSet: { id: 'es1', name: 'json' },
          methods: [{ id: 'm1' }],
        },
      ],
    })
    expect((await get('/services/s1/errorSets/es1/errorMessages')).list).toHaveLength(23)
    expect((await get('/services/s2/errorSets')).object.name).toBe('Default')
    expect((await get('/services/s2/roles')).object.name).toBe('Others')
    expect((await get('/domains/d1')).object.status).toBe('waiting')
    expect((await get('/packages/p1/plans/pl1')).object.status).toBe('inactive')
    expect((await get('/packages/p1/plans/pl1/services/s1?fields=endpoints.methods.name')).object).toEqual({
      endpoints: [{ methods: [{ name: 'list' }] }],
    })
    expect((await get('/services/s1/endpoints/e1/scheduledMaintenanceEvent')).object.id).toBe('w1')
    expect((await get('/members/mb1?fields=packageKeys.id,roles.name')).object).toEqual({
      packageKeys: [{ id: 'k1' }, { id: 'k2' }],
      roles: [{ name: 'Partners' }],
    })
    expect((await get('/emailTemplateSets/7/emailTemplates/t1')).object.type).toBe('welcome')
    expect((await get('/emailTemplateSets/1/emailTemplates/t1')).status).toBe(404)
  })

  it('may be loaded later', async () => {
    const platform = createPlatform()
    const { get } = await connectTo(platform)
    platform.seed({ services: [{ id: 's1', name: 'A' }] })
    expect((await get('/services')).list).toHaveLength(1)
  })

  it('is loaded completely or not at all, and reports mistakes', () => {
    const platform = createPlatform()
    const broken = {
      services: [{ id: 's1', name: 'A' }],
      packages: [{ name: 'P', plans: [{ services: [{ id: 'x' }] }] }],
    }
    expect(() => platform.seed(broken)).toThrow('The seed cannot be loaded.')
    expect(() => platform.seed({ services: [{ id: 's1', name: 'A' }] })).not.toThrow()
    expect(() => platform.seed({ services: [{ id: 's1', name: 'A' }] })).toThrow()
  })

  const complaintsOf = (text: string): readonly string[] => {
    try {
      createPlatform({ seed: JSON.parse(text) })
      return []
    } catch (error) {
      return error instanceof Refusal ? error.complaints.map(({ property }) => property) : [String(error)]
    }
  }

  it('is not an empty area if its collections have other names', () => {
    expect(complaintsOf('{"service":[{"name":"A"}],"roles":{"name":"R"},"members":["x"]}')).toEqual([
      'service',
      'roles',
      'members',
    ])
    expect(complaintsOf('{"takenAt":"2026-11-21","services":[{"name":"A"}]}')).toEqual([])
  })

  it('may lack what creates require, but not the names of its objects', () => {
    const endpoints = '"endpoints":[{"requestPathAlias":"/a"},{"name":"b"}]'
    expect(complaintsOf(`{"services":[{"nome":"A"},{"name":"B",${endpoints}}],"domains":[{"domain":""}]}`)).toEqual([
      'domains[0].domain',
      'services[0].name',
      'services[1].endpoints[0].name',
    ])
    expect(complaintsOf('{"members":[{"username":"m","applications":[{"name":"A","packageKeys":[]}]}]}')).toEqual([])
  })
})

describe('the answers of the interface', () => {
  const pathsOf = (name: KindName, prefix = ''): readonly string[] =>
    Object.values(catalog[name].fields).flatMap((field) => {
      const element = elementOf(field.type)
      const path = `${prefix}${field.name}`
      if (element.is === 'child') return pathsOf(element.kind, `${path}.`)
      if (name === 'PlanService' && field.name === 'endpoints') return [`${path}.id`, `${path}.methods.id`]
      return element.is === 'reference' ? [`${path}.id`] : [path]
    })

  const read = async ({ get }: Connection) => {
    const collections = { services: 'Service', packages: 'Package', members: 'Member', roles: 'Role' } as const
    const all: Record<string, readonly JsonObject[]> = {}
    for (const [collection, kind] of Object.entries(collections)) {
      all[collection] = (await get(`/${collection}?fields=${pathsOf(kind).join(',')}`)).list
    }
    return { ...all, domains: (await get('/domains')).list, events: (await get('/scheduledMaintenanceEvents')).list }
  }

  it('are a seed that creates the same area again', async () => {
    // Relations are new in a new area: with one clock for both, their dates can be compared as well.
    const now = () => Date.UTC(2026, 10, 21)
    const first = await connect({ seed, now })
    const area = await read(first)
    const { events, ...others } = area
    const again = { ...others, scheduledMaintenanceEvents: events }
    const second = await connect({ seed: again, idSeed: 'another', now })
    expect(await read(second)).toEqual(area)
  })
})

describe('the log', () => {
  it('contains every request with its status, and the ids that creates returned', async () => {
    const { platform, post, get } = await connect()
    const { id } = await post('/services', { name: 'A' })
    await post('/services', {})
    await get('/services?limit=1')
    expect(platform.log).toEqual([
      { method: 'POST', path: '/v3/token', query: '', status: 200 },
      { method: 'POST', path: '/v3/rest/services', query: '', status: 200, id },
      { method: 'POST', path: '/v3/rest/services', query: '', status: 400 },
      { method: 'GET', path: '/v3/rest/services', query: '?limit=1', status: 200 },
    ])
  })
})
