import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { document } from '../../kit/manifests.js'
import { type Rest, restOf } from '../../kit/rest.js'
import { canaries, storefront } from '../../kit/storefront.js'
import { embedded, environment, type World } from '../../kit/world.js'

const orders =
  `# Everything about orders. Ask payments before you change it.
apiVersion: gatewright/v1
kind: Service
metadata: {name: 'Orders API', labels: {team: payments}}

spec:
    description:   "Order intake"   # shown nowhere
    # Calls a second.
    qpsLimitOverall: 500
    x: &timeouts
`.replace('    x: &timeouts\n', '') +
  `    endpoints:
      # The main one.
      - name: orders
        requestPathAlias: /orders/v1
        trafficManagerDomain: &host api.example.com
        publicDomains: [ *host ]          # one is enough
        systemDomains:
        - {domain: orders.backend.example}   # blue
        - standby.backend.example            # green
        allowMissingApiKey: false
        highSecurity: false
        inboundSslRequired: false
        outboundRequestTargetPath: null
        supportedHttpMethods: [get,
                               post]
        processor: {adapter: trim, preInputs: {depth: "2"}}
        methods: [listOrders, {name: placeOrder}]
      - name: tracking
        requestPathAlias: /tracking/v1
        trafficManagerDomain: *host
        publicDomains: [api.example.com]
        supportedHttpMethods: [get]
        allowMissingApiKey: false
        highSecurity: false
        inboundSslRequired: false
        outboundRequestTargetPath: null
        systemDomains: null
        methods:
        - name: track
          # A sample.
          sampleJsonResponse: |
            {"one": 1}
`

const domains = `apiVersion: gatewright/v1
kind: Domain
metadata: {name: example.com}
---
# The back end.
apiVersion: gatewright/v1
kind: Domain
metadata: {name: backend.example}
`

let world: World
let rest: Rest

async function startWith(): Promise<void> {
  world = embedded()
  world.write('manifests/domains.yaml', domains)
  world.write('manifests/orders.yaml', orders)
  const run = await world.apply()
  expect(run.stdout + run.stderr).toContain('"applied"')
  expect(run.exitCode).toBe(0)
  rest = await restOf(world.make)
}

const read = (path: string) => readFileSync(join(world.dir, path), 'utf8')
const again = async (...args: readonly string[]) => {
  const run = await world.run(['export', '--dir', 'manifests', '-o', 'json', ...args])
  if (run.exitCode !== 0) throw new Error(run.stdout + run.stderr)
  return JSON.parse(run.stdout) as {
    readonly files: readonly { readonly path: string; readonly action: string }[]
    readonly variables: readonly string[]
    readonly diagnostics: readonly { readonly code: string; readonly message: string }[]
  }
}

const serviceId = async () => String((await rest.get('/services'))[0]?.id)
const endpointId = async (name: string) => {
  const all = await rest.get(`/services/${await serviceId()}/endpoints?fields=id,name`)
  return String(all.find((each) => each.name === name)?.id)
}

