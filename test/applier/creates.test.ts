import { describe, expect, test } from 'vitest'
import { type Json, type JsonObject, objectsIn } from '../../src/json/json.js'
import { createPlatform } from '../../src/platform/server.js'
import type { PlatformSettings } from '../../src/platform/settings.js'
import { disturbed, type Misfortune, noTrouble } from '../kit/disturbed.js'
import { temporaryFolder } from '../kit/folder.js'
import { killedAt } from '../kit/kill.js'
import { type DocumentText, document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { canaries, documentedStorefront, storefront } from '../kit/storefront.js'
import { embedded, environment, testClock, type World, world, worldIn } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'
import type { StoreOptions } from '../other-make/store.js'

/** Nothing is created twice, even if the platform lags, is slow, fails after the commit, or stores names differently. */

const dialects = ['document', 'recorded'] as const
const service = (name: string): DocumentText => document('Service', name)
const posts = (area: World, path: string) =>
  area.make.log.filter((each) => each.method === 'POST' && each.path === `/v3/rest${path}`).length

const names = (objects: readonly { readonly [name: string]: unknown }[], field = 'name') =>
  objects.map((each) => String(each[field])).sort()

/** The live objects of the root kinds, each with its name; an object that was created twice is there twice. */
async function livingIn({ make }: World): Promise<Readonly<Record<string, readonly string[]>>> {
  const rest = await restOf(make)
  const of = async (path: string, field?: string) => names(await rest.get(path), field)
  return {
    domains: (await rest.get('/domains')).map((each) => String(each.domain ?? each.address)).sort(),
    roles: await of('/roles'),
    services: await of('/services'),
    packages: await of('/packages'),
    members: await of('/members', 'username'),
    applications: await of('/applications'),
    events: await of('/scheduledMaintenanceEvents'),
  }
}

const env = { ...environment, ...canaries, PASSWORD: 'password-1', SECRET: 'secret-1' }
const area = (options: PlatformSettings) => {
  const clock = testClock()
  const make = createPlatform({ autoApprove: true, idSeed: 'test', ...clock, ...options })
  return world(make, { ...clock, env })
}

const calmOnes = new Map<string, ReturnType<typeof livingIn>>()

/** The result of an apply without faults. */
async function calm(dialect: 'document' | 'recorded') {
  const known = calmOnes.get(dialect)
  if (known) return await known
  const other = area({ dialect })
  other.declare(...storefront)
  await other.apply()
  const living = livingIn(other)
  calmOnes.set(dialect, living)
  return await living
}

const member = (...packageKeys: readonly JsonObject[]) =>
  document('Member', 'm', {
    ...{ email: 'm@example.com', displayName: 'm', externalId: '1', passwdNew: '${env:PASSWORD}' },
    applications: [{ name: 'app', packageKeys }],
  })

describe.each(dialects)('%s: lists that lag', (dialect) => {
  test.each([50, 1000, 5000, 20_000])('by %i ms: nothing is created twice, and two applies are enough', async (ms) => {
    const lagging = area({ dialect, faults: [`lag-${ms}`] })
    lagging.declare(...storefront)
    const first = await lagging.apply()
    expect(first.json().changes.filter(({ outcome }) => outcome !== 'applied')).toEqual([])
    expect(first.exitCode).toBe(0)
    const written = lagging.make.log.filter(({ method }) => method === 'POST').length
    expect((await lagging.apply()).exitCode).toBe(0)
    expect(lagging.make.log.filter(({ method }) => method === 'POST').length - written).toBe(1) // the token
    expect(await livingIn(lagging)).toEqual(await calm(dialect))
    expect((await lagging.plan()).changes).toEqual([])
    expect((await lagging.drift()).exitCode).toBe(0)
  })

  test('a child of a live service is sent once', async () => {
    const lagging = area({ dialect, faults: ['lag-1000'] })
    lagging.declare(service('S'), document('Domain', 'example.com'))
    await lagging.apply()
    const endpoint = {
      requestPathAlias: '/x',
      trafficManagerDomain: 'a.example.com',
      publicDomains: ['a.example.com'],
    }
    const extra = { kind: 'Endpoint', metadata: { service: 'S', name: 'extra' }, spec: endpoint } as const
    lagging.declare(service('S'), document('Domain', 'example.com'), extra)
    const run = await lagging.apply()
    expect(run.json().changes.map(({ address, outcome }) => `${outcome} ${address}`)).toEqual([
      'applied Service/S/Endpoint/extra',
    ])
    expect(
      lagging.make.log.filter(({ method, path }) => method === 'POST' && path.endsWith('/endpoints')),
    ).toHaveLength(1)
  })
})

describe.each(dialects)('%s: names that are stored differently', (dialect) => {
  test.each([
    ['trim', ' Shop API ', 'Shop API'],
    ['lower', 'Shop API', 'shop api'],
    ['nfc', 'Cafe\u0301', 'Caf\u00e9'],
    ['collapse', 'Shop  API', 'Shop API'],
    ['escape', 'Shop & Co', 'Shop &amp; Co'],
  ])('%s: one object is created, and the name to write is reported', async (form, sent, stored) => {
    const other = area({ dialect, faults: [`names-${form}`] })
    const kinds = ['Service', 'Role', 'Package'] as const
    other.declare(...kinds.map((kind) => document(kind, sent)))
    const first = await other.apply()
    expect(first.exitCode).toBe(3)
    for (const change of first.json().changes) expect(change.error).toContain(JSON.stringify(stored))
    for (let again = 0; again < 2; again += 1) {
      const next = await other.apply()
      expect(next.exitCode).toBe(1)
      const told = next.json().diagnostics.filter(({ code }) => code === 'stored-otherwise')
      expect(told).toHaveLength(3)
      expect(told[0]?.message).toContain(JSON.stringify(stored))
    }
    const living = await livingIn(other)
    expect([living.services, living.packages]).toEqual([[stored], [stored]])
    other.declare(...kinds.map((kind) => document(kind, stored)))
    expect((await other.apply()).exitCode).toBe(0)
    expect((await other.plan()).changes).toEqual([])
    expect((await livingIn(other)).services).toEqual([stored])
  })
})

describe.each(dialects)('%s: a create without an answer, whose name is stored differently', (dialect) => {
  test.each([
    ['trim', ' Shop API ', 'Shop API'],
    ['lower', 'Shop API', 'shop api'],
    ['escape', 'Shop & Co', 'Shop &amp; Co'],
  ])('%s: the object is found, and the name to write is reported', async (form, sent, stored) => {
    const other = area({ dialect, faults: [`names-${form}`, 'after-504:POST /services:1'] })
    other.declare(service(sent))
    const [change] = (await other.apply()).json().changes
    expect(change?.error).toContain(JSON.stringify(stored))
    const next = await other.apply()
    expect(next.json().diagnostics.map(({ code }) => code)).toContain('stored-otherwise')
    expect((await livingIn(other)).services).toEqual([stored])
  })

  test('another object with a similar name that existed before is not taken for it', async () => {
    const other = area({ dialect, faults: ['names-trim', 'status-504:POST /services:#2'] })
    other.declare(service('Shop API'))
    expect((await other.apply()).exitCode).toBe(0)
    other.declare(service('Shop API'), service('SHOP API'))
    const [change] = (await other.apply()).json().changes
    expect(change?.outcome).toBe('failed')
    expect(change?.error).toContain('it is not listed after 60 s')
  })
})

describe.each(dialects)('%s: names of children of a new object that are stored differently', (dialect) => {
  test.each([
    ['trim', (name: string) => ` ${name} `, (name: string) => name],
    ['lower', (name: string) => name.toUpperCase(), (name: string) => name],
    ['escape', (name: string) => `${name} & co`, (name: string) => `${name} &amp; co`],
  ])('%s: each child is created once, and the name to write is reported', async (form, sent, stored) => {
    const other = area({ dialect, faults: [`names-${form}`] })
    const endpoint = (name: string): JsonObject => ({
      ...{ name: sent(name), requestPathAlias: `/${name}`, trafficManagerDomain: 'a.example.com' },
      methods: [{ name: sent('m') }, { name: sent('n') }],
    })
    other.declare(
      document('Service', 's', { endpoints: [endpoint('e'), endpoint('f')], errorSets: [{ name: sent('set') }] }),
      document('Package', 'p', { plans: [{ name: sent('a') }, { name: sent('b') }] }),
    )
    const run = await other.apply()
    expect(run.exitCode).toBe(3)
    const errors = Object.fromEntries(run.json().changes.map(({ address, error }) => [address, error]))
    const at = `Service/s/Endpoint/${sent('f')}`
    expect(errors[`${at}/Method/${sent('n')}`]).toContain(JSON.stringify(stored('n')))
    expect(errors[at]).toContain(JSON.stringify(stored('f')))
    expect(errors['Service/s']).toBeNull()
    const rest = await restOf(other.make)
    const [live] = await rest.get('/services?fields=endpoints.name,endpoints.methods.name,errorSets.name')
    const [plans] = await rest.get('/packages?fields=plans.name')
    const endpoints = objectsIn(live?.endpoints)
    expect(names(endpoints)).toEqual(['e', 'f'].map(stored))
    for (const each of endpoints) expect(names(objectsIn(each.methods))).toEqual(['m', 'n'].map(stored))
    expect(names(objectsIn(live?.errorSets))).toEqual([stored('set')])
    expect(names(objectsIn(plans?.plans))).toEqual(['a', 'b'].map(stored))
  })

  test('after an interrupted run, each child is created once', async () => {
    const make = createPlatform({ autoApprove: true, idSeed: 'test', ...testClock(), dialect })
    const cut = (text: string) => text.replaceAll(/"name":"([^"]{4})[^"]*"/g, '"name":"$1"')
    const fetch = async (request: Request): Promise<Response> => {
      const { method, url, headers } = request
      if (method !== 'POST' || url.endsWith('/token')) return make.fetch(request)
      return make.fetch(new Request(url, { method, headers, body: cut(await request.text()) }))
    }
    const other = world({ fetch, log: make.log }, { ...testClock(), env })
    other.declare(document('Package', 'p', { plans: [{ name: 'gold for partners' }, { name: 'gold for all' }] }))
    expect((await other.apply()).exitCode).toBe(3)
    const [live] = await (await restOf(make)).get('/packages?fields=plans.name')
    expect(names(objectsIn(live?.plans))).toEqual(['gold', 'gold'])
  })
})

