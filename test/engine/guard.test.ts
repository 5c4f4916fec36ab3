import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, test, vi } from 'vitest'
import { git } from '../kit/git.js'
import { document, manifestText, projectText } from '../kit/manifests.js'
import { embedded, environment, type World } from '../kit/world.js'

/** Guard rails: what an environment requires from everybody who changes its area. */

const project = (guard: string, more = '') =>
  projectText(
    `  values: {stage: {type: string}}
  environments:
    dev: {values: {stage: DEV}}
    prod:
      values: {stage: PRD}
      guard: ${guard}
${more}`,
    'shop',
  )

const service = (description = 'one') => document('Service', '${value:stage} API', { description })

/** A role that dev and qa do not have. */
const onlyProd = { ...document('Role', 'Testers'), metadata: { name: 'Testers', environments: ['prod'] } }

function shop(guard: string, more = '', env: Readonly<Record<string, string>> = {}): World {
  const world = embedded({}, { env: { ...environment, ...env } })
  world.write('gatewright.yaml', project(guard, more))
  world.declare(service())
  return world
}

/** Creates a repository in the folder, on the branch main. */
function commit(world: World, message = 'all'): void {
  git(world.dir, 'init', '--quiet', '--initial-branch=main')
  writeFileSync(join(world.dir, '.gitignore'), '.gatewright\nplan.json\n')
  git(world.dir, 'add', '.')
  git(world.dir, 'commit', '--quiet', '--allow-empty', '-m', message)
}

interface Refused {
  readonly code: string
  readonly message: string
  readonly hint?: string
  readonly file?: string
  readonly line?: number
  readonly column?: number
}

/** The problems in a plan of prod for which apply would refuse it. */
async function refusedIn(world: World, ...args: readonly string[]): Promise<readonly Refused[]> {
  const { exitCode, stdout } = await world.run(['plan', '-e', 'prod', '-o', 'json', ...args])
  const { refused } = JSON.parse(stdout) as { readonly refused: readonly Refused[] }
  expect(exitCode).toBe(refused.length > 0 ? 5 : 0)
  return refused
}

const shortly = (refused: readonly Refused[]) =>
  refused.map(({ code, file, line, column }) => `${code} ${file}:${line}:${column}`)

/** The message of an apply that is refused before it writes anything. */
async function refusal(world: World, ...args: readonly string[]): Promise<string> {
  world.requests()
  const run = await world.run(args)
  expect([run.exitCode, run.stderr + run.stdout]).toEqual([5, expect.anything()])
  expect(world.requests().filter(({ method }) => method !== 'GET')).toEqual([])
  return run.stderr + run.stdout
}

const applied = async (world: World, ...args: readonly string[]) => {
  const run = await world.run(['apply', '--yes', ...args])
  expect([run.exitCode, run.stderr]).toEqual([0, expect.anything()])
}

describe('planned', () => {
  test('a fresh plan is refused, a saved one is applied', async () => {
    const world = shop('{planned: true}')
    expect(await refusedIn(world)).toEqual([])
    const words = await refusal(world, 'apply', '-e', 'prod', '--yes')
    expect(words).toContain('gatewright.yaml:11:15')
    expect(words).toContain('in environment prod only saved plans are applied')
    expect(words).toContain('gatewright plan -e prod --out FILE')
    expect((await world.run(['plan', '-e', 'prod', '--out', 'plan.json'])).exitCode).toBe(0)
    expect((await world.run(['apply', 'plan.json', '-e', 'prod'])).exitCode).toBe(0)
    expect(await refusal(world, 'rollback', 'latest', '-e', 'prod', '--yes')).toContain('a rollback is not one')
    await applied(world, '-e', 'dev')
  })

  test('in JSON, the output is the refusal', async () => {
    const run = await shop('{planned: true}').run(['apply', '-e', 'prod', '--yes', '-o', 'json'])
    expect([run.exitCode, run.json().diagnostics.map(({ code }) => code)]).toEqual([5, ['guard-planned']])
  })
})

