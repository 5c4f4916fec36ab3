import { expect, test } from 'vitest'
import { createPlatform } from '../../src/platform/server.js'
import { journalIn, watched } from '../kit/journal.js'
import { document, projectText } from '../kit/manifests.js'
import { testClock, type World, world } from '../kit/world.js'

/** What a test does with the requests for links by their own routes. */
interface Watch {
  readonly onLink?: (request: Request) => Response | undefined
  readonly signal?: AbortSignal
  /** The path below which nested endpoints are dropped; default: packages. */
  readonly within?: string
}

/** A platform that drops the endpoints nested in a plan service, on create and on update. */
function forgetful({ onLink, signal, within = '/packages' }: Watch = {}) {
  const clock = testClock()
  const platform = createPlatform({ autoApprove: true, idSeed: 'links', now: clock.now })
  const without = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(without)
    if (typeof value !== 'object' || value === null) return value
    const kept = Object.entries(value).filter(([name]) => name !== 'endpoints')
    return Object.fromEntries(kept.map(([name, inner]) => [name, without(inner)]))
  }
  const fetch = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url)
    const answer = isLinkRoute(pathname) && request.method !== 'GET' ? onLink?.(request) : undefined
    if (answer) return answer
    const isWrite = request.method === 'POST' || request.method === 'PUT'
    if (!isWrite || !pathname.includes(within)) return platform.fetch(request)
    const body = JSON.stringify(without(await request.json()))
    return platform.fetch(new Request(request.url, { method: request.method, headers: request.headers, body }))
  }
  const made: { area?: World } = {}
  const watching = watched({ fetch, log: platform.log }, () => made.area?.dir ?? '')
  const area = world(watching, { ...clock, ...(signal && { signal }) })
  made.area = area
  return { ...area, unannounced: watching.unannounced }
}

const isLinkRoute = (path: string): boolean => /\/services\/\w+\/endpoints(\/|$)/.test(path) && path.includes('/plans/')

const service = document('Service', 'Orders', {
  endpoints: ['one', 'two'].map((name) => ({
    name,
    requestPathAlias: `/${name}`,
    trafficManagerDomain: 'api.example.com',
    publicDomains: ['api.example.com'],
    methods: [{ name: 'list' }, { name: 'place' }],
  })),
})

const access = (endpoints: readonly { readonly name: string; readonly methods: readonly string[] }[]) =>
  document('Package', 'Access', {
    plans: [{ name: 'Gold', services: [{ name: 'Orders', endpoints: [...endpoints] }] }],
  })

test('nested links that a platform drops are written through their own routes', async () => {
  const area = forgetful()
  const domain = document('Domain', 'example.com')
  area.declare(domain, service, access([{ name: 'one', methods: ['list'] }]))
  const first = await area.apply()
  expect(first.json().summary).toMatchObject({ failed: 0, notKept: 0 })
  expect(area.make.log.some(({ method, path }) => method === 'POST' && /\/services\/\w+\/endpoints$/.test(path))).toBe(
    true,
  )
  expect((await area.plan()).changes).toEqual([])

  area.declare(domain, service, access([{ name: 'two', methods: ['list', 'place'] }]))
  expect((await area.apply()).exitCode).toBe(0)
  expect(area.make.log.some(({ method, path }) => method === 'DELETE' && /\/endpoints\/\w+$/.test(path))).toBe(true)
  expect((await area.plan()).changes).toEqual([])
  expect(area.unannounced).toEqual([])
})

test.each([401, 503, 429])('a link that is refused with %i is sent again', async (status) => {
  let turnedAway = 0
  const area = forgetful({
    onLink: ({ method }) => {
      if (method !== 'POST' || turnedAway > 0) return undefined
      turnedAway += 1
      return new Response('', { status })
    },
  })
  area.declare(document('Domain', 'example.com'), service, access([{ name: 'one', methods: ['list'] }]))
  expect((await area.apply()).json().summary).toMatchObject({ failed: 0, notKept: 0 })
  expect(turnedAway).toBe(1)
  expect((await area.plan()).changes).toEqual([])
})

test.each([
  [401, 2],
  [503, 4],
  [429, 20],
])('a link that is always answered %i is sent %i times', async (status, times) => {
  let sent = 0
  const area = await beforeLinks({
    onLink: () => {
      sent += 1
      return new Response('', { status })
    },
  })
  const run = await area.apply()
  expect(run.exitCode).toBe(3)
  expect(run.json().changes.map(({ outcome }) => outcome)).not.toContain('applied')
  const links = 2
  expect(sent).toBe(links * times)
})

test('the endpoints of an event are removed by their own route, whatever parameter name it has for their ids', async () => {
  const area = forgetful({ within: '/scheduledMaintenanceEvents' })
  const event = (...names: readonly string[]) =>
    document('ScheduledMaintenanceEvent', 'Night', {
      ...{ startDateTime: '2027-01-01T00:00:00.000+0000', endDateTime: '2027-01-01T02:00:00.000+0000' },
      endpoints: names.map((name) => ({ service: 'Orders', name })),
    })
  const domain = document('Domain', 'example.com')
  area.declare(domain, service, event('one', 'two'))
  await area.apply()
  expect(await area.plan()).toMatchObject({ changes: [] })
  area.declare(domain, service, event('two'))
  expect(await area.apply()).toMatchObject({ exitCode: 0 })
  expect(await area.plan()).toMatchObject({ changes: [] })
})

