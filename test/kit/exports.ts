import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from '../../src/client/connect.js'
import { fetchTransport } from '../../src/client/fetch-transport.js'
import { fullSpec } from '../../src/client/full-read.js'
import { knownValues } from '../../src/engine/write-back/write-back.js'
import { indexLive } from '../../src/live/live-index.js'
import type { Snapshot } from '../../src/live/live-object.js'
import { nameVariables } from '../../src/live/variables.js'
import { masking } from '../../src/secrets/mask.js'
import { environment, type Make, testClock, type World } from './world.js'

/** The live area of a make, read in the same way as for an export. */
async function liveOf(make: Make): Promise<Snapshot> {
  const { GATEWRIGHT_URL: url, GATEWRIGHT_AREA: area, ...login } = environment
  const client = connect({
    url,
    area,
    credentials: {
      area,
      apiKey: login.GATEWRIGHT_API_KEY,
      apiSecret: login.GATEWRIGHT_API_SECRET,
      username: login.GATEWRIGHT_USERNAME,
      password: login.GATEWRIGHT_PASSWORD,
    },
    concurrency: 4,
    transport: fetchTransport((address, init) => make.fetch(new Request(address, init))),
    ...testClock(),
    mask: masking([]),
  })
  const { snapshot } = await client.read(fullSpec())
  await client.close()
  return snapshot
}

/** The variables that a user would set after an export: all variables of the area with their live values. */
export async function variablesOf(make: Make): Promise<Readonly<Record<string, string>>> {
  const snapshot = await liveOf(make)
  return knownValues(nameVariables(indexLive(snapshot)))
}

/** The YAML files of a folder by path. */
export function filesIn(world: World, folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(join(world.dir, folder), { recursive: true, encoding: 'utf8' })
  const files = names.filter((name) => name.endsWith('.yaml')).sort()
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(world.dir, folder, name), 'utf8')]))
}

/** Replaces the manifests of a world by an export of its area, and returns them. */
export async function exported(world: World, ...args: readonly string[]): Promise<Readonly<Record<string, string>>> {
  rmSync(join(world.dir, 'manifests'), { recursive: true, force: true })
  const run = await world.run(['export', '--dir', 'manifests', '-o', 'json', ...args])
  if (run.exitCode !== 0) throw new Error(run.stdout + run.stderr)
  return filesIn(world, 'manifests')
}
