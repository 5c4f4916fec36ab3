import { expect, test } from 'vitest'
import { createPlatform } from '../../src/platform/server.js'
import { document } from '../kit/manifests.js'
import { type Make, testClock, type World, world } from '../kit/world.js'

/** Every object in JavaScript inherits members with these names: as fields of an object they are ordinary fields. */
const names = ['anything', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', '__proto__', '__defineGetter__']

const values = ['"x"', 'null', '{"name":"x","constructor":"y"}']

/** The same make, whose objects have more fields: in each object with a name, and in CORS settings. */
function withMore(make: Make, members: string): Make {
  return {
    ...make,
    fetch: async (request) => {
      const response = await make.fetch(request)
      if (request.method !== 'GET') return response
      const text = (await response.text())
        .replaceAll('"name":', `${members},"name":`)
        .replaceAll('"maxAge":', `${members},"maxAge":`)
      return new Response(text, response)
    },
  }
}

const service = document('Service', 'Orders', {
  securityProfile: { oauth: { accessTokenTtl: 60 } },
  errorSets: [{ name: 'json', type: 'text/json' }],
  endpoints: [
    {
      name: 'orders',
      requestPathAlias: '/orders',
      trafficManagerDomain: 'api.example.com',
      cors: { maxAge: 5 },
      processor: { adapter: 'a', preInputs: { k: 'v' } },
      methods: [{ name: 'list' }],
    },
  ],
})
const domain = document('Domain', 'example.com')
const rest = [
  document('Package', 'P', {
    eav: { k: 'v' },
    plans: [{ name: 'Gold', services: [{ name: 'Orders', endpoints: [{ name: 'orders' }] }] }],
  }),
  document('Role', 'Partners'),
]

async function applied(): Promise<World> {
  const w = world(createPlatform({ autoApprove: true, idSeed: 'test', now: testClock().now }))
  w.declare(domain, service, ...rest)
  expect((await w.apply()).exitCode).toBe(0)
  return w
}

/** Each name with its own value, as members of JSON and of YAML in flow style. */
const members = (value: string) => names.map((name) => `"${name}": ${value}`).join(', ')

const manifest = (spec: string, metadata = '') =>
  `apiVersion: gatewright/v1
kind: Service
metadata: {name: Orders, extraFields: true${metadata}}
spec: {securityProfile: {oauth: {accessTokenTtl: 60}}${spec}}
`

const paths = names.map((name) => ({ path: `/${name}` })).sort((left, right) => (left.path < right.path ? -1 : 1))

test.each(values)('fields of live objects with %s are ordinary unknown fields', async (value) => {
  const w = await applied()
  Object.assign(w.make, withMore({ ...w.make }, members(value)))
  expect((await w.plan()).summary).toMatchObject({ create: 0, update: 0, replace: 0, delete: 0 })
  expect((await w.drift()).exitCode).toBe(0)
  expect((await w.run(['snapshot', '--out', 'area.json'])).exitCode).toBe(0)
  expect((await w.run(['plan', '--snapshot', 'area.json', '-o', 'json'])).json().summary).toMatchObject({ update: 0 })
  expect(await w.run(['get', 'Service', 'Orders', '-o', 'yaml'])).toMatchObject({ exitCode: 0 })
  expect(await w.run(['get', 'Service', 'Orders', '-o', 'json'])).toMatchObject({ exitCode: 0 })
  expect((await w.run(['export', '--dir', 'out'])).exitCode).toBe(0)
  expect((await w.run(['plan', '-f', 'out', '-o', 'json'])).json().summary).toMatchObject({ create: 0, update: 0 })
  expect((await w.run(['diff', 'area.json', 'manifests'])).exitCode).toBe(0)
})

test('fields of manifests are compared like any other', async () => {
  const w = await applied()
  w.write('manifests/all.yaml', manifest(`, ${members('x')}`))
  expect((await w.plan('--prune', 'none')).changes).toMatchObject([{ address: 'Service/Orders', fields: paths }])
})

test('fields of manifests are in sync, drift, and are dropped like any other', async () => {
  const w = await applied()
  const original = { ...w.make }
  Object.assign(w.make, withMore(original, members('"x"')))
  w.write('manifests/all.yaml', manifest(`, ${members('x')}`, `, labels: {${members('y')}}`))
  expect((await w.apply('--prune', 'none')).exitCode).toBe(0)
  expect((await w.plan('--prune', 'none')).summary).toMatchObject({ update: 0, unchanged: 1 })
  expect(await w.run(['plan', '--prune', 'none', ...names.flatMap((name) => ['-l', `${name}=y`])])).toMatchObject({
    exitCode: 0,
  })
  Object.assign(w.make, withMore(original, members(`{${members('"z"')}}`)))
  expect((await w.drift()).json().changes[0]).toMatchObject({ address: 'Service/Orders', fields: paths })
  w.write('manifests/all.yaml', manifest(''))
  expect((await w.plan('--prune', 'none')).summary).toMatchObject({ update: 0, unchanged: 1 })
  const ignored = names.map((name) => `"/${name}/a", "/${name}/b"`).join(', ')
  w.write('manifests/all.yaml', manifest(`, ${members('{a: b}')}`, `, ignore: [${ignored}]`))
  // The platform has changed them as well: apply would refuse it, and nothing else is wrong.
  expect((await w.run(['plan', '--prune', 'none'])).exitCode).toBe(5)
})

test('members of object fields are managed like any other', async () => {
  const w = await applied()
  const inside = manifest('')
    .replace('accessTokenTtl: 60', `accessTokenTtl: 60, ${members('5')}`)
    .replace('}}}', `}, ${members('{a: 1}')}}}`)
  w.write('manifests/all.yaml', inside)
  const [change] = (await w.plan('--prune', 'none')).changes
  const expected = paths.flatMap(({ path }) => [`/securityProfile${path}`, `/securityProfile/oauth${path}`])
  expect(change?.fields.map(({ path }) => path).sort()).toEqual(expected.sort())
})

test('a member that the environment only inherits is not a variable', async () => {
  const w = await applied()
  w.write('manifests/all.yaml', manifest(`, "description": "${names.map((name) => `\${env:${name}}`).join(' ')}"`))
  const { diagnostics } = (await w.run(['validate', '-o', 'json'])).json()
  expect(diagnostics.filter(({ code }) => code === 'secret-unavailable')).toHaveLength(names.length)
})
