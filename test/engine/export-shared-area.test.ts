import { describe, expect, test } from 'vitest'
import { createPlatform } from '../../src/platform/server.js'
import { restOf } from '../kit/rest.js'
import { environment, type Make, testClock, type World, world } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'

/**
 * An export, and unmanaged objects, for one of several environments that share an area: objects of another one are not new in
 * this one.
 */

const header = 'apiVersion: gatewright/v1\nkind: '

const orders = `${header}Service
metadata: {name: "\${value:stage} Orders"}
spec: {description: x}
---
${header}Service
metadata: {name: Shared}
spec: {description: y}
---
${header}Endpoint
metadata: {name: "\${value:stage} e", service: Shared}
spec: {requestPathAlias: "/\${value:stage}", trafficManagerDomain: api.example.com}
`

function project(make: Make, platforms: { readonly dev: string; readonly prd: string }): World {
  const on = world(make, testClock())
  on.write(
    'gatewright.yaml',
    `${header}Project
metadata: {name: shop}
spec:
  manifests: [manifests]
  values: {stage: {type: string}}
  environments:
    dev: {values: {stage: dev}${platforms.dev}}
    prd: {values: {stage: prd}${platforms.prd}}
`,
  )
  on.write('manifests/orders.yaml', orders)
  return on
}

const fromVariables = { dev: '', prd: '' }
const area = (name: string): string => `, platform: {area: ${name}}`

async function applied(on: World, ...environments: readonly string[]): Promise<void> {
  for (const name of environments) {
    const run = await on.run(['apply', '--yes', '-e', name])
    expect([run.exitCode, run.stderr]).toEqual([0, expect.not.stringContaining('error')])
  }
}

async function exported(on: World, ...more: readonly string[]) {
  const run = await on.run(['export', '-e', 'dev', '--dir', 'manifests', '-o', 'json', ...more])
  const { files, diagnostics } = run.json() as unknown as {
    readonly files: readonly { readonly path: string; readonly action: string }[]
    readonly diagnostics: readonly { readonly code: string; readonly message: string }[]
  }
  const told = diagnostics.filter(({ code }) => code === 'of-other-environment').map(({ message }) => message)
  // For its own objects it writes fields that the platform has set, which do not matter here.
  const created = files.filter(({ action }) => action === 'created').map(({ path }) => path)
  const { stdout } = await on.run(['render', '-e', 'dev'])
  return { exitCode: run.exitCode, created, ofPrd: stdout.match(/name: prd .*/g) ?? [], told }
}

const isClean = async (on: World, name: string) => (await on.run(['plan', '-e', name, '--exit-code'])).exitCode === 0

describe.each([
  ['embedded', () => createPlatform({ autoApprove: true })],
  ['recorded', () => createPlatform({ autoApprove: true, dialect: 'recorded' })],
  ['another make', () => createOtherMake()],
] as const)('on the make "%s"', (_, make) => {
  test.each([[[]], [['--into', 'manifest']]])(
    'objects that the other one has applied stay its own %j',
    async (more) => {
      const on = project(make(), fromVariables)
      await applied(on, 'dev', 'prd')
      expect(await exported(on, ...more)).toEqual({
        exitCode: 0,
        created: [],
        ofPrd: [],
        told: [
          'left out, as environment prd desires it in this area: Service/Shared/Endpoint/prd e, Service/prd Orders',
        ],
      })
      expect([await isClean(on, 'dev'), await isClean(on, 'prd')]).toEqual([true, true])
    },
  )

  test('objects without a manifest are those that no environment has', async () => {
    const on = project(make(), fromVariables)
    await applied(on, 'dev', 'prd')
    await (await restOf(on.make)).post('/services', { name: 'By hand' })
    const run = await on.run(['get', '--unmanaged', '-e', 'dev', '-o', 'json'])
    const { objects } = run.json() as unknown as { readonly objects: readonly { readonly address: string }[] }
    expect(objects.map(({ address }) => address)).toEqual(['Service/By hand'])
    expect(run.stderr).toContain(
      'left out, as environment prd desires it in this area: Service/Shared/Endpoint/prd e, Service/prd Orders',
    )
    const plan = JSON.parse((await on.run(['plan', '-e', 'dev', '-o', 'json'])).stdout)
    expect([plan.summary.unmanaged, plan.unmanaged.map(({ address }: Unmanaged) => address)]).toEqual([
      1,
      ['Service/By hand'],
    ])
  })
})

