import { describe, expect, it } from 'vitest'
import type { KindName } from '../../src/catalog/types.js'
import { answeredList } from '../../src/client/answer.js'
import { estimateRead } from '../../src/client/estimate.js'
import type { Json, JsonObject } from '../../src/json/json.js'
import type { Holder, ReadSpec } from '../../src/live/live-object.js'
import type { ReadProgress } from '../../src/ports/progress.js'
import type { WireResponse } from '../../src/ports/transport.js'
import { ProblemError } from '../../src/problems/problem.js'
import { answering, client, json } from './support.js'

const spec = (fields: Partial<Record<KindName, readonly string[]>>, more: Partial<ReadSpec> = {}): ReadSpec => ({
  fields: new Map(Object.entries(fields) as [KindName, readonly string[]][]),
  linksOf: 'none',
  ...more,
})

const named = (count: number): readonly JsonObject[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `id-${index}`,
    name: `name ${index}`,
    domain: `d${index}.example`,
  }))

/** The ways in which a platform pages; an index may count the answered pages or the requested ones. */
interface Slicing {
  readonly offset: 'objects' | 'pages' | 'pages asked for'
  readonly totals: 'sent' | 'missing'
  readonly atMost?: number
}

/** A page of a list, as requested by the parameters. */
function slice(objects: readonly JsonObject[], url: URL, { offset, totals, atMost = 1000 }: Slicing): WireResponse {
  const asked = Number(url.searchParams.get('limit') ?? 100)
  const limit = Math.min(atMost, asked)
  const unit = { objects: 1, pages: limit, 'pages asked for': asked }[offset]
  const from = Number(url.searchParams.get('offset') ?? 0) * unit
  const headers = totals === 'sent' ? { 'x-total-count': String(objects.length) } : undefined
  return json(objects.slice(from, from + limit), 200, headers)
}

const idsOf = (objects: readonly JsonObject[] | undefined) => objects?.map((object) => object.id)

