import { expect, test } from 'vitest'
import type { Json } from '../../src/json/json.js'
import { entriesOf, isObject } from '../../src/json/json.js'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { embedded, type Make, world } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'

/**
 * The document has a separate list for the endpoints of a maintenance event. A platform that does not answer them in the event
 * answers them there.
 */

const times = { startDateTime: '2027-01-01T00:00:00.000+0000', endDateTime: '2027-01-01T02:00:00.000+0000' }
const isEvents = (path: string) => path.includes('/scheduledMaintenanceEvents') && !path.endsWith('/endpoints')

/**
 * The same make, whose events never contain their endpoints; `refused`: it does not have the list either, and notes the
 * requests.
 */
function silent(make: Make, refused?: string[]): Make {
  const without = (value: Json): Json => {
    if (!isObject(value)) return value
    const { endpoints: _, ...rest } = value
    return rest
  }
  return {
    log: make.log,
    fetch: async (request) => {
      const { pathname } = new URL(request.url)
      if (refused && pathname.endsWith('/endpoints') && pathname.includes('/scheduledMaintenanceEvents')) {
        refused.push(pathname)
        return Response.json({ errorCode: 404, errorMessage: 'no such path' }, { status: 404 })
      }
      const response = await make.fetch(request)
      if (request.method !== 'GET' || !response.ok || !isEvents(pathname)) return response
      const answer = (await response.json()) as Json
      const told = Array.isArray(answer) ? entriesOf(answer).map(without) : without(answer)
      return Response.json(told, { headers: response.headers })
    },
  }
}

const makes = { embedded: () => embedded().make, 'another make': () => createOtherMake() }

test.each(Object.keys(makes) as (keyof typeof makes)[])('%s: apply, plan, change and export', async (name) => {
  const area = world(silent(makes[name]()))
  const service = document('Service', 'S', {
    endpoints: ['a', 'b'].map((each) => ({
      name: each,
      requestPathAlias: `/${each}`,
      trafficManagerDomain: 'api.example.com',
    })),
  })
  const night = (...endpoints: readonly string[]) =>
    document('ScheduledMaintenanceEvent', 'Night', {
      ...times,
      endpoints: endpoints.map((each) => ({ service: { name: 'S' }, name: each })),
    })
  area.declare(service, night('a', 'b'))
  expect((await area.apply()).exitCode).toBe(0)
  expect((await area.plan()).changes).toEqual([])
  area.declare(service, night('b'))
  expect((await area.apply()).exitCode).toBe(0)
  expect((await area.plan()).changes).toEqual([])
  const rest = await restOf(area.make)
  const [event] = await rest.get('/scheduledMaintenanceEvents?fields=id')
  const told = await rest.get(`/scheduledMaintenanceEvents/${String(event?.id)}/endpoints`)
  expect(told.map((each) => each.name)).toEqual(['b'])
  expect((await area.run(['get', 'ScheduledMaintenanceEvent', 'Night', '-o', 'yaml'])).stdout).toContain(
    '{service: S, name: b}',
  )
})

test('a platform without such a list is asked once, and the rest of the area is planned', async () => {
  const asked: string[] = []
  const area = world(silent(embedded().make, asked))
  const events = ['A', 'B', 'C'].map((name) => document('ScheduledMaintenanceEvent', name, { ...times, endpoints: [] }))
  area.declare(...events)
  expect((await area.apply()).exitCode).toBe(0)
  asked.length = 0
  expect((await area.plan()).changes).toEqual([])
  expect(asked).toHaveLength(1)
})