describe('an export into a folder with manifests of people', () => {
  beforeEach(startWith)

  test('writes nothing if everything is written already', async () => {
    const done = await again()
    expect(done.files).toEqual([])
    expect(read('manifests/orders.yaml')).toBe(orders)
  })

  test('changes only the nodes that differ', async () => {
    const id = await serviceId()
    await rest.put(`/services/${id}`, { qpsLimitOverall: 700, description: 'Two\nlines', version: '2.0' })
    await rest.put(`/services/${id}/endpoints/${await endpointId('orders')}`, {
      publicDomains: [{ domain: 'api.example.com' }, { domain: 'www.example.com' }],
      systemDomains: [{ domain: 'standby.backend.example' }, { domain: 'new.backend.example' }],
      supportedHttpMethods: ['get', 'delete'],
      processor: { adapter: 'other', preInputs: { depth: '3' } },
    })
    const done = await again()
    expect(done.files).toEqual([{ path: 'manifests/orders.yaml', action: 'updated' }])
    expect(read('manifests/orders.yaml')).toBe(
      orders
        .replace('   "Order intake"   # shown nowhere', ' |-   # shown nowhere\n      Two\n      lines')
        .replace('qpsLimitOverall: 500', 'qpsLimitOverall: 700')
        .replace('[ *host ]', '[ *host, www.example.com ]')
        .replace('        - {domain: orders.backend.example}   # blue\n', '')
        .replace('# green\n', '# green\n        - new.backend.example\n')
        .replace('[get,\n                               post]', '[get, delete]')
        .replace('{adapter: trim, preInputs: {depth: "2"}}', '{adapter: other, preInputs: {depth: "3"}}')
        .concat('    version: "2.0"\n'),
    )
    expect((await world.plan()).changes).toEqual([])
    expect((await again()).files).toEqual([])
  })

  test('adds children to the lists of their parents, and new objects in separate files', async () => {
    const id = await serviceId()
    await rest.post(`/services/${id}/endpoints/${await endpointId('orders')}/methods`, { name: 'cancelOrder' })
    await rest.post(`/services/${id}/endpoints/${await endpointId('tracking')}/methods`, { name: 'yes' })
    await rest.post(`/services/${id}/endpoints`, {
      name: 'returns',
      requestPathAlias: '/returns',
      trafficManagerDomain: 'api.example.com',
      systemDomainAuthentication: { type: 'httpBasic', username: 'u', password: 'canary-of-returns' },
    })
    await rest.post('/domains', { domain: 'third.example' })
    await rest.post('/services', { name: 'Orders: API' })
    const done = await again('--with-secrets')
    expect(done.files).toEqual([
      { path: 'manifests/domains.yaml', action: 'updated' },
      { path: 'manifests/orders.yaml', action: 'updated' },
      { path: 'manifests/services/orders-api.yaml', action: 'created' },
    ])
    expect(done.variables).toEqual(['ORDERS_API_RETURNS_PASSWORD'])
    expect(read('manifests/orders.yaml')).toBe(
      orders.replace('{name: placeOrder}]', '{name: placeOrder}, {name: cancelOrder}]').concat(`        - name: "yes"
      - name: returns
        requestPathAlias: /returns
        trafficManagerDomain: api.example.com
        publicDomains: null
        supportedHttpMethods: null
        allowMissingApiKey: false
        highSecurity: false
        inboundSslRequired: false
        outboundRequestTargetPath: null
        systemDomains: null
        systemDomainAuthentication:
          type: httpBasic
          username: u
          password: "\${env:ORDERS_API_RETURNS_PASSWORD}"
`),
    )
    expect(read('manifests/domains.yaml')).toBe(
      `${domains}---\napiVersion: gatewright/v1\nkind: Domain\nmetadata:\n  name: third.example\n`,
    )
    const env = { ...environment, ORDERS_API_RETURNS_PASSWORD: 'canary-of-returns' }
    expect((await world.run(['plan', '-o', 'json'], { env })).json().changes).toEqual([])
    expect((await again()).files).toEqual([])
  })

  test('reports deleted objects, and removes them with --prune', async () => {
    const id = await serviceId()
    await rest.remove(`/services/${id}/endpoints/${await endpointId('tracking')}`)
    const [domain] = (await rest.get('/domains')).filter((each) => each.domain === 'backend.example')
    const main = await endpointId('orders')
    await rest.put(`/services/${id}/endpoints/${main}`, { systemDomains: [] })
    await rest.remove(`/domains/${String(domain?.id)}`)
    const [method] = (await rest.get(`/services/${id}/endpoints/${main}/methods`)).filter(
      (each) => each.name === 'listOrders',
    )
    await rest.remove(`/services/${id}/endpoints/${main}/methods/${String(method?.id)}`)
    const kept = await again()
    expect(kept.diagnostics.map(({ code }) => code)).toEqual(['vanished', 'vanished', 'vanished'])
    await again('--prune')
    const text = read('manifests/orders.yaml')
    expect(text).toContain('        methods: [{name: placeOrder}]\n')
    expect(text).not.toContain('tracking')
    expect(text).toContain('systemDomains: []            # green\n')
    expect(read('manifests/domains.yaml')).toBe(domains.slice(0, domains.indexOf('---')))
    expect((await world.plan()).changes).toEqual([])
  })

  test('an empty cache is not reported as deleted if there is none, and stays written', async () => {
    const text = read('manifests/orders.yaml').replace(
      '        methods: [listOrders,',
      '        cache: {}\n        methods: [listOrders,',
    )
    world.write('manifests/orders.yaml', text)
    expect((await world.plan()).changes).toEqual([])
    expect((await again('--prune')).diagnostics).toEqual([])
    expect(read('manifests/orders.yaml')).toBe(text)
  })

  test('removes a file that would be empty', async () => {
    await rest.remove(`/services/${await serviceId()}`)
    const done = await again('--prune')
    expect(done.files).toEqual([{ path: 'manifests/orders.yaml', action: 'deleted' }])
    expect(existsSync(join(world.dir, 'manifests/orders.yaml'))).toBe(false)
  })
})

