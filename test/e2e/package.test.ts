import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { publint } from 'publint'
import { describe, expect, it, type TestContext, test } from 'vitest'
import { commandName, commands } from '../../src/cli/commands.js'
import { type RunningPlatform, startPlatform } from '../../src/platform/listen.js'
import { installPackage, packed } from './packed.js'

/** The package as npm packs it: installed in an empty folder, and in the program in the docs that imports it. */

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)

describe.concurrent('the package', () => {
  it('is small and complete, and installs as one package without a script', async (context) => {
    const tarball = await packed()
    expect(statSync(tarball).size).toBeLessThan(1_300_000)
    const empty = folder(context, 'empty')
    const cache = join(empty, 'cache')
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', '--cache', cache, tarball], { cwd: empty })
    expect(readdirSync(join(empty, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['gatewright'])
    const installed = join(empty, 'node_modules/gatewright')
    const { scripts } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
      readonly scripts: Readonly<Record<string, string>>
    }
    const ofInstall = ['preinstall', 'install', 'postinstall', 'preprepare', 'prepare', 'postprepare', 'prepublish']
    expect(Object.keys(scripts).filter((name) => ofInstall.includes(name))).toEqual([])
    expect(readdirSync(join(installed, 'dist')).sort()).toEqual(['bin.js', 'bundle', 'types'])
    expect(readdirSync(join(installed, 'dist/types'), { recursive: true, encoding: 'utf8' })).toContain('index.d.ts')
    expect(readFileSync(join(installed, 'dist/bundle/LICENSES.txt'), 'utf8')).toMatch(/^commander 14[^\n]*\(MIT\)$/m)
    const { messages } = await publint({ pkgDir: installed, pack: false, strict: true })
    expect(messages).toEqual([])
  })

  it('has every command, in a folder with nothing else, or reports which package to add', async (context) => {
    const empty = folder(context, 'commands')
    await installPackage(empty)
    const platform = await startPlatform({ autoApprove: true, idSeed: 'package' })
    context.onTestFinished(() => platform.close())
    const env = environmentOf(platform)
    const program = join(empty, 'node_modules/.bin/gatewright')
    const ended = async (command: string, args: readonly string[]) => {
      const child = spawn(command, args, { cwd: empty, env, stdio: ['ignore', 'pipe', 'pipe'] })
      let output = ''
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => {
          output += text
        })
      }
      const [code] = await once(child, 'close')
      return { code, output }
    }
    const gatewright = (...args: readonly string[]) => ended(program, args)
    for (const [expected, ...args] of story) {
      const { code, output } = await gatewright(...args)
      expect(code, `${args.join(' ')}\n${output}`).toBe(expected)
    }
    const kept = await gatewright('platform', '--data', 'area.db', '--port', 'x')
    expect(kept).toMatchObject({ code: 1, output: expect.stringContaining('--port') })
    writeFileSync(join(empty, 'calls.mjs'), calls)
    const lines = JSON.stringify(others.map(([, ...args]) => args))
    expect(await ended(process.execPath, ['calls.mjs', lines])).toEqual({ code: 0, output: '' })
    const answers = JSON.parse(readFileSync(join(empty, 'answers.json'), 'utf8')) as readonly {
      readonly code: number
      readonly output: string
    }[]
    expect(answers).toHaveLength(others.length)
    for (const [index, [expected, ...args]] of others.entries()) {
      expect(answers[index]?.code, `${args.join(' ')}\n${answers[index]?.output}`).toBe(expected)
      expect(answers[index]?.output, args.join(' ')).not.toBe('')
    }
    const called = [...story, ...others].map(([, ...args]) => args.join(' '))
    const isCalled = (name: string) => called.some((line) => line.startsWith(name))
    expect(commands.map(commandName).filter((name) => name !== 'platform' && !isCalled(name))).toEqual([])
  })

  it('keeps the records in PostgreSQL, and the embedded platform in a file, with packages that it names', async (context) => {
    const empty = folder(context, 'optional')
    await installPackage(empty)
    const gatewright = (...args: readonly string[]) =>
      run(join(empty, 'node_modules/.bin/gatewright'), args, { cwd: empty, env: { PATH: process.env.PATH } }).then(
        () => 'done',
        ({ stderr }: { readonly stderr: string }) => stderr,
      )
    writeFileSync(
      join(empty, 'gatewright.yaml'),
      'apiVersion: gatewright/v1\nkind: Project\nmetadata: {name: shop}\nspec: {records: "postgres://localhost/shop"}\n',
    )
    const history = await gatewright('history', '--url', 'http://127.0.0.1:1', '--area', 'x')
    expect(history).toContain('npm install pg@8')
    // An invalid snapshot ends the platform at once, if it could open its file.
    writeFileSync(join(empty, 'seed.json'), '{"services": [{"name": []}]}')
    const platform = await gatewright('platform', '--port', '0', '--data', 'area.db', '--seed', 'seed.json')
    expect(platform).toContain(isBuiltin('node:sqlite') ? 'correct the seed' : 'npm install libsql@0.5')
    expect(existsSync(join(empty, 'area.db'))).toBe(isBuiltin('node:sqlite'))
  })
})

type Line = readonly [exitCode: number, ...args: readonly string[]]

