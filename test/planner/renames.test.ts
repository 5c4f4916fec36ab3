import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/json.js'
import { makesWith } from '../kit/makes.js'
import { type DocumentText, document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { type Make, type World, world } from '../kit/world.js'
import { planOfSides, verdicts } from './base-plan.js'
import { words } from './plans.js'

/** A renamed parent is still the object that was applied, and so are its children. */

const makes = makesWith({ defaultErrorSet: 'unless given' })

const allowed = ['KEY_LOSS', 'TRAFFIC_STOP', 'AUTH_WEAKENED', 'LIMIT_LOWERED', 'IRREVERSIBLE'].flatMap((hazard) => [
  '--allow',
  hazard,
])

const domain = document('Domain', 'example.com', {})
const endpoint = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  requestPathAlias: `/${name}`,
  trafficManagerDomain: 'api.example.com',
  publicDomains: ['api.example.com'],
  systemDomains: ['in.example.com'],
  ...more,
})
const named = (name: string, ...formerly: readonly string[]): JsonObject =>
  formerly.length === 0 ? { name } : { name, formerly }

/** Applies one state after the other; all but the last must be done completely. */
async function through(make: Make, ...states: readonly (readonly DocumentText[])[]): Promise<World> {
  const area = world(make)
  for (const state of states) {
    area.declare(domain, ...state)
    const run = await area.apply(...allowed)
    expect(run.exitCode, run.stdout + run.stderr).toBe(0)
  }
  return area
}

/** The changes of the apply of a state. After it, nothing is left to do, and no applied object is unmanaged. */
async function doneBy(area: World, ...state: readonly DocumentText[]): Promise<readonly string[]> {
  area.declare(domain, ...state)
  const run = await area.apply(...allowed)
  expect(run.exitCode, run.stdout + run.stderr).toBe(0)
  const after = await area.plan()
  expect(after.changes).toEqual([])
  expect(after.unmanaged).toEqual([])
  expect((await area.drift()).exitCode).toBe(0)
  return run.json().changes.map(({ action, address }) => `${action} ${address}`)
}

/** The only object of a collection with this name; `fields`: the requested fields. */
async function found(make: Make, path: string, name: string, fields = 'id,name'): Promise<JsonObject> {
  const rest = await restOf(make)
  const [object] = (await rest.get(`${path}?fields=${fields}`)).filter((each) => each.name === name)
  if (!object) throw new Error(`no ${name} in ${path}`)
  return object
}

const service = (metadata: JsonObject, spec: JsonObject = {}) => document('Service', metadata, spec)

