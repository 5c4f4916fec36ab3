import { describe, expect, test } from 'vitest'
import { kindNames } from '../../src/catalog/queries.js'
import { mergeLinks } from '../../src/manifest/nest.js'
import { documentOf, errorsOf, manifestsIn, manifestsOf, resourceAt, stream } from './manifests-of.js'

/** Each kind inline and stand-alone: both must give the same resource. */
const service = (spec: object) => documentOf('Service', { name: 'S/1' }, spec)
const endpoint = (spec: object) => service({ endpoints: [{ name: 'e', ...spec }] })
const pack = (spec: object) => documentOf('Package', { name: 'P' }, spec)
const member = (spec: object) => documentOf('Member', { name: 'm' }, spec)
const application = (spec: object) => member({ applications: [{ name: 'A', ...spec }] })

interface Case {
  readonly kind: string
  readonly address: string
  readonly fields: object
  readonly inline: string
  readonly alone: string
}

const usingFilter = [
  { name: 'x', responseFilter: 'public' },
  { name: 'y', responseFilter: null },
]

const cases: readonly Case[] = [
  {
    kind: 'Endpoint',
    address: 'Service/S%2F1/Endpoint/e',
    fields: { name: 'e', publicDomains: ['a.b', 'c.d', 'e.f'], supportedHttpMethods: ['get'] },
    inline: endpoint({ publicDomains: ['a.b', { domain: 'c.d' }, { address: 'e.f' }], supportedHttpMethods: 'get' }),
    alone: documentOf(
      'Endpoint',
      { service: 'S/1', name: 'e' },
      { publicDomains: ['a.b', { domain: 'c.d' }, { address: 'e.f' }], supportedHttpMethods: 'get' },
    ),
  },
  {
    kind: 'Method',
    address: 'Service/S%2F1/Endpoint/e/Method/list',
    fields: { name: 'list', sampleJsonResponse: '{}' },
    inline: endpoint({ methods: [{ name: 'list', sampleJsonResponse: '{}' }] }),
    alone: documentOf('Method', { service: 'S/1', endpoint: 'e', name: 'list' }, { sampleJsonResponse: '{}' }),
  },
  {
    kind: 'ResponseFilter',
    address: 'Service/S%2F1/Endpoint/e/Method/list/ResponseFilter/public',
    fields: { name: 'public', jsonFilterFields: '/a | /b' },
    inline: endpoint({
      methods: [{ name: 'list', responseFilters: [{ name: 'public', jsonFilterFields: '/a | /b' }] }],
    }),
    alone: documentOf(
      'ResponseFilter',
      { service: 'S/1', endpoint: 'e', method: 'list', name: 'public' },
      { jsonFilterFields: '/a | /b' },
    ),
  },
  {
    kind: 'Cache',
    address: 'Service/S%2F1/Endpoint/e/Cache',
    fields: { contentCacheKeyHeaders: ['accept'], cacheTtlOverride: 5 },
    inline: endpoint({ cache: { contentCacheKeyHeaders: 'accept', cacheTtlOverride: 5 } }),
    alone: documentOf(
      'Cache',
      { service: 'S/1', endpoint: 'e' },
      { contentCacheKeyHeaders: 'accept', cacheTtlOverride: 5 },
    ),
  },
  {
    kind: 'SystemDomainAuthentication',
    address: 'Service/S%2F1/Endpoint/e/SystemDomainAuthentication',
    fields: { type: 'httpBasic', username: 'u' },
    inline: endpoint({ systemDomainAuthentication: { type: 'httpBasic', username: 'u' } }),
    alone: documentOf(
      'SystemDomainAuthentication',
      { service: 'S/1', endpoint: 'e' },
      { type: 'httpBasic', username: 'u' },
    ),
  },
  {
    kind: 'ErrorSet',
    address: 'Service/S%2F1/ErrorSet/json',
    fields: { name: 'json', jsonp: false },
    inline: service({ errorSets: [{ name: 'json', jsonp: false }] }),
    alone: documentOf('ErrorSet', { service: 'S/1', name: 'json' }, { jsonp: false }),
  },
  {
    kind: 'ErrorMessage',
    address: 'Service/S%2F1/ErrorSet/json/ErrorMessage/ERR_1',
    fields: { id: 'ERR_1', status: 'no' },
    inline: service({ errorSets: [{ name: 'json', errorMessages: [{ id: 'ERR_1', status: 'no' }] }] }),
    alone: documentOf('ErrorMessage', { service: 'S/1', errorSet: 'json', name: 'ERR_1' }, { status: 'no' }),
  },
  {
    kind: 'Plan',
    address: 'Package/P/Plan/Gold',
    fields: { name: 'Gold', rateLimitPeriod: 'day' },
    inline: pack({ plans: [{ name: 'Gold', rateLimitPeriod: 'day' }] }),
    alone: documentOf('Plan', { package: 'P', name: 'Gold' }, { rateLimitPeriod: 'day' }),
  },
  {
    kind: 'PlanService',
    address: 'Package/P/Plan/Gold/PlanService/S%2F1',
    fields: {
      endpoints: [
        { name: 'e' },
        { name: 'f', methods: '*' },
        {
          name: 'g',
          methods: [
            { name: 'x', responseFilter: { name: 'public' } },
            { name: 'y', responseFilter: null },
          ],
        },
      ],
    },
    inline: pack({
      plans: [
        {
          name: 'Gold',
          services: [
            { name: 'S/1', endpoints: ['e', { name: 'f', methods: '*' }, { name: 'g', methods: usingFilter }] },
          ],
        },
      ],
    }),
    alone: documentOf(
      'PlanService',
      { package: 'P', plan: 'Gold', name: 'S/1' },
      { endpoints: ['e', { name: 'f', methods: '*' }, { name: 'g', methods: usingFilter }] },
    ),
  },
  {
    kind: 'Application',
    address: 'Member/m/Application/A',
    fields: { name: 'A', username: 'm' },
    inline: application({ username: 'm' }),
    alone: documentOf('Application', { member: 'm', name: 'A' }, { username: 'm' }),
  },
  {
    kind: 'PackageKey',
    address: 'Member/m/Application/A/PackageKey/P #6789',
    fields: {
      apikey: 'abc-123456789',
      secret: 's',
      package: { name: 'P' },
      plan: { name: 'Gold' },
    },
    inline: application({ packageKeys: [{ package: 'P', plan: 'Gold', apikey: 'abc-123456789', secret: 's' }] }),
    alone: documentOf(
      'PackageKey',
      { member: 'm', application: 'A' },
      { package: { name: 'P' }, plan: 'Gold', apikey: 'abc-123456789', secret: 's' },
    ),
  },
]

