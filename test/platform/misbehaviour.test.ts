import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/json/json.js'
import { createPlatform } from '../../src/platform/server.js'
import type { PlatformSettings } from '../../src/platform/settings.js'
import { testClock } from '../kit/world.js'
import { connect, endpointBody } from './client.js'

/** A platform with these faults, and its clock. */
async function misbehaving(options: PlatformSettings) {
  const clock = testClock()
  return { ...(await connect({ ...clock, ...options })), sleep: clock.sleep }
}

const namesOf = (list: readonly JsonObject[]) => list.map(({ name }) => name)

describe('lists that lag', () => {
  it('have the earlier state, while objects are found by their ids', async () => {
    const { get, post, put, del, sleep } = await misbehaving({ faults: ['lag-1000'] })
    const kept = await post('/services', { name: 'Kept' })
    const gone = await post('/services', { name: 'Gone' })
    await sleep(1000)
    const made = await post('/services', { name: 'New' })
    await put(`/services/${kept.id}`, { name: 'Renamed' })
    await del(`/services/${gone.id}`)
    expect(namesOf((await get('/services')).list)).toEqual(['Kept', 'Gone'])
    expect((await get('/services?filter=name:New')).list).toEqual([])
    expect((await get('/services?filter=name:Kept')).headers.get('x-total-count')).toBe('1')
    expect((await get(`/services/${made.id}`)).object.name).toBe('New')
    expect((await get(`/services/${kept.id}`)).object.name).toBe('Renamed')
    expect((await get(`/services/${gone.id}`)).status).toBe(404)
    await sleep(999)
    expect(namesOf((await get('/services')).list)).toEqual(['Kept', 'Gone'])
    await sleep(1)
    expect(namesOf((await get('/services')).list)).toEqual(['Renamed', 'New'])
  })

  it('include those that are nested in their parent', async () => {
    const { get, post, sleep } = await misbehaving({ faults: ['lag-500'] })
    const { id } = await post('/services', { name: 'A', endpoints: [endpointBody('a')] })
    const nested = `/services/${id}?fields=name,endpoints.name,errorSets.name`
    expect((await get(nested)).object).toEqual({ name: 'A', endpoints: [], errorSets: [] })
    await sleep(500)
    await post(`/services/${id}/endpoints`, endpointBody('b'))
    expect((await get(nested)).object.endpoints).toEqual([{ name: 'a' }])
    expect(namesOf((await get(`/services/${id}/endpoints`)).list)).toEqual(['a'])
    expect((await get('/services?fields=endpoints.name')).list).toEqual([{ endpoints: [{ name: 'a' }] }])
    await sleep(500)
    expect((await get(nested)).object.endpoints).toEqual([{ name: 'a' }, { name: 'b' }])
  })

  it('may lag for one collection, for some calls, or for objects by id as well', async () => {
    const { get, post, sleep } = await misbehaving({
      faults: ['lag-500:GET /services:1', 'stale-500:GET /roles/{roleId}'],
    })
    const service = await post('/services', { name: 'A' })
    const role = await post('/roles', { name: 'Partners' })
    expect((await get('/services')).list).toEqual([])
    expect((await get('/services')).list).toHaveLength(1)
    expect((await get(`/services/${service.id}`)).status).toBe(200)
    expect((await get('/roles')).list).toHaveLength(2)
    expect((await get(`/roles/${role.id}`)).status).toBe(404)
    await sleep(500)
    expect((await get(`/roles/${role.id}`)).object.name).toBe('Partners')
  })

  it('lag for links, keys and references as well', async () => {
    const { get, post, sleep } = await misbehaving({ faults: ['lag-500'] })
    const service = await post('/services', { name: 'S', endpoints: [endpointBody('a')] })
    const pack = await post('/packages', { name: 'P', plans: [{ name: 'L' }] })
    const { list } = await get(`/packages/${pack.id}/plans`)
    expect(list).toEqual([])
    await sleep(500)
    const [plan] = (await get(`/packages/${pack.id}/plans`)).list
    const services = `/packages/${pack.id}/plans/${plan?.id}/services`
    const [endpoint] = (await get(`/services/${service.id}/endpoints`)).list
    await post(services, { id: service.id })
    await post(`${services}/${service.id}/endpoints`, { id: endpoint?.id })
    expect((await get(services)).list).toEqual([])
    expect((await get(`${services}/${service.id}/endpoints`)).list).toEqual([])
    await sleep(500)
    expect((await get(services)).list).toHaveLength(1)
    expect((await get(`${services}/${service.id}/endpoints`)).list).toHaveLength(1)
  })
})

