import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { startPlatform } from '../../src/platform/listen.js'
import { installPackage } from './packed.js'

/** The package as npm packs it, in a program that imports it: the one that the docs show. */

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)

function folder(name: string): string {
  const made = mkdtempSync(join(tmpdir(), `gatewright-${name}-`))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

test('the program of the docs compiles against the packed package, and plans, applies, looks for drift and exports', async () => {
  const program = folder('program')
  await installPackage(program)
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
