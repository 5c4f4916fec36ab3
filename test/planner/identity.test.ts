import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/json.js'
import { emptySelections, select } from '../../src/planner/select.js'
import { document, manifestText } from '../kit/manifests.js'
import { manifestsIn } from '../manifest/manifests-of.js'
import { planOfSides } from './base-plan.js'
import { complaints, planOf, words } from './plans.js'

const services = (...names: readonly string[]) => ({
  services: names.map((name, index) => ({ id: `s${index}`, name, description: 'd', endpoints: [], errorSets: [] })),
})

describe('names', () => {
  test('two live objects with the desired name are an error that lists their ids', () => {
    const [problem] = complaints(planOf([document('Service', 'S', {})], services('S', 'S')))
    expect(problem).toMatch(/^ambiguous-name: .*s0, s1/)
    expect(problem).toContain('id')
  })

  test('a pin decides which of them is meant', () => {
    const pinned = document('Service', { name: 'S', id: 's1' }, { description: 'new' })
    const [change] = planOf([pinned], services('S', 'S')).changes
    expect(change).toMatchObject({ action: 'update', live: { id: 's1' } })
  })

  test('an ambiguous object is not reported to lack fields for its creation, and neither are its children', () => {
    const child = document('Endpoint', { service: 'S', name: 'e' }, {})
    const found = planOf([document('Service', 'S', {}), child], services('S', 'S'))
    expect(found.problems.map(({ code }) => code)).toEqual(['ambiguous-name'])
  })

  test('a parent that does not exist is reported at the position of its name', () => {
    const [problem] = planOf([document('Endpoint', { service: 'T', name: 'e' }, {})], services('S')).problems
    expect([problem?.code, problem?.place?.line]).toEqual(['parent-not-found', expect.any(Number)])
    expect(problem?.place?.frame).toMatch(/^> .*service: T/m)
  })

  test('a pin of an id that does not exist is an error', () => {
    const pinned = document('Service', { name: 'S', id: 's9' }, {})
    expect(complaints(planOf([pinned], services('S')))).toEqual([expect.stringContaining('pinned-not-found')])
  })

  const twice = { name: 'twice', methods: [] }
  test.each([
    ['a pin of an id that does not exist', { name: 'S', id: 's9' }, {}, ['pinned-not-found s9']],
    ['a name that two objects have', 'T', {}, ['ambiguous-name T']],
    [
      'a pin of an id inside another object',
      'S',
      { endpoints: [{ name: 'e', metadata: { id: 'e9' } }] },
      ['pinned-not-found e9'],
    ],
    [
      'a name that two objects inside another object have',
      'S',
      { endpoints: [{ requestProtocol: 'rest', name: 'twice' }] },
      ['ambiguous-name twice'],
    ],
  ])('%s is reported at its position in the manifest', (_, metadata, spec, told) => {
    const [first, ...others] = services('S', 'T', 'T').services
    const endpoints = ['e1', 'e2'].map((id) => ({ ...twice, id }))
    const documents = [document('Service', metadata, spec)]
    const { problems } = planOf(documents, { services: [{ ...first, endpoints }, ...others] })
    const lines = manifestText(documents).split('\n')
    const words = problems.map(
      ({ code, place }) => `${code} ${lines[(place?.line ?? 0) - 1]?.slice((place?.column ?? 0) - 1)}`,
    )
    expect(words).toEqual(told)
  })

  test('names are compared exactly', () => {
    expect(words(planOf([document('Service', 'S', {})], services('s', 'S ', 'SS')))).toEqual(['create Service/S'])
  })
})

