import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { git } from '../kit/git.js'
import { type DocumentText, document, manifestText } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { embedded, type World } from '../kit/world.js'

/** What `--base COMMIT` takes from that commit: the location of its manifests, and facts that the commit does not have. */

const project = (spec: string) => `apiVersion: gatewright/v1\nkind: Project\nmetadata: {name: shop}\nspec: ${spec}\n`
const role = (...names: readonly string[]) => manifestText(names.map((name) => document('Role', name)))

/** A world in which these files were applied, in a commit; it has no records of the apply. */
const applied = (files: Readonly<Record<string, string>>, ...options: readonly string[]): Promise<World> =>
  appliedIn(embedded(), files, ...options)

async function appliedIn(
  world: World,
  files: Readonly<Record<string, string>>,
  ...options: readonly string[]
): Promise<World> {
  for (const [path, text] of Object.entries(files)) world.write(path, text)
  expect((await world.apply(...options)).exitCode).toBe(0)
  rmSync(join(world.dir, '.gatewright'), { recursive: true })
  git(world.dir, 'init', '--quiet', '--template=')
  git(world.dir, 'add', '.')
  git(world.dir, 'commit', '--quiet', '-m', 'applied')
  return world
}

/** The changes of the plan with that commit as its base, and its remarks about the base. */
async function planned(world: World, ...options: readonly string[]) {
  const { changes, diagnostics } = await world.plan('--base', 'HEAD', ...options)
  return { changes: changes.map(({ action, address }) => `${action} ${address}`), diagnostics }
}

const domain = document('Domain', 'a.example.com')

const nothingKnown =
  'it is not known what was last applied here: nothing can be deleted, and changes made on the platform cannot be told from yours'

test('the manifests of a base are where the project file of its commit says', async () => {
  const world = await applied({
    'gatewright.yaml': project('{manifests: [manifests]}'),
    'manifests/all.yaml': role('A', 'B'),
  })
  rmSync(join(world.dir, 'manifests'), { recursive: true })
  world.write('gatewright.yaml', project('{manifests: [conf]}'))
  world.write('conf/all.yaml', role('A'))
  expect(await planned(world)).toEqual({ changes: ['delete Role/B'], diagnostics: [] })
})

test('the same is true for an environment', async () => {
  const of = (manifests: string) => project(`{environments: {dev: {manifests: ${manifests}}}}`)
  const world = await applied(
    {
      'gatewright.yaml': of('[manifests, extra]'),
      'manifests/all.yaml': role('A'),
      'extra/b.yaml': role('B'),
    },
    ...['-e', 'dev'],
  )
  world.write('gatewright.yaml', of('[manifests]'))
  rmSync(join(world.dir, 'extra'), { recursive: true })
  expect(await planned(world, '-e', 'dev')).toEqual({ changes: ['delete Role/B'], diagnostics: [] })
})

test('if the project was elsewhere in that commit, its location is not guessed: the base is unknown, and this is reported', async () => {
  const world = await applied({
    'gatewright.yaml': project('{manifests: [manifests]}'),
    'manifests/all.yaml': role('A', 'B'),
  })
  world.write('manifests/all.yaml', role('A'))
  for (const name of ['gatewright.yaml', 'manifests']) {
    world.write('sub/.keep', '')
    renameSync(join(world.dir, name), join(world.dir, 'sub', name))
  }
  const { changes, diagnostics } = await planned(world, '-C', 'sub')
  expect(changes).toEqual([])
  expect(diagnostics).toMatchObject([
    { code: 'no-base', severity: 'warning', message: `sub/gatewright.yaml is not in HEAD: ${nothingKnown}` },
  ])
  expect((await world.run(['plan', '--base', 'HEAD', '-C', 'sub'])).stdout).toContain('Base: none')
})

test("today's --value is no evidence of the applied value, and no conflict either", async () => {
  const limited = manifestText([document('Service', 'S', { qpsLimitOverall: '${value:limit}', description: 'one' })])
  const world = await applied(
    { 'gatewright.yaml': project('{manifests: [manifests], values: {limit: 1}}'), 'manifests/all.yaml': limited },
    ...['--value', 'limit=5'],
  )
  expect(await planned(world, '--value', 'limit=5')).toEqual({ changes: [], diagnostics: [] })
  const { changes, diagnostics } = await world.plan('--base', 'HEAD', '--value', 'limit=6')
  expect(changes).toMatchObject([
    { action: 'update', fields: [{ path: '/qpsLimitOverall', before: 5, after: 6, verdict: 'unverifiable' }] },
  ])
  expect(diagnostics).toEqual([])
  // A value that the commit does not know yet does not matter.
  world.write('gatewright.yaml', project('{manifests: [manifests], values: {limit: 5, text: one}}'))
  world.write('manifests/all.yaml', limited.replace('one', '${value:text}'))
  const more = await world.plan('--base', 'HEAD', '--value', 'text=two')
  expect(more.changes).toMatchObject([{ fields: [{ path: '/description', verdict: 'pending' }] }])
  expect(more.diagnostics).toEqual([])
})

