import { beforeEach, describe, expect, it } from 'vitest'
import { type Connection, connect, endpointBody } from './client.js'

let on: Connection
let service: string

beforeEach(async () => {
  on = await connect()
  await on.post('/domains', { domain: 'example.com' })
  service = (await on.post('/services', { name: 'Orders' })).id
})

const addEndpoint = (body: unknown, path = '') => on.post(`/services/${service}/endpoints${path}`, body)

describe('the C/U rules', () => {
  it('ignore fields that the platform sets, and unknown fields', async () => {
    const { object } = await on.post('/services?fields=id,name,revisionNumber,created,editorHandle', {
      id: 'mine',
      name: 'A',
      created: '2000-01-01T00:00:00.000+0000',
      revisionNumber: 99,
      editorHandle: 'nobody',
      unknown: 1,
    })
    expect(object).toMatchObject({ name: 'A', revisionNumber: 1, editorHandle: 'local-user' })
    expect(object.id).toMatch(/^[a-z0-9]{24}$/)
    expect(object.created).not.toContain('2000')
  })

  it('require Req fields on create, with one complaint for each property', async () => {
    const { status, body } = await addEndpoint({ cors: { maxAge: 'x' } })
    expect(status).toBe(400)
    expect(body).toEqual([
      {
        errorCode: 400,
        errorMessage: 'Unable to create Endpoint.',
        errors: [
          { property: 'name', message: "Property 'name' is required." },
          { property: 'cors.maxAge', message: "Property 'cors.maxAge' must be an integer." },
          { property: 'requestPathAlias', message: "Property 'requestPathAlias' is required." },
          { property: 'trafficManagerDomain', message: "Property 'trafficManagerDomain' is required." },
        ],
      },
    ])
  })

  it('require Req fields on update, and do not let them be cleared', async () => {
    const { id } = await on.post('/domains', { domain: 'a.example' })
    expect((await on.put(`/domains/${id}`, {})).blamed).toEqual(['domain'])
    expect((await on.put(`/services/${service}`, { name: null })).blamed).toEqual(['name'])
    const endpoint = await addEndpoint(endpointBody('a', { systemDomainAuthentication: { type: 'httpBasic' } }))
    const path = `/services/${service}/endpoints/${endpoint.id}/systemDomainAuthentication`
    expect((await on.put(path, { username: 'x' })).blamed).toEqual(['type'])
  })

  it.each([
    ['qpsLimitOverall', 'x'],
    ['qpsLimitOverall', 1.5],
    ['rfc3986Encode', 'yes'],
    ['name', 5],
    ['securityProfile', []],
    ['endpoints', 'x'],
  ])('refuse a wrong %s: %j', async (field, value) => {
    expect((await on.post('/services', { name: 'A', [field]: value })).blamed).toEqual([field])
  })

  it.each(['2027-02-30T00:00:00.000+0000', '2027-06-31T00:00:00Z', '2027-01-31', 'soon', 1_767_225_600_000])(
    'accept no datetime like %j',
    async (startDateTime) => {
      const event = { name: 'W', startDateTime, endDateTime: '2028-02-29T23:59:59.000+0100' }
      expect((await on.post('/scheduledMaintenanceEvents', event)).blamed).toEqual(['startDateTime'])
    },
  )

  it('refuse words that are not in an enum, with the path of the property', async () => {
    const body = { name: 'A', endpoints: [endpointBody('a', { supportedHttpMethods: ['get', 'fetch'], processor: 1 })] }
    const { blamed } = await on.post('/services', body)
    expect(blamed).toEqual(['endpoints[0].processor', 'endpoints[0].supportedHttpMethods[1]'])
    expect((await on.get('/services')).list).toHaveLength(1)
  })

  it('accept 0 and 1 as booleans, a bare word as a list, and underscores in grant types', async () => {
    const fields = 'inboundSslRequired,apiKeyValueLocations,oauthGrantTypes'
    const { object } = await addEndpoint(
      endpointBody('a', {
        inboundSslRequired: 1,
        apiKeyValueLocations: 'request-header',
        oauthGrantTypes: ['client_credentials'],
      }),
      `?fields=${fields}`,
    )
    expect(object).toEqual({
      inboundSslRequired: true,
      apiKeyValueLocations: ['request-header'],
      oauthGrantTypes: ['client-credentials'],
    })
  })

  it('merge top-level fields, clear with null, and replace a cleared value by the platform’s default', async () => {
    const { id } = await addEndpoint(
      endpointBody('a', { numberOfHttpRedirectsToFollow: 3, jsonpCallbackParameter: 'cb' }),
    )
    const path = `/services/${service}/endpoints/${id}?fields=name,numberOfHttpRedirectsToFollow,jsonpCallbackParameter`
    expect((await on.put(path, { jsonpCallbackParameter: null })).object).toEqual({
      name: 'a',
      numberOfHttpRedirectsToFollow: 3,
      jsonpCallbackParameter: null,
    })
    expect((await on.put(path, { numberOfHttpRedirectsToFollow: null })).object.numberOfHttpRedirectsToFollow).toBe(0)
  })

  it('refuse bodies that are not objects', async () => {
    expect((await on.post('/services', [{ name: 'A' }])).status).toBe(400)
    expect((await on.api('POST', '/services')).status).toBe(400)
  })

  it('fill in the known defaults of the platform', async () => {
    const fields = 'apiMethodDetectionLocations,returnedHeaders,numberOfHttpRedirectsToFollow'
    expect((await addEndpoint(endpointBody('a'), `?fields=${fields}`)).object).toEqual({
      apiMethodDetectionLocations: ['request-path'],
      returnedHeaders: ['svc-responder'],
      numberOfHttpRedirectsToFollow: 0,
    })
    expect((await on.post('/packages?fields=plans', { name: 'A', plans: [{ name: 'P' }] })).object.plans).toEqual([
      expect.objectContaining({
        status: 'active',
        maxNumKeysAllowed: 4,
        numKeysBeforeReview: 0,
        qpsLimitCeiling: 2,
        rateLimitCeiling: 5000,
        rateLimitPeriod: 'day',
        qpsLimitExempt: false,
        qpsLimitKeyOverrideAllowed: true,
      }),
    ])
  })
})

