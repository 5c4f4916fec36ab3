import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../kit/folder.js'
import { git } from '../kit/git.js'
import { document, manifestText, projectText } from '../kit/manifests.js'
import { embedded, environment, isWrite, type World } from '../kit/world.js'

/**
 * Attacks by a person who can only change files of the repository: a plan job on a pull request has the credentials in its
 * environment. Each is refused, or does no harm.
 */

/** A world in which all requests are recorded, also those for a token, with their hosts. */
function watched(env: Readonly<Record<string, string | undefined>>): World & { readonly sent: string[] } {
  const world = embedded({}, { env })
  const { fetch } = world.make
  const sent: string[] = []
  Object.assign(world.make, {
    fetch: (request: Request) => {
      sent.push(new URL(request.url).host)
      return fetch(request)
    },
  })
  world.declare(document('Role', 'R'))
  return { ...world, sent }
}

const projectWith = (spec: string): string => projectText(`${spec}\n`)

const { GATEWRIGHT_URL, ...credentials } = environment

describe('platform.url with another host', () => {
  const evil = projectWith('  platform: {url: "https://evil.example"}')

  test.each([
    [['plan']],
    [['apply', '--yes']],
    [['drift']],
    [['diff', 'live', 'manifests']],
    [['get', 'Service']],
    [['export', '--dir', 'out']],
    [['snapshot', '--out', 'area.json']],
  ])('%s sends nothing there', async (args) => {
    const world = watched(credentials)
    world.write('gatewright.yaml', evil)
    const run = await world.run(args)
    expect([run.exitCode, world.sent]).toEqual([1, []])
    expect(run.stderr).toContain(
      'only gatewright.yaml names the host evil.example: credentials from environment variables are not sent there',
    )
    expect(run.stderr).toContain('export GATEWRIGHT_HOSTS=evil.example')
  })

  test('a ready token is not sent there either', async () => {
    const { GATEWRIGHT_AREA } = environment
    const world = watched({ GATEWRIGHT_TOKEN: 'ready', GATEWRIGHT_AREA })
    world.write('gatewright.yaml', evil)
    expect((await world.run(['plan'])).exitCode).toBe(1)
    expect(world.sent).toEqual([])
  })

  test('a host that differs from those in GATEWRIGHT_HOSTS gets nothing', async () => {
    const world = watched({ ...credentials, GATEWRIGHT_HOSTS: 'platform.example,*.example.com' })
    for (const url of ['https://evil.example', 'http://platform.example.evil.example', 'http://127.0.0.1:9']) {
      world.write('gatewright.yaml', projectWith(`  platform: {url: "${url}"}`))
      expect((await world.run(['plan'])).exitCode).toBe(1)
    }
    expect(world.sent).toEqual([])
  })

  test.each([
    ['GATEWRIGHT_URL takes precedence', { ...credentials, GATEWRIGHT_URL }, []],
    ['--url, which a person types, takes precedence', credentials, ['--url', GATEWRIGHT_URL]],
  ])('%s', async (_, env, args) => {
    const world = watched(env)
    world.write('gatewright.yaml', evil)
    expect((await world.run(['plan', ...args])).exitCode).toBe(0)
    expect(new Set(world.sent)).toEqual(new Set(['platform.example']))
  })

  test('a named host is used', async () => {
    const world = watched({ ...credentials, GATEWRIGHT_HOSTS: 'platform.example' })
    world.write('gatewright.yaml', projectWith(`  platform: {url: "${GATEWRIGHT_URL}"}`))
    expect((await world.run(['plan'])).exitCode).toBe(0)
    expect(new Set(world.sent)).toEqual(new Set(['platform.example']))
  })

  test('validate and a plan of a snapshot send nothing, and need no host', async () => {
    const world = watched(credentials)
    world.write('gatewright.yaml', evil)
    world.write('area.json', '{"services": [], "roles": []}')
    expect((await world.run(['validate'])).exitCode).toBe(0)
    expect((await world.run(['plan', '--snapshot', 'area.json'])).exitCode).toBe(0)
    expect(world.sent).toEqual([])
  })

  test('if a platform redirects to another host, nothing is sent there', async () => {
    const world = watched(environment)
    Object.assign(world.make, {
      fetch: (request: Request) => {
        world.sent.push(new URL(request.url).host)
        return Promise.resolve(new Response(null, { status: 307, headers: { location: 'https://evil.example/' } }))
      },
    })
    expect((await world.run(['plan'])).exitCode).toBe(1)
    expect(new Set(world.sent)).toEqual(new Set(['platform.example']))
  })
})

