import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/json/json.js'
import { createPlatform, type Platform } from '../../src/platform/server.js'
import type { Dialect, PlatformSettings } from '../../src/platform/settings.js'
import { area, tokenOf } from './client.js'

/**
 * Requests of public clients of the vendor's platforms, written by hand: TF (Terraform provider), GO (Go client), MC (command
 * line mashcli), TB (mashery-toolbelt), AFKLM (Java SDK), COX (mashery-node), JP (masheryapi). Each row is one of their calls,
 * its answer, and the result of a later read. The dialect `document` knows none of it.
 */
interface Row {
  readonly what: string
  readonly client: Client
  /** METHOD and path below /v3/rest; names in braces are ids of the area below. */
  readonly call: string
  readonly body?: unknown
  /** Members of the answered object, or the whole list; undefined if the answer is not checked. */
  readonly answer?: JsonObject | readonly unknown[]
  /** A later read, and its result. */
  readonly later?: readonly [path: string, shows: JsonObject | readonly unknown[]]
  /** The answer of the dialect `document`: a status, or 200 and another value in later reads. */
  readonly document: number | 'drops'
}

type Client = keyof typeof headersOf

/** The headers of each client beside the token: for calls with a body, and for others. */
const json = 'application/json'
const headersOf = {
  TF: [{ accept: json, 'content-type': json }, {}],
  GO: [{ accept: json, 'content-type': json }, {}],
  MC: [{ accept: json, 'content-type': json }, { 'content-type': json }],
  TB: [{ 'content-type': json }, { 'content-type': json }],
  AFKLM: [{ 'content-type': json }, {}],
  COX: [{ 'content-type': json }, { 'content-type': json }],
  JP: [{ 'content-type': json }, { 'content-type': json }],
} as const

const endpoints = '/services/{service}/endpoints'
const plans = '/packages/{package}/plans'
const planEndpoint = `${plans}/{plan}/services/{service}/endpoints/{endpoint}`

const filters = `${endpoints}/{endpoint}/methods/{method}/responseFilters`
const planFilter = `${planEndpoint}/methods/{method}/responseFilter`
const usedFilter = `${planEndpoint}/methods/{filtered}/responseFilter`
const filterFields = 'id,name,created,updated,notes,notes,xmlFilterFields,jsonFilterFields'

const newEndpoint = (name: string, more: JsonObject = {}) => ({
  name,
  requestPathAlias: `/${name}`,
  trafficManagerDomain: 'api.example.com',
  publicDomains: [{ address: 'api.example.com' }],
  systemDomains: [{ address: 'in.example.com' }],
  ...more,
})

/** A field that is written and read back. */
const kept = (what: string, client: Client, path: string, fields: JsonObject): Row => ({
  what: `${what} is kept`,
  client,
  call: `PUT ${path}`,
  body: fields,
  later: [`${path}?fields=${Object.keys(fields).join(',')}`, fields],
  document: 'drops',
})

const oauth = { masheryTokenApiEnabled: true, grantTypes: ['client_credentials'], accessTokenTtl: 3600 }
const uuid = '7f7a0c9e-6a51-4f0b-9f5c-0f6e1b1d2c3a'