test('placeholders stay if they have the live value, and secrets are never written', async () => {
  const env = { ...environment, ...canaries, TEXT: 'Order intake' }
  world = embedded({}, { env })
  world.write('gatewright.yaml', `${read('gatewright.yaml')}  secrets: {public: [TEXT]}\n`)
  world.declare(...storefront)
  expect((await world.apply()).exitCode).toBe(0)
  rest = await restOf(world.make)
  world.write(
    'manifests/all.yaml',
    read('manifests/all.yaml').replace('Order intake and tracking', '${env:TEXT} and tracking'),
  )
  // Fields that nobody wrote are added once: the state of a key, the error set that the platform added.
  await again()
  expect((await again()).files).toEqual([])
  const services = await rest.get('/services')
  const id = String(services.find((each) => each.name === 'Orders API')?.id)
  const endpoints = await rest.get(`/services/${id}/endpoints?fields=id,name`)
  const endpoint = String(endpoints.find((each) => each.name === 'orders')?.id)
  await rest.put(`/services/${id}`, { description: 'Other' })
  await rest.put(`/services/${id}/endpoints/${endpoint}/systemDomainAuthentication`, {
    type: 'httpBasic',
    password: 'canary-new',
  })
  const before = read('manifests/all.yaml')
  const done = await again()
  expect(done.diagnostics.map(({ code }) => code).sort()).toEqual(['placeholder-replaced', 'secret-differs'])
  expect(read('manifests/all.yaml')).toBe(before.replace('${env:TEXT} and tracking', 'Other'))
})

test('a placeholder stays if its variable is not set, also inside an object field', async () => {
  world = embedded({}, { env: { ...environment, TOKEN: 'canary-token' } })
  const text = `apiVersion: gatewright/v1
kind: Service
metadata: {name: S}
spec:
  endpoints:
    - name: e
      requestPathAlias: /e
      trafficManagerDomain: a.example
      processor: {adapter: header, preInputs: {authorization: "Bearer \${env:TOKEN}"}}
`
  world.write('manifests/s.yaml', text)
  expect((await world.apply()).exitCode).toBe(0)
  const run = await world.run(['export', '--dir', 'manifests'], { env: environment })
  expect(run.exitCode).toBe(0)
  expect(read('manifests/s.yaml')).toContain('preInputs: {authorization: "Bearer ${env:TOKEN}"}')
  expect(read('manifests/s.yaml') + run.stdout + run.stderr).not.toContain('canary')
})

