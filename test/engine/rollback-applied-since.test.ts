import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/json.js'
import { temporaryFolder } from '../kit/folder.js'
import { makesWith } from '../kit/makes.js'
import { document } from '../kit/manifests.js'
import { testClock, type World, worldIn } from '../kit/world.js'

/** A rollback keeps an object that its run created if a later run has applied more to it, also what its run did not write. */

const domain = document('Domain', 'example.com')
const service = (spec: JsonObject, more: JsonObject = {}) =>
  document('Service', 'S', {
    ...spec,
    endpoints: [
      {
        name: 'e',
        requestPathAlias: '/e',
        trafficManagerDomain: 'example.com',
        publicDomains: ['example.com'],
        cors: { allDomainsEnabled: true },
        ...more,
      },
    ],
  })

const cases = [
  { what: 'a field', later: service({ qpsLimitOverall: 7 }), left: 'Service/S' },
  {
    what: 'a member of an object',
    later: service({}, { cors: { allDomainsEnabled: true, maxAge: 3 } }),
    left: 'Service/S/Endpoint/e',
  },
  {
    what: 'a secret',
    later: service({}, { systemDomainCredentialSecret: 'hidden' }),
    left: 'Service/S/Endpoint/e',
  },
]

describe.each(makesWith())('%s', (_, makeIn) => {
  const area = async (): Promise<World> => {
    const clock = testClock()
    const world = worldIn(temporaryFolder(), makeIn(clock), clock)
    world.declare(domain)
    expect((await world.apply()).exitCode).toBe(0)
    return world
  }

  test.each(cases)('$what', async ({ later, left }) => {
    const world = await area()
    const run = await applied(world, service({}))
    await applied(world, later)
    const back = await world.run(['rollback', run, '--yes'])
    expect(back, back.stdout + back.stderr).toMatchObject({ exitCode: 0 })
    expect(back.stderr).toContain(`${left} is left as it is: it was changed since`)
    expect((await world.plan()).changes).toEqual([])
  })

  test('what a later run has made in an object keeps it, and the warning says so', async () => {
    const world = await area()
    const run = await applied(world, document('Service', 'S', { description: 'one' }))
    await applied(world, service({ description: 'one' }))
    const back = await world.run(['rollback', run, '--yes'])
    expect(back, back.stdout + back.stderr).toMatchObject({ exitCode: 0 })
    expect(back.stderr).toContain('Service/S stays: it holds Service/S/Endpoint/e, which the undone run has not made')
    expect((await world.plan()).changes).toEqual([])
  })

  test('a default that a later run has written changes nothing, and undone runs leave nothing', async () => {
    const world = await area()
    const run = await applied(world, service({}))
    await applied(world, service({ qpsLimitOverall: 0 }))
    const latest = await applied(world, service({ qpsLimitOverall: 7 }))
    for (const each of [latest, run]) {
      const back = await world.run(['rollback', each, '--yes', '--allow', 'LIMIT_LOWERED'])
      expect(back, back.stdout + back.stderr).toMatchObject({ exitCode: 0 })
    }
    expect((await world.plan()).changes.map(({ action }) => action)).not.toContain('update')
    expect((await world.plan()).changes.map(({ address }) => address)).toContain('Service/S')
  })
})

async function applied(world: World, manifest: ReturnType<typeof service>): Promise<string> {
  world.declare(domain, manifest)
  const run = await world.apply()
  expect(run, run.stdout).toMatchObject({ exitCode: 0 })
  return run.json().run ?? ''
}
