import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { exported, filesIn, variablesOf } from '../kit/exports.js'
import { environment, type Make, worldIn } from '../kit/world.js'
import { areas, type DrawnArea, manifestsOf } from './area.js'
import { applied, platform, runs, within } from './within.js'

const cases = [
  ['document', () => platform()],
  ['recorded', () => platform({ dialect: 'recorded' })],
] as const

describe.each(cases)('on the make "%s"', (_, make) => {
  test('the plan of an export is empty, a second one writes nothing, and an empty area takes it', async () => {
    await fc.assert(
      fc.asyncProperty(areas('known').filter(isRepeatable), (area) =>
        within(make(), area, async (world) => {
          await applied(world)
          const files = await exported(world)
          const env = { ...environment, ...(await variablesOf(world.make)) }
          const planned = await world.run(['plan', '-o', 'json'], { env })
          expect(planned.json().diagnostics.filter((each) => each.severity === 'error')).toEqual([])
          expect(planned.json().changes).toEqual([])
          expect(planned.json().unmanaged.filter((each) => each.inList)).toEqual([])
          expect((await world.run(['export', '--dir', 'manifests', '-o', 'json'])).json().files).toEqual([])
          expect(filesIn(world, 'manifests')).toEqual(files)
          expect(await exportOfCopy(make(), files, env)).toEqual(files)
        }),
      ),
      runs(8),
    )
  }, 600_000)
})

/** A key whose status was emptied cannot be made anew: the platform gives every new key one. */
const isRepeatable = (area: DrawnArea): boolean => !JSON.stringify(manifestsOf(area)).includes('"status":""')

/** Applies the files to an empty area, and exports that one. */
async function exportOfCopy(
  make: Make,
  files: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  const dir = mkdtempSync(join(tmpdir(), 'gatewright-export-'))
  try {
    const world = worldIn(dir, make, { env })
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(dir, 'manifests', path)), { recursive: true })
      writeFileSync(join(dir, 'manifests', path), text)
    }
    const run = await world.apply('--allow', 'ID_CHANGE')
    expect(run.json().diagnostics?.filter((each) => each.severity === 'error') ?? []).toEqual([])
    expect(run.exitCode).toBe(0)
    return await exported(world)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}
