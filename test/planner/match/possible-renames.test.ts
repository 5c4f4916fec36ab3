import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../src/json/json.js'
import type { Plan } from '../../../src/planner/plan.js'
import { type DocumentText, document } from '../../kit/manifests.js'
import { planOfSides } from '../base-plan.js'
import { complaints, planOf } from '../plans.js'

/** "New < Old" for every create that looks like a rename. */
const suspected = (plan: Plan): readonly string[] =>
  plan.changes.flatMap((change) =>
    change.action === 'create' && change.possibleRename ? [`${change.address} < ${change.possibleRename.address}`] : [],
  )

const written = { description: 'takes orders', version: '2.1', qpsLimitOverall: 500 }
const endpoint = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  requestPathAlias: `/${name}`,
  publicDomains: ['api.example.com'],
  trafficManagerDomain: 'api.example.com',
  systemDomains: ['in.example.com'],
  ...more,
})
const liveEndpoint = (name: string, more: JsonObject = {}): JsonObject => ({
  ...endpoint(name, { id: `e-${name}`, methods: [], ...more }),
  publicDomains: [{ address: 'api.example.com' }],
  systemDomains: [{ address: 'in.example.com' }],
})
const liveService = (name: string, more: JsonObject = {}): JsonObject => ({
  id: `id of ${name}`,
  name,
  endpoints: [],
  errorSets: [],
  ...more,
})

/** The possible renames of a commit that has `after` instead of the applied `before`. */
const inCommit = (before: DocumentText, after: DocumentText, live: JsonObject, ids: Record<string, string> = {}) =>
  suspected(planOfSides({ base: [before], desired: [after], live, ids }))

describe('a service with a new name, whose old name is not in the manifests any more,', () => {
  const old = document('Service', 'Old', { ...written, endpoints: ['a', 'b', 'c'].map((each) => endpoint(each)) })
  const live = {
    services: [liveService('Old', { ...written, endpoints: ['a', 'b', 'c'].map((each) => liveEndpoint(each)) })],
  }
  const renamed = (fields: JsonObject, ...endpoints: readonly string[]) =>
    document('Service', 'New', { ...fields, endpoints: endpoints.map((each) => endpoint(each)) })

  test.each<[string, DocumentText]>([
    ['with nothing else changed', renamed(written, 'a', 'b', 'c')],
    ['with one field edited', renamed({ ...written, qpsLimitOverall: 600 }, 'a', 'b', 'c')],
    ['with all fields edited', renamed({ description: 'x', version: '3', qpsLimitOverall: 1 }, 'a', 'b', 'c')],
    ['with one more endpoint', renamed(written, 'a', 'b', 'c', 'd')],
    ['with other endpoints', renamed({ ...written, version: '2.2' }, 'x', 'y', 'z')],
    ['with one field less', renamed({ description: 'takes orders', version: '2.1' }, 'a')],
  ])('%s', (_, after) => {
    expect(inCommit(old, after, live)).toEqual(['Service/New < Service/Old'])
  })

  test('is another service if they have nothing in common', () => {
    const other = renamed({ description: 'x', version: '3', qpsLimitOverall: 1 }, 'x', 'y', 'z')
    expect(inCommit(old, other, live)).toEqual([])
  })
})

