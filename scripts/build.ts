import { spawnSync } from 'node:child_process'
import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { build } from 'esbuild'

/**
 * Builds dist/ afresh, so that no file of an earlier build stays behind: the modules as they are, and beside them the bundle
 * that the program starts from. Loading a hundred small files takes longer than all that most commands do.
 */

rmSync('dist', { recursive: true, force: true })
const { status } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], {
  stdio: 'inherit',
})
if (status === 0) await bundle()
process.exitCode = status ?? 1

/** Two folders below the package, as src/cli is: paths to package.json and schemas/ stay the same. */
async function bundle(): Promise<void> {
  await build({
    entryPoints: ['src/bin.ts'],
    outdir: 'dist/bundle',
    bundle: true,
    // What only some commands need stays in files of its own, loaded when they need it.
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'linked',
    // Native, or installed by those who want it.
    external: ['libsql', 'pg'],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'warning',
  })
  writeFileSync('dist/bin.js', "#!/usr/bin/env node\nimport './bundle/bin.js'\n")
  chmodSync('dist/bin.js', 0o755)
}
