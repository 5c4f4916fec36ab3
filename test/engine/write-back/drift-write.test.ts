import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Json, type JsonObject, objectsIn } from '../../../src/json/json.js'
import { createPlatform } from '../../../src/platform/server.js'
import { projectText } from '../../kit/manifests.js'
import { restOf } from '../../kit/rest.js'
import { embedded, environment, type Make, type World, world as worldOf } from '../../kit/world.js'
import { createOtherMake } from '../../other-make/area.js'

const orders = `apiVersion: gatewright/v1
kind: Service
metadata: {name: Orders API}
spec:
  qpsLimitOverall: 500 # calls
  endpoints:
    - name: orders
      requestPathAlias: /orders/v1
      trafficManagerDomain: api.example.com
      cors: {maxAge: 5}
      cache: null
`

test('drift --write writes live values and additional members of lists into the manifests, but nothing unmanaged', async () => {
  const world = embedded()
  world.write('manifests/orders.yaml', orders)
  expect((await world.apply()).exitCode).toBe(0)
  const rest = await restOf(world.make)
  const [service] = await rest.get('/services')
  const id = String(service?.id)
  const [endpoint] = await rest.get(`/services/${id}/endpoints`)
  await rest.put(`/services/${id}`, { qpsLimitOverall: 9, description: 'not managed' })
  await rest.put(`/services/${id}/endpoints/${String(endpoint?.id)}`, { cors: { maxAge: 6, cookiesAllowed: true } })
  await rest.post(`/services/${id}/endpoints/${String(endpoint?.id)}/methods`, { name: 'notListed' })
  await rest.post(`/services/${id}/endpoints`, {
    name: 'more',
    requestPathAlias: '/more',
    trafficManagerDomain: 'api.example.com',
    highSecurity: true,
  })
  const run = await world.run(['drift', '--write'])
  expect(run.stdout).toContain('updated  manifests/orders.yaml')
  expect(run.exitCode).toBe(0)
  expect(readFileSync(join(world.dir, 'manifests/orders.yaml'), 'utf8')).toBe(
    orders
      .replace('500 # calls', '9 # calls')
      .replace('maxAge: 5', 'maxAge: 6')
      .concat(`    - name: more
      requestPathAlias: /more
      trafficManagerDomain: api.example.com
      publicDomains: null
      supportedHttpMethods: null
      allowMissingApiKey: false
      highSecurity: true
      inboundSslRequired: false
      outboundRequestTargetPath: null
      systemDomains: null
`),
  )
  expect((await world.drift()).exitCode).toBe(0)
  expect((await world.run(['drift', '--write'])).exitCode).toBe(0)
  expect(world.requests().every(({ method }) => method === 'GET' || method === 'POST' || method === 'PUT')).toBe(true)
})

test.each<readonly [string, Make]>([
  ['empty', createPlatform({ idSeed: 'test' })],
  ['not at all', createOtherMake()],
])(
  'drift --write removes methods that a plan does not have any more, even if empty lists are answered: %s',
  async (_, make) => {
    const world = worldOf(make)
    const plan = `apiVersion: gatewright/v1
kind: Package
metadata: {name: P}
spec:
  plans:
    - name: Gold
      services:
        - name: Orders API
          endpoints: [{name: orders, methods: [list]}] # few
`
    world.write('manifests/orders.yaml', orders.replace('cache: null', 'methods: [{name: list}]'))
    world.write('manifests/plan.yaml', plan)
    expect((await world.apply()).exitCode).toBe(0)
    const rest = await restOf(world.make)
    const [service] = await rest.get('/services')
    const [endpoint] = await rest.get(`/services/${String(service?.id)}/endpoints`)
    const [held] = await rest.get('/packages?fields=id,plans.id')
    const [gold] = objectsIn(held?.plans)
    const link = `/packages/${String(held?.id)}/plans/${String(gold?.id)}/services/${String(service?.id)}`
    await rest.put(link, { endpoints: [{ id: String(endpoint?.id), methods: [] }] })
    expect((await world.run(['drift', '--write'])).exitCode).toBe(0)
    expect(readFileSync(join(world.dir, 'manifests/plan.yaml'), 'utf8')).toBe(plan.replace('[list]', '[]'))
    expect((await world.plan()).changes).toEqual([])
  },
)

