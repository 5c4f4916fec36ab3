import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/json.js'
import { exampleVariables } from '../kit/example-env.js'
import { filesIn } from '../kit/exports.js'
import { temporaryFolder } from '../kit/folder.js'
import { restOf } from '../kit/rest.js'
import { embedded, environment, type Make, type World, worldIn } from '../kit/world.js'

/** An existing area is taken over on a machine that has none of its secrets. */

const secrets = exampleVariables('examples/storefront')

/** The platform after somebody has applied the storefront. */
async function storefrontArea(): Promise<Make> {
  const world = embedded({}, { env: { ...environment, ...secrets, GATEWRIGHT_ENV: 'staging' } })
  cpSync('examples/storefront', world.dir, { recursive: true })
  expect((await world.apply()).exitCode).toBe(0)
  return world.make
}

function emptyFolder(make: Make): World {
  const dir = temporaryFolder()
  const world = worldIn(dir, make)
  rmSync(join(dir, 'gatewright.yaml'))
  return world
}

async function pathOf(make: Make, service: string, endpoint: string): Promise<string> {
  const rest = await restOf(make)
  const services = await rest.get('/services?limit=100')
  const id = String(services.find((each) => each.name === service)?.id)
  const endpoints = await rest.get(`/services/${id}/endpoints?limit=100&fields=id,name`)
  return `/services/${id}/endpoints/${String(endpoints.find((each) => each.name === endpoint)?.id)}`
}

test('after init --export without any secret, validate passes, the plan is empty and nothing drifts; an opened endpoint is drift', async () => {
  const world = emptyFolder(await storefrontArea())
  const made = await world.run(['init', '--export', '--ci', 'none', '--name', 'shop'])
  expect(made.exitCode).toBe(0)
  expect(Object.values(filesIn(world, 'manifests')).join('')).not.toContain('${')
  // Reported once, for all of them.
  expect(made.stderr.match(/secrets are left out/g)).toHaveLength(1)
  expect(made.stderr).toContain('3 PackageKey.apikey')

  const validated = await world.run(['validate'])
  expect([validated.exitCode, validated.stdout.match(/\[missing-on-create\]/g)?.length]).toEqual([0, 1])
  expect((await world.plan()).changes).toEqual([])
  expect((await world.run(['drift'])).exitCode).toBe(0)

  const endpoint = await pathOf(world.make, 'Orders API', 'orders')
  const rest = await restOf(world.make)
  const drifted = async (body: JsonObject) => {
    await rest.put(endpoint, body)
    const drift = await world.drift()
    expect(drift.exitCode).toBe(2)
    return drift.json().changes.flatMap(({ address, fields }) => fields.map(({ path }) => `${address} ${path}`))
  }
  expect(await drifted({ allowMissingApiKey: true })).toEqual([
    'Service/Orders API/Endpoint/orders /allowMissingApiKey',
  ])
  const others = {
    highSecurity: true,
    inboundSslRequired: false,
    publicDomains: [{ domain: 'www.staging.storefront.example' }],
    systemDomains: [{ domain: 'other.internal.staging.storefront.example' }],
    supportedHttpMethods: ['delete'],
    requestPathAlias: '/elsewhere',
    outboundRequestTargetPath: '/elsewhere',
    trafficManagerDomain: 'www.staging.storefront.example',
  }
  const paths = ['allowMissingApiKey', ...Object.keys(others)]
  expect((await drifted(others)).sort()).toEqual(
    paths.map((path) => `Service/Orders API/Endpoint/orders /${path}`).sort(),
  )
})

test('keys of one package in one application are distinguished without displaying them', async () => {
  const key = (id: string, status: string) => ({
    ...{ id, apikey: `canary-key-${id}`, secret: `canary-secret-${id}`, status },
    ...{ package: { id: 'p', name: 'Gold' }, plan: { id: 'l', name: 'A' } },
  })
  const seed = {
    packages: [{ id: 'p', name: 'Gold', plans: [{ id: 'l', name: 'A' }] }],
    members: [
      {
        ...{ id: 'm', username: 'dev', email: 'd@example.com', displayName: 'D', externalId: 'x' },
        applications: [{ id: 'a', name: 'App', packageKeys: [key('k1', 'active'), key('k2', 'disabled')] }],
      },
    ],
  }
  const world = embedded({ seed })
  expect((await world.run(['export', '--dir', 'manifests'])).exitCode).toBe(0)
  const [text = ''] = Object.entries(filesIn(world, 'manifests')).flatMap(([path, each]) =>
    path.startsWith('members/') ? [each] : [],
  )
  expect(text).toContain('id: k1')
  expect(text).not.toContain('canary')
  expect((await world.plan()).changes).toEqual([])
  expect((await world.drift()).exitCode).toBe(0)
  const rest = await restOf(world.make)
  await rest.put('/packageKeys/k2', { status: 'active' })
  expect((await world.drift()).json().changes.map(({ id }) => id)).toEqual(['k2'])
})
