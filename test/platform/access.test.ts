import { beforeEach, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/json/json.js'
import { type Connection, connect, endpointBody } from './client.js'

let on: Connection
let service: string
let ids: { a: string; b: string; list: string; add: string }
let pack: string
let plan: string

beforeEach(async () => {
  on = await connect()
  const endpoints = [
    endpointBody('a', { methods: [{ name: 'list' }, { name: 'add' }] }),
    endpointBody('b', { methods: [{ name: 'one' }] }),
  ]
  const made = await on.post('/services?fields=id,endpoints.id,endpoints.methods.id', { name: 'Orders', endpoints })
  service = made.id
  const [a, b] = made.object.endpoints as [{ id: string; methods: [{ id: string }, { id: string }] }, { id: string }]
  ids = { a: a.id, b: b.id, list: a.methods[0].id, add: a.methods[1].id }
  const access = await on.post('/packages?fields=id,plans.id', {
    name: 'Access',
    keyLength: 30,
    plans: [{ name: 'Gold' }],
  })
  pack = access.id
  plan = (access.object.plans as [{ id: string }])[0].id
})

const links = () => `/packages/${pack}/plans/${plan}/services`
const included = 'fields=endpoints.id,endpoints.methods.id'
const read = async () => (await on.get(`${links()}/${service}?${included}`)).object.endpoints

describe('plan services', () => {
  it('have the service, and only the endpoints and methods that they include', async () => {
    const endpoints = [{ id: ids.a, methods: [{ id: ids.list }] }, { id: ids.b }]
    const { object } = await on.post(`${links()}?fields=id,name,description,${included.slice(7)}`, {
      id: service,
      name: 'ignored',
      endpoints,
    })
    expect(object).toEqual({
      id: service,
      name: 'Orders',
      description: '',
      endpoints: [
        { id: ids.a, methods: [{ id: ids.list }] },
        { id: ids.b, methods: [] },
      ],
    })
    expect((await on.get(`/services/${service}`)).object.name).toBe('Orders')
  })

  it('need an id, include a service only once, and include only its own children', async () => {
    expect((await on.post(links(), {})).blamed).toEqual(['id'])
    expect((await on.post(links(), { id: 'none' })).blamed).toEqual(['id'])
    const other = await on.post('/services?fields=endpoints.id', { name: 'B', endpoints: [endpointBody('c')] })
    const [{ id }] = other.object.endpoints as [{ id: string }]
    expect((await on.post(links(), { id: service, endpoints: [{ id }] })).blamed).toEqual(['endpoints[0].id'])
    await on.post(links(), { id: service })
    expect((await on.post(links(), { id: service })).words).toContain('already exists')
  })

  it('replace the lists in an update, and keep those that it omits', async () => {
    await on.post(links(), { id: service, endpoints: [{ id: ids.a, methods: [{ id: ids.list }] }] })
    await on.put(`${links()}/${service}`, {})
    expect(await read()).toHaveLength(1)
    await on.put(`${links()}/${service}`, { endpoints: [{ id: ids.a }, { id: ids.b }] })
    expect(await read()).toEqual([
      { id: ids.a, methods: [{ id: ids.list }] },
      { id: ids.b, methods: [] },
    ])
    await on.put(`${links()}/${service}`, { endpoints: [{ id: ids.a, methods: [{ id: ids.add }] }] })
    expect(await read()).toEqual([{ id: ids.a, methods: [{ id: ids.add }] }])
  })

  it('refuse lists with anything but objects with an id, and keep their entries', async () => {
    await on.post(links(), { id: service, endpoints: [{ id: ids.a, methods: [{ id: ids.list }] }] })
    for (const endpoints of ['x', 5, {}, [ids.a], [{ id: ids.a }, ids.b]]) {
      expect((await on.put(`${links()}/${service}`, { endpoints })).status).toBe(400)
    }
    const methods = [ids.add]
    const { blamed } = await on.put(`${links()}/${service}`, { endpoints: [{ id: ids.a, methods }] })
    expect(blamed).toEqual(['endpoints[0].methods[0].id'])
    expect(await read()).toEqual([{ id: ids.a, methods: [{ id: ids.list }] }])
  })

  it('have routes for their endpoints and methods', async () => {
    await on.post(links(), { id: service })
    const path = `${links()}/${service}/endpoints`
    await on.post(path, { id: ids.a, methods: [{ id: ids.list }] })
    await on.post(`${path}/${ids.a}/methods`, { id: ids.add })
    expect((await on.post(`${path}/${ids.a}/methods`, { id: ids.add })).words).toContain('already exists')
    expect(await read()).toEqual([{ id: ids.a, methods: [{ id: ids.list }, { id: ids.add }] }])
    await on.del(`${path}/${ids.a}/methods/${ids.list}`)
    expect(await read()).toEqual([{ id: ids.a, methods: [{ id: ids.add }] }])
    expect((await on.get(`${path}/${ids.b}`)).status).toBe(404)
    expect((await on.get(`${path}/${ids.b}/methods`)).status).toBe(404)
    expect((await on.del(`${path}/${ids.b}`)).status).toBe(404)
    expect((await on.post(path, {})).blamed).toContain('endpoints[1].id')
  })

  it('are created with a package', async () => {
    const services = [{ id: service, endpoints: [{ id: ids.a, methods: [] }] }]
    const { object } = await on.post('/packages?fields=plans.services.name,plans.services.endpoints.name', {
      name: 'B',
      plans: [{ name: 'P', services }],
    })
    expect(object.plans).toEqual([{ services: [{ name: 'Orders', endpoints: [{ name: 'a' }] }] }])
  })

  it('lose endpoints and methods that are deleted, and prevent the delete of their service', async () => {
    const endpoints = [{ id: ids.a, methods: [{ id: ids.list }, { id: ids.add }] }, { id: ids.b }]
    await on.post(links(), { id: service, endpoints })
    await on.del(`/services/${service}/endpoints/${ids.a}/methods/${ids.list}`)
    await on.del(`/services/${service}/endpoints/${ids.b}`)
    expect(await read()).toEqual([{ id: ids.a, methods: [{ id: ids.add }] }])
    const refused = await on.del(`/services/${service}`)
    expect([refused.status, refused.words]).toEqual([400, expect.stringContaining("Plan 'Gold' of Package 'Access'")])
    await on.del(`${links()}/${service}`)
    expect((await on.del(`/services/${service}`)).status).toBe(200)
  })

  it('do not affect the links of other plans when one is deleted', async () => {
    const other = await on.post('/packages?fields=id,plans.id', {
      name: 'B',
      plans: [{ name: 'P', services: [{ id: service, endpoints: [{ id: ids.a }] }] }],
    })
    await on.post(links(), { id: service })
    await on.del(`/packages/${pack}`)
    const [{ id }] = other.object.plans as [{ id: string }]
    const left = await on.get(`/packages/${other.id}/plans/${id}/services/${service}?fields=endpoints.id`)
    expect(left.object).toEqual({ endpoints: [{ id: ids.a }] })
  })
})

describe('package keys', () => {
  let application: string
  let member: string

  beforeEach(async () => {
    const person = { username: 'acme', email: 'e', displayName: 'd', externalId: 'x', passwdNew: 'p' }
    const applications = [{ name: 'Shop', username: 'acme' }]
    const made = await on.post('/members?fields=id,applications.id', { ...person, applications })
    member = made.id
    application = (made.object.applications as [{ id: string }])[0].id
  })

  const keys = () => `/applications/${application}/packageKeys`
  const body = (more: JsonObject = {}) => ({ secret: 's', package: { id: pack }, plan: { id: plan }, ...more })

  it('get a generated value if none is given, and have their package and plan', async () => {
    const { object } = await on.post(keys(), body())
    expect(object).toMatchObject({
      secret: 's',
      status: 'active',
      rateLimitCeiling: 0,
      rateLimitExempt: false,
      package: { id: pack, name: 'Access' },
      plan: { id: plan, name: 'Gold' },
    })
    expect(object.apikey).toMatch(/^[a-z0-9]{30}$/)
    const asked = await on.get(`/packageKeys/${String(object.id)}?fields=plan.qpsLimitCeiling,package.id,limits`)
    expect(asked.object).toEqual({
      plan: { qpsLimitCeiling: 2 },
      package: { id: pack },
      limits: [
        { period: 'second', source: 'plan', ceiling: 2 },
        { period: 'day', source: 'plan', ceiling: 5000 },
      ],
    })
  })

  it('need a secret, a package, and a plan of it', async () => {
    expect((await on.post(keys(), {})).blamed).toEqual(['secret', 'package', 'plan'])
    const other = await on.post('/packages?fields=id,plans.id', { name: 'B', plans: [{ name: 'P' }] })
    expect((await on.post(keys(), body({ package: { id: other.id } }))).blamed).toEqual(['plan'])
    expect((await on.post(keys(), body({ plan: { id: 'none' } }))).blamed).toEqual(['plan.id'])
  })

  it('have a value that is unique in their package', async () => {
    await on.post(keys(), body({ apikey: 'k' }))
    expect((await on.post(keys(), body({ apikey: 'k' }))).words).toContain('duplicate value')
    const other = await on.post('/packages?fields=id,plans.id', { name: 'B', plans: [{ name: 'P' }] })
    const [{ id }] = other.object.plans as [{ id: string }]
    const there = body({ apikey: 'k', package: { id: other.id }, plan: { id } })
    expect((await on.post(keys(), there)).status).toBe(200)
  })

  it('move between plans, and not between packages', async () => {
    const key = await on.post(keys(), body({ apikey: 'k' }))
    const second = await on.post(`/packages/${pack}/plans`, { name: 'Silver' })
    const path = `/packageKeys/${key.id}`
    expect((await on.put(path, { plan: { id: second.id } })).object.plan).toEqual({ id: second.id, name: 'Silver' })
    const other = await on.post('/packages', { name: 'B' })
    expect((await on.put(path, { package: { id: other.id } })).blamed).toEqual(['package'])
    expect((await on.put(path, { package: { id: pack }, apikey: 'z' })).object.apikey).toBe('k')
  })

  it('stay within the limits of their plan', async () => {
    expect((await on.post(keys(), body({ rateLimitCeiling: 5001, qpsLimitCeiling: 3 }))).blamed).toEqual([
      'rateLimitCeiling',
      'qpsLimitCeiling',
    ])
    const key = await on.post(`${keys()}?fields=id,limits`, body({ rateLimitCeiling: 100 }))
    expect(key.object.limits).toContainEqual({ period: 'day', source: 'key', ceiling: 100 })
    await on.put(`/packages/${pack}/plans/${plan}`, { rateLimitExempt: true })
    expect((await on.put(`/packageKeys/${key.id}`, { rateLimitCeiling: 9000 })).status).toBe(200)
    await on.put(`/packages/${pack}/plans/${plan}`, { rateLimitExempt: false, rateLimitKeyOverrideAllowed: false })
    expect((await on.put(`/packageKeys/${key.id}`, { rateLimitCeiling: 50 })).blamed).toEqual(['rateLimitCeiling'])
  })

  it('have no maximum if that of their plan is 0', async () => {
    const planPath = `/packages/${pack}/plans/${plan}`
    await on.put(planPath, { rateLimitCeiling: 0 })
    const key = await on.post(keys(), body({ rateLimitCeiling: 9000 }))
    expect(key.status).toBe(200)
    await on.put(planPath, { rateLimitKeyOverrideAllowed: false })
    expect((await on.put(`/packageKeys/${key.id}`, { rateLimitCeiling: 50 })).blamed).toEqual(['rateLimitCeiling'])
  })

  it('are exempt only if their plan allows it to keys, or is exempt itself', async () => {
    const planPath = `/packages/${pack}/plans/${plan}`
    await on.put(planPath, { rateLimitKeyOverrideAllowed: false, qpsLimitKeyOverrideAllowed: false })
    const exempt = { rateLimitExempt: true, qpsLimitExempt: true }
    expect((await on.post(keys(), body(exempt))).blamed).toEqual(['rateLimitExempt', 'qpsLimitExempt'])
    const key = await on.post(keys(), body({ rateLimitExempt: false }))
    expect((await on.put(`/packageKeys/${key.id}`, exempt)).blamed).toEqual(['rateLimitExempt', 'qpsLimitExempt'])
    await on.put(planPath, { rateLimitExempt: true, qpsLimitKeyOverrideAllowed: true })
    expect((await on.put(`/packageKeys/${key.id}`, exempt)).status).toBe(200)
    const strict = await on.post(`/packages/${pack}/plans`, { name: 'Strict', rateLimitKeyOverrideAllowed: false })
    expect((await on.put(`/packageKeys/${key.id}`, { plan: { id: strict.id } })).blamed).toEqual(['rateLimitExempt'])
    expect((await on.put(`/packageKeys/${key.id}`, { status: 'disabled' })).status).toBe(200)
  })

  it('are limited for each developer by their plan, and wait beyond the number that it gives without approval', async () => {
    const plans = `/packages/${pack}/plans`
    const two = await on.post(plans, { name: 'Two', maxNumKeysAllowed: 2, numKeysBeforeReview: 1 })
    const ofTwo = { plan: { id: two.id } }
    const second = await on.post(`/members/${member}/applications`, { name: 'Other', username: 'acme' })
    expect((await on.post(keys(), body(ofTwo))).object.status).toBe('active')
    const next = await on.post(`/applications/${second.id}/packageKeys`, body(ofTwo))
    expect(next.object.status).toBe('waiting')
    expect((await on.post(keys(), body(ofTwo))).blamed).toEqual(['plan'])
    const elsewhere = await on.post(keys(), body())
    expect((await on.put(`/packageKeys/${elsewhere.id}`, ofTwo)).blamed).toEqual(['plan'])
    await on.del(`/packageKeys/${next.id}`)
    const told = await on.post(keys(), body({ ...ofTwo, status: 'active' }))
    expect(told.object.status).toBe('active')
    await on.put(`${plans}/${two.id}`, { maxNumKeysAllowed: 1 })
    expect((await on.put(`/packageKeys/${told.id}`, { ...ofTwo, status: 'disabled' })).status).toBe(200)
    await on.put(`${plans}/${two.id}`, { maxNumKeysAllowed: 0, numKeysBeforeReview: 0 })
    expect((await on.post(keys(), body(ofTwo))).object.status).toBe('active')
  })

  it('keep their plan and package, and are deleted with their application and member', async () => {
    await on.post(keys(), body({ apikey: 'k' }))
    const refused = await on.del(`/packages/${pack}/plans/${plan}`)
    expect([refused.status, refused.words]).toEqual([400, expect.stringContaining('used by 1 PackageKey')])
    expect(refused.text).not.toContain('"k"')
    expect((await on.del(`/packages/${pack}`)).status).toBe(400)
    expect((await on.get(`/members/${member}?fields=packageKeys.apikey`)).object.packageKeys).toEqual([{ apikey: 'k' }])
    await on.del(`/applications/${application}`)
    expect((await on.get('/packageKeys')).body).toEqual([])
    expect((await on.del(`/packages/${pack}`)).status).toBe(200)
  })
})
