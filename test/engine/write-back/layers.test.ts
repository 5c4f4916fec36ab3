import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../src/json/json.js'
import { projectText } from '../../kit/manifests.js'
import { type Rest, restOf } from '../../kit/rest.js'
import { embedded, type World } from '../../kit/world.js'

const head = projectText()

const header = 'apiVersion: gatewright/v1\nkind: Service\nmetadata: '

const orders = `${header}{name: Orders}
spec:
  description: intake # what it is
  version: "\${value:stage}"
  qpsLimitOverall: 5
  endpoints:
    - name: e
      requestPathAlias: /e
      trafficManagerDomain: api.example.com
      cors: {maxAge: 1}
`

/** A project with this spec and these manifests, applied in prod. */
async function applied(spec: string, ...manifests: readonly string[]): Promise<{ world: World; rest: Rest }> {
  const world = embedded()
  world.write('gatewright.yaml', head + spec)
  for (const [index, text] of manifests.entries()) world.write(`manifests/m${index}.yaml`, text)
  const run = await world.run(['apply', '--yes', '-e', 'prod'])
  expect(run.stderr).not.toContain('error')
  expect(run.exitCode).toBe(0)
  return { world, rest: await restOf(world.make) }
}

const textOf = (world: World, path: string) => readFileSync(join(world.dir, path), 'utf8')

/** The rendered manifests of every environment. */
async function rendered(world: World, ...names: readonly string[]): Promise<readonly string[]> {
  const runs: string[] = []
  for (const name of names) runs.push((await world.run(['render', '-e', name])).stdout)
  return runs
}

async function change(rest: Rest, fields: JsonObject, name = 'Orders'): Promise<string> {
  const service = (await rest.get('/services')).find((each) => each.name === name)
  const path = `/services/${String(service?.id)}`
  await rest.put(path, fields)
  return path
}

async function writes(world: World, ...more: readonly string[]): Promise<{ exitCode: number; told: string }> {
  const { exitCode, stderr, stdout } = await world.run(['drift', '--write', '-e', 'prod', ...more])
  return { exitCode, told: `${stdout}\n${stderr}` }
}

const isClean = async (world: World): Promise<boolean> =>
  (await world.run(['plan', '-e', 'prod', '--exit-code'])).exitCode === 0

const environments = `  values: {stage: {type: string}}
  environments:
    # where it is tried
    dev:
      values: {stage: DEV}
    prod: # where it counts
      values:
        stage: PRD # the stage
`

