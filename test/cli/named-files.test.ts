import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { document, manifestText } from '../kit/manifests.js'
import { embedded, type World } from '../kit/world.js'
import { makes } from '../other-make/worlds.js'

/** `-f` names a part of the project: objects that the other files declare are not gone. */

const service = (name: string, methods: readonly string[] = ['m']) => [
  document('Service', name, {
    endpoints: [
      {
        name: 'e',
        requestPathAlias: `/${name}`,
        publicDomains: ['example.com'],
        trafficManagerDomain: 'example.com',
        methods: methods.map((method) => ({ name: method })),
      },
    ],
  }),
]

async function applied(): Promise<World> {
  const world = embedded()
  world.write('manifests/a.yaml', manifestText([document('Domain', 'example.com'), ...service('A')]))
  world.write('manifests/b.yaml', manifestText(service('B')))
  world.write('manifests/c.yaml', manifestText([document('Role', 'C')]))
  expect((await world.apply()).exitCode).toBe(0)
  return world
}

const a = ['-f', 'manifests/a.yaml']

/** The deleted objects, without their children. */
const deletes = ({ changes }: Awaited<ReturnType<World['plan']>>) => {
  const gone = changes.filter(({ action }) => action === 'delete').map(({ address }) => address)
  return gone.filter((address) => !gone.some((other) => address.startsWith(`${other}/`))).sort()
}

describe('apply -f FILE', () => {
  test('deletes no object of the other files, and neither plan nor drift reports one', async () => {
    const world = await applied()
    expect(deletes(await world.plan(...a))).toEqual([])
    expect((await world.apply(...a)).json().changes).toEqual([])
    const drift = await world.drift(...a)
    expect([drift.exitCode, drift.json().changes]).toEqual([0, []])
    expect((await world.plan()).changes).toEqual([])
  })

  test('deletes no object that its own lists lack either, unless --prune is given', async () => {
    const world = await applied()
    world.write('manifests/a.yaml', manifestText([document('Domain', 'example.com'), ...service('A', [])]))
    expect(deletes(await world.plan(...a))).toEqual([])
    expect(deletes(await world.plan(...a, '--prune', 'applied'))).toEqual([
      'Role/C',
      'Service/A/Endpoint/e/Method/m',
      'Service/B',
    ])
  })

  test('keeps the records of the other files: objects that are removed from the project later are deleted then', async () => {
    const world = await applied()
    world.write('manifests/a.yaml', manifestText([document('Domain', 'example.com'), ...service('A', ['m', 'n'])]))
    expect((await world.apply(...a)).json().changes).toMatchObject([{ action: 'create', outcome: 'applied' }])
    for (const file of ['b.yaml', 'c.yaml']) rmSync(join(world.dir, 'manifests', file))
    expect(deletes(await world.plan())).toEqual(['Role/C', 'Service/B'])
  })

  test('applies to a saved plan, which records it', async () => {
    const world = await applied()
    world.write('manifests/a.yaml', manifestText([document('Domain', 'example.com'), ...service('A', ['m', 'n'])]))
    expect((await world.run(['plan', ...a, '--out', 'plan.json'])).exitCode).toBe(0)
    expect(JSON.parse(readFileSync(join(world.dir, 'plan.json'), 'utf8'))).toMatchObject({ options: { prune: 'none' } })
    const run = await world.apply(...a, 'plan.json')
    expect([run.exitCode, run.json().changes.map(({ action }) => action)]).toEqual([0, ['create']])
    // Deletes that --prune allowed when the plan was made are applied as approved.
    expect((await world.run(['plan', ...a, '--prune', 'applied', '--out', 'plan.json'])).exitCode).toBe(0)
    expect(deletes((await world.apply(...a, 'plan.json')).json())).toEqual(['Role/C', 'Service/B'])
  })
})

test.each(makes)('%s: an object that a list lacks is no drift if a file outside of -f declares it', async (_, make) => {
  const world = make()
  const listed = (...names: readonly string[]) =>
    manifestText([document('Service', 'S', { errorSets: names.map((name) => ({ name, type: 'text/json' })) })])
  world.write('manifests/a.yaml', listed('kept', 'removed'))
  const alone = { service: 'S', name: 'alone' }
  world.write('manifests/b.yaml', manifestText([document('ErrorSet', alone, { type: 'text/json' })]))
  await world.apply()
  world.write('manifests/a.yaml', listed('kept'))
  const extra = { address: 'Service/S/ErrorSet/removed', inList: true }
  expect((await world.drift(...a)).json()).toMatchObject({ unmanaged: [extra] })
  expect((await world.plan(...a)).unmanaged).toMatchObject([extra])
  await world.run(['drift', ...a, '--accept', '--reason', 'known', '--owner', 'ops', '--expires', '2026-12-01'])
  const accepted = join(world.dir, 'gatewright.accepted.yaml')
  expect(readFileSync(accepted, 'utf8').match(/ErrorSet\/\w+/g)).toEqual(['ErrorSet/removed'])
  rmSync(accepted)
  expect((await world.run(['drift', ...a, '--write'])).exitCode).toBe(0)
  expect((await world.run(['validate'])).exitCode).toBe(0)
  expect((await world.drift(...a)).exitCode).toBe(0)
})