describe.each(makes)('on the make "%s", in the commit that renames a service,', (_, make) => {
  const orders = endpoint('orders', { connectionTimeoutForSystemDomainRequest: 5, methods: [{ name: 'list' }] })
  const before = service(named('Old'), { endpoints: [orders] })

  test('a field that both sides have changed is a conflict', async () => {
    const area = await through(make(), [before])
    const { id } = await found(area.make, '/services', 'Old')
    const { id: inner } = await found(area.make, `/services/${id}/endpoints`, 'orders')
    const rest = await restOf(area.make)
    await rest.put(`/services/${id}/endpoints/${inner}`, { connectionTimeoutForSystemDomainRequest: 30 })
    area.declare(
      domain,
      service(named('New', 'Old'), { endpoints: [{ ...orders, connectionTimeoutForSystemDomainRequest: 10 }] }),
    )
    const run = await area.apply()
    expect(run.exitCode).toBe(5)
    expect(run.stdout).toContain('conflict')
  })

  test('a method that is left out is deleted', async () => {
    const area = await through(make(), [before])
    const done = await doneBy(area, service(named('New', 'Old'), { endpoints: [{ ...orders, methods: [] }] }))
    expect(done).toEqual(['update Service/New', 'delete Service/New/Endpoint/orders/Method/list'])
  })

  test('a field that is not written any more is unset', async () => {
    const area = await through(make(), [before])
    const { connectionTimeoutForSystemDomainRequest: _left, ...rest } = orders
    const done = await doneBy(area, service(named('New', 'Old'), { endpoints: [rest] }))
    expect([...done].sort()).toEqual(['update Service/New', 'update Service/New/Endpoint/orders'])
  })

  test('an endpoint with its children, and an error set, that are left out are deleted', async () => {
    const sets = [{ name: 'kept', type: 'text/json' }]
    const away = endpoint('away', { methods: [{ name: 'm' }], cache: { clientSurrogateControlEnabled: true } })
    const area = await through(make(), [
      service(named('Old'), { endpoints: [orders, away], errorSets: [...sets, { name: 'gone', type: 'text/xml' }] }),
    ])
    const done = await doneBy(area, service(named('New', 'Old'), { endpoints: [orders], errorSets: sets }))
    expect([...done].sort()).toEqual([
      'delete Service/New/Endpoint/away',
      'delete Service/New/Endpoint/away/Cache',
      'delete Service/New/Endpoint/away/Method/m',
      'delete Service/New/ErrorSet/gone',
      'update Service/New',
    ])
  })

  test('an endpoint is renamed as well, and its children are still known', async () => {
    const area = await through(make(), [before])
    const { methods: _methods, ...bare } = orders
    const done = await doneBy(
      area,
      service(named('New', 'Old')),
      document(
        'Endpoint',
        { service: 'New', name: 'sales', formerly: ['orders'] },
        { ...bare, name: 'sales', methods: [{ name: 'create' }] },
      ),
    )
    expect([...done].sort()).toEqual([
      'create Service/New/Endpoint/sales/Method/create',
      'delete Service/New/Endpoint/sales/Method/list',
      'update Service/New',
      'update Service/New/Endpoint/sales',
    ])
  })

  test('an object that somebody creates with the earlier name afterwards is theirs, even if ours is deleted', async () => {
    const area = await through(make(), [before], [service(named('New', 'Old'), { endpoints: [orders] })])
    const rest = await restOf(area.make)
    await rest.post('/services', { name: 'Old', description: 'theirs' })
    const ours = await found(area.make, '/services', 'New')
    await rest.remove(`/services/${String(ours.id)}`)
    const drift = (await area.drift()).json()
    expect(drift.changes.map(({ action, address, side }) => [action, address, side])).toContainEqual([
      'create',
      'Service/New',
      'live',
    ])
    expect((await area.apply()).exitCode).toBe(0)
    expect(await found(area.make, '/services', 'Old', 'name,description')).toEqual({
      name: 'Old',
      description: 'theirs',
    })
    const { changes, unmanaged } = await area.plan()
    expect([changes, unmanaged.map(({ address }) => address)]).toEqual([[], ['Service/Old']])
  })

  test('the service can be pruned by a later commit', async () => {
    const area = await through(make(), [before], [service(named('New', 'Old'), { endpoints: [orders] })])
    const done = await doneBy(area)
    expect(done).toContain('delete Service/New')
  })

  test('a method that a later commit leaves out is still deleted', async () => {
    const area = await through(make(), [before], [service(named('New', 'Old'), { endpoints: [orders] })])
    const done = await doneBy(area, service(named('New', 'Old'), { endpoints: [{ ...orders, methods: [] }] }))
    expect(done).toEqual(['delete Service/New/Endpoint/orders/Method/list'])
  })

  test('a name can be given up and taken again', async () => {
    const area = await through(make(), [before], [service(named('New', 'Old'), { endpoints: [orders] })])
    const done = await doneBy(area, service(named('Old', 'New'), { endpoints: [{ ...orders, methods: [] }] }))
    expect(done).toEqual(['update Service/Old', 'delete Service/Old/Endpoint/orders/Method/list'])
  })

  test('earlier names that nobody applied are skipped', async () => {
    const area = await through(make(), [before])
    const done = await doneBy(
      area,
      service(named('Third', 'Old', 'Second'), { endpoints: [{ ...orders, methods: [{ name: 'new' }] }] }),
    )
    expect([...done].sort()).toEqual([
      'create Service/Third/Endpoint/orders/Method/new',
      'delete Service/Third/Endpoint/orders/Method/list',
      'update Service/Third',
    ])
  })

  test('the service may also be renamed by its pin', async () => {
    const area = await through(make(), [before])
    const { id = '' } = await found(area.make, '/services', 'Old')
    const done = await doneBy(area, service({ name: 'New', id }, { endpoints: [{ ...orders, methods: [] }] }))
    expect(done[0]).toMatch(/^update Service\/New/)
    expect(done[1]).toMatch(/^delete Service\/New.*\/Endpoint\/orders\/Method\/list$/)
  })

  test('an object that somebody created with the earlier name is ours if it is pinned', async () => {
    const area = await through(make(), [before], [service(named('New', 'Old'))])
    const rest = await restOf(area.make)
    await rest.remove(`/services/${String((await found(area.make, '/services', 'New')).id)}`)
    await rest.post('/services', { name: 'Old' })
    const { id = '' } = await found(area.make, '/services', 'Old')
    expect(await doneBy(area, service({ ...named('New', 'Old'), id }))).toEqual([`update Service/New~${String(id)}`])
    expect(await found(area.make, '/services', 'New')).toEqual({ id, name: 'New' })
  })
})

