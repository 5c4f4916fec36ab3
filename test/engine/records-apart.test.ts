import { describe, expect, test } from 'vitest'
import { createPlatform } from '../../src/platform/server.js'
import { git } from '../kit/git.js'
import { opened } from '../kit/opened.js'
import { restOf } from '../kit/rest.js'
import { environment, type Make, testClock, type World, world } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'

/** Two environments that share an area and have records of their own: neither sees what the other one has applied. */

const header = 'apiVersion: gatewright/v1\nkind: '

const service = (name: string, metadata = '') =>
  `${header}Service\nmetadata: {name: ${name}${metadata}}\nspec: {description: x}\n`

const onlyIn = (name: string) => `, environments: [${name}]`

const projectText = (areas: { readonly dev: string; readonly prd: string }, more = '') => `${header}Project
metadata: {name: shop}
spec:
  manifests: [manifests]
  environments:
    dev: {platform: {area: ${areas.dev}}, records: "file:.dev"${more}}
    prd: {platform: {area: ${areas.prd}}, records: "file:.prd"}
`

const shared = { dev: environment.GATEWRIGHT_AREA, prd: environment.GATEWRIGHT_AREA }

function project(make: Make, text = projectText(shared)): World {
  const { GATEWRIGHT_AREA: _, ...env } = environment
  const on = world(make, { ...testClock(), env })
  on.write('gatewright.yaml', text)
  return on
}

const declare = (on: World, ...documents: readonly string[]) => on.write('manifests/all.yaml', documents.join('---\n'))

async function applied(on: World, name: string, ...more: readonly string[]): Promise<void> {
  const run = await on.run(['apply', '--yes', '-e', name, ...more])
  expect([run.exitCode, run.stderr]).toEqual([0, expect.not.stringContaining('error')])
}

async function planned(on: World, name: string, ...more: readonly string[]) {
  const { exitCode, json } = await on.run(['plan', '-o', 'json', '-e', name, ...more])
  const { changes, diagnostics } = json()
  return {
    exitCode,
    deletes: changes.flatMap(({ action, kind, address }) =>
      action === 'delete' && kind !== 'ErrorSet' ? [address] : [],
    ),
    told: diagnostics.flatMap(({ code, message }) =>
      code === 'applied-elsewhere' || code === 'environment-unread' ? [message] : [],
    ),
  }
}

const stays = (address: string) => `${address} stays: environment dev declares it in this area, or something in it`

describe.each([
  ['embedded', () => createPlatform({ autoApprove: true })],
  ['another make', () => createOtherMake()],
] as const)('on the make "%s"', (_, make) => {
  test('an object that the other environment still declares stays, and the plan names that environment', async () => {
    const on = project(make())
    declare(on, service('X'), service('Y'), service('Z'))
    await applied(on, 'prd')
    await applied(on, 'dev')
    declare(on, service('X', onlyIn('dev')), service('Y'))
    expect(await planned(on, 'prd')).toEqual({ exitCode: 0, deletes: ['Service/Z'], told: [stays('Service/X')] })
    await applied(on, 'prd')
    expect(await planned(on, 'prd')).toEqual({ exitCode: 0, deletes: [], told: [] })
    expect(await planned(on, 'dev')).toEqual({ exitCode: 0, deletes: [], told: [] })
  })

  test('"prune: all" deletes nothing that the other environment declares, whoever applied it', async () => {
    const on = project(make())
    declare(on, service('Ours'), service('Theirs', onlyIn('dev')), service("'Nobody''s'"))
    await applied(on, 'dev')
    await applied(on, 'prd')
    declare(on, service('Ours'), service('Theirs', onlyIn('dev')))
    expect((await planned(on, 'prd', '--prune', 'all')).deletes).toEqual(["Service/Nobody's"])
    await applied(on, 'prd', '--prune', 'all')
    expect((await planned(on, 'dev')).deletes).toEqual([])
  })
})

test('an object of another area may have the same name', async () => {
  const on = project(createPlatform(), projectText({ dev: 'elsewhere', prd: shared.prd }))
  declare(on, service('X'), service('Y'))
  await applied(on, 'prd')
  declare(on, service('X', onlyIn('dev')), service('Y'))
  expect(await planned(on, 'prd')).toEqual({ exitCode: 0, deletes: ['Service/X'], told: [] })
})

const member = (keys: string) => `${header}Member
metadata: {name: acme${onlyIn('dev')}}
spec:
  email: a@acme.example
  displayName: Acme
  externalId: x
  passwdNew: "\${env:DEV_PASSWORD}"
  applications: [{name: Shop, packageKeys: [${keys}]}]
`

const key = (name: string) => `{package: Access, plan: Gold, apikey: "\${env:${name}}", secret: "\${env:DEV_SECRET}"}`

const access = `${header}Package\nmetadata: {name: Access}\nspec: {plans: [{name: Gold}]}\n`

