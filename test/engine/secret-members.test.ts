import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { objectOf } from '../../src/json/json.js'
import { createPlatform } from '../../src/platform/server.js'
import { restOf } from '../kit/rest.js'
import { embedded, environment, type Make, testClock, type World, world } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'

/** Object fields with one secret member: the members beside it are not secret (A359). */

const env = { ...environment, KEY: 'canary-key', HOST: 'canary.example.com', HEADER: 'canary-header' }

const text = `apiVersion: gatewright/v1
kind: Domain
metadata: {name: example.com}
---
apiVersion: gatewright/v1
kind: Service
metadata: {name: S}
spec:
  securityProfile: {oauth: {accessTokenTtl: 3600, forwardedHeaders: ["\${env:HEADER}"]}}
  endpoints:
    - name: e
      metadata: {sensitive: [/processor/preInputs/token]}
      requestPathAlias: /e
      trafficManagerDomain: api.example.com
      publicDomains: [api.example.com]
      processor: {adapter: Trim, preInputs: {token: canary-token}, postInputs: {key: "\${env:KEY}"}}
      cors: {maxAge: 30, domainsAllowed: ["\${env:HOST}"]}
`

const makes: readonly (readonly [string, () => Make])[] = [
  ['document', () => createPlatform({ autoApprove: true, idSeed: 'test', ...testClock() })],
  [
    'recorded, mashery',
    () =>
      createPlatform({ autoApprove: true, idSeed: 'test', dialect: 'recorded', vocabulary: 'mashery', ...testClock() }),
  ],
  ['other make', () => createOtherMake()],
]