describe('records in a database of another host', () => {
  const secret = 'hush-hush'
  const codes = async (records: string, env: Readonly<Record<string, string>>) => {
    const world = watched({ ...environment, ...env })
    world.write('gatewright.yaml', projectWith(`  records: "${records}"`))
    const run = await world.run(['plan', '-o', 'json'])
    expect(run.stdout + run.stderr).not.toContain(secret)
    expect(world.sent).toEqual([])
    return [run.exitCode, ...run.json().diagnostics.map(({ code, hint }) => `${code} ${hint?.match(/HOSTS=[^,]*/)}`)]
  }

  test.each([
    ['postgres://me@evil.example/x', 'evil.example:5432'],
    ['postgresql://evil.example:99', 'evil.example:99'],
    ['postgres://db.example.com/x?host=evil.example', 'evil.example:5432'],
    ['postgres://db.example.com/x?host=db.example.com&host=evil.example&port=99', 'evil.example:99'],
    ['postgres://[::1]:99/x', '[::1]:99'],
  ])('%s does not get the password of the environment', async (records, host) => {
    const refused = [1, `host-not-named HOSTS=${host}`]
    expect(await codes(records, { PGPASSWORD: secret })).toEqual(refused)
    expect(await codes(records, { PGPASSFILE: secret })).toEqual(refused)
    expect(await codes(records, { PGPASSWORD: secret, GATEWRIGHT_HOSTS: 'db.example.com' })).toEqual(refused)
  })

  test.each(['postgres://x:${env:ANY}@evil.example/x', 'postgres://evil.example/${env:ANY}'])(
    '%s does not get the variable',
    async (records) => {
      const refused = [1, 'host-not-named HOSTS=evil.example:5432']
      expect(await codes(records, { ANY: secret })).toEqual(refused)
    },
  )

  // Nobody listens there: an attempt is reported as an error.
  const closed = 'postgres://me@127.0.0.1:1/x'
  test.each([
    ['that GATEWRIGHT_HOSTS names', closed, { PGPASSWORD: secret, GATEWRIGHT_HOSTS: '127.0.0.1:1' }],
    ['whose whole address is in one variable', '${env:ANY}', { PGPASSWORD: secret, ANY: closed }],
    ['that GATEWRIGHT_RECORDS gives', 'git', { PGPASSWORD: secret, GATEWRIGHT_RECORDS: closed }],
    ['that gets no variable of the environment', closed, {}],
  ])('a database %s is used', async (_, records, env) => {
    expect(await codes(records, env)).toEqual([1, 'database-failed null'])
  })
})

test('a plan only reads records outside the project folder', async () => {
  const world = watched(environment)
  world.write('inner/gatewright.yaml', projectWith('  records: "file:../outside"'))
  world.write('inner/manifests/r.yaml', 'apiVersion: gatewright/v1\nkind: Role\nmetadata: {name: R}\n')
  expect((await world.run(['plan', '-C', 'inner'])).exitCode).toBe(0)
  expect(existsSync(join(world.dir, 'outside'))).toBe(false)
})

