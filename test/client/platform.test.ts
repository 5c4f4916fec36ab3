import { describe, expect, it } from 'vitest'
import { catalog } from '../../src/catalog/catalog.js'
import { kinds, ownFields } from '../../src/catalog/queries.js'
import type { Operation } from '../../src/catalog/types.js'
import { connect } from '../../src/client/connect.js'
import { fetchTransport } from '../../src/client/fetch-transport.js'
import { normalize } from '../../src/client/normalize.js'
import type { JsonObject } from '../../src/json/json.js'
import type { LiveObject, ReadSpec, Snapshot } from '../../src/live/live-object.js'
import { createPlatform, type Platform } from '../../src/platform/server.js'
import { masking } from '../../src/secrets/mask.js'
import { fakeClock } from './support.js'

const role = { id: 'r1', name: 'Partners' }
const method = { id: 'm1', name: 'listOrders' }

const seed = {
  roles: [role],
  domains: [{ id: 'd1', domain: 'example.com' }],
  services: [
    {
      id: 's1',
      name: 'Orders API',
      description: 'Orders',
      roles: [{ ...role, action: 'read' }],
      errorSets: [{ id: 'x1', name: 'json', type: 'text/json' }],
      endpoints: [
        {
          id: 'e1',
          name: 'orders',
          requestPathAlias: '/orders',
          trafficManagerDomain: 'api.example.com',
          publicDomains: [{ domain: 'api.example.com' }],
          systemDomains: [{ domain: 'orders.example.com' }],
          supportedHttpMethods: ['post', 'get'],
          oauthGrantTypes: ['client-credentials'],
          inboundSslRequired: true,
          systemDomainAuthentication: { type: 'httpBasic', username: 'gateway', password: 'hunter2' },
          methods: [method, { id: 'm2', name: 'placeOrder' }],
        },
      ],
    },
    { id: 's2', name: 'Empty API' },
  ],
  scheduledMaintenanceEvents: [
    {
      id: 'v1',
      name: 'New year',
      startDateTime: '2027-01-01T00:00:00.000+0000',
      endDateTime: '2027-01-01T02:00:00.000+0000',
      endpoints: [{ id: 'e1' }],
    },
  ],
  packages: [
    {
      id: 'p1',
      name: 'Partner Access',
      plans: [{ id: 'g1', name: 'Gold', services: [{ id: 's1', endpoints: [{ id: 'e1', methods: [{ id: 'm1' }] }] }] }],
    },
  ],
  members: [
    {
      id: 'u1',
      username: 'acme',
      email: 'dev@acme.example',
      displayName: 'Acme',
      externalId: '17',
      roles: [role],
      applications: [
        {
          id: 'a1',
          name: 'Shop',
          packageKeys: [{ id: 'k1', apikey: 'acme-key', secret: 's', package: { id: 'p1' }, plan: { id: 'g1' } }],
        },
      ],
    },
  ],
  emailTemplateSets: [
    { id: '7', name: 'Mails', emailTemplates: [{ id: 't1', type: 'welcome', from: 'a@b.example', subject: 'Hello' }] },
  ],
}

const everything: ReadSpec = {
  fields: new Map(kinds.map((kind) => [kind.name, ownFields(kind).map((field) => field.name)])),
  containers: { EmailTemplate: ['7'] },
  linksOf: 'all',
}

function online(platform: Platform) {
  return connect({
    url: 'http://platform.example',
    credentials: {
      apiKey: 'local-key',
      apiSecret: 'local-secret',
      username: 'local-user',
      password: 'local-password',
      area: '00000000-0000-4000-8000-00000000a4ea',
    },
    concurrency: 4,
    transport: fetchTransport((url, init) => platform.fetch(new Request(url, init))),
    mask: masking([]),
    ...fakeClock(),
  })
}

const find = (snapshot: Snapshot, ...keys: readonly string[]): LiveObject => {
  let among: readonly LiveObject[] = snapshot.objects
  let found: LiveObject | undefined
  for (const key of keys) {
    found = among.find((object) => object.key === key || object.kind === key)
    among = found?.children ?? []
  }
  if (!found) throw new Error(keys.join('/'))
  return found
}