describe('after', () => {
  test('is satisfied if the same manifests, without the layers, have been applied there', async () => {
    const world = shop('{after: dev}')
    const [before] = await refusedIn(world)
    expect(before).toMatchObject({
      ...{ code: 'guard-after', file: 'gatewright.yaml', line: 11, column: 15 },
      ...{ message: 'environment prod comes after dev: no run is recorded there' },
      hint: 'first run gatewright apply -e dev with these manifests',
    })
    await refusal(world, 'apply', '-e', 'prod', '--yes')
    await applied(world, '-e', 'dev')
    expect(await refusedIn(world)).toEqual([])
    await applied(world, '-e', 'prod')

    world.declare(service('two'))
    expect((await refusedIn(world))[0]?.message).toMatch(/its last run, \S+, was of other manifests/)
    await applied(world, '-e', 'dev', '--select', 'Service/*')
    expect(await refusedIn(world)).toEqual([])
  })

  test('is not satisfied by a run that failed', async () => {
    const world = embedded({ faults: ['status-400:POST /roles'] })
    world.write('gatewright.yaml', project('{after: dev}'))
    world.declare(service(), document('Role', 'Testers'))
    expect((await world.run(['apply', '-e', 'dev', '--yes'])).exitCode).toBe(3)
    expect((await refusedIn(world))[0]?.message).toMatch(/its last run, \S+, did not end clean/)
  })

  test('is not satisfied by an apply of a part of them, or by a rollback', async () => {
    const world = shop('{after: dev}')
    world.declare(service(), document('Role', 'Testers'))
    await applied(world, '-e', 'dev', '--select', 'Service/*')
    expect((await refusedIn(world))[0]?.message).toContain('was of a part of them')
    await applied(world, '-e', 'dev')
    expect(await refusedIn(world)).toEqual([])
    expect((await world.run(['rollback', 'latest', '-e', 'dev', '--yes'])).exitCode).toBe(0)
    expect((await refusedIn(world))[0]?.message).toContain('is a rollback')
  })

  test('records a run without changes there, so that this environment may continue', async () => {
    const world = shop('{after: dev}')
    await applied(world, '-e', 'dev')
    world.declare(service(), onlyProd)
    expect((await refusedIn(world))[0]?.message).toContain('was of other manifests')
    const run = await world.run(['apply', '-e', 'dev', '--yes'])
    expect([run.exitCode, run.stdout]).toEqual([0, expect.stringContaining('nothing to do')])
    expect(await refusedIn(world)).toEqual([])
  })

  test('is not satisfied by an environment that is itself behind', async () => {
    const world = shop('{after: qa}', '    qa: {values: {stage: QA}, guard: {after: dev}}\n')
    world.declare(onlyProd)
    expect((await world.run(['apply', '-e', 'qa', '--yes'])).exitCode).toBe(0)
    expect((await refusedIn(world))[0]?.message).toContain('no run is recorded there')
    await applied(world, '-e', 'dev')
    await applied(world, '-e', 'qa')
    expect(await refusedIn(world)).toEqual([])
  })

  test('takes the address of the other one from the file, with credentials that are not set here', async () => {
    const { GATEWRIGHT_URL: url, GATEWRIGHT_AREA: area } = environment
    const platform = (name: string) =>
      `platform: {url: "${url}", area: ${area}, credentials: {apiKey: "\${env:${name}_KEY}", apiSecret: "\${env:${name}_SECRET}", username: local-user, password: local-password}}`
    const world = shop('{}')
    world.write(
      'gatewright.yaml',
      project('{after: dev}')
        .replace('dev: {', `dev: {${platform('DEV')}, `)
        .replace('    prod:', `    prod:\n      ${platform('PROD')}`),
    )
    const env = (name: string) => ({
      env: {
        ...{ GATEWRIGHT_HOSTS: 'platform.example', GATEWRIGHT_FINGERPRINT_KEY: 'the same everywhere' },
        ...{ [`${name}_KEY`]: 'local-key', [`${name}_SECRET`]: 'local-secret' },
      },
    })
    const plan = () => world.run(['plan', '-e', 'prod', '-o', 'json'], env('PROD'))
    expect((await plan()).exitCode).toBe(5)
    const run = await world.run(['apply', '-e', 'dev', '--yes'], env('DEV'))
    expect([run.exitCode, run.stderr]).toEqual([0, expect.anything()])
    expect((await plan()).exitCode).toBe(0)
  })
})

