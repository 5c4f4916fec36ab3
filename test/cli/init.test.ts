import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { ignoredFiles } from '../../src/engine/init.js'
import { workflowSecrets, workflowVariables } from '../../src/engine/starter/ci-starters.js'
import { nameMatcher } from '../../src/files/glob.js'
import { draftIn } from '../../src/files/replace-file.js'
import { createPlatform } from '../../src/platform/server.js'
import { temporaryFolder } from '../kit/folder.js'
import { environment, type World, worldIn } from '../kit/world.js'

/** An empty folder. */
function emptyWorld(): World {
  const dir = temporaryFolder()
  // As init advises: records of trials stay on this machine.
  const env = { ...environment, GATEWRIGHT_RECORDS: 'file:.gatewright' }
  const world = worldIn(dir, createPlatform({ autoApprove: true, idSeed: 'test' }), { env })
  rmSync(join(dir, 'gatewright.yaml'))
  return world
}

const textIn = (world: World, file: string): string => readFileSync(join(world.dir, file), 'utf8')

const filesIn = (world: World): readonly string[] =>
  readdirSync(world.dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(world.dir.length + 1))
    .sort()

describe('init', () => {
  it.each(['github', 'gitlab'])('reports the files that it has written for %s within 80 columns', async (ci) => {
    let shown = ''
    const stdout = { isTTY: true, columns: 80, write: (text: string) => (shown += text) }
    await emptyWorld().run(['init', '--yes', '--ci', ci, '--color', 'never', '--env', 'dev,prod'], { stdout })
    expect(shown).toContain('Written:')
    expect(shown.split('\n').filter((line) => line.length > 80)).toEqual([])
  })

  it('refuses a name that is not allowed for a project', async () => {
    const world = emptyWorld()
    const run = await world.run(['init', '--name', 'two\nlines'])
    expect([run.exitCode, filesIn(world)]).toEqual([1, []])
    expect(run.stderr).toContain(
      '--name takes a name of at most 200 characters that are all visible, and this is one with a line break',
    )
  })

  it.each(['n'.repeat(210), 'name\u200f'])(
    'names a project "project" if the name of its folder is not allowed: %j',
    async (folder) => {
      const world = emptyWorld()
      mkdirSync(join(world.dir, folder))
      expect((await world.run(['init', '-C', folder])).exitCode).toBe(0)
      expect(parse(textIn(world, join(folder, 'gatewright.yaml'))).metadata).toEqual({ name: 'project' })
      expect((await world.run(['validate', '-C', folder])).exitCode).toBe(0)
    },
  )

  it('writes a project that passes validate, plan and apply on the embedded platform', async () => {
    const world = emptyWorld()
    const { exitCode, stdout } = await world.run(['init', '--name', 'shop'])
    expect(exitCode).toBe(0)
    expect(filesIn(world).filter((file) => !file.startsWith('schemas/'))).toEqual([
      '.github/workflows/gatewright-apply.yaml',
      '.github/workflows/gatewright-drift.yaml',
      '.github/workflows/gatewright-plan.yaml',
      '.gitignore',
      '.vscode/settings.json',
      'gatewright.yaml',
      'manifests/example.yaml',
      'package.json',
    ])
    expect(stdout).toContain('gatewright validate')
    const validated = await world.run(['validate', '-o', 'json'])
    expect([validated.exitCode, validated.json().diagnostics]).toEqual([0, []])
    expect((await world.plan()).summary).toMatchObject({ create: 8 })
    expect((await world.apply()).exitCode).toBe(0)
    expect((await world.plan()).changes).toEqual([])
  })

  it('explains each file in a comment on its first line, if the format has comments', async () => {
    const world = emptyWorld()
    await world.run(['init', '--ci', 'gitlab'])
    const files = filesIn(world).filter((file) => !file.startsWith('schemas/') && file !== 'package.json')
    expect(files).toEqual(expect.arrayContaining(['.gitlab-ci.yml', '.gitlab/gatewright.yml']))
    for (const file of files) expect(textIn(world, file), file).toMatch(/^(#|\/\/) \S/)
  })

  it('gives editors schemas that exist, and that accept the files', async () => {
    const world = emptyWorld()
    await world.run(['init', '--ci', 'none'])
    expect(textIn(world, 'manifests/example.yaml')).toContain('$schema=../schemas/gatewright.schema.json')
    expect(textIn(world, 'gatewright.yaml')).toContain('$schema=schemas/project.schema.json')
    expect(filesIn(world)).toEqual(
      expect.arrayContaining(['schemas/gatewright.schema.json', 'schemas/project.schema.json']),
    )
  })

  it('pins the program and the actions, and limits the permissions and the time of every job', async () => {
    const world = emptyWorld()
    await world.run(['init'])
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'))
    expect(JSON.parse(textIn(world, 'package.json')).devDependencies).toEqual({ gatewright: version })
    expect(parse(textIn(world, 'gatewright.yaml')).spec.records).toBe('git')
    const settings = [...workflowVariables, ...workflowSecrets].sort()
    for (const name of ['plan', 'apply', 'drift']) {
      const text = textIn(world, `.github/workflows/gatewright-${name}.yaml`)
      const workflow = parse(text)
      expect(workflow.permissions, name).toMatchObject({ contents: 'read' })
      expect(text).not.toContain('pull_request_target')
      const pins = text.match(/uses: .*/g) ?? []
      for (const pin of pins) expect(pin).toMatch(/^uses: actions\/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
      const jobs: readonly Job[] = Object.values(workflow.jobs)
      for (const job of jobs) expect(job['timeout-minutes']).toBeGreaterThan(0)
      const named = [...text.matchAll(/(GATEWRIGHT_\w+): \$\{\{ (vars|secrets)\.(\w+) \}\}/g)]
      expect([...new Set(named.map(([, variable]) => variable))].sort(), name).toEqual(settings)
      for (const [, variable = '', home, same] of named) {
        expect([home, same]).toEqual([workflowVariables.includes(variable) ? 'vars' : 'secrets', variable])
      }
    }
  })

  it('writes workflows in which actionlint finds nothing', async (context) => {
    const world = emptyWorld()
    await world.run(['init'])
    const workflows = ['plan', 'apply', 'drift'].map((name) =>
      join(world.dir, `.github/workflows/gatewright-${name}.yaml`),
    )
    const several = emptyWorld()
    await several.run(['init', '--env', 'dev,prod'])
    const called = ['plan', 'apply', 'environment', 'drift'].map((name) =>
      join(several.dir, `.github/workflows/gatewright-${name}.yaml`),
    )
    for (const each of called) expect(readFileSync(each, 'utf8')).not.toMatch(/__[A-Z]+__/)
    workflows.push(...called)
    const { error, status, stdout } = spawnSync('actionlint', workflows, { encoding: 'utf8' })
    if (error) context.skip('actionlint is not on the PATH: the workflows are not linted here')
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
  })

  it('gives every variable in the manifests to the jobs, but to no script', async () => {
    const world = emptyWorld()
    const password = 'key-${env:B_KEY}-${env:A_KEY}-$${env:NOT_ONE}'
    const text = `apiVersion: gatewright/v1\nkind: Role\nmetadata: {name: Mine}\nspec: {description: "${password}"} # \${env:NEITHER}\n`
    world.write('manifests/own.yaml', text)
    const { stdout } = await world.run(['init', '-o', 'json'])
    expect(JSON.parse(stdout)).toMatchObject({
      ci: 'github',
      variables: workflowVariables,
      secrets: [...workflowSecrets, 'A_KEY', 'B_KEY'],
    })
    for (const name of ['plan', 'apply', 'drift']) {
      const jobs: readonly Job[] = Object.values(parse(textIn(world, `.github/workflows/gatewright-${name}.yaml`)).jobs)
      const steps = jobs.flatMap((job) => job.steps.filter(({ env }) => env?.GATEWRIGHT_API_KEY !== undefined))
      expect(steps.length).toBeGreaterThan(0)
      for (const { env } of steps) {
        expect(env).toMatchObject({ A_KEY: '${{ secrets.A_KEY }}', B_KEY: '${{ secrets.B_KEY }}' })
        expect(env).not.toHaveProperty('NEITHER')
      }
      for (const { run } of jobs.flatMap(({ steps }) => steps)) expect(run ?? '').not.toContain('${{')
    }
  })

  it('warns of manifests that were read without a project file, and are not with it', async () => {
    const world = emptyWorld()
    const role = (name: string) => `apiVersion: gatewright/v1\nkind: Role\nmetadata: {name: ${name}}\n`
    world.write('mine.yaml', role('Mine'))
    world.write('manifests/role.yaml', role('R'))
    world.write('deploy.yaml', 'apiVersion: v1\nkind: Service\nmetadata: {name: S}\n')
    world.write('other/gatewright.yaml', 'apiVersion: gatewright/v1\nkind: Project\nmetadata: {name: o}\n')
    world.write('other/role.yaml', role('Other'))
    const first = await world.run(['init', '--ci', 'none'])
    expect(first.stderr).toMatch(
      /^warning: the new project file names only the folder manifests, .*: mine\.yaml \[manifests-not-named\]/,
    )
    expect((await world.run(['init', '--ci', 'none'])).stderr).toBe('')
  })

  it('follows the project file: files that it reads start the workflows, public names are variables', async () => {
    const world = emptyWorld()
    world.write(
      'gatewright.yaml',
      'apiVersion: gatewright/v1\nkind: Project\nmetadata: {name: x}\nspec: {manifests: [own, more/*.yaml], secrets: {public: [REGION]}, environments: [stages/*.yaml]}\n',
    )
    world.write('stages/dev.yaml', 'apiVersion: gatewright/v1\nkind: Environment\nmetadata: {name: dev}\n')
    world.write('more/role.yaml', 'apiVersion: gatewright/v1\nkind: Role\nmetadata: {name: M}\n')
    world.write(
      'own/role.yaml',
      'apiVersion: gatewright/v1\nkind: Role\nmetadata: {name: R}\nspec: {description: "${env:REGION} ${env:KEY}"}\n',
    )
    const { stdout } = await world.run(['init', '-o', 'json'])
    expect(JSON.parse(stdout)).toMatchObject({
      variables: expect.arrayContaining(['REGION']),
      secrets: expect.arrayContaining(['KEY']),
    })
    const plan = textIn(world, '.github/workflows/gatewright-plan.yaml')
    expect(plan).toContain('REGION: ${{ vars.REGION }}')
    expect(parse(plan).on.pull_request.paths).toEqual(
      expect.arrayContaining(['own/**/*', 'more/*.yaml', 'policies/**/*', 'stages/dev.yaml']),
    )
  })

  it.each([
    ['HEAD', 'ref: refs/heads/feature', 'main'],
    ['HEAD', 'ref: refs/heads/master', 'master'],
    ['refs/remotes/origin/HEAD', 'ref: refs/remotes/origin/trunk', 'trunk'],
  ])('applies the main branch of the repository: %s is %s', async (file, text, branch) => {
    const world = emptyWorld()
    world.write(`.git/${file}`, `${text}\n`)
    await world.run(['init'])
    const workflow = textIn(world, '.github/workflows/gatewright-apply.yaml')
    expect(parse(workflow).on.push.branches).toEqual([branch])
    expect(parse(workflow).jobs.plan.if).toBe(`github.ref == 'refs/heads/${branch}'`)
  })

  it('reports if CI does not look for the workflows there', async () => {
    const world = emptyWorld()
    world.write('.git/HEAD', 'ref: refs/heads/main\n')
    const { stdout } = await world.run(['init', '-C', 'platform/shop'])
    expect(stdout).toContain('Move .github to ../..')
  })

  it('lists the remaining steps for CI, even if its files existed', async () => {
    const world = emptyWorld()
    world.write('package.json', '{}')
    world.write('.gitlab-ci.yml', 'test: {script: true}\n')
    const { stdout } = await world.run(['init'])
    expect(filesIn(world)).toContain('.gitlab/gatewright.yml')
    expect(stdout).toContain('include: [{local: .gitlab/gatewright.yml}]')
    expect(stdout).toMatch(/npm install --save-dev --save-exact gatewright@\d/)
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([])
  })

  it('creates a project with environments, which differ in a value and a patch in the example', async () => {
    const world = emptyWorld()
    const { exitCode, stdout } = await world.run(['init', '--name', 'shop', '--env', 'dev,staging,prod'])
    const next = stdout.slice(stdout.indexOf('Next:'))
    expect([exitCode, next.split('\n').filter((line) => line.length > 80)]).toEqual([0, []])
    expect(next).toContain('export GATEWRIGHT_ENV=dev')
    const validated = await world.run(['validate'])
    expect([validated.exitCode, validated.stdout]).toEqual([0, expect.stringContaining('for dev, staging, prod.')])
    const { stdout: differences } = await world.run(['diff', '-e', 'staging', '-e', 'prod'])
    expect(differences).toContain('~ value domain: staging.example.com → example.com')
    expect(differences).toContain('+ patches[0] of environment prod: Service/Orders API')
    const again = await world.run(['plan'])
    expect([again.exitCode, again.stderr]).toEqual([1, expect.stringContaining('dev, staging, prod')])
    expect((await world.run(['apply', '--yes', '-e', 'dev'])).exitCode).toBe(0)
  })

  it('adds missing files for the environments of an existing project, and asks for missing environments', async () => {
    const world = emptyWorld()
    expect((await world.run(['init', '--ci', 'none'])).exitCode).toBe(0)
    const before = filesIn(world)
    const refused = await world.run(['init', '--env', 'dev,prod', '--ci', 'github'])
    expect([refused.exitCode, refused.stderr]).toEqual([
      1,
      expect.stringContaining('gatewright.yaml exists, and declares no environment dev, prod'),
    ])
    expect(filesIn(world)).toEqual(before)
    const declared = 'environments: {dev: {values: {}}, prod: {}}'
    world.write(
      'gatewright.yaml',
      `apiVersion: gatewright/v1\nkind: Project\nmetadata: {name: a}\nspec: {${declared}}\n`,
    )
    const { exitCode, stdout } = await world.run(['init', '--ci', 'github'])
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('export GATEWRIGHT_ENV=dev')])
    expect(filesIn(world)).toContain('.github/workflows/gatewright-environment.yaml')
  })

  it.each([
    [['--example', '--export'], 'two starts'],
    [['--env', 'dev,dev'], 'names dev twice'],
    [['--env', 'dev, '], '"" is no name'],
    [['--env', 'dev,a b'], '"a b" is no name'],
    [['--env', 'dev', '--export'], '--export writes one area'],
    [['--env', 'dev', '--area', 'x'], '--area is one area'],
  ])('refuses %j', async (args, message) => {
    const world = emptyWorld()
    const { exitCode, stderr } = await world.run(['init', ...args])
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(message)])
    expect(filesIn(world)).toEqual([])
  })

  it('never overwrites: existing files are kept and reported, and a .gitignore gets its missing lines', async () => {
    const world = emptyWorld()
    mkdirSync(join(world.dir, '.vscode'))
    writeFileSync(join(world.dir, '.vscode/settings.json'), '{}')
    writeFileSync(join(world.dir, '.gitignore'), 'node_modules\n.env')
    world.write('manifests/own.yaml', 'apiVersion: gatewright/v1\nkind: Role\nmetadata: {name: Mine}\n')
    const { stdout } = await world.run(['init', '-o', 'json', '--ci', 'none'])
    const { files }: { files: readonly { path: string; action: string }[] } = JSON.parse(stdout)
    const actions = Object.fromEntries(files.map(({ path, action }) => [path, action]))
    expect(actions).toMatchObject({
      'gatewright.yaml': 'written',
      '.vscode/settings.json': 'kept',
      '.gitignore': 'added to',
    })
    expect(actions).not.toHaveProperty('manifests/example.yaml')
    expect(textIn(world, '.vscode/settings.json')).toBe('{}')
    expect(textIn(world, '.gitignore')).toMatch(/^node_modules\n\.env\n\n# .*\n\.gatewright\/\n/)
    expect(textIn(world, '.gitignore').match(/^\.env$/gm)).toHaveLength(1)
    const before = filesIn(world).map((file) => textIn(world, file))
    await world.run(['init', '--ci', 'none'])
    expect(filesIn(world).map((file) => textIn(world, file))).toEqual(before)
  })

  it.each(['.gitignore', 'gatewright.yaml'])('reports that %s cannot be written if it is a folder', async (file) => {
    const world = emptyWorld()
    mkdirSync(join(world.dir, file))
    const { exitCode, stderr } = await world.run(['init', '--name', 'shop'])
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`${file} cannot be written: it is a folder`)])
  })

  it('keeps a half-written file of a killed run out of git', () => {
    const draft = basename(draftIn('.', 1))
    expect(ignoredFiles.lines.filter((line) => nameMatcher(line)(draft))).toHaveLength(1)
  })

  it('accepts names, urls and areas as they are, whatever they contain', async () => {
    const world = emptyWorld()
    const name = 'yes: "x" # ${env:NOPE}'
    await world.run(['init', '--name', name, '--url', 'https://api.example.com/base', '--area', '1.0', '--ci', 'none'])
    const { metadata, spec } = parse(textIn(world, 'gatewright.yaml'))
    expect(metadata.name.replaceAll('$${', '${')).toBe(name)
    expect(spec.platform).toMatchObject({ url: 'https://api.example.com/base', area: '1.0' })
    expect((await world.run(['validate'])).exitCode).toBe(0)
  })

  it('asks on a terminal for values that no option gives, and says why it asks again', async () => {
    const answers = ['shop', 'localhost:8080', 'https://api.example.com/v3/rest', 'https://api.example.com']
    const { asked, world, exitCode } = await asking([], [...answers, 'prod', area, 'exampel', '', 'gitlab'])
    expect(exitCode).toBe(0)
    expect(asked.match(/Start with/g)).toHaveLength(2)
    expect(asked).toContain('"localhost:8080" is not the URL of a platform')
    expect(asked).toContain('write https://api.example.com')
    expect(asked).toContain('an area is a UUID')
    const { metadata, spec } = parse(textIn(world, 'gatewright.yaml'))
    expect([metadata.name, spec.platform.area, spec.platform.url]).toEqual(['shop', area, 'https://api.example.com'])
    expect(filesIn(world)).toContain('.gitlab/gatewright.yml')
  })

  it('does not ask with --yes', async () => {
    const { asked, world, exitCode } = await asking(['--yes', '--name', 'shop'], [])
    expect([exitCode, asked]).toEqual([0, ''])
    expect(filesIn(world)).toContain('.github/workflows/gatewright-plan.yaml')
  })

  it('writes nothing if the input ends before all questions are answered', async () => {
    const { world, exitCode } = await asking([], ['shop'])
    expect([exitCode, filesIn(world)]).toEqual([0, []])
  })
})