describe('nested arrays', () => {
  it('of owned children merge those with a known id, create those without, and drop the others', async () => {
    const endpoints = [endpointBody('a', { methods: [{ name: 'm' }] }), endpointBody('b')]
    const made = await on.post('/services?fields=id,endpoints.id,endpoints.name', { name: 'A', endpoints })
    const [a, b] = made.object.endpoints as [{ id: string }, { id: string }]
    const { object } = await on.put(`/services/${made.id}?fields=endpoints.id,endpoints.name,endpoints.methods.name`, {
      endpoints: [{ id: a.id, name: 'a2' }, endpointBody('c')],
    })
    expect(object.endpoints).toEqual([
      { id: a.id, name: 'a2', methods: [{ name: 'm' }] },
      { id: expect.not.stringContaining(b.id), name: 'c', methods: [] },
    ])
  })

  it('change nothing if the request is refused, not even an order', async () => {
    const endpoints = ['a', 'b', 'c'].map((name) => endpointBody(name, { methods: [{ name: 'm' }] }))
    const { id } = await on.post('/services', { name: 'A', endpoints })
    const path = `/services/${id}?fields=name,updated,revisionNumber,endpoints,endpoints.methods.id,errorSets.errorMessages`
    const before = (await on.get(path)).text
    const [first] = (await on.get(`/services/${id}/endpoints`)).list
    const broken = { name: 'B', errorSets: [{ name: 'x' }], endpoints: [{ id: String(first?.id), name: 'z' }, {}] }
    expect((await on.put(`/services/${id}`, broken)).status).toBe(400)
    expect((await on.get(path)).text).toBe(before)
    expect((await on.get(`/services/${id}/endpoints?filter=name:z`)).list).toEqual([])
  })

  it('are dropped from creates if the platform is configured so', async () => {
    const other = await connect({ ignoreNested: ['Service.endpoints'] })
    const { object } = await other.post('/services?fields=endpoints', { name: 'A', endpoints: [endpointBody('a')] })
    expect(object.endpoints).toEqual([])
  })

  it('are dropped, but not the objects that the platform itself adds to a new object', async () => {
    const other = await connect({ ignoreNested: ['Service.errorSets', 'ErrorSet.errorMessages'] })
    const { object, id } = await other.post('/services?fields=id,errorSets.name', {
      name: 'A',
      errorSets: [{ name: 'x' }],
    })
    expect(object.errorSets).toEqual([{ name: 'Default' }])
    const message = { id: 'ERR_403_NOT_AUTHORIZED', status: 'No' }
    const set = await other.post(`/services/${id}/errorSets`, { name: 'x', errorMessages: [message] })
    const messages = (await other.get(`/services/${id}/errorSets/${set.id}/errorMessages`)).list
    expect(messages).toHaveLength(23)
    expect(messages.find((each) => each.id === message.id)).toMatchObject({ status: 'Forbidden' })
  })

  it('refuse references by an unknown id', async () => {
    const roles = [{ id: 'none', action: 'read' }]
    expect((await on.put(`/services/${service}`, { roles })).blamed).toEqual(['roles[0].id'])
    const window = { startDateTime: '2027-01-01T00:00:00.000+0000', endDateTime: '2027-01-02T00:00:00.000+0000' }
    const event = { name: 'W', ...window, endpoints: [{ id: 'none' }, {}] }
    const { blamed } = await on.post('/scheduledMaintenanceEvents', event)
    expect(blamed).toEqual(['endpoints[0].id', 'endpoints[1].id'])
  })
})