describe('creates that are slow or late', () => {
  it('answer later by the clock of the platform', async () => {
    const clock = testClock()
    const { post } = await connect({ ...clock, faults: ['slow-60000:POST'] })
    const before = clock.now()
    await post('/services', { name: 'A' })
    expect(clock.now() - before).toBe(60_000)
  })

  it('are answered 504 with a page at once, and carried out later', async () => {
    const { get, post, sleep, platform } = await misbehaving({ faults: ['late-2500:POST:1'] })
    const answer = await post('/services', { name: 'A' })
    expect([answer.status, answer.headers.get('content-type'), answer.body]).toEqual([504, 'text/html', undefined])
    await sleep(2499)
    expect((await get('/services')).list).toEqual([])
    await sleep(1)
    const { list } = await get('/services?fields=id,name,created')
    expect(list).toEqual([{ id: expect.any(String), name: 'A', created: '2026-11-21T00:00:02.000+0000' }])
    expect(platform.log.filter(({ id }) => id !== undefined)).toEqual([
      { method: 'POST', path: '/v3/rest/services', query: '', status: 504, id: list[0]?.id },
    ])
  })

  it('drop the connection and are carried out later, in order, with the values at that time', async () => {
    const { get, post, put, del, sleep } = await misbehaving({
      faults: ['late-2000-reset:POST', 'late-1000-reset:PUT', 'late-1000:DELETE'],
    })
    await expect(post('/roles', { name: 'A' })).rejects.toThrow('fetch failed')
    await expect(post('/roles', { wrong: true })).rejects.toThrow('fetch failed')
    await sleep(5000)
    const [role] = (await get('/roles?filter=name:A')).list
    await expect(put(`/roles/${role?.id}`, { name: 'B' })).rejects.toThrow('fetch failed')
    await sleep(500)
    expect((await del(`/roles/${role?.id}`)).status).toBe(504)
    await sleep(500)
    expect((await get(`/roles/${role?.id}`)).object.name).toBe('B')
    await sleep(500)
    expect((await get('/roles')).list).toHaveLength(1)
  })
})

describe('answers that differ from the result', () => {
  it.each([
    ['after-500', 500, { errorCode: 500, errorMessage: 'fault' }],
    ['after-400-array', 400, [{ errorCode: 400, errorMessage: 'fault' }]],
    ['after-503-error', 503, { error: 'fault' }],
    ['after-502-html', 502, '<html><body>Error 502</body></html>'],
    ['after-500-empty', 500, ''],
    ['after-200-empty', 200, ''],
    ['after-204-empty', 204, ''],
    ['after-200-braces', 200, {}],
    ['after-200-html', 200, '<html><body>Sign in</body></html>'],
    ['after-202', 202, [expect.objectContaining({ id: expect.any(String), name: 'A' })]],
    ['after-200-no-id', 200, [expect.not.objectContaining({ id: expect.anything() })]],
  ])('%s', async (fault, status, body) => {
    const { get, post, platform } = await misbehaving({ faults: [`${fault}:POST:1`] })
    const answer = await post('/services', { name: 'A' })
    expect([answer.status, answer.body ?? answer.text]).toEqual([status, body])
    const { list } = await get('/services')
    expect(namesOf(list)).toEqual(['A'])
    expect(platform.log.find(({ method, path }) => method === 'POST' && path.endsWith('/services'))).toMatchObject({
      status,
      id: list[0]?.id,
    })
  })

  it('are also given if nothing was done', async () => {
    const { get, post } = await misbehaving({
      faults: ['status-500-array:POST /services', 'status-503-html:POST /roles'],
    })
    expect((await post('/services', { name: 'A' })).body).toEqual([{ errorCode: 500, errorMessage: 'fault' }])
    expect((await post('/roles', { name: 'A' })).text).toContain('503')
    expect([(await get('/services')).list, (await get('/roles')).list]).toEqual([[], [expect.anything()]])
  })
})