describe('two documents for one live object are an error that names both', () => {
  const live = {
    services: [{ id: 's1', name: 'S', endpoints: [{ id: 'e1', name: 'orders', methods: [] }], errorSets: [] }],
  }
  const endpoint = (service: string | { name: string; id: string }) =>
    document('Endpoint', { service, name: 'orders' }, { requestProtocol: 'rest' })

  test('because of an earlier name', () => {
    const renamed = document('Service', { name: 'New', formerly: ['S'] }, {})
    const problems = complaints(planOf([document('Service', 'S', {}), renamed], live))
    expect(problems).toEqual([expect.stringMatching(/^two-for-one-object: Service\/S and Service\/New/)])
  })

  test('because of a chain of renames: the hint says in which order to apply them', () => {
    const moves = ['A B', 'B C', 'C D'].map((move) => move.split(' '))
    const moved = moves.map(([from = '', to = '']) => document('Service', { name: to, formerly: [from] }, {}))
    const found = planOf(moved, services('A', 'B', 'C')).problems.filter(({ code }) => code === 'two-for-one-object')
    expect(found.map(({ hint }) => hint)).toEqual([expect.stringMatching(/apply the last move first$/)])
    const [, , last] = moves
    const [from = '', to = ''] = last ?? []
    const others = ['A', 'B'].map((name) => document('Service', name, {}))
    const step = planOf([...others, document('Service', { name: to, formerly: [from] }, {})], services('A', 'B', 'C'))
    expect([complaints(step), words(step)]).toEqual([[], ['update Service/D: /name']])
  })

  test('because of two earlier names among many siblings', () => {
    const names = Array.from({ length: 20 }, (_, index) => `S${index}`)
    const both = ['A', 'B'].map((name) => document('Service', { name, formerly: ['S7'] }, {}))
    const others = names.filter((name) => name !== 'S7').map((name) => document('Service', name, {}))
    expect(complaints(planOf([...both, ...others], services(...names)))).toEqual([
      expect.stringMatching(/^two-for-one-object: Service\/B and Service\/A/),
    ])
  })

  test('because one of them pins its parent, declared or not', () => {
    const pinned = endpoint({ name: 'S', id: 's1' })
    for (const parents of [[document('Service', 'S', {})], []]) {
      const problems = complaints(planOf([...parents, endpoint('S'), pinned], live))
      const expected = expect.stringMatching(/^two-for-one-object: .*S~s1\/Endpoint\/orders and .*S\/Endpoint/)
      expect(problems).toContainEqual(expected)
    }
  })
})

describe('renames', () => {
  test('formerly makes it an update of the same object', () => {
    const renamed = document('Service', { name: 'New', formerly: ['Old'] }, { description: 'd' })
    const plan = planOf([renamed], services('Old'))
    expect(words(plan)).toEqual(['update Service/New: /name'])
    expect(plan.changes[0]?.reason).toBe('renamed from "Old"')
  })

  test('formerly has no effect after the rename', () => {
    const renamed = document('Service', { name: 'New', formerly: ['Old'] }, { description: 'd' })
    expect(words(planOf([renamed], services('New', 'Old')))).toEqual([])
  })

  test('a create beside an unmanaged sibling with the same fields is a possible rename', () => {
    const written = { description: 'takes orders', version: '2.1', qpsLimitOverall: 500 }
    const live = { services: [{ id: 's', name: 'Old', ...written, endpoints: [], errorSets: [] }] }
    const [change] = planOf([document('Service', 'New', written)], live).changes
    expect(change).toMatchObject({ action: 'create', possibleRename: { address: 'Service/Old', name: 'Old' } })
  })

  test('a create that shares nothing specific with a sibling is not a possible rename', () => {
    const [change] = planOf([document('Service', 'New', { description: 'other' })], services('Old')).changes
    expect(change).toMatchObject({ action: 'create', possibleRename: undefined })
  })
})

