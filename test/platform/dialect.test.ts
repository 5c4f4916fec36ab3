import { beforeEach, describe, expect, it } from 'vitest'
import { type Connection, connect, endpointBody } from './client.js'

describe('the dialect recorded', () => {
  let on: Connection
  const clock = { now: Date.parse('2026-01-01T00:00:00.123Z') }
  beforeEach(async () => {
    on = await connect({ dialect: 'recorded', now: () => clock.now })
    await on.post('/domains', { domain: 'example.com' })
  })

  it('answers bare objects: four fields after a write, with milliseconds that later reads omit', async () => {
    const made = await on.post('/services', { name: 'Orders' })
    expect(made.body).toEqual({
      id: made.id,
      name: 'Orders',
      created: '2026-01-01T00:00:00.000+0000',
      updated: '2026-01-01T00:00:00.123+0000',
    })
    const read = await on.get(`/services/${made.id}?fields=updated,revisionNumber`)
    expect(read.body).toEqual({ updated: '2026-01-01T00:00:00.000+0000', revisionNumber: 2 })
    const gone = await on.del(`/services/${made.id}`)
    expect([gone.status, gone.text, gone.headers.get('content-type')]).toEqual([200, '', null])
  })

  it('writes empty values in many ways', async () => {
    const { id } = await on.post('/services', { name: 'A', endpoints: [endpointBody('a')] })
    const fields = [
      ['cache', 'cors', 'processor', 'systemDomainAuthentication', 'scheduledMaintenanceEvent', 'oauthGrantTypes'],
      ['jsonpCallbackParameter', 'systemDomainCredentialKey', 'headersToExcludeFromIncomingCall'],
    ]
    const query = fields.flat().map((field) => `endpoints.${field}`)
    const { object } = await on.get(`/services/${id}?fields=securityProfile,${query.join(',')}`)
    expect(object.securityProfile).toEqual({ oauth: null })
    const [endpoint] = object.endpoints as [Record<string, unknown>]
    expect(endpoint).toMatchObject({
      cache: { cacheTtlOverride: 0, contentCacheKeyHeaders: [], varyHeaderEnabled: false },
      cors: null,
      processor: { adapter: '', preProcessEnabled: false, preInputs: {} },
      systemDomainAuthentication: null,
      scheduledMaintenanceEvent: null,
      oauthGrantTypes: [],
      jsonpCallbackParameter: '',
      systemDomainCredentialKey: null,
    })
    expect([null, ['']]).toContainEqual(endpoint.headersToExcludeFromIncomingCall)
  })

  it('always answers a cache', async () => {
    const { id } = await on.post('/services', { name: 'A', endpoints: [endpointBody('a')] })
    const endpoint = (await on.get(`/services/${id}/endpoints`)).id
    const path = `/services/${id}/endpoints/${endpoint}/cache`
    await on.put(path, { cacheTtlOverride: 60 })
    await on.del(path)
    expect((await on.get(path)).object.cacheTtlOverride).toBe(0)
  })

  it('writes domains as addresses, grant types with underscores, and applications’ dates short', async () => {
    const body = endpointBody('a', { publicDomains: ['api.example.com'], oauthGrantTypes: ['client-credentials'] })
    const { id } = await on.post('/services', { name: 'A', endpoints: [body] })
    const read = await on.get(`/services/${id}/endpoints?fields=publicDomains,oauthGrantTypes`)
    expect(read.body).toEqual([
      { publicDomains: [{ address: 'api.example.com' }], oauthGrantTypes: ['client_credentials'] },
    ])
    const person = { username: 'acme', email: 'e', displayName: 'd', externalId: 'x', passwdNew: 'p' }
    await on.post('/members', { ...person, applications: [{ name: 'Shop' }] })
    expect((await on.get('/applications')).object).toEqual({
      id: expect.any(String),
      created: '2026-01-01T00:00:00Z',
      updated: '2026-01-01T00:00:00Z',
      name: 'Shop',
      username: 'acme',
      status: 'draft',
      isPackaged: false,
    })
    expect((await on.get('/applications?search=isPackaged:true')).body).toEqual([])
    expect((await on.get('/members')).object).toMatchObject({
      created: '2026-01-01T00:00:00.000+0000',
      updated: '2026-01-01T00:00:00.000+0000',
    })
  })

  it('answers roles nested in their service', async () => {
    const role = await on.post('/roles', { name: 'Partners' })
    const { id } = await on.post('/services', { name: 'A' })
    await on.put(`/services/${id}`, { roles: [{ id: role.id, action: 'read' }] })
    expect((await on.get(`/services/${id}?fields=roles.id,roles.name,roles.action`)).body).toEqual({
      roles: [{ id: role.id, name: 'Partners', action: 'read' }],
    })
  })

  it('refuses with a bare object whose code is a number', async () => {
    const { id } = await on.post('/services', { name: 'A' })
    expect((await on.post(`/services/${id}/endpoints`, {})).body).toMatchObject({
      errorCode: 400,
      errors: [{}, {}, {}],
    })
    expect((await on.post('/services', {})).body).toMatchObject({ errorCode: 400 })
  })

  it('changes the order of nested arrays from read to read, and loses nothing', async () => {
    const names = [...'abcdefgh']
    const { id } = await on.post('/services', { name: 'A', endpoints: names.map((name) => endpointBody(name)) })
    const read = async () => {
      const { object } = await on.get(`/services/${id}?fields=endpoints.name`)
      return (object.endpoints as { name: string }[]).map(({ name }) => name)
    }
    const [first, second] = [await read(), await read()]
    expect(first).not.toEqual(second)
    expect([...first].sort()).toEqual(names)
    expect([...second].sort()).toEqual(names)
  })

  it('does not count a revision when an endpoint changes', async () => {
    const { id } = await on.post('/services', { name: 'A' })
    await on.post(`/services/${id}/endpoints`, endpointBody('a'))
    expect((await on.get(`/services/${id}?fields=revisionNumber`)).body).toEqual({ revisionNumber: 2 })
  })
})

describe('the option for bare strings', () => {
  it('answers arrays of one plain value as that value', async () => {
    const on = await connect({ bareStrings: true })
    await on.post('/domains', { domain: 'example.com' })
    const body = endpointBody('a', { supportedHttpMethods: ['get'], publicDomains: ['example.com'] })
    const { id } = await on.post('/services', { name: 'A', endpoints: [body] })
    const fields = 'supportedHttpMethods,publicDomains,apiKeyValueLocations'
    expect((await on.get(`/services/${id}/endpoints?fields=${fields}`)).body).toEqual([
      { supportedHttpMethods: 'get', publicDomains: [{ domain: 'example.com' }], apiKeyValueLocations: [] },
    ])
  })
})

describe('ids', () => {
  it('are repeatable from a seed, short for services and endpoints, UUIDs for others', async () => {
    const make = async () => {
      const on = await connect({ idSeed: 'seed' })
      return [(await on.post('/services', { name: 'A' })).id, (await on.post('/packages', { name: 'A' })).id]
    }
    const [service, pack] = await make()
    expect(await make()).toEqual([service, pack])
    expect(service).toMatch(/^[a-z0-9]{24}$/)
    expect(pack).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })
})
