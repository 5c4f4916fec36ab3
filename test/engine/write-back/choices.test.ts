import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { exported, filesIn, variablesOf } from '../../kit/exports.js'
import { restOf } from '../../kit/rest.js'
import { canaries, storefront } from '../../kit/storefront.js'
import { embedded, environment, type World } from '../../kit/world.js'

interface Exported {
  readonly format: string
  readonly files: readonly { readonly path: string; readonly action: string }[]
  readonly variables: readonly string[]
  readonly diagnostics: readonly { readonly code: string; readonly severity: string; readonly message: string }[]
}

async function exporting(world: World, ...args: readonly string[]): Promise<Exported> {
  const run = await world.run(['export', '-o', 'json', ...args])
  if (run.exitCode !== 0) throw new Error(run.stdout + run.stderr)
  return JSON.parse(run.stdout) as Exported
}

async function shop(): Promise<World> {
  const world = embedded({}, { env: { ...environment, ...canaries } })
  world.declare(...storefront)
  expect((await world.apply()).exitCode).toBe(0)
  return world
}

describe('names that several objects have', () => {
  const twice = { trafficManagerDomain: 'a.example', publicDomains: [] }
  const seed = {
    roles: [
      { id: 'r1', name: 'Partners' },
      { id: 'r2', name: 'Partners' },
    ],
    domains: [{ id: 'd1', domain: 'a.example' }],
    services: [
      {
        id: 's1',
        name: 'Orders',
        roles: [{ id: 'r2', name: 'Partners', action: 'read' }],
        endpoints: [
          {
            id: 'e1',
            name: 'one',
            requestPathAlias: '/1',
            ...twice,
            methods: [
              { id: 'm1', name: 'get' },
              { id: 'm2', name: 'get' },
            ],
          },
          { id: 'e2', name: 'one', requestPathAlias: '/2', ...twice },
        ],
      },
      { id: 's2', name: 'Orders', description: 'a\r\nb\t \n${x}' },
      { id: 's3', name: 'orders' },
    ],
    scheduledMaintenanceEvents: [
      {
        id: 'v1',
        name: 'Night',
        startDateTime: '2027-01-01T00:00:00.000+0000',
        endDateTime: '2027-01-01T02:00:00.000+0000',
        endpoints: [{ id: 'e2', name: 'one' }],
      },
    ],
    packages: [
      {
        id: 'p1',
        name: 'Gold',
        plans: [
          {
            id: 'l1',
            name: 'A',
            services: [
              {
                id: 's1',
                name: 'Orders',
                endpoints: [{ id: 'e1', name: 'one', methods: [{ id: 'm2', name: 'get' }] }],
              },
            ],
          },
        ],
      },
      { id: 'p2', name: 'Gold', plans: [{ id: 'l2', name: 'A' }] },
    ],
    members: [
      {
        id: 'u1',
        username: 'dev',
        email: 'd@e',
        displayName: 'D',
        externalId: 'x',
        applications: [
          {
            id: 'a1',
            name: 'App',
            packageKeys: [
              {
                id: 'k1',
                apikey: 'key-one',
                secret: 'secret-one',
                package: { id: 'p1', name: 'Gold' },
                plan: { id: 'l1', name: 'A' },
              },
              {
                id: 'k2',
                apikey: 'key-two',
                secret: 'secret-two',
                package: { id: 'p2', name: 'Gold' },
                plan: { id: 'l2', name: 'A' },
              },
            ],
          },
        ],
      },
    ],
  }

  test.each(['document', 'recorded'] as const)('are pinned, and their plan is empty (%s)', async (dialect) => {
    const world = embedded({ dialect, seed })
    const planIsEmpty = async (env: Readonly<Record<string, string>>): Promise<void> => {
      const plan = (await world.run(['plan', '-o', 'json'], { env })).json()
      expect(plan.diagnostics.filter(({ code }) => !expectedCodes.includes(code))).toEqual([])
      expect(plan.changes).toEqual([])
      expect(plan.unmanaged).toEqual([])
      expect((await exporting(world, '--dir', 'manifests')).files).toEqual([])
    }
    const expectedCodes = ['reference-outside', 'missing-on-create', 'no-base']
    const files = await exported(world, '--with-secrets')
    expect(Object.keys(files)).toHaveLength(9)
    expect(Object.keys(files).filter((path) => /^services\/orders-[0-9a-f]{6}\.yaml$/.test(path))).toHaveLength(3)
    await planIsEmpty({ ...environment, ...(await variablesOf(world.make)) })
    await exported(world)
    await planIsEmpty(environment)
  })
})

