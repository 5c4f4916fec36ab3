import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { undiciTransport } from '../../src/client/undici-transport.js'
import { startPlatform } from '../../src/platform/listen.js'
import { createPlatform } from '../../src/platform/server.js'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { canaries, storefront } from '../kit/storefront.js'
import {
  embedded,
  environment,
  type Make,
  type Run,
  testClock,
  type World,
  worldIn,
  world as worldOf,
} from '../kit/world.js'
import { makes } from '../other-make/worlds.js'

const io = { env: { ...environment, ...canaries } }
const allowed = ['TRAFFIC_STOP', 'IRREVERSIBLE', 'KEY_LOSS', 'AUTH_WEAKENED', 'LIMIT_LOWERED', 'ID_CHANGE']
const flags = ['--yes', ...allowed.flatMap((name) => ['--allow', name])]

const collections = [
  '/services',
  '/packages',
  '/roles',
  '/domains',
  '/members',
  '/applications',
  '/packageKeys',
  '/scheduledMaintenanceEvents',
]

/** No two objects of a collection have the same name, and neither do the children of a service or package. */
async function expectNothingTwice(make: Make): Promise<void> {
  const rest = await restOf(make)
  for (const path of collections) {
    const fields = 'id,name,username,domain,apikey,endpoints.name,endpoints.methods.name,errorSets.name,plans.name'
    const objects = await rest.get(`${path}?fields=${fields}&limit=100`)
    expectDistinct(objects)
    for (const object of objects)
      for (const list of Object.values(object)) if (Array.isArray(list)) expectDistinct(list)
  }
}

function expectDistinct(objects: readonly unknown[]): void {
  const names = objects.map((object) => {
    const { name, username, domain, apikey } = object as Readonly<Record<string, unknown>>
    return String(name ?? username ?? domain ?? apikey)
  })
  expect([...new Set(names)]).toEqual(names)
}

function expectNoSecret(run: Run): void {
  for (const secret of Object.values(canaries)) expect(run.stdout + run.stderr).not.toContain(secret)
}

/** Applies until nothing is left to do, as a user would; returns the number of applies. */
async function applyAll(world: World): Promise<number> {
  for (let round = 1; round <= 4; round += 1) {
    const run = await world.run(['apply', ...flags], io)
    expectNoSecret(run)
    if (run.exitCode === 0) return round
    expect([1, 3], run.stdout + run.stderr).toContain(run.exitCode)
  }
  throw new Error('four applies did not do it')
}

const changed = storefront.map((each) =>
  each.kind === 'Service' || each.kind === 'Package'
    ? { ...each, spec: { ...each.spec, description: 'changed' } }
    : each,
)

/** The faults of the platform, and the number of applies that may be needed until all is done. */
const faults: readonly (readonly [spec: readonly string[], applies: number])[] = [
  [['reset-before:POST:1', 'reset-before:POST:#6'], 4],
  [['reset-after:POST:1', 'reset-after:POST:%3'], 1],
  [['reset-before:PUT:2'], 1],
  [['reset-after:PUT:2'], 1],
  [['reset-before:DELETE:1'], 1],
  [['reset-after:DELETE:1'], 1],
  [['reset-before:GET:2'], 1],
  [['reset-after:GET:2'], 1],
  [['status-500:GET:2', 'status-500:PUT:2', 'status-500:DELETE:1'], 1],
  [['status-502:GET:2', 'status-502:PUT:2'], 1],
  [['status-503:GET:3', 'status-503:PUT:2'], 1],
  [['status-500:POST:2'], 2],
  [['status-503:POST:3'], 3],
  [['truncate:GET:1'], 2],
  [['truncate:POST:%2'], 2],
  [['truncate:PUT:%2'], 2],
  [['html:GET:#3'], 2],
  [['html:POST:1'], 2],
  [['html:PUT:1'], 2],
  [['expire-token:#9', 'expire-token:#23'], 1],
  [['expire-token:#9', 'expire-token:#30', 'status-400:POST /v3/token:#2'], 1],
  [['status-400:POST /services/{id}/errorSets:1', 'status-400:POST /applications/{id}/packageKeys:1'], 2],
  [['over-qps:5', 'over-qps:#20', 'over-qps:#33'], 1],
]

