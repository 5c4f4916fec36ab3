import { expect, test } from 'vitest'
import { document } from '../kit/manifests.js'
import { makes } from '../other-make/worlds.js'

const service = (name: string, ...endpoints: readonly string[]) =>
  document('Service', name, {
    endpoints: endpoints.map((endpoint) => ({
      ...{ name: endpoint, requestPathAlias: `/${endpoint}`, trafficManagerDomain: 'api.example.com' },
      publicDomains: ['api.example.com'],
    })),
  })

const event = (...endpoints: readonly { readonly service: string; readonly name: string }[]) =>
  document('ScheduledMaintenanceEvent', 'Night', {
    startDateTime: '2027-01-01T00:00:00.000+0000',
    endDateTime: '2027-01-02T00:00:00.000+0000',
    endpoints: [...endpoints],
  })

const domain = document('Domain', 'example.com')

test.each(makes)(
  'a service takes over the path of a deleted one, and its entry in an event, on the make "%s"',
  async (_, on) => {
    const there = on()
    there.declare(domain, service('Old', 'a', 'z'), event({ service: 'Old', name: 'a' }))
    expect((await there.apply()).exitCode).toBe(0)
    // The event refers to an endpoint whose create waits for the path of another one.
    there.declare(domain, service('New', 'a', 'b'), event({ service: 'New', name: 'b' }))
    const run = await there.apply(
      ...['TRAFFIC_STOP', 'ID_CHANGE', 'IRREVERSIBLE'].flatMap((hazard) => ['--allow', hazard]),
    )
    expect(run.json().changes.filter(({ outcome }) => outcome !== 'applied')).toEqual([])
    expect(run.exitCode).toBe(0)
    expect((await there.plan()).changes).toEqual([])
  },
)
