import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { restOf } from '../kit/rest.js'
import { embedded } from '../kit/world.js'

const layered = `  values: {calls: 7}
  defaults:
    Service: {qpsLimitOverall: 5}
    Endpoint: {cors: {maxAge: 9}}
  environments:
    prod:
      patches:
        - target: Service/Orders
          merge: {description: patched}
        - target: Service/Orders/Endpoint/e
          json: [{op: add, path: /cors/cookiesAllowed, value: true}]
    dev: {}
`

const orders = `apiVersion: gatewright/v1
kind: Service
metadata: {name: Orders}
spec:
  version: "calls \${value:calls}"
  endpoints:
    - name: e
      requestPathAlias: /e
      trafficManagerDomain: api.example.com
      cors: {allDomainsEnabled: true}
`

function project() {
  const world = embedded()
  writeFileSync(
    join(world.dir, 'gatewright.yaml'),
    readFileSync(join(world.dir, 'gatewright.yaml'), 'utf8').replace(/ {2}limits.*\n/, layered),
  )
  world.write('manifests/orders.yaml', orders)
  return world
}

const originsIn = (changes: readonly { readonly address: string; readonly fields: readonly object[] }[]) =>
  changes.flatMap(({ address, fields }) =>
    fields.map((field) => {
      const { path, origin, source, values } = field as {
        readonly path: string
        readonly origin?: string
        readonly source?: { readonly file: string; readonly line: number; readonly column: number }
        readonly values?: readonly string[]
      }
      const place = source ? ` ${source.file}:${source.line}:${source.column}` : ''
      return `${address.split('/').at(-1)}${path} ${origin}${place}${values ? ` ${values.join()}` : ''}`
    }),
  )

test('every field of a change names the layer that sets it, and its position if it is not in the manifest', async () => {
  const world = project()
  const plan = await world.plan('-e', 'prod')
  expect(originsIn(plan.changes).filter((line) => !line.endsWith(' manifest'))).toEqual([
    'Orders/description patches[0] of environment prod gatewright.yaml:14:19',
    'Orders/qpsLimitOverall defaults of the project gatewright.yaml:8:15',
    'Orders/version manifest calls',
    'e/cors patches[1] of environment prod gatewright.yaml:16:18',
  ])
  expect(originsIn(plan.changes)).toContain('e/requestPathAlias manifest')
})

test('members have separate origins; a field that nobody writes any more is marked as such; drift names the layer in text', async () => {
  const world = project()
  expect((await world.apply('-e', 'prod')).exitCode).toBe(0)
  const rest = await restOf(world.make)
  const [service] = await rest.get('/services')
  const path = `/services/${String(service?.id)}`
  const [endpoint] = await rest.get(`${path}/endpoints`)
  await rest.put(path, { description: 'by hand' })
  await rest.put(`${path}/endpoints/${String(endpoint?.id)}`, {
    cors: { allDomainsEnabled: false, maxAge: 1, cookiesAllowed: false },
  })
  expect(originsIn((await world.plan('-e', 'prod')).changes)).toEqual([
    'Orders/description patches[0] of environment prod gatewright.yaml:14:19',
    'e/cors/allDomainsEnabled manifest',
    'e/cors/cookiesAllowed patches[1] of environment prod gatewright.yaml:16:18',
    'e/cors/maxAge defaults of the project gatewright.yaml:9:23',
  ])
  expect((await world.run(['plan', '-e', 'prod'])).stdout).toContain(
    'patched  (drift, set by patches[0] of environment prod)',
  )
  expect((await world.run(['drift', '-e', 'prod'])).stdout).toContain(
    'git patched → live "by hand" (git: patches[0] of environment prod)',
  )
  const report = await world.run(['drift', '-e', 'prod', '--report', 'gitlab-codequality=-'])
  const places = JSON.parse(report.stdout).map(
    ({ location }: { location: { path: string; lines: { begin: number } } }) => [
      ...[location.path.split('/').at(-1), location.lines.begin],
    ],
  )
  expect(places).toEqual([
    ['gatewright.yaml', 14],
    ['orders.yaml', 7],
    ['gatewright.yaml', 16],
    ['gatewright.yaml', 9],
  ])
  await rest.put(path, { description: 'patched' })
  const file = join(world.dir, 'gatewright.yaml')
  writeFileSync(file, readFileSync(file, 'utf8').replace('Service: {qpsLimitOverall: 5}', 'Service: {}'))
  expect(originsIn((await world.plan('-e', 'prod')).changes)).toContain('Orders/qpsLimitOverall not written')
})

