import { spawnSync } from 'node:child_process'
import { chmodSync, rmSync } from 'node:fs'

/** Builds dist/ afresh, so that no file of an earlier build stays behind, and makes the program executable. */

rmSync('dist', { recursive: true, force: true })
const { status } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], {
  stdio: 'inherit',
})
if (status === 0) chmodSync('dist/bin.js', 0o755)
process.exitCode = status ?? 1
