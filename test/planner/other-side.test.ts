import { describe, expect, test } from 'vitest'
import { isList, type JsonObject } from '../../src/json/json.js'
import { makesWith } from '../kit/makes.js'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { world } from '../kit/world.js'

/**
 * An endpoint has either OAuth settings or API key settings: an endpoint that changes sides loses the live settings of the
 * other side (A363).
 */

const makes = makesWith()

const domain = document('Domain', 'example.com')
const service = (settings: JsonObject) =>
  document('Service', 'S', {
    endpoints: [
      {
        ...{ name: 'e', requestPathAlias: '/e', trafficManagerDomain: 'example.com', publicDomains: ['example.com'] },
        ...settings,
      },
    ],
  })
const keys = { apiKeyValueLocationKey: 'api_key', apiKeyValueLocations: ['request-body', 'request-header'] }
const withKeys = { requestAuthenticationType: 'apiKey', ...keys }
const grants = ['implicit', 'password']
const withOauth = { requestAuthenticationType: 'oauth', oauthGrantTypes: grants }

describe.each(makes)('%s', (_, makeIn) => {
  /** An endpoint with settings made by hand, and a project that has applied only the side. */
  async function setByHand(live: JsonObject, applied: JsonObject) {
    const make = makeIn()
    const own = world(make)
    own.declare(domain, service(applied))
    expect((await own.apply()).exitCode).toBe(0)
    const rest = await restOf(make)
    const [found] = await rest.get('/services?fields=id,name,endpoints.id')
    const [endpoint] = await rest.get(`/services/${String(found?.id)}/endpoints`)
    const path = `/services/${String(found?.id)}/endpoints/${String(endpoint?.id)}`
    await rest.put(path, live)
    const read = async () => {
      const [now] = await rest.get(`${path}?fields=${[...Object.keys(withKeys), 'oauthGrantTypes'].join(',')}`)
      // Lists are answered in any order.
      const sorted = Object.entries(now ?? {}).map(([name, value]) => [name, isList(value) ? [...value].sort() : value])
      return Object.fromEntries(sorted) as JsonObject
    }
    return { own, read }
  }
  const empty = [null, undefined, '', []]

  test('a change to OAuth removes the live API key settings, and a rollback restores them', async () => {
    const { own, read } = await setByHand(keys, { requestAuthenticationType: 'apiKey' })
    expect((await own.plan()).changes).toEqual([])
    own.declare(domain, service(withOauth))
    const fields = (await own.plan()).changes.flatMap((change) => change.fields.map(({ path }) => path))
    expect([...fields].sort()).toEqual([
      '/apiKeyValueLocationKey',
      '/apiKeyValueLocations',
      '/oauthGrantTypes',
      '/requestAuthenticationType',
    ])
    const run = await own.apply()
    expect([run.exitCode, run.stdout]).toEqual([0, run.stdout])
    expect((await own.plan()).changes).toEqual([])
    const now = await read()
    expect(empty).toContainEqual(now.apiKeyValueLocationKey)
    expect(empty).toContainEqual(now.apiKeyValueLocations)
    expect((await own.run(['rollback', 'latest', '--yes'])).exitCode).toBe(0)
    expect(await read()).toMatchObject(withKeys)
  })

  test('a change to API keys removes the live OAuth settings', async () => {
    const { own, read } = await setByHand({ oauthGrantTypes: grants }, { requestAuthenticationType: 'oauth' })
    own.declare(domain, service(withKeys))
    expect((await own.apply()).exitCode).toBe(0)
    expect((await own.plan()).changes).toEqual([])
    expect(empty).toContainEqual((await read()).oauthGrantTypes)
  })

  test('written settings stay, and without a change of sides everything stays', async () => {
    const { own, read } = await setByHand({ oauthGrantTypes: grants }, withKeys)
    own.declare(domain, service({ ...withKeys, connectionTimeoutForSystemDomainRequest: 5 }))
    expect((await own.apply()).exitCode).toBe(0)
    expect(await read()).toMatchObject({ ...withKeys, oauthGrantTypes: grants })
    own.declare(domain, service({ ...withOauth, ...keys }))
    expect((await own.apply()).exitCode).toBe(0)
    expect(await read()).toMatchObject({ ...withOauth, ...keys })
  })

  test('applied settings of the other side are cleared', async () => {
    const { own, read } = await setByHand({}, withKeys)
    own.declare(domain, service(withOauth))
    expect((await own.apply()).exitCode).toBe(0)
    expect(empty).toContainEqual((await read()).apiKeyValueLocationKey)
    expect((await own.plan()).changes).toEqual([])
  })
})