describe('a paged collection', () => {
  it.each([
    ['Domain', 'domains', { offset: 'objects', totals: 'sent' }, 4],
    ['Domain', 'domains', { offset: 'objects', totals: 'missing' }, 6],
    ['Domain', 'domains', { offset: 'objects', totals: 'sent', atMost: 50 }, 7],
    ['Role', 'roles', { offset: 'pages', totals: 'sent' }, 4],
    ['Role', 'roles', { offset: 'pages', totals: 'missing' }, 6],
    ['Domain', 'domains', { offset: 'objects', totals: 'missing', atMost: 37 }, 11],
    ['Domain', 'domains', { offset: 'objects', totals: 'missing', atMost: 99 }, 6],
    ['Role', 'roles', { offset: 'pages', totals: 'missing', atMost: 50 }, 9],
    ['Role', 'roles', { offset: 'pages asked for', totals: 'missing', atMost: 50 }, 9],
    ['Role', 'roles', { offset: 'pages asked for', totals: 'sent', atMost: 50 }, 7],
  ] as const)('%s, by %j, is read completely', async (kind, collection, slicing, requests) => {
    const objects = named(320)
    const wire = answering((_, url) => slice(objects, url, slicing))
    const reading = await client(wire.transport).read(spec({ [kind]: [] }))
    expect(idsOf(reading.raw[collection])).toEqual(idsOf(objects))
    expect(wire.requests).toHaveLength(requests)
    expect(reading.cost).toMatchObject([{ collection, objects: 320, requests }])
    expect(estimateRead(reading.cost)).toBe(requests)
  })

  it.each([
    [0, 'sent', 1],
    [99, 'sent', 1],
    [100, 'sent', 2],
    [101, 'sent', 2],
    [0, 'missing', 1],
    [99, 'missing', 2],
    [100, 'missing', 3],
    [101, 'missing', 4],
  ] as const)('of %i objects, totals %s, needs %i requests, as estimated', async (count, totals, requests) => {
    const wire = answering((_, url) => slice(named(count), url, { offset: 'objects', totals }))
    const { cost } = await client(wire.transport).read(spec({ Domain: [] }))
    expect(wire.requests).toHaveLength(requests)
    expect(estimateRead(cost)).toBe(requests)
  })

  it('is requested with fields, sort, limit and offset', async () => {
    const wire = answering(() => json([]))
    await client(wire.transport).read(spec({ Service: ['version'], ScheduledMaintenanceEvent: [], Role: [] }))
    expect(wire.requests.map(({ url }) => url.replace(/^.*\/v3\/rest/, ''))).toEqual([
      '/services?fields=id,name,version&sort=created:asc&limit=100&offset=0',
      '/scheduledMaintenanceEvents?fields=id,name&sort=name:asc&limit=100&offset=0',
      '/roles?fields=id,name&sort=created:asc&limit=100&offset=0',
    ])
  })

  it('whose total changes is read once more, and no object is returned twice', async () => {
    let objects = named(150)
    const wire = answering((request, url) => {
      if (request.url.includes('offset=100') && objects.length === 150) {
        objects = [{ id: 'new', domain: 'new.example' }, ...objects]
      }
      return slice(objects, url, { offset: 'objects', totals: 'sent' })
    })
    const reading = await client(wire.transport).read(spec({ Domain: [] }))
    expect(idsOf(reading.raw.domains)).toEqual(['new', ...named(150).map((object) => object.id)])
    expect(wire.requests).toHaveLength(5)
  })

  it('that changes in both readings lacks no object after a deleted one', async () => {
    let objects = named(250)
    const wire = answering((request, url) => {
      if (request.url.includes('offset=100')) objects = objects.slice(1)
      return slice(objects, url, { offset: 'objects', totals: 'sent' })
    })
    const reading = await client(wire.transport).read(spec({ Domain: [] }))
    const read = new Set(idsOf(reading.raw.domains))
    expect(named(250).filter(({ id }) => !read.has(id))).toEqual([])
    expect(wire.requests).toHaveLength(8)
  })

  it('without a total is read once more if its first page differs at the end', async () => {
    let objects = named(150)
    let count = 0
    const wire = answering((_, url) => {
      count += 1
      if (count === 4) objects = [...objects.slice(1), { id: 'last', domain: 'last.example' }]
      return slice(objects, url, { offset: 'objects', totals: 'missing' })
    })
    const reading = await client(wire.transport).read(spec({ Domain: [] }))
    expect(reading.raw.domains).toHaveLength(150)
    expect(idsOf(reading.raw.domains)).toContain('last')
    expect(wire.requests).toHaveLength(8)
  })

  it('whose pages lack objects again and again is an error, because objects could be created twice', async () => {
    const wire = answering(() => json(named(100), 200, { 'x-total-count': '150' }))
    const error = await client(wire.transport)
      .read(spec({ Domain: [] }))
      .catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(ProblemError)
    expect(error).toMatchObject({ problems: [{ code: 'collection-incomplete' }] })
  })

  it.each([
    ['omits objects that it counts', (url: URL) => slice(named(150), url, { offset: 'objects', totals: 'missing' })],
    ['repeats its first page', () => json(named(100))],
  ])('whose platform reports a billion objects and %s does not need a billion requests', async (_, answer) => {
    const wire = answering((_request, url) => {
      const response = answer(url)
      return { ...response, headers: { ...response.headers, 'x-total-count': '1000000000' } }
    })
    const error = await client(wire.transport)
      .read(spec({ Domain: [] }))
      .catch((reason: unknown) => reason)
    expect(error).toMatchObject({ problems: [{ code: 'collection-incomplete' }] })
    expect(wire.requests.length).toBeLessThan(120)
  })

  it.each(['sent', 'missing'] as const)('that never ends, totals %s, ends in an error', async (totals) => {
    let next = 0
    const wire = answering(() => {
      next += 1
      return json(
        [{ id: next, domain: `d${next}.example` }],
        200,
        totals === 'sent' ? { 'x-total-count': '1000000000' } : {},
      )
    })
    const error = await client(wire.transport)
      .read(spec({ Domain: [] }))
      .catch((reason: unknown) => reason)
    expect(error).toMatchObject({ problems: [{ code: 'collection-endless' }] })
    expect(wire.requests.length).toBeLessThanOrEqual(10_050)
  })

  it('whose platform ignores the offset is not requested for ever', async () => {
    const wire = answering(() => json(named(7)))
    const reading = await client(wire.transport).read(spec({ Domain: [] }))
    expect(reading.raw.domains).toHaveLength(7)
    expect(wire.requests).toHaveLength(2)
  })

  it('with more pages than simultaneous requests is read completely', async () => {
    const objects = named(12_345)
    const wire = answering((_, url) => slice(objects, url, { offset: 'objects', totals: 'sent' }))
    const reading = await client(wire.transport).read(spec({ Domain: [] }))
    expect(reading.raw.domains).toHaveLength(12_345)
    expect(wire.requests).toHaveLength(124)
  })

  it('reports its progress', async () => {
    const progress: ReadProgress[] = []
    const wire = answering((_, url) => slice(named(150), url, { offset: 'objects', totals: 'sent' }))
    await client(wire.transport, { onProgress: (each) => progress.push(each) }).read(spec({ Domain: [] }))
    expect(progress).toEqual([
      { collection: 'domains', objects: 100, total: 150 },
      { collection: 'domains', objects: 150, total: 150 },
    ])
  })

  it('with too many fields for one URL is read in parts', async () => {
    const extra = Array.from({ length: 400 }, (_, index) => `anExtraFieldWithALongName${index}`)
    const wire = answering((_, url) => {
      const fields = url.searchParams.get('fields')?.split(',') ?? []
      return json([Object.fromEntries(fields.map((field) => [field, `${field}!`]))], 200, { 'x-total-count': '1' })
    })
    const reading = await client(wire.transport).read(spec({ Service: extra }))
    expect(wire.requests.every((request) => request.url.length <= 8000)).toBe(true)
    expect(wire.requests).toHaveLength(2)
    expect(Object.keys(reading.raw.services?.[0] ?? {})).toEqual(['id', 'name', ...extra])
    expect(estimateRead(reading.cost)).toBe(2)
  })
})