describe.each(dialects)('%s: a create with an unknown outcome', (dialect) => {
  const everything = 'POST'
  test.each([
    'late-500:POST',
    'late-2500:POST',
    'late-2500-reset:POST',
    'late-6000:POST',
    'late-30000-reset:POST',
    'after-500:POST',
    'after-500-array:POST',
    'after-502-error:POST',
    'after-503-html:POST',
    'after-504-html:POST',
    'after-520-message:POST',
    'after-408-empty:POST',
    'after-302-empty:POST',
    'after-429-html:POST',
    'after-401-empty:POST',
    'after-200-empty:POST',
    'after-200-no-id:POST',
    'after-202-braces:POST',
    'reset-after:POST',
    'truncate:POST',
  ])('%s: every object is created once', async (fault) => {
    const doubtful = area({ dialect, faults: [fault.replace(':POST', `:${everything}`)] })
    doubtful.declare(...storefront)
    const run = await doubtful.apply()
    expect(run.json().changes.filter(({ outcome }) => outcome !== 'applied')).toEqual([])
    expect(run.exitCode).toBe(0)
    expect(await livingIn(doubtful)).toEqual(await calm(dialect))
    expect((await doubtful.plan()).changes).toEqual([])
  })

  test('if the ids in the answers are empty, every object is created once', async () => {
    const clock = testClock()
    const make = createPlatform({ autoApprove: true, idSeed: 'test', ...clock, dialect })
    const fetch = async (request: Request): Promise<Response> => {
      const response = await make.fetch(request)
      if (request.method !== 'POST' || !response.ok || request.url.endsWith('/token')) return response
      return new Response((await response.text()).replaceAll(/"id":"[^"]*"/g, '"id":""'), response)
    }
    const empty = world({ log: make.log, fetch }, { ...clock, env })
    empty.declare(...storefront)
    expect((await empty.apply()).exitCode).toBe(0)
    expect(await livingIn(empty)).toEqual(await calm(dialect))
    expect((await empty.plan()).changes).toEqual([])
  })

  test('if the answers repeat the request, with only the id of the root object, every object is created once', async () => {
    const clock = testClock()
    const make = createPlatform({ autoApprove: true, idSeed: 'test', ...clock, dialect })
    const fetch = async (request: Request): Promise<Response> => {
      const sent = await request.clone().text()
      const response = await make.fetch(request)
      if (request.method !== 'POST' || !response.ok || request.url.endsWith('/token')) return response
      const [object] = objectsIn((await response.json()) as Json)
      return Response.json({ ...(JSON.parse(sent) as JsonObject), ...(object?.id !== undefined && { id: object.id }) })
    }
    const repeating = world({ log: make.log, fetch }, { ...clock, env })
    repeating.declare(...storefront)
    const run = await repeating.apply()
    expect(run.json().changes.filter(({ outcome }) => outcome !== 'applied')).toEqual([])
    expect(run.exitCode).toBe(0)
    expect(await livingIn(repeating)).toEqual(await calm(dialect))
    expect((await repeating.plan()).changes).toEqual([])
  })

  test.each(['status-500', 'status-502-html', 'status-504-error', 'reset-before'])(
    '%s: it is sent once in a run, reported as unknown, and created by the next run',
    async (fault) => {
      const failing = area({ dialect, faults: [`${fault}:POST /roles:1`] })
      failing.declare(document('Role', 'R'))
      const run = await failing.apply()
      expect(run.exitCode).toBe(3)
      expect(run.json().changes[0]?.error).toMatch(/^unknown whether it was created/)
      expect(posts(failing, '/roles')).toBe(1)
      expect((await failing.apply()).exitCode).toBe(0)
      expect(posts(failing, '/roles')).toBe(2)
      expect((await livingIn(failing)).roles).toContain('R')
    },
  )

  test('an object that somebody else creates meanwhile is not taken for it', async () => {
    const clock = testClock()
    const make = createPlatform({
      autoApprove: true,
      idSeed: 'test',
      ...clock,
      dialect,
      faults: ['status-504:POST /roles:1'],
    })
    const rest = await restOf(make)
    const fetch = async (request: Request) => {
      const response = await make.fetch(request)
      if (response.status === 504) await rest.post('/roles', { name: 'Theirs', description: 'theirs' })
      return response
    }
    const failing = world({ log: make.log, fetch }, { ...clock, env })
    failing.declare(document('Role', 'R', { description: 'ours' }))
    const [change] = (await failing.apply()).json().changes
    expect([change?.outcome, change?.error]).toEqual(['failed', expect.stringContaining('it is not listed after 60 s')])
    expect((await failing.apply()).json().changes).toMatchObject([{ action: 'create', outcome: 'applied' }])
    const roles = (await rest.get('/roles?fields=name,description')).map((each) => [each.name, each.description])
    expect(roles).toEqual(
      expect.arrayContaining([
        ['R', 'ours'],
        ['Theirs', 'theirs'],
      ]),
    )
  })

  test('an unknown create has the advice to apply again later, not to correct something', async () => {
    const failing = area({ dialect, faults: ['status-500:POST /roles:1'] })
    failing.declare(document('Role', 'R'))
    const run = await failing.run(['apply', '--yes'])
    expect(run.stderr).toContain('unknown whether it was created')
    expect(run.stderr).toContain('hint: wait a minute, then apply again')
    expect(run.stderr).not.toContain('correct the cause')
  })

  test('if the token is refused, the object is searched for, and the create is sent again once', async () => {
    const refusing = area({ dialect, faults: ['status-401:POST /roles:1'] })
    refusing.declare(document('Role', 'R'))
    expect((await refusing.apply()).exitCode).toBe(0)
    expect(posts(refusing, '/roles')).toBe(2)
    const never = area({ dialect, faults: ['status-401:POST /roles'] })
    never.declare(document('Role', 'R'))
    const run = await never.apply()
    expect(run.exitCode).toBe(3)
    expect(run.json().changes[0]?.error).toContain('was answered 401')
    expect(posts(never, '/roles')).toBe(2)
  })

  test.each([
    ['status-503:POST /roles:#1', 2],
    ['status-401:POST /roles:#1', 2],
  ])('%s, and 401 to the next create, which was carried out: the object is searched for', async (fault, sent) => {
    const refusing = area({ dialect, faults: [fault, 'after-401:POST /roles:#2'] })
    refusing.declare(document('Role', 'R'))
    const run = await refusing.apply()
    expect(run.json().changes).toMatchObject([{ address: 'Role/R', outcome: 'applied' }])
    expect(posts(refusing, '/roles')).toBe(sent)
  })

  test.each([
    ['refused at first', 'status-429'],
    ['refused', 'status-403'],
  ])('a single child is set once more, also if that is %s', async (_, second) => {
    const path = '/services/*/endpoints/*/cache'
    const once = area({ dialect, faults: [`reset-after:POST ${path}:#1`, `${second}:POST ${path}:#2`] })
    const route = {
      requestPathAlias: '/e',
      trafficManagerDomain: 'api.example.com',
      publicDomains: ['api.example.com'],
    }
    const endpoint = (more: object) => document('Service', 'S', { endpoints: [{ name: 'e', ...route, ...more }] })
    once.declare(document('Domain', 'example.com'), endpoint({}))
    await once.apply()
    once.declare(document('Domain', 'example.com'), endpoint({ cache: { clientSurrogateControlEnabled: true } }))
    expect((await once.apply()).json().changes).toMatchObject([
      { address: 'Service/S/Endpoint/e/Cache', outcome: 'applied' },
    ])
  })

  test.each(['status-503', 'status-503-error', 'status-429-html'])(
    '%s: it was not carried out, so the object is searched for and the create is sent again',
    async (fault) => {
      const busy = area({ dialect, faults: [`${fault}:POST /roles:2`] })
      busy.declare(document('Role', 'R'))
      expect((await busy.apply()).exitCode).toBe(0)
      expect(posts(busy, '/roles')).toBe(3)
    },
  )
})

test.each([
  ['a role', '/roles', [member(), document('Role', 'R')]],
  ['a key without a value', '/packageKeys', [member({ package: 'P', plan: 'G', secret: '${env:SECRET}' })]],
])('%s whose create is refused is not sent again if it cannot be searched for', async (_, path, desired) => {
  const { make } = area({ faults: [`after-503-html:POST ${path}`] })
  let posts = 0
  const fetch = (request: Request): Promise<Response> => {
    const isThere = new URL(request.url).pathname.endsWith(path)
    if (isThere && request.method === 'POST') posts += 1
    return isThere && request.method === 'GET' && posts === 1
      ? Promise.resolve(new Response('', { status: 404 }))
      : make.fetch(request)
  }
  const blind = world({ ...make, fetch }, { ...testClock(), env })
  const plans = document('Package', 'P', { plans: [{ name: 'G' }] })
  blind.declare(plans, member())
  await blind.apply()
  blind.declare(plans, ...desired)
  await blind.apply()
  expect(posts).toBe(1)
})

describe.each(dialects)('%s: a tree of which only a part is created', (dialect) => {
  test.each(['partial-1-400', 'partial-2-400-array', 'partial-1-500', 'partial-2-502-html'])(
    '%s: existing parts are not created again',
    async (fault) => {
      const partial = area({ dialect, faults: [`${fault}:POST`] })
      partial.declare(...storefront)
      const run = await partial.apply()
      expect(run.json().changes.filter(({ outcome }) => outcome !== 'applied')).toEqual([])
      expect(await livingIn(partial)).toEqual(await calm(dialect))
      expect((await partial.plan()).changes).toEqual([])
    },
  )
})

const makes = [
  ['document', () => createPlatform({ autoApprove: true, idSeed: 'tree' })],
  ['recorded', () => createPlatform({ autoApprove: true, idSeed: 'tree', dialect: 'recorded' })],
  ['another', () => createOtherMake()],
] as const

describe.each(makes)('%s: children of a new service that are not visible at once', (_, create) => {
  test.each([404, 400])(
    'if its list is answered %i at first, the platform’s own error set is known nevertheless',
    async (status) => {
      const make = create()
      let times = 0
      const fetch = (request: Request): Promise<Response> => {
        if (request.method !== 'GET' || !/\/errorSets$/.test(new URL(request.url).pathname)) return make.fetch(request)
        times += 1
        if (times > 2) return make.fetch(request)
        return Promise.resolve(Response.json({ errorCode: status, errorMessage: 'no service of that id' }, { status }))
      }
      const early = world({ log: make.log, fetch }, testClock())
      early.declare(document('Service', 'Orders', { errorSets: [{ name: 'Default', type: 'text/json' }] }))
      const run = await early.apply()
      expect(run.json().changes.filter(({ outcome }) => outcome !== 'applied')).toEqual([])
      expect(times).toBeGreaterThan(2)
      const rest = await restOf(early.make)
      const [service] = await rest.get('/services')
      expect(names(await rest.get(`/services/${String(service?.id)}/errorSets`))).toEqual(['Default'])
      expect((await early.plan()).changes).toEqual([])
    },
  )
})

describe.each(makes)('%s: a tree that is refused because an object that it needs is not visible yet', (_, create) => {
  /** The root of a tree is created nevertheless; `only` is its collection, `parts` the field with its children. */
  const refusing = (only: RegExp, parts: string, status: number): World => {
    const make = create()
    const clock = testClock()
    let times = 0
    const fetch = async (request: Request): Promise<Response> => {
      if (request.method !== 'POST' || !only.test(new URL(request.url).pathname)) return make.fetch(request)
      times += 1
      if (times > 2) return make.fetch(request)
      const { [parts]: _parts, ...root } = (await request.json()) as JsonObject
      const response = await make.fetch(new Request(request, { body: JSON.stringify(root) }))
      expect(response.status).toBe(200)
      const words = { errorCode: status, errorMessage: 'Object with specified id does not exist' }
      return Response.json(words, { status })
    }
    return world({ log: make.log, fetch }, clock)
  }
  const orders = document('Service', 'Orders', {
    endpoints: [
      {
        ...{ name: 'good', requestPathAlias: '/good', trafficManagerDomain: 'api.example.com' },
        ...{ publicDomains: ['api.example.com'], methods: [{ name: 'list' }] },
      },
    ],
  })
  const gold = { name: 'Gold', services: [{ name: 'Orders', endpoints: [{ name: 'good', methods: ['list'] }] }] }

  test.each([404, 400])('with %i: its root is not created again', async (status) => {
    const early = refusing(/\/packages$/, 'plans', status)
    early.declare(document('Domain', 'example.com'), orders, document('Package', 'P', { plans: [gold] }))
    const run = await early.apply()
    expect(run.json().changes.filter(({ outcome }) => outcome !== 'applied')).toEqual([])
    expect((await livingIn(early)).packages).toEqual(['P'])
    expect((await early.plan()).changes).toEqual([])
  })

  test('in an existing package: its root is not created again', async () => {
    const early = refusing(/\/packages\/[^/]+\/plans$/, 'services', 404)
    const bronze = { name: 'Bronze' }
    early.declare(document('Domain', 'example.com'), document('Package', 'P', { plans: [bronze] }))
    expect((await early.apply()).exitCode).toBe(0)
    early.declare(document('Domain', 'example.com'), orders, document('Package', 'P', { plans: [bronze, gold] }))
    const run = await early.apply()
    expect(run.json().changes.filter(({ outcome }) => outcome !== 'applied')).toEqual([])
    const rest = await restOf(early.make)
    const [{ id } = {}] = await rest.get('/packages')
    expect(names(await rest.get(`/packages/${String(id)}/plans`))).toEqual(['Bronze', 'Gold'])
    expect((await early.plan()).changes).toEqual([])
  })
})

describe('an object in the records that is not listed', () => {
  test('if it was deleted on the platform, it is created again', async () => {
    const one = area({})
    one.declare(service('S'))
    await one.apply()
    const rest = await restOf(one.make)
    await rest.remove(`/services/${(await rest.get('/services'))[0]?.id}`)
    expect((await one.apply()).exitCode).toBe(0)
    expect((await livingIn(one)).services).toEqual(['S'])
  })

  test('if it was renamed on the platform, plan and apply say which name to write, and drift reports it', async () => {
    const one = area({})
    one.declare(service('S'))
    await one.apply()
    const rest = await restOf(one.make)
    const id = String((await rest.get('/services'))[0]?.id)
    await rest.put(`/services/${id}`, { name: 'T' })
    const plan = await one.run(['plan'])
    expect(plan.exitCode).toBe(1)
    expect(plan.stderr).toMatch(/Service\/S exists as id \w+ under the name "T"/)
    expect((await one.apply()).exitCode).toBe(1)
    expect((await one.drift()).exitCode).toBe(2)
    one.declare({ kind: 'Service', metadata: { name: 'S', id }, spec: {} })
    expect((await one.apply()).exitCode).toBe(0)
    expect((await livingIn(one)).services).toEqual(['S'])
  })

  test.each([
    ['formerly', () => ({ name: 'T', formerly: ['S'] })],
    ['its id', (id: string) => ({ name: 'T', id })],
  ] as const)(
    'if it was renamed on the platform and is declared with both names, nothing is created until the manifests say which is which, by %s',
    async (_, renamed) => {
      const one = area({})
      const other = service('A')
      one.declare(other, service('S'))
      await one.apply()
      const rest = await restOf(one.make)
      const id = String((await rest.get('/services')).find(({ name }) => name === 'S')?.id)
      await rest.put(`/services/${id}`, { name: 'T' })
      one.declare(other, service('S'), service('T'))
      const run = await one.run(['apply', '--yes'])
      expect(run.exitCode).toBe(1)
      expect(run.stderr).toMatch(
        /Service\/S exists as id \w+ under the name "T".*\n(.*\n)*.*Service\/T declares that object/,
      )
      expect((await livingIn(one)).services).toEqual(['A', 'T'])
      one.declare(other, service('S'), { kind: 'Service', metadata: renamed(id), spec: {} })
      expect((await one.apply()).exitCode).toBe(0)
      expect((await livingIn(one)).services).toEqual(['A', 'S', 'T'])
      expect((await one.plan()).changes).toEqual([])
    },
  )

  test('if somebody creates another object with the same name at the same time, the errors of the final reading count', async () => {
    const clock = testClock()
    const make = createPlatform({ autoApprove: true, idSeed: 'test', now: clock.now })
    let rival: Promise<unknown> | undefined
    const raced = {
      ...make,
      fetch: async (request: Request) => {
        const isFirst = request.method === 'POST' && new URL(request.url).pathname.endsWith('/services') && !rival
        if (isFirst) rival = restOf(make).then((rest) => rest.post('/services', { name: 'S' }))
        const response = await make.fetch(request)
        await rival
        return response
      },
    }
    const two = world(raced, { ...clock, env })
    two.declare(service('S'))
    const run = await two.run(['apply', '--yes'])
    expect(run.exitCode).toBe(3)
    expect(run.stderr).toMatch(/2 live objects of kind Service are named "S"/)
  })
})

test('plan also reports a create that may still be running, in a sentence', async () => {
  const make = createPlatform({ autoApprove: true, idSeed: 'test' })
  const copy = temporaryFolder()
  const cut: World = world(
    killedAt(make, { write: 0, when: 'before' }, () => cut.dir, copy),
    { ...testClock(), env },
  )
  cut.declare(service('S'))
  await cut.apply()
  const plan = await worldIn(copy, make, { ...testClock(), env }).run(['plan'])
  expect([plan.stdout, plan.exitCode]).toEqual([expect.stringContaining('+ Service/S'), 0])
  expect(plan.stderr).toContain('an interrupted run may still be creating Service/S: apply waits 60 s for it')
})

test.each([
  ['for a while', 40_000, 0, ''],
  ['for ever', Number.POSITIVE_INFINITY, 1, 'Service/S exists as id'],
] as const)(
  'an object of a killed run that only a search for its name finds (%s) is awaited with pauses',
  async (_, hiddenMs, exitCode, words) => {
    const clock = testClock()
    const make = createPlatform({ autoApprove: true, idSeed: 'test', now: clock.now })
    const copy = temporaryFolder()
    const cut: World = world(
      killedAt(make, { write: 0, when: 'after' }, () => cut.dir, copy),
      { ...testClock(), env },
    )
    cut.declare(service('S'))
    await cut.apply()
    const until = clock.now() + hiddenMs
    const lagging = {
      ...make,
      fetch: async (request: Request) => {
        const { pathname, search } = new URL(request.url)
        const isWhole = request.method === 'GET' && pathname.endsWith('/services') && !search.includes('filter=')
        return isWhole && clock.now() < until ? Response.json([]) : await make.fetch(request)
      },
    }
    const before = make.log.length
    const run = await worldIn(copy, lagging, { ...clock, env }).run(['apply', '--yes'])
    expect([run.exitCode, run.stderr]).toEqual([exitCode, expect.stringContaining(words)])
    const sent = make.log.slice(before)
    expect(sent.filter(({ method, path }) => method === 'POST' && path.endsWith('/services'))).toEqual([])
    expect(sent.length).toBeLessThan(60)
    expect(await (await restOf(make)).get('/services')).toHaveLength(1)
  },
)

test('createPatience is a duration', async () => {
  const one = embedded()
  const project = (patience: string) => `apiVersion: gatewright/v1
kind: Project
spec: {manifests: [manifests], platform: {createPatience: ${patience}}}
`
  one.declare(service('S'))
  one.write('gatewright.yaml', project('soon'))
  const bad = await one.run(['validate'])
  expect(bad.exitCode).toBe(1)
  expect(bad.stderr).toMatch(/platform\.createPatience.*duration, such as 30s/)
  one.write('gatewright.yaml', project('5s'))
  expect((await one.run(['validate'])).exitCode).toBe(0)
})

describe.each(dialects)('%s: a service that another plan already gives access to', (dialect) => {
  test.each([
    ['after-503', 'turned away'],
    ['after-401', 'turned away'],
    ['after-504', 'without an answer'],
    ['reset-after', 'without an answer'],
  ])('%s, %s: a link that was created nevertheless is found at once', async (fault) => {
    const other = area({ dialect, faults: [`${fault}:POST /packages/*/plans/*/services`] })
    const plans = (...names: readonly string[]) =>
      document('Package', 'P', {
        plans: ['A', 'B'].map((name) => ({ name, services: names.includes(name) ? [{ name: 'S' }] : [] })),
      })
    other.declare(service('S'), plans('A'))
    expect((await other.apply()).exitCode).toBe(0)
    other.declare(service('S'), plans('A', 'B'))
    const started = other.io.now?.() ?? 0
    const run = await other.apply()
    expect(run.json().changes.map((each) => [each.address, each.outcome, each.error])).toEqual([
      ['Package/P/Plan/B/PlanService/S', 'applied', null],
    ])
    expect(run.exitCode).toBe(0)
    expect((other.io.now?.() ?? 0) - started).toBeLessThan(5000)
    expect((await other.plan()).changes).toEqual([])
  })
})

/** The live keys: the id and the package of each. */
async function keysIn({ make }: World): Promise<readonly (readonly [string, string])[]> {
  const rest = await restOf(make)
  const [packages, keys] = [
    await rest.get('/packages?fields=id,name'),
    await rest.get('/packageKeys?fields=id,package'),
  ]
  const nameOf = (id: unknown) => String(packages.find((each) => each.id === id)?.name)
  return keys.map(({ id, package: held }) => [String(id), nameOf(objectsIn(held)[0]?.id)])
}

const keyOf = (name: string): JsonObject => ({ package: name, plan: 'A', secret: '${env:SECRET}' })
const packages = ['P', 'Q'].map((name) => document('Package', name, { plans: [{ name: 'A' }] }))
const keyAt = 'Member/m/Application/app/PackageKey'

describe.each(dialects)('%s: keys without an apikey in one application', (dialect) => {
  test.each([
    ['status-504', 'after-504', 'P'],
    ['after-504', 'status-504', 'Q'],
  ])('%s and %s: the found key is matched only to its own package', async (first, second, lost) => {
    const on = 'POST /applications/*/packageKeys'
    const other = area({ dialect, faults: [`${first}:${on}:#1`, `${second}:${on}:#2`] })
    other.declare(...packages, member())
    expect((await other.apply()).exitCode).toBe(0)
    other.declare(...packages, member(keyOf('P'), keyOf('Q')))
    const run = await other.apply()
    expect(run.exitCode).toBe(3)
    const outcomes = run.json().changes.map((each) => [each.address, each.outcome])
    expect(outcomes.sort()).toEqual([
      [`${keyAt}/P`, lost === 'P' ? 'failed' : 'applied'],
      [`${keyAt}/Q`, lost === 'Q' ? 'failed' : 'applied'],
    ])
    expect((await other.apply()).json().changes.map((each) => [each.address, each.outcome])).toEqual([
      [`${keyAt}/${lost}`, 'applied'],
    ])
    expect((await keysIn(other)).map(([, name]) => name).sort()).toEqual(['P', 'Q'])
  })
})

test('another make: keys in the create of their application get the ids of their own packages', async () => {
  const other = world(createOtherMake(), { env })
  other.write(
    'gatewright.yaml',
    `apiVersion: gatewright/v1
kind: Project
spec: {manifests: [manifests], platform: {conventionalOperations: refuse}}
`,
  )
  other.declare(...packages, member(keyOf('P'), keyOf('Q')))
  const run = await other.apply()
  expect(run.exitCode).toBe(0)
  const ids = run
    .json()
    .changes.flatMap(({ kind, id, address }) => (kind === 'PackageKey' ? [[String(id), address.slice(-1)]] : []))
  expect(ids.sort()).toEqual([...(await keysIn(other))].sort())
})

/** Another make, with a network that has the same fault at every write of the first run. */
function troubled(
  misfortune: Misfortune | undefined,
  lagMs: number,
  options: Partial<StoreOptions> = {},
  meets: (write: number) => boolean = () => true,
) {
  const clock = testClock()
  const make = disturbed(createOtherMake(options), clock)
  const writes = misfortune ? Array.from({ length: 100 }, (_, index) => [index + 1, misfortune] as const) : []
  make.meet({ misfortunes: new Map(writes.filter(([write]) => meets(write))), lagMs }, () => undefined)
  const other = world(make, { ...clock, env })
  other.declare(...documentedStorefront)
  return { make, other }
}

describe('another make', () => {
  test.each<readonly [string, Misfortune | undefined, number]>([
    ['lists that lag by 50 ms', undefined, 50],
    ['lists that lag by 1 s', undefined, 1000],
    ['lists that lag by 20 s', undefined, 20_000],
    ['answers that are lost', { is: 'lost' }, 0],
    ['answers that are lost, and lists that lag', { is: 'lost' }, 3000],
    ['500 in its own words after the commit', { is: 'failed', status: 500, body: 'json' }, 0],
    ['502 in other words after the commit', { is: 'failed', status: 502, body: 'other json' }, 0],
    ['503 after the commit', { is: 'failed', status: 503, body: 'html' }, 0],
    ['504, and the commit 2.5 s later', { is: 'late', milliseconds: 2500 }, 0],
    ['504, and the commit 20 s later', { is: 'late', milliseconds: 20_000 }, 0],
  ])('%s: nothing is created twice', async (_, misfortune, lagMs) => {
    const { make, other } = troubled(misfortune, lagMs, { roles: 'nested' })
    const run = await other.apply()
    expect(run.json().changes.filter(({ outcome }) => outcome !== 'applied')).toEqual([])
    expect(run.exitCode).toBe(0)
    await make.settle()
    make.meet({ ...noTrouble, lagMs }, () => undefined)
    expect((await other.apply()).exitCode).toBe(0)
    expect((await other.plan()).changes).toEqual([])
    const { other: undisturbed } = troubled(undefined, 0)
    await undisturbed.apply()
    expect(await livingIn(other)).toEqual(await livingIn(undisturbed))
  })

  test('401 after the commit of every second write: nothing is created twice', async () => {
    const { other } = troubled({ is: 'failed', status: 401, body: 'json' }, 0, {}, (write) => write % 2 === 1)
    const run = await other.apply()
    expect(run.json().changes.filter(({ outcome }) => outcome !== 'applied')).toEqual([])
    const { other: undisturbed } = troubled(undefined, 0)
    await undisturbed.apply()
    expect(await livingIn(other)).toEqual(await livingIn(undisturbed))
  })
})