describe('drift --write in a project with environments', () => {
  test('reports that environments of one area disagree now, if they did not before', async () => {
    const { world, rest } = await applied(`  platform: {area: "00000000"}\n${environments}`, orders)
    await change(rest, { description: 'by hand' })
    const patched = await writes(world)
    expect(patched.told).toContain(
      'note: environments dev and prod are one area, and have different values of Service/Orders description',
    )
    expect(patched.exitCode).toBe(0)
    world.write('gatewright.yaml', head + environments)
    expect((await writes(world, '--into', 'manifest')).told).not.toContain('are one area')
  })

  test('writes a patch of the environment for a shared manifest; comments stay, and so do the other environments', async () => {
    const { world, rest } = await applied(environments, orders)
    const [dev] = await rendered(world, 'dev')
    const path = await change(rest, { description: 'by hand', qpsLimitOverall: 9 })
    const [endpoint] = await rest.get(`${path}/endpoints`)
    await rest.put(`${path}/endpoints/${String(endpoint?.id)}`, { cors: { maxAge: 7 } })
    const { exitCode, told } = await writes(world)
    expect(told).toContain('environment prod in gatewright.yaml: 3 fields of 2 objects patched')
    expect(exitCode).toBe(0)
    expect(textOf(world, 'gatewright.yaml')).toBe(`${head}${environments}      patches:
        - target: Service/Orders
          merge:
            description: by hand
            qpsLimitOverall: 9
        - target: Service/Orders/Endpoint/e
          merge:
            cors:
              maxAge: 7
`)
    expect(textOf(world, 'manifests/m0.yaml')).toBe(orders)
    expect(await isClean(world)).toBe(true)
    expect(await rendered(world, 'dev')).toEqual([dev])
  })

  test('writes the next difference into the patch of exactly that address', async () => {
    const patches = `      patches:
        - target: Service/*
          merge: {qpsLimitOverall: 6}
        - target: Service/Orders # ours
          merge: {description: patched, version: own}
`
    const { world, rest } = await applied(environments + patches, orders)
    await change(rest, { description: 'by hand', qpsLimitOverall: 9 })
    expect((await writes(world)).exitCode).toBe(0)
    expect(textOf(world, 'gatewright.yaml')).toBe(
      head +
        environments +
        patches.replace('description: patched, version: own', 'description: by hand, version: own, qpsLimitOverall: 9'),
    )
    expect(await isClean(world)).toBe(true)
  })

  test('does not suggest --into manifest if it is given and the patch takes precedence', async () => {
    const patches = '      patches: [{target: Service/Orders, merge: {description: patched}}]\n'
    const { world, rest } = await applied(environments + patches, orders)
    await change(rest, { description: 'by hand' })
    const { told } = await writes(world, '--into', 'manifest')
    expect(textOf(world, 'gatewright.yaml')).toBe(head + environments + patches.replace('patched', 'by hand'))
    expect(told).toContain('1 field of 1 object patched; no other environment changes')
    expect(told).not.toContain('hint: --into manifest')
  })

  test('adds a patch after one for several objects with the same field', async () => {
    const patches = `      patches:
        - target: Service/Orders
          merge: {description: patched}
        - {target: Service/*, merge: {qpsLimitOverall: 6}}
`
    const { world, rest } = await applied(environments + patches, orders)
    await change(rest, { qpsLimitOverall: 9 })
    expect((await writes(world)).exitCode).toBe(0)
    expect(textOf(world, 'gatewright.yaml')).toBe(`${head}${environments}${patches}        - target: Service/Orders
          merge:
            qpsLimitOverall: 9
`)
    expect(await isClean(world)).toBe(true)
  })

  test('--into manifest changes the manifest, and reports for which environments', async () => {
    const { world, rest } = await applied(environments, orders)
    await change(rest, { description: 'by hand' })
    const { exitCode, told } = await writes(world, '--into', 'manifest')
    expect(told).toContain('what is written about Service/Orders also applies in dev')
    expect(exitCode).toBe(0)
    expect(textOf(world, 'manifests/m0.yaml')).toBe(orders.replace('intake #', 'by hand #'))
    expect(textOf(world, 'gatewright.yaml')).toBe(head + environments)
  })

  test('a manifest of one environment is changed directly', async () => {
    const own = orders.replace('{name: Orders}', '{name: Orders, environments: [prod]}')
    const { world, rest } = await applied(
      environments,
      own,
      `${header}{name: Other}\nspec: {version: "\${value:stage}"}\n`,
    )
    await change(rest, { description: 'by hand' })
    expect((await writes(world)).exitCode).toBe(0)
    expect(textOf(world, 'manifests/m0.yaml')).toBe(own.replace('intake #', 'by hand #'))
    expect(textOf(world, 'gatewright.yaml')).toBe(head + environments)
  })

  test('a default that drifted in one object becomes a patch; --into manifest writes the field', async () => {
    const defaults = '  defaults: {Service: {qpsLimitOverall: 5}}\n'
    const bare = orders.replace('  qpsLimitOverall: 5\n', '')
    const { world, rest } = await applied(defaults + environments, bare)
    await change(rest, { qpsLimitOverall: 9 })
    expect((await writes(world, '--into', 'manifest')).exitCode).toBe(0)
    expect(textOf(world, 'manifests/m0.yaml')).toBe(`${bare}  qpsLimitOverall: 9\n`)
    world.write('manifests/m0.yaml', bare)
    expect((await writes(world)).exitCode).toBe(0)
    expect(textOf(world, 'manifests/m0.yaml')).toBe(bare)
    expect(textOf(world, 'gatewright.yaml')).toContain('merge:\n            qpsLimitOverall: 9')
    expect(await isClean(world)).toBe(true)
  })
})