describe('an answer that is not a list of objects', () => {
  const read = (response: WireResponse, kinds: Partial<Record<KindName, readonly string[]>>) =>
    client(answering((_, url) => (url.searchParams.get('offset') === '0' ? response : json([]))).transport).read(
      spec(kinds),
    )

  it.each([
    ['an empty object', json({})],
    ['an object of another kind', json({ items: [], total: 0 })],
    ['a list inside an object', json({ services: [] })],
    ['null inside an object', json({ data: null })],
    ['a message', json({ message: 'Forbidden' })],
    ['an object without a name', json([{ id: 'a', name: 'one' }, { id: 'b' }])],
    ['a name that is null', json([{ id: 'a', name: null }])],
    ['a name that is empty', json([{ id: 'a', name: '' }])],
    ['a name that is a number', json([{ id: 'a', name: 5 }])],
    ['a name that is an object', json([{ id: 'a', name: { en: 'one' } }])],
    ['an object without an id', json([{ name: 'one' }])],
    ['an id that is an object', json([{ id: {}, name: 'one' }])],
    ['a part of a list', json([{ id: 'a', name: 'one' }], 206)],
    ['a part of a list that is empty', json([], 206)],
    ['no content', { status: 204, headers: {}, body: '' }],
    ['no content, but a list', json([], 204)],
    ['nothing, with an invalid count', { status: 200, headers: { 'x-total-count': '' }, body: '' }],
    ['a child without an id', json([{ id: 'a', name: 'one', endpoints: [{ name: 'e' }] }])],
    ['a child without a name', json([{ id: 'a', name: 'one', endpoints: [{ id: 'e' }] }])],
    ['children that are a message', json([{ id: 'a', name: 'one', endpoints: { message: 'no' } }])],
    ['children that are null', json([{ id: 'a', name: 'one', endpoints: [null] }])],
    [
      'a child of a child without a name',
      json([{ id: 'a', name: 'one', endpoints: [{ id: 'e', name: 'e', methods: [{ id: 'm' }] }] }]),
    ],
  ])('%s', async (_, response) => {
    const error = await read(response, { Service: [], Endpoint: [], Method: [] }).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ problems: [{ code: 'answer-not-list' }] })
  })

  it.each([{ errors: [{ message: 'no' }] }, { error: 'invalid_token' }, [{ errorCode: 500 }]])(
    'an error under a status of success: %j',
    async (body) => {
      const error = await read(json(body), { Service: [] }).catch((reason: unknown) => reason)
      expect(error).toMatchObject({ problems: [{ code: 'request-refused' }] })
    },
  )

  it('is reported without the secrets in it', async () => {
    const key = { apikey: 'clear-key', secret: 'clear-secret' }
    const member = { id: 'm', username: 'u', applications: [{ id: 'a', name: 'A', packageKeys: [key] }] }
    const error = await read(json([member]), { Member: [], Application: [], PackageKey: [] }).catch(
      (reason: unknown) => reason,
    )
    expect(error).toMatchObject({
      problems: [{ code: 'answer-not-list', message: expect.stringContaining('"applications.packageKeys.id"') }],
    })
    expect(String(error)).not.toMatch(/clear-/)
  })

  it.each([
    ['ids that are numbers', json([{ id: 1, name: 'one' }])],
    ['a bare object', json({ id: 'a', name: 'one' })],
    ['an empty list', json([])],
    ['an empty string', json([''])],
    ['nothing, counted', { status: 200, headers: { 'x-total-count': '0' }, body: '' }],
    ['an error set without a name', json([{ id: 'a', name: 'one', errorSets: [{ id: 's' }] }])],
    ['children that are empty', json([{ id: 'a', name: 'one', errorSets: [''] }])],
    ['a child that is a bare object', json([{ id: 'a', name: 'one', errorSets: { id: 's', name: 'S' } }])],
    ['roles that are only ids', json([{ id: 'a', name: 'one', roles: [{ id: 7 }] }])],
  ])('but not %s', async (_, response) => {
    const reading = await read(response, { Service: ['roles'], ErrorSet: [] })
    expect(reading.snapshot.kinds).toContain('Service')
  })
})