test('without drift, drift --write says that nothing has drifted, and not that the manifests match the platform', async () => {
  const world = embedded()
  world.write('manifests/orders.yaml', orders)
  await world.apply()
  const waiting = orders.replace('500', '700')
  world.write('manifests/orders.yaml', waiting)
  const run = await world.run(['drift', '--write'])
  expect([run.exitCode, run.stdout]).toEqual([0, expect.stringMatching(/\nNothing to write: nothing has drifted\.\n$/)])
  expect(readFileSync(join(world.dir, 'manifests/orders.yaml'), 'utf8')).toBe(waiting)
})

test('drift --write reports deleted objects, and keeps their manifests', async () => {
  const world = embedded()
  world.write('manifests/orders.yaml', orders)
  expect((await world.apply()).exitCode).toBe(0)
  const rest = await restOf(world.make)
  const [service] = await rest.get('/services')
  await rest.remove(`/services/${String(service?.id)}`)
  const run = await world.run(['drift', '--write', '-o', 'json'])
  expect(run.exitCode).toBe(2)
  expect(run.json().diagnostics.map(({ code }) => code)).toContain('vanished')
  expect(readFileSync(join(world.dir, 'manifests/orders.yaml'), 'utf8')).toBe(orders)
})

describe('a deleted object that cannot be created again, because conventional operations are refused,', () => {
  const inProject = (more: string) => projectText(`${more}`)
  const refusing = '  platform: {conventionalOperations: refuse}\n'

  test.each([
    ['', [], 2, ['vanished']],
    ['  environments: {dev: {}, prod: {}}\n', ['-e', 'prod'], 0, ['patch-written', 'manifest-written']],
  ])('is reported by drift --write like any other %j', async (environments, args, exitCode, codes) => {
    const world = embedded()
    world.write('gatewright.yaml', inProject(environments))
    world.write('manifests/orders.yaml', orders)
    expect((await world.apply(...args)).exitCode).toBe(0)
    world.write('gatewright.yaml', inProject(refusing + environments))
    const rest = await restOf(world.make)
    const [service] = await rest.get('/services')
    const path = `/services/${String(service?.id)}/endpoints`
    const [endpoint] = await rest.get(path)
    await rest.remove(`${path}/${String(endpoint?.id)}`)
    const run = await world.run(['drift', '--write', '-o', 'json', ...args])
    expect([run.exitCode, run.json().diagnostics.map((each) => each.code)]).toEqual([exitCode, codes])
    expect((await world.run(['drift', ...args])).exitCode).toBe(exitCode)
  })
})

test.each<readonly [Json, Json]>([
  [1, 2],
  [1, null],
  [
    { a: 1, b: 1 },
    { a: 1, b: 2 },
  ],
  [{ a: { b: 1 } }, { a: { b: 2 } }],
  [[1], [1, 2]],
])('drift --write reports that an unknown field stays, and why: %j, %j', async (was, is) => {
  const { make } = embedded()
  let odd = was
  const fetch = async (request: Request): Promise<Response> => {
    const response = await make.fetch(request)
    const { pathname, searchParams } = new URL(request.url)
    const isAsked = pathname.endsWith('/services') && (searchParams.get('fields') ?? '').split(',').includes('odd')
    if (!isAsked || request.method !== 'GET') return response
    const services = (await response.json()) as readonly JsonObject[]
    return Response.json(
      services.map((each) => ({ ...each, odd })),
      { headers: { 'x-total-count': String(services.length) } },
    )
  }
  const world = worldOf({ ...make, fetch })
  const head = 'apiVersion: gatewright/v1\nkind: Service\nmetadata: {name: Orders, extraFields: true}\nspec: '
  world.write('manifests/orders.yaml', `${head}${JSON.stringify({ odd })}\n`)
  expect((await world.apply()).exitCode).toBe(0)
  expect((await world.run(['export', '--dir', 'manifests'])).stderr).not.toContain('odd was not')
  const text = readFileSync(join(world.dir, 'manifests/orders.yaml'), 'utf8')
  odd = is
  const run = await world.run(['drift', '--write'])
  expect(run.exitCode).toBe(2)
  expect(run.stdout).toContain('Nothing was written.')
  expect(run.stderr).toMatch(/Service\/Orders.*odd.*the field is unknown/)
  expect(readFileSync(join(world.dir, 'manifests/orders.yaml'), 'utf8')).toBe(text)
})