describe.each(makes)('on the make "%s", a rename that is not declared', (_, make) => {
  const parts = {
    description: 'Order intake',
    qpsLimitOverall: 500,
    endpoints: [endpoint('orders'), endpoint('returns')],
  }
  const uses = (name: string) =>
    document('Package', 'P', {
      plans: ['A', 'B', 'C'].map((plan) => ({ name: plan, services: [{ name, endpoints: '*' }] })),
    })

  test('is refused even if a field and an endpoint are edited with it, until it is declared', async () => {
    const area = await through(make(), [service(named('Old'), parts)])
    const edited = { ...parts, qpsLimitOverall: 600, endpoints: [...parts.endpoints, endpoint('more')] }
    area.declare(domain, service(named('New'), edited))
    const refused = await area.run(['apply', '--yes', ...allowed])
    expect(refused.exitCode).toBe(5)
    expect(refused.stdout).toContain('Service/New looks like Service/Old under a new name')
    expect(refused.stdout).toContain('write metadata.formerly: ["Old"]')
    expect(await found(area.make, '/services', 'Old')).toBeDefined()
    const done = await doneBy(area, service(named('New', 'Old'), edited))
    expect(done).toEqual(['update Service/New', 'create Service/New/Endpoint/more'])
  })

  test.each(['vanished', 'unmanaged'])(
    'of a member, whose name cannot be changed, is reported as a replace: %s',
    async (is) => {
      const spec = { email: 'a@b.c', displayName: 'Jane', externalId: '1', company: 'x', passwdNew: 'a-pass-word' }
      const member = (...names: [string, ...string[]]) => document('Member', named(...names), spec)
      const area = await through(make(), is === 'vanished' ? [member('jane')] : [])
      if (is === 'unmanaged') await (await restOf(area.make)).post('/members', { ...spec, username: 'jane' })
      area.declare(domain, member('joan'))
      const refused = await area.run(['plan', '-o', 'json'])
      expect(JSON.parse(refused.stdout).refused[0].hint).toBe(
        'if it is the same object, write the name "jane", as username cannot be changed, or metadata.formerly: ["jane"] to replace it (--allow-replace); if not, allow it with --allow ID_CHANGE',
      )
      area.declare(domain, member('joan', 'jane'))
      const run = await area.apply(...allowed, '--allow-replace')
      expect(run.json().changes.map(({ action, address, outcome }) => [action, address, outcome])).toEqual([
        ['replace', 'Member/joan', 'applied'],
      ])
    },
  )

  test('of many members gets one hint for those that are not listed: how they keep their names', async () => {
    const spec = { displayName: 'Jane', company: 'x', passwdNew: 'a-pass-word' }
    const members = (word: string) =>
      [...'abcdefghijklmnop'].map((letter) =>
        document('Member', `${word}-${letter}`, { ...spec, email: `${letter}@b.c`, externalId: letter }),
      )
    const area = await through(make(), members('jane'))
    area.declare(domain, ...members('joan'))
    const { refused } = JSON.parse((await area.run(['plan', '-o', 'json'])).stdout)
    const hints = refused.flatMap(({ code, hint }: { readonly code: string; readonly hint: string }) =>
      code === 'suspected-rename' ? [hint] : [],
    )
    expect(hints.at(-1)).toBe(
      'write metadata.formerly in each that is a rename, or the name that it has, where username cannot be changed; if none is, allow them with --allow ID_CHANGE',
    )
  })

  test('is done as a delete and a create if that is allowed', async () => {
    const area = await through(make(), [service(named('Old'), parts)])
    area.declare(domain, service(named('New'), parts))
    const run = await area.apply(...allowed, '--allow', 'ID_CHANGE')
    expect(run.exitCode, run.stderr).toBe(0)
    expect(run.json().changes.map(({ action, address }) => `${action} ${address}`)).toContain('delete Service/Old')
  })

  test('is reported once for all references to the old name', async () => {
    const area = await through(make(), [service(named('Old'), parts), uses('Old')])
    area.declare(domain, service(named('New'), parts), uses('Old'))
    const plan = await area.run(['plan', '-o', 'json'])
    expect(plan.exitCode).toBe(1)
    const errors = plan.json().diagnostics.filter(({ severity }) => severity === 'error')
    expect(errors.map(({ code }) => code)).toEqual(['reference-to-removed'])
    expect(errors[0]?.hint).toContain('Service/New looks like it under a new name')
  })
})