describe('services', () => {
  it('count revisions, and keep their date when an endpoint changes', async () => {
    const read = async () => (await on.get(`/services/${service}?fields=updated,revisionNumber`)).object
    const before = await read()
    await addEndpoint(endpointBody('a'))
    expect(await read()).toEqual({ ...before, revisionNumber: 2 })
    await on.put(`/services/${service}`, { version: '2' })
    expect((await read()).revisionNumber).toBe(3)
  })

  it('link roles with an action; the document shows them in their own list only', async () => {
    const role = await on.post('/roles', { name: 'Partners' })
    await on.put(`/services/${service}`, { roles: [{ id: role.id, action: 'read' }] })
    expect((await on.get(`/services/${service}/roles`)).body).toEqual([
      {
        id: role.id,
        created: expect.any(String),
        updated: expect.any(String),
        name: 'Partners',
        action: 'read',
      },
    ])
    expect((await on.get(`/services/${service}?fields=name,roles`)).object).toEqual({ name: 'Orders' })
    expect((await on.put(`/services/${service}`, { roles: [{ id: role.id }] })).status).toBe(200)
    expect((await on.put(`/services/${service}`, { roles: [{ id: role.id, action: null }] })).status).toBe(400)
    await on.del(`/roles/${role.id}`)
    expect((await on.get(`/services/${service}/roles`)).body).toEqual([])
  })

  it('refuse roles that are not objects with an id, and keep their present ones; one object counts as a list of one', async () => {
    const role = await on.post('/roles', { name: 'Partners' })
    const link = { id: role.id, action: 'read' }
    await on.put(`/services/${service}`, { roles: link })
    for (const roles of ['x', 5, {}, [role.id]]) {
      expect((await on.put(`/services/${service}`, { roles })).blamed).toEqual(['roles[0].id'])
    }
    expect((await on.get(`/services/${service}/roles`)).list).toMatchObject([link])
  })

  it('may share a name', async () => {
    expect((await on.post('/services', { name: 'Orders' })).status).toBe(200)
    expect((await on.get('/services?filter=name:Orders')).list).toHaveLength(2)
  })
})