test('drift of a field with an anchor is written there, and aliases keep their old value', async () => {
  const world = embedded({}, { env: { ...environment, STAGE: 'blue' } })
  world.write(
    'gatewright.yaml',
    `${readFileSync(join(world.dir, 'gatewright.yaml'), 'utf8')}  secrets: {public: [STAGE]}\n`,
  )
  const text = `apiVersion: gatewright/v1
kind: Service
metadata: {name: S}
spec:
  endpoints:
    - &base
      name: orders
      requestPathAlias: /orders
      trafficManagerDomain: &host api.example.com
      connectionTimeoutForSystemDomainRequest: 5   # seconds
      outboundRequestTargetPath: "/\${env:STAGE}"
      processor: &trim {adapter: trim, preInputs: {depth: "1"}}
    - <<: *base   # as orders
      name: returns
      requestPathAlias: /returns
    - {<<: *base, name: tracking, requestPathAlias: /tracking, connectionTimeoutForSystemDomainRequest: 10}
    - name: stock
      requestPathAlias: /stock
      trafficManagerDomain: *host
      processor: *trim
`
  world.write('manifests/s.yaml', text)
  expect((await world.apply()).exitCode).toBe(0)
  const rest = await restOf(world.make)
  const [service] = await rest.get('/services')
  const path = `/services/${String(service?.id)}/endpoints`
  const orders = (await rest.get(`${path}?fields=id,name`)).find(({ name }) => name === 'orders')
  await rest.put(`${path}/${String(orders?.id)}`, {
    trafficManagerDomain: 'www.example.com',
    connectionTimeoutForSystemDomainRequest: 20,
    outboundRequestTargetPath: '/green',
    processor: { adapter: 'trim', preInputs: { depth: '2' } },
  })
  await world.drift('--write')
  expect(readFileSync(join(world.dir, 'manifests/s.yaml'), 'utf8')).toBe(
    text
      .replace('&host api.example.com', '&host www.example.com')
      .replace('5   # seconds', '20   # seconds')
      .replace('"/${env:STAGE}"', '/green')
      .replace('{depth: "1"}', '{depth: "2"}')
      .replace(
        '/returns\n',
        `/returns
      connectionTimeoutForSystemDomainRequest: 5
      outboundRequestTargetPath: "/\${env:STAGE}"
      processor:
        adapter: trim
        preInputs:
          depth: "1"
      trafficManagerDomain: api.example.com
`,
      )
      .replace(
        'Request: 10}',
        'Request: 10, outboundRequestTargetPath: "/${env:STAGE}", processor: {adapter: trim, preInputs: {depth: "1"}}, trafficManagerDomain: api.example.com}',
      )
      .replace('*host', 'api.example.com')
      .replace(' *trim', '\n        adapter: trim\n        preInputs:\n          depth: "1"'),
  )
  expect((await world.plan()).changes).toEqual([])
})

test('drift of a field that several objects contain by one anchor is written there, and reported for the others', async () => {
  const world = embedded()
  const text = `apiVersion: gatewright/v1
kind: Service
metadata: {name: S}
spec:
  endpoints:
    - &base {name: orders, requestPathAlias: /o, trafficManagerDomain: a.example, cache: {clientSurrogateControlEnabled: true}}
    - {<<: *base, name: returns, requestPathAlias: /r}
`
  world.write('manifests/s.yaml', text)
  expect((await world.apply()).exitCode).toBe(0)
  const rest = await restOf(world.make)
  const [service] = await rest.get('/services')
  const path = `/services/${String(service?.id)}/endpoints`
  const endpoints = await rest.get(`${path}?fields=id,name`)
  const caching = (name: string, clientSurrogateControlEnabled: boolean) =>
    rest.put(`${path}/${String(endpoints.find((each) => each.name === name)?.id)}/cache`, {
      clientSurrogateControlEnabled,
    })
  await caching('returns', false)
  const run = await world.run(['drift', '--write'])
  expect(run.exitCode).toBe(2)
  expect(run.stdout + run.stderr).toContain('manifests/s.yaml:6:')
  expect(run.stdout + run.stderr).toContain('write it out for each of these objects')
  expect(readFileSync(join(world.dir, 'manifests/s.yaml'), 'utf8')).toBe(text)
  await caching('returns', true)
  await caching('orders', false)
  expect((await world.run(['drift', '--write'])).exitCode).toBe(0)
  expect(readFileSync(join(world.dir, 'manifests/s.yaml'), 'utf8')).toBe(
    text.replace('Enabled: true', 'Enabled: false').replace('/r}', '/r, cache: {clientSurrogateControlEnabled: true}}'),
  )
  expect((await world.plan()).changes).toEqual([])
})