describe('whatever the platform does, a later apply ends in the state of one without faults', () => {
  test.each(faults)('%j in %i applies', async (spec, applies) => {
    const world = embedded({ faults: spec })
    world.declare(...storefront)
    let taken = await applyAll(world)
    world.declare(...changed)
    taken = Math.max(taken, await applyAll(world))
    expect(taken).toBeLessThanOrEqual(applies)
    await expectNothingTwice(world.make)
    const plan = await world.run(['plan', '-o', 'json'], io)
    expect(plan.json().changes).toEqual([])
  })
})

describe('an answer that does not arrive in time', () => {
  // They wait in real time, so all run at once.
  test.concurrent.each(['POST /roles', 'PUT /roles/{id}', 'GET /roles'])(
    '%s is completed without doing it twice',
    async (target) => {
      const running = await startPlatform({ faults: [`slow-900:${target}:1`], autoApprove: true })
      const dir = mkdtempSync(join(tmpdir(), 'gatewright-test-'))
      try {
        const world = worldIn(dir, running.platform, {
          env: { ...environment, GATEWRIGHT_URL: running.url },
          transport: () => Promise.resolve(undiciTransport({ timeoutMs: 250 })),
          sleep: (ms) => new Promise((resolve) => setTimeout(resolve, Math.min(ms, 200))),
        })
        world.declare(document('Role', 'Partners', { description: 'one' }))
        expect((await world.run(['apply', '--yes'])).exitCode).toBe(0)
        world.declare(document('Role', 'Partners', { description: 'two' }))
        expect((await world.run(['apply', '--yes'])).exitCode).toBe(0)
        // All late requests have arrived by now.
        await new Promise((resolve) => setTimeout(resolve, 900))
        expect((await world.plan()).changes).toEqual([])
        const roles = (await (await restOf(running.platform)).get('/roles?fields=name')).filter(
          ({ name }) => name === 'Partners',
        )
        expect(roles).toHaveLength(1)
      } finally {
        await running.close()
        rmSync(dir, { recursive: true, force: true })
      }
    },
  )
})

describe('pages that change while they are read', () => {
  /** A platform with 250 roles, whose nth page is answered differently. */
  function odd(
    nth: number,
    answer: (request: Request, make: Make) => Promise<Response>,
  ): { world: World; pages: () => number } {
    const clock = testClock()
    const roles = Array.from({ length: 250 }, (_, index) => ({
      id: `r${index}`,
      name: `Role ${index}`,
      created: `2026-01-01T00:${String(Math.floor(index / 60)).padStart(2, '0')}:${String(index % 60).padStart(2, '0')}.000+0000`,
    }))
    const platform = createPlatform({ autoApprove: true, idSeed: 'pages', seed: { roles }, now: clock.now })
    let pages = 0
    const fetch = (request: Request) => {
      const { pathname, searchParams } = new URL(request.url)
      const isPage = request.method === 'GET' && pathname.endsWith('/roles') && searchParams.has('limit')
      if (isPage) pages += 1
      return isPage && pages === nth ? answer(request, platform) : platform.fetch(request)
    }
    return { world: worldOf({ log: platform.log, fetch }, clock), pages: () => pages }
  }

  /** Something else happens right before the nth page is answered. */
  const moving = (nth: number, happening: (make: Make) => Promise<unknown>) =>
    odd(nth, async (request, make) => {
      await happening(make)
      return make.fetch(request)
    })

  const declared = Array.from({ length: 250 }, (_, index) => document('Role', `Role ${index}`))

  test('a deleted object causes one more reading, and no existing object is created', async () => {
    const { world, pages } = moving(3, async (make) => (await restOf(make)).remove('/roles/r3'))
    world.declare(...declared)
    const plan = await world.plan()
    expect(plan.changes.map(({ action, address }) => `${action} ${address}`)).toEqual(['create Role/Role 3'])
    expect(pages()).toBe(6 + 1)
  })

  test('an inserted object is not read twice', async () => {
    const { world } = moving(2, async (make) => (await restOf(make)).post('/roles', { name: 'Another' }))
    world.declare(...declared)
    expect((await world.plan()).changes).toEqual([])
  })

  /** The number of pages that an apply requests when it creates these roles. */
  async function pagesFor(...names: readonly string[]): Promise<number> {
    const { world, pages } = moving(99, () => Promise.resolve())
    world.declare(...declared, ...names.map((name) => document('Role', name)))
    expect((await world.apply()).exitCode).toBe(0)
    return pages()
  }

  test('before creates that depend on several pages, the pages are read again, or the names are searched for', async () => {
    // The pages of the plan, and the name; the final reading reads only the new role.
    expect(await pagesFor('New')).toBe(3 + 1)
    expect(await pagesFor('One', 'Two')).toBe(3 + 2)
    // The pages again, and those of the final reading.
    expect(await pagesFor('One', 'Two', 'Three', 'Four')).toBe(3 + 3 + 3)
    // A name that no filter can have.
    expect(await pagesFor('One, two')).toBe(3 + 3)
  })

  test.each(makes)(
    'before many creates, the names of the collection are read once more, on the make "%s"',
    async (_, make) => {
      const world = make()
      const services = (name: string) =>
        Array.from({ length: 120 }, (_, index) =>
          document('Service', `${name} ${index}`, { description: `${name} ${index}` }),
        )
      world.declare(...services('Old'))
      expect((await world.apply()).exitCode).toBe(0)
      world.requests()
      world.declare(...services('New'))
      expect((await world.apply()).exitCode).toBe(0)
      const looks = world.requests().filter(({ query }) => new URLSearchParams(query).get('fields') === 'id,name')
      // Its two pages, and one more request to see the end on a platform without a count.
      expect(looks.length).toBeGreaterThan(0)
      expect(looks.length).toBeLessThanOrEqual(4)
      expect(looks.filter(({ query }) => query.includes('filter='))).toEqual([])
    },
  )

  test('an object that had moved to another page during the reading is not created again', async () => {
    const { world } = odd(2, async (request, { fetch }) => {
      const body = (await (await fetch(request)).text()).replace('"r150"', '"rX"').replace('"Role 150"', '"Role X"')
      return new Response(body, { headers: { 'x-total-count': '250' } })
    })
    world.declare(...declared)
    const run = await world.apply()
    expect([run.exitCode, run.stdout]).toEqual([4, expect.stringContaining('Role/Role 150')])
    expect(world.requests().filter(({ method, path }) => method !== 'GET' && !path.endsWith('/token'))).toEqual([])
    expect((await world.plan()).changes).toEqual([])
  })
})