const dropped: readonly Row[] = [
  {
    what: 'the error set of endpoints at its older place, many at once',
    client: 'TB',
    call: 'PUT /services/{service}',
    body: { endpoints: [{ id: '{endpoint}', errors: { errorSet: { id: '{errorSet}' } } }] },
    later: [
      '/services/{service}?fields=id,endpoints.id,endpoints.errors,endpoints.errorSet',
      {
        endpoints: [
          {
            id: '{endpoint}',
            errors: { errorSet: { id: '{errorSet}', name: 'json' } },
            errorSet: { id: '{errorSet}', name: 'json' },
          },
        ],
      },
    ],
    document: 'drops',
  },
  {
    what: 'the error set of one endpoint at its older place',
    client: 'TB',
    call: `PUT ${endpoints}/{endpoint}`,
    body: { errors: { errorSet: { id: '{errorSet}' } } },
    later: [`${endpoints}/{endpoint}?fields=errors.errorSet.id`, { errors: { errorSet: { id: '{errorSet}' } } }],
    document: 'drops',
  },
  {
    what: 'roles of a new service',
    client: 'TF',
    call: 'POST /services?fields=id,name',
    body: { name: 'New', roles: [{ id: '{role}', action: 'read' }] },
    later: ['/services?filter=name:New&fields=roles.id,roles.action', [{ roles: [{ id: '{role}', action: 'read' }] }]],
    document: 'drops',
  },
  {
    what: 'a plan that is inactive',
    client: 'MC',
    call: `PUT ${plans}/{plan}`,
    body: { status: 'inactive' },
    later: [`${plans}/{plan}?fields=status`, { status: 'inactive' }],
    document: 'drops',
  },
  {
    what: 'a new plan that is not public',
    client: 'TF',
    call: `POST ${plans}`,
    body: { name: 'Closed', selfServiceKeyProvisioningEnabled: false, status: 'active' },
    later: [
      `${plans}?filter=name:Closed&fields=selfServiceKeyProvisioningEnabled`,
      [{ selfServiceKeyProvisioningEnabled: false }],
    ],
    document: 'drops',
  },
  kept('selfServiceKeyProvisioningEnabled', 'TB', `${plans}/{plan}`, { selfServiceKeyProvisioningEnabled: false }),
  {
    what: 'the roles of a plan',
    client: 'TF',
    call: `PUT ${plans}/{plan}`,
    body: { roles: [{ id: '{role}', name: '', action: 'register_keys' }] },
    later: [`${plans}/{plan}?fields=id,roles`, { roles: [{ id: '{role}', action: 'register_keys' }] }],
    document: 'drops',
  },
  kept('adminEmailTemplateSetId', 'TF', `${plans}/{plan}`, { adminEmailTemplateSetId: uuid }),
  kept('inboundMsslRequired', 'GO', `${endpoints}/{endpoint}`, { inboundMsslRequired: true }),
  kept('userControlledErrorLocation', 'TF', `${endpoints}/{endpoint}`, {
    userControlledErrorLocation: 'X-Error-Detail-Header',
    userControlledErrorLocationKey: 'X-Detail',
  }),
  kept('rateLimitHeadersEnabled, with the type token', 'AFKLM', `${endpoints}/{endpoint}`, {
    rateLimitHeadersEnabled: true,
    type: 'token',
  }),
  kept('httpsClientProfile', 'MC', `${endpoints}/{endpoint}`, { httpsClientProfile: { id: uuid, name: 'mutual' } }),
  kept('strictSecurity', 'MC', `${endpoints}/{endpoint}`, { strictSecurity: true }),
  kept('the cache of a service', 'GO', '/services/{service}', { cache: { cacheTtl: 4.5 } }),
  {
    what: 'an unknown nested field of a new endpoint',
    client: 'GO',
    call: `POST ${endpoints}?fields=id,cors`,
    body: newEndpoint('cors', {
      cors: { maxAge: 60, privateNetworkAllowed: true },
      madeUp: { deep: [{ is: 'kept' }] },
    }),
    answer: { cors: { maxAge: 60, privateNetworkAllowed: true } },
    later: [
      '/services/{service}?fields=endpoints.name,endpoints.madeUp.deep.is',
      { endpoints: [{ name: 'a' }, { name: 'cors', madeUp: { deep: [{ is: 'kept' }] } }] },
    ],
    document: 'drops',
  },
  {
    what: 'extended attributes of an application, read without asking for them',
    client: 'GO',
    call: 'PUT /applications/{application}',
    body: { region: 'emea', tier: 'gold' },
    later: ['/applications/{application}', { name: 'Shop', region: 'emea', tier: 'gold' }],
    document: 'drops',
  },
]