test('a secret that drifted and is not set here is reported, and not as written', async () => {
  const world = embedded({}, { env: { ...environment, TOKEN: 'canary-token' } })
  const text = `apiVersion: gatewright/v1
kind: Service
metadata: {name: S}
spec: {description: "\${env:TOKEN}", version: "1"}
`
  world.write('manifests/s.yaml', text)
  expect((await world.apply()).exitCode).toBe(0)
  const rest = await restOf(world.make)
  const [service] = await rest.get('/services')
  await rest.put(`/services/${String(service?.id)}`, { description: 'canary-other', version: '2' })
  const run = await world.run(['drift', '--write'], { env: environment })
  expect(run.exitCode).toBe(2)
  expect(run.stderr).toContain('Service/S: description was not written to the manifest')
  expect(run.stdout + run.stderr).not.toContain('canary')
  expect(readFileSync(join(world.dir, 'manifests/s.yaml'), 'utf8')).toBe(text.replace('"1"', '"2"'))
})

const commented = `apiVersion: gatewright/v1
kind: Service
metadata: {name: Orders API}
spec:
  description: | # for the catalogue
    one
    two
  endpoints:
    - name: orders
      requestPathAlias: /orders/v1
      trafficManagerDomain: api.example.com
      supportedHttpMethods: [
        get, # reads
        # writes
        post,
        delete # last
        ]
      processor: {adapter: trim, preInputs: {
        depth: "1"
        }}
`

test.each([
  ['one', `"one" # for the catalogue\n`],
  ['one\ntwo', `|- # for the catalogue\n    one\n    two\n`],
])('the comments of texts, and of values that stay in brackets, are kept if %j is written', async (text, written) => {
  const world = embedded()
  world.write('manifests/orders.yaml', commented)
  expect((await world.apply()).exitCode).toBe(0)
  const rest = await restOf(world.make)
  const path = `/services/${String((await rest.get('/services'))[0]?.id)}`
  const [endpoint] = await rest.get(`${path}/endpoints`)
  await rest.put(path, { description: text })
  const live = {
    supportedHttpMethods: ['get', 'post'],
    processor: { adapter: 'trim', preInputs: { width: '2', depths: '3' } },
  }
  await rest.put(`${path}/endpoints/${String(endpoint?.id)}`, live)
  expect(await world.run(['drift', '--write'])).toMatchObject({ exitCode: 0 })
  expect(readFileSync(join(world.dir, 'manifests/orders.yaml'), 'utf8')).toBe(
    commented
      .replace('| # for the catalogue\n    one\n    two\n', written.replace('"one"', 'one'))
      .replace('\n        delete # last', '')
      .replace('{\n        depth: "1"\n        }', '{depths: "3", width: "2"}'),
  )
})

test.each([
  ['"*"', 'endpoints/b', '"*"', 2],
  ['[{name: a, methods: "*"}, b]', 'endpoints/a/methods/two', '[{name: a, methods: "*"}, b]', 2],
  ['[{name: a, methods: "*"}, b]', 'plan/b', '[{name: a, methods: "*"}]', 0],
])('%s of a plan stays if %s is gone, and means the remaining ones', async (written, gone, left, exitCode) => {
  const world = embedded()
  const text = `apiVersion: gatewright/v1
kind: Service
metadata: {name: S}
spec:
  endpoints:
    - {name: a, requestPathAlias: /a, trafficManagerDomain: api.example.com, methods: [{name: one}, {name: two}]}
    - {name: b, requestPathAlias: /b, trafficManagerDomain: api.example.com}
---
apiVersion: gatewright/v1
kind: Package
metadata: {name: P}
spec:
  plans: [{name: G, services: [{name: S, endpoints: ${written}}]}]
`
  world.write('manifests/s.yaml', text)
  expect((await world.apply()).exitCode).toBe(0)
  const rest = await restOf(world.make)
  const idOf = async (path: string, name: string) =>
    `${path}/${String((await rest.get(path)).find((each) => each.name === name)?.id)}`
  const service = await idOf('/services', 'S')
  const [a, b] = [await idOf(`${service}/endpoints`, 'a'), await idOf(`${service}/endpoints`, 'b')]
  const plan = await idOf(`${await idOf('/packages', 'P')}/plans`, 'G')
  const paths: Readonly<Record<string, string>> = {
    'endpoints/b': b,
    'endpoints/a/methods/two': await idOf(`${a}/methods`, 'two'),
    'plan/b': `${plan}${b}`,
  }
  await rest.remove(paths[gone] ?? '')
  expect((await world.run(['drift', '--write'])).exitCode).toBe(exitCode)
  expect(readFileSync(join(world.dir, 'manifests/s.yaml'), 'utf8')).toBe(text.replace(written, left))
})