test('secrets that only the other environment has are needed neither to plan nor to keep its keys', async () => {
  const on = project(createPlatform())
  declare(on, service('Y'), access, member([key('DEV_A'), key('DEV_B')].join(', ')))
  const secrets = { DEV_PASSWORD: 'dev-password', DEV_SECRET: 'dev-secret', DEV_A: 'aaaaaaaa11', DEV_B: 'bbbbbbbb22' }
  const { GATEWRIGHT_AREA: _, ...env } = environment
  const io = { env: { ...env, ...secrets } }
  expect((await on.run(['apply', '--yes', '-e', 'dev'], io)).exitCode).toBe(0)
  await applied(on, 'prd')
  expect(await planned(on, 'prd', '--prune', 'all', '--allow', 'KEY_LOSS')).toEqual({
    exitCode: 0,
    deletes: [],
    told: [],
  })
})

test('a rollback keeps what the other environment declares', async () => {
  const on = project(createPlatform())
  declare(on, service('Y'))
  await applied(on, 'prd')
  declare(on, service('X'), service('Y'))
  await applied(on, 'prd')
  const { stdout, stderr } = await on.run(['rollback', 'latest', '--yes', '-e', 'prd'])
  expect(stdout + stderr).toContain(stays('Service/X'))
  expect((await planned(on, 'dev')).exitCode).toBe(0)
})

test('if the manifests of the other environment cannot be read, a plan with deletes says so, and is no error', async () => {
  const text = projectText(shared, ', values: {stage: 5}').replace(
    '  manifests:',
    '  values: {stage: {type: string}}\n  manifests:',
  )
  const on = project(createPlatform(), text)
  declare(on, service('X'), service('Y'))
  const set = ['--value', 'stage=x']
  await applied(on, 'prd', ...set)
  declare(on, service('Y'))
  const { exitCode, deletes, told } = await planned(on, 'prd', ...set)
  expect([exitCode, deletes, told]).toEqual([0, ['Service/X'], [expect.stringContaining('environment dev')]])
})

test('with --applied-in, the other environments declare what they have in that commit', async () => {
  const on = project(createPlatform())
  git(on.dir, 'init', '--quiet', '--initial-branch=main')
  const commit = () => {
    git(on.dir, 'add', '-A')
    git(on.dir, 'commit', '--quiet', '-m', 'next')
  }
  on.write('.gitignore', '.dev\n.prd\n')
  declare(on, service('X'), service('Y'), service('Z'))
  await applied(on, 'prd')
  declare(on, service('X', onlyIn('dev')), service('Y'), service('Z', onlyIn('dev')))
  commit()
  await applied(on, 'dev')
  declare(on, service('X', onlyIn('dev')), service('Y'))
  commit()
  expect((await planned(on, 'prd', '--applied-in', 'dev')).deletes).toEqual([])
})

const apart = projectText(shared, ', manifests: [dev]').replace('spec:', 'spec:\n  secrets: {public: [STAGE]}')

test.each([
  ['variable', '${env:STAGE}'],
  ['file outside of the repository', '${file:/run/secrets/dev/text}'],
  ['file', '${file:text.txt}'],
])('a %s that only the other environment has is not needed to know its objects', async (_, value) => {
  const on = project(createPlatform(), apart)
  declare(on, service('X'), service('Y'), service('Z'))
  await applied(on, 'prd')
  declare(on, service('Y'))
  on.write('dev/all.yaml', service('X').replace('description: x', `description: "${value}"`))
  expect(await planned(on, 'prd')).toEqual({ exitCode: 0, deletes: ['Service/Z'], told: [stays('Service/X')] })
})

test('if a name in the other environment needs a variable that is not set here, a plan with deletes says so', async () => {
  const on = project(createPlatform(), apart)
  declare(on, service('X dev'), service('Y'))
  await applied(on, 'prd')
  declare(on, service('Y'))
  on.write('dev/all.yaml', service('"X ${env:STAGE}"'))
  const { deletes, told } = await planned(on, 'prd')
  expect([deletes, told]).toEqual([['Service/X dev'], [expect.stringContaining('STAGE is not set')]])
})

test('a plan with deletes and unmanaged objects composes the other environments once', async () => {
  const make = createPlatform()
  const on = project(make)
  declare(on, service('Theirs', onlyIn('prd')), service('Gone'), service('Kept'))
  await applied(on, 'prd')
  await applied(on, 'dev')
  await (await restOf(make)).post('/services', { name: 'By hand' })
  declare(on, service('Theirs', onlyIn('prd')), service('Kept', onlyIn('dev')))
  const [times, result] = await opened('all.yaml', () => on.run(['plan', '-o', 'json', '-e', 'dev']))
  const { changes, unmanaged } = result.json()
  expect(changes.filter(({ kind }) => kind === 'Service')).toMatchObject([
    { action: 'delete', address: 'Service/Gone' },
  ])
  expect(unmanaged.map(({ address }) => address)).toEqual(['Service/By hand'])
  // Once for this environment, and once for the other ones.
  expect(times).toBe(2)
})
