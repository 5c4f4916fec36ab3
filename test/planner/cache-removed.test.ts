import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/json.js'
import { document } from '../kit/manifests.js'
import { embedded } from '../kit/world.js'

const domain = document('Domain', 'example.com')
const endpoint = { name: 'e', requestPathAlias: '/e', trafficManagerDomain: 'example.com' }
const service = (cache?: JsonObject) =>
  document('Service', 'S', { endpoints: [{ ...endpoint, ...(cache && { cache }) }] })
const removed = { kind: 'Removed', metadata: { address: 'Service/S/Endpoint/e/Cache' } } as const

test.each([
  ['document', { clientSurrogateControlEnabled: true }],
  ['recorded', { clientSurrogateControlEnabled: true }],
  ['recorded', { cacheTtlOverride: 5 }],
  ['recorded', { contentCacheKeyHeaders: ['accept'] }],
] as const)('a Removed document deletes a cache, and it does not come back (%s, %j)', async (dialect, cache) => {
  for (const records of ['kept', 'lost']) await isTakenAway(dialect, cache, records)
})

async function isTakenAway(dialect: 'document' | 'recorded', cache: JsonObject, records: string): Promise<void> {
  const world = embedded({ dialect })
  world.declare(domain, service(cache))
  expect((await world.apply()).exitCode).toBe(0)
  if (records === 'lost') rmSync(join(world.dir, '.gatewright'), { recursive: true })
  world.declare(domain, service(), removed)
  const run = await world.apply()
  expect(run.json().changes.map(({ action, outcome }) => `${action} ${outcome}`)).toEqual(['delete applied'])
  expect(run.exitCode).toBe(0)
  expect((await world.plan()).changes).toEqual([])
  expect((await world.drift()).exitCode).toBe(0)
}