test('if conventional operations are refused, links that a platform drops are reported as not kept', async () => {
  const area = await beforeLinks({})
  area.write('gatewright.yaml', refusing)
  const before = area.make.log.length
  const run = await area.apply()
  expect(run.exitCode).toBe(3)
  expect(run.json().summary).toMatchObject({ notKept: 1 })
  const sent = area.make.log.slice(before).filter(({ method, path }) => method !== 'GET' && isLinkRoute(path))
  expect(sent).toEqual([])
})

const refusing = projectText(`  platform: {conventionalOperations: refuse}
`)

/** An area with a plan service that has no links yet, and manifests with links. */
async function beforeLinks(watch: Watch) {
  const area = forgetful(watch)
  const domain = document('Domain', 'example.com')
  area.declare(domain, service, access([]))
  expect((await area.apply()).exitCode).toBe(0)
  area.declare(
    domain,
    service,
    access([
      { name: 'one', methods: ['list'] },
      { name: 'two', methods: ['list'] },
    ]),
  )
  return area
}

const address = 'Package/Access/Plan/Gold/PlanService/Orders'

test('a refused link is reported with its request, and the others are still written', async () => {
  const refused: string[] = []
  const area = await beforeLinks({
    onLink: (request) => {
      if (refused.length > 0) return undefined
      refused.push(new URL(request.url).pathname)
      return Response.json({ errorCode: 400, errorMessage: 'no more links' }, { status: 400 })
    },
  })
  const run = await area.apply()
  const [change] = run.json().changes
  expect([change?.address, change?.outcome, run.exitCode]).toEqual([address, 'notKept', 3])
  expect(change?.error).toMatch(
    /did not keep \/endpoints, and POST \/packages\/[\w-]+\/plans\/.* is refused: 400 no more links/,
  )
  const linked = area.make.log.filter(
    ({ method, path, status }) => method === 'POST' && isLinkRoute(path) && status < 300,
  )
  expect(linked.length).toBe(2)
  // If the platform keeps only a part of a write, the rest is not an edit by somebody else.
  expect((await area.apply()).exitCode).toBe(0)
  expect((await area.plan()).changes).toEqual([])
  expect(area.unannounced).toEqual([])
})

test('the daily quota ends the writing of links', async () => {
  const over = { status: 403, headers: { 'X-Error-Code': 'ERR_403_DEVELOPER_OVER_RATE' } }
  const sent: string[] = []
  const area = await beforeLinks({
    onLink: (request) => {
      sent.push(request.url)
      return new Response('<h1>Developer Over Rate</h1>', over)
    },
  })
  const run = await area.apply()
  expect(run.exitCode).toBe(3)
  expect(sent.length).toBe(1)
  expect(run.json().changes.map(({ outcome }) => outcome)).toEqual(['notStarted'])
})

test.each(['apply', 'rollback'] as const)(
  'if the quota ends after the first link, a part of the update is made: then %s',
  async (next) => {
    const over = { status: 403, headers: { 'X-Error-Code': 'ERR_403_DEVELOPER_OVER_RATE' } }
    let sent = 0
    const area = await beforeLinks({
      onLink: () => {
        sent += 1
        return sent !== 2 ? undefined : new Response('<h1>Developer Over Rate</h1>', over)
      },
    })
    const run = await area.apply()
    expect([run.exitCode, sent]).toEqual([3, 2])
    expect(run.json().changes).toMatchObject([
      { outcome: 'failed', error: expect.stringMatching(/; a part of the update is made$/) },
    ])
    if (next === 'rollback') {
      // A rollback cannot tell the links that the run has written from those of somebody else.
      const undone = await area.run(['rollback', 'latest', '--yes'])
      expect([undone.exitCode, undone.stderr]).toEqual([
        0,
        expect.stringContaining(`${address} is left as it is: /endpoints was changed since`),
      ])
    }
    expect((await area.apply()).exitCode).toBe(0)
    expect((await area.plan()).changes).toEqual([])
  },
)

test('an interruption ends the writing of links', async () => {
  const interruption = new AbortController()
  const sent: string[] = []
  const area = await beforeLinks({
    signal: interruption.signal,
    onLink: (request) => {
      sent.push(request.method)
      interruption.abort()
      return undefined
    },
  })
  const run = await area.apply()
  expect([run.exitCode, sent]).toEqual([130, ['POST']])
  expect(run.json().changes).toMatchObject([
    { outcome: 'failed', error: expect.stringMatching(/; a part of the update is made$/) },
  ])
  const steps = journalIn(area.dir).flatMap((entry) => (entry.is === 'announced' ? [entry.step] : []))
  expect(steps.filter((step) => step.startsWith('link ')).length).toBeLessThanOrEqual(2)
})
