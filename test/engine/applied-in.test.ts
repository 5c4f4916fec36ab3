import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { PlanDocument } from '../../src/documents/plan.js'
import { git } from '../kit/git.js'
import { restOf } from '../kit/rest.js'
import { embedded, environment, type Run, type World } from '../kit/world.js'

const header = 'apiVersion: gatewright/v1\nkind: '

const project = (more = '') => `${header}Project
metadata: {name: shop}
spec:
  manifests: [manifests]
  values: {stage: {type: string}, timeout: 30}
  environments:
    staging: {values: {stage: STG}}
    prod: {values: {stage: PRD${more}}}
`

const service = (description: string) => `${header}Service
metadata: {name: "\${value:stage} Orders"}
spec: {description: "${description} \${value:timeout}"}
`

function commit(world: World, words: string): string {
  git(world.dir, 'add', '-A')
  git(world.dir, 'commit', '--quiet', '-m', words)
  return git(world.dir, 'rev-parse', 'HEAD').trim()
}

/** A project in git: the first commit is applied in staging, and the second one is checked out. */
async function shop(io: Parameters<typeof embedded>[1] = {}) {
  const env = { ...environment, GATEWRIGHT_FINGERPRINT_KEY: 'k'.repeat(32) }
  const world = embedded({}, { env, ...io })
  git(world.dir, 'init', '--quiet', '--initial-branch=main')
  world.write('.gitignore', '.gatewright/\n*.json\n')
  world.write('gatewright.yaml', project())
  world.write('manifests/a.yaml', service('one'))
  const first = commit(world, 'one')
  expect((await world.apply('-e', 'staging')).exitCode).toBe(0)
  world.write('gatewright.yaml', project(', timeout: 60'))
  world.write('manifests/a.yaml', service('two'))
  world.write('manifests/b.yaml', `${header}Role\nmetadata: {name: "\${value:stage} New"}\n`)
  const second = commit(world, 'two')
  return { world, first, second }
}

const planOf = (run: Run): PlanDocument => JSON.parse(run.stdout) as PlanDocument
const plan = (world: World, ...args: readonly string[]) =>
  world.run(['plan', '-e', 'prod', '--applied-in', 'staging', ...args])