describe.each(makes)('on the make "%s", in the commit that renames a package,', (_, make) => {
  const shop = service(named('S'), { endpoints: [endpoint('e', { methods: [{ name: 'm' }] })] })
  const other = service(named('T'), { endpoints: [endpoint('f')] })
  const plan = (name: string, ...services: readonly string[]): JsonObject => ({
    name,
    services: services.map((each) => ({ name: each, endpoints: '*' })),
  })
  const bundle = (metadata: JsonObject, ...plans: readonly JsonObject[]) => document('Package', metadata, { plans })

  test('plans and their services that are left out are deleted', async () => {
    const area = await through(make(), [shop, other, bundle(named('P'), plan('L', 'S', 'T'), plan('M'))])
    const done = await doneBy(area, shop, other, bundle(named('Q', 'P'), plan('L', 'S')))
    expect([...done].sort()).toEqual([
      'delete Package/Q/Plan/L/PlanService/T',
      'delete Package/Q/Plan/M',
      'update Package/Q',
    ])
  })

  test('a service that only a plan of it used is deleted', async () => {
    const area = await through(make(), [shop, other, bundle(named('P'), plan('L', 'S', 'T'))])
    const done = await doneBy(area, shop, bundle(named('Q', 'P'), plan('L', 'S')))
    expect([...done].sort()).toEqual([
      'delete Package/Q/Plan/L/PlanService/T',
      'delete Service/T',
      'delete Service/T/Endpoint/f',
      ...(done.some((each) => each.endsWith('/ErrorSet/Default')) ? ['delete Service/T/ErrorSet/Default'] : []),
      'update Package/Q',
    ])
  })

  test('its plans and services may be renamed, too', async () => {
    const area = await through(make(), [shop, other, bundle(named('P'), plan('L', 'S', 'T'))])
    const done = await doneBy(
      area,
      service(named('S2', 'S'), { endpoints: [endpoint('e', { methods: [{ name: 'm' }] })] }),
      other,
      document('Package', named('Q', 'P'), {}),
      document('Plan', { package: 'Q', name: 'N', formerly: ['L'] }, { services: [{ name: 'S2', endpoints: '*' }] }),
    )
    expect([...done].sort()).toEqual([
      'delete Package/Q/Plan/N/PlanService/T',
      'update Package/Q',
      'update Package/Q/Plan/N',
      'update Service/S2',
    ])
  })
})