describe('endpoints', () => {
  it('need active domains, completely or as a suffix, without regard to case and port', async () => {
    const hosts = (publicDomains: unknown, systemDomains: unknown = []) =>
      addEndpoint({ ...endpointBody('a'), publicDomains, systemDomains })
    const { blamed, words } = await hosts([{ domain: 'api.example.com' }], ['ok.example.com', 'badexample.com'])
    expect(blamed).toEqual(['systemDomains[1]'])
    expect(words).toContain("Property 'badexample.com' is not a valid domain.")
    expect((await hosts([{ address: 'API.Example.com' }, 'example.com'], ['backend.example.com:443'])).status).toBe(200)
  })

  it('wait for the approval of a domain', async () => {
    const other = await connect({ autoApprove: false })
    const domain = await other.post('/domains', { domain: 'example.com', status: 'active' })
    expect(domain.object.status).toBe('waiting')
    const body = { name: 'A', endpoints: [endpointBody('a', { publicDomains: ['api.example.com'] })] }
    expect((await other.post('/services', body)).words).toContain('is not a valid domain')
    const approve = new Request(`http://x/control/domains/${domain.id}/approve`, { method: 'POST' })
    expect((await other.platform.fetch(approve)).status).toBe(200)
    expect((await other.get(`/domains/${domain.id}`)).object.status).toBe('active')
    expect((await other.post('/services', body)).status).toBe(200)
  })

  it('may not use a verb, public domain and path of another endpoint', async () => {
    const route = { requestPathAlias: '/v1', publicDomains: ['api.example.com'] }
    const first = await addEndpoint(endpointBody('a', { ...route, supportedHttpMethods: ['get', 'post'] }))
    const second = await addEndpoint(endpointBody('b', { ...route, supportedHttpMethods: ['post'] }))
    expect(second.status).toBe(400)
    expect(second.words).toContain("Found an endpoint with method 'POST', domain 'api.example.com' and path '/v1'")
    expect((await addEndpoint(endpointBody('b', { ...route, supportedHttpMethods: ['put'] }))).status).toBe(200)
    await on.del(`/services/${service}/endpoints/${first.id}`)
    expect((await addEndpoint(endpointBody('c', { ...route, supportedHttpMethods: ['post'] }))).status).toBe(200)
  })

  it('have only the documented fields of a cache, and those that were set', async () => {
    const { object } = await on.post('/services?fields=id,endpoints.id', { name: 'A', endpoints: [endpointBody('a')] })
    const [endpoint] = object.endpoints as [{ id: string }]
    const path = `/services/${String(object.id)}/endpoints/${endpoint.id}/cache`
    await on.post(path, { clientSurrogateControlEnabled: true })
    const known = { clientSurrogateControlEnabled: true, contentCacheKeyHeaders: [] }
    expect((await on.get(path)).object).toEqual(known)
    await on.put(path, { cacheTtlOverride: 60 })
    expect((await on.get(path)).object).toEqual({ ...known, cacheTtlOverride: 60 })
    await on.put(path, { cacheTtlOverride: null })
    expect((await on.get(path)).object).toEqual(known)
  })

  it('have one cache, one authentication, one event: absent until assigned', async () => {
    const { id } = await addEndpoint(endpointBody('a'))
    for (const segment of ['cache', 'systemDomainAuthentication', 'scheduledMaintenanceEvent']) {
      const path = `/services/${service}/endpoints/${id}/${segment}`
      expect((await on.get(path)).status).toBe(404)
      expect((await on.put(path, { type: 'httpBasic' })).status).toBe(404)
      expect((await on.del(path)).status).toBe(404)
    }
    const path = `/services/${service}/endpoints/${id}`
    await on.put(path, { systemDomainAuthentication: { type: 'httpBasic', username: 'x' } })
    expect((await on.get(`${path}/systemDomainAuthentication`)).object).toMatchObject({ username: 'x' })
    await on.put(path, { systemDomainAuthentication: null })
    expect((await on.get(`${path}/systemDomainAuthentication`)).status).toBe(404)
  })

  it('move between events, whose lists have the reverse reference', async () => {
    const { id } = await addEndpoint(endpointBody('a'))
    const window = { startDateTime: '2027-01-01T00:00:00Z', endDateTime: '2027-01-02T01:00:00+01:00' }
    const first = await on.post('/scheduledMaintenanceEvents', { name: 'One', ...window, endpoints: [{ id }] })
    const second = await on.post('/scheduledMaintenanceEvents', { name: 'Two', ...window })
    expect(first.object.endDateTime).toBe('2027-01-02T00:00:00.000+0000')
    expect(first.object.endpoints).toEqual([expect.objectContaining({ id, name: 'a' })])
    const path = `/services/${service}/endpoints/${id}`
    await on.post(`${path}/scheduledMaintenanceEvent`, { id: second.id })
    expect((await on.get(`/scheduledMaintenanceEvents/${first.id}`)).object.endpoints).toEqual([])
    expect((await on.get(`${path}?fields=scheduledMaintenanceEvent`)).object).toEqual({
      scheduledMaintenanceEvent: { id: second.id, name: 'Two' },
    })
    await on.put(path, { scheduledMaintenanceEvent: null })
    expect((await on.get(`${path}/scheduledMaintenanceEvent`)).status).toBe(404)
    const again = `/scheduledMaintenanceEvents/${second.id}/endpoints`
    await on.post(again, { id })
    expect((await on.post(again, { id })).words).toContain('already exists')
    await on.del(path)
    expect((await on.get(again)).body).toEqual([])
  })

  it('are in a list of references once, however often it names them, and are removed from it at once', async () => {
    const { id } = await addEndpoint(endpointBody('a'))
    const window = { startDateTime: '2027-01-01T00:00:00Z', endDateTime: '2027-01-02T01:00:00+01:00' }
    const event = await on.post('/scheduledMaintenanceEvents', { name: 'One', ...window, endpoints: [{ id }, { id }] })
    expect(event.object.endpoints).toEqual([expect.objectContaining({ id })])
    await on.del(`/scheduledMaintenanceEvents/${event.id}/endpoints/${id}`)
    expect((await on.get(`/scheduledMaintenanceEvents/${event.id}`)).object.endpoints).toEqual([])
  })
})

