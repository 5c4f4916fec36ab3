import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/json.js'
import { temporaryFolder } from '../kit/folder.js'
import { killedAt } from '../kit/kill.js'
import { makesWith } from '../kit/makes.js'
import { type DocumentText, document } from '../kit/manifests.js'
import { testClock, type World, worldIn } from '../kit/world.js'

/**
 * A rollback that is killed and run again: the objects that it has restored are known, and the next apply deletes them again.
 */

const makes = makesWith({ defaultErrorSet: 'always' })

const endpoint = {
  name: 'e',
  requestPathAlias: '/e',
  trafficManagerDomain: 'example.com',
  publicDomains: ['example.com'],
}
const kept = [document('Domain', 'example.com')]
const role = document('Role', 'R')
const twice = (spec: JsonObject) => ['S', 'T'].map((name) => document('Service', name, spec))
const service = (...endpoints: readonly JsonObject[]) => document('Service', 'S', { endpoints })

const errorSets = (name: string) => document('Service', 'S', { errorSets: [{ name, type: 'text/xml' }] })
const mine = document('ErrorSet', { service: 'S', name: 'Mine' }, { type: 'text/xml' })

const cases: readonly (readonly [string, readonly DocumentText[], readonly DocumentText[]])[] = [
  ['a service', [service()], []],
  ['the error set that came with a service', [service(), mine], [errorSets('Other')]],
  ['a service with a list of error sets', [errorSets('Mine')], []],
  ['an endpoint with a method', [service({ ...endpoint, methods: [{ name: 'm' }] })], [service()]],
  ['a service with a role', [role, document('Service', 'S', { description: 's', roles: ['R'] })], [role]],
  [
    'a cache',
    [service({ ...endpoint, cache: { clientSurrogateControlEnabled: true } })],
    [service({ ...endpoint, cache: null })],
  ],
  [
    'a cache that is not written any more',
    [service({ ...endpoint, cache: { clientSurrogateControlEnabled: true } })],
    [service(endpoint)],
  ],
  [
    'an authentication',
    [service({ ...endpoint, systemDomainAuthentication: { type: 'httpBasic', username: 'u' } })],
    [service({ ...endpoint, systemDomainAuthentication: null })],
  ],
  ['a field of two services', twice({ description: 's' }), twice({})],
  ['a role of two services', [role, ...twice({ roles: ['R'] })], [role, ...twice({})]],
  [
    'a package with a plan',
    [service(endpoint), document('Package', 'P', { plans: [{ name: 'L', services: [{ name: 'S' }] }] })],
    [service(endpoint)],
  ],
]

const allow = ['--allow', 'ID_CHANGE', '--allow', 'TRAFFIC_STOP', '--allow', 'KEY_LOSS', '--allow', 'AUTH_WEAKENED']

async function applied(world: World, documents: readonly DocumentText[]): Promise<void> {
  world.declare(...kept, ...documents)
  const run = await world.apply(...allow)
  expect([run.exitCode, run.stdout + run.stderr]).toEqual([0, run.stdout + run.stderr])
  const { changes, unmanaged } = await world.plan()
  expect([changes, unmanaged]).toEqual([[], []])
}

/** The live objects, without ids. */
const live = async (world: World): Promise<readonly string[]> =>
  Promise.all(
    ['Service', 'Endpoint', 'Cache', 'Package', 'Plan'].map(
      async (kind) => (await world.run(['get', kind, '-o', 'yaml'])).stdout,
    ),
  )

describe.each(makes)('%s', (_, makeIn) => {
  describe.each(cases)('%s that is restored', (__, before, after) => {
    test.each([0, 1])('killed at write %i', async (write) => {
      const clock = testClock()
      const make = makeIn(clock)
      const first = worldIn(temporaryFolder(), make, clock)
      await applied(first, before)
      await applied(first, after)
      const then = await live(first)
      const run = (await first.run(['history'])).stdout.split('\n')[3]?.split(' ')[0] ?? ''
      const copy = temporaryFolder()
      // Further work of a dead run takes no time.
      const dead = { now: clock.now, sleep: () => Promise.resolve() }
      const cut = worldIn(
        first.dir,
        killedAt(make, { write, when: 'after' }, () => first.dir, copy),
        dead,
      )
      cut.declare(...kept, ...after)
      const isKilled = (await cut.run(['rollback', run, '--yes', ...allow])).exitCode !== 0
      const next = isKilled ? worldIn(copy, make, clock) : first
      await clock.sleep(600_000)
      if (isKilled) {
        const again = await next.run(['rollback', run, '--yes', ...allow])
        expect([again.exitCode, again.stdout + again.stderr]).toEqual([0, again.stdout + again.stderr])
        expect(again.stderr).not.toContain('somebody')
        next.declare(...kept, ...before)
        expect((await next.plan()).changes).toEqual([])
      }
      await applied(next, after)
      expect(await live(next)).toEqual(then)
    })
  })
})
