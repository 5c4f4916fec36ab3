import { expect, test } from 'vitest'
import { document } from '../kit/manifests.js'
import { makes } from '../other-make/worlds.js'

/** A deleted object may refer to objects that the run had no reason to read: these references are recorded nevertheless. */

test.each(makes)(
  'on the make "%s" an event that a rollback deleted is restored with its endpoints',
  async (_, make) => {
    const world = make()
    const event = document('ScheduledMaintenanceEvent', 'E', {
      startDateTime: '2027-01-01T00:00:00.000+0000',
      endDateTime: '2027-01-01T02:00:00.000+0000',
    })
    const service = (more: object) =>
      document('Service', 'S', {
        endpoints: [{ name: 'e', requestPathAlias: '/e', trafficManagerDomain: 'example.com', ...more }],
      })
    const domain = document('Domain', 'example.com')
    world.declare(domain, service({}))
    expect((await world.apply()).exitCode).toBe(0)
    const now = [domain, event, service({ scheduledMaintenanceEvent: 'E' })]
    world.declare(...now)
    expect((await world.apply()).exitCode).toBe(0)
    for (const _once of ['away', 'back']) {
      const run = await world.run(['rollback', 'latest', '--yes'])
      expect([run.exitCode, run.stderr]).toEqual([0, run.stderr])
    }
    expect((await world.plan()).changes).toEqual([])
  },
)