const refused: readonly Row[] = [
  {
    what: 'a create below a path with a slash at its end',
    client: 'MC',
    call: 'POST /services/',
    body: { name: 'Slash' },
    answer: { name: 'Slash' },
    later: ['/services?filter=name:Slash&fields=name', [{ name: 'Slash' }]],
    document: 404,
  },
  {
    what: 'a member without a password and an id elsewhere',
    client: 'MC',
    call: 'POST /members/',
    body: { displayName: 'D', email: 'd@example.com', username: 'dora' },
    later: ['/members?filter=username:dora&fields=username,email', [{ username: 'dora', email: 'd@example.com' }]],
    document: 404,
  },
  {
    what: 'the same without the slash',
    client: 'TF',
    call: 'POST /members?fields=id,username',
    body: { username: 'tina', email: 't@example.com', displayName: 'T', externalId: '' },
    answer: { username: 'tina' },
    document: 400,
  },
  {
    what: 'an application with an empty user name, which its path gives',
    client: 'TF',
    call: 'POST /members/{member}/applications',
    body: { name: 'Second', username: '', commercial: false, ads: false },
    answer: { name: 'Second' },
    later: ['/applications?filter=name:Second&fields=username', [{ username: 'acme' }]],
    document: 400,
  },
  {
    what: 'an update with the empty user name of the create’s answer',
    client: 'GO',
    call: 'PUT /applications/{application}',
    body: { name: 'Shop', username: '', description: '' },
    later: ['/applications/{application}?fields=username,description', { username: 'acme', description: '' }],
    document: 400,
  },
  {
    what: 'the fields *',
    client: 'JP',
    call: 'GET /services/{service}?fields=*',
    answer: { id: '{service}', name: 'Orders', description: '', version: '', qpsLimitOverall: 0 },
    document: 'drops',
  },
  {
    what: 'fields of which * is the last',
    client: 'MC',
    call: 'GET /applications/{application}/packageKeys?fields=id,package,plan,*',
    answer: [
      {
        id: '{key}',
        apikey: 'key-1',
        status: 'active',
        created: '2026-01-01T00:00:00.000+0000',
        updated: '2026-01-01T00:00:00.000+0000',
        package: { id: '{package}', name: 'Access' },
        plan: { id: '{plan}', name: 'Gold' },
      },
    ],
    document: 'drops',
  },
  {
    what: 'a template set known by a UUID',
    client: 'GO',
    call: `PUT ${plans}/{plan}?fields=emailTemplateSetId`,
    body: { emailTemplateSetId: uuid },
    answer: { emailTemplateSetId: uuid },
    later: [`${plans}/{plan}?fields=emailTemplateSetId`, { emailTemplateSetId: uuid }],
    document: 400,
  },
  {
    what: 'a fraction of a time to live',
    client: 'GO',
    call: `PUT ${endpoints}/{endpoint}`,
    body: { cache: { cacheTtlOverride: 1.5, clientSurrogateControlEnabled: false, contentCacheKeyHeaders: [] } },
    later: [`${endpoints}/{endpoint}/cache`, { cacheTtlOverride: 1.5 }],
    document: 400,
  },
  {
    what: 'the older transport protocol any',
    client: 'AFKLM',
    call: `POST ${endpoints}?fields=outboundTransportProtocol`,
    body: newEndpoint('any', { outboundTransportProtocol: 'any' }),
    answer: { outboundTransportProtocol: 'any' },
    document: 400,
  },
  {
    what: 'roles of a service that has none, as null',
    client: 'MC',
    call: 'GET /services/{service}?fields=id,name,roles',
    answer: { id: '{service}', name: 'Orders', roles: null },
    document: 'drops',
  },
]