test('a selection writes only selected objects; files contain whole trees', async () => {
  const world = await shop()
  const paths = async (dir: string, ...args: readonly string[]) =>
    (await exporting(world, '--dir', dir, ...args)).files.map(({ path }) => path)
  expect(await paths('a', '--select', 'Service/Orders*')).toEqual(['a/services/orders-api.yaml'])
  expect(await paths('b', '--kind', 'Plan', '--kind', 'Domain')).toEqual([
    'b/domains.yaml',
    'b/packages/partner-access.yaml',
  ])
  expect(readFileSync(join(world.dir, 'b/packages/partner-access.yaml'), 'utf8')).toContain('methods: [listOrders]')
})

test('--full also writes the defaults of the platform, and its plan is empty too', async () => {
  const world = await shop()
  const short = await exported(world, '--with-secrets')
  const full = await exported(world, '--full', '--with-secrets')
  expect(short['packages/partner-access.yaml']).not.toContain('maxNumKeysAllowed')
  expect(full['packages/partner-access.yaml']).toContain('maxNumKeysAllowed: 4')
  const env = { ...environment, ...(await variablesOf(world.make)) }
  expect((await world.run(['plan', '-o', 'json'], { env })).json().changes).toEqual([])
  expect((await exporting(world, '--dir', 'manifests', '--full')).files).toEqual([])
})

test('a snapshot file is exported offline, without its secrets', async () => {
  const world = await shop()
  expect((await world.run(['snapshot', '--out', 'area.json'])).exitCode).toBe(0)
  world.requests()
  for (const secrets of [[], ['--with-secrets']]) {
    const live = await exported(world, ...secrets)
    world.requests()
    const offline = await exported(world, '--snapshot', 'area.json', ...secrets)
    expect(world.requests()).toEqual([])
    expect(offline).toEqual(live)
  }
})

test('secrets are never written or displayed, and the export sends only GET', async () => {
  const world = await shop()
  world.requests()
  const run = await world.run(['export', '--dir', 'out', '--with-secrets'])
  const written = run.stdout + run.stderr + Object.values(filesIn(world, 'out')).join('')
  for (const secret of Object.values(canaries)) expect(written).not.toContain(secret.split('\n')[0])
  expect([...new Set(world.requests().map(({ method }) => method))]).toEqual(['GET'])
  expect(run.stdout).toContain('ORDERS_API_ORDERS_PASSWORD')
})

test('if plan would not find the manifests, this is reported', async () => {
  const world = embedded()
  const rest = await restOf(world.make)
  await rest.post('/domains', { domain: 'example.com' })
  const codes = async (dir: string) => (await exporting(world, '--dir', dir)).diagnostics.map(({ code }) => code)
  expect(await codes('manifests/area')).toEqual([])
  expect(await codes('elsewhere')).toEqual(['export-outside-manifests'])
  const run = await world.run(['export'])
  expect(run.exitCode).toBe(1)
  expect(run.stderr).toContain('--dir')
})

test('a selection without a match is an error, and nothing is written', async () => {
  const world = await shop()
  const run = await world.run(['export', '--dir', 'a', '--select', 'Service/Orders*', '--select', 'Service/Odrers API'])
  expect([run.exitCode, existsSync(join(world.dir, 'a'))]).toEqual([1, false])
  expect(run.stderr).toContain('nothing is selected by "Service/Odrers API" [nothing-selected]')
  expect(run.stderr).toContain('did you mean "Service/Orders API"?')
  const others = await world.run(['export', '--dir', 'a', '--kind', 'Role', '--select', 'Service/Orders*'])
  expect(others.exitCode).toBe(1)
})
