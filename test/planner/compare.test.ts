import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/json/json.js'
import { document } from '../kit/manifests.js'
import { complaints, planOf, words } from './plans.js'

const route = { requestPathAlias: '/e', trafficManagerDomain: 'tm' }

/** The changes of an endpoint e of service S: the written fields compared with the live ones. */
const endpoint = (written: JsonObject, live: JsonObject, metadata: JsonObject = {}) =>
  planOf([document('Endpoint', { service: 'S', name: 'e', ...metadata }, written)], {
    services: [{ id: 's', name: 'S', endpoints: [{ id: 'e', name: 'e', ...route, methods: [], ...live }] }],
  })

const paths = (written: JsonObject, live: JsonObject, metadata?: JsonObject): readonly string[] =>
  endpoint(written, live, metadata).changes.flatMap((change) => change.fields.map((each) => each.path))

describe('equality of meaning', () => {
  const cases: readonly (readonly [string, string, Json, Json])[] = [
    ['verbs in another order', 'supportedHttpMethods', ['get', 'post'], ['post', 'get']],
    ['a bare string for a list with one entry', 'supportedHttpMethods', ['get'], 'get'],
    ['0 and 1 for a flag', 'inboundSslRequired', true, 1],
    ['null for an empty text', 'requestAuthenticationType', '', null],
    ['[""] for an empty list', 'headersToExcludeFromIncomingCall', [], ['']],
    ['a default of the platform', 'numberOfHttpRedirectsToFollow', null, 0],
    ['a default list', 'returnedHeaders', null, ['svc-responder']],
    ['grant types with underscores', 'oauthGrantTypes', ['client-credentials'], ['client_credentials']],
    [
      'domains as {domain}',
      'publicDomains',
      ['b.example', 'a.example'],
      [{ domain: 'a.example' }, { domain: 'b.example' }],
    ],
    ['domains as {address}', 'systemDomains', ['a.example'], [{ address: 'a.example' }]],
    ['an object of empty values', 'processor', null, { adapter: '', preProcessEnabled: false, preInputs: {} }],
    ['a number as text', 'connectionTimeoutForSystemDomainRequest', 5, '5'],
    ['null for an emptied list', 'returnedHeaders', null, []],
    ['an empty list if nothing is answered', 'returnedHeaders', [], null],
    ['false if nothing is answered', 'highSecurity', false, null],
    ['0 if nothing is answered', 'numberOfHttpRedirectsToFollow', 0, null],
    ['other members of an object', 'cors', { maxAge: 5 }, { maxAge: 5, cookiesAllowed: true }],
  ]
  test.each(cases)('%s is no difference', (_, field, written, live) => {
    expect(paths({ [field]: written }, { [field]: live })).toEqual([])
  })

  test.each([
    ['another verb', 'supportedHttpMethods', ['get', 'put'], ['get', 'post'], '/supportedHttpMethods'],
    ['a cleared field', 'requestAuthenticationType', null, 'apiKey', '/requestAuthenticationType'],
    ['a member of an object', 'cors', { maxAge: 5 }, { maxAge: 6 }, '/cors/maxAge'],
    ['a default that was changed', 'numberOfHttpRedirectsToFollow', null, 3, '/numberOfHttpRedirectsToFollow'],
    ['an empty list that is written', 'returnedHeaders', [], ['svc-responder'], '/returnedHeaders'],
    ['an emptied list that is written', 'returnedHeaders', ['svc-responder'], [], '/returnedHeaders'],
    ['a default that is written and not answered', 'returnedHeaders', ['svc-responder'], null, '/returnedHeaders'],
    [
      'a free map is one value',
      'processor',
      { preInputs: { a: '1' } },
      { preInputs: { a: '1', b: '2' } },
      '/processor/preInputs',
    ],
  ] as const)('%s is a difference', (_, field, written, live, path) => {
    expect(paths({ [field]: written }, { [field]: live })).toEqual([path])
  })

  test('datetimes are compared as instants, to the second', () => {
    const event = (startDateTime: string, live: Json = '2027-01-01T00:00:00.350+0000') =>
      words(
        planOf([document('ScheduledMaintenanceEvent', 'W', { startDateTime })], {
          scheduledMaintenanceEvents: [{ id: 'w', name: 'W', startDateTime: live }],
        }),
      )
    const milliseconds = Date.UTC(2027, 0, 1) + 350
    expect(event('2027-01-01T02:00:00.000+0200', milliseconds)).toEqual([])
    expect(event('2027-01-01T02:00:00.000+0200')).toEqual([])
    expect(event('2027-01-01T00:00:01Z')).toEqual(['update ScheduledMaintenanceEvent/W: /startDateTime'])
  })
})

