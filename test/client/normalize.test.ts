import { describe, expect, it } from 'vitest'
import { normalize, unknownCollections } from '../../src/client/normalize.js'
import type { JsonObject } from '../../src/json/json.js'
import { editorOf } from '../../src/live/editor.js'
import type { LiveObject } from '../../src/live/live-object.js'

const endpoint = {
  id: 'ep1',
  name: 'orders',
  cache: { cacheTtlOverride: 0, contentCacheKeyHeaders: [], clientSurrogateControlEnabled: false },
  updated: '2021-03-04T08:52:47.000+0000',
  scheduledMaintenanceEvent: null,
  connectionTimeoutForSystemDomainRequest: '5',
  cors: null,
  headersToExcludeFromIncomingCall: [''],
  inboundSslRequired: 1,
  oauthGrantTypes: ['client_credentials', 'authorization_code'],
  processor: { adapter: '', preInputs: {}, postInputs: {}, preProcessEnabled: false, postProcessEnabled: false },
  publicDomains: [{ address: 'b.example.com' }, { address: 'a.example.com' }],
  supportedHttpMethods: 'get',
  systemDomainAuthentication: null,
  errors: { errorSet: { id: 'es1', name: 'json', type: 'text/json' } },
  methods: [
    { id: 'm2', name: 'place' },
    { id: 'm1', name: 'list', sampleJsonResponse: null },
  ],
}

const service = {
  id: 'svc1',
  name: 'Orders API',
  editorHandle: 'jane.editor',
  securityProfile: { oauth: null },
  qpsLimitOverall: '500',
  rfc3986Encode: 0,
  endpoints: [endpoint],
  errorSets: [{ id: 'es1', name: 'json', jsonp: false, errorMessages: [{ id: 'ERR_400', code: 400, status: 'No' }] }],
  roles: [
    { id: 'r2', name: 'Partners', action: 'read' },
    { id: 'r1', name: 'Everyone', action: 'read', created: '2021-03-04T08:52:47.000+0000' },
  ],
}

const root = (raw: JsonObject): LiveObject => {
  const [object] = normalize(raw).objects
  if (!object) throw new Error('no object')
  return object
}

/** The tree by kinds and keys, as a picture. */
const picture = (objects: readonly LiveObject[], depth = 0): readonly string[] =>
  objects.flatMap((object) => [
    `${'  '.repeat(depth)}${object.kind} ${object.key}`.trimEnd(),
    ...picture(object.children, depth + 1),
  ])

