import { beforeAll, describe, expect, it } from 'vitest'
import { type Connection, connect, endpointBody } from './client.js'

let on: Connection
let service: string

beforeAll(async () => {
  const clock = { now: Date.parse('2026-01-01T00:00:00Z') }
  on = await connect({ now: () => clock.now, tokenLifetimeSeconds: 1e9 })
  await on.post('/domains', { domain: 'example.com' })
  for (const name of ['Beta', 'alpha', 'Gamma, the third']) {
    clock.now += 1000
    await on.post('/services', { name, version: name === 'Beta' ? '2' : '1' })
  }
  service = (await on.get('/services')).id
  await on.post(
    `/services/${service}/endpoints`,
    endpointBody('orders', {
      cors: { allDomainsEnabled: true, maxAge: 5 },
      cache: { clientSurrogateControlEnabled: true },
      publicDomains: ['api.example.com'],
      methods: [{ name: 'list' }],
    }),
  )
})

const names = async (query: string) => (await on.get(`/services?${query}`)).list.map(({ name }) => name)

describe('fields', () => {
  const one = async (fields: string) => (await on.get(`/services/${service}?fields=${fields}`)).object

  it('has the fields with rule Imp by default', async () => {
    const { object } = await on.get(`/services/${service}`)
    expect(Object.keys(object)).toEqual(['id', 'name', 'created', 'updated', 'version'])
    expect(object.created).toBe('2026-01-01T00:00:01.000+0000')
  })

  it('replaces the default fields, joins commas and repetitions, and ignores unknown names', async () => {
    expect(Object.keys(await one('name,description&fields=qpsLimitOverall,nothing,endpoints.nothing'))).toEqual([
      'name',
      'endpoints',
      'description',
      'qpsLimitOverall',
    ])
  })

  it('includes children with their Imp fields, and below them the named paths', async () => {
    expect(await one('endpoints')).toEqual({
      endpoints: [{ id: expect.any(String), name: 'orders', created: expect.any(String), updated: expect.any(String) }],
    })
    expect(await one('endpoints.name,endpoints.methods.name')).toEqual({
      endpoints: [{ name: 'orders', methods: [{ name: 'list' }] }],
    })
  })

  it('includes value objects and single children completely, or the named members', async () => {
    expect(await one('endpoints.cors,endpoints.cache,endpoints.publicDomains')).toEqual({
      endpoints: [
        {
          cors: { allDomainsEnabled: true, maxAge: 5 },
          cache: expect.objectContaining({ clientSurrogateControlEnabled: true, contentCacheKeyHeaders: [] }),
          publicDomains: [{ domain: 'api.example.com' }],
        },
      ],
    })
    expect(await one('endpoints.cors.maxAge,endpoints.cache.clientSurrogateControlEnabled')).toEqual({
      endpoints: [{ cors: { maxAge: 5 }, cache: { clientSurrogateControlEnabled: true } }],
    })
  })

  it('answers unset fields as empty', async () => {
    expect(await one('endpoints.systemDomainAuthentication,endpoints.systemDomains,securityProfile')).toEqual({
      endpoints: [{ systemDomainAuthentication: null, systemDomains: [] }],
      securityProfile: null,
    })
  })

  it('also works for answers of writes', async () => {
    const { object } = await on.put(`/services/${service}?fields=name,endpoints.name`, { description: 'x' })
    expect(object).toEqual({ name: 'Beta', endpoints: [{ name: 'orders' }] })
  })

  it('indents on request', async () => {
    expect((await on.get(`/services/${service}?fields=name&indent=true`)).text).toBe(
      '[\n  {\n    "name": "Beta"\n  }\n]',
    )
  })
})