describe('nested children', () => {
  const services = [
    { id: 's1', name: 'one' },
    { id: 's2', name: 'two' },
  ]

  const fallback = (routes: Readonly<Record<string, unknown>>) =>
    answering((_, url) => {
      const body = routes[url.pathname.replace('/v3/rest', '')]
      const total = String(answeredList(body as Json).length)
      return body === undefined ? json({ errorCode: 404 }, 404) : json(body, 200, { 'x-total-count': total })
    })

  it('that no answer has are read parent by parent, down to the leaves', async () => {
    const wire = fallback({
      '/services': services,
      '/services/s1/endpoints': [{ id: 'e1', name: 'a' }],
      '/services/s2/endpoints': '',
      '/services/s1/endpoints/e1/methods': { id: 'm1', name: 'list' },
    })
    const reading = await client(wire.transport).read(spec({ Method: [] }))
    expect(reading.raw.services).toEqual([
      { id: 's1', name: 'one', endpoints: [{ id: 'e1', name: 'a', methods: [{ id: 'm1', name: 'list' }] }] },
      { id: 's2', name: 'two', endpoints: [] },
    ])
    expect(reading.cost).toEqual([
      { collection: 'services', objects: 2, requests: 1, paging: { parts: 1, totals: 'sent', size: 100 } },
      { collection: 'services/endpoints', objects: 2, requests: 2 },
      { collection: 'services/endpoints/methods', objects: 1, requests: 1 },
    ])
    expect(estimateRead(reading.cost)).toBe(4)
    expect(reading.snapshot.kinds).toEqual(['Service', 'Endpoint', 'Method'])
  })

  it('that some answers have are not read again', async () => {
    const wire = fallback({ '/services': [{ ...services[0], endpoints: [] }, services[1]] })
    await client(wire.transport).read(spec({ Endpoint: [] }))
    expect(wire.requests).toHaveLength(1)
  })

  it('with exactly the number of a page are requested separately, because they may be cut', async () => {
    const cut = [
      { ...services[0], endpoints: named(100) },
      { ...services[1], endpoints: named(99) },
    ]
    const wire = answering((_, url) =>
      slice(url.pathname.endsWith('/endpoints') ? named(150) : cut, url, { offset: 'objects', totals: 'sent' }),
    )
    const { raw, cost } = await client(wire.transport).read(spec({ Endpoint: [] }))
    expect(raw.services?.map(({ endpoints }) => answeredList(endpoints).length)).toEqual([150, 99])
    expect(wire.requests.slice(1).every(({ url }) => url.includes('/services/s1/endpoints?'))).toBe(true)
    expect(wire.requests).toHaveLength(3)
    expect(estimateRead(cost)).toBe(3)
  })

  it.each([10, 20, 25, 30, 50])(
    'that a platform cuts at %i are requested separately, if none is longer',
    async (size) => {
      const cut = [0, size, size - 1, size, size, size].map((count, index) => ({
        id: `s${index}`,
        name: `s${index}`,
        endpoints: named(count),
      }))
      const wire = answering((_, url) =>
        url.pathname.endsWith('/endpoints')
          ? slice(named(size + 7), url, { offset: 'objects', totals: 'sent', atMost: size })
          : slice(cut, url, { offset: 'objects', totals: 'sent', atMost: size }),
      )
      const { raw, cost } = await client(wire.transport).read(spec({ Endpoint: [] }))
      expect(raw.services?.map(({ endpoints }) => answeredList(endpoints).length)).toEqual([
        0,
        size + 7,
        size - 1,
        size + 7,
        size + 7,
        size + 7,
      ])
      expect(wire.requests.length).toBe(1 + 4 * 2)
      expect(estimateRead(cost)).toBe(wire.requests.length)
    },
  )

  it('cost one reading at a usual number, three at the number of a page, and none if one list is longer', async () => {
    const many = (...counts: readonly number[]) =>
      counts.map((count, index) => ({ id: `s${index}`, name: `s${index}`, endpoints: named(count) }))
    const asked = async (services: readonly JsonObject[]) => {
      const wire = answering((_, url) =>
        slice(url.pathname.endsWith('/endpoints') ? (services[0]?.endpoints as JsonObject[]) : services, url, {
          offset: 'objects',
          totals: 'sent',
        }),
      )
      const { raw } = await client(wire.transport).read(spec({ Endpoint: [] }))
      expect(raw.services).toEqual(services)
      return wire.requests.length
    }
    expect(await asked(many(50, 50, 50, 50, 50))).toBe(2)
    // Nothing shows that a full page is the last one.
    expect(await asked(many(100, 100, 100, 100, 100))).toBe(1 + 3 * 2)
    expect(await asked(many(50, 51, 50))).toBe(1)
    expect(await asked(many(49, 48))).toBe(1)
  })

  it('of a maintenance event with exactly the number of a page are requested separately, too', async () => {
    const events = [100, 99, 100].map((count, index) => ({
      id: `v${index}`,
      name: `v${index}`,
      endpoints: named(count),
    }))
    const wire = answering((_, url) => {
      const own = url.pathname.includes('/v0/') ? named(150) : named(100)
      return slice(url.pathname.endsWith('/endpoints') ? own : events, url, { offset: 'objects', totals: 'sent' })
    })
    const { raw } = await client(wire.transport).read(spec({ ScheduledMaintenanceEvent: ['endpoints'] }))
    expect(raw.scheduledMaintenanceEvents?.map(({ endpoints }) => answeredList(endpoints).length)).toEqual([
      150, 99, 100,
    ])
    expect(wire.requests.some(({ url }) => url.includes('/v1/'))).toBe(false)
  })

  it('with exactly the number of a page are accepted if their list is refused', async () => {
    const wire = answering((_, url) =>
      url.pathname.endsWith('/endpoints')
        ? json({ errorCode: 403, errorMessage: 'not allowed' }, 403)
        : slice([{ ...services[0], endpoints: named(100) }], url, { offset: 'objects', totals: 'sent' }),
    )
    const { raw } = await client(wire.transport).read(spec({ Endpoint: [] }))
    expect(raw.services?.map(({ endpoints }) => answeredList(endpoints).length)).toEqual([100])
  })

  it('that the platform does not offer are not reported as read', async () => {
    const wire = fallback({ '/services': services })
    const reading = await client(wire.transport).read(spec({ Service: [], Method: [] }))
    expect(reading.notOffered).toEqual(['Endpoint', 'Method'])
    expect(reading.snapshot.kinds).toEqual(['Service'])
  })

  it('that are single children need no separate request', async () => {
    const wire = fallback({ '/services': [{ ...services[0], endpoints: [{ id: 'e1', name: 'a' }] }] })
    const reading = await client(wire.transport).read(spec({ Cache: [] }))
    expect(wire.requests).toHaveLength(1)
    expect(reading.snapshot.kinds).toEqual(['Service', 'Endpoint', 'Cache'])
  })

  it.each([
    ['the second', ({ id }: Holder) => id === 's2', ['/services/s2/roles']],
    ['all', 'all', ['/services/s1/roles', '/services/s2/roles']],
    ['none', 'none', []],
  ] as const)('roles of %s are read if the answer lacks them', async (_, linksOf, paths) => {
    const role = { id: 'r', name: 'Partners', action: 'read' }
    const wire = fallback({ '/services': services, '/services/s1/roles': [], '/services/s2/roles': [role] })
    const reading = await client(wire.transport).read(spec({ Service: ['roles'] }, { linksOf }))
    expect(wire.requests.slice(1).map((request) => new URL(request.url).pathname.replace('/v3/rest', ''))).toEqual(
      paths,
    )
    const two = reading.snapshot.objects[1]
    expect(two?.fields.roles).toEqual(linksOf === 'none' ? undefined : [role])
    expect(two?.children.map((child) => child.kind)).toEqual(linksOf === 'none' ? [] : ['ServiceRole'])
    const unread = { roles: 'not asked for' }
    const isFirstRead = linksOf === 'all'
    expect(reading.snapshot.objects[0]?.unread).toEqual(isFirstRead ? undefined : unread)
    expect(two?.unread).toEqual(linksOf === 'none' ? unread : undefined)
  })

  it('roles that the answer has are not requested again', async () => {
    const wire = fallback({ '/services': [{ ...services[0], roles: null }, services[1]] })
    const reading = await client(wire.transport).read(spec({ Service: ['roles'] }, { linksOf: 'all' }))
    expect(wire.requests).toHaveLength(1)
    expect(reading.snapshot.objects.map(({ fields }) => fields.roles)).toEqual([[], []])
  })

  it('roles that the platform does not offer are unknown, not none', async () => {
    const wire = fallback({ '/services': services })
    const reading = await client(wire.transport).read(spec({ Service: ['roles'] }, { linksOf: 'all' }))
    expect(reading.notOffered).toEqual(['ServiceRole'])
    expect(reading.snapshot.objects.map(({ unread }) => unread)).toEqual([
      { roles: 'not offered' },
      { roles: 'not offered' },
    ])
  })

  it('a service without an answer for its roles ends the reading, if the others have one', async () => {
    const wire = fallback({ '/services': services, '/services/s1/roles': [] })
    const reading = client(wire.transport).read(spec({ Service: ['roles'] }, { linksOf: 'all' }))
    await expect(reading).rejects.toThrow('the roles of the Service with id s2 are not there')
  })

  it('a collection that is not offered does not affect the others', async () => {
    const wire = fallback({ '/services': services })
    const reading = await client(wire.transport).read(spec({ Service: [], Package: [], Plan: [] }))
    expect(reading.notOffered).toEqual(['Package', 'Plan'])
    expect(reading.snapshot.kinds).toEqual(['Service'])
    expect(Object.keys(reading.raw)).toEqual(['services'])
  })

  it('email templates are read set by set', async () => {
    const wire = fallback({ '/emailTemplateSets/7/emailTemplates': [{ id: 't', type: 'welcome' }] })
    const reading = await client(wire.transport).read(
      spec({ EmailTemplate: ['subject'] }, { containers: { EmailTemplate: ['7'] } }),
    )
    expect(reading.raw).toEqual({ emailTemplateSets: [{ id: '7', emailTemplates: [{ id: 't', type: 'welcome' }] }] })
    expect(reading.snapshot.objects).toMatchObject([{ owner: '7', key: 'welcome' }])
  })
})
