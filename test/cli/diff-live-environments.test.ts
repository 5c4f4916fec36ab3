import { describe, expect, it } from 'vitest'
import { fetchTransport } from '../../src/client/fetch-transport.js'
import type { DiffDocument } from '../../src/documents/diff.js'
import { createPlatform } from '../../src/platform/server.js'
import { restOf } from '../kit/rest.js'
import { environment, type Make, type Run, type World, world } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'

const header = 'apiVersion: gatewright/v1\nkind: '
const area = environment.GATEWRIGHT_AREA
const { GATEWRIGHT_URL: _, GATEWRIGHT_AREA: __, ...credentials } = environment
const devLogin = { DEV_KEY: 'dev-key', DEV_SECRET: 'dev-secret', DEV_USER: 'dev-user', DEV_WORD: 'dev-word' }
const env = { ...credentials, ...devLogin, ACME: 'acme-secret', GATEWRIGHT_HOSTS: 'dev.example,prod.example' }

const project = (prod = 'http://prod.example') => `${header}Project
metadata: {name: shop}
spec:
  manifests: [manifests]
  prune: applied
  values:
    stage: {type: string}
    timeout: 30
  environments:
    dev:
      platform:
        url: http://dev.example
        area: ${area}
        credentials: {apiKey: "\${env:DEV_KEY}", apiSecret: "\${env:DEV_SECRET}", username: "\${env:DEV_USER}", password: "\${env:DEV_WORD}"}
      values: {stage: DEV}
    prod:
      platform: {url: "${prod}", area: ${area}}
      values: {stage: PRD, timeout: 60}
      patches:
        - {target: Service/Sandbox, omit: true}
`

const manifests = `${header}Domain
metadata: {name: example.com}
---
${header}Role
metadata: {name: Testers, environments: [dev]}
---
${header}Service
metadata: {name: Sandbox}
---
${header}Service
metadata: {name: "\${value:stage} Orders"}
spec:
  description: same
  endpoints:
    - name: "\${value:stage} orders"
      requestPathAlias: "/\${value:stage}/orders"
      trafficManagerDomain: api.example.com
      publicDomains: [api.example.com]
      systemDomains: [in.example.com]
      supportedHttpMethods: [get]
      connectionTimeoutForSystemDomainRequest: "\${value:timeout}"
      cors: {maxAge: 60, domainsAllowed: ["z.\${value:stage}.example", "a.\${value:stage}.example"]}
---
${header}ScheduledMaintenanceEvent
metadata: {name: Move, environments: [prod]}
spec:
  startDateTime: 2027-01-01T00:00:00.000+0000
  endDateTime: 2027-01-01T02:00:00.000+0000
  endpoints: [{service: "\${value:stage} Orders", name: "\${value:stage} orders"}]
---
${header}Package
metadata: {name: "\${value:stage} Partners"}
spec:
  plans: [{name: Gold, services: [{name: "\${value:stage} Orders", endpoints: [{name: "\${value:stage} orders"}]}]}]
---
${header}Member
metadata: {name: "\${value:stage}-acme"}
spec:
  email: a@example.com
  displayName: Acme
  externalId: crm-17
  passwdNew: "\${env:ACME}"
  applications:
    - name: Shop
      packageKeys: [{package: "\${value:stage} Partners", plan: Gold, secret: "\${env:ACME}", status: active}]
`

interface Shop extends World {
  readonly makes: Readonly<Record<'dev' | 'prod', Make>>
}

/** Two platforms with different hosts: dev is the embedded one with its own login, prod is the given one. */
async function shop(prod: Make): Promise<Shop> {
  const [apiKey, apiSecret, username, password] = Object.values(devLogin)
  const dev = createPlatform({ autoApprove: true, idSeed: 'dev', apiKey, apiSecret, username, password })
  const transport = fetchTransport((url, init) => {
    const { host } = new URL(String(url))
    return (host === 'dev.example' ? dev : prod).fetch(new Request(url, init))
  })
  const own = world(prod, { env, transport: () => Promise.resolve(transport) })
  own.write('gatewright.yaml', project())
  own.write('manifests/a.yaml', manifests)
  for (const name of ['dev', 'prod']) {
    const run = await own.apply('-e', name)
    expect([name, run.exitCode]).toEqual([name, 0])
  }
  return { ...own, makes: { dev, prod } }
}