const routes: readonly Row[] = [
  {
    what: 'a cache for a service',
    client: 'GO',
    call: 'POST /services/{service}/cache',
    body: { cacheTtl: 4.5 },
    answer: { cacheTtl: 4.5 },
    later: ['/services/{service}/cache', { cacheTtl: 4.5 }],
    document: 404,
  },
  {
    what: 'another cache of a service',
    client: 'TF',
    call: 'PUT /services/{cached}/cache',
    body: { cacheTtl: 30 },
    answer: { cacheTtl: 30 },
    later: ['/services/{cached}?fields=cache', { cache: { cacheTtl: 30 } }],
    document: 404,
  },
  {
    what: 'no cache of a service any more',
    client: 'GO',
    call: 'DELETE /services/{cached}/cache',
    later: ['/services/{cached}?fields=id,cache', { id: '{cached}' }],
    document: 404,
  },
  {
    what: 'a cache that a service does not have',
    client: 'GO',
    call: 'GET /services/{service}/cache',
    answer: { errorCode: 404 },
    document: 404,
  },
  {
    what: 'an OAuth profile for a service',
    client: 'GO',
    call: 'POST /services/{service}/securityProfile/oauth',
    body: { ...oauth, madeUp: 1 },
    answer: { ...oauth, madeUp: 1 },
    later: ['/services/{service}?fields=securityProfile', { securityProfile: { oauth: { ...oauth, madeUp: 1 } } }],
    document: 404,
  },
  {
    what: 'another OAuth profile of a service',
    client: 'MC',
    call: 'PUT /services/{cached}/securityProfile/oauth',
    body: { accessTokenTtl: 60 },
    answer: { masheryTokenApiEnabled: true, accessTokenTtl: 60 },
    later: ['/services/{cached}/securityProfile/oauth', { masheryTokenApiEnabled: true, accessTokenTtl: 60 }],
    document: 404,
  },
  {
    what: 'no OAuth profile of a service any more',
    client: 'COX',
    call: 'DELETE /services/{cached}/securityProfile/oauth',
    later: ['/services/{cached}?fields=securityProfile', { securityProfile: { oauth: null } }],
    document: 404,
  },
  {
    what: 'the CORS behaviour of an endpoint',
    client: 'MC',
    call: `POST ${endpoints}/{endpoint}/cors`,
    body: { allDomainsEnabled: true, maxAge: 300 },
    answer: { allDomainsEnabled: true, maxAge: 300 },
    later: [`${endpoints}/{endpoint}/cors`, { allDomainsEnabled: true, maxAge: 300 }],
    document: 404,
  },
  {
    what: 'the roles of a service, all at once',
    client: 'GO',
    call: 'PUT /services/{service}/roles',
    body: { roles: [{ id: '{role}', action: 'read' }] },
    answer: [{ id: '{role}', name: 'Partners', action: 'read' }],
    later: ['/services/{service}/roles', [{ id: '{role}', name: 'Partners', action: 'read' }]],
    document: 405,
  },
  {
    what: 'no roles of a service any more',
    client: 'GO',
    call: 'DELETE /services/{cached}/roles',
    later: ['/services/{cached}/roles', []],
    document: 405,
  },
  {
    what: 'one more role for a service',
    client: 'MC',
    call: 'POST /services/{service}/roles',
    body: { id: '{role}', action: 'read' },
    answer: { id: '{role}', name: 'Partners' },
    later: ['/services/{service}/roles', [{ id: '{role}', name: 'Partners', action: 'read' }]],
    document: 405,
  },
  {
    what: 'one role of a service is removed',
    client: 'COX',
    call: 'DELETE /services/{cached}/roles/{role}',
    later: ['/services/{cached}/roles', []],
    document: 404,
  },
  {
    what: 'the methods of an endpoint in a plan',
    client: 'AFKLM',
    call: `PUT ${planEndpoint}`,
    body: { methods: [{ id: '{method}', name: 'list' }] },
    answer: { id: '{endpoint}' },
    later: [`${planEndpoint}?fields=methods`, { methods: [{ id: '{method}', name: 'list' }] }],
    document: 405,
  },
  {
    what: 'a response filter of a method',
    client: 'TF',
    call: `POST ${filters}?fields=${filterFields}`,
    body: { name: 'slim', notes: 'Managed by Terraform', xmlFilterFields: '', jsonFilterFields: '/a | /b/c' },
    answer: { name: 'slim', notes: 'Managed by Terraform', jsonFilterFields: '/a | /b/c' },
    later: [`${filters}?fields=name,jsonFilterFields`, [{ name: 'public' }, { name: 'slim' }]],
    document: 404,
  },
  {
    what: 'the response filters of a method, and the fields that they remove',
    client: 'GO',
    call: `GET ${filters}?fields=${filterFields}`,
    answer: [{ id: '{filter}', name: 'public', jsonFilterFields: '/a' }],
    document: 404,
  },
  {
    what: 'one response filter',
    client: 'MC',
    call: `GET ${filters}/{filter}`,
    answer: { id: '{filter}', name: 'public' },
    document: 404,
  },
  {
    what: 'another content of a response filter',
    client: 'TF',
    call: `PUT ${filters}/{filter}?fields=${filterFields}`,
    body: { id: '{filter}', name: 'public', notes: 'n', xmlFilterFields: '/x', jsonFilterFields: '/b' },
    answer: { id: '{filter}', notes: 'n', xmlFilterFields: '/x', jsonFilterFields: '/b' },
    later: [`${filters}/{filter}?fields=jsonFilterFields`, { jsonFilterFields: '/b' }],
    document: 404,
  },
  {
    what: 'no response filter any more, also in the plans that used it',
    client: 'GO',
    call: `DELETE ${endpoints}/{endpoint}/methods/{filtered}/responseFilters/{used}`,
    later: [usedFilter, { errorCode: 404 }],
    document: 404,
  },
  {
    what: 'response filters nested in their service',
    client: 'JP',
    call: 'GET /services/{service}?fields=id,endpoints.methods.name,endpoints.methods.responseFilters.name',
    answer: {
      endpoints: [
        {
          methods: [
            { name: 'list', responseFilters: [{ name: 'public' }] },
            { name: 'read', responseFilters: [{ name: 'used' }] },
          ],
        },
      ],
    },
    document: 'drops',
  },
  {
    what: 'the filter of a plan method that has none',
    client: 'TF',
    call: `GET ${planFilter}?fields=${filterFields}`,
    answer: { errorCode: 404 },
    document: 404,
  },
  {
    what: 'a filter for a plan method',
    client: 'GO',
    call: `POST ${planFilter}?fields=${filterFields}`,
    body: { id: '{filter}' },
    answer: { id: '{filter}', name: 'public', jsonFilterFields: '/a' },
    later: [planFilter, { id: '{filter}', name: 'public' }],
    document: 404,
  },
  {
    what: 'no filter for a plan method any more',
    client: 'GO',
    call: `DELETE ${usedFilter}`,
    later: [usedFilter, { errorCode: 404 }],
    document: 404,
  },
  {
    what: 'the filters of plan methods nested in their package',
    client: 'JP',
    call: 'GET /packages/{package}?fields=plans.services.endpoints.methods.responseFilter',
    answer: {
      plans: [
        { services: [{ endpoints: [{ methods: [{ responseFilter: null }, { responseFilter: { id: '{used}' } }] }] }] },
      ],
    },
    document: 'drops',
  },
  {
    what: 'a key that belongs to no application',
    client: 'GO',
    call: 'POST /packageKeys?fields=id,apikey,status,package,plan',
    body: {
      apikey: 'key-2',
      secret: 'secret-2',
      status: 'active',
      limits: null,
      package: { id: '{package}' },
      plan: { id: '{plan}' },
    },
    answer: { apikey: 'key-2', status: 'active', plan: { id: '{plan}', name: 'Gold' } },
    later: ['/packageKeys?filter=apikey:key-2&fields=apikey', [{ apikey: 'key-2' }]],
    document: 405,
  },
  {
    what: 'a key that names its application',
    client: 'GO',
    call: 'POST /packageKeys',
    body: {
      apikey: 'key-3',
      secret: 'secret-3',
      application: { id: '{application}' },
      package: { id: '{package}' },
      plan: { id: '{plan}' },
    },
    later: ['/applications/{application}/packageKeys?filter=apikey:key-3&fields=apikey', [{ apikey: 'key-3' }]],
    document: 405,
  },
  {
    what: 'the organizations of the area, which a blueprint asks for',
    client: 'TB',
    call: 'GET /organizations?fields=id,name',
    answer: [{ id: 'org-1', name: 'Retail' }],
    document: 404,
  },
  {
    what: 'the email template sets',
    client: 'GO',
    call: 'GET /emailTemplateSets',
    answer: [{ name: 'Partner mails' }],
    document: 404,
  },
  {
    what: 'the organization of a service',
    client: 'TF',
    call: 'PUT /services/{service}',
    body: { organization: { id: 'org-1' } },
    later: ['/services/{service}?fields=organization', { organization: { id: 'org-1', name: 'Retail' } }],
    document: 'drops',
  },
  {
    what: 'the organization of a package',
    client: 'TB',
    call: 'PUT /packages/{package}',
    body: { organization: { id: 'org-1' } },
    later: ['/packages/{package}?fields=organization', { organization: { id: 'org-1', name: 'Retail' } }],
    document: 'drops',
  },
  {
    what: 'the public domains in use',
    client: 'MC',
    call: 'GET /domains/public',
    answer: [
      {
        id: '{endpoint}',
        name: 'a',
        created: '2026-01-01T00:00:00.000+0000',
        updated: '2026-01-01T00:00:00.000+0000',
        domain: 'api.example.com',
        method: 'get',
        path: '/a',
      },
    ],
    document: 404,
  },
  {
    what: 'the names of public domains',
    client: 'GO',
    call: 'GET /domains/public/hostnames?limit=100&offset=0',
    answer: [{ address: 'api.example.com' }],
    document: 404,
  },
  {
    what: 'the system domains in use',
    client: 'COX',
    call: 'GET /domains/system',
    answer: [
      {
        id: '{endpoint}',
        name: 'a',
        created: '2026-01-01T00:00:00.000+0000',
        updated: '2026-01-01T00:00:00.000+0000',
        domain: 'in.example.com',
        path: '/backend',
      },
    ],
    document: 404,
  },
  {
    what: 'IO docs, which do not exist',
    client: 'MC',
    call: 'GET /iodocs/services',
    answer: { errorCode: 404 },
    document: 404,
  },
  {
    what: 'a description to be transformed, for which there is no route',
    client: 'MC',
    call: 'POST /transform?sourceFormat=swagger2&targetFormat=masheryapi&publicDomain=api.example.com',
    body: { swagger: '2.0' },
    answer: { errorCode: 404 },
    document: 404,
  },
  {
    what: 'the names of system domains',
    client: 'GO',
    call: 'GET /domains/system/hostnames',
    answer: [{ address: 'in.example.com' }],
    document: 404,
  },
]

