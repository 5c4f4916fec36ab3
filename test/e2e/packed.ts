import { execFile } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inject } from 'vitest'

/** The package as npm packs it, installed among the modules of a program. */

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)

/** Unpacks the package into `node_modules` of the folder, with its program in `.bin`: it needs nothing else. */
export async function installPackage(folder: string): Promise<void> {
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, 'gatewright'), { recursive: true })
  await run('tar', ['-xzf', await packed(), '--strip-components=1', '-C', join(modules, 'gatewright')])
  mkdirSync(join(modules, '.bin'))
  symlinkSync('../gatewright/dist/bin.js', join(modules, '.bin/gatewright'))
}

/** The tarball; a copy of the sources is packed once for all test files of a run: the first one does it, others wait. */
export async function packed(): Promise<string> {
  const copy = join(inject('built'), '../package')
  const done = join(copy, 'packed')
  try {
    mkdirSync(copy)
  } catch {
    while (!existsSync(done)) await new Promise((resolve) => setTimeout(resolve, 50))
    return readFileSync(done, 'utf8')
  }
  const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly files: readonly string[]
  }
  const sources = ['package.json', 'tsconfig.json', 'tsconfig.build.json', 'README.md', 'LICENSE', 'scripts', 'src']
  for (const each of [...sources, ...files.filter((file) => file !== 'dist')]) {
    cpSync(join(root, each), join(copy, each), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  const name = await run('npm', ['pack', '--pack-destination', copy], { cwd: copy }).then(
    () => readdirSync(copy).find((file) => file.endsWith('.tgz')) ?? '',
    (error: unknown) => error,
  )
  // Also after an error, so that nobody waits for ever.
  writeFileSync(`${done}.part`, typeof name === 'string' ? join(copy, name) : '')
  renameSync(`${done}.part`, done)
  if (typeof name !== 'string') throw name
  return join(copy, name)
}