describe('after an environment with settings of its own', () => {
  test('compares the manifests of that environment', async () => {
    const world = shop('{}')
    const own = project('{after: dev}').replace('dev: {', 'dev: {manifests: [manifests, more], ')
    world.write('gatewright.yaml', own)
    const more = (description: string) =>
      world.write('more/role.yaml', manifestText([document('Role', 'Testers', { description })]))
    more('one')
    await applied(world, '-e', 'dev')
    expect(await refusedIn(world)).toEqual([])
    more('two')
    expect((await refusedIn(world))[0]?.message).toContain('was of other manifests')
    await applied(world, '-e', 'dev')
    await applied(world, '-e', 'prod')
  })

  test('reads the records of that environment', async () => {
    const world = shop('{}')
    const own = project('{after: dev}').replace('dev: {', 'dev: {records: "file:.gatewright/dev", ')
    world.write('gatewright.yaml', own)
    expect((await refusedIn(world))[0]?.message).toContain('no run is recorded there')
    await applied(world, '-e', 'dev')
    expect(await refusedIn(world)).toEqual([])
    await applied(world, '-e', 'prod')
  })

  test('is refused if nothing says which area that environment has', async () => {
    const { GATEWRIGHT_URL: url, GATEWRIGHT_AREA: area, ...credentials } = environment
    const world = shop('{}')
    const own = project('{after: dev}').replace('prod:\n', `prod:\n      platform: {url: "${url}", area: ${area}}\n`)
    world.write('gatewright.yaml', own)
    const env = { ...credentials, GATEWRIGHT_HOSTS: 'platform.example' }
    const run = await world.run(['plan', '-e', 'prod', '-o', 'json'], { env })
    expect([run.exitCode, JSON.parse(run.stdout).refused]).toMatchObject([
      5,
      [{ message: expect.stringContaining('write spec.environments.dev.platform') }],
    ])
  })
})

describe('branch', () => {
  test('is satisfied if that branch, or a commit of it, is checked out', async () => {
    const world = shop('{branch: main}')
    expect((await refusedIn(world))[0]?.message).toBe(
      'environment prod may only be changed from the branch main: there is no git commit here',
    )
    commit(world)
    expect(await refusedIn(world)).toEqual([])
    vi.stubEnv('GIT_TEST_ASSUME_DIFFERENT_OWNER', '1')
    expect((await refusedIn(world))[0]?.message).toContain(
      `from the branch main: git does not read ${world.dir}, because it belongs to another user`,
    )
    vi.unstubAllEnvs()
    git(world.dir, 'checkout', '--quiet', '-b', 'feature')
    expect(await refusedIn(world)).toMatchObject([
      { code: 'guard-branch', message: expect.stringContaining('branch main: this is feature'), line: 11, column: 15 },
    ])
    git(world.dir, 'checkout', '--quiet', '--detach', 'main')
    expect(await refusedIn(world)).toEqual([])
    git(world.dir, 'commit', '--quiet', '--allow-empty', '-m', 'beside')
    expect((await refusedIn(world))[0]?.message).toMatch(/commit [0-9a-f]{10} is not in it/)
    expect(await refusal(world, 'apply', '-e', 'prod', '--yes')).toContain('guard-branch')
    // As in a CI job: only the remote has the branch.
    git(world.dir, 'update-ref', 'refs/remotes/origin/main', 'HEAD')
    expect(await refusedIn(world)).toEqual([])
  })
})

