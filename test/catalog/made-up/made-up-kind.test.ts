import { readFileSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { bundleOptions } from '../../../scripts/bundle.js'
import type { createPlatform } from '../../../src/platform/server.js'
import { temporaryFolder } from '../../kit/folder.js'
import type { World, worldIn } from '../../kit/world.js'
import { Gadget } from './gadget.js'

/**
 * A new kind needs one table: the whole program is built with a made-up kind in the catalogue and without any other change, and
 * supports its objects like all others.
 */

/** The program with the made-up kind, and a platform that has it, too. */
interface Program {
  readonly worldIn: typeof worldIn
  readonly createPlatform: typeof createPlatform
}

const root = join(import.meta.dirname, '../../..')
let program: Program

beforeAll(async () => {
  const outfile = join(dirname(inject('built')), 'made-up/program.js')
  const contents = "export * from './test/kit/world.js'\nexport * from './src/platform/server.js'"
  await build({
    ...bundleOptions,
    splitting: false,
    stdin: { contents, resolveDir: root, loader: 'ts' },
    plugins: [...(bundleOptions.plugins ?? []), withGadget],
    outfile,
  })
  program = await import(pathToFileURL(outfile).href)
})

/** Lists the kind in the catalogue as one would by hand. */
const withGadget: Plugin = {
  name: 'with-gadget',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]catalog[\\/]catalog\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      const table = JSON.stringify(join(import.meta.dirname, 'gadget.ts'))
      const listed = text.replace('\n} as const satisfies', '\n  Gadget,\n} as const satisfies')
      return { contents: `import { Gadget } from ${table}\n${listed}`, loader: 'ts' }
    })
  },
}

function newWorld(): World {
  const make = program.createPlatform({ autoApprove: true, idSeed: 'made-up', now: () => Date.UTC(2026, 10, 21) })
  const dir = temporaryFolder()
  return program.worldIn(dir, make)
}

const document = (kind: string, name: string, spec: object) => ({
  apiVersion: 'gatewright/v1',
  kind,
  metadata: { name },
  spec,
})
const service = document('Service', 'Doors', {})
const gadget = (more: object = {}) =>
  document('Gadget', 'Front door', {
    ...{ size: 5, colours: ['green'], serial: 's-1', pin: 'quite-secret', serves: 'Doors' },
    ...more,
  })

function declare(world: World, ...documents: readonly object[]): void {
  world.write('manifests/all.yaml', documents.map((each) => JSON.stringify(each)).join('\n---\n'))
}

const actions = async (world: World) =>
  (await world.plan()).changes.map(({ action, address }) => `${action} ${address}`)

/** A world in which the gadget has been applied. */
async function applied(more: object = {}): Promise<World> {
  const world = newWorld()
  declare(world, gadget(more), service)
  expect((await world.apply()).exitCode).toBe(0)
  return world
}

describe('a kind that is one more table', () => {
  it('is created after the objects that it refers to and that its row names, and then nothing is left to do', async () => {
    const world = newWorld()
    declare(world, gadget(), service)
    expect(await actions(world)).toEqual(['create Service/Doors', 'create Gadget/Front door'])
    const { exitCode, stdout, stderr } = await world.apply()
    expect(exitCode).toBe(0)
    expect(stdout + stderr).not.toContain('quite-secret')
    expect(await actions(world)).toEqual([])
    expect((await world.drift()).exitCode).toBe(0)
  })

  it('is updated, replaced if a field cannot change, and deleted', async () => {
    const world = await applied()
    declare(world, gadget({ size: 6 }), service)
    expect(await actions(world)).toEqual(['update Gadget/Front door'])
    declare(world, gadget({ serial: 's-2' }), service)
    expect(await actions(world)).toEqual(['replace Gadget/Front door'])
    declare(world, service)
    expect(await actions(world)).toEqual(['delete Gadget/Front door'])
    expect((await world.apply()).exitCode).toBe(0)
    expect(await actions(world)).toEqual([])
  })

  it('is simulated on the embedded platform, which accepts a snapshot with it', async () => {
    const world = await applied()
    declare(world, gadget({ size: 6 }), service)
    expect(await world.run(['plan', '--prove'])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('Proved'),
    })
  })

  it('is checked offline', async () => {
    const world = newWorld()
    declare(world, gadget({ size: 10, colour: 'red', colours: ['blue'], serves: 'Dors' }), service)
    const run = await world.run(['validate', '-o', 'json'])
    expect(run.exitCode).toBe(1)
    expect(run.json().diagnostics.map(({ code }) => code)).toEqual(
      expect.arrayContaining(['out-of-range', 'unknown-field', 'unknown-value', 'undeclared-reference']),
    )
  })

  it('is exported, displayed and explained, and has a schema', async () => {
    const world = await applied({ pin: undefined })
    rmSync(join(world.dir, 'manifests'), { recursive: true })
    expect((await world.run(['export', '--dir', 'manifests'])).exitCode).toBe(0)
    expect(await actions(world)).toEqual([])
    expect((await world.run(['get', 'Gadget', 'Front door'])).stdout).toContain('s-1')
    expect((await world.run(['explain', 'Gadget'])).stdout).toContain(Gadget.about)
    expect((await world.run(['schema', 'Gadget'])).json()).toMatchObject({ title: 'Gadget' })
  })

  it('is part of a snapshot, and is restored in a rollback', async () => {
    const world = await applied()
    expect((await world.run(['snapshot', '--out', 'area.json'])).exitCode).toBe(0)
    expect(readFileSync(join(world.dir, 'area.json'), 'utf8')).toContain('s-1')
    declare(world, service)
    await world.apply()
    declare(world, gadget(), service)
    expect(await actions(world)).toEqual(['create Gadget/Front door'])
    await world.run(['rollback', 'latest', '--yes'])
    // No record contains a secret: this is all that is left to do.
    expect((await world.plan()).changes.map(({ action, fields }) => [action, fields.map(({ path }) => path)])).toEqual([
      ['update', ['/pin']],
    ])
  })
})
