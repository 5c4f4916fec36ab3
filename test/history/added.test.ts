import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/json.js'
import { createPlatform } from '../../src/platform/server.js'
import { type DocumentText, document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { type Make, testClock, type World, world } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'

/**
 * An object that a platform adds by itself to an object that a run creates counts as created by that run, whatever its name is.
 */

const platform = (dialect: 'document' | 'recorded', errorSet: string) => {
  const clock = testClock()
  return createPlatform({ autoApprove: true, idSeed: 'test', now: clock.now, dialect, errorSet })
}

const makes: readonly (readonly [string, () => Make])[] = [
  ['document', () => platform('document', 'Default')],
  ['document, another name', () => platform('document', 'Standard')],
  ['recorded, another name', () => platform('recorded', 'Standard')],
  ['another, another name', () => createOtherMake({ defaultErrorSet: 'always', errorSetName: 'Standard' })],
  // For this make, an object alone is cheaper than its pages.
  [
    'another, two objects a page',
    () => createOtherMake({ defaultErrorSet: 'always', errorSetName: 'Standard', pageLimit: 2 }),
  ],
]

const kept = document('Role', 'kept', {})
const service = (name: string, ...sets: readonly string[]) =>
  document(
    'Service',
    name,
    sets.length === 0 ? {} : { errorSets: sets.map((each) => ({ name: each, type: 'text/json' })) },
  )

async function applied(area: World, ...documents: readonly DocumentText[]): Promise<void> {
  area.declare(kept, ...documents)
  const run = await area.apply()
  expect(run.exitCode, run.stdout + run.stderr).toBe(0)
  const after = await area.plan()
  expect(after.changes).toEqual([])
  expect(after.unmanaged).toEqual([])
  expect(after.diagnostics).toEqual([])
  expect((await area.drift()).exitCode).toBe(0)
}

async function setsOf(area: World, name: string): Promise<readonly unknown[]> {
  const rest = await restOf(area.make)
  const [found] = (await rest.get('/services')).filter((each) => each.name === name)
  return (await rest.get(`/services/${found?.id}/errorSets`)).map((each) => each.name)
}

describe.each(makes)('on the make "%s"', (_, make) => {
  test('a service that a run created is deleted with its automatic error set', async () => {
    const area = world(make())
    await applied(area, service('S'))
    await applied(area)
    expect(await (await restOf(area.make)).get('/services')).toEqual([])
  })

  test('a service is created with exactly the error sets that are written', async () => {
    const area = world(make())
    await applied(area, service('S', 'mine', 'yours'))
    expect([...(await setsOf(area, 'S'))].sort()).toEqual(['mine', 'yours'])
    await applied(area)
  })

  test('the automatic set stays while no manifest writes sets, and is deleted when one does', async () => {
    const area = world(make())
    await applied(area, service('S'), service('T', 'mine'))
    const [added] = await setsOf(area, 'S')
    await applied(area, service('S'), service('T', 'mine', 'yours'))
    expect(await setsOf(area, 'S')).toEqual([added])
    await applied(area, service('S', 'mine'), service('T', 'mine'))
    expect(await setsOf(area, 'S')).toEqual(['mine'])
  })

  test('an error set that somebody adds later keeps its service', async () => {
    const area = world(make())
    await applied(area, service('S'))
    const rest = await restOf(area.make)
    const [found] = await rest.get('/services')
    await rest.post(`/services/${found?.id}/errorSets`, { name: 'theirs', type: 'text/json' } satisfies JsonObject)
    await area.apply()
    area.declare(kept)
    const run = await area.apply()
    expect(run.json().changes).toEqual([])
    expect((await area.plan()).diagnostics.map((each) => each.code)).toEqual(['holds-unrecorded'])
  })

  test('a rollback deletes it as well', async () => {
    const area = world(make())
    await applied(area)
    await applied(area, service('S'))
    const run = await area.run(['rollback', 'latest', '--yes', '-o', 'json'])
    expect(run.exitCode, run.stdout + run.stderr).toBe(0)
    expect(await (await restOf(area.make)).get('/services')).toEqual([])
  })

  test('a rollback keeps a service to which somebody has added something since', async () => {
    const area = world(make())
    await applied(area)
    await applied(area, service('S'))
    const rest = await restOf(area.make)
    const [found] = await rest.get('/services')
    await rest.post(`/services/${found?.id}/errorSets`, { name: 'theirs', type: 'text/json' } satisfies JsonObject)
    const run = await area.run(['rollback', 'latest', '--yes'])
    expect(run.stderr).toContain('holds-unrecorded')
    expect(await (await restOf(area.make)).get('/services')).toHaveLength(1)
  })

  test('prune all does not delete the set of a declared service', async () => {
    const area = world(make())
    await applied(area, service('S'))
    expect((await area.plan('--prune', 'all')).changes.filter((each) => each.kind === 'ErrorSet')).toEqual([])
  })
})

test.each(makes)('%s: the last error set is released, and every plan reports it', async (_, make) => {
  const area = world(make())
  area.declare(kept, service('S', 'mine'))
  expect((await area.apply()).exitCode).toBe(0)
  area.declare(kept, service('S'))
  const words = 'Service/S/ErrorSet/mine stays as it is'
  expect((await area.run(['plan'])).stderr).toContain(words)
  expect((await area.run(['plan', '-o', 'markdown'])).stdout).toContain(words)
  expect((await area.apply()).exitCode).toBe(0)
  const next = await area.plan()
  expect([next.changes, next.diagnostics.map(({ severity }) => severity)]).toEqual([[], ['note']])
})

describe.each([...makes, ['another', () => createOtherMake({ defaultErrorSet: 'always' })] as const])(
  'an error set with the name that platforms use, on %s',
  (_, make) => {
    test('is deleted by a rollback if a run created it, and nobody waits for the automatic set of the service', async () => {
      const area = world(make())
      await applied(area, service('S', 'E1'))
      area.declare(kept, service('S', 'E1', 'Default'))
      const plan = await area.plan()
      expect(plan.changes.map(({ action, address }) => `${action} ${address}`)).toEqual([
        'create Service/S/ErrorSet/Default',
      ])
      expect(plan.diagnostics).toEqual([])
      await applied(area, service('S', 'E1', 'Default'))
      const run = await area.run(['rollback', 'latest', '--yes'])
      expect(run.exitCode, run.stdout + run.stderr).toBe(0)
      expect(await setsOf(area, 'S')).toEqual(['E1'])
      area.declare(kept, service('S', 'E1'))
      expect((await area.plan()).changes).toEqual([])
    })

    test('is pruned after no manifest declares it any more', async () => {
      const area = world(make())
      const set = (name: string) => document('ErrorSet', { service: 'S', name }, { type: 'text/json' })
      await applied(area, service('S', 'E1'))
      await applied(area, document('Service', 'S', {}), set('E1'), set('Default'))
      await applied(area, document('Service', 'S', {}), set('E1'))
      expect(await setsOf(area, 'S')).toEqual(['E1'])
    })
  },
)