describe('references', () => {
  const plan = document('PlanService', { package: 'P', plan: 'G', name: 'S' }, { endpoints: ['ordres'] })
  const live = {
    services: [
      {
        id: 's',
        name: 'S',
        endpoints: [
          { id: 'e1', name: 'orders', methods: [{ id: 'm1', name: 'list' }] },
          { id: 'e2', name: 'returns', methods: [] },
        ],
        errorSets: [],
      },
    ],
    packages: [{ id: 'p', name: 'P', plans: [{ id: 'g', name: 'G', services: [] }] }],
  }

  test('to objects that do not exist are reported in the order of the file, whatever the objects are called', () => {
    const documents = ['Z', 'A', 'M'].map((name) => document('Service', name, { roles: [`R${name}`] }))
    const lines = planOf(documents, live).problems.map(({ place }) => place?.line)
    expect(lines).toEqual([...lines].sort((left, right) => Number(left) - Number(right)))
  })

  test('to an object that does not exist are an error with "did you mean"', () => {
    const [problem] = complaints(planOf([plan], live))
    expect(problem).toMatch(/reference-to-nothing: .*ordres/)
    expect(problem).toMatch(/did you mean "orders"/)
  })

  test('"did you mean" never suggests the earlier name of a renamed object', () => {
    const renamed = document('Endpoint', { service: 'S', name: 'orders2', formerly: ['orders'] }, {})
    const misspelt = document('PlanService', { package: 'P', plan: 'G', name: 'S' }, { endpoints: ['orders3'] })
    const [problem] = complaints(planOf([misspelt, renamed], live))
    expect(problem).toMatch(/did you mean "orders2"/)
  })

  test.each([
    [
      'a list',
      document('Member', 'm', { email: 'e', displayName: 'd', externalId: 'x', passwdNew: 'secret', roles: ['N'] }),
      'Member/m refers to Role "N", which no manifest declares and the live area does not hold',
    ],
    [
      'a package',
      document(
        'PackageKey',
        { member: 'j', application: 'A' },
        { package: 'N', plan: 'G', apikey: 'k1', secret: 's1' },
      ),
      'refers to Package "N", which',
    ],
    [
      'a plan of another package',
      document(
        'PackageKey',
        { member: 'j', application: 'A' },
        { package: 'Q', plan: 'G', apikey: 'k1', secret: 's1' },
      ),
      'refers to Plan "G" of Package/Q, which',
    ],
    [
      'an object that no manifest can create',
      document('Service', 'T', { organization: 'N' }),
      'does not hold (create the Organization in the portal, or correct the name)',
    ],
    [
      'the id of a role',
      document('ServiceRole', { service: 'S', name: 'R', id: 'alien' }),
      'Service/S/ServiceRole/R~alien refers to Role "R" with the id alien, which no manifest declares and the live area does not hold (the Role of that name has another id: leave the id out, or correct it)',
    ],
  ])('each is reported once: %s', (_, written, message) => {
    const area = {
      ...live,
      packages: [...live.packages, { id: 'q', name: 'Q', plans: [] }],
      roles: [{ id: 'r1', name: 'R' }],
      members: [{ id: 'j', username: 'j', applications: [{ id: 'a', name: 'A', packageKeys: [] }] }],
    }
    const told = complaints(planOf([written], area)).filter((each) => each.startsWith('reference-to-nothing'))
    expect(told).toEqual([expect.stringContaining(message)])
  })

  test.each([
    ['live', 'r1'],
    ['not created yet', undefined],
  ])(
    'an id that differs from the id of the declared role, which is %s, is reported by the plan that creates its service',
    (_, id) => {
      const area = { roles: id === undefined ? [] : [{ id, name: 'R' }], services: [] }
      const role = document('ServiceRole', { service: 'S', name: 'R' }, { id: 'alien', action: 'read' })
      const told = complaints(planOf([document('Role', 'R'), document('Service', 'S'), role], area))
      expect(told).toEqual([expect.stringContaining('Role "R" with the id alien')])
    },
  )

  test('to an object that the plan deletes are reported once', () => {
    const world = planOfSides({
      base: [document('Role', 'R'), document('Service', 'S', { roles: ['R'] })],
      live: {
        roles: [{ id: 'r1', name: 'R' }],
        services: [{ id: 's', name: 'S', roles: [{ id: 'r1', name: 'R', action: 'read' }] }],
      },
      desired: [document('Service', 'S', { description: 'new', roles: ['R'] })],
      ids: { 'Role/R': 'r1', 'Service/S': 's' },
    })
    expect(complaints(world)).toEqual([expect.stringMatching(/^reference-to-removed: Service\/S refers to Role\/R/)])
  })

  test('to a parent that does not exist: an error with "did you mean"', () => {
    const stray = document('Endpoint', { service: 'SS', name: 'e' }, {})
    const [problem] = complaints(planOf([stray], live))
    expect(problem).toMatch(/parent-not-found: .*SS.*did you mean "S"/s)
  })

  test('that are ambiguous are an error until the reference says which object it means', () => {
    const roles = {
      roles: [
        { id: 'r1', name: 'R' },
        { id: 'r2', name: 'R' },
      ],
      members: [],
    }
    const member = (reference: { name: string; id?: string }) =>
      planOf(
        [
          document('Member', 'm', {
            email: 'e',
            displayName: 'd',
            externalId: 'x',
            passwdNew: '${env:SECRET}',
            roles: [reference],
          }),
        ],
        roles,
      )
    expect(complaints(member({ name: 'R' }))).toEqual([expect.stringMatching(/ambiguous-reference: .*r1, r2/)])
    expect(complaints(member({ name: 'R', id: 'r2' }))).toEqual([])
  })

  test('"*" means all endpoints, desired and live, with all their methods', () => {
    const everything = document('PlanService', { package: 'P', plan: 'G', name: 'S' }, { endpoints: '*' })
    const more = document(
      'Endpoint',
      { service: 'S', name: 'new' },
      { requestPathAlias: '/n', trafficManagerDomain: 't' },
    )
    const change = planOf([everything, more], live).changes.find((each) => each.kind === 'PlanService')
    expect(change?.fields).toMatchObject([
      {
        path: '/endpoints',
        after: [
          { name: 'new', methods: [] },
          { name: 'orders', methods: ['list'] },
          { name: 'returns', methods: [] },
        ],
      },
    ])
    expect(change?.dependsOn).toContain('Service/S/Endpoint/new')
  })

  test('the written list is sent; {name} alone does not change the methods of its endpoint', () => {
    const [orders, returns] = live.services[0]?.endpoints ?? []
    const linked = {
      packages: [
        {
          id: 'p',
          name: 'P',
          plans: [{ id: 'g', name: 'G', services: [{ id: 's', name: 'S', endpoints: [orders ?? {}, returns ?? {}] }] }],
        },
      ],
    }
    const planOfWritten = (...endpoints: readonly string[]) =>
      words(
        planOf([document('PlanService', { package: 'P', plan: 'G', name: 'S' }, { endpoints })], {
          ...live,
          ...linked,
        }),
      )
    expect(planOfWritten('returns', 'orders')).toEqual([])
    expect(planOfWritten('orders')).toEqual(['update Package/P/Plan/G/PlanService/S: /endpoints'])
  })
})