describe.each(cases)('$kind', ({ kind, address, fields, inline, alone }) => {
  test('inline and stand-alone give the same resource', () => {
    const fromInline = resourceAt(manifestsIn(inline), address)
    const fromAlone = resourceAt(manifestsIn(alone), address)
    expect(errorsOf(manifestsIn(inline))).toEqual([])
    expect(errorsOf(manifestsIn(alone))).toEqual([])
    expect(fromInline).toMatchObject({ kind, fields })
    expect(fromInline.fields).toEqual(fields)
    const meaning = ({ range: _, ranges: __, isInside: ___, ...rest }: typeof fromInline) => rest
    expect(meaning(fromAlone)).toEqual(meaning(fromInline))
  })
})

describe('kinds at the root', () => {
  test.each([
    ['Service', { name: 'S' }, { qpsLimitOverall: 5 }, 'Service/S', { name: 'S', qpsLimitOverall: 5 }],
    ['Domain', { name: 'example.com' }, {}, 'Domain/example.com', { domain: 'example.com' }],
    ['Package', { name: 'P' }, { eav: { a: 1 } }, 'Package/P', { name: 'P', eav: { a: 1 } }],
    ['Role', { name: 'R' }, { description: 'd' }, 'Role/R', { name: 'R', description: 'd' }],
    ['Member', { name: 'm' }, { roles: 'R' }, 'Member/m', { username: 'm', roles: [{ name: 'R' }] }],
    [
      'ScheduledMaintenanceEvent',
      { name: 'W' },
      { startDateTime: '2027-01-01T00:00:00Z', endpoints: [{ service: 'S', name: 'e' }] },
      'ScheduledMaintenanceEvent/W',
      { name: 'W', startDateTime: '2027-01-01T00:00:00.000+0000', endpoints: [{ service: { name: 'S' }, name: 'e' }] },
    ],
    [
      'EmailTemplate',
      { emailTemplateSet: 7, name: 'welcome' },
      { subject: 'Hello' },
      'EmailTemplateSet/7/EmailTemplate/welcome',
      { subject: 'Hello', type: 'welcome' },
    ],
    ['ServiceRole', { service: 'S', name: 'R' }, { action: 'read' }, 'Service/S/ServiceRole/R', { action: 'read' }],
    ['Organization', { name: 'O' }, { description: 'd' }, 'Organization/O', { name: 'O', description: 'd' }],
    ['EmailTemplateSet', { name: 'E' }, { type: 't' }, 'EmailTemplateSet/E', { name: 'E', type: 't' }],
  ])('%s', (kind, metadata, spec, address, fields) => {
    const manifests = manifestsIn(documentOf(kind, metadata, spec))
    expect(errorsOf(manifests)).toEqual([])
    expect(resourceAt(manifests, address).fields).toEqual(fields)
  })

  test('together with the inline kinds, these are all kinds', () => {
    const root = [
      'Service',
      'Domain',
      'Package',
      'Role',
      'Member',
      'ScheduledMaintenanceEvent',
      'EmailTemplate',
      'ServiceRole',
      'Organization',
      'EmailTemplateSet',
    ]
    expect([...root, ...cases.map((each) => each.kind)].sort()).toEqual([...kindNames].sort())
  })
})

