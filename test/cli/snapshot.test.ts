import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/catalog/types.js'
import { canaries, storefront } from '../kit/storefront.js'
import { embedded, environment, type World } from '../kit/world.js'

type Held = Readonly<Record<string, readonly JsonObject[]>>

const env = { ...environment, ...canaries }

/** The storefront, applied. */
async function shop(dialect: 'document' | 'recorded' = 'document'): Promise<World> {
  const world = embedded({ dialect }, { env })
  world.declare(...storefront)
  const applied = await world.apply()
  expect(applied.exitCode, applied.stdout).toBe(0)
  world.requests()
  return world
}

const textIn = (world: World, file: string) => readFileSync(join(world.dir, file), 'utf8')

const heldIn = (world: World, file: string): Held => JSON.parse(textIn(world, file)) as Held

describe.each(['document', 'recorded'] as const)('snapshot, in the dialect %s', (dialect) => {
  it('holds the whole area, nested as the interface answers it, and is read with GET only', async () => {
    const world = await shop(dialect)
    const { exitCode, stdout } = await world.run(['snapshot', '--out', 'area.json'])
    console.log(stdout, textIn(world,'area.json').slice(0,3000))
    expect(exitCode).toBe(0)
    expect(new Set(world.requests().map((request) => request.method))).toEqual(new Set(['GET']))
    const held = heldIn(world, 'area.json')
    expect(Object.keys(held)).toEqual(['services', 'scheduledMaintenanceEvents', 'domains', 'packages', 'roles', 'members'])
    expect(statSync(join(world.dir, 'area.json')).mode & 0o777).toBe(0o600)
    for (const k of ['service','endpoint','PackageKey','members','errormessage','ScheduledMaintenanceEvent','PlanService','cache','plan']) console.log((await world.run(['get', k])).stdout.slice(0,800))
    console.log((await world.run(['get', 'Endpoint','orders'])).stdout, (await world.run(['get', 'Endpoint','orders', '-o','yaml'])).stdout,(await world.run(['get', 'PackageKey', '-o','json'])).stdout)
    console.log((await world.run(['get', 'Service/Orders API/Endpoint/orders/Cache'])).stdout,(await world.run(['get', 'Service/Orders'])).stderr)
    console.log((await world.run(['plan', '--snapshot', 'area.json'], {env: canaries})))
  })
})