describe('a live object', () => {
  it('has a child that is answered twice only once, but children without an id as often as they are answered', () => {
    const list = { id: 'm1', name: 'list' }
    const place = { id: 'm2', name: 'place' }
    const endpoint = { id: 'e', name: 'orders', methods: [list, place, list, { name: 'new' }, { name: 'new' }] }
    const { objects } = normalize({ services: [{ id: 's', name: 'A', endpoints: [endpoint, endpoint] }] })
    expect(picture(objects)).toEqual([
      'Service A',
      '  Endpoint orders',
      '    Method list',
      '    Method new',
      '    Method new',
      '    Method place',
    ])
  })

  it('has a link or a reference that is answered twice only once, and a role once for each action', () => {
    const read = { id: 'r', name: 'Staff', action: 'read' }
    const write = { ...read, action: 'write' }
    const { objects } = normalize({ services: [{ id: 's', name: 'A', roles: [read, write, read] }] })
    expect(objects[0]?.children.map(({ fields }) => fields.action)).toEqual(['read', 'write'])
    expect(objects[0]?.fields.roles).toHaveLength(2)
    const endpoint = { id: 'e', name: 'orders' }
    const events = [{ id: 'v', name: 'W', endpoints: [endpoint, endpoint] }]
    expect(normalize({ scheduledMaintenanceEvents: events }).objects[0]?.fields.endpoints).toEqual([endpoint])
  })

  it('has its children below it, in a fixed order', () => {
    expect(picture(normalize({ services: [service] }).objects)).toEqual([
      'Service Orders API',
      '  Endpoint orders',
      '    Cache',
      '    Method list',
      '    Method place',
      '  ErrorSet json',
      '    ErrorMessage ERR_400',
      '  ServiceRole Everyone',
      '  ServiceRole Partners',
    ])
  })

  it('has canonical fields; null means that an empty value was answered, but an empty list stays one', () => {
    expect(root({ services: [service] }).children[0]?.fields).toEqual({
      id: 'ep1',
      name: 'orders',
      updated: Date.UTC(2021, 2, 4, 8, 52, 47) / 1000,
      scheduledMaintenanceEvent: null,
      connectionTimeoutForSystemDomainRequest: 5,
      cors: null,
      headersToExcludeFromIncomingCall: [],
      inboundSslRequired: true,
      oauthGrantTypes: ['authorization-code', 'client-credentials'],
      processor: null,
      publicDomains: ['a.example.com', 'b.example.com'],
      supportedHttpMethods: ['get'],
      errorSet: { id: 'es1', name: 'json' },
    })
  })

  it('has its roles also as references, each with its action', () => {
    expect(root({ services: [service] }).fields).toEqual({
      id: 'svc1',
      name: 'Orders API',
      editorHandle: 'jane.editor',
      securityProfile: null,
      qpsLimitOverall: 500,
      rfc3986Encode: false,
      roles: [
        { id: 'r1', name: 'Everyone', action: 'read' },
        { id: 'r2', name: 'Partners', action: 'read' },
      ],
    })
  })

  it('has its parent, its times and the editor of its service', () => {
    const object = root({ services: [service] })
    const [child] = object.children
    expect(child?.parent).toBe(object)
    expect(child).toMatchObject({ updated: '2021-03-04T08:52:47.000+0000' })
    expect(child && editorOf(child)).toBe('jane.editor')
    expect(child?.children[0]).toMatchObject({ kind: 'Cache', id: '', key: '' })
  })

  it('has no known editor if it is newer than its service, whose editor recorded platforms do not update', () => {
    const editorsOf = (updated: string) => {
      const [child] = root({ services: [{ ...service, updated }] }).children
      return [child, child?.children[0]].map((each) => each && editorOf(each))
    }
    expect(editorsOf('2021-03-04T08:52:46.000+0000')).toEqual([undefined, undefined])
    expect(editorsOf('2021-03-04T08:52:47.999Z')).toEqual(['jane.editor', 'jane.editor'])
  })

  it('is the same whatever the order of the answers', () => {
    const turned = {
      ...service,
      roles: service.roles.toReversed(),
      endpoints: [
        { ...endpoint, methods: endpoint.methods.toReversed(), publicDomains: endpoint.publicDomains.toReversed() },
      ],
    }
    expect(normalize({ services: [turned] })).toEqual(normalize({ services: [service] }))
  })

  it.each([undefined, null, '', []])('has no single child if the platform answers %j', (cache) => {
    const object = root({
      services: [{ id: 's', name: 'S', endpoints: [{ id: 'e', name: 'E', cache: cache ?? null }] }],
    })
    expect(object.children[0]?.children).toEqual([])
  })

  it.each([[['']], [''], [[]]])(
    'has no references if the platform answers %j for a list of references',
    (endpoints) => {
      const [event] = normalize({ scheduledMaintenanceEvents: [{ id: 'e', name: 'E', endpoints }] }).objects
      expect(event?.fields.endpoints ?? []).toEqual([])
    },
  )

  it('keeps fields that the catalogue does not know', () => {
    expect(root({ packages: [{ id: 'p', name: 'P', production: false, extra: { b: 1, a: [''] } }] }).fields).toEqual({
      id: 'p',
      name: 'P',
      production: false,
      extra: { a: [''], b: 1 },
    })
  })
})

describe('plan services', () => {
  const planService = {
    id: 'svc1',
    endpoints: [
      { id: 'ep1', name: 'orders', created: 'x', methods: [{ id: 'm1', name: 'list' }] },
      { id: 'ep2', name: 'a' },
    ],
  }
  const packages = [{ id: 'p', name: 'P', plans: [{ id: 'g', name: 'Gold', services: [planService] }] }]

  it('are named after their service', () => {
    const snapshot = normalize({ packages, services: [{ id: 'svc1', name: 'Orders API' }] })
    expect(picture(snapshot.objects)).toEqual([
      'Service Orders API',
      'Package P',
      '  Plan Gold',
      '    PlanService Orders API',
    ])
  })

  it('have the endpoints and methods that were selected', () => {
    const link = root({ packages }).children[0]?.children[0]
    expect(link?.fields.endpoints).toEqual([
      { id: 'ep2', name: 'a' },
      { id: 'ep1', name: 'orders', methods: [{ id: 'm1', name: 'list' }] },
    ])
  })
})

