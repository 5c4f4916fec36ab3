import { expect, test } from 'vitest'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { type Make, type Run, world } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'

/** "HTTP status codes of successful and failed calls: not shown": perhaps only the array of complaints shows a failure. */
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

test('an error under a status of success is a failure, and the complaints of the platform are reported', async () => {
  const on = world(underOneStatus(createOtherMake()))
  on.declare(domain, service('api.elsewhere.example'))
  // Nobody knows whether the create was carried out: the object is searched for.
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

test.each([400, 410])(
  'an unknown id that is answered %i means gone: drift reports it, and apply creates the object again',
  async (status) => {
    const make = createOtherMake()
    const on = world({
      log: make.log,
      fetch: async (request) => {
        const response = await make.fetch(request)
        return response.status === 404 ? new Response(response.body, { status }) : response
      },
    })
    on.declare(domain, document('Role', 'R', {}))
    expect((await on.apply()).exitCode).toBe(0)
    const rest = await restOf(make)
    const [role] = await rest.get('/roles')
    await rest.remove(`/roles/${String(role?.id)}`)
    expect((await on.drift()).exitCode).toBe(2)
    expect(told(await on.apply())).toEqual([['Role/R', 'applied', null]])
    expect((await on.plan()).changes).toEqual([])
  },
)