describe('a map that another one merges', () => {
  const merged = '{<<: *base, b: "2"}'
  const text = `apiVersion: gatewright/v1
kind: Service
metadata: {name: S}
spec:
  endpoints:
    - name: a
      requestPathAlias: /a
      trafficManagerDomain: api.example.com
      processor: {adapter: x, preInputs: &base {a: "1"}}
    - name: b
      requestPathAlias: /b
      trafficManagerDomain: api.example.com
      processor: {adapter: x, preInputs: ${merged}}
`

  async function drifted(name: string, preInputs: JsonObject): Promise<World> {
    const world = embedded()
    world.write('manifests/s.yaml', text)
    expect((await world.apply()).exitCode).toBe(0)
    const rest = await restOf(world.make)
    const path = `/services/${String((await rest.get('/services'))[0]?.id)}/endpoints`
    const endpoint = (await rest.get(path)).find((each) => each.name === name)
    await rest.put(`${path}/${String(endpoint?.id)}`, { processor: { adapter: 'x', preInputs } })
    return world
  }

  const textIn = (world: World) => readFileSync(join(world.dir, 'manifests/s.yaml'), 'utf8')

  test.each([
    [{ b: '2' }, '{b: "2"}'],
    [{ a: '1', b: '3' }, '{a: "1", b: "3"}'],
  ])('is not merged any more if the live value is %j', async (preInputs, written) => {
    const world = await drifted('b', preInputs)
    expect((await world.run(['drift', '--write'])).exitCode).toBe(0)
    expect(textIn(world)).toBe(text.replace(merged, written))
  })

  test.each([{ k: '3' }, {}])('does not become %j, because the other one would change', async (preInputs) => {
    const world = await drifted('a', preInputs)
    const run = await world.run(['drift', '--write'])
    expect([run.exitCode, run.stderr]).toEqual([2, expect.stringContaining('an anchor shares its text with other')])
    expect(textIn(world)).toBe(text)
  })

  test('becomes the live value in an export, which writes the other one as well', async () => {
    const world = await drifted('a', { k: '3' })
    expect((await world.run(['export', '--dir', 'manifests'])).exitCode).toBe(0)
    expect((await world.plan()).changes).toEqual([])
  })
})

test('a manifest in JSON stays JSON', async () => {
  const world = embedded()
  const endpoints = [
    { name: 'a', requestPathAlias: '/a', trafficManagerDomain: 'api.example.com', supportedHttpMethods: ['get'] },
    { name: 'b', requestPathAlias: '/b', trafficManagerDomain: 'api.example.com', methods: ['m'] },
  ]
  const spec = { description: 'one', endpoints }
  const service = { apiVersion: 'gatewright/v1', kind: 'Service', metadata: { name: 'S' }, spec }
  world.write('manifests/s.json', `${JSON.stringify(service, null, 2)}\n`)
  expect((await world.apply()).exitCode).toBe(0)
  const rest = await restOf(world.make)
  const path = `/services/${String((await rest.get('/services'))[0]?.id)}`
  const [a, b] = (await rest.get(`${path}/endpoints`)).map(({ id }) => `${path}/endpoints/${String(id)}`)
  await rest.put(path, { description: 'two: "2"\n\u2028' })
  await rest.put(String(a), { supportedHttpMethods: ['post', 'put'] })
  await rest.post(`${b}/methods`, { name: 'more', sampleJsonResponse: 'no' })
  const [method] = await rest.get(`${b}/methods`)
  await rest.put(`${b}/methods/${String(method?.id)}`, { sampleJsonResponse: 'yes' })
  for (const args of [
    ['drift', '--write'],
    ['export', '--dir', 'manifests'],
  ]) {
    expect((await world.run(args)).exitCode).toBe(0)
    const written = readFileSync(join(world.dir, 'manifests/s.json'), 'utf8')
    expect(JSON.parse(written)).toMatchObject({
      ...service,
      spec: { description: 'two: "2"\n\u2028', endpoints: [{}, {}] },
    })
    expect((await world.plan()).changes).toEqual([])
  }
})

