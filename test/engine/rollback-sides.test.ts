import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/json.js'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import type { World } from '../kit/world.js'
import { makes } from '../other-make/worlds.js'

/** API keys and OAuth exclude each other at an endpoint (A363), and some manifests write both: a rollback removes nothing. */

const area = (more: JsonObject) => [
  document('Domain', 'example.com'),
  document('Service', 'S', {
    endpoints: [{ name: 'e', requestPathAlias: '/e', trafficManagerDomain: 'example.com', ...more }],
  }),
]
const grants = { oauthGrantTypes: ['password'] }
const byKey = { requestAuthenticationType: 'apiKey', ...grants }
const allow = ['--allow', 'AUTH_WEAKENED']

async function changed(world: World, before: JsonObject, after: JsonObject): Promise<void> {
  for (const more of [before, after]) {
    world.declare(...area(more))
    expect((await world.apply(...allow)).exitCode).toBe(0)
  }
}

const cases: readonly (readonly [string, JsonObject, JsonObject])[] = [
  ['cleared', byKey, { requestAuthenticationType: null, ...grants }],
  ['changed', byKey, { requestAuthenticationType: 'oauth', ...grants }],
]

test.each(makes.flatMap(([name, make]) => cases.map((each) => [name, each[0], make, each[1], each[2]] as const)))(
  'on the make "%s" the settings of both sides stay if the way to authenticate is %s',
  async (_, __, make, before, after) => {
    const world = make()
    await changed(world, before, after)
    const back = await world.run(['rollback', 'latest', '--yes', ...allow])
    expect([back.exitCode, back.stderr]).toEqual([0, back.stderr])
    world.declare(...area(before))
    expect((await world.plan()).changes).toEqual([])
  },
)

test.each(makes)('on the make "%s" settings that somebody has changed since stay', async (_, make) => {
  const world = make()
  await changed(world, byKey, { requestAuthenticationType: 'oauth', ...grants })
  const rest = await restOf(world.make)
  const [service] = await rest.get('/services')
  const path = `/services/${service?.id}/endpoints`
  const [found] = await rest.get(path)
  await rest.put(`${path}/${found?.id}`, { id: found?.id ?? null, oauthGrantTypes: ['implicit'] })
  const back = await world.run(['rollback', 'latest', '--yes', ...allow])
  expect([back.exitCode, back.stderr]).toEqual([0, back.stderr])
  const [now] = await rest.get(`${path}?fields=requestAuthenticationType,oauthGrantTypes`)
  expect([now?.requestAuthenticationType, [now?.oauthGrantTypes].flat()]).toEqual(['apiKey', ['implicit']])
})
