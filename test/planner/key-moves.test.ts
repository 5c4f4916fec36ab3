import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/json.js'
import { temporaryFolder } from '../kit/folder.js'
import { killedAt } from '../kit/kill.js'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { embedded, environment, world as worldAt, worldIn } from '../kit/world.js'
import { platform } from '../laws/within.js'

const env = { ...environment, KEY: 'key-1', SECRET: 'secret-1', PASSWORD: 'password-1' }
const allowed = ['--allow-replace', '--allow', 'KEY_LOSS']

const packages = ['A', 'B'].map((name) => document('Package', name, { plans: [{ name: 'plan' }] }))
const renamed = document('Package', { name: 'C', formerly: ['A'] }, { plans: [{ name: 'plan' }] })
const member = (name: string, apikey: JsonObject = { apikey: '${env:KEY}' }, more: JsonObject = {}) =>
  document('Member', 'm', {
    email: 'm@example.com',
    displayName: 'm',
    externalId: '1',
    passwdNew: '${env:PASSWORD}',
    applications: [
      {
        name: 'app',
        packageKeys: [{ package: name, plan: 'plan', ...apikey, secret: '${env:SECRET}', ...more }],
      },
    ],
  })

test('a key that moves to another package is a change of the manifests', async () => {
  const world = embedded({}, { env })
  world.declare(...packages, member('A'))
  expect((await world.apply()).exitCode).toBe(0)
  world.declare(...packages, member('B'))
  const [change] = (await world.plan('--allow-replace')).changes
  // Plans of two packages may have the same name; the part that differs is displayed.
  expect(change?.fields.map(({ path, verdict, before, after }) => [verdict, path, before, after])).toEqual([
    ['pending', '/package', 'A', 'B'],
    ['pending', '/plan', 'A/plan', 'B/plan'],
  ])
  expect((await world.drift()).exitCode).toBe(0)
})