describe.each([
  ['was dropped', dropped],
  ['was refused', refused],
  ['had no route', routes],
] as const)('requests of a client of a recorded platform that %s', (_, rows) => {
  it.each(rows.map((row) => [`${row.client}: ${row.what}`, row] as const))('%s', async (__, row) => {
    const on = await anArea('recorded')
    const result = await on.send(row.client, row.call, row.body)
    const isMissing = row.answer !== undefined && 'errorCode' in row.answer
    expect(result.status, result.text).toBe(isMissing ? 404 : 200)
    if (row.answer !== undefined) expect(result.body).toMatchObject(on.filled(row.answer))
    if (!row.later) return
    const [path, shows] = row.later
    expect((await on.send(row.client, `GET ${path}`)).sorted).toMatchObject(on.filled(shows))
  })

  it.each(rows.map((row) => [`${row.client}: ${row.what}`, row] as const))(
    'with the answers of the document, %s',
    async (__, row) => {
      const on = await anArea('document')
      const result = await on.send(row.client, row.call, row.body)
      expect(result.status, result.text).toBe(row.document === 'drops' ? 200 : row.document)
      if (row.document !== 'drops') return
      const [path, shows] = row.later ?? [row.call.slice('GET '.length), row.answer ?? {}]
      const { object } = await on.send(row.client, `GET ${path}`)
      const [expected] = [on.filled(shows)].flat()
      expect(object).not.toMatchObject(expected as JsonObject)
    },
  )
})