describe('lists of children', () => {
  test('an inline list is complete, and stand-alone documents are added to it', () => {
    const text = stream(
      service({ endpoints: [{ name: 'e', methods: ['list'] }], errorSets: ['json'] }),
      documentOf('Endpoint', { service: 'S/1', name: 'f' }),
    )
    const manifests = manifestsIn(text)
    expect(resourceAt(manifests, 'Service/S%2F1').wholeLists).toEqual(['endpoints', 'errorSets'])
    expect(resourceAt(manifests, 'Service/S%2F1/Endpoint/e').wholeLists).toEqual(['methods'])
    expect(resourceAt(manifests, 'Service/S%2F1/Endpoint/f').wholeLists).toEqual([])
    expect(resourceAt(manifests, 'Service/S%2F1/Endpoint/e/Method/list').fields).toEqual({ name: 'list' })
  })

  test.each([[null], [[]]])('endpoints: %j is a complete list without entries', (endpoints) => {
    expect(resourceAt(manifestsIn(service({ endpoints })), 'Service/S%2F1')).toMatchObject({
      wholeLists: ['endpoints'],
      fields: { name: 'S/1' },
    })
  })

  test('error messages are never a complete list', () => {
    const text = service({ errorSets: [{ name: 'json', errorMessages: [] }] })
    expect(resourceAt(manifestsIn(text), 'Service/S%2F1/ErrorSet/json').wholeLists).toEqual([])
  })

  test('null means that a single child does not exist', () => {
    const manifests = manifestsIn(endpoint({ cache: null, systemDomainAuthentication: null }))
    expect(resourceAt(manifests, 'Service/S%2F1/Endpoint/e').removedChildren).toEqual([
      'cache',
      'systemDomainAuthentication',
    ])
  })
})

describe('roles of services', () => {
  const alone = documentOf('ServiceRole', { service: 'S/1', name: 'R' }, { action: 'read' })

  test('a stand-alone role is added to the list of its service', () => {
    const manifests = manifestsIn(stream(alone, service({ roles: ['A'] })))
    expect(resourceAt(manifests, 'Service/S%2F1').fields.roles).toEqual([{ name: 'A' }, { name: 'R', action: 'read' }])
    expect(manifests.resources).toHaveLength(1)
  })

  test('without that list, it stays separate', () => {
    const manifests = manifestsIn(stream(service({}), alone))
    expect(resourceAt(manifests, 'Service/S%2F1/ServiceRole/R')).toMatchObject({ key: 'R', parent: 'Service/S%2F1' })
  })

  test('a role in both is declared twice', () => {
    const manifests = manifestsOf({ 'a.yaml': service({ roles: ['R'] }), 'b.yaml': alone })
    expect(errorsOf(manifests)).toEqual(['error duplicate-object b.yaml:1:1'])
  })

  test('a role with and without its id is declared twice', () => {
    const pinned = documentOf('ServiceRole', { service: 'S/1', name: 'R', id: 'r' }, { action: 'read' })
    const { problems } = manifestsOf({ 'a.yaml': service({ roles: ['A'] }), 'b.yaml': alone, 'c.yaml': pinned })
    const [duplicate] = problems.filter(({ severity }) => severity === 'error')
    expect([duplicate?.code, duplicate?.place?.file]).toEqual(['duplicate-object', 'c.yaml'])
    expect(duplicate?.related?.map(({ place }) => place?.file)).toEqual(['b.yaml'])
  })

  test('the list is read once, however many roles are added to it', () => {
    const names = Array.from({ length: 3000 }, (_, index) => `r${index}`)
    const links = names.map((name) => documentOf('ServiceRole', { service: 'S/1', name }, { action: 'read' }))
    const apart = manifestsIn(stream(service({}), ...links)).resources
    let reads = 0
    const first = {
      get name() {
        reads += 1
        return 'A'
      },
    }
    const merged = mergeLinks(
      apart.map((each) => (each.kind === 'Service' ? { ...each, fields: { ...each.fields, roles: [first] } } : each)),
      (problem) => expect(problem).toBeUndefined(),
    )
    expect([merged.length, merged[0]?.fields.roles]).toEqual([1, expect.objectContaining({ length: 3001 })])
    expect(merged[0]?.ranges.at('/roles/3000')).toBeDefined()
    expect(reads).toBeLessThanOrEqual(3)
  })
})

