import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/json.js'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import type { World } from '../kit/world.js'
import { makes } from '../other-make/worlds.js'

/** An object that a run has written has another name now: a rollback does not follow the rename (A80), and reports it. */

const service = (name: string | JsonObject, description: string) => document('Service', name as string, { description })
const kept = document('Domain', 'example.com')

async function renamed({ make }: World): Promise<void> {
  const rest = await restOf(make)
  const [found] = await rest.get('/services?fields=id,name')
  await rest.put(`/services/${String(found?.id)}`, { id: found?.id ?? null, name: 'B' })
}

async function lastRun(world: World): Promise<string> {
  return /"run": "([^"]+)"/.exec((await world.run(['history', '-o', 'json'])).stdout)?.[1] ?? ''
}

describe.each(makes)('on the make "%s"', (_, worldOf) => {
  test.each(['by a later run', 'on the platform'])(
    'an object that was created and then renamed, %s, is reported',
    async (by) => {
      const world = worldOf()
      world.declare(kept)
      expect((await world.apply()).exitCode).toBe(0)
      world.declare(kept, service('A', 'one'))
      expect((await world.apply()).exitCode).toBe(0)
      const run = await lastRun(world)
      if (by === 'on the platform') await renamed(world)
      else {
        world.declare(kept, document('Service', { name: 'B', formerly: ['A'] }, { description: 'one' }))
        expect((await world.apply()).exitCode).toBe(0)
      }
      const back = await world.run(['rollback', run, '--yes'])
      expect([back.exitCode, back.stderr]).toEqual([0, back.stderr])
      expect(back.stdout).toContain('nothing to do')
      expect(back.stderr).toContain('Service/A is left as it is: it is Service/B by now')
    },
  )

  test('a changed child of an object that was renamed since is not reported as deleted', async () => {
    const world = worldOf()
    const area = (text: string) =>
      document('Service', 'A', { description: text, errorSets: [{ name: 'own', type: text }] })
    world.declare(kept, area('text/json'))
    expect((await world.apply()).exitCode).toBe(0)
    world.declare(kept, area('text/xml'))
    expect((await world.apply()).exitCode).toBe(0)
    await renamed(world)
    const back = await world.run(['rollback', 'latest', '--yes'])
    expect([back.exitCode, back.stderr]).toEqual([0, back.stderr])
    expect(back.stderr).toContain('Service/A is left as it is: it is Service/B by now')
    expect(back.stderr).toContain('Service/A/ErrorSet/own is left as it is: it is Service/B/ErrorSet/own by now')
    expect(back.stderr).not.toContain('deleted')
  })
})
