import { describe, expect, test } from 'vitest'
import { createPlatform } from '../../src/platform/server.js'
import { document } from '../kit/manifests.js'
import { embedded, type Make, testClock, world as worldOf } from '../kit/world.js'

const many = (count: number) => Array.from({ length: count }, (_, index) => document('Service', `Service ${index}`, {}))

describe('the cost of a plan is a number of pages', () => {
  test.each([
    [0, 1],
    [1, 1],
    [99, 1],
    [100, 2],
    [101, 2],
    [250, 3],
  ])('of %i services: %i', async (count, pages) => {
    const services = Array.from({ length: count }, (_, index) => ({ id: `s${index}`, name: `Service ${index}` }))
    const world = embedded({ seed: { services } })
    world.declare(...many(Math.max(1, count)))
    await world.plan()
    const sent = world.requests()
    expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual(Array(pages).fill('GET /v3/rest/services'))
    expect(sent.every(({ query }) => query.length < 8000)).toBe(true)
  })

  test('and kinds that are only referred to are read with id and name', async () => {
    const world = embedded({ seed: { roles: [{ id: 'r', name: 'Partners' }] } })
    world.declare(document('Service', 'Orders', { roles: [{ name: 'Partners', action: 'read' }] }))
    await world.plan()
    const [roles] = world.requests().filter(({ path }) => path.endsWith('/rest/roles'))
    expect(new URLSearchParams(roles?.query).get('fields')?.split(',').sort()).toEqual(['id', 'name'])
  })
})

describe('changes are a graph, not levels', () => {
  test('one slow service delays only the changes that need it', async () => {
    const clock = testClock()
    const platform = createPlatform({ autoApprove: true, idSeed: 'slow', now: clock.now })
    const answered: string[] = []
    let release: () => void = () => undefined
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const make: Make = {
      log: platform.log,
      fetch: async (request) => {
        const body = request.method === 'POST' ? await request.clone().text() : ''
        const name = /"name":"([^"]+)"/.exec(body)?.[1] ?? ''
        // With levels, it would wait here, and never get to the step that releases it.
        if (name === 'Slow') await released
        const response = await platform.fetch(request)
        if (name !== '') answered.push(name)
        if (name === 'Package of Fast') release()
        return response
      },
    }
    const world = worldOf(make, clock)
    const packageOf = (service: string) =>
      document('Package', `Package of ${service}`, { plans: [{ name: 'Gold', services: [{ name: service }] }] })
    world.declare(
      document('Service', 'Slow', {}),
      document('Service', 'Fast', {}),
      packageOf('Slow'),
      packageOf('Fast'),
    )
    expect((await world.apply()).exitCode).toBe(0)
    expect(answered).toEqual(['Fast', 'Package of Fast', 'Slow', 'Package of Slow'])
  })
})