describe.each([
  ['its event writes no list', ''],
  ['its event writes its list', ', endpoints: []'],
  ['no manifest has its event', undefined],
])('an endpoint names its event, and somebody removes it from the event: %s', (_, list) => {
  const times = { startDateTime: '2027-01-01T00:00:00.000+0000', endDateTime: '2027-01-01T02:00:00.000+0000' }
  const named = `apiVersion: gatewright/v1
kind: Service
metadata: {name: S}
spec:
  endpoints:
    - name: e
      requestPathAlias: /e
      trafficManagerDomain: a.example.com
      scheduledMaintenanceEvent: Night # at night
`
  const event = `apiVersion: gatewright/v1
kind: ScheduledMaintenanceEvent
metadata: {name: Night}
spec: {startDateTime: ${times.startDateTime}, endDateTime: ${times.endDateTime}${list}}
`

  async function area() {
    const world = embedded()
    const rest = await restOf(world.make)
    if (list === undefined) await rest.post('/scheduledMaintenanceEvents', { name: 'Night', ...times })
    world.write('manifests/service.yaml', named)
    if (list !== undefined) world.write('manifests/event.yaml', event)
    expect((await world.apply()).exitCode).toBe(0)
    const [night] = await rest.get('/scheduledMaintenanceEvents')
    await rest.put(`/scheduledMaintenanceEvents/${String(night?.id)}`, { endpoints: [] })
    return { world, rest }
  }

  test('drift --write writes there that it is in no event', async () => {
    const { world } = await area()
    expect((await world.drift('--write')).exitCode).toBe(0)
    const text = readFileSync(join(world.dir, 'manifests/service.yaml'), 'utf8')
    expect(text).toBe(named.replace('Night # at', 'null # at'))
    expect((await world.plan()).changes).toEqual([])
    expect((await world.drift()).exitCode).toBe(0)
  })

  test('drift --write writes there which other event has it now', async () => {
    const { world, rest } = await area()
    const [service] = await rest.get('/services')
    const [endpoint] = await rest.get(`/services/${String(service?.id)}/endpoints`)
    const endpoints = [{ id: String(endpoint?.id) }]
    await rest.post('/scheduledMaintenanceEvents', { name: 'Day ${x}', ...times, endpoints })
    expect((await world.drift('--write')).exitCode).toBe(0)
    const text = readFileSync(join(world.dir, 'manifests/service.yaml'), 'utf8')
    expect(text).toBe(named.replace('Night', '"Day $$${x}"'))
    expect((await world.plan()).changes).toEqual([])
  })

  test('an export writes so too, and includes the event', async () => {
    const { world } = await area()
    expect((await world.run(['export', '--dir', 'manifests'])).exitCode).toBe(0)
    expect((await world.plan()).unmanaged ?? []).toEqual([])
    expect((await world.plan()).changes).toEqual([])
    expect((await world.run(['export', '--dir', 'manifests', '-o', 'json'])).json().files).toEqual([])
  })
})

describe('objects that several objects contain by one anchor, and that name an object which is renamed on the platform,', () => {
  const shared = `apiVersion: gatewright/v1
kind: Service
metadata: {name: S}
spec:
  endpoints:
    - {name: e, requestPathAlias: /e, trafficManagerDomain: a.example.com}
---
apiVersion: gatewright/v1
kind: Package
metadata: {name: P}
spec:
  plans:
    - name: A
      services: &all
        - {name: S, endpoints: [{name: e}]} # the only one
    - name: B
      services: *all
`

  test.each([
    ['the service', ['/services'], 'New', '- name: New\n          endpoints:\n            - name: e\n'],
    ['the endpoint', ['/services', '/endpoints'], 'new', '- name: S\n          endpoints: [new]\n'],
  ])('get the new name everywhere: %s', async (_, path, name, copy) => {
    const world = embedded()
    world.write('manifests/all.yaml', shared)
    expect((await world.apply()).exitCode).toBe(0)
    await rename(world, path, name)
    expect((await world.drift('--write')).exitCode).toBe(0)
    expect((await world.plan()).changes).toEqual([])
    const text = readFileSync(join(world.dir, 'manifests/all.yaml'), 'utf8')
    expect(text.endsWith(`# the only one\n    - name: B\n      services:\n        ${copy}`), text).toBe(true)
  })
})