describe('unknown fields in a recorded platform', () => {
  const path = `${plans}/{plan}`

  it('are cleared by null, and are answered only if they are named', async () => {
    const on = await anArea('recorded')
    await on.send('TB', `PUT ${path}`, { one: 1, other: { a: 1, b: 2 } })
    expect((await on.send('TB', `GET ${path}?fields=one,other.b`)).body).toEqual({ one: 1, other: { b: 2 } })
    expect((await on.send('TB', `GET ${path}`)).body).not.toHaveProperty('one')
    expect((await on.send('TB', `GET ${path}?fields=*`)).body).toMatchObject({ one: 1, other: { a: 1, b: 2 } })
    await on.send('TB', `PUT ${path}`, { one: null })
    expect((await on.send('TB', `GET ${path}?fields=one,other.a`)).body).toEqual({ other: { a: 1 } })
  })

  it('have a limit, over all fields of an object and over all members of a value', async () => {
    const on = await anArea('recorded')
    const half = 'x'.repeat(40_000)
    expect((await on.send('TB', `PUT ${path}`, { one: half })).status).toBe(200)
    const refused = await on.send('TB', `PUT ${path}`, { other: half })
    expect(refused.body).toMatchObject({ errorCode: 400, errors: [{ property: 'other' }] })
    expect((await on.send('TB', `GET ${path}?fields=one,other`)).body).toEqual({ one: half })
    const cors = { cors: { one: half, other: half } }
    expect((await on.send('TB', `PUT ${endpoints}/{endpoint}`, cors)).body).toMatchObject({
      errors: [{ property: 'cors.other' }],
    })
  })

  it('may have any name', async () => {
    const on = await anArea('recorded')
    const body = JSON.parse('{"__proto__": {"a": 1}, "constructor": "c", "cors": {"__proto__": [1]}}')
    await on.send('TB', `PUT ${endpoints}/{endpoint}`, body)
    const read = await on.send('TB', `GET ${endpoints}/{endpoint}?fields=__proto__,constructor,cors`)
    expect(read.text).toBe('{"__proto__":{"a":1},"constructor":"c","cors":{"__proto__":[1]}}')
  })

  it('are no words of the other vocabulary', async () => {
    const on = await anArea('recorded')
    await on.send('TB', 'PUT /services/{service}', { securityProfile: { oauth: { svcTokenApiEnabled: true } } })
    expect((await on.send('TB', 'GET /services/{service}?fields=securityProfile')).text).not.toContain('svc')
  })
})