const diff = (own: World, ...args: readonly string[]) =>
  own.run(['diff', '-e', 'dev', '-e', 'prod', '--live', '--quiet', ...args])
const diffIn = (run: Run): DiffDocument => JSON.parse(run.stdout) as DiffDocument

const embedded = () => createPlatform({ autoApprove: true, idSeed: 'prod' })
const other = () => createOtherMake()

describe.each([
  ['the embedded platform', embedded],
  ['another make', other],
])('diff --live of two environments, one of them on %s', (name, make) => {
  it('matches objects by their manifests, and reports differences that are desired by their layers', async () => {
    const own = await shop(make())
    own.requests()
    const run = await diff(own)
    expect([run.stderr, run.exitCode]).toEqual(['', 2])
    expect(run.stdout).toContain(`- a: dev (live): http://dev.example, area 0000…a4ea (shop, dev)
+ b: prod (live): http://prod.example, area 0000…a4ea (shop, prod)

~ value stage: DEV → PRD (2 fields of 1 object; gatewright.yaml:16:23 and 19:23)
~ value timeout: 30 → 60 (1 field of 1 object; gatewright.yaml:9:14 and 19:37)
+ patches[0] of environment prod: Service/Sandbox (leaves out 25 objects; gatewright.yaml:21:11)

`)
    expect(run.stdout).toContain('- Role/Testers, metadata.environments at manifests/a.yaml:7:41\n')
    expect(run.stdout).toContain('+ ScheduledMaintenanceEvent/Move, metadata.environments at ')
    expect(run.stdout).not.toContain('Endpoint/')
    if (name === 'the embedded platform')
      expect(run.stdout).toContain('Diff: 3 layers differ, 1 only in a, 1 only in b.\n')
    expect(own.requests().filter(({ method }) => method !== 'GET')).toEqual([])
  })

  it('reports changes by somebody on one side field by field, with both addresses', async () => {
    const own = await shop(make())
    const rest = await restOf(own.makes.prod)
    const [service] = await rest.get('/services?filter=name:PRD&fields=id,name,endpoints.id,endpoints.name')
    const [endpoint] = (service?.endpoints ?? []) as readonly { readonly id: string | number }[]
    await rest.put(`/services/${String(service?.id)}`, { name: 'PRD Orders', description: 'by hand' })
    await rest.put(`/services/${String(service?.id)}/endpoints/${endpoint?.id}`, {
      connectionTimeoutForSystemDomainRequest: 45,
    })
    await rest.post('/services', { name: 'Strange' })
    const { differences, layers } = diffIn(await diff(own, '-o', 'json'))
    expect(layers?.map((layer) => layer.name)).toEqual(['stage', 'Service/Sandbox'])
    expect(differences).toContainEqual({
      ...{ address: 'Service/DEV Orders', addressInB: 'Service/PRD Orders', kind: 'Service', in: 'both' },
      fields: [{ path: '/description', a: 'same', b: 'by hand', sensitive: false }],
    })
    expect(differences.filter(({ kind }) => kind === 'Endpoint')).toEqual([
      {
        ...{ address: 'Service/DEV Orders/Endpoint/DEV orders', kind: 'Endpoint', in: 'both' },
        addressInB: 'Service/PRD Orders/Endpoint/PRD orders',
        fields: [{ path: '/connectionTimeoutForSystemDomainRequest', a: 30, b: 45, sensitive: false }],
      },
    ])
    expect(differences.map((each) => [each.in, each.address])).toContainEqual(['b', 'Service/Strange'])
  })

  it('reports a member by its layer if its object is empty on the other side', async () => {
    const own = await shop(make())
    const given = 'values: {stage: DEV}\n'
    const patch = '      patches: [{target: Service/*/Endpoint/plain*, merge: {cors: {maxAge: 77}}}]\n'
    own.write('gatewright.yaml', project().replace(given, given + patch))
    const endpoint = (name: string, cors: string) => `${header}Endpoint
metadata: {service: "\${value:stage} Orders", name: ${name}}
spec: {requestPathAlias: /${name}, trafficManagerDomain: api.example.com, cors: ${cors}}
`
    own.write('manifests/b.yaml', `${endpoint('plain', '{}')}---\n${endpoint('plainly', '{maxAge: 0}')}`)
    for (const each of ['dev', 'prod']) expect((await own.apply('-e', each)).exitCode).toBe(0)
    const { layers, differences } = diffIn(await diff(own, '-o', 'json'))
    expect(layers).toContainEqual(expect.objectContaining({ name: 'Service/*/Endpoint/plain*', fields: ['/cors'] }))
    expect(differences.filter(({ kind }) => kind === 'Endpoint')).toEqual([])
  })
})

