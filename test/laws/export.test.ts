import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { exported, filesIn, variablesOf } from '../kit/exports.js'
import { environment, type Make, type World, worldIn } from '../kit/world.js'
import { areas, type DrawnArea, manifestsOf } from './area.js'
import { applied, makes, runs, within } from './within.js'

/** The purpose of an export: nothing must be set, nothing is changed. */
async function changesNothing(world: World, env: Readonly<Record<string, string>>): Promise<void> {
  const io = { env }
  const validated = await world.run(['validate', '-o', 'json'], io)
  expect([validated.exitCode, validated.stdout]).toEqual([0, expect.not.stringContaining('unset-variable')])
  const planned = (await world.run(['plan', '-o', 'json'], io)).json()
  expect(planned.diagnostics.filter((each) => each.severity === 'error')).toEqual([])
  expect(planned.changes).toEqual([])
  expect(planned.unmanaged.filter((each) => each.inList)).toEqual([])
  expect((await world.run(['drift', '-o', 'json'], io)).exitCode).toBe(0)
}

describe.each(makes)('on the make "%s"', (_, origin, make) => {
  test('without any secret set, plan and drift of an export are empty, and a second one writes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(areas(origin), fc.constantFrom([], ['--full']), (area, form) =>
        within(make(), area, async (world) => {
          await applied(world)
          const files = await exported(world, ...form)
          expect(JSON.stringify(files)).not.toMatch(/(?<!\$)\$\{env:/)
          await changesNothing(world, environment)
          expect((await world.run(['export', '--dir', 'manifests', '-o', 'json', ...form])).json().files).toEqual([])
          expect(filesIn(world, 'manifests')).toEqual(files)
        }),
      ),
      runs(6),
    )
  })
})

describe.each(makes)('on the make "%s"', (name, origin, make) => {
  test('with its secrets, the plan of an export is empty as well, and an empty area accepts it', async () => {
    await fc.assert(
      fc.asyncProperty(areas(origin).filter(isRepeatable), (area) =>
        within(make(), area, async (world) => {
          await applied(world)
          const files = await exported(world, '--with-secrets')
          const env = { ...environment, ...(await variablesOf(world.make)) }
          await changesNothing(world, env)
          expect((await world.run(['export', '--dir', 'manifests', '-o', 'json'])).json().files).toEqual([])
          expect(filesIn(world, 'manifests')).toEqual(files)
          // The other make fills in no defaults: the written values are not those of the export.
          if (name !== 'another') expect(await exportOfCopy(make(), files, env)).toEqual(files)
        }),
      ),
      runs(6),
    )
  })
})

/** A key whose status was emptied cannot be created again: the platform gives every new key a status. */
const isRepeatable = (area: DrawnArea): boolean => !JSON.stringify(manifestsOf(area)).includes('"status":""')

/** Applies the files to an empty area, and exports that area. */
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
    return await exported(world, '--with-secrets')
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}