describe('the files and variables that a manifest can read', () => {
  const hush = 'hush-hush'
  const role = (description: string) => document('Role', 'R', { description })

  /** A repository, and a folder beside it that does not belong to it, with a link to it. */
  function besides(): World & { readonly outside: string } {
    const world = embedded({}, { env: { ...environment, PGPASSWORD: hush } })
    const outside = temporaryFolder()
    writeFileSync(join(outside, 'secret'), hush)
    mkdirSync(join(world.dir, '.git'))
    mkdirSync(join(world.dir, 'manifests'))
    writeFileSync(join(world.dir, '.git/config'), hush)
    symlinkSync(join(outside, 'secret'), join(world.dir, 'manifests/link'))
    symlinkSync(outside, join(world.dir, 'manifests/folder'))
    return { ...world, outside }
  }

  test.each([
    ['an absolute path', (dir: string) => `\${file:${dir}/secret}`, 'file-outside'],
    ['a path out of the repository', (dir: string) => `\${file:../../${basename(dir)}/secret}`, 'file-outside'],
    ['a link out of the repository', () => '${file:link}', 'file-outside'],
    ['a folder outside the repository', () => '${file:folder/secret}', 'file-outside'],
    ['a file of git itself', () => '${file:../.git/config}', 'file-outside'],
    ['a credential of the program', () => '${env:GATEWRIGHT_API_SECRET}', 'reserved-variable'],
  ])('do not include %s', async (_, written, code) => {
    const world = besides()
    world.declare(role(written(world.outside)))
    for (const command of ['validate', 'plan', 'apply']) {
      const run = await world.run([command, '-o', 'json', ...(command === 'apply' ? ['--yes'] : [])])
      expect([command, run.exitCode, run.json().diagnostics.map((each) => each.code)]).toEqual([command, 1, [code]])
      expect(run.stdout + run.stderr).not.toMatch(/hush-hush|local-secret/)
    }
    expect(world.requests()).toEqual([])
  })

  test.each([
    ['metadata: {name: "${env:GATEWRIGHT_API_SECRET}"}', 'reserved-variable'],
    ['metadata: {name: "${env:PGPASSWORD}"}', 'reserved-variable'],
    ['metadata: {name: "${file:manifests/link}"}', 'file-outside'],
  ])('are the same for the project file: %s', async (metadata, code) => {
    const world = besides()
    world.declare(role('one'))
    world.write('gatewright.yaml', projectWith('').replace('metadata: {name: test}', metadata))
    const run = await world.run(['plan', '-o', 'json'])
    expect([run.exitCode, run.json().diagnostics.map((each) => each.code)]).toEqual([1, [code]])
    expect(run.stdout + run.stderr).not.toMatch(/hush-hush|local-secret/)
  })

  test('a file elsewhere that is read as a manifest is not displayed', async () => {
    const world = besides()
    writeFileSync(join(world.outside, 'x.yaml'), `key: ${hush}\nother: [${hush}\n`)
    symlinkSync(join(world.outside, 'x.yaml'), join(world.dir, 'manifests/x.yaml'))
    for (const path of ['manifests', world.outside, join(world.outside, 'secret'), `${world.outside}/*`]) {
      world.write('gatewright.yaml', projectWith('').replace('[manifests]', `["${path}"]`))
      const run = await world.run(['plan'])
      expect([run.exitCode, run.stdout + run.stderr]).toEqual([1, expect.not.stringContaining(hush)])
    }
  })
})

test('records in the pull request are refused', async () => {
  const world = watched(environment)
  expect((await world.run(['apply', '--yes'])).exitCode).toBe(0)
  git(world.dir, 'init', '-q')
  git(world.dir, 'add', '-f', '.gatewright')
  world.sent.length = 0
  const run = await world.run(['plan', '-o', 'json'])
  expect([run.exitCode, run.json().diagnostics.map(({ code }) => code)]).toEqual([1, ['records-tracked']])
  expect(world.sent).toEqual([])
})