interface Unmanaged {
  readonly address: string
}

test('objects of the other one in a list that both write have not drifted, and are not unmanaged', async () => {
  const on = project(createPlatform({ autoApprove: true }), fromVariables)
  on.write(
    'manifests/orders.yaml',
    `${header}Service
metadata: {name: Shared}
spec: {endpoints: [{name: "\${value:stage} e", requestPathAlias: "/\${value:stage}", trafficManagerDomain: api.example.com}]}
`,
  )
  await applied(on, 'dev', 'prd')
  const unmanaged = async (command: string) =>
    JSON.parse((await on.run([command, '-e', 'dev', '-o', 'json'])).stdout).unmanaged
  expect([await unmanaged('plan'), await unmanaged('drift')]).toEqual([[], []])
  const [service] = await (await restOf(on.make)).get('/services')
  const more = { name: 'more', requestPathAlias: '/more', trafficManagerDomain: 'api.example.com' }
  await (await restOf(on.make)).post(`/services/${String(service?.id)}/endpoints`, more)
  const extra = [expect.objectContaining({ address: 'Service/Shared/Endpoint/more', inList: true })]
  expect([await unmanaged('plan'), await unmanaged('drift')]).toEqual([extra, extra])
})

test('objects that nobody declares are written, and unselected ones are not mentioned', async () => {
  const on = project(createPlatform({ autoApprove: true }), fromVariables)
  await applied(on, 'dev', 'prd')
  await (await restOf(on.make)).post('/services', { name: 'By hand' })
  expect(await exported(on, '--select', 'Service/By hand')).toEqual({
    exitCode: 0,
    created: ['manifests/services/by-hand.yaml'],
    ofPrd: [],
    told: [],
  })
})

test('an area that the project file names is known before anything is applied there', async () => {
  const here = area(environment.GATEWRIGHT_AREA)
  const on = project(createPlatform({ autoApprove: true }), { dev: here, prd: here })
  await (await restOf(on.make)).post('/services', { name: 'prd Orders' })
  await applied(on, 'dev')
  expect(await exported(on)).toEqual({
    exitCode: 0,
    created: [],
    ofPrd: [],
    told: ['left out, as environment prd desires it in this area: Service/prd Orders'],
  })
  expect((await on.run(['snapshot', '-e', 'dev', '--out', 'area.json'])).exitCode).toBe(0)
  expect((await exported(on, '--snapshot', 'area.json')).created).toEqual([])
})

test.each([
  ['another area', { dev: area(environment.GATEWRIGHT_AREA), prd: area('elsewhere') }],
  // Variables are for the selected environment: those of the others may have other values elsewhere.
  ['no area', fromVariables],
])('objects that an environment desires in %s are not its own', async (_, platforms) => {
  const on = project(createPlatform({ autoApprove: true }), platforms)
  await (await restOf(on.make)).post('/services', { name: 'prd Orders' })
  await applied(on, 'dev')
  expect(await exported(on)).toMatchObject({ created: ['manifests/services/prd-orders.yaml'], told: [] })
})

test('secrets of omitted objects are not mentioned', async () => {
  const on = project(createPlatform({ autoApprove: true }), fromVariables)
  on.write(
    'manifests/members.yaml',
    `${header}Member
metadata: {name: "\${value:stage}-joe"}
spec: {email: "\${value:stage}@example.com", displayName: Joe, externalId: "\${value:stage}", passwdNew: "\${env:JOE}"}
`,
  )
  const options = { env: { ...environment, JOE: 'a pass word' } }
  for (const name of ['dev', 'prd']) {
    expect((await on.run(['apply', '--yes', '-e', name], options)).exitCode).toBe(0)
  }
  const run = await on.run(['export', '-e', 'dev', '--dir', 'manifests'], options)
  expect(run.stderr).toContain('Member/prd-joe')
  expect(run.stderr).not.toContain('secrets-left-out')
})