test('an update of an object field includes its unmanaged live members', () => {
  const [change] = endpoint({ cors: { maxAge: 5 } }, { cors: { maxAge: 6, cookiesAllowed: true } }).changes
  expect(change?.action === 'update' && change.values.cors).toEqual({
    is: 'value',
    value: { maxAge: 5, cookiesAllowed: true },
  })
})

test.each<[string, Json]>([
  ['cleared', null],
  ['written', false],
])('such an update sends a member that is %s without a difference as it is', (_, cookiesAllowed) => {
  const live = { maxAge: 6, cookiesAllowed: false, domainsAllowed: ['a', 'b'] }
  const [change] = endpoint({ cors: { maxAge: 5, cookiesAllowed, domainsAllowed: ['b', 'a'] } }, { cors: live }).changes
  expect(change?.action === 'update' && change.values.cors).toEqual({ is: 'value', value: { ...live, maxAge: 5 } })
})

test('such an update also includes members with the default value, because another platform may have another default', () => {
  const [change] = endpoint(
    { cors: { maxAge: 5 }, processor: { adapter: 'trim' } },
    {
      cors: { maxAge: 6, cookiesAllowed: false },
      processor: { adapter: '', preProcessEnabled: false, preInputs: null },
    },
  ).changes
  const { cors, processor } = change?.action === 'update' ? change.values : {}
  expect(cors).toEqual({ is: 'value', value: { maxAge: 5, cookiesAllowed: false } })
  // A member without content is not reported.
  expect(processor).toEqual({ is: 'value', value: { adapter: 'trim' } })
})

test('fields in metadata.ignore are not changed, and neither are such members of an object', () => {
  const live = { cors: { maxAge: 6, cookiesAllowed: true }, requestAuthenticationType: 'oauth' }
  const written = { cors: { maxAge: 5, cookiesAllowed: false }, requestAuthenticationType: 'apiKey' }
  expect(paths(written, live, { ignore: ['/cors/maxAge', '/requestAuthenticationType'] })).toEqual([
    '/cors/cookiesAllowed',
  ])
})

test('null removes a single child, and does nothing if there is none', () => {
  expect(words(endpoint({ cache: null }, { cache: { clientSurrogateControlEnabled: true } }))).toEqual([
    'delete Service/S/Endpoint/e/Cache',
  ])
  expect(words(endpoint({ cache: null }, { cache: null }))).toEqual([])
  // Recorded platforms answer zeros if there is no cache (field notes, Reading).
  expect(words(endpoint({ cache: null }, { cache: { clientSurrogateControlEnabled: false } }))).toEqual([])
})

test('a single child without content is not desired if there is none', () => {
  expect(words(endpoint({ cache: { clientSurrogateControlEnabled: false } }, {}))).toEqual([])
})

test('write-only fields are sent on create and never compared', () => {
  const member = document('Member', 'm', { passwdNew: '${env:SECRET}', email: 'e', displayName: 'd', externalId: 'x' })
  const live = { id: 'm', username: 'm', email: 'e', displayName: 'd', externalId: 'x', applications: [] }
  expect(words(planOf([member], { members: [live] }))).toEqual([])
  const [create] = planOf([member], { members: [] }).changes
  expect(create?.fields.find((each) => each.path === '/passwdNew')).toMatchObject({ sensitive: true })
})

test('a field that a create lacks is an error, but not if the object exists', () => {
  const bare = document('Member', 'm', { email: 'e' })
  expect(complaints(planOf([bare], { members: [] }))).toEqual([expect.stringContaining('required-field-missing')])
  expect(complaints(planOf([bare], { members: [{ id: 'm', username: 'm', email: 'e', applications: [] }] }))).toEqual(
    [],
  )
})

test('a field that an update lacks is an error as well, but the type of an authentication is not needed to create it', () => {
  const update = (live: JsonObject) =>
    complaints(endpoint({ systemDomainAuthentication: { username: 'new' } }, { systemDomainAuthentication: live }))
  expect(update({ username: 'old', type: null })).toEqual([expect.stringContaining('must be updated and lacks type')])
  expect(update({ username: 'old', type: 'httpBasic' })).toEqual([])
  expect(update({ username: 'new', type: null })).toEqual([])
})

test('a single child is sent completely: changed fields, unchanged fields, and written secrets', () => {
  const live = { systemDomainAuthentication: { type: 'httpBasic', username: 'old', password: 'secret-value' } }
  const written = { type: 'httpBasic', username: 'new', password: '${env:SECRET}' }
  const [change] = endpoint({ systemDomainAuthentication: written }, live).changes
  expect(change?.fields.map((each) => each.path)).toEqual(['/username'])
  expect(change?.action === 'update' && change.values).toEqual({
    type: { is: 'value', value: 'httpBasic' },
    username: { is: 'value', value: 'new' },
    password: { is: 'value', value: 'secret-value' },
  })
})