/** Lines that depend on those before, each in a separate process. */
const story: readonly Line[] = [
  [0, 'init', '--yes', '--name', 'shop', '--ci', 'none'],
  [0, 'validate'],
  [0, 'explain', 'Endpoint'],
  [0, 'schema', 'Service'],
  [0, 'render'],
  [0, 'plan', '--prove', '--out', 'shop.plan.json'],
  [0, 'apply', 'shop.plan.json', '--yes', '--allow', 'KEY_LOSS'],
  [0, 'drift'],
  [0, 'get', 'Service'],
  [0, 'snapshot', '--out', 'shop.snapshot.json'],
  [0, 'diff', 'shop.snapshot.json', 'live'],
  [0, 'export', '--dir', 'export'],
  [0, 'history'],
  [0, 'show', 'latest'],
  [0, 'rollback', 'latest', '--yes'],
  [0, 'completion', 'zsh'],
]

/** Lines that end by themselves: all in one process. */
const others: readonly Line[] = [
  [1, 'promote', 'dev', 'prod'],
  [0, 'policy', 'test'],
  [1, 'import', 'openapi', 'none.yaml'],
  [1, 'secret', 'encrypt'],
  [1, 'secret', 'rotate'],
  [1, 'fleet', 'drift'],
  [1, 'fleet', 'plan'],
  [1, 'fleet', 'apply'],
  [1, 'fleet', 'validate'],
  [1, 'fleet', 'list'],
  [1, 'fleet', 'serve'],
  [1, 'fleet', 'status'],
  [1, 'fleet', 'history'],
  [1, 'fleet', 'rollout', 'start'],
  [1, 'fleet', 'rollout', 'approve'],
  [1, 'fleet', 'rollout', 'pause'],
  [1, 'fleet', 'rollout', 'resume'],
  [1, 'fleet', 'rollout', 'stop'],
  [0, 'complete', '--', 'plan', '-'],
  [1, 'plan', '--env', 'none'],
]

/** Runs the installed program once for each line: modules that one line has loaded are not loaded again. */
const calls = `
import { writeFileSync } from 'node:fs'
const program = new URL('node_modules/gatewright/dist/bundle/bin.js', import.meta.url)
const lines = JSON.parse(process.argv[2])
let output = ''
for (const stream of [process.stdout, process.stderr]) {
  stream.write = (text, done) => {
    output += text
    if (typeof done === 'function') done()
    return true
  }
}
const answers = []
for (const [index, args] of lines.entries()) {
  output = ''
  process.argv = [process.argv[0], program.pathname, ...args]
  await import(program.href + '?' + index)
  answers.push({ code: process.exitCode, output })
}
writeFileSync('answers.json', JSON.stringify(answers))
process.exit(0)
`

const environmentOf = ({ url, area, apiKey, apiSecret, username, password }: RunningPlatform) => ({
  PATH: process.env.PATH,
  GATEWRIGHT_URL: url,
  GATEWRIGHT_AREA: area,
  GATEWRIGHT_API_KEY: apiKey,
  GATEWRIGHT_API_SECRET: apiSecret,
  GATEWRIGHT_USERNAME: username,
  GATEWRIGHT_PASSWORD: password,
})

function folder({ onTestFinished }: TestContext, name: string): string {
  const made = mkdtempSync(join(tmpdir(), `gatewright-${name}-`))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

test.concurrent('the program of the docs compiles with the packed package, and plans, applies, checks for drift and exports', async (context) => {
  const program = folder(context, 'program')
  await installPackage(program)
  // Its types need only the types of Node.
  mkdirSync(join(program, 'node_modules/@types'))
  for (const name of ['@types/node', 'undici-types']) {
    symlinkSync(join(root, 'node_modules', name), join(program, 'node_modules', name))
  }
  const [, code = ''] =
    /```ts\n([\s\S]*?)```/.exec(readFileSync(join(root, 'docs/reference/programs.md'), 'utf8')) ?? []
  writeFileSync(join(program, 'package.json'), '{"type": "module"}')
  writeFileSync(join(program, 'program.ts'), code)
  writeFileSync(
    join(program, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        ...{ target: 'ES2023', module: 'nodenext', strict: true, exactOptionalPropertyTypes: true },
        ...{ types: ['node'], outDir: 'built' },
      },
      files: ['program.ts'],
    }),
  )
  mkdirSync(join(program, 'shop/manifests'), { recursive: true })
  writeFileSync(
    join(program, 'shop/gatewright.yaml'),
    'apiVersion: gatewright/v1\nkind: Project\nmetadata: {name: shop}\nspec: {manifests: [manifests]}\n',
  )
  writeFileSync(
    join(program, 'shop/manifests/orders.yaml'),
    'apiVersion: gatewright/v1\nkind: Service\nmetadata: {name: Orders}\nspec: {description: all orders}\n',
  )
  await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', program])
  const platform = await startPlatform({ idSeed: 'package' })
  context.onTestFinished(() => platform.close())
  const { stdout, stderr } = await run(process.execPath, ['built/program.js'], {
    cwd: program,
    env: environmentOf(platform),
  })
  expect(stderr).toBe('')
  expect(stdout.trim().split('\n')).toEqual(['1 changes []', 'done 1', 'no drift', expect.stringContaining('export/')])
})
