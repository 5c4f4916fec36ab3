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
import { describe, expect, it, onTestFinished, test } from 'vitest'
import { commands, nameOf } from '../../src/cli/commands.js'
import { type RunningPlatform, startPlatform } from '../../src/platform/listen.js'
import { installPackage, packed } from './packed.js'

/** The package as npm packs it: installed in an empty folder, and in a program that imports it, the one that the docs show. */

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)

describe('the package', () => {
  it('is small and complete, and installs as one package without a script', async () => {
    const tarball = await packed()
    expect(statSync(tarball).size).toBeLessThan(1_300_000)
    const empty = folder('empty')
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

  it('has every command, in a folder with nothing else, or says which package to add', async () => {
    const empty = folder('commands')
    await installPackage(empty)
    const platform = await startPlatform({ autoApprove: true, idSeed: 'package' })
    onTestFinished(() => platform.close())
    const env = environmentOf(platform)
    const program = join(empty, 'node_modules/.bin/gatewright')
    const called = new Set<string>()
    const gatewright = async (...args: readonly string[]) => {
      for (const name of commands.map(nameOf)) if (args.join(' ').startsWith(name)) called.add(name)
      const child = spawn(program, args, { cwd: empty, env, stdio: ['ignore', 'pipe', 'pipe'] })
      let output = ''
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => {
          output += text
        })
      }
      const [code] = await once(child, 'close')
      return { code, output }
    }
    const steps: readonly (readonly [number, string, ...string[]])[] = [
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
      [0, 'completion', 'zsh'],
      [0, 'complete', '--', 'plan', '-'],
      [1, 'plan', '--env', 'none'],
    ]
    for (const [expected, ...args] of steps) {
      const { code, output } = await gatewright(...args)
      expect(code, `${args.join(' ')}\n${output}`).toBe(expected)
    }
    const kept = await gatewright('platform', '--data', 'area.db', '--port', 'x')
    expect(kept).toMatchObject({ code: 1, output: expect.stringContaining('--port') })
    expect(commands.map(nameOf).filter((name) => !called.has(name))).toEqual([])
  })

  it('keeps the records in PostgreSQL, and the embedded platform in a file, with packages that it names', async () => {
    const empty = folder('optional')
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
    // A snapshot that is none ends the platform at once, where it could open its file.
    writeFileSync(join(empty, 'seed.json'), '{"services": [{"name": []}]}')
    const platform = await gatewright('platform', '--port', '0', '--data', 'area.db', '--seed', 'seed.json')
    expect(platform).toContain(isBuiltin('node:sqlite') ? 'correct the seed' : 'npm install libsql@0.5')
    expect(existsSync(join(empty, 'area.db'))).toBe(isBuiltin('node:sqlite'))
  })
})

const environmentOf = ({ url, area, apiKey, apiSecret, username, password }: RunningPlatform) => ({
  PATH: process.env.PATH,
  GATEWRIGHT_URL: url,
  GATEWRIGHT_AREA: area,
  GATEWRIGHT_API_KEY: apiKey,
  GATEWRIGHT_API_SECRET: apiSecret,
  GATEWRIGHT_USERNAME: username,
  GATEWRIGHT_PASSWORD: password,
})

function folder(name: string): string {
  const made = mkdtempSync(join(tmpdir(), `gatewright-${name}-`))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

test('the program of the docs compiles against the packed package, and plans, applies, looks for drift and exports', async () => {
  const program = folder('program')
  await installPackage(program)
  // All that its types need is what TypeScript knows of Node.
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
  onTestFinished(() => platform.close())
  const { stdout, stderr } = await run(process.execPath, ['built/program.js'], {
    cwd: program,
    env: environmentOf(platform),
  })
  expect(stderr).toBe('')
  expect(stdout.trim().split('\n')).toEqual(['1 changes []', 'done 1', 'no drift', expect.stringContaining('export/')])
}, 120_000)