describe('answers of 200 that are no list', () => {
  it.each([
    ['status-200-braces', {}],
    ['status-200-message', { message: 'fault' }],
    ['status-200-errors', { errors: [{ message: 'fault' }] }],
    ['status-200-error', { error: 'fault' }],
    ['status-200-items', { items: [], total: 0 }],
    ['status-200-null', null],
    ['status-206-list', []],
    ['status-200-object', { errorCode: 200, errorMessage: 'fault' }],
    ['after-200-no-id', [{ name: 'A' }]],
    ['after-200-no-name', [{ id: expect.any(String) }]],
  ])('%s', async (fault, body) => {
    const { get, post } = await misbehaving({ faults: [`${fault}:GET /services`] })
    await post('/services', { name: 'A' })
    const answer = await get('/services?fields=id,name')
    expect(answer.body).toEqual(body)
    expect(answer.headers.get('content-type')).toContain('application/json')
  })
})

describe('a create of a tree that breaks off', () => {
  const tree = {
    name: 'S',
    endpoints: [endpointBody('a', { methods: [{ name: 'm' }, { name: 'n' }] }), endpointBody('b')],
  }
  const query = '/services?fields=name,endpoints.name,endpoints.methods.name'

  it.each([
    [0, 'endpoints[0]', []],
    [1, 'endpoints[0].methods[0]', [{ name: 'a', methods: [] }]],
    [2, 'endpoints[0].methods[1]', [{ name: 'a', methods: [{ name: 'm' }] }]],
    [3, 'endpoints[1]', [{ name: 'a', methods: [{ name: 'm' }, { name: 'n' }] }]],
  ])('after %i children', async (children, property, endpoints) => {
    const { get, post, platform } = await misbehaving({ faults: [`partial-${children}:POST /services:1`] })
    const answer = await post('/services', tree)
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual({ errorCode: 400, errorMessage: 'fault', errors: [{ property, message: 'fault' }] })
    expect((await get(query)).list).toEqual([{ name: 'S', endpoints }])
    expect(platform.log.filter(({ id }) => id !== undefined)).toHaveLength(1)
  })

  it('answers as configured, and creates trees with fewer children completely', async () => {
    const { get, post } = await misbehaving({ faults: ['partial-1-500-html:POST'] })
    const plans = [{ name: 'Gold' }, { name: 'Silver' }]
    const answer = await post('/packages', { name: 'P', plans })
    expect([answer.status, answer.text]).toEqual([500, '<html><body>Error 500</body></html>'])
    expect((await get('/packages?fields=plans.name')).list).toEqual([{ plans: [{ name: 'Gold' }] }])
    expect((await post('/packages', { name: 'Q', plans: [{ name: 'Gold' }] })).status).toBe(200)
  })
})

describe('pages', () => {
  it('are shorter than the requested limit, with a count or without', async () => {
    const { get, post } = await misbehaving({ faults: ['page-2', 'uncounted:/roles'] })
    for (const name of ['A', 'B', 'C']) await post('/services', { name })
    for (const name of ['A', 'B', 'C']) await post('/roles', { name })
    const first = await get('/services?limit=100')
    expect([namesOf(first.list), first.headers.get('x-total-count')]).toEqual([['A', 'B'], '3'])
    expect(namesOf((await get('/services?limit=100&offset=2')).list)).toEqual(['C'])
    const roles = await get('/roles?limit=100')
    expect([roles.list.length, roles.headers.get('x-total-count')]).toEqual([2, null])
    expect((await get('/roles?limit=100&offset=1')).list).toHaveLength(2)
  })
})

describe('names that are stored differently', () => {
  it.each([
    ['trim', ' A  b ', 'A  b'],
    ['collapse', ' A  b ', 'A b'],
    ['lower', 'Größe', 'größe'],
    ['nfc', 'cafe\u0301', 'caf\u00e9'],
    ['escape', 'R&D <x>', 'R&amp;D &lt;x&gt;'],
  ])('%s', async (form, written, stored) => {
    const { get, post, put } = await misbehaving({ faults: [`names-${form}`] })
    const made = await post('/services', { name: written, description: written, endpoints: [endpointBody(written)] })
    expect(made.object.name).toBe(stored)
    const query = '/services?fields=name,description,endpoints.name,errorSets.name'
    const [service] = (await get(query)).list
    expect(service).toMatchObject({ name: stored, description: written, endpoints: [{ name: stored }] })
    expect((await put(`/services/${made.id}`, { name: 'plain' })).object.name).toBe('plain')
    expect((await put(`/services/${made.id}`, { name: written })).object.name).toBe(stored)
  })

  it('are also those of domains and members, but never the ids of messages', async () => {
    const { get, post } = await misbehaving({ faults: ['names-lower'] })
    expect((await post('/domains', { domain: 'API.Example.com' })).object.domain).toBe('api.example.com')
    const member = { email: 'a@x', displayName: 'A', externalId: '1', passwdNew: 'secret' }
    const { id, object } = await post('/members', { username: 'Acme', ...member })
    expect(object.username).toBe('acme')
    expect((await post(`/members/${id}/applications`, { name: 'Shop', username: 'Acme' })).object.name).toBe('shop')
    await post('/services', { name: 'A' })
    expect((await get('/services?fields=errorSets.name,errorSets.errorMessages.id')).list).toEqual([
      {
        errorSets: [{ name: 'default', errorMessages: expect.arrayContaining([{ id: 'ERR_403_DEVELOPER_OVER_QPS' }]) }],
      },
    ])
  })
})