describe('plan --applied-in', () => {
  it('accepts a commit whose environments had no possible order, if that is corrected', async () => {
    const { world } = await shop()
    const circle = '    dr: {values: {stage: DR}, guard: {after: prod}}\n'
    world.write('gatewright.yaml', `${project().replace('PRD}}', 'PRD}, guard: {after: dr}}')}${circle}`)
    commit(world, 'in a circle')
    expect((await world.apply('-e', 'staging')).exitCode).toBe(0)
    world.write('gatewright.yaml', project())
    const document = planOf(await plan(world, '-o', 'json'))
    expect(document.changes.map(({ address }) => address)).toEqual(['Role/PRD New', 'Service/PRD Orders'])
  })

  it('plans the manifests and layers of the commit that the other environment has, whatever is checked out', async () => {
    const { world, first } = await shop()
    const document = planOf(await plan(world, '-o', 'json'))
    expect(document.appliedIn).toEqual({ environment: 'staging', run: expect.stringMatching(/^\d{8}T/), commit: first })
    expect(document.changes.map(({ address }) => address)).toEqual(['Service/PRD Orders'])
    expect(document.changes[0]?.fields.find(({ path }) => path === '/description')?.after).toBe('one 30')
    expect(document.target.environment).toBe('prod')
    const text = await plan(world)
    expect(text.stdout).toContain(`\nManifests: commit ${first.slice(0, 10)}, applied in staging (run `)
    expect((await plan(world, '-o', 'markdown')).stdout).toContain('applied in staging')
    // A dirty tree is not read, so it does not matter.
    world.write('manifests/a.yaml', 'nonsense: [')
    expect(planOf(await plan(world, '-o', 'json')).changes).toEqual(document.changes)
  })

  it('ignores the working tree for other environments: objects that the commit does not have are unmanaged', async () => {
    const { world } = await shop()
    const unmanaged = async (...args: readonly string[]) =>
      planOf(await world.run(['plan', '-e', 'prod', '-o', 'json', ...args])).unmanaged.map(({ address }) => address)
    expect(await unmanaged()).toEqual([])
    expect(await unmanaged('--applied-in', 'staging')).toEqual(['Service/STG Orders'])
  })

  it('can be applied, and is recorded with that commit, so that the next environment can follow', async () => {
    const { world, first } = await shop()
    expect((await world.apply('-e', 'prod', '--applied-in', 'staging')).exitCode).toBe(0)
    const rest = await restOf(world.make)
    const [live] = await rest.get('/services?filter=name:PRD&fields=name,description')
    expect(live?.description).toBe('one 30')
    const { runs } = JSON.parse((await world.run(['history', '-e', 'prod', '-o', 'json'])).stdout)
    expect([runs[0].commit, runs[0].dirty]).toEqual([first, undefined])
    expect(planOf(await plan(world, '-o', 'json')).changes).toEqual([])
    const back = planOf(await world.run(['plan', '-e', 'staging', '--applied-in', 'prod', '-o', 'json']))
    expect([back.appliedIn?.commit, back.changes]).toEqual([first, []])
  })

  it('refuses a run of some of the files, because it does not show that the others are applied', async () => {
    const { world, second } = await shop()
    expect((await world.apply('-e', 'staging', '-f', 'manifests/b.yaml')).exitCode).toBe(0)
    const refused = await plan(world)
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('[applied-in-not-clean]')])
    // For the same files, it is enough.
    expect((await plan(world, '-f', 'manifests/b.yaml')).stdout).toContain(`commit ${second.slice(0, 10)}`)
    expect((await world.apply('-e', 'staging')).exitCode).toBe(0)
    expect((await plan(world)).exitCode).toBe(0)
  })

  it('is kept in a saved plan: apply reads the same commit, even after the other environment has changed', async () => {
    const { world, first } = await shop()
    expect((await plan(world, '--out', 'plan.json')).exitCode).toBe(0)
    expect((await world.apply('-e', 'staging')).exitCode).toBe(0)
    expect(planOf(await plan(world, '-o', 'json')).changes).toHaveLength(2)
    const other = await world.run(['apply', '-e', 'prod', '--yes', 'plan.json', '--applied-in', 'prod'])
    expect([other.exitCode, other.stderr]).toEqual([1, expect.stringContaining('--applied-in says something else')])
    const run = await world.run(['apply', '-e', 'prod', 'plan.json'])
    expect([run.exitCode, run.stderr]).toEqual([0, run.stderr])
    const [newest] = JSON.parse((await world.run(['history', '-e', 'prod', '-o', 'json'])).stdout).runs
    expect(newest.commit).toBe(first)
  })

  it('makes a saved plan of a part of the files (-f) stale, and apply reads them all', async () => {
    const { world } = await shop()
    const b = ['-f', 'manifests/b.yaml']
    expect((await world.apply('-e', 'staging', ...b)).exitCode).toBe(0)
    expect((await plan(world, ...b, '--out', 'plan.json')).exitCode).toBe(0)
    const apply = (...args: readonly string[]) => world.run(['apply', '-e', 'prod', 'plan.json', ...args])
    const whole = await apply()
    expect([whole.exitCode, whole.stderr]).toEqual([4, expect.stringContaining('[stale-plan]')])
    const again = await apply('--replan')
    expect([again.exitCode, again.stderr]).toEqual([1, expect.stringContaining('[applied-in-not-clean]')])
    expect((await apply(...b)).exitCode).toBe(0)
  })

  it('accepts values of the command line, and a part of the files of that commit', async () => {
    const { world } = await shop()
    const [change] = planOf(await plan(world, '-o', 'json', '--value', 'timeout=9', '-f', 'manifests/a.yaml')).changes
    expect(change?.fields.find(({ path }) => path === '/description')?.after).toBe('one 9')
    expect((await plan(world, '-f', 'manifests/b.yaml')).stderr).toContain('manifests/b.yaml')
  })

  it('obeys the guard of the environment: the branch is that of the commit', async () => {
    const { world } = await shop()
    world.write(
      'gatewright.yaml',
      project().replace('stage: PRD}', 'stage: PRD}, guard: {after: staging, branch: main}'),
    )
    git(world.dir, 'checkout', '--quiet', '-b', 'elsewhere')
    expect((await plan(world, '--exit-code')).exitCode).toBe(2)
    git(
      world.dir,
      'branch',
      '--quiet',
      '--force',
      'main',
      git(world.dir, 'commit-tree', '-m', 'x', 'HEAD^{tree}').trim(),
    )
    const refused = await plan(world)
    expect([refused.exitCode, refused.stdout]).toEqual([5, expect.stringContaining('guard-branch')])
  })
})

