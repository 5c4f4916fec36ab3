import { spawnSync } from 'node:child_process'
import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { build } from 'esbuild'
import { bundleOptions } from './bundle.js'

/**
 * Builds dist/ afresh, so that no file of an earlier build stays behind: the modules as they are, and beside them the bundle
 * that the program starts from. Loading a hundred small files takes longer than all that most commands do.
 */

/** Newer Nodes keep what they compile, unless NODE_DISABLE_COMPILE_CACHE is set. */
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
  // Two folders below the package, as src/cli is: paths to package.json and schemas/ stay the same.
  await build({ ...bundleOptions, entryPoints: ['src/bin.ts'], outdir: 'dist/bundle' })
  writeFileSync('dist/bin.js', start)
  chmodSync('dist/bin.js', 0o755)
}
process.exitCode = status ?? 1
