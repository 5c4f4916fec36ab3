import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/json.js'
import { temporaryFolder } from '../kit/folder.js'
import { makesWith } from '../kit/makes.js'
import { document } from '../kit/manifests.js'
import { testClock, type World, worldIn } from '../kit/world.js'

/** Values that a rollback keeps because a later run has written them are known as that run applied them. */

const domain = document('Domain', 'example.com')
const service = (spec: JsonObject) => document('Service', 'S', spec)
const endpoint = (more: JsonObject) => ({
  name: 'e',
  requestPathAlias: '/e',
  trafficManagerDomain: 'example.com',
  publicDomains: ['example.com'],
  ...more,
})
const maxAge = (description: string, cors: JsonObject) =>
  service({ description, endpoints: [endpoint({ cors: { allDomainsEnabled: true, ...cors } })] })

const cases = [
  {
    what: 'a field',
    before: service({ description: 'one', qpsLimitOverall: 1 }),
    undone: service({ description: 'two', qpsLimitOverall: 3 }),
    later: service({ description: 'two', qpsLimitOverall: 2 }),
    written: service({ description: 'one', qpsLimitOverall: 2 }),
    next: service({ description: 'one', qpsLimitOverall: 1 }),
  },
  {
    what: 'a member of an object',
    before: maxAge('one', { maxAge: 1, headersAllowed: ['a'] }),
    undone: maxAge('one', { maxAge: 3, headersAllowed: ['b'] }),
    later: maxAge('one', { maxAge: 2, headersAllowed: ['b'] }),
    written: maxAge('one', { maxAge: 2, headersAllowed: ['a'] }),
    next: maxAge('one', { maxAge: 1, headersAllowed: ['a'] }),
  },
]

describe.each(makesWith())('%s', (_, makeIn) => {
  test.each(cases)('$what', async ({ before, undone, later, written, next }) => {
    const clock = testClock()
    const world = worldIn(temporaryFolder(), makeIn(clock), clock)
    await applied(world, before)
    const run = await applied(world, undone)
    await applied(world, later)
    const back = await world.run(['rollback', run, '--yes', ...allowed])
    expect(back, back.stdout + back.stderr).toMatchObject({ exitCode: 0 })
    expect(back.stderr).toContain('was changed since')
    world.declare(domain, written)
    expect((await world.plan()).changes).toEqual([])
    expect((await world.drift()).exitCode).toBe(0)
    world.declare(domain, next)
    const verdicts = (await world.plan()).changes.flatMap(({ fields }) => fields.map(({ verdict }) => verdict))
    expect(verdicts).toEqual(['pending'])
  })
})

const allowed = ['--allow', 'LIMIT_LOWERED']

async function applied(world: World, manifest: ReturnType<typeof service>): Promise<string> {
  world.declare(domain, manifest)
  const run = await world.apply(...allowed)
  expect(run, run.stdout).toMatchObject({ exitCode: 0 })
  return run.json().run ?? ''
}