test('a message about a field has the position of the layer that sets it', async () => {
  const world = project()
  const file = join(world.dir, 'gatewright.yaml')
  const patch = (merge: string) =>
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace(/merge: .*/, () => `merge: ${merge}`),
    )
  const apply = async () => {
    const { exitCode, stdout, stderr } = await world.run(['apply', '-e', 'prod', '--yes'])
    return [exitCode, /^gatewright.yaml:14:19: error: .*/m.exec(stdout + stderr)?.[0].split('error: ')[1]]
  }
  patch('{description: "x${env:NOT_SET}"}')
  expect(await apply()).toEqual([5, expect.stringContaining('Service/Orders: /description would have to be sent')])
  patch('{description: one}')
  expect(await apply()).toEqual([0, undefined])
  const rest = await restOf(world.make)
  const [service] = await rest.get('/services')
  await rest.put(`/services/${String(service?.id)}`, { description: 'by hand' })
  patch('{description: two}')
  expect(await apply()).toEqual([5, expect.stringContaining('Service/Orders was changed in the manifests and on the')])
  patch('{unheard: 1}')
  world.write('manifests/orders.yaml', orders.replace('{name: Orders}', '{name: Orders, extraFields: true}'))
  expect(await apply()).toEqual([3, expect.stringContaining('did not keep /unheard [change-not-kept]')])
})

test('explain reports where a name in metadata is written, and which values it uses', async () => {
  const world = project()
  world.write(
    'manifests/named.yaml',
    'apiVersion: gatewright/v1\nkind: Service\nmetadata: {name: "No ${value:calls}"}\nspec: {version: v}\n',
  )
  const { stdout } = await world.run(['explain', 'Service/No 7', '-e', 'dev'])
  expect(stdout).toContain('name  "No 7"\n  manifest, manifests/named.yaml:3:18: "No ${value:calls}"; calls is 7 (')
  const answer = await world.run(['explain', 'Service/Orders', '-e', 'dev', '-o', 'json'])
  const { fields } = JSON.parse(answer.stdout) as { fields: readonly { path: string; layers: readonly object[] }[] }
  expect(fields.find(({ path }) => path === '/name')?.layers).toEqual([
    { layer: 'manifest', file: 'manifests/orders.yaml', line: 3, column: 18, text: 'Orders', values: [] },
  ])
})

test('explain reports the fields that a patch unsets, and who wrote them', async () => {
  const world = embedded()
  world.project(`  defaults: {Service: {qpsLimitOverall: 5}}
  environments:
    dev:
      patches:
        - {target: Service/Orders, unset: [/description, /version, /rfc3986Encode]}
        - {target: Service/Orders, json: [{op: remove, path: /qpsLimitOverall}]}
        - {target: Service/Orders, merge: {version: "3"}}
        - {target: Service/Orders/Endpoint/e, unset: [/cors/maxAge]}
        - target: Service/Orders/Endpoint/e
          json: [{op: test, path: /publicDomains/0, value: a.example.com}, {op: remove, path: /publicDomains/0}]
`)
  world.write(
    'manifests/orders.yaml',
    `apiVersion: gatewright/v1
kind: Service
metadata: {name: Orders}
spec:
  description: d
  version: "1"
  endpoints:
    - {name: e, cors: {maxAge: 7, allDomainsEnabled: true}, publicDomains: [a.example.com, b.example.com]}
`,
  )
  const explained = async (address: string) => {
    const { stdout } = await world.run(['explain', address, '-e', 'dev'])
    const fields = stdout.trimEnd().split('\n\n')
    return fields.filter((field) => field.includes('not managed'))
  }
  expect(await explained('Service/Orders')).toEqual([
    'description  not managed\n  patches[0] of environment dev, gatewright.yaml:10:44: /description\n  manifest, manifests/orders.yaml:5:3: d',
    'rfc3986Encode  not managed\n  patches[0] of environment dev, gatewright.yaml:10:68: /rfc3986Encode',
    'qpsLimitOverall  not managed\n  patches[1] of environment dev, gatewright.yaml:11:43: {op: remove, path: /qpsLimitOverall}\n  defaults of the project, gatewright.yaml:6:24: 5',
  ])
  expect(await explained('Service/Orders/Endpoint/e')).toEqual([
    'cors/maxAge  not managed\n  patches[3] of environment dev, gatewright.yaml:13:55: /cors/maxAge\n  manifest, manifests/orders.yaml:8:24: 7',
  ])
  const { stdout } = await world.run(['explain', 'Service/Orders/Endpoint/e', '-e', 'dev', '-o', 'json'])
  expect(JSON.parse(stdout)).toMatchObject({
    fields: expect.arrayContaining([
      expect.objectContaining({ path: '/cors/maxAge', value: null, sensitive: false, absent: true }),
    ]),
  })
})