describe('the maintenance event of an endpoint', () => {
  const entry = { service: { name: 'S/1' }, name: 'e' }
  const named = endpoint({ scheduledMaintenanceEvent: 'W' })
  const event = (spec: object) => documentOf('ScheduledMaintenanceEvent', { name: 'W' }, spec)

  test.each([
    [
      'is added to the list that the event writes',
      event({ endpoints: [] }),
      { fields: { name: 'W', endpoints: [entry] }, additions: {} },
    ],
    [
      'is in the list only once',
      event({ endpoints: [entry] }),
      { fields: { name: 'W', endpoints: [entry] }, additions: {} },
    ],
    [
      'is an addition if the event writes no list',
      event({}),
      { fields: { name: 'W' }, additions: { endpoints: [entry] } },
    ],
  ])('%s', (_, declared, expected) => {
    const manifests = manifestsIn(stream(named, declared))
    expect(resourceAt(manifests, 'ScheduledMaintenanceEvent/W')).toMatchObject({ ...expected, implicit: false })
    expect(resourceAt(manifests, 'Service/S%2F1/Endpoint/e').fields).toEqual({ name: 'e' })
  })

  test('implies an event that nobody declares', () => {
    expect(resourceAt(manifestsIn(named), 'ScheduledMaintenanceEvent/W')).toMatchObject({
      implicit: true,
      fields: {},
      additions: { endpoints: [entry] },
    })
  })

  test('may be the same for thousands of endpoints', () => {
    const names = Array.from({ length: 6000 }, (_, index) => `e${index}`)
    const endpoints = names.map((name) => ({ name, scheduledMaintenanceEvent: 'W' }))
    const manifests = manifestsIn(stream(service({ endpoints }), event({ endpoints: [{ ...entry, name: 'e7' }] })))
    const { fields, ranges } = resourceAt(manifests, 'ScheduledMaintenanceEvent/W')
    expect(fields.endpoints).toHaveLength(6000)
    expect(ranges.at('/endpoints/5999')).toBeDefined()
  })

  test('null stays in the endpoint', () => {
    const manifests = manifestsIn(endpoint({ scheduledMaintenanceEvent: null }))
    expect(resourceAt(manifests, 'Service/S%2F1/Endpoint/e').fields).toEqual({
      name: 'e',
      scheduledMaintenanceEvent: null,
    })
  })

  test('null contradicts the list of an event that contains the endpoint', () => {
    const manifests = manifestsIn(stream(endpoint({ scheduledMaintenanceEvent: null }), event({ endpoints: [entry] })))
    expect(errorsOf(manifests)).toEqual(['error cleared-and-listed a.yaml:9:21'])
  })
})