describe('the area of an environment', () => {
  it('can be a side of diff, with its own login', async () => {
    const own = await shop(embedded())
    const run = await own.run(['diff', 'env:dev', 'env:prod', '-o', 'json'])
    expect([run.stderr.includes('error'), run.exitCode]).toEqual([false, 2])
    expect(diffIn(run).differences.map(({ address }) => address)).toContain('Service/PRD Orders')
    expect((await own.run(['diff', 'env:qa', 'env:prod'])).stderr).toContain('there is no environment "qa"')
  })

  it('is refused if an option or a variable has another one, and is accepted if the environment has none', async () => {
    const own = await shop(embedded())
    own.requests()
    const overruled = async (more: Readonly<Record<string, string>>, ...args: readonly string[]) => {
      const run = await diff({ ...own, run: (words) => own.run(words, { env: { ...env, ...more } }) }, ...args)
      expect([run.exitCode, run.stdout]).toEqual([1, ''])
      return run.stderr
    }
    expect(await overruled({ GATEWRIGHT_URL: 'http://dev.example' })).toContain(
      'GATEWRIGHT_URL says another url than environment prod, which is to be compared as it is [environment-overruled]',
    )
    expect(await overruled({ GATEWRIGHT_AREA: 'x' })).toContain(
      'GATEWRIGHT_AREA says another area than environment dev',
    )
    expect(await overruled({}, '--url', 'http://prod.example')).toContain('--url says another url than environment dev')
    expect(await overruled({ GATEWRIGHT_HOSTS: 'dev.example' })).toContain('[host-not-named]')
    expect(await overruled({ GATEWRIGHT_HOSTS: 'prod.example' })).toContain('[host-not-named]')
    expect(
      (await own.run(['diff', 'env:prod', 'manifests'], { env: { ...env, GATEWRIGHT_AREA: 'x' } })).stderr,
    ).toContain('environment-overruled')
    expect(own.requests()).toEqual([])
    const same = { ...env, GATEWRIGHT_URL: 'http://prod.example/', GATEWRIGHT_AREA: area }
    own.write(
      'gatewright.yaml',
      project().replace('url: "http://prod.example", ', '').replace('http://dev', 'http://prod'),
    )
    expect((await diff({ ...own, run: (words) => own.run(words, { env: same }) })).stderr).not.toContain('overruled')
  })

  it('is not read with a ready token of another area', async () => {
    const own = await shop(embedded())
    own.write('gatewright.yaml', project().replace(/\n *credentials: .*\n/, '\n'))
    const run = await own.run(['diff', '-e', 'dev', '-e', 'prod', '--live'], { env: { ...env, GATEWRIGHT_TOKEN: 't' } })
    expect([run.exitCode, run.stderr]).toEqual([
      1,
      expect.stringContaining('GATEWRIGHT_TOKEN is for one area, and dev and prod are two'),
    ])
  })

  it('may be the same for both: objects that the other one desires there are no difference', async () => {
    const own = world(embedded(), { env })
    own.write(
      'gatewright.yaml',
      project()
        .replace('http://dev.example', 'http://prod.example')
        .replace(/\n *credentials: .*\n/, '\n'),
    )
    own.write('manifests/a.yaml', manifests)
    for (const each of ['dev', 'prod']) expect((await own.apply('-e', each)).exitCode).toBe(0)
    const { layers, differences } = diffIn(await diff(own, '-o', 'json'))
    expect(layers?.map((layer) => layer.name)).toEqual(['stage', 'timeout', 'Service/Sandbox'])
    expect(differences.map((each) => [each.in, each.address])).toEqual([
      ['a', 'Role/Testers'],
      ['b', 'ScheduledMaintenanceEvent/Move'],
    ])
  })
})