describe('hazards, deletes and prune', () => {
  test('a hazard that is not listed cannot be allowed by anybody', async () => {
    const world = shop('{hazards: [LIMIT_LOWERED]}')
    expect(await refusedIn(world, '--allow', 'LIMIT_LOWERED')).toEqual([])
    expect(await refusedIn(world, '--allow', 'KEY_LOSS')).toMatchObject([
      {
        ...{ code: 'guard-hazard', line: 11, column: 15, hint: 'leave out --allow KEY_LOSS' },
        message: 'KEY_LOSS cannot be allowed in environment prod, whose guard allows LIMIT_LOWERED',
      },
    ])
    await refusal(world, 'apply', '-e', 'prod', '--yes', '--allow', 'KEY_LOSS')
  })

  test('the hint for a possible rename does not name an option that is not allowed', async () => {
    const named = (name: string) => document('Service', name, { description: 'd', version: '1', qpsLimitOverall: 5 })
    const hints = async (guard: string) => {
      const world = shop(guard)
      world.declare(named('Orders'))
      await applied(world, '-e', 'prod')
      world.declare(named('Sales'))
      const refused = await refusedIn(world)
      return refused.flatMap(({ code, hint }) => (code === 'suspected-rename' ? [hint] : []))
    }
    const rename = 'if it is a rename, write metadata.formerly: ["Orders"]; if not, '
    expect(await hints('{hazards: [ID_CHANGE]}')).toEqual([`${rename}allow it with --allow ID_CHANGE`])
    expect(await hints('{hazards: []}')).toEqual([
      `${rename}guard.hazards of environment prod must list ID_CHANGE before --allow ID_CHANGE can allow it`,
    ])
  })

  test('deletes are counted', async () => {
    const world = shop('{deletes: 1}')
    world.declare(service(), document('Role', 'A'), document('Role', 'B'))
    await applied(world, '-e', 'prod')
    world.declare(service())
    expect(await refusedIn(world)).toMatchObject([
      {
        ...{ code: 'guard-deletes', line: 11, column: 15 },
        message: 'the plan deletes or replaces 2 objects, and the guard of environment prod allows 1',
      },
    ])
    await refusal(world, 'apply', '-e', 'prod', '--yes')
    world.declare(service(), document('Role', 'A'))
    expect(await refusedIn(world)).toEqual([])
  })

  test('a rollback may not delete more either', async () => {
    const world = shop('{deletes: 0}')
    await applied(world, '-e', 'prod')
    expect(await refusal(world, 'rollback', 'latest', '-e', 'prod', '--yes')).toContain('guard-deletes')
  })

  test('prune is limited, and its default is the limit', async () => {
    const world = shop('{prune: none}')
    world.declare(service(), document('Role', 'A'))
    await applied(world, '-e', 'prod')
    world.declare(service('two'))
    expect(await refusedIn(world)).toEqual([])
    expect((await world.plan('-e', 'prod')).summary).toMatchObject({ update: 1, delete: 0 })
    expect(await refusedIn(world, '--prune', 'applied')).toMatchObject([
      {
        ...{ code: 'guard-prune', line: 11, column: 15 },
        message: 'prune is applied, and the guard of environment prod allows no more than none',
      },
    ])
    world.write('gatewright.yaml', project('{prune: none}', '  prune: all\n'))
    expect(shortly(await refusedIn(world))).toEqual(['guard-prune gatewright.yaml:11:15'])
  })

  test('a rollback that deletes nothing prunes nothing', async () => {
    const world = shop('{prune: none}')
    await applied(world, '-e', 'prod')
    expect(await refusal(world, 'rollback', 'latest', '-e', 'prod', '--yes')).toContain('guard-prune')
    world.declare(service('two'))
    await applied(world, '-e', 'prod')
    const run = await world.run(['rollback', 'latest', '-e', 'prod', '--yes'])
    expect([run.stderr, run.exitCode]).toEqual([run.stderr, 0])
  })
})

