import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/json/json.js'
import { isObject } from '../../src/json/json.js'
import { type DocumentText, document } from '../kit/manifests.js'
import { embedded, type Make, type Run, type World, world } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'

/** An apply of a few changes reads again the objects that it has changed, and not the whole area (design §5). */

interface Size {
  readonly services: number
  readonly endpoints: number
  readonly methods: number
}

const named = (prefix: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${String(index).padStart(4, '0')}`)

const endpoint = (service: string, name: string, methods: readonly string[], timeout = 2): JsonObject => ({
  name,
  requestPathAlias: `/${service}/${name}`,
  trafficManagerDomain: 'api.example.com',
  publicDomains: ['api.example.com'],
  supportedHttpMethods: ['get'],
  connectionTimeoutForSystemDomainRequest: timeout,
  methods: methods.map((method) => ({ name: method })),
})

/** Services in which the endpoints "service/endpoint" have another timeout. */
function services(size: Size, changed: readonly string[] = []): readonly DocumentText[] {
  return named('s', size.services).map((service) =>
    document('Service', service, {
      endpoints: named('e', size.endpoints).map((name) =>
        endpoint(service, name, named('m', size.methods), changed.includes(`${service}/${name}`) ? 10 : 2),
      ),
    }),
  )
}

const domain = document('Domain', 'example.com')

async function applied(own: World, ...documents: readonly DocumentText[]): Promise<Run> {
  own.declare(domain, ...documents)
  const run = await own.apply('--allow', 'TRAFFIC_STOP', '--allow', 'IRREVERSIBLE')
  expect(run.exitCode, run.stdout + run.stderr).toBe(0)
  return run
}

/** The requests of one apply, whose number the plan must predict, and after which nothing may be left to do. */
async function sentBy(own: World, ...documents: readonly DocumentText[]): Promise<readonly string[]> {
  own.declare(domain, ...documents)
  const { estimate } = await own.plan()
  own.requests()
  await applied(own, ...documents)
  const sent = own.requests().map(({ method, path }) => `${method} ${path.replace('/v3/rest', '')}`)
  expect(estimate.requests, 'the estimate').toBe(sent.length)
  expect((await own.plan()).changes).toEqual([])
  return sent
}

const reads = (sent: readonly string[]): readonly string[] => sent.filter((each) => each.startsWith('GET'))
const afterTheLastWrite = (sent: readonly string[]): readonly string[] =>
  sent.slice(sent.findLastIndex((each) => !each.startsWith('GET')) + 1)

const single = /^GET \/services\/[^/]+$/

const makes: Readonly<Record<string, () => World>> = {
  'the embedded platform, dialect document': () => embedded({ dialect: 'document' }),
  'the embedded platform, dialect recorded': () => embedded({ dialect: 'recorded' }),
  'another make, 15 objects a page': () => world(createOtherMake({ pageLimit: 15 })),
}

describe.each(Object.entries(makes))('on %s', (name, make) => {
  const size = { services: 32, endpoints: 2, methods: 1 }

  test('one changed field costs the pages, one write and one object', async () => {
    const own = make()
    await applied(own, ...services(size))
    own.requests()
    await own.plan()
    const pages = own.requests().length
    const sent = await sentBy(own, ...services(size, ['s0007/e0001']))
    expect(sent.length).toBe(pages + 2)
    // On the embedded platform, the services fit into one page, which costs as much as one object and shows more.
    const [closing, ...more] = afterTheLastWrite(sent)
    expect(more).toEqual([])
    expect(closing).toMatch(name.startsWith('another') ? single : /^GET \/services$/)
    const { estimate } = await own.plan()
    own.requests()
    const { requests, run } = (await applied(own, ...services(size, ['s0007/e0001']))).json()
    expect(own.requests().length, 'nothing to do costs the pages').toBe(pages)
    expect([estimate.requests, requests, run], 'no run is recorded').toEqual([pages, pages, null])
  })

  test('unchanged objects are not read, and roles only if they were written', async () => {
    const own = make()
    const roles = ['reader', 'writer'].map((each) => document('Role', each))
    const withRoles = (texts: readonly DocumentText[], bearers: Readonly<Record<string, string>>) =>
      texts.map((text) => {
        const role = bearers[String(text.metadata.name)]
        return role === undefined ? text : { ...text, spec: { ...text.spec, roles: [{ name: role, action: 'read' }] } }
      })
    const small = { services: 4, endpoints: 1, methods: 1 }
    const bearers = { s0000: 'reader', s0001: 'reader', s0002: 'writer' }
    await applied(own, ...roles, ...withRoles(services(small), bearers))
    const changed = await sentBy(own, ...roles, ...withRoles(services(small, ['s0001/e0000']), bearers))
    expect(afterTheLastWrite(changed).every((each) => each.startsWith('GET /services'))).toBe(true)
    expect(afterTheLastWrite(changed).filter((each) => each.endsWith('/roles'))).toEqual([])
    const written = await sentBy(own, ...roles, ...withRoles(services(small), { ...bearers, s0002: 'reader' }))
    const asked = afterTheLastWrite(written).filter((each) => each.endsWith('/roles'))
    expect(new Set(asked).size).toBeLessThanOrEqual(1)
    expect((await own.drift()).exitCode).toBe(0)
  })
})

test('the roles of a service are read again if it had the role that is deleted or renamed', async () => {
  const own = embedded({ dialect: 'document' })
  const of = (name: string, ...roles: readonly string[]) =>
    document('Service', name, { roles: roles.map((role) => ({ name: role, action: 'read' })) })
  const roles = ['reader', 'writer', 'unused'].map((each) => document('Role', each))
  await applied(own, ...roles, of('a', 'reader'), of('b', 'reader', 'writer'), of('c', 'reader'))
  const asked = async (...documents: readonly DocumentText[]) =>
    afterTheLastWrite(await sentBy(own, ...documents)).filter((each) => each.endsWith('/roles')).length
  const all = [of('a', 'reader'), of('b', 'reader', 'writer'), of('c', 'reader')]
  expect(await asked(...roles.slice(0, 2), ...all), 'of no service, but the roles themselves').toBe(1)
  const sold = document('Role', { name: 'sold', formerly: ['writer'] })
  const renamed = [of('a', 'reader'), of('b', 'reader', 'sold'), of('c', 'reader')]
  expect(await asked(...roles.slice(0, 1), sold, ...renamed), 'of one service').toBe(2)
  const without = [of('a', 'reader'), of('b', 'reader'), of('c', 'reader')]
  expect(await asked(...roles.slice(0, 1), ...without), 'of one service').toBe(2)
})

describe('the maximum cost', () => {
  test('1 changed field in 100 services × 5 × 3: 5 requests', async () => {
    const size = { services: 100, endpoints: 5, methods: 3 }
    const own = embedded({ seed: seedOf(size) })
    expect((await sentBy(own, ...services(size, ['s0042/e0003']))).length).toBeLessThanOrEqual(5)
  })

  test('10 changed endpoints in 1,000 services: the pages, 10 writes, 10 reads', async () => {
    const size = { services: 1000, endpoints: 1, methods: 1 }
    const own = embedded({ seed: seedOf(size) })
    const changed = named('s', 1000).filter((each) => each.endsWith('42'))
    const sent = await sentBy(
      own,
      ...services(
        size,
        changed.map((each) => `${each}/e0000`),
      ),
    )
    expect(afterTheLastWrite(sent).length).toBeLessThanOrEqual(10)
    expect(reads(sent).length - afterTheLastWrite(sent).length, 'services, and the domain').toBe(11)
  })

  describe.each(['document', 'recorded'] as const)('beside 300 services, on %s', (dialect) => {
    const size = { services: 300, endpoints: 1, methods: 1 }
    const pages = ['GET /domains', 'GET /services', 'GET /services', 'GET /services']

    /** The requests of one apply. */
    async function sent(...documents: readonly DocumentText[]): Promise<readonly string[]> {
      const own = embedded({ dialect, seed: seedOf(size) })
      await applied(own, ...documents)
      const all = own.requests().map(({ method, path }) => `${method} ${path.replace('/v3/rest', '')}`)
      expect((await own.plan()).changes).toEqual([])
      return all
    }

    test('one more service: the pages, a search for its name, one write and one object', async () => {
      const all = await sent(...services({ ...size, services: 301 }))
      expect(all.slice(0, 4).sort()).toEqual(pages)
      expect(all.slice(4)).toEqual(['GET /services', 'POST /services', expect.stringMatching(single)])
    })

    test('one more endpoint: the pages, one write and one object', async () => {
      const others = services(size).slice(1)
      const endpoints = ['e0000', 'e0001'].map((name) => endpoint('s0000', name, ['m0000']))
      const all = await sent(document('Service', 's0000', { endpoints }), ...others)
      expect(all.slice(0, 4).sort()).toEqual(pages)
      expect(all.slice(4)).toEqual([
        expect.stringMatching(/^POST \/services\/[^/]+\/endpoints$/),
        expect.stringMatching(single),
      ])
    })
  })

  test('2 changed endpoints in 300 services: two services are read', async () => {
    const size = { services: 300, endpoints: 1, methods: 1 }
    const own = embedded({ dialect: 'recorded', seed: seedOf(size) })
    const sent = await sentBy(own, ...services(size, ['s0005/e0000', 's0205/e0000']))
    expect(afterTheLastWrite(sent).filter((each) => single.test(each)).length).toBe(2)
    expect(afterTheLastWrite(sent).length).toBe(2)
  })
})

function seedOf(size: Size): Readonly<Record<string, readonly JsonObject[]>> {
  const all = services(size).map(({ metadata, spec }) => ({ ...metadata, ...spec }))
  return { domains: [{ domain: 'example.com', status: 'active' }], services: all }
}

/** Possible faults of a platform in a request for one service. */
const quirks: Readonly<Record<string, (response: Response, request: Request) => Promise<Response> | Response>> = {
  'has no route for it': () => new Response('[]', { status: 404 }),
  'answers it with an error': () => new Response('{"errorCode": 500}', { status: 500 }),
  'answers another form': () => new Response('<p>', { status: 200 }),
  'omits nested objects': (response) => rewritten(response, ({ endpoints: _, ...own }) => own),
  'omits fields of nested objects': (response) =>
    rewritten(response, ({ endpoints, ...own }) => ({
      ...own,
      endpoints: (Array.isArray(endpoints) ? endpoints : [])
        .filter(isObject)
        .map(({ id, name }) => ({ id, name })) as Json,
    })),
  'answers the earlier state': (response) =>
    rewritten(response, (object) =>
      JSON.parse(JSON.stringify(object).replaceAll(/("connectionTimeoutForSystemDomainRequest":"?)10\b/g, '$12')),
    ),
}

async function rewritten(
  response: Response,
  change: (object: JsonObject) => Record<string, unknown>,
): Promise<Response> {
  const body = (await response.json()) as Json
  const objects = (Array.isArray(body) ? body : [body]).filter(isObject)
  return new Response(JSON.stringify(objects.map(change)), { status: 200, headers: response.headers })
}

function withQuirk(make: Make, quirk: (typeof quirks)[string]): Make {
  return {
    log: make.log,
    fetch: async (request) => {
      const response = await make.fetch(request)
      return request.method === 'GET' && single.test(`GET ${new URL(request.url).pathname.replace('/v3/rest', '')}`)
        ? await quirk(response, request)
        : response
    },
  }
}

describe('a platform whose answer to a request for one service is wrong', () => {
  test.each(Object.entries(quirks))('%s: the pages are read instead', async (_, quirk) => {
    const size = { services: 25, endpoints: 1, methods: 1 }
    const own = world(withQuirk(createOtherMake({ pageLimit: 10 }), quirk))
    await applied(own, ...services(size))
    await applied(own, ...services(size, ['s0007/e0000']))
    expect((await own.plan()).changes).toEqual([])
    // A service that is deleted, and one that is created.
    await applied(own, ...services({ ...size, services: 24 }), document('Removed', { address: 'Service/s0024' }))
    await applied(own, ...services(size))
    expect((await own.plan()).changes).toEqual([])
  })
})

test('a value that is accepted but not kept is reported', async () => {
  const make = createOtherMake({ pageLimit: 10 })
  const size = { services: 25, endpoints: 1, methods: 1 }
  const deaf: Make = {
    log: make.log,
    fetch: async (request) => {
      if (request.method !== 'PUT') return await make.fetch(request)
      return await make.fetch(new Request(request.url, { headers: request.headers }))
    },
  }
  await applied(world(make), ...services(size))
  const own = world(deaf)
  own.declare(domain, ...services(size, ['s0007/e0000']))
  const run = await own.apply()
  expect(run.exitCode).toBe(3)
  expect(run.json().changes.map(({ outcome }) => outcome)).toEqual(['notKept'])
})

describe('a field that the platform does not keep is reported after one reading', () => {
  const dropped = 'description'
  const size = { services: 25, endpoints: 1, methods: 1 }

  /** A make that accepts a field and drops it. */
  const dropping = (make: Make): Make => ({
    log: make.log,
    fetch: async (request) => {
      if (request.method === 'GET' || request.url.endsWith('/token')) return await make.fetch(request)
      const without = (key: string, value: Json) => (key === dropped ? undefined : value)
      const body = JSON.stringify(JSON.parse((await request.text()) || 'null', without))
      return await make.fetch(new Request(request.url, { method: request.method, headers: request.headers, body }))
    },
  })

  /** The services, of which one has these additional fields. */
  const withMore = (more: JsonObject): readonly DocumentText[] =>
    services(size).map((text) => (text.metadata.name === 's0007' ? { ...text, spec: { ...text.spec, ...more } } : text))

  /** The requests after the last write of an apply that changes the first state to the second. */
  async function askedAfter(
    make: Make,
    wrapped: (make: Make) => Make,
    before: readonly DocumentText[],
    after: readonly DocumentText[],
    exitCode: number,
  ): Promise<readonly string[]> {
    await applied(world(make), ...before)
    const own = world(wrapped(make))
    own.declare(domain, ...after)
    own.requests()
    const run = await own.apply()
    expect([run.exitCode, run.stdout]).toEqual([exitCode, run.stdout])
    const outcomes = run.json().changes.map(({ outcome }) => outcome)
    expect(outcomes.filter((outcome) => outcome === 'notKept')).toHaveLength(exitCode === 0 ? 0 : 1)
    return afterTheLastWrite(own.requests().map(({ method, path }) => `${method} ${path.replace('/v3/rest', '')}`))
  }

  const isNew = services(size).filter(({ metadata }) => metadata.name !== 's0007')
  const cases: readonly (readonly [string, readonly DocumentText[], JsonObject])[] = [
    ['another field of the same request is there', services(size), { version: '2' }],
    ['the object is new', isNew, {}],
  ]
  test.each(cases)('%s', async (_, before, more) => {
    const makeIn = () => createOtherMake({ pageLimit: 10 })
    const after = withMore({ ...more, [dropped]: 'dropped' })
    const kept = await askedAfter(makeIn(), (make) => make, before, after, 0)
    const asked = await askedAfter(makeIn(), dropping, before, after, 3)
    expect(asked.length).toBeLessThanOrEqual(kept.length)
  })
})

test('a renamed object is known by its new name wherever it is referred to', async () => {
  const own = world(createOtherMake({ pageLimit: 10 }))
  const size = { services: 25, endpoints: 1, methods: 1 }
  const plan = (service: string) =>
    document('Package', 'Partners', {
      plans: [{ name: 'Gold', services: [{ name: service, endpoints: [{ name: 'e0000' }] }] }],
    })
  await applied(own, ...services(size), plan('s0003'))
  const renamed = services(size).map((text) =>
    text.metadata.name === 's0003' ? { ...text, metadata: { name: 'sold', formerly: ['s0003'] } } : text,
  )
  const sent = await sentBy(own, ...renamed, plan('sold'))
  expect(afterTheLastWrite(sent)).toContain('GET /packages')
})