test.each([
  ['document', null, false],
  ['recorded', null, false],
  ['recorded', '2027-12-31', true],
] as const)(
  'in the dialect %s a key that moves with %j for "expires" is created again with it: %j',
  async (dialect, expires, sent) => {
    const world = embedded({ dialect }, { env })
    world.declare(...packages, member('A'))
    expect((await world.apply()).exitCode).toBe(0)
    const rest = await restOf(world.make)
    const [key] = await rest.get('/packageKeys')
    if (expires) await rest.put(`/packageKeys/${String(key?.id)}`, { expires })
    world.declare(...packages, member('B'))
    expect((await world.apply(...allowed, '--log-http', 'requests.log')).exitCode).toBe(0)
    const requests = readFileSync(join(world.dir, 'requests.log'), 'utf8').split('\n')
    const [made = ''] = requests.filter((line) => /^\{"method":"POST","url":"[^"]*\/packageKeys"/.test(line))
    expect(made).toContain('apikey')
    expect(made.split('"responseBody"')[0]?.includes('expires')).toBe(sent)
  },
)

test('a key that somebody created again in another package is a change on the platform', async () => {
  const world = embedded({}, { env })
  world.declare(...packages, member('A'))
  expect((await world.apply()).exitCode).toBe(0)
  const rest = await restOf(world.make)
  const [key] = await rest.get('/packageKeys')
  const [application] = await rest.get('/applications')
  const live = await rest.get('/packages?fields=id,name,plans.id')
  const other = live.find(({ name }) => name === 'B')
  const [plan] = (other?.plans ?? []) as readonly { readonly id: string }[]
  await rest.remove(`/packageKeys/${String(key?.id)}`)
  await rest.post(`/applications/${String(application?.id)}/packageKeys`, {
    ...{ apikey: 'key-1', secret: 'secret-1', package: { id: other?.id ?? '' }, plan: { id: plan?.id ?? '' } },
  })
  const drift = await world.drift()
  expect(drift.exitCode).toBe(2)
  expect(drift.json().changes.map(({ kind, side }) => `${kind} ${side}`)).toEqual(['PackageKey live'])
})

test.each([
  ['with its value', { apikey: '${env:KEY}' }],
  ['without a value', {}],
])('a key written %s stays if its package gets another name', async (_, apikey) => {
  const world = embedded({}, { env })
  world.declare(...packages, member('A', apikey))
  expect((await world.apply()).exitCode).toBe(0)
  for (const more of [{}, { qpsLimitExempt: true }]) {
    world.declare(renamed, packages[1] ?? renamed, member('C', apikey, more))
    const { changes } = await world.plan()
    expect(changes.map(({ action, kind }) => `${action} ${kind}`)).toEqual(
      ['update Package', 'update PackageKey'].slice(0, Object.keys(more).length + 1),
    )
  }
  expect((await world.apply()).exitCode).toBe(0)
  expect((await world.plan()).changes).toEqual([])
  expect(
    world.make.log.filter(({ method, path }) => method === 'DELETE' || (/packageKeys$/.test(path) && method === 'POST'))
      .length,
  ).toBe(1)
})

test.each([
  ['is deleted and not yet created again', { write: 1, when: 'before' }, ['create PackageKey manifest']],
  ['was created again a moment ago', { write: 1, when: 'after' }, []],
] as const)('a run that is killed while a key moves %s causes no drift', async (_, point, expected) => {
  const copy = temporaryFolder()
  const make = platform()
  const first = worldAt(make, { env })
  first.declare(...packages, member('A'))
  expect((await first.apply()).exitCode).toBe(0)
  first.declare(...packages, member('B'))
  await worldIn(
    first.dir,
    killedAt(make, point, () => first.dir, copy),
    { env },
  ).apply(...allowed)
  const next = worldIn(copy, make, { env })
  next.declare(...packages, member('B'))
  const drift = await next.drift()
  expect(drift.json().changes.map(({ action, kind, side }) => `${action} ${kind} ${side}`)).toEqual(expected)
  expect(drift.exitCode).toBe(0)
})

test('a key that moved is matched by its new id', async () => {
  const world = embedded({}, { env })
  world.declare(...packages, member('A'))
  expect((await world.apply()).exitCode).toBe(0)
  world.declare(...packages, member('B'))
  const [change] = (await world.apply(...allowed)).json().changes
  const [key] = await (await restOf(world.make)).get('/packageKeys')
  expect(change?.id).toBe(key?.id)
})

test('a key that is created again for another developer, with its value, waits for the delete of the old one', async () => {
  const { make } = embedded()
  const rest = await restOf(make)
  const fetch = async (request: Request): Promise<Response> => {
    // A create that does not wait for the delete would be first.
    if (request.method === 'DELETE') await new Promise((resolve) => setTimeout(resolve, 20))
    if (request.method !== 'POST' || !request.url.includes('/packageKeys')) return make.fetch(request)
    const { apikey } = (await request.clone().json()) as JsonObject
    const isTaken = (await rest.get('/packageKeys')).some((each) => each.apikey === apikey)
    const errors = [{ property: 'apikey', message: 'duplicate value' }]
    return isTaken
      ? Response.json({ errorCode: 400, errorMessage: 'Invalid', errors }, { status: 400 })
      : make.fetch(request)
  }
  const world = worldAt({ fetch, log: make.log }, { env })
  const account = (name: string, isHolder: boolean) =>
    document('Member', name, {
      ...{ email: 'm@example.com', displayName: 'm', externalId: name, passwdNew: '${env:PASSWORD}' },
      applications: [
        {
          name: 'app',
          packageKeys: isHolder ? [{ package: 'A', plan: 'plan', apikey: '${env:KEY}', secret: '${env:SECRET}' }] : [],
        },
      ],
    })
  const heldBy = (holder: string) => ['m', 'n'].map((name) => account(name, name === holder))
  world.declare(...packages, ...heldBy('n'))
  expect((await world.apply()).exitCode).toBe(0)
  for (const holder of ['m', 'n']) {
    world.declare(...packages, ...heldBy(holder))
    const run = await world.apply(...allowed)
    expect(run.exitCode, run.stdout).toBe(0)
    expect((await world.plan()).changes).toEqual([])
  }
})

describe('keys of several packages that share their value', () => {
  const others = ['A', 'B', 'C', 'D'].map((name) => document('Package', name, { plans: [{ name: 'plan' }] }))
  const sharing = (...names: readonly string[]) =>
    document('Member', 'm', {
      ...{ email: 'm@example.com', displayName: 'm', externalId: '1', passwdNew: '${env:PASSWORD}' },
      applications: [
        {
          name: 'app',
          packageKeys: names.map((name) => ({
            ...{ package: name, plan: 'plan', apikey: '${env:KEY}', secret: '${env:SECRET}' },
          })),
        },
      ],
    })

  test.each([
    ['one is added', ['A'], ['A', 'B'], ['create B']],
    ['two are added', ['B'], ['A', 'B', 'C'], ['create A', 'create C']],
    ['one moves', ['A', 'B'], ['B', 'C'], ['replace C']],
    ['all move', ['A', 'B'], ['C', 'D'], ['replace C', 'replace D']],
    ['one moves and one is added', ['A'], ['B', 'C'], ['replace B', 'create C']],
    ['one goes', ['A', 'B'], ['B'], ['delete A']],
    ['one is deleted and one is added', ['A', 'B'], ['B', 'C', 'D'], ['replace C', 'create D']],
  ] as const)('%s', async (_, before, after, expected) => {
    const world = embedded({}, { env })
    world.declare(...others, sharing(...before))
    expect((await world.apply()).exitCode).toBe(0)
    world.declare(...others, sharing(...after))
    const run = await world.apply(...allowed)
    expect(run.exitCode, run.stdout).toBe(0)
    const done = run.json().changes.map(({ action, address }) => `${action} ${/PackageKey\/(\w)/.exec(address)?.[1]}`)
    expect([...done].sort()).toEqual([...expected].sort())
    expect((await world.plan()).changes).toEqual([])
    expect((await world.drift()).exitCode).toBe(0)
  })
})

test('a field that is not written any more is not copied when the key moves', async () => {
  const world = embedded({}, { env })
  world.declare(...packages, member('A', { apikey: '${env:KEY}' }, { qpsLimitCeiling: 1, rateLimitCeiling: 7 }))
  expect((await world.apply()).exitCode).toBe(0)
  world.declare(...packages, member('B', { apikey: '${env:KEY}' }, { rateLimitCeiling: 7 }))
  expect((await world.apply('--allow-replace', '--allow', 'KEY_LOSS', '--allow', 'LIMIT_LOWERED')).exitCode).toBe(0)
  const [key] = await (await restOf(world.make)).get('/packageKeys')
  expect([key?.qpsLimitCeiling, key?.rateLimitCeiling]).toEqual([0, 7])
  expect((await world.plan()).changes).toEqual([])
})

test('if one commit forbids key limits in a plan and removes the limit of a key, nothing blocks it', async () => {
  const forbidding = document('Package', 'B', {
    plans: [{ name: 'plan', qpsLimitCeiling: 2, qpsLimitKeyOverrideAllowed: false }],
  })
  const limited = (name: string) => member(name, { apikey: '${env:KEY}' }, { qpsLimitCeiling: 1 })
  const plain = (name: string) => member(name, { apikey: '${env:KEY}' })
  const [other = forbidding] = packages
  for (const before of ['A', 'B']) {
    const world = embedded({}, { env })
    world.declare(...packages, limited(before))
    expect((await world.apply()).exitCode).toBe(0)
    world.declare(other, forbidding, plain('B'))
    const run = await world.apply('--allow-replace', '--allow', 'KEY_LOSS', '--allow', 'LIMIT_LOWERED')
    expect([before, run.exitCode, run.stdout]).toEqual([before, 0, run.stdout])
    expect((await world.plan()).changes).toEqual([])
  }
})

describe.each(['document', 'recorded'] as const)('%s: a plan that allows a developer one key', (dialect) => {
  const packaged = document('Package', 'A', {
    plans: ['Small', 'Other'].map((name) => ({ name, maxNumKeysAllowed: 1 })),
  })
  type Key = readonly [apikey: string, plan: string]
  const keyed = (applications: Readonly<Record<string, readonly Key[]>>) =>
    document('Member', 'm', {
      email: 'm@example.com',
      displayName: 'm',
      externalId: '1',
      passwdNew: '${env:PASSWORD}',
      applications: Object.entries(applications).map(([name, keys]) => ({
        name,
        packageKeys: keys.map(([apikey, plan]) => ({ package: 'A', plan, apikey, secret: '${env:SECRET}' })),
      })),
    })
  const one: Key = ['${env:KEY}', 'Small']
  const another: Key = ['${env:AKEY}', 'Small']

  test.each<readonly [string, Readonly<Record<string, readonly Key[]>>]>([
    ['is removed while another one is added', { app: [another] }],
    ['is removed while another one is added to a new application', { app: [], more: [another] }],
    ['is removed with its application while another one is added to a new one', { more: [another] }],
    ['changes to another plan while another one is added', { app: [another, ['${env:KEY}', 'Other']] }],
  ])('a key that %s makes room first', async (_, after) => {
    const { make } = embedded({ dialect })
    const fetch = async (request: Request): Promise<Response> => {
      // A create that does not wait for the delete would be first.
      if (request.method !== 'POST') await new Promise((resolve) => setTimeout(resolve, 20))
      return make.fetch(request)
    }
    const world = worldAt({ fetch, log: make.log }, { env: { ...env, AKEY: 'a-key' } })
    world.declare(packaged, keyed({ app: [one] }))
    expect((await world.apply()).exitCode).toBe(0)
    world.declare(packaged, keyed(after))
    const run = await world.apply('--allow', 'KEY_LOSS', '--allow', 'IRREVERSIBLE')
    expect(run.json().changes.filter(({ outcome }) => outcome !== 'applied')).toEqual([])
    expect(run.exitCode).toBe(0)
    expect((await world.plan()).changes).toEqual([])
  })
})