test('a list that names an object which is renamed on the platform keeps the changes of git', async () => {
  const times = '{startDateTime: 2027-01-01T00:00:00.000+0000, endDateTime: 2027-01-01T02:00:00.000+0000'
  const text = (endpoints: string) => `apiVersion: gatewright/v1
kind: Service
metadata: {name: S}
spec:
  endpoints:
    - {name: e, requestPathAlias: /e, trafficManagerDomain: a.example.com}
    - {name: f, requestPathAlias: /f, trafficManagerDomain: a.example.com}
---
apiVersion: gatewright/v1
kind: ScheduledMaintenanceEvent
metadata: {name: Night}
spec: ${times}, endpoints: [${endpoints}]}
`
  const world = embedded()
  world.write('manifests/all.yaml', text('{service: S, name: e}'))
  expect((await world.apply()).exitCode).toBe(0)
  world.write('manifests/all.yaml', text('{service: S, name: e}, {service: S, name: f}'))
  await rename(world, ['/services'], 'New ${x}')
  expect((await world.drift('--write')).exitCode).toBe(0)
  expect((await world.plan()).changes).toMatchObject([
    {
      address: 'ScheduledMaintenanceEvent/Night',
      fields: [{ path: '/endpoints', before: ['New ${x}/e'], after: ['New ${x}/e', 'New ${x}/f'] }],
    },
  ])
})

/** Somebody gives the first object of a collection another name. */
async function rename({ make }: World, collections: readonly string[], name: string): Promise<void> {
  const rest = await restOf(make)
  let path = ''
  for (const collection of collections) {
    const [object] = await rest.get(`${path}${collection}`)
    path = `${path}${collection}/${String(object?.id)}`
  }
  await rest.put(path, { name })
}

test('a child whose text is also used by the metadata is reported, and the name in the metadata stays', async () => {
  const text = `apiVersion: gatewright/v1
kind: Service
metadata: {name: S}
---
apiVersion: gatewright/v1
kind: Package
metadata: &named {name: S}
spec:
  plans:
    - name: A
      services: [*named]
`
  const world = embedded()
  world.write('manifests/all.yaml', text)
  expect((await world.apply()).exitCode).toBe(0)
  await rename(world, ['/services'], 'New')
  const run = await world.run(['export', '--dir', 'manifests', '--prune', '-o', 'json'])
  expect(run.json().diagnostics).toContainEqual(expect.objectContaining({ code: 'not-written', line: 7 }))
  const package_ = text.slice(text.indexOf('---'))
  expect(readFileSync(join(world.dir, 'manifests/all.yaml'), 'utf8')).toContain(package_)
})

describe('children of an object that is renamed on the platform', () => {
  test('are reported if they are deleted, and do not count as written', async () => {
    const world = embedded()
    world.write('manifests/orders.yaml', orders)
    expect((await world.apply()).exitCode).toBe(0)
    const rest = await restOf(world.make)
    const [service] = await rest.get('/services')
    const [endpoint] = await rest.get(`/services/${String(service?.id)}/endpoints`)
    await rest.remove(`/services/${String(service?.id)}/endpoints/${String(endpoint?.id)}`)
    await rename(world, ['/services'], 'New / 100%')
    const run = await world.drift('--write')
    expect(run.exitCode).toBe(2)
    expect(run.json().diagnostics.map(({ code }) => code)).toEqual(['renamed', 'vanished', 'manifest-written'])
  })

  test('keep changes of git that are not applied yet, also if environments have layers', async () => {
    const world = embedded()
    world.project('  environments: {prod: {}}\n')
    world.write('manifests/orders.yaml', orders)
    expect((await world.apply('-e', 'prod')).exitCode).toBe(0)
    await rename(world, ['/services'], 'New')
    world.write('manifests/orders.yaml', orders.replace('500', '700'))
    expect((await world.drift('--write', '-e', 'prod')).exitCode).toBe(0)
    const text = readFileSync(join(world.dir, 'manifests/orders.yaml'), 'utf8')
    expect(text).toBe(orders.replace('500', '700').replace('Orders API', 'New'))
  })
})