it('also deletes the error set at its older path', async () => {
  const on = await anArea('recorded')
  const path = `${endpoints}/{endpoint}`
  for (const errors of [null, { errorSet: null }]) {
    await on.send('TB', `PUT ${path}`, { errors: { errorSet: { id: '{errorSet}' } } })
    await on.send('TB', `PUT ${path}`, { errors })
    expect((await on.send('TB', `GET ${path}?fields=errors,errorSet`)).body).toEqual({ errors: null, errorSet: null })
  }
})

describe('the gateway', () => {
  it.each([
    ['ERR_403_DEVELOPER_OVER_QPS', { qps: 0 }, '<h1>Developer Over Qps</h1>', 'Account Over Queries Per Second Limit'],
    ['ERR_403_DEVELOPER_OVER_RATE', { dailyQuota: 0 }, '<h1>Developer Over Rate</h1>', 'Account Over Rate Limit'],
    ['ERR_403_DEVELOPER_INACTIVE', { tokenLifetimeSeconds: 0 }, '<h1>Developer Inactive</h1>', 'Account Inactive'],
  ] as const)('answers %s as it was recorded, in the words of its vocabulary', async (code, settings, body, detail) => {
    for (const [vocabulary, prefix, server] of [
      ['document', 'x-svc', 'Svc Proxy'],
      ['mashery', 'x-mashery', 'Mashery Proxy'],
    ] as const) {
      const platform = createPlatform({ dialect: 'recorded', vocabulary, ...settings })
      const authorization = `Bearer ${await accessToken(platform)}`
      const response = await platform.fetch(new Request('http://x/v3/rest/services', { headers: { authorization } }))
      expect([response.status, await response.text()]).toEqual([403, body])
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': 'text/xml',
        'x-error-detail-header': detail,
        [`${prefix}-error-code`]: code,
        [`${prefix}-responder`]: 'local',
        server,
      })
      expect(response.headers.get('retry-after')).toBe(code === 'ERR_403_DEVELOPER_OVER_QPS' ? '1' : null)
    }
  })
})

interface Sent {
  readonly status: number
  readonly text: string
  readonly body: unknown
  /** The body, with the elements of nested lists sorted by their names. */
  readonly sorted: unknown
  /** The object of the body, alone or first in a list. */
  readonly object: unknown
}

interface Area {
  readonly send: (client: Client, call: string, body?: unknown) => Promise<Sent>
  /** The value with the ids of the area instead of the names in braces. */
  readonly filled: <Value>(value: Value) => Value
}