describe('a selection without a match is an error', () => {
  const documents = [document('Role', { name: 'Partners', labels: { team: 'shop' } }), document('Role', 'Staff')]
  const { resources } = manifestsIn(manifestText(documents))
  const manifests = { resources, removals: [], problems: [], digest: '', secrets: [] }
  const told = (globs: readonly string[], labels: readonly string[] = []) => {
    const selection = { select: globs, labels }
    const plan = select(planOf(documents), manifests, selection)
    return emptySelections(plan, manifests, selection).map(
      ({ severity, message, hint }) => `${severity}: ${message} (${hint})`,
    )
  }

  test.each([
    [['Role/*'], [], []],
    [['Role/Partners', 'Role/Staff'], [], []],
    [['Role/Partners', 'Role/Staf'], [], ['error: nothing is selected by "Role/Staf" (did you mean "Role/Staff"?)']],
    [['Partners'], [], ['error: nothing is selected by "Partners" (did you mean "Role/Partners"?)']],
    [[], ['team=shp'], ['error: nothing is selected by "team=shp" (did you mean "team=shop"?)']],
    [
      ['Role/Staff'],
      ['team'],
      [
        'error: nothing is selected by "Role/Staff", "team" (addresses are kind/name pairs, such as Service/Orders*; labels are key or key=value)',
      ],
    ],
  ])('--select %j -l %j', (globs, labels, expected) => {
    expect(told(globs, labels)).toEqual(expected)
  })
})

describe('an application that belongs to another member', () => {
  const member = (name: string, ...applications: readonly { readonly name: string }[]) =>
    document('Member', name, { email: 'e', displayName: 'd', externalId: 'x', applications: [...applications] })
  const live = (name: string, ...applications: readonly JsonObject[]) => ({
    id: name,
    username: name,
    email: 'e',
    displayName: 'd',
    externalId: 'x',
    applications,
  })
  const shop = { id: 'app', name: 'Shop', packageKeys: [] }
  const sides = {
    base: [member('one', { name: 'Shop' }), member('two')],
    desired: [member('one'), member('two', { name: 'Shop' })],
    ids: { 'Member/one': 'one', 'Member/two': 'two', 'Member/one/Application/Shop': 'app' },
  }

  test('on the platform and in the manifests: nothing to do', () => {
    const plan = planOfSides({ ...sides, live: { members: [live('one'), live('two', shop)] } })
    expect(words(plan)).toEqual([])
    expect(complaints(plan)).toEqual([])
  })

  test('only in the manifests: it is created again, and the old one is deleted', () => {
    const plan = planOfSides({ ...sides, live: { members: [live('one', shop), live('two')] } })
    expect([...words(plan)].sort()).toEqual([
      'create Member/two/Application/Shop',
      'delete Member/one/Application/Shop',
    ])
  })
})