describe('a folder of the pull request that looks like a git repository', () => {
  /** HEAD, objects and refs of a branch `main`, and a config whose programs leave a mark, as ordinary files. */
  function withRepositoryIn(...folders: readonly string[]) {
    const world = watched(environment)
    const mark = join(temporaryFolder(), 'executed')
    world.write('shop/manifests/all.yaml', manifestText([document('Role', 'R')]))
    git(world.dir, 'init', '--quiet', '--initial-branch=pull-request')
    git(world.dir, 'add', '.')
    git(world.dir, 'commit', '--quiet', '-m', 'proposed')
    const evil = join(temporaryFolder(), 'evil')
    git(world.dir, 'clone', '--quiet', '--bare', '--template=', '.', evil)
    git(evil, 'symbolic-ref', 'HEAD', 'refs/heads/main')
    git(evil, 'update-ref', 'refs/heads/main', 'pull-request')
    const program = `"touch ${mark}; false"`
    const more = `\tworktree = ..\n\tfsmonitor = ${program}\n\tsshcommand = ${program}\n[remote "origin"]\n\turl = ssh://evil.example/x\n`
    writeFileSync(join(evil, 'config'), `[core]\n\tbare = false\n${more}`)
    for (const folder of folders) cpSync(evil, join(world.dir, folder), { recursive: true })
    return { ...world, isExecuted: () => existsSync(mark) }
  }
  const shopWith = (spec: string) => projectText(spec, 'shop')

  test('does not count as the branch of the guard, and nothing that its config names is executed', async () => {
    const world = withRepositoryIn('shop')
    world.write('shop/gatewright.yaml', shopWith('  environments: {prod: {guard: {branch: main}}}\n'))
    const run = await world.run(['-C', 'shop', 'apply', '-e', 'prod', '--yes'])
    expect([run.exitCode, run.stdout]).toEqual([5, expect.stringContaining('this is pull-request')])
    world.write('shop/gatewright.yaml', shopWith('  environments: {prod: {}}\n'))
    expect((await world.run(['-C', 'shop', 'apply', '-e', 'prod', '--yes'])).exitCode).toBe(0)
    expect(world.isExecuted()).toBe(false)
  })

  test.each(['in the repository', 'without one'])('keeps no records in git: %s', async (where) => {
    const world = withRepositoryIn('shop')
    if (where === 'without one') rmSync(join(world.dir, '.git'), { recursive: true })
    world.write('shop/gatewright.yaml', shopWith('  records: git\n'))
    expect((await world.run(['-C', 'shop', 'plan'])).exitCode).toBe(1)
    expect([world.isExecuted(), world.sent]).toEqual([false, []])
  })

  test('has no ref for GATEWRIGHT_GUARD_REF', async () => {
    const world = withRepositoryIn('shop', '.')
    rmSync(join(world.dir, '.git'), { recursive: true })
    world.write('shop/gatewright.yaml', shopWith('  environments: {prod: {}}\n'))
    const env = { ...environment, GATEWRIGHT_GUARD_REF: 'main' }
    const run = await world.run(['-C', 'shop', 'plan', '-e', 'prod'], { env })
    expect([run.exitCode, run.stderr]).toEqual([1, expect.stringContaining('guard-ref')])
  })

  test('does not hide that git tracks the records', async () => {
    const world = withRepositoryIn('shop/.gatewright')
    world.write('shop/gatewright.yaml', shopWith(''))
    expect((await world.run(['-C', 'shop', 'apply', '--yes'])).exitCode).toBe(0)
    git(world.dir, 'add', '--force', 'shop')
    const run = await world.run(['-C', 'shop', 'plan', '-o', 'json'])
    expect([run.exitCode, run.json().diagnostics.map(({ code }) => code)]).toEqual([1, ['records-tracked']])
  })
})