describe('lists', () => {
  it('are sorted oldest first, with the total number', async () => {
    const { list, headers } = await on.get('/services?limit=2')
    expect(list.map(({ name }) => name)).toEqual(['Beta', 'alpha'])
    expect(headers.get('x-total-count')).toBe('3')
    expect(await names('limit=2&offset=2')).toEqual(['Gamma, the third'])
  })

  it.each([
    ['filter=name:a', ['Beta', 'alpha', 'Gamma, the third']],
    ['filter=name:B', ['Beta']],
    ['filter=name:b', []],
    ['filter=name:a,version:2', ['Beta']],
    ['filter=name:a&filter=version:2', ['Beta']],
    ['filter=name:Gamma, the third', ['Gamma, the third']],
    ['filter=endpoints.name:ord', ['Beta']],
    ['filter=endpoints.methods.name:list', ['Beta']],
    ['filter=endpoints.publicDomains:api.', ['Beta']],
    ['filter=nothing:a', []],
    ['sort=name', ['Beta', 'Gamma, the third', 'alpha']],
    ['sort=version:desc,name:desc', ['Beta', 'alpha', 'Gamma, the third']],
    ['sort=version&sort=name', ['Gamma, the third', 'alpha', 'Beta']],
    ['sort=created:desc', ['Gamma, the third', 'alpha', 'Beta']],
    ['limit=9999', ['Beta', 'alpha', 'Gamma, the third']],
  ])('%s', async (query, expected) => {
    expect(await names(query)).toEqual(expected)
  })

  it.each(['limit=0', 'limit=x', 'limit=10000', 'offset=-1', 'filter=name', 'sort=name:up'])(
    'refuse %s',
    async (query) => {
      const { status, body } = await on.get(`/services?${query}`)
      expect(status).toBe(400)
      expect(body).toEqual([expect.objectContaining({ errorCode: 400, errors: [expect.any(Object)] })])
    },
  )
})

describe('lists whose offset counts pages, and that accept a search', () => {
  let connection: Connection
  let application: string
  beforeAll(async () => {
    connection = await connect()
    const { post } = connection
    const member = { email: 'e', displayName: 'd', externalId: 'x', passwdNew: 'p' }
    for (const username of ['u1', 'u2', 'u3']) await post('/members', { ...member, username })
    const owner = (await connection.get('/members')).id
    application = (await post(`/members/${owner}/applications`, { name: 'Shop', username: 'u1', tags: 'red blue' })).id
    await post(`/members/${owner}/applications`, { name: 'Shop 2', username: 'u1' })
    const plans = [{ name: 'P' }]
    const made = await post('/packages?fields=id,plans.id', { name: 'Access', plans })
    const [plan] = made.object.plans as [{ id: string }]
    const key = { secret: 's', package: { id: made.id }, plan: { id: plan.id } }
    await post(`/applications/${application}/packageKeys`, { ...key, apikey: 'k1' })
    await post(`/applications/${application}/packageKeys`, { ...key, apikey: 'k11' })
  })

  const list = async (path: string, field: string) => (await connection.get(path)).list.map((each) => each[field])

  it.each([
    ['/members?limit=2&offset=1', 'username', ['u3']],
    ['/applications?limit=1&offset=1', 'name', ['Shop 2']],
    ['/packageKeys?limit=1&offset=1', 'apikey', ['k11']],
    ['/roles?limit=1&offset=1', 'name', []],
    ['/packages?limit=1&offset=1', 'name', []],
    ['/applications?filter=name:Shop', 'name', ['Shop']],
    ['/applications?search=name:Shop', 'name', ['Shop', 'Shop 2']],
    ['/applications?search=name:Shop,tags:blue', 'name', ['Shop']],
    ['/applications?search=isPackaged:true', 'name', ['Shop']],
    ['/applications?search=isPackaged:false', 'name', ['Shop 2']],
  ])('%s', async (path, field, expected) => {
    expect(await list(path, field)).toEqual(expected)
  })

  it('compares for equality in the list of an application’s keys, and searches them', async () => {
    const path = `/applications/${application}/packageKeys`
    expect(await list(`${path}?filter=apikey:k1`, 'apikey')).toEqual(['k1'])
    expect(await list('/packageKeys?filter=apikey:k1', 'apikey')).toEqual(['k1', 'k11'])
    expect(await list(`${path}?search=name:Sho`, 'apikey')).toEqual(['k1', 'k11'])
    expect((await connection.get('/applications?search=secret:x')).status).toBe(400)
    expect((await connection.get('/applications?search=secret')).blamed).toEqual(['search'])
  })
})