describe('a placeholder', () => {
  test('stays, and the value of the environment is edited', async () => {
    const { world, rest } = await applied(environments, orders)
    await change(rest, { version: 'LIVE' })
    const { exitCode, told } = await writes(world)
    expect(told).toContain('the value "stage" of environment prod in gatewright.yaml is now the live value')
    expect(exitCode).toBe(0)
    expect(textOf(world, 'gatewright.yaml')).toBe(head + environments.replace('stage: PRD #', 'stage: LIVE #'))
    expect(textOf(world, 'manifests/m0.yaml')).toBe(orders)
    expect(await isClean(world)).toBe(true)
  })

  test('becomes a patch if other fields with the value still have the old one', async () => {
    const other = `${header}{name: Other}\nspec: {description: "\${value:stage}"}\n`
    const { world, rest } = await applied(environments, orders, other)
    await change(rest, { version: 'LIVE' })
    const { exitCode, told } = await writes(world)
    expect(told).toContain('the value "stage" is not changed; a patch of environment prod has the live value')
    expect(told).toContain('Service/Other description')
    expect(exitCode).toBe(0)
    expect(textOf(world, 'gatewright.yaml')).toContain('merge:\n            version: LIVE')
    expect(await isClean(world)).toBe(true)
  })

  test('becomes a patch if an object outside of -f uses the value', async () => {
    const other = `${header}{name: Other}\nspec: {description: "\${value:stage}"}\n`
    const { world, rest } = await applied(environments, orders, other)
    await change(rest, { version: 'LIVE' })
    const { exitCode, told } = await writes(world, '-f', 'manifests/m0.yaml')
    expect(told).toContain('the value "stage" is not changed; a patch of environment prod has the live value')
    expect(told).toContain('Service/Other description')
    expect(exitCode).toBe(0)
    expect(textOf(world, 'gatewright.yaml')).toContain('stage: PRD # the stage')
    expect(await isClean(world)).toBe(true)
  })

  test('stays, and its value is edited, if no object outside of -f uses it', async () => {
    const other = `${header}{name: Other}\nspec: {description: plain}\n`
    const { world, rest } = await applied(environments, orders, other)
    await change(rest, { version: 'LIVE' })
    expect((await writes(world, '-f', 'manifests/m0.yaml')).exitCode).toBe(0)
    expect(textOf(world, 'gatewright.yaml')).toBe(head + environments.replace('stage: PRD #', 'stage: LIVE #'))
  })

  test('stays, and its value is edited once, if all its uses drifted alike', async () => {
    const other = `${header}{name: Other}\nspec: {description: "\${value:stage}"}\n`
    const { world, rest } = await applied(environments, orders, other)
    await change(rest, { version: 'LIVE' })
    await change(rest, { description: 'LIVE' }, 'Other')
    expect((await writes(world)).exitCode).toBe(0)
    expect(textOf(world, 'gatewright.yaml')).toBe(head + environments.replace('stage: PRD #', 'stage: LIVE #'))
  })

  test('gets a value of the environment if only the declaration had one', async () => {
    const spec = environments
      .replace('{type: string}', '{type: string, default: X}')
      .replace('      values:\n        stage: PRD # the stage\n', '      prune: none\n')
    const { world, rest } = await applied(spec, orders)
    await change(rest, { version: 'LIVE' })
    expect((await writes(world)).exitCode).toBe(0)
    expect(textOf(world, 'gatewright.yaml')).toBe(`${head}${spec}      values:\n        stage: LIVE\n`)
    expect(await isClean(world)).toBe(true)
  })

  test.each([
    ['more than the placeholder', 'intake #', '"in ${value:stage}" #', 'description'],
    ['a variable', 'intake #', '"${env:WHAT}" #', 'description'],
  ])('with %s is never overwritten, and its position is reported', async (_, from, to, field) => {
    const world = embedded({}, {})
    const env = { WHAT: 'a variable' }
    world.write('gatewright.yaml', `${head}  secrets: {public: [WHAT]}\n${environments}`)
    world.write('manifests/m0.yaml', orders.replace(from, to))
    const { environment } = await import('../../kit/world.js')
    const io = { env: { ...environment, ...env } }
    expect((await world.run(['apply', '--yes', '-e', 'prod'], io)).exitCode).toBe(0)
    await change(await restOf(world.make), { [field]: 'by hand' })
    const run = await world.run(['drift', '--write', '-e', 'prod'], io)
    expect(run.exitCode).toBe(2)
    expect(run.stderr).toContain('has a placeholder, which is kept')
    expect(run.stderr).toContain('manifests/m0.yaml:5:3')
    expect(textOf(world, 'manifests/m0.yaml')).toBe(orders.replace(from, to))
    expect(textOf(world, 'gatewright.yaml')).not.toContain('patches')
  })
})

