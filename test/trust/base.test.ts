import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/catalog/types.js'
import { createPlatform } from '../../src/platform/server.js'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { type Make, testClock, world } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'

/** What records keep of an object is what was sent of it, and nothing of what is gone. */

const platform = (dialect: 'document' | 'recorded') => {
  const clock = testClock()
  return createPlatform({ autoApprove: true, idSeed: 'test', now: clock.now, dialect })
}

const makes: readonly (readonly [string, () => Make])[] = [
  ['document', () => platform('document')],
  ['recorded', () => platform('recorded')],
  ['another', () => createOtherMake({ defaultErrorSet: 'unless given' })],
]

const domain = document('Domain', 'example.com', {})
const endpoint = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  requestPathAlias: `/${name}`,
  trafficManagerDomain: 'api.example.com',
  publicDomains: ['api.example.com'],
  systemDomains: ['in.example.com'],
  ...more,
})
const service = (...endpoints: readonly JsonObject[]) => document('Service', 'S', { endpoints })

/** The one endpoint "e" of the one service, by its path. */
async function pathOfEndpoint(make: Make): Promise<string> {
  const rest = await restOf(make)
  const [one] = await rest.get('/services')
  const [inner] = await rest.get(`/services/${one?.id}/endpoints`)
  return `/services/${one?.id}/endpoints/${inner?.id}`
}

test.each(makes)('on the make "%s" a cache that was removed may be written again', async (_, make) => {
  const area = world(make())
  for (const contentCacheKeyHeaders of ['accept', null, 'accept-charset', null, 'accept-charset']) {
    const cache = contentCacheKeyHeaders === null ? null : { contentCacheKeyHeaders }
    area.declare(domain, service(endpoint('e', { cache })))
    expect((await area.run(['plan'])).stdout).not.toMatch(/\((drift|conflict)\)/)
    const run = await area.apply()
    expect(run.exitCode, run.stdout).toBe(0)
    expect((await area.plan()).changes).toEqual([])
    expect((await area.drift()).exitCode).toBe(0)
  }
})

test.each(makes)(
  'on the make "%s" a cache that somebody removed, and git has changed, is told as drift',
  async (_, make) => {
    const area = world(make())
    area.declare(domain, service(endpoint('e', { cache: { contentCacheKeyHeaders: 'accept' } })))
    await area.apply()
    const rest = await restOf(area.make)
    await rest.remove(`${await pathOfEndpoint(area.make)}/cache`)
    area.declare(domain, service(endpoint('e', { cache: { contentCacheKeyHeaders: 'accept-charset' } })))
    const plan = await area.run(['plan'])
    expect(plan.exitCode, plan.stdout).toBe(0)
    expect(plan.stdout).toContain('(drift)')
    expect((await area.apply()).exitCode).toBe(0)
  },
)