test('the last body of a refusal is displayed, with its secrets masked', async () => {
  const clock = testClock()
  const platform = createPlatform({ idSeed: 'echo', now: clock.now })
  const make: Make = {
    log: platform.log,
    fetch: async (request) => {
      if (request.method !== 'POST' || !request.url.includes('/members')) return platform.fetch(request)
      const sent = await request.text()
      return Response.json(
        { errorCode: 400, errorMessage: `cannot take ${sent}`, errors: [{ property: 'email', message: 'is odd' }] },
        { status: 400 },
      )
    },
  }
  const world = worldOf(make, clock)
  const [member] = storefront.filter(({ kind }) => kind === 'Member')
  if (member) world.declare(document('Role', 'Partners'), { ...member, spec: { ...member.spec, applications: [] } })
  const run = await world.run(['apply', '--yes'], io)
  expect(run.exitCode).toBe(3)
  expect(run.stdout + run.stderr).toContain('is odd')
  expect(run.stdout + run.stderr).toContain('cannot take')
  expectNoSecret(run)
})

test('a refusal that contains the previous secret of the platform does not display it', async () => {
  const clock = testClock()
  const taking = createPlatform({ idSeed: 'holds', now: clock.now })
  let held = ''
  const make: Make = {
    log: taking.log,
    fetch: async (request) =>
      request.method === 'PUT'
        ? Response.json({ errorCode: 400, errorMessage: `cannot be changed: ${held}` }, { status: 400 })
        : taking.fetch(request),
  }
  const world = worldOf(make, clock)
  world.declare(document('Service', 'Orders', { description: '${env:PARTNER}' }))
  const apply = (partner: string) =>
    world.run(['apply', '--yes', '--debug'], { env: { ...environment, PARTNER: partner } })
  expect(await apply('first-canary')).toMatchObject({ exitCode: 0 })
  held = 'description is "first-canary"'
  const run = await apply('second-canary')
  expect(run.exitCode).toBe(3)
  expect(run.stderr).toContain('cannot be changed: description is')
  expect(run.stdout + run.stderr).not.toContain('first-canary')
})