describe('objects', () => {
  test('that are deleted are omitted in the environment; --into manifest removes the document', async () => {
    const other = `${header}{name: Other}\nspec: {version: "\${value:stage}"}\n`
    const { world, rest } = await applied(environments, orders, other)
    const [dev] = await rendered(world, 'dev')
    const path = await change(rest, {})
    await rest.remove(path)
    const { exitCode, told } = await writes(world)
    expect(told).toContain('Service/Orders left out')
    expect(exitCode).toBe(0)
    expect(textOf(world, 'gatewright.yaml')).toBe(`${head}${environments}      patches:
        - {target: Service/Orders, omit: true}
`)
    expect(await isClean(world)).toBe(true)
    expect(await rendered(world, 'dev')).toEqual([dev])
    world.write('gatewright.yaml', head + environments)
    expect((await writes(world, '--into', 'manifest')).exitCode).toBe(0)
    expect(() => textOf(world, 'manifests/m0.yaml')).toThrow()
  })

  test('that are new in a written list are limited to this environment', async () => {
    const { world, rest } = await applied(environments, orders)
    const [dev] = await rendered(world, 'dev')
    const path = await change(rest, {})
    await rest.post(`${path}/endpoints`, {
      name: 'more',
      requestPathAlias: '/more',
      trafficManagerDomain: 'api.example.com',
    })
    expect((await writes(world)).exitCode).toBe(0)
    expect(textOf(world, 'manifests/m0.yaml')).toContain('    - name: more\n')
    expect(textOf(world, 'manifests/m0.yaml')).toContain('      metadata:\n        environments: [prod]\n')
    expect(await isClean(world)).toBe(true)
    expect(await rendered(world, 'dev')).toEqual([dev])
  })

  test('that an export finds become documents of this environment, and other unwritten fields become patches', async () => {
    const { world, rest } = await applied(environments, orders)
    const [dev] = await rendered(world, 'dev')
    await rest.post('/services', { name: 'New', description: 'made by hand' })
    const run = await world.run(['export', '--dir', 'manifests', '-e', 'prod'])
    expect(run.stderr).toContain('new in environment prod only (metadata.environments): Service/New')
    expect(run.exitCode).toBe(0)
    expect(textOf(world, 'manifests/services/new.yaml')).toContain('environments: [prod]')
    expect(textOf(world, 'gatewright.yaml')).toContain('allowMissingApiKey: false')
    expect(await isClean(world)).toBe(true)
    expect(await rendered(world, 'dev')).toEqual([dev])
    expect((await world.run(['export', '--dir', 'manifests', '-e', 'prod'])).stdout).not.toContain('updated')
  })

  test('that an export finds in a parent without a written list of them become separate documents', async () => {
    const bare = orders.slice(0, orders.indexOf('\n  endpoints')).replaceAll('\n', '\r\n')
    const { world, rest } = await applied(environments, bare)
    const [dev] = await rendered(world, 'dev')
    const path = await change(rest, {})
    await rest.post(`${path}/endpoints`, { name: 'e', requestPathAlias: '/e', trafficManagerDomain: 'api.example.com' })
    const run = await world.run(['export', '--dir', 'manifests', '-e', 'prod'])
    expect(run.exitCode).toBe(0)
    const text = textOf(world, 'manifests/m0.yaml')
    expect(text.slice(0, bare.length)).toBe(bare)
    expect(text.slice(bare.length)).toContain(
      'kind: Endpoint\r\nmetadata:\r\n  service: Orders\r\n  name: e\r\n  environments: [prod]\r\n',
    )
    expect(text.replaceAll('\r\n', '')).not.toContain('\n')
    expect(await isClean(world)).toBe(true)
    expect(await rendered(world, 'dev')).toEqual([dev])
  })
})