describe('plan --applied-in refuses', () => {
  const refused = async (world: World, code: string, words: string, ...args: readonly string[]) => {
    world.requests()
    const run = await plan(world, ...args)
    expect([run.exitCode, run.stdout]).toEqual([1, ''])
    expect(run.stderr).toContain(`[${code}]`)
    expect(run.stderr).toContain(words)
    expect(world.requests()).toEqual([])
  }

  it('an environment without a run, and one that does not exist', async () => {
    const { world } = await shop()
    const other = await world.run(['plan', '-e', 'staging', '--applied-in', 'prod'])
    expect([other.exitCode, other.stderr]).toEqual([
      1,
      expect.stringContaining(
        `no run is recorded at http://platform.example, area ${environment.GATEWRIGHT_AREA} [applied-in-no-run]`,
      ),
    ])
    const unknown = await world.run(['plan', '-e', 'prod', '--applied-in', 'stagin'])
    expect(unknown.stderr).toContain('did you mean "staging"?')
  })

  it('a run that left something undone or out, and a rollback', async () => {
    const { world } = await shop()
    expect((await world.apply('-e', 'staging', '--select', 'Service/*')).exitCode).toBe(0)
    await refused(world, 'applied-in-not-clean', 'left out a part of the changes')
    expect((await world.apply('-e', 'staging')).exitCode).toBe(0)
    expect((await plan(world)).exitCode).toBe(0)
    expect((await world.run(['rollback', 'latest', '-e', 'staging', '--yes'])).exitCode).toBe(0)
    await refused(world, 'applied-in-not-clean', 'is a rollback')
    world.write('manifests/c.yaml', `${header}Role\nmetadata: {name: "\${value:stage} Late"}\n`)
    commit(world, 'three')
    const { make } = world
    const broken = (request: Request) =>
      request.method === 'POST' && request.url.endsWith('/roles')
        ? Promise.resolve(new Response('[{"property":"name","message":"no"}]', { status: 400 }))
        : make.fetch(request)
    const { fetchTransport } = await import('../../src/client/fetch-transport.js')
    const transport = fetchTransport((url, init) => broken(new Request(url, init)))
    const failed = await world.run(['apply', '-e', 'staging', '--yes'], { transport: () => Promise.resolve(transport) })
    expect(failed.exitCode).toBe(3)
    await refused(world, 'applied-in-not-clean', 'did not end with everything done')
  })

  it('a run of uncommitted files, or outside of git', async () => {
    const { world } = await shop()
    world.write('manifests/a.yaml', service('three'))
    expect((await world.apply('-e', 'staging')).exitCode).toBe(0)
    await refused(world, 'applied-in-no-commit', 'of files that were not as in commit')
    const outside = embedded()
    outside.write('gatewright.yaml', project())
    outside.write('manifests/a.yaml', service('one'))
    expect((await outside.apply('-e', 'staging')).exitCode).toBe(0)
    await refused(outside, 'applied-in-no-commit', 'of manifests outside of git')
  })

  it('a commit that this clone lacks, with advice how to get it', async () => {
    const { world, first } = await shop()
    rmSync(join(world.dir, '.git'), { recursive: true })
    git(world.dir, 'init', '--quiet', '--initial-branch=main')
    commit(world, 'anew')
    await refused(world, 'applied-in-commit-missing', `git fetch origin ${first}`)
  })

  it('an environment that the commit does not know', async () => {
    const { world } = await shop()
    world.write('gatewright.yaml', `${project()}    late: {values: {stage: LATE}}\n`)
    const run = await world.run(['plan', '-e', 'late', '--applied-in', 'staging'])
    expect([run.exitCode, run.stderr]).toEqual([1, expect.stringContaining('there is no environment "late"')])
  })
})