describe('the error set of a new service', () => {
  it('has another name', async () => {
    const { get, post } = await misbehaving({ errorSet: 'Default Error Set' })
    await post('/services', { name: 'A', errorSets: [{ name: 'Own', type: 'text/json' }] })
    expect((await get('/services?fields=errorSets.name')).list).toEqual([
      { errorSets: [{ name: 'Default Error Set' }, { name: 'Own' }] },
    ])
  })

  it('is not added automatically', async () => {
    const { get, post, put, del } = await misbehaving({ errorSet: '' })
    const { id } = await post('/services', { name: 'A' })
    expect((await put(`/services/${id}`, { description: 'x' })).status).toBe(200)
    expect((await get('/services?fields=errorSets.name')).list).toEqual([{ errorSets: [] }])
    const set = await post(`/services/${id}/errorSets`, { name: 'Own', type: 'text/json' })
    expect((await del(`/services/${id}/errorSets/${set.id}`)).status).toBe(400)
    expect((await put(`/services/${id}`, { errorSets: [] })).status).toBe(400)
  })
})

describe('nested children that are dropped', () => {
  it.each([
    ['PlanService.endpoints', [], [{ id: 'e1', methods: [{ id: 'm1' }] }]],
    ['PlanService.endpoints.methods', [{ id: 'e1', methods: [] }], [{ id: 'e1', methods: [{ id: 'm1' }] }]],
  ])('%s, unless they are sent to their own routes', async (field, kept, whole) => {
    const service = {
      id: 's1',
      name: 'S',
      endpoints: [{ ...endpointBody('a'), id: 'e1', methods: [{ id: 'm1', name: 'm' }] }],
    }
    const { get, post, put } = await misbehaving({ ignoreNested: [field], seed: { services: [service] } })
    const link = { id: 's1', endpoints: [{ id: 'e1', methods: [{ id: 'm1' }] }] }
    const query = '?fields=id,endpoints.id,endpoints.methods.id'
    const nested = await post('/packages?fields=id,plans.id,plans.services.id', {
      name: 'P',
      plans: [{ name: 'L', services: [link] }, { name: 'M' }],
    })
    const [planL, planM] = nested.object.plans as readonly [JsonObject, JsonObject]
    const pathOf = (plan: JsonObject) => `/packages/${nested.id}/plans/${plan.id}/services`
    const shown = async (plan: JsonObject) => (await get(`${pathOf(plan)}/s1${query}`)).object.endpoints
    expect(await shown(planL)).toEqual(kept)
    await post(pathOf(planM), link)
    expect(await shown(planM)).toEqual(kept)
    await put(`${pathOf(planM)}/s1`, link)
    expect(await shown(planM)).toEqual(kept)
    if (kept.length === 0) await post(`${pathOf(planM)}/s1/endpoints`, { id: 'e1' })
    expect((await post(`${pathOf(planM)}/s1/endpoints/e1/methods`, { id: 'm1' })).status).toBe(200)
    expect(await shown(planM)).toEqual(whole)
  })

  it('are named as KIND.FIELD', () => {
    expect(() => createPlatform({ ignoreNested: ['Service.endpoint'] })).toThrow('is not a nested field')
  })
})

describe('invalid rules', () => {
  it.each([
    'status-200',
    'status-500-no-id',
    'status-100',
    'after-500-nonsense',
    'partial',
    'partial-1-200',
    'lag',
    'late-x',
    'page-0',
    'names-upper',
  ])('%s', (spec) => {
    expect(() => createPlatform({ faults: [spec] })).toThrow(RangeError)
  })
})