describe('a refused change is reported, and no part of it is written', () => {
  test('--into manifest, if an environment names the deleted object: it is not suggested', async () => {
    const { world, rest } = await applied(
      environments.replace(
        'values: {stage: DEV}',
        'values: {stage: DEV}\n      patches: [{target: Service/Orders/Endpoint/e, merge: {highSecurity: true}}]',
      ),
      orders.replace(
        'cors: {maxAge: 1}\n',
        'cors: {maxAge: 1}\n    - {name: f, requestPathAlias: /f, trafficManagerDomain: api.example.com}\n',
      ),
    )
    const path = await change(rest, {})
    const live = await rest.get(`${path}/endpoints`)
    await rest.remove(`${path}/endpoints/${String(live.find(({ name }) => name === 'e')?.id)}`)
    const { exitCode, told } = await writes(world, '--into', 'manifest')
    expect(exitCode).toBe(1)
    expect(told).toContain('or leave out --into manifest')
    expect((await writes(world)).exitCode).toBe(0)
  })

  test('a value that an environment merges from another one; the field is patched', async () => {
    const text = `  values: {stage: {type: string}}
  environments:
    dev: &base
      values: {stage: DEV}
    prod:
      <<: *base
`
    const { world, rest } = await applied(text, orders)
    const [dev] = await rendered(world, 'dev')
    await change(rest, { version: 'LIVE' })
    const { exitCode, told } = await writes(world)
    expect(told).toContain('the value "stage" is not changed')
    expect(exitCode).toBe(0)
    expect(textOf(world, 'gatewright.yaml')).toContain(text)
    expect(await isClean(world)).toBe(true)
    expect(await rendered(world, 'dev')).toEqual([dev])
  })

  test('the patches of another environment, which an alias repeats', async () => {
    const text = `  environments:
    dev:
      patches: &shared
        - target: Service/Orders
          merge: {description: both}
    prod:
      patches: *shared
`
    const { world, rest } = await applied(text, orders.replace('"${value:stage}"', 'plain'))
    await change(rest, { description: 'LIVE' })
    const { exitCode, told } = await writes(world)
    expect(told).toContain('an anchor in gatewright.yaml')
    expect(exitCode).toBe(2)
    expect(textOf(world, 'gatewright.yaml')).toBe(head + text)
  })

  test('a value of the command line, which is in no file', async () => {
    const { world, rest } = await applied(environments, orders)
    await change(rest, { version: 'LIVE' })
    const { told } = await writes(world, '--value', 'stage=PRD')
    expect(told).toContain('version was not written to the manifest: --value gives "stage"')
  })

  test('a new name, which other environments would get too', async () => {
    const { world, rest } = await applied(environments, orders)
    await change(rest, { name: 'Renamed' })
    const { told } = await writes(world)
    expect(told).toContain('names cannot be patched; --into manifest renames it in all environments')
    expect(textOf(world, 'manifests/m0.yaml')).toBe(orders)
    await writes(world, '--into', 'manifest')
    expect(textOf(world, 'manifests/m0.yaml')).toBe(orders.replace('{name: Orders}', '{name: Renamed}'))
  })

  test('a live object that a patch omits', async () => {
    const { world, rest } = await applied(
      `${environments}      patches: [{target: Service/Other, omit: true}]\n`,
      orders,
      `${header}{name: Other}\n`,
    )
    await rest.post('/services', { name: 'Other' })
    const run = await world.run(['export', '--dir', 'manifests', '-e', 'prod'])
    expect(run.stderr).toContain('patches[0] of environment prod leaves it out')
    expect(run.stderr).not.toContain('not among the manifests')
    expect(run.exitCode).toBe(0)
  })

  test('--into if nothing is written', async () => {
    const { world } = await applied(environments, orders)
    const run = await world.run(['drift', '--into', 'manifest', '-e', 'prod'])
    expect(run.exitCode).toBe(1)
    expect(run.stderr).toContain('--into says where drift is written')
  })
})

