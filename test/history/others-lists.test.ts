import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { entriesOf, isObject, type Json } from '../../src/json/json.js'
import { disturbed, inherit } from '../kit/disturbed.js'
import { temporaryFolder } from '../kit/folder.js'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { testClock, type World, worldIn } from '../kit/world.js'
import { platform } from '../laws/within.js'

/**
 * An endpoint names a maintenance event that somebody else has created and no manifest declares: a run adds it to the list of
 * that event, which is no proof that the event may be deleted (design §4).
 */

const roles = (description: string) => ['A', 'B'].map((name) => document('Role', name, { description }))
const service = ({
  name = 'S',
  ...more
}: {
  readonly name?: string
  readonly scheduledMaintenanceEvent?: string
} = {}) =>
  document('Service', name, {
    endpoints: [{ name: 'e', requestPathAlias: `/${name}`, trafficManagerDomain: 'a.example.com', ...more }],
  })
const times = { startDateTime: '2027-01-01T00:00:00.000+0000', endDateTime: '2027-01-01T02:00:00.000+0000' }
const named = service({ scheduledMaintenanceEvent: 'Night' })

/** An area with that event, the service and two roles, and a way to kill a run of it at its second write. */
async function area() {
  const root = temporaryFolder()
  const clock = testClock()
  const make = disturbed(platform(clock), clock)
  const io = { ...clock, sleep: make.sleep }
  const world = worldIn(join(root, 'first'), make, io)
  const rest = await restOf(make)
  const event = await rest.post('/scheduledMaintenanceEvents', { name: 'Night', ...times })
  world.declare(service(), ...roles('x'))
  expect((await world.apply()).exitCode).toBe(0)
  const killed = async (...args: readonly string[]): Promise<World> => {
    make.meet({ misfortunes: new Map([[2, { is: 'killed', when: 'after' }]]), lagMs: 0 }, () => undefined)
    const running = world.run(args)
    await Promise.race([make.killed(), running])
    await inherit(world.dir, join(root, 'next'))
    make.bury()
    await running
    make.meet({ misfortunes: new Map(), lagMs: 0 }, () => undefined)
    return worldIn(join(root, 'next'), make, io)
  }
  const path = `/scheduledMaintenanceEvents/${event.id}`
  const inNight = async () => {
    const [live] = await rest.get(`${path}?fields=endpoints`)
    return entriesOf(live?.endpoints).map((each) => isObject(each) && each.name)
  }
  const put = (endpoints: readonly Json[]) => rest.put(path, { name: 'Night', ...times, endpoints })
  return { world, killed, inNight, put }
}

async function planned(world: World): Promise<readonly string[]> {
  world.declare(service(), ...roles('x'))
  return (await world.plan()).changes.map(({ action, address }) => `${action} ${address}`)
}

const deletionsIn = (changes: readonly string[]) => changes.filter((each) => each.startsWith('delete'))

const takenOut = 'update ScheduledMaintenanceEvent/Night'

test('a run adds it and removes it again, and both are done', async () => {
  const { world } = await area()
  world.declare(named, ...roles('x'))
  const first = await world.apply()
  expect([first.exitCode, first.json().diagnostics]).toEqual([0, []])
  expect((await world.plan()).changes).toEqual([])
  expect(await planned(world)).toEqual([takenOut])
  const second = await world.apply()
  expect([second.exitCode, second.json().diagnostics]).toEqual([0, []])
  expect(await planned(world)).toEqual([])
})

test('a run is killed after it has added it', async () => {
  const { world, killed } = await area()
  world.declare(named, ...roles('y'))
  const next = await killed('apply', '--yes')
  expect(deletionsIn(await planned(next))).toEqual([])
})

describe('a run is rolled back', () => {
  const rollback = (world: World) => world.run(['rollback', 'latest', '--yes'])
  const services = (...inNight: readonly string[]) => {
    const named = (name: string) => (inNight.includes(name) ? { scheduledMaintenanceEvent: 'Night' } : {})
    return [service({ name: 'S', ...named('S') }), service({ name: 'T', ...named('T') })] as const
  }

  test('that has added it', async () => {
    const { world, inNight } = await area()
    world.declare(named, ...roles('y'))
    expect((await world.apply()).exitCode).toBe(0)
    expect(await inNight()).toEqual(['e'])
    expect((await rollback(world)).exitCode).toBe(0)
    expect(await inNight()).toEqual([])
    expect(await planned(world)).toEqual([])
  })

  test('that has added another one', async () => {
    const { world, inNight } = await area()
    world.declare(...services('S'))
    await world.apply()
    const before = await inNight()
    world.declare(...services('S', 'T'))
    await world.apply()
    expect(await inNight()).toHaveLength(2)
    expect((await rollback(world)).exitCode).toBe(0)
    expect(await inNight()).toEqual(before)
    world.declare(...services('S'))
    expect((await world.plan()).changes).toEqual([])
  })

  test('that has created it, beside an endpoint in a service that it renamed', async () => {
    const { world, inNight } = await area()
    world.declare(...services().slice(0, 1))
    await world.apply()
    const [first, second] = services('S', 'T')
    world.declare({ ...first, metadata: { name: 'S2', formerly: 'S' } }, second)
    expect((await world.apply()).exitCode).toBe(0)
    expect(await inNight()).toHaveLength(2)
    const { exitCode, stderr } = await rollback(world)
    expect([exitCode, stderr]).toEqual([0, expect.not.stringContaining('left as it is')])
    expect(await inNight()).toEqual([])
    world.declare(...services().slice(0, 1))
    expect((await world.plan()).changes).toEqual([])
  })

  test('that has removed one of two endpoints', async () => {
    const { world, inNight } = await area()
    world.declare(...services('S', 'T'))
    await world.apply()
    world.declare(...services('S'))
    await world.apply()
    expect(await inNight()).toHaveLength(1)
    expect((await rollback(world)).exitCode).toBe(0)
    expect(await inNight()).toHaveLength(2)
    world.declare(...services('S', 'T'))
    expect((await world.plan()).changes).toEqual([])
  })

  test('and somebody has changed the list since: the list is not changed, and this is reported', async () => {
    const { world, inNight, put } = await area()
    world.declare(...services('S'))
    await world.apply()
    world.declare(...services('S', 'T'))
    await world.apply()
    await put([])
    const { exitCode, stderr } = await rollback(world)
    expect(exitCode).toBe(0)
    expect(stderr).toContain('ScheduledMaintenanceEvent/Night is left as it is: /endpoints was changed since')
    expect(await inNight()).toEqual([])
  })

  test('that has added it to an event that a manifest declares without its list', async () => {
    const { world, inNight } = await area()
    const event = document('ScheduledMaintenanceEvent', 'Night', times)
    world.declare(event, ...services())
    await world.apply()
    world.declare(event, ...services('S'))
    await world.apply()
    expect(await inNight()).toEqual(['e'])
    expect((await rollback(world)).exitCode).toBe(0)
    expect(await inNight()).toEqual([])
    world.declare(event, ...services())
    expect((await world.plan()).changes).toEqual([])
    // Nobody manages the list: endpoints that somebody adds stay there.
    world.declare(event, ...services('T'))
    await world.apply()
    world.declare(event, ...services())
    expect((await world.plan()).changes.map(({ address }) => address)).toEqual(['ScheduledMaintenanceEvent/Night'])
  })
})
