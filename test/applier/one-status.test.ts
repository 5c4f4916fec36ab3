import { expect, test } from 'vitest'
import { document } from '../kit/manifests.js'
import { type Make, type Run, world } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'

/** "HTTP status codes of successful and failed calls: not shown": a failure may be told by the array of complaints alone. */
const underOneStatus = (make: Make): Make => ({
  log: make.log,
  fetch: async (request) => {
    const response = await make.fetch(request)
    return response.status < 400 ? response : new Response(response.body, { status: 200 })
  },
})

const endpoint = (host: string) => ({
  ...{ name: 'orders', requestPathAlias: '/orders', trafficManagerDomain: 'api.example.com' },
  publicDomains: [host],
})
const domain = document('Domain', 'example.com', {})
const service = (host: string) => document('Service', 'S', { endpoints: [endpoint(host)] })

const told = (run: Run) => run.json().changes.map(({ address, outcome, error }) => [address, outcome, error])

test('an error under a status of success is no success: what the platform complains of is told', async () => {
  const on = world(underOneStatus(createOtherMake()))
  on.declare(domain, service('api.elsewhere.example'))
  // Of a create nobody knows whether it was made all the same: it is looked for.
  const created = await on.apply()
  const doubt =
    'unknown whether it was created: it was answered 200 publicDomains: api.elsewhere.example has not been approved; it is not listed after 60 s'
  expect(told(created)).toEqual([
    ['Domain/example.com', 'applied', null],
    ['Service/S', 'failed', doubt],
    ['Service/S/Endpoint/orders', 'failed', doubt],
  ])
  on.declare(domain, service('api.example.com'))
  expect((await on.apply()).exitCode).toBe(0)
  on.declare(domain, service('api.elsewhere.example'))
  const changed = await on.apply()
  expect(changed.exitCode).toBe(3)
  expect(told(changed)).toEqual([
    ['Service/S/Endpoint/orders', 'failed', '200 publicDomains: api.elsewhere.example has not been approved'],
  ])
})
