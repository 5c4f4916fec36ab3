import { describe, expect, test } from 'vitest'
import { makesWith } from '../kit/makes.js'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { type Make, testClock, world } from '../kit/world.js'

/**
 * Writes that the platform refuses again and again, runs that are interrupted meanwhile, and deletes of objects without a list.
 */

interface Watch {
  readonly path: RegExp
  /** The answer to the n-th POST there; undefined: it is carried out. */
  readonly answer: (count: number) => Response | undefined
  /** The run is interrupted while it waits after this number of POSTs. */
  readonly endsAfter?: number
}

describe.each(makesWith())('%s: a write', (name, create) => {
  function watched({ path, answer, endsAfter }: Watch) {
    const clock = testClock()
    const make = create(clock)
    const user = new AbortController()
    const seen = { posts: 0 }
    const fetch = (request: Request): Promise<Response> => {
      if (request.method !== 'POST' || !path.test(new URL(request.url).pathname)) return make.fetch(request)
      seen.posts += 1
      const answered = answer(seen.posts)
      return answered ? Promise.resolve(answered) : make.fetch(request)
    }
    const sleep = (milliseconds: number): Promise<void> => {
      if (seen.posts === endsAfter) user.abort()
      return clock.sleep(milliseconds)
    }
    return { area: world({ log: make.log, fetch }, { ...clock, sleep, signal: user.signal }), seen }
  }

  const outcomes = (run: { json: () => { changes: readonly { address: string; outcome?: string }[] } }) =>
    run.json().changes.map(({ outcome }) => outcome)

  test.each([
    [401, 2],
    [503, 4],
    [429, 20],
  ])('that is always answered %i is sent %i times', async (status, times) => {
    const { area, seen } = watched({ path: /\/roles$/, answer: () => new Response('', { status }) })
    area.declare(document('Role', 'R'))
    const run = await area.apply()
    expect([run.exitCode, outcomes(run), seen.posts]).toEqual([3, ['failed'], times])
  })

  // In the dialect "recorded", every endpoint has a cache, so it is updated.
  test.skipIf(name === 'recorded')(
    'of a single child is sent as often, after a write with an unknown outcome',
    async () => {
      const route = {
        requestPathAlias: '/e',
        trafficManagerDomain: 'api.example.com',
        publicDomains: ['api.example.com'],
      }
      const endpoint = (more: object) => document('Service', 'S', { endpoints: [{ name: 'e', ...route, ...more }] })
      const answer = (count: number) => new Response('', { status: count === 1 ? 504 : 503 })
      const { area, seen } = watched({ path: /\/cache$/, answer })
      area.declare(document('Domain', 'example.com'), endpoint({}))
      expect((await area.apply()).exitCode).toBe(0)
      area.declare(document('Domain', 'example.com'), endpoint({ cache: { clientSurrogateControlEnabled: true } }))
      const run = await area.apply()
      expect([run.exitCode, outcomes(run), seen.posts]).toEqual([3, ['failed'], 5])
      expect(run.json().changes[0]?.error).toContain('unknown whether it was created')
    },
  )

  test.each([
    [401, true],
    [503, false],
    [429, false],
  ])('that is answered %i and interrupted before it is sent again is unknown: %s', async (status, isUnknown) => {
    const answer = () => new Response('', { status })
    const { area, seen } = watched({ path: /\/roles$/, answer, endsAfter: 1 })
    area.declare(document('Role', 'R'))
    const run = await area.apply()
    expect([run.exitCode, outcomes(run), seen.posts]).toEqual([130, ['failed'], 1])
    expect(run.json().changes[0]?.error?.includes('unknown whether it was created')).toBe(isUnknown)
  })

  test('a delete that is answered 404 is not done if the platform gives no list to check', async () => {
    const clock = testClock()
    const make = create(clock)
    let isDeleting = false
    const fetch = (request: Request): Promise<Response> => {
      const { pathname } = new URL(request.url)
      if (request.method === 'DELETE') isDeleting = true
      if (!isDeleting || !/\/roles(\/|$)/.test(pathname)) return make.fetch(request)
      return Promise.resolve(Response.json({ errorCode: 404, errorMessage: 'not found' }, { status: 404 }))
    }
    const area = world({ log: make.log, fetch }, clock)
    area.declare(document('Role', 'R'))
    expect((await area.apply()).exitCode).toBe(0)
    area.declare(document('Removed', { address: 'Role/R' }))
    const run = await area.apply('--allow', 'IRREVERSIBLE', '--allow', 'TRAFFIC_STOP')
    expect([isDeleting, run.exitCode, outcomes(run)]).toEqual([true, 3, ['failed']])
  })
})

interface SlowToShow {
  readonly forMs: number
  /** The answer to the first write below the member. */
  readonly status: 401 | 503
}

/** A make that shows a new member only after some time. It executes the first write below the member if it answers 401. */
function slowToShowMembers(make: Make, { now }: ReturnType<typeof testClock>, { forMs, status }: SlowToShow): Make {
  let shownFrom = 0
  let writes = 0
  return {
    log: make.log,
    fetch: async (request) => {
      const { pathname } = new URL(request.url)
      if (request.method === 'POST' && pathname.endsWith('/members')) shownFrom = now() + forMs
      const isBelow = /\/members\/[^/]+/.test(pathname)
      if (isBelow && request.method === 'POST' && ++writes === 1) {
        if (status === 401) await make.fetch(request)
        return new Response('', { status })
      }
      const isHidden = isBelow && request.method === 'GET' && now() < shownFrom
      return isHidden ? new Response('', { status: 404 }) : make.fetch(request)
    },
  }
}

describe.each(makesWith())('%s: a create that is turned away', (_, create) => {
  const fields = { email: 'a@b.example', displayName: 'A', externalId: '1', passwdNew: 'password-1' }
  const member = document('Member', 'acme', { ...fields, applications: [{ name: 'Shop' }] })

  test('is sent again although its parent, which is new as well, is not visible yet', async () => {
    const clock = testClock()
    const area = world(slowToShowMembers(create(clock), clock, { forMs: 6000, status: 503 }), clock)
    area.declare(member)
    const run = await area.apply()
    expect([run.exitCode, run.json().changes.map(({ outcome }) => outcome)]).toEqual([0, ['applied', 'applied']])
    expect((await area.plan()).changes).toEqual([])
  })

  test('is not sent again after a 401 if its parent is not visible: it may have been executed', async () => {
    const clock = testClock()
    const make = create(clock)
    const area = world(slowToShowMembers(make, clock, { forMs: 6000, status: 401 }), clock)
    area.declare(member)
    expect((await area.apply()).exitCode).toBe(0)
    expect(await (await restOf(make)).get('/applications')).toHaveLength(1)
    expect((await area.plan()).changes).toEqual([])
  })
})
