import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/json.js'
import { createPlatform } from '../../src/platform/server.js'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { type Make, testClock, type World, world } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'

/** The messages of an error set, of which the platform keeps a fixed number, come back with the set that a rollback brings. */

const platform = (dialect: 'document' | 'recorded', errorSet = 'Default') => {
  const clock = testClock()
  return createPlatform({ autoApprove: true, idSeed: 'test', now: clock.now, dialect, errorSet })
}

const makes: readonly (readonly [string, () => Make])[] = [
  ['document', () => platform('document')],
  ['recorded', () => platform('recorded')],
  ['recorded, another name', () => platform('recorded', 'Standard')],
  ['another', () => createOtherMake({ defaultErrorSet: 'always' })],
]

const kept = document('Role', 'kept', {})
const message = {
  ...{ id: 'ERR_403_DEVELOPER_OVER_QPS', status: 'Slow down', responseBody: '{"title":"slow down"}' },
  // A new set has a text there.
  detailHeader: '',
}
const custom = (name: string): JsonObject => ({ name, type: 'text/json', errorMessages: [message] })

async function messageOf(area: World, set: string): Promise<JsonObject | undefined> {
  const rest = await restOf(area.make)
  const [service] = await rest.get('/services')
  const path = `/services/${service?.id}/errorSets`
  const [found] = (await rest.get(path)).filter((each) => each.name === set)
  return (await rest.get(`${path}/${found?.id}/errorMessages`)).find((each) => each.id === message.id)
}

describe.each(makes)('on the make "%s"', (_, make) => {
  test.each([
    ['a service', [document('Service', 'S', { errorSets: [custom('mine')] })], [], 'mine'],
    [
      'an error set',
      [document('Service', 'S', { errorSets: [custom('mine'), custom('yours')] })],
      [document('Service', 'S', { errorSets: [custom('yours')] })],
      'mine',
    ],
  ])(
    'the messages of %s that was deleted come back with it, and nothing else is told',
    async (_words, before, after, set) => {
      const area = world(make())
      area.declare(kept, ...before)
      expect((await area.apply()).exitCode).toBe(0)
      area.declare(kept, ...after)
      expect((await area.apply()).exitCode).toBe(0)
      const run = await area.run(['rollback', 'latest', '--yes'])
      expect(run.exitCode, run.stdout + run.stderr).toBe(0)
      expect(run.stdout + run.stderr).not.toContain('somebody has deleted it since')
      expect(await messageOf(area, set)).toMatchObject({ status: message.status, responseBody: message.responseBody })
      area.declare(kept, ...before)
      expect((await area.plan()).changes).toEqual([])
    },
  )

  test('messages in which nothing is written but their names come back where a new set lacks them', async () => {
    const area = world(make())
    const set = { name: 'mine', errorMessages: [{ id: message.id }] }
    const before = [kept, document('Service', 'S', { errorSets: [set] })]
    area.declare(...before)
    expect((await area.apply()).exitCode).toBe(0)
    area.declare(kept)
    expect((await area.apply()).exitCode).toBe(0)
    const run = await area.run(['rollback', 'latest', '--yes'])
    expect(run.exitCode, run.stdout + run.stderr).toBe(0)
    area.declare(...before)
    expect((await area.plan()).changes).toEqual([])
  })

  test('the error set that came by itself comes back once', async () => {
    const area = world(make())
    area.declare(kept, document('Service', 'S', {}))
    expect((await area.apply()).exitCode).toBe(0)
    area.declare(kept)
    expect((await area.apply()).exitCode).toBe(0)
    const run = await area.run(['rollback', 'latest', '--yes'])
    expect(run.exitCode, run.stdout + run.stderr).toBe(0)
    const rest = await restOf(area.make)
    const [service] = await rest.get('/services')
    expect(await rest.get(`/services/${service?.id}/errorSets`)).toHaveLength(1)
    expect(run.stderr).not.toContain('ErrorMessage')
  })

  test('messages that the automatic error set was given come back as well', async () => {
    const area = world(make())
    const [automatic = 'Default'] = ['Default']
    area.declare(kept, document('Service', 'S', { errorSets: [custom(automatic)] }))
    expect((await area.apply()).exitCode).toBe(0)
    area.declare(kept)
    expect((await area.apply()).exitCode).toBe(0)
    const run = await area.run(['rollback', 'latest', '--yes'])
    expect(run.exitCode, run.stdout + run.stderr).toBe(0)
    expect(run.stdout + run.stderr).not.toContain('somebody has deleted it since')
    expect(await messageOf(area, automatic)).toMatchObject({ status: message.status })
  })
})