test.each<[string, DocumentText, DocumentText, JsonObject]>([
  [
    'Endpoint',
    document('Endpoint', { service: 'S', name: 'old' }, { ...endpoint('a'), name: 'old' }),
    document(
      'Endpoint',
      { service: 'S', name: 'new' },
      { ...endpoint('a'), name: 'new', numberOfHttpRedirectsToFollow: 3 },
    ),
    { services: [liveService('S', { endpoints: [{ ...liveEndpoint('a'), name: 'old' }] })] },
  ],
  [
    'Method',
    document('Method', { service: 'S', endpoint: 'a', name: 'old' }, { sampleJsonResponse: '{}' }),
    document('Method', { service: 'S', endpoint: 'a', name: 'new' }, { sampleJsonResponse: '{}' }),
    {
      services: [
        liveService('S', {
          endpoints: [liveEndpoint('a', { methods: [{ id: 'm', name: 'old', sampleJsonResponse: '{}' }] })],
        }),
      ],
    },
  ],
  [
    'Package',
    document('Package', 'Old', { description: 'd', plans: [{ name: 'Gold' }, { name: 'Silver' }] }),
    document('Package', 'New', { description: 'e', plans: [{ name: 'Gold' }, { name: 'Silver' }] }),
    {
      packages: [
        {
          id: 'p',
          name: 'Old',
          description: 'd',
          plans: ['Gold', 'Silver'].map((name) => ({ id: name, name, services: [] })),
        },
      ],
    },
  ],
  [
    'Plan',
    document('Plan', { package: 'P', name: 'Old' }, { description: 'd', rateLimitCeiling: 100 }),
    document('Plan', { package: 'P', name: 'New' }, { description: 'd', rateLimitCeiling: 200 }),
    {
      packages: [
        {
          id: 'p',
          name: 'P',
          plans: [{ id: 'l', name: 'Old', description: 'd', rateLimitCeiling: 100, services: [] }],
        },
      ],
    },
  ],
  [
    'Member',
    document('Member', 'old', { email: 'a@b.example', displayName: 'A', externalId: 'x', passwdNew: 'p' }),
    document('Member', 'new', { email: 'a@b.example', displayName: 'B', externalId: 'x', passwdNew: 'p' }),
    {
      members: [
        { id: 'm', username: 'old', email: 'a@b.example', displayName: 'A', externalId: 'x', applications: [] },
      ],
    },
  ],
  [
    'Application',
    document('Application', { member: 'm', name: 'Old' }, { description: 'd', uri: 'https://a.example' }),
    document('Application', { member: 'm', name: 'New' }, { description: 'd', uri: 'https://b.example' }),
    {
      members: [
        {
          id: 'm',
          username: 'm',
          applications: [{ id: 'a', name: 'Old', description: 'd', uri: 'https://a.example', packageKeys: [] }],
        },
      ],
    },
  ],
  [
    'Role',
    document('Role', 'Old', { description: 'partners' }),
    document('Role', 'New', { description: 'partners' }),
    { roles: [{ id: 'r', name: 'Old', description: 'partners', isPredefined: false }] },
  ],
])('a renamed %s', (_, before, after, live) => {
  expect(inCommit(before, after, live)).toHaveLength(1)
})

describe('next to objects that nobody applied', () => {
  const live = { services: [liveService('Old', { ...written, endpoints: [liveEndpoint('a'), liveEndpoint('b')] })] }

  test('somebody may have renamed the object on the platform', () => {
    const mine = document('Service', 'New', { ...written, version: '3' })
    expect(suspected(planOf([mine], live))).toEqual(['Service/New < Service/Old'])
  })

  test('fields that most siblings have as well are no sign of a rename', () => {
    const others = ['a', 'b', 'c'].map((name) => liveService(name, written))
    expect(suspected(planOf([document('Service', 'New', written)], { services: others }))).toEqual([])
  })

  test('a service is not gone because a written list of a plan lacks its link', () => {
    const services = [liveService('Old', { description: 'd', version: '3' }), liveService('S')]
    const links = services.map(({ id, name }) => ({ id: id ?? '', name: name ?? '', endpoints: [] }))
    const plans = [{ id: 'a', name: 'A', services: links }]
    const written = [
      document('Service', 'S'),
      document('Service', 'New', { description: 'd', version: '1' }),
      document('Package', 'P', { plans: [{ name: 'A', services: [{ name: 'S' }] }] }),
    ]
    const plan = planOf(written, { services, packages: [{ id: 'p', name: 'P', plans }] })
    expect(plan.unmanaged.filter((each) => each.inList)).toHaveLength(1)
    expect(suspected(plan)).toEqual([])
  })

  test('objects that another project has applied are not ours', () => {
    const mine = document('Service', 'New', written)
    const plan = planOfSides({ base: undefined, desired: [mine], live, claims: ['Service id of Old'] })
    expect(suspected(plan)).toEqual([])
  })
})

