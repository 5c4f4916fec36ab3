import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { disturbed, inherit } from '../kit/disturbed.js'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { testClock, type World, worldIn } from '../kit/world.js'
import { platform } from '../laws/within.js'

/**
 * An endpoint names a maintenance event that somebody else has made and no manifest declares: a run enters it into the list of
 * that event, and is no proof that the event may be deleted (design §4).
 */

const roles = (description: string) => ['A', 'B'].map((name) => document('Role', name, { description }))
const service = (more: { readonly scheduledMaintenanceEvent?: string } = {}) =>
  document('Service', 'S', {
    endpoints: [{ name: 'e', requestPathAlias: '/e', trafficManagerDomain: 'a.example.com', ...more }],
  })
const named = service({ scheduledMaintenanceEvent: 'Night' })

/** An area with that event, the service and two roles, and a way to kill a run of it at its second write. */
async function area() {
  const root = mkdtempSync(join(tmpdir(), 'gatewright-lists-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const clock = testClock()
  const make = disturbed(platform(clock), clock)
  const io = { ...clock, sleep: make.sleep }
  const world = worldIn(join(root, 'first'), make, io)
  const times = { startDateTime: '2027-01-01T00:00:00.000+0000', endDateTime: '2027-01-01T02:00:00.000+0000' }
  await (await restOf(make)).post('/scheduledMaintenanceEvents', { name: 'Night', ...times })
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
  return { world, killed }
}

async function planned(world: World): Promise<readonly string[]> {
  world.declare(service(), ...roles('x'))
  return (await world.plan()).changes.map(({ action, address }) => `${action} ${address}`)
}

const deletionsIn = (changes: readonly string[]) => changes.filter((each) => each.startsWith('delete'))

const takenOut = 'update ScheduledMaintenanceEvent/Night'

test('a run enters it and takes it out again, and both are done', async () => {
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

test('a run is killed once it has entered it', async () => {
  const { world, killed } = await area()
  world.declare(named, ...roles('y'))
  const next = await killed('apply', '--yes')
  expect(deletionsIn(await planned(next))).toEqual([])
})

test('a run that has entered it is rolled back', async () => {
  const { world } = await area()
  world.declare(named, ...roles('y'))
  expect((await world.apply()).exitCode).toBe(0)
  expect((await world.run(['rollback', 'latest', '--yes'])).exitCode).toBe(0)
  expect(deletionsIn(await planned(world))).toEqual([])
})