interface Job {
  readonly 'timeout-minutes'?: number
  readonly steps: readonly { readonly run?: string; readonly env?: Readonly<Record<string, string>> }[]
}

const area = '0b34c5b1-5ac7-4a2e-b2a0-5e1c2f8b0d6e'

/** `init` on a terminal where a person types these lines. */
async function asking(args: readonly string[], lines: readonly string[]) {
  const world = emptyWorld()
  const stdin = Object.assign(Readable.from(lines.map((line) => `${line}\n`)), { isTTY: true })
  let asked = ''
  const stderr = { isTTY: true, write: (text: string) => (asked += text) }
  const { exitCode } = await world.run(['init', ...args], { stdin, stderr })
  return { world, exitCode, asked }
}

describe('init --export', () => {
  it('starts with the objects of the live area: their plan is empty', async () => {
    const seed = { roles: [{ id: 'r1', name: 'Partners' }], services: [{ id: 's1', name: 'Orders', version: '3' }] }
    const dir = temporaryFolder()
    const env = { ...environment, GATEWRIGHT_RECORDS: 'file:.gatewright' }
    const world = worldIn(dir, createPlatform({ seed }), { env })
    rmSync(join(dir, 'gatewright.yaml'))
    const { exitCode, stdout, stderr } = await world.run(['init', '--export', '-o', 'json'])
    expect(exitCode, stderr).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ format: 'gatewright.init/1', export: { format: 'gatewright.export/1' } })
    expect(filesIn(world)).toContain('manifests/services/orders.yaml')
    const text = await world.run(['init', '--export', '--ci', 'none'])
    expect(text.stdout).not.toContain('gatewright platform')
    expect(text.stdout).not.toContain('GATEWRIGHT_RECORDS')
    // Records must be in a remote, which a new repository does not have.
    const github = await world.run(['init', '--export', '--ci', 'github'])
    expect(github.stdout).toMatch(/export GATEWRIGHT_RECORDS=file:\.gatewright +#[^\n]*\n +gatewright plan/)
    for (const args of [
      ['init', '-q'],
      ['remote', 'add', 'origin', 'https://git.example.com/shop.git'],
    ]) {
      expect(spawnSync('git', args, { cwd: dir }).status).toBe(0)
    }
    const withRemote = await world.run(['init', '--export', '--ci', 'github'])
    expect(withRemote.stdout).toMatch(/gatewright validate +#[^\n]*\n +gatewright plan/)
    expect(withRemote.stdout).not.toContain('GATEWRIGHT_RECORDS')
    expect(filesIn(world)).not.toContain('manifests/example.yaml')
    expect((await world.plan()).changes).toEqual([])
  })

  it("creates its folder, and keeps the platform's vocabulary in the project: a plan needs no variable for it", async () => {
    const dir = temporaryFolder()
    const seed = { services: [{ id: 's1', name: 'Orders', endpoints: [{ id: 'e1', name: 'orders' }] }] }
    const env = { ...environment, GATEWRIGHT_RECORDS: 'file:.gatewright' }
    const world = worldIn(dir, createPlatform({ seed, vocabulary: 'mashery' }), { env })
    const asked = { env: { ...env, GATEWRIGHT_VOCABULARY: 'mashery' } }
    const { exitCode, stderr } = await world.run(['init', '-C', 'new', '--export', '--ci', 'none'], asked)
    expect(exitCode, stderr).toBe(0)
    expect((await world.run(['plan', '-C', 'new', '-o', 'json'])).json().changes).toEqual([])
  })

  it('reports that an area is empty: there are no manifests for a plan', async () => {
    const { exitCode, stdout, stderr } = await emptyWorld().run(['init', '--export', '--ci', 'none'])
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('[nothing-exported]')])
    expect(stdout).toContain('Nothing was written.')
    expect(stdout).toMatch(/Next:\n +gatewright explain +#/)
    expect(stdout).not.toContain('nothing would change')
  })

  it('writes nothing if the credentials for it are missing', async () => {
    const world = emptyWorld()
    const { exitCode, stderr } = await world.run(['init', '--export'], { env: {} })
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('GATEWRIGHT_API_KEY')])
    expect(filesIn(world)).toEqual([])
  })
})
