import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createPlatform } from '../../src/platform/server.js'
import { temporaryFolder } from '../kit/folder.js'
import { journalIn } from '../kit/journal.js'
import { type KillPoint, killedAt } from '../kit/kill.js'
import { type DocumentText, document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { strict } from '../kit/strict.js'
import { type Make, type Run, testClock, type World, world, worldIn, writesIn } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'

/** Endpoints that exchange their paths in a circle: one is at a temporary path for a moment, and never longer. */

const makes: readonly (readonly [string, () => Make])[] = [
  ['the embedded platform', () => createPlatform({ autoApprove: true, idSeed: 'moves', now: testClock().now })],
  [
    'the embedded platform, as recorded',
    () => createPlatform({ autoApprove: true, idSeed: 'moves', now: testClock().now, dialect: 'recorded' }),
  ],
  ['another make', () => strict(createOtherMake())],
]

/** Endpoints e0, e1 … of one service at these paths. */
const endpointsAt = (paths: readonly string[], more: object = {}): readonly DocumentText[] => [
  document('Domain', 'example.com'),
  document('Service', 'S', {
    endpoints: paths.map((requestPathAlias, index) => ({
      name: `e${index}`,
      requestPathAlias,
      trafficManagerDomain: 'example.com',
      publicDomains: ['example.com'],
      supportedHttpMethods: ['get'],
      ...more,
    })),
  }),
]

async function pathsIn(make: Make): Promise<Readonly<Record<string, string>>> {
  const rest = await restOf(make)
  const [service] = await rest.get('/services?fields=id,endpoints.name,endpoints.requestPathAlias')
  const endpoints = (service?.endpoints ?? []) as readonly {
    readonly name: string
    readonly requestPathAlias: string
  }[]
  return Object.fromEntries(
    [...endpoints].sort((a, b) => (a.name < b.name ? -1 : 1)).map((each) => [each.name, each.requestPathAlias]),
  )
}

const swap = { from: ['/a', '/b'], to: ['/b', '/a'] }
const circle = { from: ['/a', '/b', '/c'], to: ['/b', '/c', '/a'] }
const named = (paths: readonly string[]) => Object.fromEntries(paths.map((path, index) => [`e${index}`, path]))

/** A world in which the first paths are applied and the second ones are declared. */
async function beforeMove(make: Make, move: typeof swap, more: object = {}): Promise<World> {
  const area = world(make, testClock())
  area.declare(...endpointsAt(move.from))
  expect((await area.apply()).exitCode).toBe(0)
  area.declare(...endpointsAt(move.to, more))
  return area
}

/** Kills the apply of a move, and returns the world in which everything continues. */
async function killed(area: World, make: Make, point: KillPoint): Promise<World> {
  const copy = temporaryFolder()
  await worldIn(
    area.dir,
    killedAt(make, point, () => area.dir, copy),
    area.io,
  ).apply()
  return worldIn(copy, make, area.io)
}

/** A write that was sent and not executed is like a write that was not sent, after all earlier ones. */
const points = (writes: number): readonly KillPoint[] => [
  { write: 0, when: 'before' },
  ...Array.from({ length: writes }, (_, write): KillPoint => ({ write, when: 'after' })),
]

const notToday = (): Response => Response.json({ errorCode: 400, errorMessage: 'not today' }, { status: 400 })

/** A make that answers some writes of a run differently, by their numbers from 0. */
function refusing(
  make: Make,
  isRefused: (write: number) => boolean,
  answer: (request: Request) => Response | Promise<Response> = notToday,
): Make {
  let writes = 0
  return {
    log: make.log,
    fetch: async (request) => {
      if (request.method === 'GET' || request.url.endsWith('/token')) return make.fetch(request)
      writes += 1
      return isRefused(writes - 1) ? await answer(request) : make.fetch(request)
    },
  }
}

const outcomes = (run: Run) => run.json().changes.map(({ address, outcome }) => `${address.slice(-2)} ${outcome}`)

const errorOf = (run: Run, name: string) => run.json().changes.find(({ address }) => address.endsWith(name))?.error

describe.each(makes)('%s', (name, make) => {
  test.each([
    ['a swap', swap, 3],
    ['a circle of three', circle, 4],
  ] as const)(
    '%s, killed at every write: the next apply completes it, without a conflict',
    async (__, move, writes) => {
      const uncut = make()
      const area = await beforeMove(uncut, move)
      const before = writesIn(uncut)
      expect((await area.apply()).exitCode).toBe(0)
      expect(await pathsIn(uncut)).toEqual(named(move.to))
      expect(writesIn(uncut) - before).toBe(writes)
      // For the other makes, a kill in the middle is enough.
      for (const point of name === makes[0]?.[0] ? points(writes) : points(writes).slice(1, 2)) {
        const platform = make()
        const again = await killed(await beforeMove(platform, move), platform, point)
        const plan = await again.plan()
        expect([point, plan.diagnostics.filter(({ severity }) => severity === 'error')]).toEqual([point, []])
        const run = await again.apply()
        expect([point, run.stderr, run.exitCode]).toEqual([point, run.stderr, 0])
        expect(await pathsIn(platform)).toEqual(named(move.to))
        expect((await again.plan()).changes).toEqual([])
        expect((await again.drift()).exitCode).toBe(0)
      }
    },
  )

  test.each([
    ['a swap', swap, 3],
    ['a circle of three', circle, 4],
  ] as const)('%s with a refused write is undone completely, and reported', async (__, move, writes) => {
    for (let refused = 0; refused < writes; refused += 1) {
      const platform = make()
      const area = await beforeMove(platform, move)
      const refusal = worldIn(
        area.dir,
        refusing(platform, (write) => write === refused),
        area.io,
      )
      const run = await refusal.apply()
      expect([refused, run.exitCode, await pathsIn(platform)]).toEqual([refused, 3, named(move.from)])
      expect(outcomes(run).filter((each) => each.endsWith('applied'))).toEqual([])
      expect(errorOf(run, 'e0')).toMatch(refused === 0 ? /^400 not today$/ : /; put back as it was$/)
      expect((await area.drift()).exitCode).toBe(0)
      expect((await area.apply()).exitCode).toBe(0)
      expect(await pathsIn(platform)).toEqual(named(move.to))
    }
  })
})

describe('a swap', () => {
  const [, makeOne] = makes[0] ?? []
  const platform = () => (makeOne ?? createOtherMake)()

  test('that is refused and cannot be undone reports the path of the endpoint; the next apply completes it', async () => {
    const make = platform()
    const area = await beforeMove(make, swap)
    const run = await worldIn(
      area.dir,
      refusing(make, (write) => write > 0),
      area.io,
    ).apply()
    expect(run.exitCode).toBe(3)
    expect(outcomes(run)).toEqual(['e1 failed', 'e0 blocked'])
    const [temporary] = Object.values(await pathsIn(make))
    expect(temporary).toMatch(/^\/a-moving-[0-9a-f]{8}$/)
    expect(errorOf(run, 'e0')).toBe(
      `needs Service/S/Endpoint/e1, which is not done; requestPathAlias stands at "${temporary}" for now`,
    )
    expect(run.json().changes[1]?.left).toEqual({ requestPathAlias: temporary })
    const again = await area.apply()
    expect([again.stderr, again.exitCode]).toEqual([again.stderr, 0])
    expect(await pathsIn(make)).toEqual(named(swap.to))
  })

  test('that uses up the daily quota reports the path of the endpoint', async () => {
    const make = platform()
    const area = await beforeMove(make, swap)
    const over = { status: 403, headers: { 'X-Error-Code': 'ERR_403_DEVELOPER_OVER_RATE' } }
    const run = await worldIn(
      area.dir,
      refusing(
        make,
        (write) => write > 0,
        () => new Response('<h1>Developer Over Rate</h1>', over),
      ),
      area.io,
    ).apply()
    expect([run.exitCode, outcomes(run)]).toEqual([3, ['e1 notStarted', 'e0 notStarted']])
    expect(errorOf(run, 'e0')).toMatch(/requestPathAlias stands at "\/a-moving-[0-9a-f]{8}" for now$/)
    expect((await area.apply()).exitCode).toBe(0)
    expect(await pathsIn(make)).toEqual(named(swap.to))
  })

  test('is undone if an answer is lost, because the write may have been executed', async () => {
    for (const lost of [0, 1, 2]) {
      const make = platform()
      const area = await beforeMove(make, swap)
      // The client sends an update four times before it gives up.
      const losing = (write: number) => write >= lost && write < lost + 4
      const gone = () =>
        new TypeError('fetch failed', { cause: Object.assign(new Error('gone'), { code: 'ECONNRESET' }) })
      const silent = refusing(make, losing, async (request) => {
        await make.fetch(request)
        throw gone()
      })
      const run = await worldIn(area.dir, silent, area.io).apply()
      // The final reading shows the result of the last write.
      expect([lost, run.exitCode]).toEqual([lost, lost === 2 ? 0 : 3])
      expect([lost, await pathsIn(make)]).toEqual([lost, named(lost === 2 ? swap.to : swap.from)])
      expect((await area.apply()).exitCode).toBe(0)
      expect(await pathsIn(make)).toEqual(named(swap.to))
    }
  })

  test('of domains, verb by verb, is a swap as well, whether the paths are written or not', async () => {
    type Place = readonly [domain: string, verbs: readonly string[]]
    const at = (path: object, ...places: readonly Place[]): readonly DocumentText[] => [
      document('Domain', 'example.com'),
      document('Service', 'S', {
        endpoints: places.map(([domain, supportedHttpMethods], index) => ({
          name: `e${index}`,
          trafficManagerDomain: 'example.com',
          publicDomains: [domain],
          supportedHttpMethods: [...supportedHttpMethods],
          ...path,
        })),
      }),
    ]
    const [a, b] = ['a.example.com', 'b.example.com']
    const path = { requestPathAlias: '/p' }
    for (const [refused, written] of [
      [-1, path],
      [-1, {}],
      [1, path],
      [2, {}],
      [3, path],
    ] as const) {
      const make = strict(createOtherMake())
      const area = world(make, testClock())
      area.declare(...at(path, [a, ['get', 'post']], [b, ['get']], [b, ['post']]))
      expect((await area.apply()).exitCode).toBe(0)
      area.declare(...at(written, [b, ['get', 'post']], [a, ['get']], [a, ['post']]))
      const run = await worldIn(
        area.dir,
        refusing(make, (write) => write === refused),
        area.io,
      ).apply()
      expect([refused, run.stderr, run.exitCode]).toEqual([refused, run.stderr, refused < 0 ? 0 : 3])
      expect(Object.values(await pathsIn(make))).toEqual(['/p', '/p', '/p'])
      expect((await area.apply()).exitCode).toBe(0)
      expect((await area.plan()).changes).toEqual([])
      expect(Object.values(await pathsIn(make))).toEqual(['/p', '/p', '/p'])
    }
  })

  test('of domains that was killed restores a path that no manifest writes', async () => {
    const make = platform()
    const at = (first: string, second: string, more: object = {}) => [
      document('Domain', 'example.com'),
      document('Service', 'S', {
        endpoints: [first, second].map((domain, index) => ({
          name: `e${index}`,
          trafficManagerDomain: 'example.com',
          publicDomains: [domain],
          ...more,
        })),
      }),
    ]
    const area = world(make, testClock())
    area.declare(...at('a.example.com', 'b.example.com', { requestPathAlias: '/p' }))
    expect((await area.apply()).exitCode).toBe(0)
    area.declare(...at('a.example.com', 'b.example.com'))
    expect((await area.apply()).exitCode).toBe(0)
    area.declare(...at('b.example.com', 'a.example.com'))
    const again = await killed(area, make, { write: 0, when: 'after' })
    expect((await again.drift()).exitCode).toBe(2)
    expect((await again.apply()).exitCode).toBe(0)
    expect(await pathsIn(make)).toEqual({ e0: '/p', e1: '/p' })
  })

  test('that is interrupted is completed', async () => {
    for (const write of [0, 1, 2]) {
      const make = platform()
      const area = await beforeMove(make, swap, { numberOfHttpRedirectsToFollow: 3 })
      const interruption = new AbortController()
      const interrupting = refusing(make, (each) => {
        if (each === write) interruption.abort()
        return false
      })
      const run = await worldIn(area.dir, interrupting, { ...area.io, signal: interruption.signal }).apply()
      expect([run.exitCode, outcomes(run)]).toEqual([130, ['e1 applied', 'e0 applied']])
      expect(await pathsIn(make)).toEqual(named(swap.to))
    }
  })

  test('that is interrupted and refused is undone', async () => {
    const make = platform()
    const area = await beforeMove(make, swap)
    const interruption = new AbortController()
    const refusal = refusing(make, (write) => {
      interruption.abort()
      return write === 1
    })
    const run = await worldIn(area.dir, refusal, { ...area.io, signal: interruption.signal }).apply()
    expect([run.exitCode, outcomes(run)]).toEqual([130, ['e1 failed', 'e0 blocked']])
    expect(await pathsIn(make)).toEqual(named(swap.from))
    expect((await area.apply()).exitCode).toBe(0)
  })

  test('every request is in the journal, with its temporary change', async () => {
    const make = platform()
    const area = await beforeMove(make, swap)
    await worldIn(
      area.dir,
      refusing(make, (write) => write === 2),
      area.io,
    ).apply()
    const steps = journalIn(area.dir).flatMap((entry) => (entry.is === 'announced' ? [entry] : []))
    expect(steps.slice(-5).map(({ step }) => step.replace('Service/S/Endpoint/', ''))).toEqual([
      'temporary e0',
      'update e1',
      'update e0',
      'put back e1',
      'put back e0',
    ])
    expect(steps.at(-1)?.changes).toMatchObject({ after: { requestPathAlias: '/a' } })
  })

  test('killed with the endpoint at its temporary path: plan and drift report it, other edits are still conflicts', async () => {
    const make = platform()
    const again = await killed(await beforeMove(make, swap), make, { write: 0, when: 'after' })
    const words = /Endpoint\/e0 is at \/a-moving-[0-9a-f]{8} for now: a run that did not finish/
    const plan = await again.plan()
    expect(plan.diagnostics.map(({ message }) => message)).toEqual([expect.stringMatching(words)])
    const drift = await again.drift()
    expect([drift.exitCode, drift.json().changes.map(({ side }) => side)]).toEqual([0, ['manifest', 'manifest']])
    expect(drift.json().diagnostics.map(({ message }) => message)).toEqual([expect.stringMatching(words)])

    // The manifests go back to the applied state: nobody has changed anything, but the live state still differs from it.
    again.declare(...endpointsAt(swap.from))
    const drifted = await again.drift()
    expect([drifted.exitCode, drifted.json().changes.map(({ side }) => side)]).toEqual([2, ['live']])
    const written = await again.drift('--write')
    expect([written.exitCode, readFileSync(join(again.dir, 'manifests/all.yaml'), 'utf8')]).toEqual([
      2,
      expect.not.stringContaining('moving'),
    ])
    const elsewhere = world(make, again.io)
    expect((await elsewhere.run(['export', '--dir', 'manifests'])).exitCode).toBe(0)
    const texts = readdirSync(join(elsewhere.dir, 'manifests'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    expect(texts.join('').match(/requestPathAlias: .*/g)).toEqual(['requestPathAlias: /a', 'requestPathAlias: /b'])
    expect((await again.apply()).exitCode).toBe(0)
    expect(await pathsIn(make)).toEqual(named(swap.from))
  })

  test('that was killed and then edited by somebody is a conflict', async () => {
    const make = platform()
    const again = await killed(await beforeMove(make, swap), make, { write: 0, when: 'after' })
    const rest = await restOf(make)
    const [service] = await rest.get('/services?fields=id,endpoints.id,endpoints.name')
    const [e0] = ((service?.endpoints ?? []) as readonly { id: string; name: string }[]).filter(
      ({ name }) => name === 'e0',
    )
    await rest.put(`/services/${String(service?.id)}/endpoints/${e0?.id}`, { requestPathAlias: '/elsewhere' })
    expect((await again.apply()).exitCode).toBe(5)
  })

  test('that was killed at any write and rolled back restores the old paths', async () => {
    for (const point of points(3)) {
      const make = platform()
      const again = await killed(await beforeMove(make, swap), make, point)
      const back = await again.run(['rollback', 'latest', '--yes'])
      expect([point, back.stdout + back.stderr, back.exitCode]).toEqual([point, back.stdout + back.stderr, 0])
      expect([point, await pathsIn(make)]).toEqual([point, named(swap.from)])
    }
  })

  test('that ended with the endpoint at its temporary path can be rolled back', async () => {
    const make = platform()
    const area = await beforeMove(make, swap)
    await worldIn(
      area.dir,
      refusing(make, (write) => write > 0),
      area.io,
    ).apply()
    const back = await area.run(['rollback', 'latest', '--yes'])
    expect([back.stdout, back.stderr, back.exitCode]).toEqual([back.stdout, back.stderr, 0])
    expect(await pathsIn(make)).toEqual(named(swap.from))
  })
})
