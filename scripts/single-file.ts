import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { oneFileOptions, programFile } from './bundle.js'
import { noticesOf } from './notices.js'

/**
 * Builds the program as a single file for Node, build/gatewright.mjs. If this Node can, it also builds an executable for this
 * system that contains Node, build/gatewright.
 */

const folder = 'build'
const main = join(folder, 'gatewright.mjs')
const output = join(folder, process.platform === 'win32' ? 'gatewright.exe' : 'gatewright')

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder)
const { metafile } = await build({ ...oneFileOptions, entryPoints: [programFile], outfile: main, metafile: true })
writeFileSync(join(folder, 'LICENSES.txt'), noticesOf(Object.keys(metafile.inputs)))
console.log(`${main}: run it with Node 20.19 or later`)

if (spawnSync(process.execPath, ['--help'], { encoding: 'utf8' }).stdout.includes('--build-sea')) {
  const config = join(folder, 'sea.json')
  writeFileSync(config, JSON.stringify({ main, mainFormat: 'module', output, disableExperimentalSEAWarning: true }))
  const { status } = spawnSync(process.execPath, ['--build-sea', config], { stdio: 'inherit' })
  rmSync(config)
  if (status === 0) console.log(`${output}: runs without Node`)
  process.exitCode = status ?? 1
} else {
  console.log(`No ${output}: Node ${process.version} cannot build it. With Node 25.5 or later:`)
  console.log(`  npx -y -p node@26 -c 'npm run single-file'`)
}