test('an environment that did not exist then is not used either', async () => {
  const world = await applied({
    'gatewright.yaml': project('{manifests: [manifests], values: {limit: 1}}'),
    'manifests/all.yaml': manifestText([document('Service', 'S', { qpsLimitOverall: '${value:limit}' })]),
  })
  world.write(
    'gatewright.yaml',
    project('{manifests: [manifests], values: {limit: 1}, environments: {dev: {values: {limit: 5}}}}'),
  )
  const { diagnostics } = await planned(world, '-e', 'dev')
  expect(diagnostics).toMatchObject([
    { code: 'no-base', message: `at HEAD: there is no environment "dev": ${nothingKnown}` },
  ])
})

test('a file that cannot be read at that commit is named by drift and apply, and in reports', async () => {
  const world = await applied({
    'gatewright.yaml': project('{manifests: [manifests]}'),
    'manifests/a.yaml': role('A', 'C'),
    'manifests/b.yaml': role('B'),
  })
  world.write('manifests/b.yaml', `${role('B')}\n  unclosed: [\n`)
  git(world.dir, 'commit', '--quiet', '-a', '-m', 'broken')
  world.write('manifests/a.yaml', role('A'))
  rmSync(join(world.dir, 'manifests/b.yaml'))
  const { changes, diagnostics } = await planned(world)
  expect(changes).toEqual(['delete Role/C'])
  expect(diagnostics).toMatchObject([
    { code: 'base-incomplete', severity: 'warning', file: 'HEAD:manifests/b.yaml', line: expect.any(Number) },
  ])
  expect(diagnostics[0]?.message).toMatch(/^at HEAD: .*: what cannot be read there is not deleted/)
  const text = await world.run(['plan', '--base', 'HEAD'])
  expect(text.stderr).toMatch(/HEAD:manifests\/b\.yaml:\d+/)
  expect((await world.run(['plan', '--base', 'HEAD', '-o', 'markdown'])).stdout).toContain('HEAD:manifests/b.yaml')
  for (const command of ['drift', 'apply']) {
    const run = await world.run([command, '--base', 'HEAD', '-o', 'json', ...(command === 'apply' ? ['--yes'] : [])])
    expect(run.json().diagnostics.map(({ code }) => code)).toEqual(['base-incomplete'])
  }
})

test('a secret that only the commit has is not shown, wherever the platform answers it', async () => {
  const secret = 'hush-hush-of-then'
  const withPassword = (password: string, description: string) => {
    const endpoint = {
      ...{ name: 'e', requestPathAlias: '/e', trafficManagerDomain: 'a.example.com', publicDomains: ['a.example.com'] },
      ...{
        systemDomains: ['a.example.com'],
        systemDomainAuthentication: { type: 'httpBasic', username: 'u', password },
      },
    }
    return manifestText([domain, document('Service', 'S', { description, endpoints: [endpoint] })])
  }
  const world = await applied({ 'manifests/all.yaml': withPassword(secret, 'one') })
  world.write('manifests/all.yaml', withPassword('hush-hush-of-now', 'two'))
  const rest = await restOf(world.make)
  const [service] = await rest.get('/services')
  await rest.put(`/services/${String(service?.id)}`, { description: `the password is ${secret}` })
  for (const form of ['text', 'json']) {
    const { stdout, stderr } = await world.run(['plan', '--base', 'HEAD', '-o', form])
    expect(stdout).toContain('(sensitive)')
    expect(stdout + stderr).not.toContain('hush-hush')
  }
})

test('an event to which the commit only adds an endpoint was not applied, and is not deleted with the endpoint', async () => {
  const [startDateTime, endDateTime] = ['2027-01-01T00:00:00.000+0000', '2027-01-01T02:00:00.000+0000']
  const world = embedded({
    seed: { scheduledMaintenanceEvents: [{ id: 'w1', name: 'W', startDateTime, endDateTime }] },
  })
  const endpoint = { name: 'e', requestPathAlias: '/e', trafficManagerDomain: 'a.example.com' }
  const service = document('Service', 'S', { endpoints: [{ ...endpoint, scheduledMaintenanceEvent: 'W' }] })
  const files = { 'manifests/s.yaml': manifestText([service]), 'manifests/a.yaml': manifestText([domain]) }
  await appliedIn(world, files)
  rmSync(join(world.dir, 'manifests/s.yaml'))
  expect((await planned(world)).changes.filter((each) => !each.includes('Service/S'))).toEqual([])
  expect((await planned(world)).changes).toContain('delete Service/S')
})

test('an object that was protected in the commit is not deleted after its manifest is removed', async () => {
  const guarded = (labels?: Readonly<Record<string, string>>): DocumentText => ({
    ...{ kind: 'Role', metadata: { name: 'R', protect: true, ...(labels && { labels }) }, spec: {} },
  })
  for (const labels of [undefined, { team: 'payments' }]) {
    const world = await applied({ 'manifests/r.yaml': manifestText([guarded(labels)]), 'manifests/s.yaml': role('S') })
    rmSync(join(world.dir, 'manifests/r.yaml'))
    const run = await world.run(['apply', '--yes', '--base', 'HEAD'])
    expect([run.exitCode, run.stdout]).toEqual([5, expect.stringContaining('Role/R is protected')])
    expect((await (await restOf(world.make)).get('/roles')).map(({ name }) => name)).toContain('R')
  }
})