describe('a snapshot', () => {
  it('has members with their applications and keys', () => {
    const packageKeys = [
      { id: 'k', apikey: 'acme-key', package: { id: 'p', name: 'P', keyLength: 10 }, plan: { id: 'g' } },
    ]
    const members = [{ id: 'm', username: 'acme', roles: 'r1', applications: [{ id: 'a', name: 'Shop', packageKeys }] }]
    const snapshot = normalize({ members })
    expect(picture(snapshot.objects)).toEqual(['Member acme', '  Application Shop', '    PackageKey acme-key'])
    expect(snapshot.objects[0]?.fields.roles).toEqual([{ id: 'r1' }])
    expect(snapshot.objects[0]?.children[0]?.children[0]?.fields).toEqual({
      id: 'k',
      apikey: 'acme-key',
      package: { id: 'p', name: 'P' },
      plan: { id: 'g' },
    })
  })

  it('has email templates in their set', () => {
    const emailTemplates = [{ id: 1, type: 'welcome', subject: 'Hello' }]
    expect(normalize({ emailTemplateSets: [{ id: 7, emailTemplates }] }).objects).toMatchObject([
      { kind: 'EmailTemplate', id: '1', key: 'welcome', owner: '7', fields: { subject: 'Hello' } },
    ])
  })

  it('gives its names that are no collections', () => {
    expect(unknownCollections({ services: [], servces: [], emailTemplateSets: [] })).toEqual(['servces'])
  })

  it('gives the kinds that its collections contain completely', () => {
    const kinds = (raw: JsonObject) => normalize(raw).kinds
    expect(kinds({ domains: [] })).toEqual(['Domain'])
    expect(kinds({ services: [{ id: 's', name: 'S', endpoints: [] }] })).toEqual([
      'Service',
      'Endpoint',
      'Method',
      'Cache',
      'SystemDomainAuthentication',
    ])
  })

  it.each([
    ['address', [{ address: 'a.example.com' }]],
    ['domain', [{ domain: 'a.example.com' }]],
    ['domain', [{ domain: 'a.example.com', address: 'a.example.com' }]],
    ['domain', ['a.example.com']],
  ])("has the platform's word for domains: %s", (member, publicDomains) => {
    const services = [{ id: 's', name: 'S', endpoints: [{ id: 'e', name: 'E', publicDomains }] }]
    expect(normalize({ services }).domainMember).toBe(member)
  })
})

describe('an id of a reference with other upper and lower case', () => {
  const id = (last: string) => `0f8fad5b-d9cb-469f-a165-70867728950${last}`
  const referred = (lists: readonly string[], reference: string) => {
    const raw = {
      services: [{ id: 's', name: 'S', roles: [] }],
      packages: [
        {
          id: 'p',
          name: 'P',
          plans: [{ id: 'l', name: 'L', services: [{ id: 's', endpoints: [{ id: reference }] }] }],
        },
      ],
    }
    const endpoints = lists.map((each) => ({ id: each, name: `e ${each}` }))
    const { objects } = normalize({ ...raw, services: raw.services.map((each) => ({ ...each, endpoints })) })
    const link = objects.find(({ kind }) => kind === 'Package')?.children[0]?.children[0]
    return link?.fields.endpoints
  }

  it.each([
    ['becomes that of the list', [id('e')], id('e').toUpperCase(), id('e')],
    ['becomes that of a list in capitals', [id('e').toUpperCase()], id('e'), id('e').toUpperCase()],
    [
      'becomes that of a list of 24 letters and digits',
      ['k2xhv8w3n5r7t9y1z4b6c0dq'],
      'K2XHV8W3N5R7T9Y1Z4B6C0DQ',
      'k2xhv8w3n5r7t9y1z4b6c0dq',
    ],
    ['stays if the list has it', [id('e'), id('e').toUpperCase()], id('e').toUpperCase(), id('e').toUpperCase()],
    [
      'stays if the list has two others',
      [id('e'), id('e').toUpperCase()],
      id('e').replace('d9', 'D9'),
      id('e').replace('d9', 'D9'),
    ],
    ['stays if it is short', ['a1'], 'A1', 'A1'],
    ['stays if it is a name', ['orders-of-partners'], 'Orders-Of-Partners', 'Orders-Of-Partners'],
    ['stays if no list has it', [id('e')], id('F'), id('F')],
  ])('%s', (_, lists, reference, expected) => {
    expect(referred(lists, reference)).toEqual([{ id: expected }])
  })
})
