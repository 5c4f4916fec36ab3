import { expect, test } from 'vitest'
import { createPlatform } from '../../src/platform/server.js'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { isWrite, type Make, testClock, type World, world } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'

/** A platform may return smaller pages than requested, without the number of objects, or may count offsets differently. */

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
])('pages of %i, without a count, of %s are read completely', async (most, _, make) => {
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

/** The same make, whose X-Total-Count is that of the page. */
const countingPages = (make: Make): Make => ({
  ...make,
  fetch: async (request) => {
    const response = await make.fetch(request)
    if (request.method !== 'GET' || !new URL(request.url).searchParams.has('limit')) return response
    const page = (await response.json()) as readonly unknown[]
    return Response.json(page, { headers: { 'X-Total-Count': String(page.length) } })
  },
})

test.each([
  ['the embedded platform', embedded, 120],
  ['the other make', other, 120],
  ['the embedded platform', embedded, 100],
  ['the other make', other, 200],
])('pages of %s whose count is only their own are read completely', async (_, create, count) => {
  const make = create()
  const rest = await restOf(make)
  const declared = Array.from({ length: count }, (__, index) => `service-${String(index).padStart(3, '0')}`)
  for (const name of declared) await rest.post('/services', { name })
  const w = world(countingPages(make))
  w.declare(...declared.map((name) => document('Service', name)))
  expect((await w.plan()).summary).toMatchObject({ create: 0, unchanged: count })
})

/** The same make, with offsets that count objects in every list. */
const withOffsetsOfObjects = (make: Make, count: Count): Make => ({
  ...make,
  fetch: async (request) => {
    const url = new URL(request.url)
    if (request.method !== 'GET' || !url.searchParams.has('limit')) return make.fetch(request)
    const [limit = 0, offset = 0] = ['limit', 'offset'].map((name) => Number(url.searchParams.get(name)))
    url.searchParams.set('limit', '1000')
    url.searchParams.set('offset', '0')
    const response = await make.fetch(new Request(url, request))
    const all = (await response.json()) as readonly unknown[]
    const total = count(all)
    return Response.json(
      all.slice(offset, offset + limit),
      total === undefined ? {} : { headers: { 'X-Total-Count': String(total) } },
    )
  },
})

type Count = (all: readonly unknown[]) => number | undefined

const many = Array.from({ length: 250 }, (_, index) => `object-${String(index).padStart(3, '0')}`)

test.each<[string, Count, number]>([
  ['counts', (all) => all.length, 4],
  ['does not send a count', () => undefined, 6],
])(
  'roles of a platform whose offset counts objects in every list, and that %s, are read in pages',
  async (_, count, most) => {
    const make = embedded()
    const rest = await restOf(make)
    for (const name of many) await rest.post('/roles', { name })
    const w = await world(withOffsetsOfObjects(make, count))
    w.declare(...many.map((name) => document('Role', name)), document('Role', 'one more'))
    expect((await w.plan()).summary).toMatchObject({ create: 1, unchanged: many.length })
    expect(w.requests().filter((each) => !isWrite(each) && each.path.includes('/roles')).length).toBe(most)
  },
)
