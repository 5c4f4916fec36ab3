import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { TestProject } from 'vitest/node'
import { bundleOptions, fewFiles } from '../scripts/bundle.js'

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder with the built program. */
    readonly built: string
  }
}

const root = join(import.meta.dirname, '..')

/** Builds the program once for all tests that start it: the published form starts in a tenth of the time of its source. */
export async function setup({ provide }: TestProject): Promise<() => void> {
  // Beside dist/, because the program searches there for package.json, schemas/ and the modules that are not bundled.
  const folder = mkdtempSync(join(root, 'dist-test-'))
  const outdir = join(folder, 'bundle')
  const options = { ...bundleOptions, outdir, entryPoints: [join(root, 'src/bin.ts')] }
  const workers = {
    child: join(root, 'test/stores/child.ts'),
    'fleet-worker': join(root, 'test/fleet/serve/worker.ts'),
    'workflow-worker': join(root, 'test/workflows/worker.ts'),
  }
  await Promise.all([
    build({ ...options, plugins: [await fewFiles(options), ...bundleOptions.plugins] }),
    build({ ...options, entryPoints: workers }),
  ])
  provide('built', outdir)
  return () => rmSync(folder, { recursive: true, force: true })
}
