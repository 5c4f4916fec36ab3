import { describe, expect, test } from 'vitest'
import type { RunDocument } from '../../src/documents/run.js'
import type { JsonObject } from '../../src/json/json.js'
import { createPlatform } from '../../src/platform/server.js'
import { makesWith } from '../kit/makes.js'
import { type DocumentText, document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { embedded, type Make, type Run, testClock, type World, world as worldOf } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'
import { makes } from '../other-make/worlds.js'

type Clock = ReturnType<typeof testClock>

const domain = document('Domain', 'example.com')
const endpoint = (name: string, more = {}) => ({
  name,
  requestPathAlias: `/${name}`,
  trafficManagerDomain: 'api.example.com',
  publicDomains: ['api.example.com'],
  ...more,
})
const service = document('Service', 'Orders', {
  description: 'd',
  endpoints: [
    endpoint('good', { methods: [{ name: 'list' }] }),
    endpoint('bad', { publicDomains: ['elsewhere.example'] }),
  ],
})

const outcomes = (run: Run) => run.json().changes.map(({ address, outcome }) => `${outcome} ${address}`)
const named = (world: World, method: string, path: RegExp) =>
  world.make.log.filter((each) => each.method === method && path.test(each.path))

function apply(world: World, documents: readonly DocumentText[], ...args: readonly string[]): Promise<Run> {
  world.declare(...documents)
  return world.apply(...args)
}

describe('a tree', () => {
  test('that is refused is split: only the wrong part is not created', async () => {
    const world = embedded()
    const run = await apply(world, [domain, service])
    expect(run.exitCode).toBe(3)
    expect(outcomes(run)).toEqual([
      'applied Domain/example.com',
      'applied Service/Orders',
      'failed Service/Orders/Endpoint/bad',
      'applied Service/Orders/Endpoint/good',
      'applied Service/Orders/Endpoint/good/Method/list',
    ])
    expect(run.json().changes[2]?.error).toMatch(/not a valid domain/)
  })

  test('whose nested parts the platform ignores is completed part by part', async () => {
    const world = embedded({
      ignoreNested: ['Service.endpoints', 'Endpoint.methods', 'Package.plans', 'Plan.services'],
    })
    const good = document('Service', 'Orders', { endpoints: [endpoint('good', { methods: [{ name: 'list' }] })] })
    const plans = document('Package', 'P', {
      plans: [{ name: 'G', services: [{ name: 'Orders', endpoints: [{ name: 'good', methods: ['list'] }] }] }],
    })
    expect((await apply(world, [domain, good, plans])).exitCode).toBe(0)
    expect((await world.plan()).changes).toEqual([])
  })
})

describe('a POST whose outcome is unknown', () => {
  test('is not sent again if it was carried out', async () => {
    const world = embedded({ faults: ['reset-after:POST /services:1'] })
    expect((await apply(world, [document('Service', 'Orders', {})])).exitCode).toBe(0)
    expect(named(world, 'POST', /\/services$/)).toHaveLength(1)
    const rest = await restOf(world.make)
    expect(await rest.get('/services')).toHaveLength(1)
  })

  test.each(['Service', 'Domain', 'Role', 'Package'] as const)(
    'a %s is created once, whatever is lost',
    async (kind) => {
      const world = embedded({ faults: ['reset-after:POST:%2', 'reset-before:POST:3'] })
      const documents = ['a', 'b', 'c', 'd'].map((name) => document(kind, name))
      expect((await apply(world, documents)).exitCode).toBe(3)
      expect((await world.apply()).exitCode).toBe(0)
      expect((await world.plan()).changes).toEqual([])
    },
  )

  test('a key without a value is created once', async () => {
    const world = embedded({ faults: ['reset-after:POST /applications/{id}/packageKeys:1'] }, {})
    const documents = [
      document('Package', 'P', { plans: [{ name: 'G' }] }),
      document('Member', 'm', {
        email: 'e@example.com',
        displayName: 'M',
        externalId: 'x',
        passwdNew: 'pass-word',
        applications: [{ name: 'A', packageKeys: [{ package: 'P', plan: 'G', secret: 'key-secret' }] }],
      }),
    ]
    const run = await apply(world, documents)
    expect(run.exitCode).toBe(0)
    const rest = await restOf(world.make)
    expect(await rest.get('/packageKeys')).toHaveLength(1)
    expect((await world.plan()).changes).toEqual([])
  })
})

describe('refusals', () => {
  test('404 to a delete is a success if the object is no longer listed, and a failure if it is', async () => {
    const world = embedded({ faults: ['status-404:DELETE /services/{id}:1'] })
    await apply(world, [document('Service', 'Orders', {})])
    const removed = document('Removed', { address: 'Service/Orders' })
    const first = await apply(world, [removed], '--allow', 'TRAFFIC_STOP', '--allow', 'IRREVERSIBLE')
    expect(outcomes(first)).toContain('failed Service/Orders')
    expect(first.exitCode).toBe(3)
    const second = await world.apply('--allow', 'TRAFFIC_STOP', '--allow', 'IRREVERSIBLE')
    expect(outcomes(second)).toContain('applied Service/Orders')

    const lost = embedded({ faults: ['reset-after:DELETE /services/{id}:1'] })
    await apply(lost, [document('Service', 'Orders', {})])
    expect((await apply(lost, [removed], '--allow', 'TRAFFIC_STOP', '--allow', 'IRREVERSIBLE')).exitCode).toBe(0)
  })

  test('an operation that the platform does not offer is blocked with that reason, and the rest continues', async () => {
    const world = embedded({ refuse: ['POST /roles'] })
    const run = await apply(world, [
      document('Role', 'R'),
      document('Service', 'Orders', { roles: [{ name: 'R', action: 'read' }] }),
      document('Package', 'P', {}),
    ])
    expect(run.exitCode).toBe(3)
    const { changes } = run.json()
    const role = changes.find((each) => each.kind === 'Role')
    expect(role).toMatchObject({ outcome: 'blocked', error: expect.stringContaining('not offered by this platform') })
    expect(changes.find((each) => each.kind === 'Package')).toMatchObject({ outcome: 'applied' })
  })

  test.each([404, 405, 501])(
    'a create that is answered %i is not offered and is blocked; a refused create is not',
    async (status) => {
      const platform = createPlatform({ autoApprove: true })
      const answering = (code: number): Make => ({
        log: platform.log,
        fetch: async (request) =>
          request.method === 'POST' && request.url.endsWith('/roles')
            ? new Response('<h1>Go away</h1>', { status: code })
            : platform.fetch(request),
      })
      const told = async (code: number) =>
        (await apply(worldOf(answering(code)), [document('Role', 'a', {})]))
          .json()
          .changes.map(({ outcome, error }) => [outcome, error])
      expect(await told(status)).toEqual([['blocked', `not offered by this platform (${status} Go away)`]])
      expect(await told(409)).toEqual([['failed', '409 Go away']])
    },
  )

  test.each([
    ['<h1>Go away</h1>', '403 Go away'],
    ['', '403 Forbidden'],
    [
      '{"errorCode":403,"errorMessage":"Not yours","errors":[{"property":"name"}]}',
      '403 Not yours; name: {"property":"name"}',
    ],
  ])('are reported with their status: %s', async (body, message) => {
    const platform = createPlatform({ autoApprove: true })
    const refusing: Make = {
      log: platform.log,
      fetch: async (request) =>
        request.method === 'POST' && request.url.endsWith('/roles')
          ? new Response(body, { status: 403 })
          : platform.fetch(request),
    }
    const run = await apply(worldOf(refusing), [document('Role', 'a', {})])
    expect(run.json().changes[0]?.error).toBe(message)
    expect(run.json().diagnostics.map((each) => each.message)).toContain(`create of Role/a: ${message}`)
  })

  test.each(makesWith({ defaultErrorSet: 'always' }))(
    'a create that is answered 409 has failed, even if it was carried out: the next plan shows the object, on the make "%s" (A475)',
    async (_, make) => {
      const inner = make()
      let isConflict = true
      const world = worldOf({
        log: inner.log,
        fetch: async (request) => {
          const answer = await inner.fetch(request)
          const isCreate = request.method === 'POST' && new URL(request.url).pathname.endsWith('/services')
          return isCreate && isConflict ? new Response('<h1>Exists</h1>', { status: 409 }) : answer
        },
      })
      const documents = [document('Service', 'S', { description: 'd', errorSets: [{ name: 'E', type: 'text/json' }] })]
      const run = await apply(world, documents)
      expect([run.exitCode, run.json().changes[0]?.error]).toEqual([3, '409 Exists'])
      isConflict = false
      const { changes, unmanaged } = await world.plan()
      expect(changes).toEqual([])
      expect(unmanaged.map(({ address }) => address)).toEqual(['Service/S/ErrorSet/Default'])
      expect((await apply(world, documents)).exitCode).toBe(0)
      expect((await world.drift()).exitCode).toBe(2)
      const rest = await restOf(inner)
      expect(await rest.get('/services')).toHaveLength(1)
    },
  )

  test('a failure blocks only the changes that need it', async () => {
    const world = embedded({ faults: ['status-409:POST /packages'] })
    const run = await apply(world, [
      document('Package', 'P', { plans: [{ name: 'G' }] }),
      document('Service', 'Orders', {}),
      document('Member', 'm', {
        email: 'e@example.com',
        displayName: 'M',
        externalId: 'x',
        passwdNew: 'pass-word',
        applications: [{ name: 'A', packageKeys: [{ package: 'P', plan: 'G', secret: 'key-secret' }] }],
      }),
    ])
    expect(run.exitCode).toBe(3)
    const of = (kind: string) =>
      run
        .json()
        .changes.filter((each) => each.kind === kind)
        .map((each) => each.outcome)
    expect([of('Package'), of('Service'), of('Application'), of('PackageKey')]).toEqual([
      ['failed'],
      ['applied'],
      ['applied'],
      ['blocked'],
    ])
  })

  test('a used-up quota ends the run: the rest is not started, and a later apply continues', async () => {
    const world = embedded({ faults: ['over-rate:POST:#3'] })
    const documents = ['a', 'b', 'c', 'd', 'e'].map((name) => document('Service', name, {}))
    world.project('  platform: {concurrency: 1}\n')
    const run = await apply(world, documents)
    expect(run.exitCode).toBe(3)
    expect(outcomes(run)).toEqual([
      'applied Service/a',
      'applied Service/b',
      'notStarted Service/c',
      'notStarted Service/d',
      'notStarted Service/e',
    ])
    const reason = 'the quota of calls is used up: Account Over Rate Limit'
    expect(run.stderr).toContain(`error: ${reason}`)
    expect(run.json().changes.at(-1)?.error).toContain(reason)
    const again = await world.apply()
    expect(again.json().diagnostics.filter(({ severity }) => severity !== 'note')).toEqual([])
    expect(again.exitCode).toBe(0)
    expect((await world.plan()).changes).toEqual([])
  })

  const overRate = () => new Response('', { status: 403, headers: { 'X-Error-Code': 'ERR_403_DEVELOPER_OVER_RATE' } })
  const bothMakes = [
    ['the embedded platform', () => createPlatform({ autoApprove: true })],
    ['another make', () => createOtherMake({ defaultErrorSet: 'always' })],
  ] as const

  test.each(bothMakes)(
    'an object that is created and not completed before the quota ends is failed; %s',
    async (_, of) => {
      const make = of()
      const short: Make = {
        log: make.log,
        fetch: (request) => (request.method === 'DELETE' ? Promise.resolve(overRate()) : make.fetch(request)),
      }
      const withSet = document('Service', 'S', { errorSets: [{ name: 'mine', type: 'text/json' }] })
      const run = await apply(worldOf(short), [withSet])
      expect(run.exitCode).toBe(3)
      const { summary, changes } = run.json() as unknown as RunDocument
      expect(summary).toMatchObject({ applied: 1, failed: 1, notStarted: 0 })
      expect(changes[0]).toMatchObject({ address: 'Service/S', outcome: 'failed', id: expect.stringMatching(/./) })
      expect(changes[0]?.error).toMatch(/the quota of calls is used up.*; the object is created, but not complete$/)
    },
  )

  test('an object that is created and lacks something that another change makes is failed', async () => {
    const world = embedded({
      ignoreNested: ['Service.errorSets'],
      faults: ['status-400:POST /services/{serviceId}/errorSets'],
    })
    const run = await apply(world, [document('Service', 'S', { errorSets: [{ name: 'mine', type: 'text/json' }] })])
    expect(outcomes(run)).toEqual(['failed Service/S', 'failed Service/S/ErrorSet/mine'])
    expect(run.json().changes[0]?.error).toBe(
      'needs Service/S/ErrorSet/mine, which is not done; the object is created, but not complete',
    )
  })

  test('values that are accepted but not kept are reported field by field', async () => {
    const platform = createPlatform({ autoApprove: true })
    const deaf: Make = {
      log: platform.log,
      fetch: async (request) => {
        if (request.method !== 'PUT') return platform.fetch(request)
        const { description: _dropped, ...body } = (await request.json()) as Record<string, unknown>
        return platform.fetch(new Request(request, { body: JSON.stringify(body) }))
      },
    }
    const world = worldOf(deaf)
    await apply(world, [document('Service', 'Orders', { description: 'one', version: '1' })])
    const run = await apply(world, [document('Service', 'Orders', { description: 'two', version: '2' })])
    expect(run.exitCode).toBe(3)
    expect(run.json().changes).toMatchObject([
      { outcome: 'notKept', error: expect.stringMatching(/did not keep \/description$/) },
    ])
  })
})

describe('domains that wait for approval', () => {
  const orders = document('Service', 'Orders', { endpoints: [endpoint('good')] })

  test('endpoints wait, exit 3; after the approval, a later apply continues', async () => {
    const world = embedded({ autoApprove: false })
    const run = await apply(world, [domain, orders])
    expect(run.exitCode).toBe(3)
    expect(outcomes(run)).toEqual([
      'applied Domain/example.com',
      'applied Service/Orders',
      'waiting Service/Orders/Endpoint/good',
    ])
    await world.make.fetch(
      new Request('http://platform.example/control/domains/example.com/approve', { method: 'POST' }),
    )
    expect((await world.apply()).exitCode).toBe(0)
    expect((await world.plan()).changes).toEqual([])
  })

  test.each(['this run', 'the run before'])(
    '--wait-domains polls until domains are approved that were created by %s',
    async (by) => {
      let waits = 0
      const slept: number[] = []
      const world = embedded(
        { autoApprove: false },
        {
          sleep: async (ms) => {
            slept.push(ms)
            waits += 1
            if (waits === 3) await approve()
          },
        },
      )
      const approve = () =>
        world.make.fetch(new Request('http://platform.example/control/domains/example.com/approve', { method: 'POST' }))
      if (by === 'the run before') expect((await apply(world, [domain, orders])).exitCode).toBe(3)
      waits = 0
      slept.length = 0
      expect((await apply(world, [domain, orders], '--wait-domains', '10m')).exitCode).toBe(0)
      expect(slept.length).toBeGreaterThanOrEqual(3)
    },
  )

  test.each([
    ['502 for a while', 502, true],
    ['403 throughout', 403, false],
  ])('a failed request for the approval does not end the run: %s', async (_, status, isApproved) => {
    const clock = testClock()
    const inner = createPlatform({ autoApprove: false, idSeed: 'away', ...clock })
    let isMade = false
    let looks = 0
    const fetch = async (request: Request): Promise<Response> => {
      const { pathname } = new URL(request.url)
      const isDomains = pathname.endsWith('/domains')
      if (isMade && isDomains && request.method === 'GET') {
        looks += 1
        if (!isApproved && looks < 300) return new Response('{}', { status })
        if (looks < 12) return new Response('{}', { status })
        if (looks === 12) {
          const approval = 'http://platform.example/control/domains/example.com/approve'
          await inner.fetch(new Request(approval, { method: 'POST' }))
        }
      }
      const response = await inner.fetch(request)
      if (isDomains && request.method === 'POST') isMade = true
      return response
    }
    const world = worldOf({ log: inner.log, fetch }, clock)
    const others = Array.from({ length: 30 }, (__, index) => document('Service', `S${index}`))
    const run = await apply(world, [domain, orders, ...others], '--wait-domains', '10m')
    expect(run.exitCode).toBe(isApproved ? 0 : 3)
    expect(outcomes(run).filter((line) => line.startsWith('applied Service/S'))).toHaveLength(30)
    const sent = inner.log.length
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(inner.log).toHaveLength(sent)
    const [last] = JSON.parse((await world.run(['history', '-o', 'json'])).stdout).runs
    expect(last).toMatchObject({ outcome: isApproved ? 'done' : 'incomplete' })
  })

  describe.each(['document', 'recorded'] as const)('%s: a domain that gets another name', (dialect) => {
    const moved = [
      document('Domain', { name: 'example.org', formerly: ['example.com'] }),
      document('Service', 'Orders', {
        endpoints: [endpoint('good', { publicDomains: ['api.example.org'], systemDomains: ['in.example.org'] })],
      }),
    ]
    const approve = (world: World, name: string) =>
      world.make.fetch(new Request(`http://platform.example/control/domains/${name}/approve`, { method: 'POST' }))
    const approved = async (): Promise<World> => {
      const world = embedded({ autoApprove: false, dialect })
      await apply(world, [domain])
      await approve(world, 'example.com')
      expect((await apply(world, [domain, orders])).exitCode).toBe(0)
      return world
    }

    test('is renamed before an endpoint gets a host below it', async () => {
      const { make } = embedded({ dialect })
      const slow = async (request: Request): Promise<Response> => {
        if (request.method === 'PUT' && request.url.includes('/domains/'))
          await new Promise((done) => setTimeout(done, 20))
        return make.fetch(request)
      }
      const world = worldOf({ log: make.log, fetch: slow })
      expect((await apply(world, [domain, orders])).exitCode).toBe(0)
      expect(outcomes(await apply(world, moved))).toEqual([
        'applied Domain/example.org',
        'applied Service/Orders/Endpoint/good',
      ])
    })

    test('waits for approval again, and so does its endpoint', async () => {
      const world = await approved()
      const run = await apply(world, moved)
      expect(outcomes(run)).toEqual(['applied Domain/example.org', 'waiting Service/Orders/Endpoint/good'])
      expect(run.exitCode).toBe(3)
      await approve(world, 'example.org')
      expect((await world.apply()).exitCode).toBe(0)
    })

    test('is awaited with --wait-domains', async () => {
      const world = await approved()
      world.declare(...moved)
      const sleep = async (): Promise<void> => void (await approve(world, 'example.org'))
      const run = await world.run(['apply', '--yes', '--wait-domains', '10m', '-o', 'json'], { sleep })
      expect(outcomes(run)).toEqual(['applied Domain/example.org', 'applied Service/Orders/Endpoint/good'])
      expect(run.exitCode).toBe(0)
    })
  })

  test('an endpoint whose host belongs to no domain is not reported as waiting', async () => {
    const world = embedded({ autoApprove: false })
    const stray = document('Service', 'Stray', { endpoints: [endpoint('bad', { publicDomains: ['elsewhere.test'] })] })
    const run = await apply(world, [domain, stray])
    expect(outcomes(run)).toContain('failed Service/Stray/Endpoint/bad')
  })

  test.each(makes)(
    '%s: neither is an endpoint that also writes a host of a domain that this run creates',
    async (_, make) => {
      const world = make()
      const stray = document('Service', 'Stray', {
        endpoints: [endpoint('bad', { systemDomains: ['elsewhere.test'] })],
      })
      const run = await apply(world, [domain, stray])
      expect(outcomes(run)).toContain('failed Service/Stray/Endpoint/bad')
    },
  )
})

describe.each([
  ['document', (clock: Clock) => createPlatform({ autoApprove: true, idSeed: 'away', ...clock })],
  ['another', (_: Clock) => createOtherMake()],
] as const)('a platform that fails during an apply, on the make "%s"', (_, make) => {
  const documents = Array.from({ length: 300 }, (__, index) => document('Service', `S${index}`))

  /** After the hundredth write, requests end as `ends` says, for that time. */
  function away(ms: number, ends: () => Response): World {
    const clock = testClock()
    const inner = make(clock)
    let writes = 0
    let since = Number.POSITIVE_INFINITY
    const fetch = (request: Request): Promise<Response> => {
      if (request.method === 'POST' && new URL(request.url).pathname.endsWith('/services')) writes += 1
      if (writes === 100) since = Math.min(since, clock.now())
      if (clock.now() < since || clock.now() >= since + ms) return inner.fetch(request)
      return Promise.resolve().then(ends)
    }
    return worldOf({ log: inner.log, fetch }, clock)
  }
  const refuses = (): never => {
    throw Object.assign(new TypeError('fetch failed'), {
      cause: Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
    })
  }

  test.each([
    ['connections', refuses],
    ['everything with 502', () => new Response('<html>Bad Gateway', { status: 502 })],
  ])('and refuses %s: after a minute nothing new is started', async (__, ends) => {
    const world = away(Number.POSITIVE_INFINITY, ends)
    const run = await apply(world, documents)
    expect(run.exitCode).toBe(3)
    const { summary, changes } = run.json() as unknown as RunDocument
    expect(summary.applied).toBe(99)
    expect(summary.failed).toBeGreaterThan(7)
    expect(summary.notStarted).toBeGreaterThan(50)
    expect(summary.applied + summary.failed + summary.notStarted).toBe(300)
    const words = new Set(changes.flatMap(({ outcome, error }) => (outcome === 'notStarted' ? [error] : [])))
    expect([...words]).toEqual(['every request has failed for a minute'])
  })

  test('and answers the requests that would complete new objects with 502: after a minute none is started either', async () => {
    const withRoles = documents.map((each) => ({ ...each, spec: { roles: [{ name: 'R', action: 'read' }] } }))
    const late: number[] = []
    const clock = testClock()
    const inner = make(clock)
    let since = Number.POSITIVE_INFINITY
    const fetch = (request: Request): Promise<Response> => {
      if (request.method === 'PUT') since = Math.min(since, clock.now())
      if (clock.now() < since) return inner.fetch(request)
      if (request.method !== 'GET') late.push(clock.now() - since)
      return Promise.resolve(new Response('<html>Bad Gateway', { status: 502 }))
    }
    const run = await apply(worldOf({ log: inner.log, fetch }, clock), [document('Role', 'R'), ...withRoles])
    expect(run.exitCode).toBe(3)
    // Running requests end.
    expect(late.filter((ms) => ms > 60_000).length).toBeLessThan(50)
    expect(Math.max(...late)).toBeLessThan(120_000)
  })

  test('and works again after half a minute: the rest is done', async () => {
    const world = away(30_000, refuses)
    const run = await apply(world, documents)
    const { summary } = run.json() as unknown as RunDocument
    expect([run.exitCode, summary.notStarted]).toEqual([3, 0])
    expect(summary.applied).toBeGreaterThan(200)
    expect((await world.apply()).exitCode).toBe(0)
    expect((await world.plan()).changes).toEqual([])
  })
})

describe('a key that moves to another package', () => {
  const plans = { plans: [{ name: 'Gold' }] }
  const member = (name: string) =>
    document('Member', 'acme', {
      email: 'a@example.com',
      displayName: 'Acme',
      externalId: '1',
      passwdNew: 'welcome-0001',
      applications: [
        {
          name: 'Shop',
          packageKeys: [{ package: name, plan: 'Gold', apikey: 'the-key-0001', secret: 'the-secret-0001' }],
        },
      ],
    })
  const packages = [document('Package', 'A', plans), document('Package', 'B', plans)]
  const flags = ['--allow-replace', '--allow', 'KEY_LOSS', '--allow', 'ID_CHANGE', '--allow', 'IRREVERSIBLE']

  test('is created again, even if the run is interrupted after its delete', async () => {
    const user = new AbortController()
    const world = embedded()
    await apply(world, [...packages, member('A')])
    const { fetch } = world.make
    Object.assign(world.make, {
      fetch: (request: Request) => {
        if (request.method === 'DELETE') user.abort()
        return fetch(request)
      },
    })
    world.declare(...packages, member('B'))
    await world.run(['apply', '--yes', ...flags], { signal: user.signal })
    expect((await world.plan()).changes).toEqual([])
  })

  test.each(['status-400', 'status-500'])(
    'and cannot be created again (%s) is reported as deleted, and is no drift',
    async (fault) => {
      const world = embedded({ faults: [`${fault}:POST /applications/*/packageKeys:#2`] })
      await apply(world, [...packages, member('A')])
      const run = await apply(world, [...packages, member('B')], ...flags)
      expect(run.json().changes).toMatchObject([
        { outcome: 'failed', error: expect.stringMatching(/; the old one is deleted$/) },
      ])
      expect((await world.drift()).exitCode).toBe(0)
      expect((await world.plan()).changes).toMatchObject([{ action: 'create' }])
      const undo = await world.run(['rollback', 'latest', '--yes'])
      expect(undo.stderr).toMatch(/cannot be made without a secret, and records hold none \[/)
    },
  )
})

describe('a member that gets another name', () => {
  const key = { package: 'A', plan: 'Gold', apikey: 'the-key-0001', secret: 'the-secret-0001' }
  const member = (metadata: JsonObject) =>
    document('Member', metadata, {
      email: 'a@example.com',
      displayName: 'Acme',
      externalId: '1',
      passwdNew: 'welcome-0001',
      applications: [{ name: 'Shop', packageKeys: [key] }],
    })
  const packages = document('Package', 'A', { plans: [{ name: 'Gold' }] })
  const flags = ['--allow-replace', '--allow', 'KEY_LOSS', '--allow', 'IRREVERSIBLE']

  test.each([
    'status-422:POST /members:#2',
    'status-422:POST /members/*/applications:#2',
    'status-422:POST /applications/*/packageKeys:#2',
  ])(
    'and is not restored completely (%s): the children that were deleted with the old one are no drift',
    async (fault) => {
      const world = embedded({ faults: [fault] })
      await apply(world, [packages, member({ name: 'acme' })])
      const renamed = member({ name: 'acme-corp', formerly: 'acme' })
      expect((await apply(world, [packages, renamed], ...flags)).exitCode).toBe(3)
      expect((await world.drift()).exitCode).toBe(0)
      expect((await world.plan()).changes).not.toEqual([])
      expect((await world.apply()).exitCode).toBe(0)
      expect((await world.plan()).changes).toEqual([])
    },
  )
})

describe('a create of several requests', () => {
  const documents = [
    document('Role', 'Partners'),
    document('Service', 'Orders', { roles: [{ name: 'Partners', action: 'read' }], errorSets: [{ name: 'own' }] }),
  ]

  test('is completed if the run is interrupted after the first', async () => {
    const user = new AbortController()
    const world = embedded()
    const { fetch } = world.make
    Object.assign(world.make, {
      fetch: (request: Request) => {
        if (request.method === 'POST' && request.url.includes('/services')) user.abort()
        return fetch(request)
      },
    })
    world.declare(...documents)
    await world.run(['apply', '--yes'], { signal: user.signal })
    expect((await world.plan()).changes).toEqual([])
  })

  test('is completed before other creates start, so that an interruption ends soon', async () => {
    const user = new AbortController()
    const world = embedded()
    const { fetch } = world.make
    let count = 0
    let finished = 0
    Object.assign(world.make, {
      fetch: (request: Request) => {
        if (request.method === 'POST' && new URL(request.url).pathname.endsWith('/services')) count += 1
        if (count === 60) user.abort()
        if (user.signal.aborted && request.method === 'PUT') finished += 1
        return fetch(request)
      },
    })
    const roles = [{ name: 'Partners', action: 'read' }]
    world.declare(
      document('Role', 'Partners'),
      ...Array.from({ length: 100 }, (_, index) => document('Service', `S${index}`, { roles })),
    )
    await world.run(['apply', '--yes'], { signal: user.signal })
    expect(count).toBeLessThan(80)
    expect(finished).toBeLessThan(30)
    expect((await world.plan()).changes.map(({ action }) => action)).toEqual(
      Array.from({ length: 100 - count }, () => 'create'),
    )
  })

  test('is completed by --resume if no calls were left after the first', async () => {
    const world = embedded({ faults: ['over-rate:PUT:1', 'over-rate:DELETE:1'] })
    expect((await apply(world, documents)).exitCode).toBe(3)
    expect((await world.apply('--resume')).exitCode).toBe(0)
    expect((await world.plan()).changes).toEqual([])
  })

  test('is completed by --resume, and later additions by somebody else stay', async () => {
    const world = embedded({ faults: ['over-rate:PUT:1', 'over-rate:DELETE:1'] })
    expect((await apply(world, documents)).exitCode).toBe(3)
    const rest = await restOf(world.make)
    const [service] = await rest.get('/services?fields=id')
    const errorSets = `/services/${String(service?.id)}/errorSets`
    await rest.post(errorSets, { name: 'by hand' })
    expect((await world.apply('--resume', '--prune', 'all')).exitCode).toBe(0)
    expect((await rest.get(`${errorSets}?fields=name`)).map(({ name }) => name).sort()).toEqual(['by hand', 'own'])
  })
})
