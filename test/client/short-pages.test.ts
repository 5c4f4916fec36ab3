import { expect, test } from 'vitest'
import { createPlatform } from '../../src/platform/server.js'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { type Make, testClock, type World, world } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'

/** A platform may give less at a time than it was asked for, and not say how many there are: that is not all there is. */

/** The same make with smaller pages and without a count. */
const withPagesOf = (most: number, make: Make): Make => ({
  ...make,
  fetch: async (request) => {
    const url = new URL(request.url)
    const limit = Number(url.searchParams.get('limit') ?? 100)
    const isList = request.method === 'GET' && url.searchParams.has('limit')
    if (isList) url.searchParams.set('limit', String(Math.min(limit, most)))
    const response = await make.fetch(isList ? new Request(url, request) : request)
    response.headers.delete('x-total-count')
    return response
  },
})

const names = Array.from({ length: 120 }, (_, index) => `service-${String(index).padStart(3, '0')}`)

async function filled(most: number, make: Make): Promise<World> {
  const rest = await restOf(make)
  for (const name of names) await rest.post('/services', { name })
  return world(withPagesOf(most, make))
}

const embedded = () => createPlatform({ autoApprove: true, now: testClock().now })
const other = () => createOtherMake()

test.each([
  [37, 'the embedded platform', embedded],
  [99, 'the embedded platform', embedded],
  [50, 'the other make', other],
  [100, 'the other make', other],
])('pages of %i, not counted, of %s are read to the last', async (most, _, make) => {
  const w = await filled(most, make())
  w.declare(...names.map((name) => document('Service', name)), document('Service', 'one more'))
  expect((await w.plan()).summary).toMatchObject({ create: 1, unchanged: names.length })
  expect((await w.apply()).exitCode).toBe(0)
  expect((await w.plan()).summary).toMatchObject({ create: 0, unchanged: names.length + 1 })
  expect((await w.run(['export', '--dir', 'out'])).exitCode).toBe(0)
  const again = (await w.run(['plan', '-f', 'out', '-o', 'json'])).json().summary
  expect(again).toMatchObject({ create: 0 })
  expect(again.unchanged).toBeGreaterThan(names.length)
})