describe.each(makes)('%s', (name, make) => {
  const vocabulary = name.includes('mashery') ? { GATEWRIGHT_VOCABULARY: 'mashery' } : {}

  async function applied(): Promise<World> {
    const on = world(make(), { env: { ...env, ...vocabulary } })
    on.write('manifests/s.yaml', text)
    expect((await on.apply()).exitCode).toBe(0)
    return on
  }

  const endpointOf = async (on: World) => {
    const rest = await restOf(on.make)
    const path = `/services/${String((await rest.get('/services'))[0]?.id)}/endpoints`
    const [endpoint] = await rest.get(path)
    return { rest, path: `${path}/${String(endpoint?.id)}` }
  }

  test.each([[env], [environment]])('the plan of a create hides only the secret member', async (variables) => {
    const on = world(make(), { env: { ...variables, ...vocabulary } })
    on.write('manifests/s.yaml', text)
    const { changes } = await on.plan()
    const shown = changes
      .filter(({ kind }) => ['Service', 'Endpoint'].includes(kind))
      .flatMap(({ fields }) => fields.map(({ path, after }) => [path, after]))
    expect(Object.fromEntries(shown)).toMatchObject({
      '/securityProfile/oauth/accessTokenTtl': 3600,
      '/securityProfile/oauth/forwardedHeaders': '(sensitive)',
      '/processor/adapter': 'Trim',
      '/processor/preInputs': '(sensitive)',
      '/processor/postInputs': '(sensitive)',
      '/cors/maxAge': 30,
      '/cors/domainsAllowed': '(sensitive)',
    })
    expect(JSON.stringify(changes)).not.toContain('canary')
  })

  test('get hides only the secret member', async () => {
    const on = await applied()
    const json = await on.run(['get', 'Endpoint', '-o', 'json'])
    expect(JSON.parse(json.stdout).objects[0].fields).toMatchObject({
      processor: { adapter: 'Trim', preInputs: '(sensitive)', postInputs: '(sensitive)' },
      cors: { maxAge: 30, domainsAllowed: '(sensitive)' },
    })
    const yaml = await on.run(['get', 'Endpoint', '-o', 'yaml'])
    expect(yaml.stdout).toContain('# secret, left out: cors.domainsAllowed, processor.')
    expect(yaml.stdout).toContain('adapter: Trim')
    const service = await on.run(['get', 'Service', 'S', '-o', 'yaml'])
    expect(service.stdout).toContain('accessTokenTtl: 3600')
    for (const { stdout, stderr } of [json, yaml, service]) expect(stdout + stderr).not.toContain('canary')
  })

  test.each([[[]], [['--full']], [['--with-secrets']]])('export %j omits only the secret member', async (options) => {
    const on = await applied()
    const run = await on.run(['export', '--dir', 'elsewhere', ...options])
    expect(run.exitCode).toBe(0)
    const written = readFileSync(join(on.dir, 'elsewhere/services/s.yaml'), 'utf8')
    expect(written).toContain('adapter: Trim')
    expect(written).toContain('maxAge: 30')
    expect(written).toContain('accessTokenTtl: 3600')
    expect(written).not.toContain('canary')
    // The applied value stays as it is, and is named for that reason (A371).
    const values = JSON.stringify(parse(written), (key, value) => (key === 'ignore' ? undefined : value))
    expect(values).not.toMatch(/postInputs|preInputs|domainsAllowed/)
    expect((await on.run(['plan', '-f', 'elsewhere', '-o', 'json'])).json().changes).toEqual([])
    expect(run.stderr).toContain('Endpoint.cors.domainsAllowed is left out: in 1 object it holds a secret')
    expect(run.stderr).not.toContain('canary')
    // The same is true if the applied value is not known.
    rmSync(join(on.dir, '.gatewright'), { recursive: true, force: true })
    const plan = await on.run(['plan', '-f', 'elsewhere', '-o', 'json'])
    expect(plan.json().changes).toEqual([])
  })

  test('a snapshot omits only the secret member, and the others are compared', async () => {
    const on = await applied()
    expect((await on.run(['snapshot', '--out', 'area.json'])).exitCode).toBe(0)
    const written = readFileSync(join(on.dir, 'area.json'), 'utf8')
    expect(written).toContain('Trim')
    expect(written).not.toMatch(/canary/)
    const plan = await on.run(['plan', '--snapshot', 'area.json', '-o', 'json'])
    expect(plan.json().changes).toEqual([])
    expect(plan.stdout).toContain('4 secret fields could not be compared')
    const { rest, path } = await endpointOf(on)
    const [live] = await rest.get(`${path}?fields=processor`)
    await rest.put(path, { processor: { ...objectOf(live?.processor), adapter: 'Other' } })
    expect((await on.run(['snapshot', '--out', 'later.json'])).exitCode).toBe(0)
    const later = await on.run(['plan', '--snapshot', 'later.json', '-o', 'json'])
    expect(later.json().changes).toMatchObject([
      { fields: [{ path: '/processor/adapter', before: 'Other', after: 'Trim' }] },
    ])
    const diff = await on.run(['diff', 'area.json', 'later.json'])
    expect(diff.stdout).toContain('{adapter: Trim} → {adapter: Other}')
    expect(diff.stdout).toContain('Diff: 1 differs')
  })

  test('drift --write writes the member beside a secret into the manifest, and keeps the placeholder', async () => {
    const on = await applied()
    const { rest, path } = await endpointOf(on)
    const [live] = await rest.get(`${path}?fields=processor`)
    const drifted = { adapter: 'Other', postInputs: { key: 'canary-drifted' } }
    await rest.put(path, { processor: { ...objectOf(live?.processor), ...drifted } })
    const run = await on.run(['drift', '--write'])
    expect(run.exitCode).toBe(2)
    expect(run.stderr).toContain('processor.postInputs was not written to the manifest: its value is secret')
    expect(run.stdout + run.stderr).not.toContain('canary')
    expect(readFileSync(join(on.dir, 'manifests/s.yaml'), 'utf8')).toBe(text.replace('Trim', 'Other'))
  })
})