describe('confirm: name', () => {
  /** A run with a person at the terminal who types these lines. */
  async function typed(world: World, args: readonly string[], ...lines: readonly string[]) {
    const said: string[] = []
    const stderr = { isTTY: true, write: (text: string) => void said.push(text) }
    const stdin = Object.assign(Readable.from(lines.map((line) => `${line}\n`)), { isTTY: true })
    const run = await world.run(args, { stdin, stderr })
    return { ...run, stderr: said.join('') }
  }

  test('--yes is not enough without a terminal, but the name is', async () => {
    const world = shop('{confirm: name}')
    const words = await refusal(world, 'apply', '-e', 'prod', '--yes')
    expect(words).toContain(
      'the name of environment prod must be typed, and there is no terminal to ask for confirmation',
    )
    expect(words).toContain('gatewright.yaml:11:15')
    expect(words).toContain('--confirm prod')
    expect(await refusal(world, 'apply', '-e', 'prod', '--confirm', 'dev')).toContain(
      '--confirm says "dev", and this is prod',
    )
    expect((await world.run(['apply', '-e', 'prod', '--confirm', 'prod'])).exitCode).toBe(0)
    expect(await refusal(world, 'rollback', 'latest', '-e', 'prod', '--yes')).toContain('guard-confirm')
  })

  test('on a terminal, the name is requested, also for a saved plan', async () => {
    const world = shop('{confirm: name}')
    const no = await typed(world, ['apply', '-e', 'prod', '--yes'], 'yes', 'dev', 'no')
    expect([no.exitCode, no.stderr]).toEqual([0, expect.stringContaining('(shop, prod)? (type prod, or no): ')])
    expect(no.stderr.split('Please answer prod, or no: ')).toHaveLength(3)
    expect(no.stderr).toContain('Nothing was done.')
    expect((await world.run(['plan', '-e', 'prod', '--out', 'plan.json'])).exitCode).toBe(0)
    await refusal(world, 'apply', 'plan.json', '-e', 'prod')
    const yes = await typed(world, ['apply', 'plan.json', '-e', 'prod'], 'prod')
    expect([yes.exitCode, yes.stdout]).toEqual([0, expect.stringContaining('Plan for')])
  })

  test('--confirm is a yes for one environment, or one project, wherever it is given', async () => {
    const world = shop('{}')
    await refusal(world, 'apply', '-e', 'prod', '--yes', '--confirm', 'dev')
    expect((await world.run(['apply', '-e', 'prod', '--confirm', 'prod'])).exitCode).toBe(0)
    await refusal(world, 'rollback', 'latest', '-e', 'prod', '--yes', '--confirm', 'dev')
    const plain = embedded()
    plain.declare(document('Role', 'R'))
    expect((await plain.run(['apply', '--confirm', 'test'])).exitCode).toBe(0)
  })

  test('the name of another environment is refused before anything is read, even if there is nothing to do', async () => {
    const world = shop('{}')
    await applied(world, '-e', 'prod')
    expect((await world.run(['plan', '-e', 'prod', '--out', 'plan.json'])).exitCode).toBe(0)
    for (const args of [['apply'], ['apply', 'plan.json'], ['rollback', 'latest']]) {
      world.requests()
      expect(await refusal(world, ...args, '-e', 'prod', '--confirm', 'dev')).toContain(
        '--confirm says "dev", and this is prod',
      )
      expect(world.requests()).toEqual([])
      expect((await world.run([...args, '-e', 'prod', '--confirm', 'prod'])).exitCode).toBe(0)
    }
  })
})

test('refusals of the guard are first, in text and in JSON', async () => {
  const world = shop('{branch: main, after: dev}', '  limits: {deletes: 0}\n')
  world.declare(service(), document('Role', 'A'))
  const { stdout } = await world.run(['plan', '-e', 'prod'])
  expect(stdout.indexOf('guard-branch')).toBeGreaterThan(0)
  expect((await refusedIn(world)).map(({ code }) => code)).toEqual(['guard-branch', 'guard-after'])
})