describe('error sets', () => {
  const sets = async (id: string) => (await on.get(`/services/${id}/errorSets?fields=id,name,type,errorMessages`)).list

  it('are created with every service as "Default", with all messages', async () => {
    const [only, ...others] = await sets(service)
    expect(others).toEqual([])
    expect(only).toMatchObject({ name: 'Default', type: 'text/xml' })
    expect(only?.errorMessages).toHaveLength(23)
    expect(only?.errorMessages).toContainEqual({
      id: 'ERR_403_DEVELOPER_OVER_QPS',
      code: 403,
      status: 'Forbidden',
      detailHeader: 'Account Over Queries Per Second Limit',
      responseBody: '',
    })
  })

  it('in a body are added to it, or replace it, with their messages merged into all', async () => {
    const errorMessages = [
      { id: 'ERR_403_DEVELOPER_OVER_QPS', status: 'Slow down' },
      { id: 'ERR_418_TEAPOT', responseBody: 'short and stout' },
    ]
    const json = await on.post('/services', { name: 'A', errorSets: [{ name: 'json', errorMessages }] })
    const [first, second] = await sets(json.id)
    expect([first?.name, second?.name]).toEqual(['Default', 'json'])
    expect(second?.errorMessages).toHaveLength(24)
    expect(second?.errorMessages).toContainEqual(expect.objectContaining({ status: 'Slow down', code: 403 }))
    expect(second?.errorMessages).toContainEqual(expect.objectContaining({ id: 'ERR_418_TEAPOT', code: 418 }))
    const own = await on.post('/services', { name: 'B', errorSets: [{ name: 'Default', type: 'text/json' }] })
    expect((await sets(own.id)).map(({ type }) => type)).toEqual(['text/json'])
  })

  it('report each problem of a message at its place in the body, once', async () => {
    const errorMessages = [{ id: 'ERR_504_GATEWAY_TIMEOUT', status: 5 }, 'x', { status: 'no id' }]
    const refused = await on.post(`/services/${service}/errorSets`, { name: 'json', errorMessages })
    expect(refused.blamed).toEqual(['errorMessages[0].status', 'errorMessages[1]', 'errorMessages[2].id'])
  })

  it('accept messages one by one, or as a list that is merged into all', async () => {
    const [set] = await sets(service)
    const path = `/services/${service}/errorSets/${String(set?.id)}`
    const message = `${path}/errorMessages/ERR_400_BAD_REQUEST`
    expect((await on.put(message, { status: 'x' })).blamed).toEqual(['id'])
    expect((await on.put(message, { id: 'ERR_401_INVALID_NONCE', status: 'x' })).blamed).toEqual(['id'])
    expect((await on.put(message, { id: 'ERR_400_BAD_REQUEST', status: 'x' })).object.status).toBe('x')
    const errorMessages = [{ id: 'ERR_502_BAD_GATEWAY', status: 'y' }, { id: 'ERR_429_SLOW' }]
    await on.put(path, { errorMessages })
    const all = (await on.get(`${path}/errorMessages`)).list
    expect(all).toHaveLength(24)
    expect(all.find(({ id }) => id === 'ERR_502_BAD_GATEWAY')).toMatchObject({ status: 'y', code: 502 })
    expect(all.find(({ id }) => id === 'ERR_400_BAD_REQUEST')).toMatchObject({ status: 'x' })
  })

  it('cannot be deleted while they are the last one, or while an endpoint answers with them', async () => {
    const [only] = await sets(service)
    expect((await on.del(`/services/${service}/errorSets/${String(only?.id)}`)).words).toContain(
      'at least one error set',
    )
    expect((await on.put(`/services/${service}`, { errorSets: [] })).status).toBe(400)
    const json = await on.post(`/services/${service}/errorSets`, { name: 'json' })
    const { id } = await addEndpoint(endpointBody('a', { errorSet: { id: json.id } }))
    const path = `/services/${service}/errorSets/${json.id}`
    expect((await on.get(`/services/${service}/endpoints/${id}?fields=errorSet`)).object.errorSet).toEqual({
      id: json.id,
      name: 'json',
    })
    expect((await on.del(path)).words).toContain("Endpoint 'a'")
    await on.put(`/services/${service}/endpoints/${id}`, { errorSet: null })
    expect((await on.del(path)).status).toBe(200)
    expect(await sets(service)).toHaveLength(1)
  })

  it('cannot be used by endpoints of other services', async () => {
    const other = await on.post('/services', { name: 'Other' })
    const [set] = await sets(other.id)
    const { blamed } = await addEndpoint(endpointBody('a', { errorSet: { id: String(set?.id) } }))
    expect(blamed).toEqual(['errorSet'])
  })
})

