import { spawnSync } from 'node:child_process'
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { bundleOptions, fewFiles, interfaceFile, programFile } from './bundle.js'
import { noticesOf } from './notices.js'

/**
 * Builds dist/ from scratch, so that no file of an earlier build remains: a bundle of the program and its programming interface,
 * the types of the interface, and the licences of the bundled packages.
 */

/** Newer versions of Node cache compiled code, unless NODE_DISABLE_COMPILE_CACHE is set. */
const start = `#!/usr/bin/env node
import module from 'node:module'
module.enableCompileCache?.()
await import('./bundle/bin.js')
`

rmSync('dist', { recursive: true, force: true })
const { status } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], {
  stdio: 'inherit',
})
if (status === 0) {
  keepReached('dist/types', 'index.d.ts')
  // The output is two folders below the package, like src/cli, so that the paths to package.json and schemas/ are the same.
  const options = { ...bundleOptions, entryPoints: [programFile, interfaceFile], outdir: 'dist/bundle' }
  const plugins = [await fewFiles(options), ...bundleOptions.plugins]
  const { metafile } = await build({ ...options, plugins, metafile: true })
  writeFileSync('dist/bundle/LICENSES.txt', noticesOf(Object.keys(metafile.inputs)))
  writeFileSync('dist/bin.js', start)
  chmodSync('dist/bin.js', 0o755)
}
process.exitCode = status ?? 1

/** Removes the type declarations that the entry does not import. */
function keepReached(folder: string, entry: string): void {
  const reached = new Set<string>()
  const visit = (file: string): void => {
    if (reached.has(file)) return
    reached.add(file)
    const text = readFileSync(join(folder, file), 'utf8')
    for (const [, path = ''] of text.matchAll(/(?:from|import\() ?['"](\.[^'"]+)\.js['"]/g)) {
      visit(join(dirname(file), `${path}.d.ts`))
    }
  }
  visit(entry)
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (file.endsWith('.d.ts') && !reached.has(file)) rmSync(join(folder, file))
  }
}