describe('a project with values and defaults, but no environment', () => {
  test('gets changes in its values and manifests', async () => {
    const world = embedded()
    const spec =
      '  values:\n    stage: {default: PRD, description: of all} # which\n    calls: 5\n  defaults: {Service: {description: usual}}\n'
    world.write('gatewright.yaml', head + spec)
    const text = `${header}{name: Orders}\nspec:\n  version: "\${value:stage}"\n  qpsLimitOverall: "\${value:calls}"\n`
    world.write('manifests/m0.yaml', text)
    expect((await world.apply()).exitCode).toBe(0)
    await change(await restOf(world.make), { version: 'LIVE', qpsLimitOverall: 9, description: 'by hand' })
    expect((await world.run(['drift', '--write'])).exitCode).toBe(0)
    expect(textOf(world, 'gatewright.yaml')).toBe(
      head + spec.replace('default: PRD', 'default: LIVE').replace('calls: 5', 'calls: 9'),
    )
    expect(textOf(world, 'manifests/m0.yaml')).toBe(`${text}  description: by hand\n`)
    expect((await world.drift()).exitCode).toBe(0)
  })

  test('keeps a value that an object outside of -f uses, and reports it', async () => {
    const world = embedded()
    const spec = '  values: {calls: 5}\n'
    world.write('gatewright.yaml', head + spec)
    for (const name of ['Orders', 'Other']) {
      world.write(`manifests/${name}.yaml`, `${header}{name: ${name}}\nspec: {qpsLimitOverall: "\${value:calls}"}\n`)
    }
    expect((await world.apply()).exitCode).toBe(0)
    await change(await restOf(world.make), { qpsLimitOverall: 9 })
    const run = await world.run(['drift', '--write', '-f', 'manifests/Orders.yaml'])
    expect([run.exitCode, run.stderr]).toEqual([2, expect.stringContaining('the value "calls" is used elsewhere too')])
    expect(textOf(world, 'gatewright.yaml')).toBe(head + spec)
  })
})

test.each([
  ['it', 'Service/S', '{description: other}', 'Service/S'],
  ['a child of it', 'Service/S*/Endpoint/e', '{highSecurity: true}', 'Service/S'],
  ['a link to it', 'Package/P/Plan/A/PlanService/S', '{endpoints: []}', 'Service/S'],
])(
  'an object renamed on the platform keeps its name if a patch uses that name for %s, and everything else is written',
  async (_, target, merge, address) => {
    const world = embedded()
    world.project(`  environments:
    prod:
      patches:
        - {target: ${target}, merge: ${merge}}
`)
    const text = `apiVersion: gatewright/v1
kind: Service
metadata: {name: S}
spec:
  version: '1'
  endpoints:
    - {name: e, requestPathAlias: /e, trafficManagerDomain: a.example.com, highSecurity: false}
---
apiVersion: gatewright/v1
kind: Package
metadata: {name: P}
spec: {plans: [{name: A, services: [{name: S, endpoints: [e]}]}]}
`
    world.write('manifests/all.yaml', text)
    expect((await world.apply('-e', 'prod')).exitCode).toBe(0)
    const rest = await restOf(world.make)
    const [service] = await rest.get('/services')
    await rest.put(`/services/${String(service?.id)}`, { name: 'New', version: '2' })
    const run = await world.drift('--write', '-e', 'prod')
    expect(run.exitCode).toBe(2)
    const refused = run.json().diagnostics.filter(({ code }) => code === 'not-written')
    expect(refused).toContainEqual(expect.objectContaining({ file: 'gatewright.yaml', line: 9 }))
    expect(refused.every(({ message }) => message.startsWith(`${address}: `))).toBe(true)
    expect(readFileSync(join(world.dir, 'manifests/all.yaml'), 'utf8')).toBe(text.replace("'1'", '"2"'))
  },
)

test('a patch of drift --write uses the name that the object has now on the platform', async () => {
  const world = embedded()
  world.project(`  values: {age: 5}
  environments: {prod: {}}
`)
  world.write(
    'manifests/all.yaml',
    `apiVersion: gatewright/v1
kind: Service
metadata: {name: S}
spec:
  endpoints:
    - {name: e, requestPathAlias: /e, trafficManagerDomain: a.example.com, cors: {maxAge: "\${value:age}"}}
    - {name: f, requestPathAlias: /f, trafficManagerDomain: a.example.com, cors: {maxAge: "\${value:age}"}}
`,
  )
  expect((await world.apply('-e', 'prod')).exitCode).toBe(0)
  const rest = await restOf(world.make)
  const [service] = await rest.get('/services')
  const path = `/services/${String(service?.id)}/endpoints`
  const [endpoint] = await rest.get(path)
  await rest.put(`${path}/${String(endpoint?.id)}`, { name: 'new', cors: { maxAge: 9 } })
  expect((await world.drift('--write', '-e', 'prod')).exitCode).toBe(0)
  expect(readFileSync(join(world.dir, 'gatewright.yaml'), 'utf8')).toContain('target: Service/S/Endpoint/new')
  expect((await world.plan('-e', 'prod')).changes).toEqual([])
})
