import { describe, expect, test } from 'vitest'
import { isObject, type Json, type JsonObject } from '../../src/json/json.js'
import { document } from '../kit/manifests.js'
import { embedded, type Make, type World, world } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'

/**
 * A key that was declared without its value is known by its package, also after no manifest declares it any more (design §4).
 */

const shelf = document('Package', 'P', { plans: [{ name: 'Gold' }] })
const member = (applications: readonly JsonObject[]) =>
  document('Member', 'acme', {
    email: 'a@b.example',
    displayName: 'A',
    externalId: '1',
    passwdNew: 'password-1',
    applications,
  })
const key = { package: 'P', plan: 'Gold', secret: 'secret-of-key' }

async function withKey(): Promise<World> {
  const world = embedded()
  world.declare(shelf, member([{ name: 'Shop', packageKeys: [key] }]))
  expect((await world.apply()).exitCode).toBe(0)
  return world
}

describe('a key that was applied without its value', () => {
  test('is deleted if the list lacks it', async () => {
    const world = await withKey()
    world.declare(shelf, member([{ name: 'Shop', packageKeys: [] }]))
    const { changes, unmanaged } = await world.plan()
    const reason = 'removed from the manifests; the key is deleted: 1 key of 1 application'
    expect(changes).toMatchObject([{ kind: 'PackageKey', action: 'delete', hazards: ['KEY_LOSS'], reason }])
    expect(unmanaged).toEqual([])
  })

  test('is still known after a run that may not delete it, and its address contains its package', async () => {
    const world = await withKey()
    world.declare(shelf, member([{ name: 'Shop', packageKeys: [] }]))
    expect((await world.apply('--prune', 'none')).exitCode).toBe(0)
    const [change] = (await world.plan()).changes
    expect(change?.action).toBe('delete')
    expect(change?.address).toMatch(/\/PackageKey\/P #/)
  })

  test('is deleted with its member', async () => {
    const world = await withKey()
    world.declare(shelf)
    const allowed = ['--allow', 'KEY_LOSS', '--allow', 'IRREVERSIBLE']
    expect((await world.apply(...allowed)).json().summary).toMatchObject({ applied: 3 })
  })

  test('is not deleted if another project created it, is displayed with its package, and is drift', async () => {
    const world = await withKey()
    const other = embedded({}, world.io)
    Object.assign(other.make, { fetch: world.make.fetch })
    other.declare(member([{ name: 'Shop', packageKeys: [] }]))
    const { unmanaged } = await other.plan()
    expect(unmanaged.map(({ address, inList }) => [address.split(' #')[0], inList])).toEqual([
      ['Member/acme/Application/Shop/PackageKey/P', true],
    ])
    const drift = await other.run(['drift'])
    expect(drift.exitCode).toBe(2)
    expect(drift.stdout).toContain('on the platform, and not in git')
  })
})

test('if a key could be one of two, the report asks for a pin and lists no missing fields for a new key', async () => {
  const world = embedded()
  const keys = ['a', 'b'].map((name) => ({ ...key, apikey: `apikey-${name}` }))
  world.declare(shelf, member([{ name: 'Shop', packageKeys: keys }]))
  expect((await world.apply()).exitCode).toBe(0)
  const other = embedded({}, world.io)
  Object.assign(other.make, { fetch: world.make.fetch })
  other.declare(shelf, member([{ name: 'Shop', packageKeys: [{ package: 'P', plan: 'Gold' }] }]))
  for (const command of ['plan', 'drift']) {
    const { diagnostics } = (await other.run([command, '-o', 'json'])).json()
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toMatchObject([
      { code: 'ambiguous-name', message: expect.stringMatching(/^2 live objects fit /) },
    ])
  }
})

describe('a platform that does not return the packages of keys inside applications', () => {
  const declared = [shelf, member([{ name: 'Shop', packageKeys: [key] }])]

  test('gets no second key for one that was applied without its value', async () => {
    const make = createOtherMake()
    const area = world(withoutPackages(make))
    area.declare(...declared)
    await area.apply()
    await area.apply()
    expect(make.store.all('packageKeys')).toHaveLength(1)
    const { changes } = await area.plan()
    expect(changes.flatMap(({ fields = [] }) => fields.map(({ path }) => path))).not.toContain('/package')
  })

  test('gets none without records either: the plan says which key it may be', async () => {
    const make = createOtherMake()
    const first = world(make)
    first.declare(...declared)
    expect((await first.apply()).exitCode).toBe(0)
    const area = world(withoutPackages(make))
    area.declare(...declared)
    const [{ id = '' } = {}] = make.store.all('packageKeys')
    const { diagnostics } = (await area.apply()).json()
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toMatchObject([
      {
        code: 'ambiguous-name',
        message: expect.stringContaining(`does not return the package of ${id}, which may be`),
      },
    ])
    expect(make.store.all('packageKeys')).toHaveLength(1)
  })
})

/** A make whose answers about members and applications contain keys without package and plan. */
const withoutPackages = (make: Make): Make => ({
  ...make,
  fetch: async (request) => {
    const response = await make.fetch(request)
    if (request.method !== 'GET' || !/\/(members|applications)\b/.test(new URL(request.url).pathname)) return response
    const { status, headers } = response
    return Response.json(withoutReferences((await response.json()) as Json), { status, headers })
  },
})

function withoutReferences(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(withoutReferences)
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([name]) => name !== 'package' && name !== 'plan')
  return Object.fromEntries(kept.map(([name, each]) => [name, withoutReferences(each ?? null)]))
}