test('what a list lacks may be in a file that cannot be read: drift -f ends with that error, plan and apply continue', async () => {
  const world = embedded()
  const named = manifestText([document('Service', 'S', { errorSets: [{ name: 'kept', type: 'text/json' }] })])
  const alone = manifestText([document('ErrorSet', { service: 'S', name: 'alone' }, { type: 'text/json' })])
  world.write('manifests/a.yaml', named)
  world.write('manifests/b.yaml', alone)
  await world.apply()
  world.write('manifests/b.yaml', `${alone}: {`)
  const decision = ['--reason', 'known', '--owner', 'ops', '--expires', '2026-12-01']
  for (const more of [[], ['--write'], ['--accept', ...decision]]) {
    const run = await world.run(['drift', ...a, ...more])
    expect([run.exitCode, run.stderr]).toEqual([
      1,
      expect.stringMatching(/manifests\/b\.yaml:.* error: .*\[yaml-syntax\]/),
    ])
  }
  expect(readFileSync(join(world.dir, 'manifests/a.yaml'), 'utf8')).toBe(named)
  expect((await world.plan(...a)).changes).toEqual([])
  expect((await world.apply(...a)).exitCode).toBe(0)
  // A file that has nothing to do with it may be as it is.
  world.write('manifests/b.yaml', alone)
  world.write('manifests/c.yaml', '{')
  expect((await world.drift(...a)).exitCode).toBe(0)
})

describe('-f FILE in an environment', () => {
  const project = `apiVersion: gatewright/v1
kind: Project
metadata: {name: test}
spec:
  manifests: [manifests]
  values: {text: one}
  environments:
    prod:
      patches:
        - {target: Role/B, merge: {description: patched}}
        - {target: Role/*, expect: 2, json: [{op: test, path: /description, value: patched}]}
        - {target: Role/*, expect: 0, omit: true}
`
  function written(): World {
    const world = embedded()
    world.write('gatewright.yaml', project)
    world.write('manifests/a.yaml', manifestText([document('Role', 'A', { description: 'patched' })]))
    world.write('manifests/b.yaml', manifestText([document('Role', 'B', { description: '${value:text}' })]))
    return world
  }
  const codes = async (world: World, ...args: readonly string[]) =>
    (await world.run(['validate', '-e', 'prod', '-o', 'json', ...args])).json().diagnostics.map(({ code }) => code)

  test('targets of patches and values of the project may be in the other files', async () => {
    const world = written()
    world.write('gatewright.yaml', project.replace(/ +- \{target.*omit.*\n/, ''))
    expect(await codes(world)).toEqual(['patch-no-effect'])
    expect(await codes(world, ...a)).toEqual([])
    const { changes } = await world.plan('-e', 'prod', ...a)
    expect(changes.map(({ address }) => address)).toEqual(['Role/A'])
  })

  test('a target that does not exist is reported if all files are named', async () => {
    const world = written()
    world.write('gatewright.yaml', project.replace('Role/B', 'Role/X'))
    world.write('manifests/b.yaml', manifestText([document('Role', 'B', { description: 'patched' })]))
    expect((await codes(world, '-f', 'manifests')).toSorted()).toEqual((await codes(world)).toSorted())
    expect(await codes(world, '-f', 'manifests')).toContain('patch-no-target')
    expect(await codes(world, '-f', 'manifests/*.yaml')).toContain('patch-no-target')
    expect(await codes(world, ...a)).not.toContain('patch-no-target')
  })

  test('their objects may be in a file or folder that is missing', async () => {
    const world = written()
    world.write('gatewright.yaml', project.replace('[manifests]', '[manifests, generated]').replace('Role/B', 'Role/X'))
    world.write('manifests/b.yaml', manifestText([document('Role', 'B', { description: 'patched' })]))
    expect(await codes(world, '-f', 'manifests')).not.toContain('patch-no-target')
    world.write('generated/c.yaml', manifestText([document('Role', 'C')]))
    expect(await codes(world, '-f', 'manifests', '-f', 'generated')).toContain('patch-no-target')
  })

  test('a patch with too many targets is still an error', async () => {
    expect(await codes(written(), ...a)).toEqual(['patch-target-count'])
  })
})