test.each([
  ['the variables', ''],
  ['the project file', 'credentials: {apiKey: "${env:A}", apiSecret: "${env:B}", username: u, password: "${env:C}"}'],
])('a refusal that repeats the login of %s shows none of its secrets', async (_, credentials) => {
  const login = { A: 'key-canary', B: 'hidden-canary', C: 'word-canary' }
  const own = { GATEWRIGHT_API_KEY: login.A, GATEWRIGHT_API_SECRET: login.B, GATEWRIGHT_PASSWORD: login.C }
  const make: Make = {
    log: [],
    fetch: async (request) => {
      const sent = atob(request.headers.get('authorization')?.replace('Basic ', '') ?? '')
      const refusal = { error: 'invalid_client', error_description: `unknown: ${sent} ${await request.text()}` }
      return Response.json(refusal, { status: 401 })
    },
  }
  const world = worldOf(make)
  world.write(
    'gatewright.yaml',
    `{apiVersion: gatewright/v1, kind: Project, metadata: {name: shop}, spec: {manifests: [m], platform: {${credentials}}}}`,
  )
  world.write('m/domain.yaml', 'apiVersion: gatewright/v1\nkind: Domain\nmetadata: {name: example.com}\n')
  const env = { ...environment, ...(credentials === '' ? own : login) }
  const run = await world.run(['plan', '--debug', '--log-http', 'http.jsonl'], { env })
  expect(run.exitCode).toBe(1)
  expect(run.stderr).toContain('unknown: ***:*** ')
  expect(run.stderr + run.stdout + readFileSync(join(world.dir, 'http.jsonl'), 'utf8')).not.toMatch(/canary/)
})

test.each(['one kind still declared', 'no other object of its kind'])(
  'a delete that the platform accepts but does not do is reported as not done, and is planned again: %s',
  async (which) => {
    const here = embedded({ faults: ['status-200-empty:DELETE'] })
    const kept = which === 'one kind still declared' ? document('Service', 'Orders') : document('Role', 'Partners')
    const gone = document('Package', 'Gold', { plans: [{ name: 'Year' }] })
    here.declare(kept, document('Service', 'Legal'), gone)
    expect(await here.run(['apply', '--yes'])).toMatchObject({ exitCode: 0 })
    here.declare(kept)
    const run = await here.run(['apply', '--yes'])
    expect(run.exitCode).toBe(3)
    for (const address of ['Service/Legal', 'Package/Gold'])
      expect(run.stderr).toContain(
        `error: delete of ${address}, and of 1 object in it: the platform accepted it and still lists the deleted object [change-not-kept]`,
      )
    expect((await here.run(['plan'])).stdout).toContain('to delete')
  },
)

test('a delete that is refused is reported at its position in the manifests', async () => {
  const here = embedded({ faults: ['status-403:DELETE'] })
  const plans = (...names: readonly string[]) => document('Package', 'Gold', { plans: names.map((name) => ({ name })) })
  here.declare(document('Role', 'Partners'), plans('Year', 'Month'))
  expect(await here.run(['apply', '--yes'])).toMatchObject({ exitCode: 0 })
  here.declare(document('Removed', { address: 'Role/Partners' }), plans('Year'))
  const run = await here.run(['apply', '--yes'])
  expect(run.exitCode).toBe(3)
  expect(run.stderr).toContain('manifests/all.yaml:4:12: error: delete of Role/Partners: 403 fault')
  expect(run.stderr).toContain('manifests/all.yaml:6:1: error: delete of Package/Gold/Plan/Month: 403 fault')
})

test.each([500, 408])('a write that is answered %i each time, and carried out, is applied', async (status) => {
  const here = embedded({ faults: [`after-${status}:PUT`, `after-${status}:DELETE`] })
  here.declare(document('Role', 'Partners', { description: 'before' }), document('Role', 'Guests'))
  await here.apply()
  here.declare(document('Role', 'Partners', { description: 'after' }))
  const run = await here.run(['apply', '-o', 'json', '--prune', 'applied', ...flags])
  expect([run.exitCode, run.json().changes.map(({ outcome }) => outcome)]).toEqual([0, ['applied', 'applied']])
})

test.each([
  [
    'status-200-empty:DELETE',
    'the platform accepted the delete of Service/Orders/ErrorSet/Default, which it had added by itself, and still lists it [change-not-kept]',
  ],
  ['status-400:DELETE', '400 fault; the object is created, but not complete [change-failed]'],
  ['status-500:DELETE', '500 fault; the object is created, but not complete [change-failed]'],
])(
  'an object that the platform adds to a new object, and does not delete, is reported with that object: %s',
  async (fault, words) => {
    const here = embedded({ faults: [fault] })
    here.declare(document('Service', 'Orders', { errorSets: [{ name: 'own' }] }), document('Service', 'Legal'))
    const run = await here.run(['apply', '--yes'])
    expect(run.exitCode).toBe(3)
    expect(run.stderr).toContain(`error: create of Service/Orders: ${words}`)
    expect(run.stderr).not.toContain('create of Service/Legal')
    expect((await here.plan()).changes.map(({ action, address }) => `${action} ${address}`)).toEqual([
      'delete Service/Orders/ErrorSet/Default',
    ])
  },
)