/** One area with an object of each kind that the calls need; a second service, `cached`, has the objects that are deleted. */
async function anArea(dialect: Dialect): Promise<Area> {
  const organizations = [{ id: 'org-1', name: 'Retail' }]
  const emailTemplateSets = [{ id: 'set-1', name: 'Partner mails', emailTemplates: [] }]
  const on = await connected({ dialect, seed: { organizations, emailTemplateSets } })
  const ids = new Map<string, string>()
  const filled = <Value>(value: Value): Value =>
    JSON.parse(JSON.stringify(value).replaceAll(/\{(\w+)\}/g, (_, name: string) => ids.get(name) ?? `{${name}}`))
  const make = async (name: string, path: string, body: unknown) => {
    const { object, status, text } = await on('TB', `POST ${filled(path)}`, filled(body))
    expect(status, text).toBe(200)
    ids.set(name, (object as { id: string }).id)
  }
  await make('domain', '/domains', { domain: 'example.com' })
  await make('role', '/roles', { name: 'Partners' })
  await make('service', '/services', { name: 'Orders' })
  await make('endpoint', endpoints, {
    ...newEndpoint('a'),
    supportedHttpMethods: ['get'],
    outboundRequestTargetPath: '/backend',
  })
  await make('method', `${endpoints}/{endpoint}/methods`, { name: 'list' })
  await make('errorSet', '/services/{service}/errorSets', { name: 'json', type: 'text/json' })
  const securityProfile = { oauth: { masheryTokenApiEnabled: true, accessTokenTtl: 3600 } }
  await make('cached', '/services', { name: 'Cached', cache: { cacheTtl: 5 }, securityProfile })
  await on('TB', filled('PUT /services/{cached}'), filled({ roles: [{ id: '{role}', action: 'read' }] }))
  await make('package', '/packages', { name: 'Access' })
  await make('plan', plans, { name: 'Gold' })
  await make('planService', `${plans}/{plan}/services`, { id: '{service}', endpoints: [{ id: '{endpoint}' }] })
  const methods = `${endpoints}/{endpoint}/methods`
  await make('filtered', methods, { name: 'read' })
  for (const id of ['{method}', '{filtered}']) await make('planMethod', `${planEndpoint}/methods`, { id })
  if (dialect === 'recorded') {
    await make('filter', filters, { name: 'public', jsonFilterFields: '/a' })
    await make('used', `${methods}/{filtered}/responseFilters`, { name: 'used' })
    await make('use', usedFilter, { id: '{used}' })
  }
  const person = { username: 'acme', email: 'a@example.com', displayName: 'A', externalId: 'x', passwdNew: 'p' }
  await make('member', '/members', person)
  await make('application', '/members/{member}/applications', { name: 'Shop', username: 'acme' })
  await make('key', '/applications/{application}/packageKeys', {
    apikey: 'key-1',
    secret: 'secret-1',
    package: { id: '{package}' },
    plan: { id: '{plan}' },
  })
  return {
    send: (client, call, body) => on(client, filled(call), body === undefined ? undefined : filled(body)),
    filled,
  }
}

async function connected(options: PlatformSettings) {
  const now = Date.parse('2026-01-01T00:00:00.000Z')
  const platform: Platform = createPlatform({ autoApprove: true, vocabulary: 'mashery', now: () => now, ...options })
  const token = await accessToken(platform)
  return async (client: Client, call: string, body?: unknown): Promise<Sent> => {
    const [method = '', path = ''] = call.split(' ')
    const [writing, others] = headersOf[client]
    const headers = { authorization: `Bearer ${token}`, ...(body === undefined ? others : writing) }
    const init = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await platform.fetch(new Request(`http://x/v3/rest${path}`, { method, headers, ...init }))
    const text = await response.text()
    const parsed: unknown = text === '' ? undefined : JSON.parse(text)
    return { status: response.status, text, body: parsed, sorted: inOrder(parsed), object: [parsed].flat()[0] }
  }
}

async function accessToken(platform: Platform): Promise<string> {
  const password = { grant_type: 'password', username: 'local-user', password: 'local-password', scope: area }
  return String((await tokenOf(platform, password)).object.access_token)
}

/** Nested lists have another order at every read. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder).sort((left, right) => (nameIn(left) < nameIn(right) ? -1 : 1))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, inOrder(inner)]))
}

const nameIn = (value: unknown): string => JSON.stringify((value as { name?: unknown } | null)?.name ?? value)