test('an empty plan is never refused', async () => {
  const world = shop('{}')
  await applied(world, '-e', 'prod')
  world.write('gatewright.yaml', project('{planned: true, branch: main, after: dev, confirm: name}'))
  expect(await refusedIn(world)).toEqual([])
  expect((await world.run(['apply', '-e', 'prod'])).exitCode).toBe(0)
})

describe('the settings of a guard', () => {
  test('an environment after itself is reported as such', async () => {
    const { stdout } = await shop('{after: prod}').run(['validate'])
    expect(stdout).toContain('the environment "prod" cannot come after itself')
  })

  test('a circle of environments at GATEWRIGHT_GUARD_REF hides no guard rails there', async () => {
    const circle =
      '    qa: {values: {stage: QA}, guard: {after: test}}\n    test: {values: {stage: T}, guard: {after: qa}}\n'
    const world = shop('{branch: main}', circle, { GATEWRIGHT_GUARD_REF: 'main' })
    commit(world)
    git(world.dir, 'checkout', '--quiet', '-b', 'mended')
    world.write('gatewright.yaml', project('{}'))
    expect((await refusedIn(world)).map(({ code }) => code)).toEqual(['guard-branch'])
  })

  test('a circle of environments is reported once, with all its lines, whichever is selected', async () => {
    const world = embedded()
    const guards = { first: 'none', last: 'a', a: 'c', b: 'a', c: 'b' }
    const lines = Object.entries(guards).map(
      ([name, after]) => `    ${name}: {guard: ${after === 'none' ? '{}' : `{after: ${after}}`}}`,
    )
    world.write(
      'gatewright.yaml',
      ['apiVersion: gatewright/v1', 'kind: Project', 'spec:', '  environments:', ...lines].join('\n'),
    )
    world.declare(document('Role', 'R'))
    for (const chosen of [[], ['-e', 'last'], ['-e', 'b']]) {
      const { exitCode, stdout, stderr } = await world.run(['validate', ...chosen])
      const told = `${stdout}${stderr}`
      expect(exitCode).toBe(1)
      expect(told.match(/gatewright\.yaml:7:24: error: .*/g)?.map((line) => line.replace(/ \(in .*\)/, ''))).toEqual([
        'gatewright.yaml:7:24: error: no environment of these can be applied first: a after c, c after b, b after a [environments-in-circle]',
      ])
      expect(told.match(/gatewright\.yaml:\d:\d+: \w+ comes after \w/g)).toEqual([
        'gatewright.yaml:9:24: c comes after b',
        'gatewright.yaml:8:24: b comes after a',
      ])
    }
    expect((await world.run(['validate', '-e', 'first'])).exitCode).toBe(0)
  })

  test.each([
    ['{plannd: true}', 'unknown-field gatewright.yaml:11:15'],
    ['{planned: maybe}', 'wrong-type gatewright.yaml:11:24'],
    ['{after: deve}', 'unknown-environment gatewright.yaml:11:22'],
    ['{after: prod}', 'unknown-environment gatewright.yaml:11:22'],
    ['{branch: [main]}', 'wrong-type gatewright.yaml:11:23'],
    ['{hazards: KEY_LOSS}', 'wrong-type gatewright.yaml:11:24'],
    ['{hazards: [KEY_LOS]}', 'unknown-value gatewright.yaml:11:25'],
    ['{deletes: -1}', 'wrong-type gatewright.yaml:11:24'],
    ['{deletes: "${value:stage}"}', 'wrong-type gatewright.yaml:11:24'],
    ['{prune: some}', 'unknown-value gatewright.yaml:11:22'],
    ['{confirm: yes}', 'unknown-value gatewright.yaml:11:24'],
    ['yes', 'wrong-type gatewright.yaml:11:14'],
  ])('%s is an error', async (guard, expected) => {
    const { exitCode, stdout } = await shop(guard).run(['validate', '-o', 'json'])
    const { diagnostics } = JSON.parse(stdout) as { readonly diagnostics: readonly Refused[] }
    expect([exitCode, shortly(diagnostics)]).toEqual([1, [expected]])
    expect(diagnostics[0]?.message).toMatch(/\(in prod\)$/)
  })
})