describe('portal objects', () => {
  const person = { username: 'acme', email: 'e', displayName: 'd', externalId: 'x', passwdNew: 'secret-word' }

  it('have unique user names that cannot be changed, and never answer a password', async () => {
    const first = await on.post('/members?fields=id,username,passwdNew', person)
    expect(first.object).toEqual({ id: first.id, username: 'acme' })
    expect((await on.post('/members', person)).words).toContain('duplicate value')
    expect((await on.put(`/members/${first.id}`, { username: 'other' })).blamed).toEqual(['username'])
    expect((await on.put(`/members/${first.id}`, { username: 'acme', company: 'A' })).status).toBe(200)
  })

  it('have applications with their own user name, which are deleted with them', async () => {
    const applications = [{ name: 'Shop', username: 'acme' }]
    const member = await on.post('/members?fields=id,applications.username', { ...person, applications })
    expect(member.object.applications).toEqual([{ username: 'acme' }])
    const made = await on.post(`/members/${member.id}/applications`, { name: 'A', username: 'other' })
    expect(made.blamed).toEqual(['username'])
    expect((await on.post(`/members/${member.id}/applications`, { name: 'A' })).blamed).toEqual(['username'])
    await on.del(`/members/${member.id}`)
    expect((await on.get('/applications')).body).toEqual([])
  })

  it('refer to roles, and lose a reference to a deleted one', async () => {
    const role = await on.post('/roles', { name: 'Partners' })
    const member = await on.post('/members?fields=id,roles.name', { ...person, roles: [{ id: role.id }] })
    expect(member.object.roles).toEqual([{ name: 'Partners' }])
    await on.del(`/roles/${role.id}`)
    expect((await on.get(`/members/${member.id}?fields=roles`)).object.roles).toEqual([])
  })

  it('have a predefined role that cannot be deleted', async () => {
    const { list } = await on.get('/roles?fields=id,name,isPredefined')
    expect(list).toEqual([{ id: expect.any(String), name: 'Everyone', isPredefined: true }])
    expect((await on.del(`/roles/${String(list[0]?.id)}`)).status).toBe(400)
  })

  it('have each domain once', async () => {
    expect((await on.post('/domains', { domain: 'EXAMPLE.com' })).words).toContain('duplicate value')
  })
})