describe('pins', () => {
  test('the address of a pinned object ends in ~id, and its stand-alone children are found by its name', () => {
    const manifests = manifestsIn(
      stream(
        documentOf('Method', { service: 'S', endpoint: 'e', name: 'list' }),
        documentOf('Endpoint', { service: 'S', name: 'e' }),
        documentOf('Service', { name: 'S', id: 'x1' }),
      ),
    )
    expect(manifests.resources.map((resource) => resource.address)).toEqual([
      'Service/S~x1',
      'Service/S~x1/Endpoint/e',
      'Service/S~x1/Endpoint/e/Method/list',
    ])
  })

  test('a name that is written like the address of a pinned object is refused, with the correct text', () => {
    const manifests = manifestsIn(
      stream(
        documentOf('Service', { name: 'S', id: 'x~1' }),
        documentOf('Endpoint', { service: 'S~x~1', name: 'e' }),
        documentOf('PlanService', { package: 'P', plan: 'G', name: 'W' }),
        documentOf('ScheduledMaintenanceEvent', { name: 'W' }, { endpoints: [{ service: 'S~x~1', name: 'e' }] }),
      ),
    )
    const told = manifests.problems.filter(({ code }) => code === 'name-is-address')
    expect(told.map(({ hint }) => hint)).toEqual(Array(2).fill('write the name alone, or {name: "S", id: "x~1"}'))
  })

  test('an object whose real name looks like that may be named', () => {
    const pinned = documentOf('Service', { name: 'S', id: 'x1' })
    const named = documentOf('Service', { name: 'S~x2' })
    const manifests = manifestsIn(stream(pinned, named, documentOf('Endpoint', { service: 'S~x2', name: 'e' })))
    expect(errorsOf(manifests)).toEqual([])
  })

  test('two pinned objects with the same name are two objects, and a name alone is ambiguous', () => {
    const manifests = manifestsIn(
      stream(
        documentOf('Service', { name: 'S', id: 'x1' }),
        documentOf('Service', { name: 'S', id: 'x2' }),
        documentOf('Endpoint', { service: { name: 'S', id: 'x2' }, name: 'e' }),
        documentOf('Endpoint', { service: 'S', name: 'f' }),
      ),
    )
    expect(errorsOf(manifests)).toEqual(['error ambiguous-name a.yaml:18:22'])
    expect(manifests.resources.map((resource) => resource.address)).toContain('Service/S~x2/Endpoint/e')
  })

  test('a reference to the only pinned object means that object', () => {
    const manifests = manifestsIn(
      stream(
        documentOf('Service', { name: 'S', id: 'x1' }, { endpoints: [{ name: 'e', metadata: { id: 'y1' } }] }),
        documentOf('ScheduledMaintenanceEvent', { name: 'W' }, { endpoints: [{ service: 'S', name: 'e' }] }),
        documentOf('PlanService', { package: 'P', plan: 'G', name: 'S' }, { endpoints: ['e'] }),
      ),
    )
    expect(resourceAt(manifests, 'ScheduledMaintenanceEvent/W').fields.endpoints).toEqual([
      { service: { name: 'S', id: 'x1' }, name: 'e', id: 'y1' },
    ])
    expect(resourceAt(manifests, 'Package/P/Plan/G/PlanService/S').fields.endpoints).toEqual([{ name: 'e', id: 'y1' }])
  })
})

describe('package keys', () => {
  const key = (spec: object) => ({ package: 'P', plan: 'Gold', secret: 's', ...spec })
  const addresses = (keys: readonly object[], fingerprintKey?: string) =>
    manifestsIn(application({ packageKeys: keys }), { fingerprintKey })
      .resources.filter((resource) => resource.kind === 'PackageKey')
      .map((resource) => [resource.address.split('/').at(-1), resource.key])

  test('two keys with the same last characters are numbered in the order of their values', () => {
    const first = key({ apikey: 'aaaaaaaaaa-0001' })
    const second = key({ apikey: 'bbbbbbbbbb-0001' })
    const expected = [
      ['P #0001', 'aaaaaaaaaa-0001'],
      ['P #0001 (2)', 'bbbbbbbbbb-0001'],
    ]
    expect(addresses([first, second])).toEqual(expected)
    expect(addresses([second, first])).toEqual(expected)
  })

  test('a fingerprint key distinguishes them', () => {
    expect(addresses([key({ apikey: 'aaaaaaaaaa-0001' })], 'k')).toEqual([
      [expect.stringMatching(/^P #0001-[0-9a-f]{8}$/), 'aaaaaaaaaa-0001'],
    ])
  })

  test('a key without an apikey is named by its package, and two of them are an error', () => {
    expect(addresses([key({})])).toEqual([['P', '']])
    expect(errorsOf(manifestsIn(application({ packageKeys: [key({}), key({})] })))).toHaveLength(1)
  })

  test('a key without apikey and package cannot be identified', () => {
    expect(errorsOf(manifestsIn(application({ packageKeys: [{ plan: 'Gold', secret: 's' }] })))).toEqual([
      expect.stringContaining('error missing-name'),
    ])
  })
})
