import { rmSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import type { JsonObject } from '../../src/json/json.js'
import { disturbed, inherit, type Misfortune, noTrouble } from '../kit/disturbed.js'
import { document } from '../kit/manifests.js'
import { embedded, type Make, testClock, type World, world, worldIn } from '../kit/world.js'
import { platform } from '../laws/within.js'
import { createOtherMake } from '../other-make/area.js'

/** An endpoint that names its maintenance event is written, but the list of the event is not: this is not drift. */

const both = [
  document('Domain', 'example.com'),
  document('ScheduledMaintenanceEvent', 'E', {
    startDateTime: '2027-01-01T00:00:00.000+0000',
    endDateTime: '2027-01-01T02:00:00.000+0000',
  }),
  document('Service', 'S', {}),
]
const endpoint = (more: JsonObject) =>
  document(
    'Endpoint',
    { service: 'S', name: 'e' },
    {
      requestPathAlias: '/e',
      trafficManagerDomain: 'api.example.com',
      ...more,
    },
  )
const inEvent = endpoint({ scheduledMaintenanceEvent: 'E', jsonpCallbackParameter: 'x' })

async function expectPending(there: World): Promise<void> {
  const drift = await there.drift()
  const told = drift
    .json()
    .changes.map(({ address, side, fields }) => [address, side, fields.map((each) => each.verdict)])
  expect([drift.exitCode, told]).toEqual([0, [['ScheduledMaintenanceEvent/E', 'manifest', ['pending']]]])
  expect((await there.apply()).exitCode).toBe(0)
  expect((await there.plan()).changes).toEqual([])
  // From now on it counts as applied.
  there.declare(...both, endpoint({ jsonpCallbackParameter: 'x' }))
  expect((await there.plan()).changes.map(({ address }) => address)).toEqual(['ScheduledMaintenanceEvent/E'])
}

test.each([
  ['is new', []],
  ['was there', [endpoint({})]],
])('if the platform refuses the list, and the endpoint %s', async (_, before) => {
  const there = embedded({ faults: ['status-400:PUT /scheduledMaintenanceEvents/{id}:#1'] })
  there.declare(...both, ...before)
  expect((await there.apply()).exitCode).toBe(0)
  there.declare(...both, inEvent)
  expect((await there.apply()).exitCode).toBe(3)
  await expectPending(there)
})

test.each<[string, string, number, Misfortune, (clock: ReturnType<typeof testClock>) => Make]>([
  ['killed', 'document', 2, { is: 'killed', when: 'before' }, platform],
  ['interrupted', 'document', 1, { is: 'interrupted' }, platform],
  ['killed', 'another', 2, { is: 'killed', when: 'before' }, () => createOtherMake()],
  ['interrupted', 'another', 1, { is: 'interrupted' }, () => createOtherMake()],
])('if the run is %s between the two, on the make "%s"', async (_, _make, write, misfortune, started) => {
  const clock = testClock()
  const make = disturbed(started(clock), clock)
  const there = world(make, { ...clock, sleep: make.sleep })
  there.declare(...both)
  expect((await there.apply()).exitCode).toBe(0)
  there.declare(...both, inEvent)
  const stop = new AbortController()
  make.meet({ misfortunes: new Map([[write, misfortune]]), lagMs: 0 }, () => stop.abort())
  const running = there.run(['apply', '--yes'], { signal: stop.signal })
  await Promise.race([running, make.killed()])
  const dir = `${there.dir}-next`
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  await inherit(there.dir, dir)
  make.bury()
  await running
  make.meet(noTrouble, () => undefined)
  await clock.sleep(600_000)
  const next = worldIn(dir, make, { ...clock, sleep: make.sleep })
  next.declare(...both, inEvent)
  await expectPending(next)
})
