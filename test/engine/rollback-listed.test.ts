import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/json/json.js'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import type { World } from '../kit/world.js'
import { makes } from '../other-make/worlds.js'

/** An endpoint says in which maintenance event it is, and the list of that event has it: a rollback restores both. */

const event = (name: string) =>
  document('ScheduledMaintenanceEvent', name, {
    startDateTime: '2027-01-01T00:00:00.000+0000',
    endDateTime: '2027-01-01T02:00:00.000+0000',
  })
const endpoint = (name: string, more: object) => ({
  ...{ name, requestPathAlias: `/${name}`, trafficManagerDomain: 'example.com' },
  ...more,
})
const area = (more: object) => [
  document('Domain', 'example.com'),
  ...['E', 'F'].map(event),
  document('Service', 'S', {
    endpoints: [endpoint('e', more), endpoint('other', { scheduledMaintenanceEvent: 'E' })],
  }),
]
const within = (name: Json, target = '/x') => ({ scheduledMaintenanceEvent: name, outboundRequestTargetPath: target })

const cases: readonly (readonly [string, object, object])[] = [
  ['is put into one', { outboundRequestTargetPath: '/x' }, within('E')],
  ['is taken out of one', within('E'), { outboundRequestTargetPath: '/x' }],
  ['goes from one to another', within('E'), within('F')],
  ['is cleared', within('E'), within(null)],
  ['is put into one, and is changed itself', { outboundRequestTargetPath: '/x' }, within('E', '/y')],
]

/** The names of the endpoints in each event. */
async function lists({ make }: World): Promise<readonly Json[]> {
  const found = await (await restOf(make)).get('/scheduledMaintenanceEvents?fields=id,name,endpoints.id,endpoints.name')
  return found.map(({ name, endpoints }) => {
    const names = Array.isArray(endpoints) ? (endpoints as readonly { readonly id: string }[]).map(({ id }) => id) : []
    return [name ?? null, names.sort()]
  })
}

describe.each(makes)('on the make "%s"', (_, worldOf) => {
  test.each(cases)(
    'an endpoint that %s causes no drift after it, and an apply does it again',
    async (__, then, now) => {
      const world = worldOf()
      world.declare(...area(then))
      expect((await world.apply()).exitCode).toBe(0)
      const before = await lists(world)
      world.declare(...area(now))
      expect((await world.apply()).exitCode).toBe(0)
      const after = await lists(world)
      const back = await world.run(['rollback', 'latest', '--yes'])
      expect([back.exitCode, back.stderr]).toEqual([0, back.stderr])
      expect(await lists(world)).toEqual(before)
      const drift = await world.drift()
      expect([drift.exitCode, drift.stdout]).toEqual([0, drift.stdout])
      expect((await world.apply()).exitCode).toBe(0)
      expect(await lists(world)).toEqual(after)
      expect((await world.run(['rollback', 'latest', '--yes'])).exitCode).toBe(0)
      world.declare(...area(then))
      expect((await world.plan()).changes).toEqual([])
      expect((await world.drift()).exitCode).toBe(0)
    },
  )
})
