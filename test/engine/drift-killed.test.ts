import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/json.js'
import { temporaryFolder } from '../kit/folder.js'
import { killedAt } from '../kit/kill.js'
import { makesWith } from '../kit/makes.js'
import { document } from '../kit/manifests.js'
import { testClock, type World, worldIn } from '../kit/world.js'

/**
 * Changes that a killed run has not reached are not applied yet: nobody has changed them on the platform, and --resume does
 * them.
 */

const makes = makesWith({ defaultErrorSet: 'always' })

const domain = document('Domain', 'example.com')

/** Roles follow the create of their service, references of an endpoint follow the create of its tree. */
const documents = (isEveryField: boolean) => [
  domain,
  document('Role', 'Partners'),
  document('Service', 'Orders', {
    roles: [{ name: 'Partners', action: 'read' }],
    errorSets: [{ name: 'own' }],
    endpoints: [
      {
        ...{ name: 'e', requestPathAlias: '/e', trafficManagerDomain: 'example.com', publicDomains: ['example.com'] },
        ...(isEveryField && { errorSet: 'own' }),
      },
    ],
  }),
]

test.each(makes)('on the make "%s" a run that is killed at any of its writes leaves no drift', async (name, makeIn) => {
  const points = [0, 1, 2, 3, 4].flatMap((write) => [
    { write, when: 'before' } as const,
    { write, when: 'after' } as const,
  ])
  const found: string[] = []
  for (const point of points) {
    const clock = testClock()
    const make = makeIn(clock)
    const first = worldIn(temporaryFolder(), make, clock)
    first.declare(domain)
    expect((await first.apply()).exitCode).toBe(0)
    const copy = temporaryFolder()
    const dead = { now: clock.now, sleep: () => Promise.resolve() }
    const cut: World = worldIn(
      first.dir,
      killedAt(make, point, () => first.dir, copy),
      dead,
    )
    cut.declare(...documents(name !== 'another make'))
    if ((await cut.apply()).exitCode === 0) continue
    const left = worldIn(copy, make, clock)
    found.push(`${point.write} ${point.when}: ${(await left.drift()).exitCode}`)
    expect((await left.run(['apply', '--yes', '--resume'])).exitCode).toBe(0)
    expect((await left.plan()).changes).toEqual([])
    expect((await left.drift()).exitCode).toBe(0)
  }
  expect(found.length).toBeGreaterThan(5)
  expect(found.filter((each) => !each.endsWith(': 0'))).toEqual([])
})

test.each(makes)(
  'on the make "%s" an object that the platform adds by itself is not reported as no longer declared',
  async (_, makeIn) => {
    for (const when of ['before', 'after'] as const) {
      const clock = testClock()
      const make = makeIn(clock)
      const first = worldIn(temporaryFolder(), make, clock)
      const copy = temporaryFolder()
      const cut = worldIn(
        first.dir,
        killedAt(make, { write: 1, when }, () => first.dir, copy),
        { now: clock.now, sleep: () => Promise.resolve() },
      )
      cut.declare(
        document('Role', 'Partners'),
        document('Service', 'S', { roles: [{ name: 'Partners', action: 'read' }] }),
      )
      expect((await cut.apply()).exitCode).not.toBe(0)
      const left = worldIn(copy, make, clock)
      for (const run of [await left.drift(), await left.run(['plan', '-o', 'json'])]) {
        expect(run.json().diagnostics.map(({ code }) => code)).not.toContain('last-one-stays')
      }
      expect((await left.apply()).exitCode).toBe(0)
      expect((await left.plan()).changes).toEqual([])
    }
  },
)

test.each(makes)(
  'on the make "%s" a value that a killed run has perhaps written is nobody’s edit (A88)',
  async (_, makeIn) => {
    const about = (description: string) => document('Service', 'S', { description })
    for (const when of ['before', 'after'] as const) {
      const clock = testClock()
      const make = makeIn(clock)
      const first = worldIn(temporaryFolder(), make, clock)
      first.declare(about('one'))
      expect((await first.apply()).exitCode).toBe(0)
      const copy = temporaryFolder()
      const dying = killedAt(make, { write: 0, when }, () => first.dir, copy)
      const cut = worldIn(first.dir, dying, { now: clock.now, sleep: () => Promise.resolve() })
      cut.declare(about('two'))
      expect((await cut.apply()).exitCode).not.toBe(0)
      const left = worldIn(copy, make, clock)
      left.declare(about('three'))
      expect((await left.plan()).changes).toMatchObject([{ fields: [{ path: '/description', verdict: 'pending' }] }])
      expect((await left.apply()).exitCode).toBe(0)
      expect((await left.drift()).exitCode).toBe(0)
    }
  },
)

test.each(makes)(
  'on the make "%s" a value that a killed run has perhaps cleared is nobody’s edit (A88)',
  async (_, makeIn) => {
    const endpoint = { name: 'e', requestPathAlias: '/e', trafficManagerDomain: 'example.com' }
    const service = (own: JsonObject, inner: JsonObject) =>
      document('Service', 'S', {
        version: '1',
        ...own,
        endpoints: [{ ...endpoint, publicDomains: ['example.com'], ...inner }],
      })
    const states: readonly (readonly [JsonObject, JsonObject, readonly [JsonObject, JsonObject]])[] = [
      [{ description: 'one' }, {}, [{ description: 'two' }, {}]],
      [{}, { dropApiKeyFromIncomingCall: false }, [{}, { dropApiKeyFromIncomingCall: true }]],
      [{}, { numberOfHttpRedirectsToFollow: 3 }, [{}, { numberOfHttpRedirectsToFollow: 4 }]],
      [{}, { supportedHttpMethods: ['get', 'put'] }, [{}, { supportedHttpMethods: ['get'] }]],
      [{}, { cors: { allDomainsEnabled: true, maxAge: 10 } }, [{}, { cors: { allDomainsEnabled: true, maxAge: 20 } }]],
    ]
    for (const [own, inner, other] of states) {
      for (const when of ['before', 'after'] as const) {
        const clock = testClock()
        const make = makeIn(clock)
        const first = worldIn(temporaryFolder(), make, clock)
        first.declare(domain, service(own, inner))
        expect((await first.apply()).exitCode).toBe(0)
        const copy = temporaryFolder()
        const dying = killedAt(make, { write: 0, when }, () => first.dir, copy)
        const cut = worldIn(first.dir, dying, { now: clock.now, sleep: () => Promise.resolve() })
        cut.declare(domain, service({}, {}))
        expect((await cut.apply()).exitCode).not.toBe(0)
        const left = worldIn(copy, make, clock)
        left.declare(domain, service({}, {}))
        const { changes, diagnostics } = await left.plan()
        expect([own, inner, when, changes.length, diagnostics]).toEqual([
          own,
          inner,
          when,
          when === 'before' ? 1 : 0,
          [],
        ])
        left.declare(domain, service(...other))
        const verdicts = (await left.plan()).changes.flatMap(({ fields }) => fields.map(({ verdict }) => verdict))
        expect([other, when, new Set(verdicts)]).toEqual([other, when, new Set(['pending'])])
      }
    }
  },
)
