import { execFile, execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { startPlatform } from '../../src/platform/listen.js'

/** The package as npm packs it, in a program that imports it: the one that the docs show. */

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)

function folder(name: string): string {
  const made = mkdtempSync(join(tmpdir(), `gatewright-${name}-`))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

/** Builds and packs a copy of the sources, and unpacks it among the dependencies of a program. */
async function installed(): Promise<string> {
  const copy = folder('package')
  const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly files: readonly string[]
  }
  const sources = ['package.json', 'tsconfig.json', 'tsconfig.build.json', 'README.md', 'LICENSE', 'scripts', 'src']
  for (const each of [...sources, ...files.filter((file) => file !== 'dist')]) {
    cpSync(join(root, each), join(copy, each), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  await run('npm', ['pack', '--pack-destination', copy], { cwd: copy })
  const tarball = readdirSync(copy).find((file) => file.endsWith('.tgz')) ?? ''
  const program = folder('program')
  const modules = join(program, 'node_modules')
  mkdirSync(join(modules, '@types'), { recursive: true })
  for (const name of readdirSync(join(root, 'node_modules')).filter((each) => !/^[.]|^@types$/.test(each))) {
    symlinkSync(join(root, 'node_modules', name), join(modules, name))
  }
  symlinkSync(join(root, 'node_modules/@types/node'), join(modules, '@types/node'))
  mkdirSync(join(modules, 'gatewright'))
  execFileSync('tar', ['-xzf', join(copy, tarball), '--strip-components=1', '-C', join(modules, 'gatewright')])
  return program
}

test('the program of the docs compiles against the packed package, and plans, applies, looks for drift and exports', async () => {
  const program = await installed()
  const [, code = ''] = /```ts\n([\s\S]*?)```/.exec(readFileSync(join(root, 'docs/programs.md'), 'utf8')) ?? []
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
    env: {
      PATH: process.env.PATH,
      GATEWRIGHT_URL: platform.url,
      GATEWRIGHT_AREA: platform.area,
      GATEWRIGHT_API_KEY: platform.apiKey,
      GATEWRIGHT_API_SECRET: platform.apiSecret,
      GATEWRIGHT_USERNAME: platform.username,
      GATEWRIGHT_PASSWORD: platform.password,
    },
  })
  expect(stderr).toBe('')
  expect(stdout.trim().split('\n')).toEqual(['1 changes []', 'done 1', 'no drift', expect.stringContaining('export/')])
}, 120_000)