describe.each(['document', 'recorded'] as const)('the embedded platform, dialect %s', (dialect) => {
  it('is read completely', async () => {
    const client = online(createPlatform({ dialect, seed }))
    const { update } = catalog.Endpoint.operations
    if (!update) throw new Error('no update')
    await client.write(update, { serviceId: 's1', endpointId: 'e1' }, { errorSet: { id: 'x1' } })
    const { snapshot, notOffered } = await client.read(everything)
    const beyond = dialect === 'document' ? kinds.filter(({ origin }) => origin === 'notes') : []
    expect(notOffered).toEqual(beyond.filter(({ parent }) => parent === undefined).map(({ name }) => name))
    // Children that the document does not have are not requested one by one here: nothing is known about them.
    expect(snapshot.kinds).toEqual(kinds.filter((kind) => !beyond.includes(kind)).map(({ name }) => name))
    expect(snapshot.domainMember).toBe(dialect === 'recorded' ? 'address' : 'domain')
    expect(find(snapshot, 'Orders API').fields).toMatchObject({
      description: 'Orders',
      roles: [{ ...role, action: 'read' }],
    })
    expect(find(snapshot, 'Orders API', 'Partners')).toMatchObject({ kind: 'ServiceRole', id: 'r1' })
    expect(find(snapshot, 'Orders API', 'json').children).toHaveLength(23)
    expect(find(snapshot, 'Orders API', 'orders').fields).toMatchObject({
      publicDomains: ['api.example.com'],
      supportedHttpMethods: ['get', 'post'],
      oauthGrantTypes: ['client-credentials'],
      inboundSslRequired: true,
      errorSet: { id: 'x1', name: 'json' },
    })
    expect(find(snapshot, 'Orders API', 'orders', 'SystemDomainAuthentication').fields).toMatchObject({
      type: 'httpBasic',
      username: 'gateway',
    })
    expect(find(snapshot, 'Orders API', 'orders', 'listOrders')).toMatchObject({ kind: 'Method', id: 'm1' })
    expect(find(snapshot, 'New year').fields.endpoints).toEqual([{ id: 'e1', name: 'orders' }])
    expect(find(snapshot, 'Partner Access', 'Gold', 'Orders API').fields.endpoints).toEqual([
      { id: 'e1', name: 'orders', methods: [dialect === 'recorded' ? { ...method, responseFilter: null } : method] },
    ])
    expect(find(snapshot, 'acme').fields.roles).toEqual([role])
    expect(find(snapshot, 'acme', 'Shop', 'acme-key').fields).toMatchObject({
      package: { id: 'p1', name: 'Partner Access' },
      plan: { id: 'g1', name: 'Gold' },
    })
    expect(find(snapshot, 'welcome')).toMatchObject({ owner: '7', fields: { subject: 'Hello' } })
  })

  it('is the same from its own snapshot, offline', async () => {
    const { snapshot, raw } = await online(createPlatform({ dialect, seed })).read(everything)
    expect(normalize(JSON.parse(JSON.stringify(raw)))).toEqual(snapshot)
  })

  it('costs pages, not objects', async () => {
    const services = Array.from({ length: 120 }, (_, index) => ({
      id: `s${index}`,
      name: `Service ${index}`,
      endpoints: [],
    }))
    const client = online(createPlatform({ dialect, seed: { services } }))
    const { raw } = await client.read({
      fields: new Map([
        ['Service', ['description']],
        ['Endpoint', []],
        ['Method', []],
      ]),
      linksOf: 'none',
    })
    expect(raw.services).toHaveLength(120)
    expect(client.stats().requests).toBe(2)
  })

  it('accepts writes, and finds objects by name', async () => {
    const client = online(createPlatform({ dialect, seed }))
    const operation = (name: string): Operation => {
      const found = catalog.Service.operations[name]
      if (!found) throw new Error(name)
      return found
    }
    const created = await client.write(operation('create'), {}, { name: 'Orders' }, ['id', 'name'])
    expect(created).toMatchObject({ is: 'done', objects: [{ name: 'Orders' }] })
    const [object] = await client.findByName(catalog.Service, {}, 'Orders')
    const serviceId = String((object as JsonObject).id)
    expect(await client.listIds(catalog.Service, {})).toContain(serviceId)
    expect(await client.write(operation('delete'), { serviceId }, undefined)).toMatchObject({ is: 'done' })
    expect(await client.write(operation('create'), {}, {})).toMatchObject({ is: 'refused', status: 400 })
  })

  it('sets the pace', async () => {
    const clock = fakeClock()
    const platform = createPlatform({ dialect, seed, qps: 2, now: clock.now })
    const client = connect({
      url: 'http://platform.example',
      credentials: {
        apiKey: 'local-key',
        apiSecret: 'local-secret',
        username: 'local-user',
        password: 'local-password',
        area: '00000000-0000-4000-8000-00000000a4ea',
      },
      concurrency: 8,
      transport: fetchTransport((url, init) => platform.fetch(new Request(url, init))),
      mask: masking([]),
      ...clock,
    })
    await client.read(everything)
    expect(client.stats().waitedMs).toBeGreaterThan(0)
    expect(client.stats().throttled).toBeLessThan(8)
  })
})
