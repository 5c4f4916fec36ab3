import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { restOf } from '../kit/rest.js'
import { canaries, storefront } from '../kit/storefront.js'
import { embedded, environment, type World, world as worldOf } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'

const env = { ...environment, ...canaries }

async function appliedIn(world: World): Promise<World> {
  world.declare(...storefront.map(({ kind, metadata, spec }) => ({ kind, metadata, ...(kind !== 'Role' && { spec }) })))
  expect((await world.apply()).exitCode).toBe(0)
  return world
}

/** Without the secrets that the manifests use. */
const addresses = async (world: World, ...args: readonly string[]): Promise<readonly string[]> => {
  world.requests()
  const run = await world.run(['get', '--unmanaged', '-o', 'json', ...args], { env: environment })
  expect(world.requests().filter(({ method }) => method !== 'GET')).toEqual([])
  expect(run.exitCode, run.stdout + run.stderr).toBe(0)
  return JSON.parse(run.stdout).objects.map(({ address }: { readonly address: string }) => address)
}

test.each([
  ['the embedded platform', () => embedded({}, { env })],
  ['another make', () => worldOf(createOtherMake({ defaultErrorSet: 'always' }), { env })],
])('get --unmanaged lists objects without a manifest, on %s', async (_, make) => {
  const world = await appliedIn(make())
  expect(await addresses(world)).toEqual([])
  expect((await world.plan()).summary.unmanaged).toBe(0)

  const rest = await restOf(world.make)
  const post = async (path: string, body: Parameters<typeof rest.post>[1]) => String((await rest.post(path, body)).id)
  const legacy = await post('/services', { name: 'Legacy' })
  const old = { requestPathAlias: '/old', trafficManagerDomain: 'api.example.com' }
  await post(`/services/${legacy}/endpoints`, { name: 'old', ...old })
  const [orders] = (await rest.get('/services')).filter(({ name }) => name === 'Orders API')
  const more = { name: 'more', requestPathAlias: '/more', trafficManagerDomain: 'api.example.com' }
  await post(`/services/${String(orders?.id)}/endpoints`, more)
  await post('/roles', { name: 'Guests' })

  const all = ['Role/Guests', 'Service/Legacy', 'Service/Orders API/Endpoint/more']
  expect(await addresses(world)).toEqual(all)
  expect(await addresses(world, '--select', 'Service/*')).toEqual(all.slice(1))
  expect(await addresses(world, 'Role')).toEqual(['Role/Guests'])
  expect(await addresses(world, 'endpoints')).toEqual([
    'Service/Legacy/Endpoint/old',
    'Service/Orders API/Endpoint/more',
  ])
  expect(await addresses(world, 'ErrorSet')).toEqual([])
  expect(await addresses(world, 'ServiceRole')).toEqual([])

  const text = await world.run(['get', '--unmanaged', '--quiet'], { env: environment })
  expect(text.stdout).toContain(`Service/Legacy                    ${legacy}\n`)
  expect(text.stdout.split('\n')[0]).toMatch(/^ADDRESS +ID$/)
  const yaml = await world.run(['get', '--unmanaged', '-o', 'yaml', '--quiet'], { env: environment })
  const documents = parseAllDocuments(yaml.stdout).map((each) => each.toJS() as { kind: string; spec?: object })
  expect(documents.map(({ kind }) => kind)).toEqual(['Role', 'Service', 'Endpoint'])
  expect(documents[1]?.spec).toMatchObject({ endpoints: [{ name: 'old' }] })
})

test('get --unmanaged accepts a kind and no name, and get without it needs a kind', async () => {
  const world = embedded()
  const [named, bare] = [await world.run(['get', '--unmanaged', 'Role', 'x']), await world.run(['get'])]
  expect([named.exitCode, bare.exitCode]).toEqual([1, 1])
  expect(named.stderr).toContain('--select')
  expect(bare.stderr).toContain('gatewright get Service')
  const none = await world.run(['get', '--unmanaged'])
  expect([none.exitCode, none.stdout]).toEqual([0, 'None.\n'])
})

test.each([
  ['get', 'Role'],
  ['get', '--unmanaged'],
  ['snapshot', '--out', 'area.json'],
  ['diff', 'live', 'live'],
  ['diff', 'manifests', 'live'],
  ['export', '--stages', 'Gold,Bronze', '--dir', 'staged'],
])('%s %s reports that the records, which know former secrets, cannot be read', async (...args) => {
  const world = await appliedIn(embedded({}, { env }))
  const receipts = readdirSync(world.dir, { recursive: true, encoding: 'utf8' }).find((name) =>
    name.endsWith('receipts.jsonl'),
  )
  writeFileSync(join(world.dir, receipts ?? ''), '{\n')
  const run = await world.run(args)
  expect(run.exitCode).toBe(0)
  expect(run.stderr.match(/^warning: .*receipts\.jsonl is damaged at line 1 \[records-damaged\]$/gm)).toHaveLength(1)
})