test('a member beside a secret is not written if an alias contains both, because the placeholder would be lost', async () => {
  const on = embedded({}, { env })
  const aliased = `apiVersion: gatewright/v1
kind: Service
metadata: {name: S}
spec:
  endpoints:
    - name: e
      requestPathAlias: /e
      trafficManagerDomain: api.example.com
      processor: &both {adapter: Trim, postInputs: {key: "\${env:KEY}"}}
    - name: f
      requestPathAlias: /f
      trafficManagerDomain: api.example.com
      processor: *both
`
  on.write('manifests/s.yaml', aliased)
  expect((await on.apply()).exitCode).toBe(0)
  const rest = await restOf(on.make)
  const path = `/services/${String((await rest.get('/services'))[0]?.id)}/endpoints`
  const endpoint = (await rest.get(path)).find((each) => each.name === 'f')
  const processor = { adapter: 'Other', postInputs: { key: 'canary-key' } }
  await rest.put(`${path}/${String(endpoint?.id)}`, { processor })
  const run = await on.run(['drift', '--write'])
  expect(run.exitCode).toBe(2)
  expect(run.stderr).toContain('not written to the manifest')
  expect(readFileSync(join(on.dir, 'manifests/s.yaml'), 'utf8')).toBe(aliased)
})

test('a secret with a few characters is hidden in live values as well, if it is a whole text (A112)', async () => {
  const on = embedded({}, { env: { ...environment, PIN: 'q7z' } })
  on.write(
    'manifests/s.yaml',
    `apiVersion: gatewright/v1
kind: Service
metadata: {name: S}
spec:
  description: "\${env:PIN}"
  version: q7z-2
  endpoints:
    - name: e
      requestPathAlias: /e
      trafficManagerDomain: api.example.com
      processor: {adapter: Trim, preInputs: {pin: "\${env:PIN}"}}
`,
  )
  expect((await on.apply()).exitCode).toBe(0)
  expect((await on.run(['snapshot', '--out', 'area.json'])).exitCode).toBe(0)
  expect((await on.run(['export', '--dir', 'elsewhere'])).exitCode).toBe(0)
  const shown = await Promise.all([
    ...['text', 'json', 'yaml'].map((form) => on.run(['get', 'Service', '-o', form])),
    ...['text', 'json', 'yaml'].map((form) => on.run(['get', 'Endpoint', '-o', form])),
    on.run(['diff', 'http://platform.example', 'area.json']),
  ])
  const texts = [
    ...shown.map(({ stdout, stderr }) => stdout + stderr),
    ...['area.json', 'elsewhere/services/s.yaml'].map((file) => readFileSync(join(on.dir, file), 'utf8')),
  ]
  // It is not searched for as a part of another text.
  for (const each of texts) expect(each).not.toMatch(/q7z(?!-2)/)
  expect(texts.at(-1)).toContain('version: q7z-2')
  expect(texts.at(-1)).toContain('adapter: Trim')
})

test('a secret in an unknown field is not displayed if it is not set, and its placeholder is not sent', async () => {
  const on = embedded({ dialect: 'recorded' }, { env })
  const extra = '{apiVersion: gatewright/v1, kind: Package, metadata: {name: P, extraFields: true}, spec: SPEC}\n'
  const written = (more: string) =>
    on.write('manifests/p.yaml', extra.replace('SPEC', `{odd: {key: "x \${env:KEY}"}${more}}`))
  written('')
  expect((await on.apply()).exitCode).toBe(0)
  written(', description: d')
  const without = { env: environment }
  const plan = await on.run(['plan', '-o', 'json'], without)
  expect(plan.json().changes.map(({ fields }) => fields.map(({ path }) => path))).toEqual([['/description']])
  expect(plan.stdout + plan.stderr).not.toContain('canary')
  const apply = await on.run(['apply', '--yes'], without)
  expect([apply.exitCode, apply.stdout + apply.stderr]).toEqual([0, expect.not.stringContaining('canary')])
  const [live] = await (await restOf(on.make)).get('/packages?fields=name,odd')
  expect(live?.odd).toEqual({ key: 'x canary-key' })
})