describe('a renamed object to which other manifests refer that are not written', () => {
  const header = 'apiVersion: gatewright/v1\nkind: '
  const service = `${header}Service\nmetadata: {name: A}\nspec: {version: "1"}\n`
  const plan = `${header}Package\nmetadata: {name: P}\nspec:\n  plans: [{name: G, services: [{name: A}]}]\n`
  const endpoint = `${header}Endpoint\nmetadata: {service: A, name: e}\nspec: {requestPathAlias: /e, trafficManagerDomain: a.example.com}\n`

  test.each([
    [plan, ['drift', '--write', '-f', 'manifests/s'], 2],
    [endpoint, ['drift', '--write', '-f', 'manifests/s'], 2],
    [plan, ['export', '--dir', 'manifests/s'], 0],
    [endpoint, ['export', '--dir', 'manifests/s'], 0],
    [plan, ['export', '--dir', 'manifests', '--kind', 'Service'], 0],
    [plan, ['export', '--dir', 'manifests', '--select', 'Service/*'], 0],
  ])('is reported with these references, and everything else is written: %j %j', async (other, args, exitCode) => {
    const world = embedded()
    world.write('manifests/s/a.yaml', service)
    world.write('manifests/o/b.yaml', other)
    expect((await world.apply()).exitCode).toBe(0)
    const rest = await restOf(world.make)
    const [live] = await rest.get('/services')
    await rest.put(`/services/${String(live?.id)}`, { name: 'B', version: '2' })
    const run = await world.run([...args, '-o', 'json'])
    const told = run.json().diagnostics.filter(({ code }) => code === 'not-written')
    expect([run.exitCode, told.map(({ message }) => message)]).toEqual([
      exitCode,
      expect.arrayContaining([
        expect.stringMatching(/^Service\/A: its new name .* uses the name, and is not written here/),
      ]),
    ])
    expect(readFileSync(join(world.dir, 'manifests/s/a.yaml'), 'utf8')).toBe(service.replace('"1"', '"2"'))
    expect(readFileSync(join(world.dir, 'manifests/o/b.yaml'), 'utf8')).toBe(other)
    expect((await world.run(['drift', '--write'])).exitCode).toBe(0)
    expect((await world.plan()).changes).toEqual([])
  })

  test.each([
    [['export', '--dir', 'manifests/s', '--prune'], 0, ''],
    [['export', '--dir', 'manifests', '--prune', '--kind', 'Service'], 0, ''],
    [['drift', '--write', '-e', 'prod', '-f', 'manifests/s'], 2, '  environments: {dev: {}, prod: {}}\n'],
  ])('is also reported if it is deleted, and its manifest stays: %j', async (args, exitCode, environments) => {
    const world = embedded()
    const project = `${header}Project\nmetadata: {name: test}\nspec:\n  manifests: [manifests]\n${environments}`
    world.write('gatewright.yaml', project)
    world.write('manifests/s/a.yaml', `${service}---\n${service.replace('A', 'Kept')}`)
    world.write('manifests/o/b.yaml', plan)
    const there = environments === '' ? [] : ['-e', 'prod']
    expect((await world.apply(...there)).exitCode).toBe(0)
    const rest = await restOf(world.make)
    const [held] = await rest.get('/packages?fields=id,plans.id')
    const [gold] = objectsIn(held?.plans)
    const live = (await rest.get('/services')).find(({ name }) => name === 'A')
    await rest.remove(`/packages/${String(held?.id)}/plans/${String(gold?.id)}/services/${String(live?.id)}`)
    await rest.remove(`/services/${String(live?.id)}`)
    const run = await world.run([...args, '-o', 'json'])
    const told = run.json().diagnostics.filter(({ code }) => code === 'not-written')
    expect([run.exitCode, told.map(({ message }) => message)]).toEqual([
      exitCode,
      [expect.stringMatching(/^Service\/A: its deletion .* Package\/P\/.* uses the name, and is not written here/)],
    ])
    expect(readFileSync(join(world.dir, 'manifests/s/a.yaml'), 'utf8')).toContain(service)
    expect(readFileSync(join(world.dir, 'gatewright.yaml'), 'utf8')).toBe(project)
    expect((await world.plan(...there)).changes.map(({ action }) => action)).toEqual(['create', 'create'])
  })

  test('is written if there are no such references', async () => {
    const world = embedded()
    world.write('manifests/s/a.yaml', service)
    world.write('manifests/o/b.yaml', plan.replace('{name: A}', ''))
    expect((await world.apply()).exitCode).toBe(0)
    const rest = await restOf(world.make)
    const [live] = await rest.get('/services')
    await rest.put(`/services/${String(live?.id)}`, { name: 'B' })
    expect((await world.run(['drift', '--write', '-f', 'manifests/s'])).exitCode).toBe(0)
    expect((await world.plan()).changes).toEqual([])
  })
})