describe('an endpoint at another path', () => {
  const others = ['x', 'y', 'z']
  const before = document('Service', 'S', { endpoints: [...others, 'old'].map((each) => endpoint(each)) })
  const edited = (more: JsonObject) =>
    document('Service', 'S', { endpoints: [...others.map((each) => endpoint(each)), endpoint('new', more)] })
  const live = {
    services: [
      liveService('S', {
        endpoints: [
          ...others.map((each) => liveEndpoint(each)),
          liveEndpoint('old', {
            supportedHttpMethods: ['post'],
            apiMethodDetectionKey: '1 2',
            requestProtocol: 'soap',
          }),
        ],
      }),
    ],
  }

  test('is another endpoint if they share only fields that all endpoints have', () => {
    expect(inCommit(before, edited({}), live)).toEqual([])
  })

  test('may be the same endpoint if they share something that no other endpoint has', () => {
    const own = { supportedHttpMethods: ['post'], apiMethodDetectionKey: '1 2', requestProtocol: 'soap' }
    expect(inCommit(before, edited(own), live)).toEqual(['Service/S/Endpoint/new < Service/S/Endpoint/old'])
  })
})

describe('several at once', () => {
  test('are paired with the most similar object', () => {
    const named = (name: string, description: string) => document('Service', name, { ...written, description })
    const plan = planOfSides({
      base: [named('A', 'first'), named('B', 'second')],
      desired: [named('C', 'second'), named('D', 'first'), named('E', 'third')],
      live: {
        services: [
          liveService('A', { ...written, description: 'first' }),
          liveService('B', { ...written, description: 'second' }),
        ],
      },
    })
    expect(suspected(plan)).toEqual(['Service/C < Service/B', 'Service/D < Service/A'])
  })

  test('hundreds of identical services are each paired with one', () => {
    const count = 200
    const names = (prefix: string) => Array.from({ length: count }, (_, index) => `${prefix} ${index}`)
    const inside = ['a', 'b']
    const service = (name: string, version: string) =>
      document('Service', name, { ...written, version, endpoints: inside.map((each) => endpoint(each)) })
    const live = {
      services: names('old').map((name) =>
        liveService(name, {
          ...written,
          endpoints: inside.map((each) => liveEndpoint(each, { id: `${name} ${each}` })),
        }),
      ),
    }
    const base = names('old').map((name) => service(name, '2.1'))
    const desired = names('new').map((name) => service(name, '2.2'))
    const found = suspected(planOfSides({ base, desired, live }))
    expect(found).toHaveLength(count)
    expect(new Set(found.map((each) => each.split(' < ')[1])).size).toBe(count)
  })
})

describe('references with the old name', () => {
  const parts = { ...written, endpoints: [endpoint('a')] }
  const bundle = (service: string) =>
    document('Package', 'P', {
      plans: ['Gold', 'Silver', 'Bronze'].map((name) => ({ name, services: [{ name: service, endpoints: ['a'] }] })),
    })
  const live = {
    services: [liveService('Old', { ...written, endpoints: [liveEndpoint('a')] })],
    packages: [
      {
        id: 'p',
        name: 'P',
        plans: ['Gold', 'Silver', 'Bronze'].map((name) => ({
          id: name,
          name,
          services: [{ id: 'id of Old', name: 'Old', endpoints: [{ id: 'e-a', name: 'a', methods: [] }] }],
        })),
      },
    ],
  }

  test('are reported together, with the possible new name', () => {
    const plan = planOfSides({
      base: [document('Service', 'Old', parts), bundle('Old')],
      desired: [document('Service', 'New', parts), bundle('Old')],
      live,
    })
    expect(complaints(plan)).toEqual([
      expect.stringMatching(
        /^reference-to-removed: Package\/P\/Plan\/Bronze\/PlanService\/Old refers to Service\/Old, which this plan would delete; \d more references to it would be left \(Service\/New looks like it under a new name: if it is a rename, write metadata\.formerly: \["Old"\] there, and the new name in the references\)$/,
      ),
    ])
  })
})