test('explain reports the defaults that metadata.without excludes, except those that are written nevertheless', async () => {
  const world = embedded()
  world.project(`  defaults: {Service: {qpsLimitOverall: 5, version: "1", description: d}, Endpoint: {cors: {maxAge: 9, allDomainsEnabled: true}}}
  environments:
    dev:
      patches:
        - {target: Service/Orders, unset: [/qpsLimitOverall]}
        - {target: Service/Orders, merge: {version: "3"}}
`)
  world.write(
    'manifests/orders.yaml',
    `apiVersion: gatewright/v1
kind: Service
metadata:
  name: Orders
  without: [/qpsLimitOverall, /version, /description, /rfc3986Encode]
spec:
  description: own
  endpoints:
    - {name: e, metadata: {without: [/cors/maxAge]}}
`,
  )
  const explained = async (address: string) => {
    const { stdout } = await world.run(['explain', address, '-e', 'dev'])
    return stdout
      .trimEnd()
      .split('\n\n')
      .filter((field) => field.includes('not managed'))
  }
  expect(await explained('Service/Orders')).toEqual([
    'qpsLimitOverall  not managed\n  patches[0] of environment dev, gatewright.yaml:10:44: /qpsLimitOverall\n  metadata.without, manifests/orders.yaml:5:13: /qpsLimitOverall\n  defaults of the project, gatewright.yaml:6:24: 5',
  ])
  expect(await explained('Service/Orders/Endpoint/e')).toEqual([
    'cors/maxAge  not managed\n  metadata.without, manifests/orders.yaml:9:38: /cors/maxAge\n  defaults of the project, gatewright.yaml:6:93: 9',
  ])
})

test.each([
  ['alone', 'Endpoint: {requestProtocol: rest}', []],
  ['beside defaults', 'Endpoint: {cors: {maxAge: 9}}', ['defaults of the project']],
])(
  'explain reports the members of a field that is a value at the position of that value, %s',
  async (_, defaults, below) => {
    const world = embedded()
    const file = readFileSync(join(world.dir, 'gatewright.yaml'), 'utf8')
    const values = `  values: {cors: {type: object, default: {maxAge: 7}}}\n  defaults: {${defaults}}\n`
    writeFileSync(join(world.dir, 'gatewright.yaml'), file.replace(/ {2}limits.*\n/, values))
    world.write(
      'manifests/orders.yaml',
      orders.replace('calls ${value:calls}', 'v').replace(/cors: .*/, 'cors: "${value:cors}"'),
    )
    const { stdout } = await world.run(['explain', 'Service/Orders/Endpoint/e', '-o', 'json'])
    const { fields } = JSON.parse(stdout) as {
      fields: readonly { path: string; layers: readonly { layer: string; file: string; values: readonly object[] }[] }[]
    }
    const [first, ...others] = fields.find(({ path }) => path === '/cors/maxAge')?.layers ?? []
    expect(first).toMatchObject({
      ...{ layer: 'manifest', file: 'manifests/orders.yaml', text: '"${value:cors}"' },
      values: [{ name: 'cors', layer: 'default of spec.values', file: 'gatewright.yaml' }],
    })
    expect(others.map(({ layer }) => layer)).toEqual(below)
  },
)