describe('other ways to write YAML', () => {
  const service = (endpoints: string) =>
    `apiVersion: gatewright/v1\nkind: Service\nmetadata: {name: S}\nspec:\n  endpoints:\n${endpoints}`
  const prepare = async (text: string) => {
    world = embedded()
    world.write('manifests/domains.yaml', domains)
    world.write('manifests/s.yaml', text)
    expect((await world.apply()).exitCode).toBe(0)
    rest = await restOf(world.make)
  }
  const put = async (name: string, body: Parameters<Rest['put']>[1]) =>
    rest.put(`/services/${await serviceId()}/endpoints/${await endpointId(name)}`, body)

  test('an anchor keeps its value for the others, merged mappings and aliases get their own', async () => {
    const text = service(`    - &base
      name: a
      requestPathAlias: /a
      trafficManagerDomain: api.example.com
      systemDomains: &blue [one.backend.example]
      highSecurity: true
      allowMissingApiKey: false
      inboundSslRequired: false
      outboundRequestTargetPath: null
      publicDomains: []
      supportedHttpMethods: null
    - <<: *base
      name: b
      requestPathAlias: /b
    - name: c
      requestPathAlias: /c
      trafficManagerDomain: api.example.com
      systemDomains: *blue
      highSecurity: false
      allowMissingApiKey: false
      inboundSslRequired: false
      outboundRequestTargetPath: null
      publicDomains: []
      supportedHttpMethods: null
`)
    await prepare(text)
    await put('b', { highSecurity: false })
    await put('c', { systemDomains: [{ domain: 'two.backend.example' }] })
    await again()
    expect(read('manifests/s.yaml')).toBe(
      text
        .replace('requestPathAlias: /b\n', 'requestPathAlias: /b\n      highSecurity: false\n')
        .replace('*blue', '[two.backend.example]'),
    )
    await put('a', { systemDomains: [{ domain: 'three.backend.example' }] })
    await again()
    expect(read('manifests/s.yaml')).toContain('systemDomains: &blue [three.backend.example]')
    expect((await world.plan()).changes).toEqual([])
    expect((await again()).files).toEqual([])
  })

  test('line ends stay as they are in the file', async () => {
    await prepare(
      service('    - name: a\n      requestPathAlias: /a\n      trafficManagerDomain: api.example.com\n').replaceAll(
        '\n',
        '\r\n',
      ),
    )
    await put('a', { processor: { adapter: 'x', preInputs: { script: 'one\ntwo' } } })
    await again()
    expect(read('manifests/s.yaml').replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
    expect((await world.plan()).changes).toEqual([])
  })

  test('a document without spec gets one, a child that is only a name becomes a mapping', async () => {
    await prepare(
      `apiVersion: gatewright/v1\nkind: Service\nmetadata: {name: Z}\n---\n${service('    - {name: a, requestPathAlias: /a, trafficManagerDomain: api.example.com, methods: [get]}\n')}`,
    )
    const services = await rest.get('/services')
    const idOf = (name: string) => String(services.find((each) => each.name === name)?.id)
    await rest.put(`/services/${idOf('Z')}`, { description: 'said', version: '2' })
    const [endpoint] = await rest.get(`/services/${idOf('S')}/endpoints`)
    const path = `/services/${idOf('S')}/endpoints/${String(endpoint?.id)}/methods`
    const [method] = await rest.get(path)
    await rest.put(`${path}/${String(method?.id)}`, { sampleJsonResponse: '{"a": 1}' })
    await again()
    expect(read('manifests/s.yaml')).toContain('metadata: {name: Z}\nspec:\n  description: said\n  version: "2"\n---\n')
    expect(read('manifests/s.yaml')).toContain(`methods: [{name: get, sampleJsonResponse: '{"a": 1}'}]`)
    expect((await world.plan()).changes).toEqual([])
  })
})

describe('an object that a Removed document names is not written into new documents:', () => {
  const host = { trafficManagerDomain: 'api.example.com' }

  async function withServices(removed: string): Promise<World> {
    const own = embedded()
    own.declare(document('Service', 'A'), document('Removed', { address: removed }))
    expect((await own.apply()).exitCode).toBe(0)
    const there = await restOf(own.make)
    await there.post('/services', { name: 'B' })
    for (const { id } of await there.get('/services?fields=id,name')) {
      const path = `/services/${String(id)}/endpoints`
      for (const name of ['e', 'old']) {
        const made = await there.post(path, { name, requestPathAlias: `/${String(id)}/${name}`, ...host })
        for (const method of ['m', 'old']) await there.post(`${path}/${String(made.id)}/methods`, { name: method })
      }
    }
    return own
  }

  test.each([
    'Service/B/Endpoint/old',
    'Service/B/Endpoint/e/Method/old',
    'Service/A/Endpoint/e/Method/old',
    'Service/A/Endpoint/old',
  ])('%s', async (removed) => {
    const own = await withServices(removed)
    const run = await own.run(['export', '--dir', 'manifests', '-o', 'json'])
    expect([run.exitCode, run.exitCode === 0 ? '' : run.stdout]).toEqual([0, ''])
    const { changes } = await own.plan()
    const deleted = changes.filter(({ action, address }) => action === 'delete' && address === removed)
    expect([deleted.length, changes.every(({ address }) => address.startsWith(removed))]).toEqual([1, true])
    expect((await own.run(['export', '--dir', 'manifests', '-o', 'json'])).json().files).toEqual([])
  })
})
