import { expect, test } from 'vitest'
import type { Json } from '../../src/json/json.js'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import type { World } from '../kit/world.js'
import { makes } from '../other-make/worlds.js'

/**
 * An applied list names an object that does not exist on the platform or in the manifests any more: the rest of the list is
 * still known.
 */

const service = (...names: readonly string[]) =>
  document('Service', 'S', {
    endpoints: names.map((name) => ({
      ...{ name, requestPathAlias: `/${name}`, trafficManagerDomain: 'example.com', publicDomains: ['example.com'] },
    })),
  })
const event = (...endpoints: readonly string[]) =>
  document('ScheduledMaintenanceEvent', 'Night', {
    startDateTime: '2027-01-01T00:00:00.000+0000',
    endDateTime: '2027-01-01T02:00:00.000+0000',
    ...(endpoints.length > 0 && { endpoints: endpoints.map((name) => ({ service: 'S', name })) }),
  })
const domain = document('Domain', 'example.com')

/** Somebody has deleted the endpoint x, and has put other endpoints into the event than git has. */
async function changedThere(world: World, named: readonly string[]): Promise<void> {
  world.declare(domain, service('a', 'c', 'd', 'x'), event('a', 'x'))
  const run = await world.apply()
  expect(run.exitCode, run.stdout + run.stderr).toBe(0)
  const rest = await restOf(world.make)
  const [found] = await rest.get('/services')
  const endpoints = await rest.get(`/services/${String(found?.id)}/endpoints`)
  const idOf = (name: string): Json => endpoints.find((each) => each.name === name)?.id ?? null
  const [night] = await rest.get('/scheduledMaintenanceEvents')
  await rest.put(`/scheduledMaintenanceEvents/${String(night?.id)}`, {
    id: night?.id ?? null,
    endpoints: named.map((name) => ({ id: idOf(name) })),
  })
  await rest.remove(`/services/${String(found?.id)}/endpoints/${String(idOf('x'))}`)
}

test.each(makes)(
  'on the make "%s" a list that was changed in git and by somebody else is a conflict',
  async (_, make) => {
    const world = make()
    await changedThere(world, ['a', 'c'])
    world.declare(domain, service('a', 'c', 'd'), event('a', 'd'))
    const { changes } = await world.plan()
    expect(changes.map(({ address, fields }) => [address, fields.map(({ verdict }) => verdict)])).toEqual([
      ['ScheduledMaintenanceEvent/Night', ['conflict']],
    ])
  },
)

test.each(makes)(
  'on the make "%s" an entry that somebody added to a list that git no longer writes stays',
  async (_, make) => {
    const world = make()
    await changedThere(world, ['c'])
    world.declare(domain, service('a', 'c', 'd'), event())
    expect((await world.plan()).changes).toEqual([])
  },
)

test.each(makes)('on the make "%s" an export over a list with a deleted object can be planned', async (_, make) => {
  const world = make()
  await changedThere(world, ['a', 'c'])
  world.declare(domain, document('Service', 'S'), event('a', 'x'))
  const run = await world.run(['export', '--dir', 'manifests'])
  expect([run.exitCode, run.stderr]).toEqual([0, run.stderr])
  const plan = await world.run(['plan'])
  expect([plan.exitCode, plan.stdout + plan.stderr]).toEqual([0, expect.stringContaining('nothing to do')])
})