test('names have no effect on readers of the comment that CI makes of the plan, or on the job itself', async () => {
  const world = watched(environment)
  const names = [
    '::add-mask::x',
    '##[error]y',
    '@octocat/admins',
    '![i](http://evil.example/x)',
    '<img src=x>',
    'a\u001b[2Jb',
  ]
  world.declare(...names.map((name) => document('Service', name, { description: `${name}\n${name}` })))
  for (const format of ['markdown', 'text']) {
    const { exitCode, stdout, stderr } = await world.run(['plan', '-o', format])
    expect([exitCode, stdout + stderr]).toEqual([0, expect.not.stringContaining('\u001b')])
    expect(stdout + stderr).not.toMatch(/^\s*(?:::|##\[)/m)
    // Text in a fence or a code span is only displayed.
    const prose = stdout.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/`[^`\n]*`|<code>[^\n]*?<\/code>/g, '')
    if (format === 'markdown') expect(prose).not.toMatch(/@octocat|!\[|<img|http:/)
  }
})

describe('guard rails and targets, with GATEWRIGHT_GUARD_REF', () => {
  const { GATEWRIGHT_AREA: area } = environment
  const reviewed = (guard: string, credentials = '') =>
    projectWith(
      `  environments:\n    prod:\n      platform: {url: "${GATEWRIGHT_URL}", area: ${area}${credentials}}\n${guard === '' ? '' : `      guard: ${guard}\n`}    dev: {platform: {url: "https://dev.example"}}`,
    )

  /** A repository whose branch main has that project file, and a work tree that a pull request may change. */
  function merged(text: string, env: Readonly<Record<string, string | undefined>> = environment) {
    const world = watched({ GATEWRIGHT_GUARD_REF: 'main', ...env })
    world.write('gatewright.yaml', text)
    git(world.dir, 'init', '--quiet', '--initial-branch=main')
    git(world.dir, 'add', '.')
    git(world.dir, 'commit', '--quiet', '-m', 'reviewed')
    git(world.dir, 'checkout', '--quiet', '-b', 'pull-request')
    return world
  }
  const told = async (world: World, ...args: readonly string[]) => {
    const run = await world.run(['plan', '-o', 'json', ...args])
    const { refused = [], diagnostics = [] } = JSON.parse(run.stdout) as {
      readonly [name in 'refused' | 'diagnostics']?: readonly {
        readonly code: string
        readonly severity: string
        readonly file?: string
        readonly line?: number
      }[]
    }
    const errors = diagnostics.filter(({ severity }) => severity === 'error')
    return [
      run.exitCode,
      ...[...refused, ...errors].map(({ code, file, line }) => (file ? `${code} ${file}:${line}` : code)),
    ]
  }

  test('a guard that the pull request removes, or weakens, still applies, and is displayed with its position', async () => {
    const world = merged(reviewed('{branch: main, deletes: 0, hazards: []}'))
    world.write('gatewright.yaml', reviewed(''))
    expect(await told(world, '-e', 'prod')).toEqual([5, 'guard-branch main:gatewright.yaml:9'])
    world.write('gatewright.yaml', reviewed('{branch: pull-request, hazards: [KEY_LOSS]}'))
    expect(await told(world, '-e', 'prod', '--allow', 'KEY_LOSS')).toEqual([
      5,
      'guard-branch main:gatewright.yaml:9',
      'guard-hazard main:gatewright.yaml:9',
    ])
  })

  test('additions of the pull request apply as well', async () => {
    const world = merged(reviewed('{hazards: [KEY_LOSS]}'))
    world.write('gatewright.yaml', reviewed('{branch: main}'))
    expect(await told(world, '-e', 'prod', '--allow', 'KEY_LOSS')).toEqual([5, 'guard-branch gatewright.yaml:9'])
  })

  test.each([
    ['fewer deletes', '{deletes: 0}', '{deletes: 10}', 'guard-deletes'],
    ['the narrower prune', '{prune: none}', '{prune: all}', 'guard-prune'],
    ['the fewer hazards', '{hazards: []}', '{hazards: [KEY_LOSS]}', 'guard-hazard'],
  ])('of both guards, %s applies', async (_, strict, wide, code) => {
    for (const [first, second, file] of [
      [strict, wide, 'main:gatewright.yaml'],
      [wide, strict, 'gatewright.yaml'],
    ] as const) {
      const world = merged(reviewed(first))
      expect((await world.run(['apply', '-e', 'prod', '--yes'])).exitCode).toBe(0)
      world.write('gatewright.yaml', reviewed(second))
      world.declare(document('Removed', { address: 'Role/R' }))
      const refused = await told(world, '-e', 'prod', '--prune', 'applied', '--allow', 'KEY_LOSS')
      expect(refused).toContain(`${code} ${file}:9`)
    }
  })

  test.each([
    ['planned', '{planned: true}', '{planned: false}', 'guard-planned'],
    ['confirm', '{confirm: name}', '{branch: pull-request}', 'confirm'],
  ])('%s cannot be removed by a pull request', async (_, strict, wide, code) => {
    const world = merged(reviewed(strict))
    world.write('gatewright.yaml', reviewed(wide))
    const run = await world.run(['apply', '-e', 'prod', '--yes'])
    expect([run.exitCode === 0, run.stdout + run.stderr]).toEqual([false, expect.stringContaining(code)])
    expect(world.requests().filter(isWrite)).toEqual([])
  })

  test.each([
    ['under a new name', (text: string) => text.replace('prod:', 'other:'), 'other'],
    [
      'as another environment',
      (text: string) => text.replace('https://dev.example"', `${GATEWRIGHT_URL}", area: ${area}`),
      'dev',
    ],
  ])('the guarded area %s is still guarded', async (_, change, name) => {
    const { GATEWRIGHT_URL: _url, GATEWRIGHT_AREA: _area, ...login } = environment
    const world = merged(reviewed('{branch: main}'), { ...login, GATEWRIGHT_HOSTS: 'platform.example' })
    world.write('gatewright.yaml', change(reviewed('')))
    expect(await told(world, '-e', name)).toEqual([5, 'guard-branch main:gatewright.yaml:9'])
  })

  test.each([
    ['that git does not know', (world: World) => git(world.dir, 'branch', '--quiet', '-D', 'main')],
    ['whose project file was moved', (world: World) => moved(world)],
  ])('a ref %s is an error, and never means no guard', async (_, change) => {
    const world = merged(reviewed('{branch: main}'))
    change(world)
    expect(await told(world, '-e', 'prod')).toEqual([1, 'guard-ref'])
    const run = await world.run(['apply', '-e', 'prod', '--yes'])
    expect([run.exitCode, run.stderr]).toEqual([1, expect.stringContaining('nothing goes on without it')])
    expect(world.sent).toEqual([])
  })

  /** On main it is in another folder, as if the pull request undoes or makes a move. */
  const moved = (world: World): void => {
    git(world.dir, 'checkout', '--quiet', 'main')
    mkdirSync(join(world.dir, 'inner'))
    git(world.dir, 'mv', 'gatewright.yaml', 'inner/gatewright.yaml')
    git(world.dir, 'commit', '--quiet', '-m', 'moved')
    git(world.dir, 'checkout', '--quiet', 'pull-request')
  }

  test.each([
    ['under a new name', 'prod2'],
    ['without environments', undefined],
  ])('the guarded area that only variables name is still guarded %s', async (_, name) => {
    const project = (environments: string) => projectWith(`  environments: {${environments}}`)
    const world = merged(project('prod: {guard: {branch: main}}'))
    world.write('gatewright.yaml', project(name === undefined ? '' : `${name}: {}`))
    const args = name === undefined ? [] : ['-e', name]
    expect(await told(world, ...args)).toEqual([5, 'guard-branch main:gatewright.yaml:6'])
  })

  test.each(['tag', 'branch'])('a %s with the name of a branch of the remote does not replace it', async (command) => {
    const world = merged(reviewed('{branch: main}'), { ...environment, GATEWRIGHT_GUARD_REF: 'origin/main' })
    git(world.dir, 'update-ref', 'refs/remotes/origin/main', 'main')
    world.write('gatewright.yaml', reviewed(''))
    git(world.dir, 'commit', '--quiet', '--all', '-m', 'without the guard')
    git(world.dir, command, 'origin/main', 'HEAD')
    expect(await told(world, '-e', 'prod')).toEqual([5, 'guard-branch origin/main:gatewright.yaml:9'])
  })

  test('a name that may mean a branch or a tag is an error, its whole name is not', async () => {
    const world = merged(reviewed('{branch: main}'))
    git(world.dir, 'tag', 'main', 'HEAD')
    const run = await world.run(['plan', '-e', 'prod'])
    const words = 'GATEWRIGHT_GUARD_REF, main, cannot be read: it may mean refs/heads/main or refs/tags/main'
    expect([run.exitCode, run.stderr]).toEqual([1, expect.stringContaining(words)])
    const env = { ...environment, GATEWRIGHT_GUARD_REF: 'refs/heads/main' }
    expect((await world.run(['plan', '-e', 'prod'], { env })).exitCode).toBe(5)
  })

  test('an "@" may be a part of a name', async () => {
    const world = merged(reviewed('{branch: main}'), { ...environment, GATEWRIGHT_GUARD_REF: 'main@2' })
    git(world.dir, 'branch', 'main@2', 'main')
    world.write('gatewright.yaml', reviewed(''))
    git(world.dir, 'commit', '--quiet', '--all', '-m', 'without the guard')
    git(world.dir, 'tag', 'main', 'HEAD')
    expect(await told(world, '-e', 'prod')).toEqual([5, 'guard-branch main@2:gatewright.yaml:9'])
    git(world.dir, 'tag', 'main@2', 'HEAD')
    expect(await told(world, '-e', 'prod')).toEqual([1, 'guard-ref'])
  })

  describe('a guarded project in a folder of a repository with another project', () => {
    function withShop() {
      const world = watched({ ...environment, GATEWRIGHT_GUARD_REF: 'main' })
      world.write('gatewright.yaml', projectText('  environments: {prod: {}}\n', 'root'))
      world.write('shop/gatewright.yaml', reviewed('{branch: main}'))
      world.write('shop/manifests/all.yaml', manifestText([document('Role', 'R')]))
      git(world.dir, 'init', '--quiet', '--initial-branch=main')
      git(world.dir, 'add', '.')
      git(world.dir, 'commit', '--quiet', '-m', 'reviewed')
      git(world.dir, 'checkout', '--quiet', '-b', 'pull-request')
      return { ...world, shop: join(world.dir, 'shop') }
    }

    test('is guarded', async () => {
      expect(await told(withShop(), '-C', 'shop', '-e', 'prod')).toEqual([5, 'guard-branch shop/gatewright.yaml:9'])
    })

    test.each([
      ['removed, so that the project above it is found', (shop: string) => rmSync(join(shop, 'gatewright.yaml'))],
      ['a link to another project', (shop: string) => linked(shop)],
      ['a submodule', (shop: string) => submodule(shop)],
    ])('is not replaced by a folder without guard rails: %s', async (_, change) => {
      const world = withShop()
      change(world.shop)
      expect(await told(world, '-C', 'shop', '-e', 'prod')).toEqual([1, 'guard-ref'])
      expect(world.sent).toEqual([])
    })

    const linked = (shop: string): void => {
      rmSync(shop, { recursive: true })
      symlinkSync('.', shop)
    }
    const submodule = (shop: string): void => {
      git(shop, 'rm', '--quiet', '--cached', '-r', '.')
      git(shop, 'init', '--quiet', '--initial-branch=main')
      writeFileSync(join(shop, 'gatewright.yaml'), reviewed(''))
      git(shop, 'add', '.')
      git(shop, 'commit', '--quiet', '-m', 'of another repository')
      git(join(shop, '..'), 'add', 'shop')
    }
  })

  test('a ref with an unreadable guard is an error as well; a ref without a project has no guard', async () => {
    const broken = merged(reviewed('{brunch: main}'))
    broken.write('gatewright.yaml', reviewed(''))
    expect(await told(broken, '-e', 'prod')).toEqual([1, 'guard-ref'])
    const world = merged('')
    git(world.dir, 'rm', '--quiet', '--cached', 'gatewright.yaml')
    git(world.dir, 'commit', '--quiet', '-m', 'none')
    git(world.dir, 'branch', '--quiet', '--force', 'main')
    world.write('gatewright.yaml', reviewed(''))
    expect(await told(world, '-e', 'prod')).toEqual([0])
  })

  describe('without GATEWRIGHT_URL', () => {
    const keys = ', credentials: {apiKey: "${env:PROD_KEY}", apiSecret: local-secret, username: u, password: p}'
    const env = { ...credentials, PROD_KEY: 'local-key' }

    test('credentials are sent to the url that the ref has for that environment', async () => {
      const world = merged(reviewed(''), credentials)
      expect(await told(world, '-e', 'prod')).toEqual([0])
      expect(new Set(world.sent)).toEqual(new Set(['platform.example']))
    })

    test.each([
      ['another url', (text: string) => text.replace(GATEWRIGHT_URL, 'https://evil.example'), 'prod'],
      ['the url of another environment', (text: string) => text.replace(GATEWRIGHT_URL, 'https://dev.example'), 'prod'],
      ['a new environment', (text: string) => text.replace('prod:', 'other:'), 'other'],
      [
        'other credentials',
        (text: string) => text.replace('https://dev.example"', `https://dev.example"${keys}`),
        'dev',
      ],
    ])('credentials are not sent to %s', async (_, change, name) => {
      const world = merged(reviewed('', keys), env)
      world.write('gatewright.yaml', change(reviewed('', keys)))
      expect(await told(world, '-e', name)).toEqual([1, 'host-not-named'])
      expect(world.sent).toEqual([])
    })
  })
})