describe('a record with an earlier name', () => {
  const before = [
    service(named('Old')),
    document('Endpoint', { service: 'Old', name: 'e' }, { requestPathAlias: '/a' }),
  ]
  const after = [service(named('New', 'Old')), document('Endpoint', { service: 'New', name: 'e' }, {})]
  const ids = { 'Service/Old': 's', 'Service/Old/Endpoint/e': 'e', 'Service/Old/Endpoint/e/Cache': '' }
  const live = (name: string, more: JsonObject = {}) => ({
    services: [
      {
        id: 's',
        name,
        endpoints: [{ id: 'e', name: 'e', requestPathAlias: '/a', jsonpCallbackParameter: 'cb', ...more }],
      },
    ],
  })

  test('is found if a git reference has no ids', () => {
    const base = [
      before[0],
      document('Endpoint', { service: 'Old', name: 'e' }, { jsonpCallbackParameter: 'cb' }),
    ].filter((each) => each !== undefined)
    const plan = planOfSides({ base, live: live('Old'), desired: after })
    expect(words(plan)).toEqual(['update Service/New: /name', 'update Service/New/Endpoint/e: /jsonpCallbackParameter'])
  })

  test('is found if a git reference has no ids, and a pin says which object is meant', () => {
    const base = [service(named('Old'), { description: 'was' })]
    const plan = planOfSides({
      base,
      live: { services: [{ id: 's', name: 'Old', description: 'was' }] },
      desired: [service({ name: 'New', id: 's' })],
    })
    expect(words(plan)).toEqual(['update Service/New~s: /name /description'])
  })

  test('is found if a run was interrupted after the rename, also for children without an id', () => {
    const cached = [
      ...before,
      document('Cache', { service: 'Old', endpoint: 'e' }, { clientSurrogateControlEnabled: true }),
    ]
    const plan = planOfSides({
      base: cached,
      ids,
      live: live('New', { cache: { clientSurrogateControlEnabled: true } }),
      desired: after,
    })
    expect(words(plan)).toEqual(['delete Service/New/Endpoint/e/Cache'])
  })

  test('is not moved by a rename that somebody made on the platform', () => {
    const plan = planOfSides({ base: before, ids, live: live('Theirs'), desired: [document('Service', 'Other', {})] })
    expect(words(plan)).toEqual(['create Service/Other'])
  })

  test('an object that somebody deleted while it was renamed here is reported as deleted', () => {
    const plan = planOfSides({ base: before, ids, live: {}, desired: [service(named('New', 'Old'))] })
    expect(verdicts(plan)).toEqual(['drift create Service/New'])
  })

  test('the children of an object that is replaced are not reported as deleted on the platform', () => {
    const fields = { email: 'a@b.c', displayName: 'J', externalId: '1' }
    const member = (...names: [string, ...string[]]) =>
      document('Member', named(...names), { ...fields, passwdNew: 'p' })
    const application = (of: string) => document('Application', { member: of, name: 'Shop' }, {})
    const applications = [{ id: 'a', name: 'Shop', username: 'jane' }]
    const plan = planOfSides({
      base: [member('jane'), application('jane')],
      ids: { 'Member/jane': 'm', 'Member/jane/Application/Shop': 'a' },
      live: { members: [{ id: 'm', username: 'jane', ...fields, applications }] },
      desired: [member('joan', 'jane'), application('joan')],
    })
    expect(plan.changes.map(({ action, verdict, reason }) => [action, verdict, reason])).toEqual([
      ['replace', 'pending', 'username cannot be changed'],
      ['create', 'pending', 'created again with its parent'],
    ])
  })

  test('references to an object by its earlier name are no change of the live side', () => {
    const role = (...names: readonly string[]) => ({ roles: names.map((name) => ({ name })) })
    const plan = planOfSides({
      base: [document('Role', 'R', {}), service(named('S'), role('R'))],
      ids: { 'Role/R': 'r', 'Service/S': 's' },
      live: {
        roles: [
          { id: 'r', name: 'Q' },
          { id: 'x', name: 'X' },
        ],
        services: [{ id: 's', name: 'S', roles: [{ id: 'r', name: 'Q', action: 'read' }] }],
      },
      desired: [
        document('Role', { name: 'Q', formerly: ['R'] }, {}),
        document('Role', 'X', {}),
        service(named('S'), role('Q', 'X')),
      ],
    })
    expect(verdicts(plan)).toEqual(['pending /roles'])
  })

  test('several live objects with earlier names are reported with these names', () => {
    const plan = planOfSides({
      base: [],
      ids: {},
      live: { services: ['a', 'b'].map((name) => ({ id: name, name })) },
      desired: [service(named('c', 'a', 'b'))],
    })
    expect(plan.problems.map(({ message }) => message)).toContain(
      '2 live objects of kind Service are named "a" or "b": ids a, b',
    )
  })
})
