import { describe, expect, test } from 'vitest'
import { document, manifestText } from '../kit/manifests.js'
import { embedded, environment } from '../kit/world.js'

test('rendered Removed documents delete the same objects, in the environments that they are for', async () => {
  const world = embedded()
  world.declare(document('Role', 'Gone'), document('Role', 'Kept'))
  await world.apply()
  world.project('  environments: {dev: {}, prod: {}}\n')
  const removed = document('Removed', { address: 'Role/Gone', environments: ['dev'] })
  world.write('manifests/all.yaml', manifestText([document('Role', 'Kept'), removed]))
  const deletes = async () =>
    (await world.plan('-e', 'dev', '-f', 'manifests')).changes.map(({ action, address }) => [action, address])
  expect(await deletes()).toEqual([['delete', 'Role/Gone']])
  const [dev, prod] = [await world.run(['render', '-e', 'dev']), await world.run(['render', '-e', 'prod'])]
  expect(prod.stdout).not.toContain('Gone')
  world.write('manifests/all.yaml', dev.stdout)
  expect(await deletes()).toEqual([['delete', 'Role/Gone']])
})

test('they also delete objects whose name looks like a placeholder', async () => {
  const world = embedded()
  world.declare(document('Role', 'Gone $${'), document('Role', 'Kept'))
  await world.apply()
  world.declare(document('Role', 'Kept'), document('Removed', { address: 'Role/Gone $${' }))
  world.write('manifests/all.yaml', (await world.run(['render'])).stdout)
  const { changes } = await world.plan()
  expect(changes.map(({ action, address }) => [action, address])).toEqual([['delete', 'Role/Gone ${']])
})

test('a key is rendered with the address that explain and plans display', async () => {
  const world = embedded()
  const key = (variable: string) => ({
    package: 'P',
    plan: 'G',
    apikey: `\${env:${variable}}`,
    secret: '${env:SECRET}',
  })
  const applications = [{ name: 'A', packageKeys: [key('KEY'), key('OTHER')] }]
  world.declare(document('Member', 'm', { applications }))
  const env = {
    ...environment,
    KEY: 'canary-of-the-key-1234',
    OTHER: 'canary-of-another-5678',
    SECRET: 'canary-secret',
  }
  for (const variable of ['KEY', 'OTHER'] as const) {
    const hint = (
      await world.run(['explain', `Member/m/Application/A/PackageKey/P #${env[variable].slice(-4)}-`], { env })
    ).stderr
    const [, address = ''] = /did you mean "(.*)"/.exec(hint) ?? []
    const { stdout, exitCode } = await world.run(['render', address], { env })
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining(`apikey: "\${env:${variable}}"`)])
    expect(stdout).not.toContain('canary')
  }
})

test.each(['render', 'explain'])(
  '%s reports that the environment omits an object which a manifest declares',
  async (command) => {
    const world = embedded()
    world.project('  environments: {dev: {}, prod: {patches: [{target: Service/*, omit: true}]}}\n')
    world.declare(
      document('Service', 'S', { errorSets: [{ name: 'own' }] }),
      document('Role', { name: 'R', environments: ['dev'] }),
      document('Member', { name: 'M', environments: ['dev'] }, { applications: [{ name: 'A' }] }),
    )
    const told = async (address: string) => {
      const run = await world.run([command, address, '-e', 'prod', '-o', 'json'])
      return [run.exitCode, ...run.json().diagnostics.map(({ message }) => message)]
    }
    for (const address of ['Service/S', 'Service/S/ErrorSet/own', 'Role/R']) {
      expect(await told(address)).toEqual([1, `${address} is left out in this environment`])
    }
    for (const address of ['Member/M', 'Member/M/Application/A', 'Member/M/Application/A/PackageKey/P']) {
      expect(await told(address)).toEqual([1, 'Member/M is left out in this environment'])
    }
    expect(await told('Role/Q')).toEqual([1, 'no manifest declares Role/Q'])
  },
)

describe.each(['none', 'applied', 'all'])('with prune: %s', (prune) => {
  test('a list that must not be empty is not rendered if all of its entries are left out, and means the same', async () => {
    const world = embedded()
    const sets = [{ name: 'one' }, { name: 'two' }]
    const declared = manifestText([
      document('Service', 'S', { description: 'a service', errorSets: sets }),
      document('Service', 'T', { description: 'another', errorSets: [{ name: 'kept' }, { name: 'left' }] }),
    ])
    world.write('manifests/all.yaml', declared)
    world.project('  environments: {prod: {}}\n')
    await world.apply('-e', 'prod')
    const left = '[{target: Service/S/ErrorSet/*, omit: true}, {target: Service/T/ErrorSet/left, omit: true}]'
    world.project(`  environments: {prod: {patches: ${left}}}\n`)
    const planned = async () => {
      const { changes, unmanaged } = await world.plan('-e', 'prod', '--prune', prune)
      return { changes: changes.map(({ action, address }) => [action, address]), unmanaged }
    }
    const layered = await planned()
    const { stdout } = await world.run(['render', '-e', 'prod'])
    expect(stdout).toContain('- name: kept')
    expect(stdout.match(/errorSets:/g)).toHaveLength(1)
    world.project('  environments: {prod: {}}\n')
    world.write('manifests/all.yaml', stdout)
    expect((await world.run(['validate'])).exitCode).toBe(0)
    expect(await planned()).toEqual(layered)
    const deleted = layered.changes.filter(([action]) => action === 'delete').map(([, address]) => address)
    expect(deleted).toEqual(prune === 'none' ? [] : ['Service/S/ErrorSet/two', 'Service/T/ErrorSet/left'])
    expect(layered.changes.filter(([action]) => action === 'blocked')).toEqual([])
  })
})
