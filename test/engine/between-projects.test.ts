import { describe, expect, test } from 'vitest'
import { createPlatform } from '../../src/platform/server.js'
import { type DocumentText, document, projectText } from '../kit/manifests.js'
import { environment, type Make, testClock, type World, world } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'

/** An object that moves from one project to another one with the same area and the same records. */

const service = (name: string) => document('Service', name, { description: 'x' })

const projectNamed = (name: string) => projectText('', name)

function projects(make: Make): readonly [World, World] {
  const here = world(make, { ...testClock() })
  const there = world(make, {
    ...testClock(),
    env: { ...environment, GATEWRIGHT_RECORDS: `file:${here.dir}/.gatewright` },
  })
  there.write('gatewright.yaml', projectNamed('there'))
  return [here, there]
}

async function applied(on: World, ...documents: readonly DocumentText[]): Promise<void> {
  on.declare(...documents)
  const run = await on.apply()
  expect([run.exitCode, run.stderr]).toEqual([0, expect.anything()])
}

const deletesOf = async (on: World) =>
  (await on.plan()).changes.filter(({ action }) => action === 'delete').map(({ address }) => address)

const toldIn = async (on: World) =>
  (await on.plan()).diagnostics.filter(({ code }) => code === 'applied-elsewhere').map(({ message }) => message)

describe.each([
  ['embedded', () => createPlatform({ autoApprove: true })],
  ['another make', () => createOtherMake()],
] as const)('on the make "%s"', (_, make) => {
  test('the project that takes it over may delete it later, after the other one has released it', async () => {
    const [here, there] = projects(make())
    await applied(here, service('X'), service('Y'))
    await applied(there, service('X'), service('Z'))
    here.declare(service('Y'))
    expect(await deletesOf(here)).toEqual([])
    expect(await toldIn(here)).toEqual([
      'Service/X stays: another project or environment has applied it as well, or something in it',
    ])
    there.declare(service('Z'))
    expect(await deletesOf(there)).toEqual([])
    await applied(here, service('Y'))
    expect(await toldIn(here)).toEqual([])
    expect(await deletesOf(there)).toContain('Service/X')
  })
})

test('a renamed project reports that it deletes none of the objects that it had applied, and Removed deletes them', async () => {
  const [on] = projects(createPlatform())
  await applied(on, service('X'), service('Y'))
  on.write('gatewright.yaml', projectNamed('renamed'))
  await applied(on, service('X'), service('Y'))
  on.declare(service('Y'))
  expect([await deletesOf(on), (await toldIn(on)).length]).toEqual([[], 1])
  on.declare(service('Y'), { kind: 'Removed', metadata: { address: 'Service/X' } })
  expect(await deletesOf(on)).toContain('Service/X')
})

test('a project that now has environments deletes objects that it had applied before, after an apply in one of them', async () => {
  const [on] = projects(createPlatform())
  await applied(on, service('X'), service('Y'))
  const { GATEWRIGHT_URL: url, GATEWRIGHT_AREA: area, ...env } = environment
  const prod = `  environments: {prod: {platform: {url: "${url}", area: "${area}"}}}\n`
  const manifests = 'metadata: {name: test}\nspec:\n  manifests: [manifests]\n'
  on.write('gatewright.yaml', `apiVersion: gatewright/v1\nkind: Project\n${manifests}${prod}`)
  const io = { env: { ...env, GATEWRIGHT_ENV: 'prod', GATEWRIGHT_HOSTS: new URL(url).host } }
  expect((await on.run(['apply', '--yes', '-o', 'json'], io)).exitCode).toBe(0)
  on.declare(service('Y'))
  const { changes } = (await on.run(['plan', '-o', 'json'], io)).json()
  expect(changes.map(({ action, address }) => `${action} ${address}`)).toContain('delete Service/X')
})
