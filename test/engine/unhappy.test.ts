import { describe, expect, test } from 'vitest'
import { document } from '../kit/manifests.js'
import { embedded, type World } from '../kit/world.js'

/** Runs that end with an error report what was done, and what was not. */

const roles = ['A', 'B', 'C'].map((name) => document('Role', name))

/** The platform answers a request differently, if the function returns an answer. */
function meddle(world: World, answer: (request: Request) => Response | undefined): void {
  const { fetch } = world.make
  Object.assign(world.make, { fetch: (request: Request) => Promise.resolve(answer(request) ?? fetch(request)) })
}

const refusal = (status: number) => Response.json({ errorCode: status, errorMessage: 'no' }, { status })

describe('an apply', () => {
  test('whose final reading fails has done its work, and reports that it could not check', async () => {
    const world = embedded()
    world.declare(...roles)
    let written = false
    meddle(world, (request) => {
      if (request.method === 'POST' && request.url.includes('/roles')) written = true
      return written && request.method === 'GET' ? refusal(500) : undefined
    })
    const run = await world.apply()
    expect(run.exitCode).toBe(3)
    expect(run.json().summary).toMatchObject({ applied: 3, failed: 0 })
    expect(run.stderr).toContain('error: the area could not be read again after the changes, to check them: GET ')
  })

  test('lists the failed changes, the changes that these block, and the changes that were done', async () => {
    const world = embedded()
    world.declare(
      ...roles,
      document('Package', 'P', { plans: [{ name: 'Gold', services: [{ name: 'S' }] }] }),
      document('Service', 'S'),
    )
    meddle(world, (request) =>
      request.method === 'POST' && new URL(request.url).pathname.endsWith('/services') ? refusal(400) : undefined,
    )
    const run = await world.apply()
    expect(run.exitCode).toBe(3)
    const outcomes = Object.fromEntries(run.json().changes.map(({ address, outcome }) => [address, outcome]))
    expect(outcomes).toMatchObject({
      'Role/A': 'applied',
      'Service/S': 'failed',
      'Package/P/Plan/Gold/PlanService/S': 'blocked',
    })
    // The next run does the rest, and takes no change of the first one for somebody else's.
    expect((await world.drift()).exitCode).toBe(0)
  })

  test('that loses its records later deletes nothing, and creates nothing twice', async () => {
    const world = embedded()
    world.declare(...roles)
    await world.apply()
    world.declare(...roles.slice(0, 2), document('Role', 'D'))
    expect((await world.plan()).changes.map(({ action }) => action)).toEqual(['create', 'delete'])
    world.project('  records: "file:elsewhere"\n')
    expect((await world.plan()).changes.map(({ action, address }) => `${action} ${address}`)).toEqual(['create Role/D'])
  })
})

test.each([
  ['requestPathAlias', 13],
  ['cors.maxAge', 20],
  ['publicDomains[1]', 17],
  ['publicDomains[1].address', 17],
  ['description', 9],
  [undefined, 9],
])('a refusal that names %s is reported at line %d', async (property, line) => {
  const world = embedded()
  const text = (maxAge: number) => `apiVersion: gatewright/v1
kind: Service
metadata: {name: S}
---
apiVersion: gatewright/v1
kind: Domain
metadata: {name: example.com}
---
apiVersion: gatewright/v1
kind: Endpoint
metadata: {service: S, name: e}
spec:
  requestPathAlias: /e
  trafficManagerDomain: api.example.com
  publicDomains:
    - api.example.com
    - b.example.com
  cors:
    allDomainsEnabled: true
    maxAge: ${maxAge}
`
  world.write('manifests/all.yaml', text(5))
  expect((await world.apply()).exitCode).toBe(0)
  world.write('manifests/all.yaml', text(6))
  const errors = [{ ...(property && { property }), message: 'is not acceptable' }]
  meddle(world, ({ method }) =>
    method === 'PUT' ? Response.json({ errorCode: 400, errorMessage: 'no', errors }, { status: 400 }) : undefined,
  )
  const run = await world.apply()
  expect(run.exitCode).toBe(3)
  expect(run.json().diagnostics).toMatchObject([{ file: 'manifests/all.yaml', line }])
})

test.each([
  [403, 'check what the user and the API key may do in this area'],
  [500, 'run the command again later'],
  [400, '--log-http FILE records the requests and answers'],
])('for a reading that is answered %d, there is advice', async (status, hint) => {
  const world = embedded({ faults: [`status-${status}:GET /roles`] })
  world.declare(...roles)
  const run = await world.run(['plan'])
  expect(run.exitCode).toBe(1)
  expect(run.stderr).toContain(`error: GET /v3/rest/roles was answered ${status}: fault [request-refused]\n  hint: `)
  expect(run.stderr).toContain(hint)
})