test('a platform that answers verbs in capitals means the same verbs', async () => {
  const platform = createPlatform({ autoApprove: true, idSeed: 'test', ...testClock() })
  const here = worldOf({
    log: platform.log,
    fetch: async (request) => {
      const response = await platform.fetch(request)
      if (request.url.endsWith('/token')) return response
      const text = (await response.text()).replaceAll(/"(get|post)"/g, (word) => word.toUpperCase())
      const { status } = response
      return new Response(text, { status, headers: { 'content-type': 'application/json' } })
    },
  })
  here.declare(...storefront.filter(({ kind }) => kind === 'Domain' || kind === 'Service' || kind === 'Role'))
  expect((await here.run(['apply', '--yes'], io)).exitCode).toBe(0)
  expect((await here.run(['plan', '--exit-code'], io)).exitCode).toBe(0)
  const run = await here.run(['export', '--dir', 'out'], io)
  expect(run.stderr).not.toContain('supportedHttpMethods')
})

test('if a platform answers 404 to a reference to a new object, the request is sent again', async () => {
  const clock = testClock()
  const platform = createPlatform({ autoApprove: true, idSeed: 'young', ...clock })
  const made = new Map<string, number>()
  const here = worldOf(
    {
      log: platform.log,
      fetch: async (request) => {
        const sent = request.method === 'GET' ? '' : request.url + (await request.clone().text())
        for (const [id, at] of made)
          if (sent.includes(id) && clock.now() - at < 3000)
            return Response.json({ errorCode: 404, errorMessage: 'Object not found' }, { status: 404 })
        const response = await platform.fetch(request)
        if (request.method !== 'POST' || request.url.endsWith('/token')) return response
        for (const [, id = ''] of (await response.clone().text()).matchAll(/"id":"([\w-]{20,})"/g))
          made.set(id, clock.now())
        return response
      },
    },
    clock,
  )
  here.declare(...storefront)
  const run = await here.run(['apply', '--yes'], io)
  expect(run.stderr).not.toContain('not offered')
  expect(run.exitCode).toBe(0)
  expect((await here.run(['plan', '--exit-code'], io)).exitCode).toBe(0)
  await expectNothingTwice(platform)
})

test('a rollback does not mention deletes that the platform accepted but did not do', async () => {
  const here = embedded({ faults: ['status-200-empty:DELETE'] })
  here.declare(document('Role', 'Partners'), document('Package', 'Gold', { plans: [{ name: 'Year' }] }))
  await here.run(['apply', '--yes'])
  const first = await here.run(['rollback', 'latest', '--yes'])
  expect(first.exitCode).toBe(3)
  const second = await here.run(['rollback', 'latest', '--yes'])
  expect(second.exitCode).toBe(0)
  expect(second.stdout).toContain('nothing to do')
  expect(second.stderr).not.toContain('cannot be undone')
})

test('a field that is no longer written and that the platform does not clear is reported as not kept, and stays in the plan', async () => {
  const platform = createPlatform({ autoApprove: true, idSeed: 'unset' })
  let isDeaf = false
  const fetch: Make['fetch'] = (request) => {
    if (!isDeaf || request.method !== 'PUT') return platform.fetch(request)
    return Promise.resolve(Response.json({}))
  }
  const here = worldOf({ fetch, log: platform.log }, testClock())
  here.declare(document('Package', 'Gold', { description: 'two' }))
  expect(await here.run(['apply', '--yes'])).toMatchObject({ exitCode: 0 })
  here.declare(document('Package', 'Gold'))
  isDeaf = true
  const run = await here.run(['apply', '--yes'])
  expect(run.exitCode, run.stdout).toBe(3)
  expect(run.stderr).toContain(
    'update of Package/Gold: the platform accepted it and did not keep /description [change-not-kept]',
  )
  isDeaf = false
  expect(await here.run(['apply', '--yes'])).toMatchObject({ exitCode: 0 })
  expect((await here.run(['plan'])).stdout).toContain('nothing to do')
})
