import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/json.js'
import { createPlatform } from '../../src/platform/server.js'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { type Make, testClock, type World, world } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'

/** The messages of an error set, of which the platform has a fixed number, are restored with the set in a rollback. */

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
  // In a new set, this has a text.
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
    'the messages of %s that was deleted are restored with it, and nothing else is reported',
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

  test('messages with only names are restored if a new set lacks them', async () => {
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

  test('an automatic error set is restored once', async () => {
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

  test('messages that were added to the automatic error set are restored as well', async () => {
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
