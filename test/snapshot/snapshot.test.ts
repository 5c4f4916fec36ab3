import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../src/json/json.js'
import { isObject, objectsIn } from '../../src/json/json.js'
import { snapshotText } from '../../src/snapshot/text.js'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { canaries, storefront } from '../kit/storefront.js'
import { embedded, environment, type World } from '../kit/world.js'

type Held = Readonly<Record<string, readonly JsonObject[]>>

const env = { ...environment, ...canaries }

/** No credentials, and no network. */
const { GATEWRIGHT_URL, GATEWRIGHT_AREA } = environment
const offline = {
  env: { ...canaries, GATEWRIGHT_URL, GATEWRIGHT_AREA },
  transport: () => Promise.reject(new Error('nothing may be sent')),
}

/** The storefront, applied, and written to area.json. */
async function shop(dialect: 'document' | 'recorded' = 'document'): Promise<World> {
  const world = embedded({ dialect }, { env })
  world.declare(...storefront)
  expect((await world.apply()).exitCode).toBe(0)
  world.requests()
  const { exitCode, stderr } = await world.run(['snapshot', '--out', 'area.json'])
  expect(exitCode, stderr).toBe(0)
  return world
}

const textIn = (world: World, file = 'area.json') => readFileSync(join(world.dir, file), 'utf8')

const heldIn = (world: World, file?: string): Held => JSON.parse(textIn(world, file)) as Held

/** The same value, without fields that a platform generates again if a snapshot omits them. */
function withoutSecrets(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(withoutSecrets)
  if (!isObject(value)) return value
  const secret = ['apikeyMark', 'apikey', 'secret', 'password', 'certificate', 'systemDomainCredentialKey']
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !secret.includes(name) && name !== 'systemDomainCredentialSecret')
      .map(([name, member]) => [name, withoutSecrets(member)]),
  )
}

describe.each(['document', 'recorded'] as const)('snapshot, in the dialect %s', (dialect) => {
  it('contains the whole area, nested as the interface answers it, read with GET only, readable only by its owner', async () => {
    const world = await shop(dialect)
    expect(new Set(world.requests().map((request) => request.method))).toEqual(new Set(['GET']))
    const held = heldIn(world)
    expect(Object.keys(held)).toEqual([
      'services',
      'scheduledMaintenanceEvents',
      'domains',
      'packages',
      'roles',
      'members',
      ...(dialect === 'recorded' ? ['emailTemplateSets', 'organizations'] : []),
    ])
    const orders = held.services?.find((service) => service.name === 'Orders API')
    expect(orders).toMatchObject({ qpsLimitOverall: 500, roles: [{ name: 'Partners', action: 'read' }] })
    expect(orders?.endpoints).toMatchObject([{ name: 'orders', methods: [{ name: 'listOrders' }, {}] }, {}])
    expect(statSync(join(world.dir, 'area.json')).mode & 0o777).toBe(0o600)
  })

  it('contains no secret, and a mark that identifies each key', async () => {
    const world = await shop(dialect)
    const text = textIn(world)
    for (const secret of Object.values(canaries)) expect(text).not.toContain(JSON.stringify(secret).slice(1, -1))
    expect(text).toMatch(/"apikeyMark": "0001-[0-9a-f]{8}"/)
  })

  it('has the same bytes for the same area', async () => {
    const world = await shop(dialect)
    await world.run(['snapshot', '--out', 'again.json'])
    expect(textIn(world, 'again.json')).toBe(textIn(world))
  })

  it('is compared by plan and drift, without credentials and without a request', async () => {
    const world = await shop(dialect)
    const plan = await world.run(['plan', '--snapshot', 'area.json', '--exit-code', '-o', 'json'], offline)
    expect(plan.json().changes).toEqual([])
    expect(plan.exitCode).toBe(0)
    expect(plan.json().diagnostics.map(({ code }) => code)).toContain('snapshot-secrets-unknown')
    expect((await world.run(['drift', '--snapshot', 'area.json'], offline)).exitCode).toBe(0)
  })

  it('seeds a platform with the same snapshot, which matches the manifests except for the secrets', async () => {
    const held = heldIn(await shop(dialect))
    const other = embedded({ dialect, seed: held, idSeed: 'other' }, { env })
    other.declare(...storefront)
    await other.run(['snapshot', '--out', 'area.json'])
    expect(withoutSecrets(heldIn(other))).toEqual(withoutSecrets(held))
    const kinds = (await other.plan()).changes.map(({ kind }) => kind)
    expect(new Set(kinds)).toEqual(new Set(['SystemDomainAuthentication', 'PackageKey']))
  })
})

describe('plan --snapshot', () => {
  it('deletes an event before the services of its endpoints, which refer to it as well', async () => {
    const world = await shop()
    await world.run(['snapshot', '--out', 'area.json'])
    world.declare(document('Role', 'New'))
    const { changes } = (await world.run(['plan', '--snapshot', 'area.json', '-o', 'json'], offline)).json()
    const deleted = changes.flatMap(({ action, address }) => (action === 'delete' ? [address] : []))
    const [event, service] = ['ScheduledMaintenanceEvent/New year', 'Service/Orders API']
    expect(deleted.filter((each) => each === event || each === service)).toEqual([event, service])
  })

  it('has the same result as a plan of the live area', async () => {
    const world = await shop()
    const rest = await restOf(world.make)
    const [service] = await rest.get('/services?filter=name:Orders')
    await rest.put(`/services/${String(service?.id)}`, { description: 'changed by hand', qpsLimitOverall: 7 })
    await rest.post('/services', { name: 'Strange' })
    await world.run(['snapshot', '--out', 'area.json'])
    world.declare(...storefront, document('Role', 'New'))
    const shown = (answer: { readonly changes: readonly { readonly address: string; readonly fields: unknown }[] }) =>
      answer.changes.map(({ address, fields }) => ({ address, fields }))
    const fromFile = await world.run(['plan', '--snapshot', 'area.json', '-o', 'json'], offline)
    expect(shown(fromFile.json())).toEqual(shown(await world.plan()))
    expect(fromFile.json().changes.map(({ address }) => address)).toEqual(['Role/New', 'Service/Orders API'])
  })

  it('matches keys by their last characters if the hash was made with another fingerprint key', async () => {
    const world = await shop()
    for (const key of [undefined, 'another key of eight']) {
      const plan = await world.run(['plan', '--snapshot', 'area.json', '-o', 'json'], {
        ...offline,
        env: { ...canaries, GATEWRIGHT_FINGERPRINT_KEY: key },
      })
      expect(plan.json().changes).toEqual([])
    }
  })

  it('would create a key that the file does not have', async () => {
    const world = await shop()
    const plan = await world.run(['plan', '--snapshot', 'area.json', '-o', 'json'], {
      ...offline,
      env: { ...canaries, KEY_2: 'canary-apikey-0009' },
    })
    expect(plan.json().changes.map(({ action, kind }) => `${action} ${kind}`)).toEqual(['create PackageKey'])
    expect(plan.stdout).not.toContain('canary-apikey')
  })

  it('compares literal secrets in a file of another program', async () => {
    const world = await shop()
    const text = textIn(world).replace('"type": "httpBasic",', '"type": "httpBasic", "password": "other",')
    world.write('area.json', text)
    const plan = await world.run(['plan', '--snapshot', 'area.json', '-o', 'json'], offline)
    expect(plan.json().changes.map(({ address }) => address)).toEqual([
      'Service/Orders API/Endpoint/orders/SystemDomainAuthentication',
    ])
  })

  /** The snapshot with members, applications and keys as `changed` returns them. */
  async function planOf(
    changed: (parts: Readonly<Record<'members' | 'applications' | 'packageKeys', Held[string]>>) => Held,
  ) {
    const world = await shop()
    const held = heldIn(world)
    const { members = [] } = held
    const applications = members.flatMap((member) => objectsIn(member.applications))
    const packageKeys = applications.flatMap(({ packageKeys, ...application }) =>
      objectsIn(packageKeys).map((key): JsonObject => ({ ...key, application })),
    )
    expect([members.length, applications.length, packageKeys.length].every((count) => count > 0)).toBe(true)
    world.write('area.json', JSON.stringify({ ...held, ...changed({ members, applications, packageKeys }) }))
    const plan = await world.run(['plan', '--snapshot', 'area.json', '-o', 'json'], offline)
    return plan.json()
  }

  const without = (objects: Held[string], field: string) =>
    objects.map((each): JsonObject => Object.fromEntries(Object.entries(each).filter(([name]) => name !== field)))

  it('accepts applications beside their members', async () => {
    const plan = await planOf(({ members, applications }) => ({
      members: without(members, 'applications'),
      applications,
    }))
    expect(plan.changes).toEqual([])
  })

  it('accepts keys beside their applications, which are beside their members', async () => {
    const plan = await planOf(({ members, applications, packageKeys }) => ({
      members: without(members, 'applications'),
      applications: without(applications, 'packageKeys'),
      packageKeys,
    }))
    expect(plan.changes).toEqual([])
  })

  it('accepts keys beside applications that are in their members', async () => {
    const plan = await planOf(({ members, packageKeys }) => ({
      members: members.map(
        (member): JsonObject => ({ ...member, applications: without(objectsIn(member.applications), 'packageKeys') }),
      ),
      packageKeys,
    }))
    expect(plan.changes).toEqual([])
  })

  it.each([
    ['{"services": [\n  {"id": 1,]}', 'it is not JSON (line 2, column 12)'],
    ['{"services": [', 'it is not JSON'],
    ['[]', 'it is not an object of collections'],
    ['{}', 'it has no collection'],
    ['{"services": ["x"]}', 'services[0] is not an object'],
    ['{"servces": []}', 'has a list "servces" that is not a collection'],
  ])('reports the mistake in the file %j', async (text, message) => {
    const world = embedded({}, { env })
    world.declare(document('Role', 'Partners'))
    world.write('broken.json', text)
    const { exitCode, stderr } = await world.run(['plan', '--snapshot', 'broken.json'], offline)
    expect(exitCode).toBe(1)
    expect(stderr).toContain(message)
    expect(stderr).not.toContain('internal error')
  })

  it('accepts UTF-8, with or without a byte order mark; a file in another encoding is not taken for an area with other names', async () => {
    const world = embedded({}, { env })
    world.declare(document('Role', 'Pärtners'))
    const text = '{"roles": [{"id": "1", "name": "Pärtners"}]}'
    for (const [bytes, exitCode, told] of [
      [Buffer.from(`\ufeff${text}`), 0, ''],
      [Buffer.from(text, 'latin1'), 1, 'it is not UTF-8 text: the byte 0xe4 in line 1 is no character'],
      [Buffer.from(`\ufeff${text}`, 'utf16le'), 1, 'it is not UTF-8 text: it is UTF-16'],
    ] as const) {
      writeFileSync(join(world.dir, 'saved.json'), bytes)
      const planned = await world.run(['plan', '--snapshot', 'saved.json', '--exit-code'], offline)
      expect([planned.exitCode, planned.stderr]).toEqual([exitCode, expect.stringContaining(told)])
    }
  })

  it.each([
    ['none.json', 'there is no such file'],
    ['manifests', 'it is a folder'],
  ])('reports for %s that %s', async (file, message) => {
    const world = embedded({}, { env })
    world.declare(document('Role', 'Partners'))
    const { exitCode, stderr } = await world.run(['plan', '--snapshot', file], offline)
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(message)])
  })
})

describe('snapshot', () => {
  it('needs --out, and credentials', async () => {
    const world = embedded()
    expect((await world.run(['snapshot'])).stderr).toContain('snapshot needs --out')
    expect((await world.run(['snapshot', '--out', 'x.json'], { env: {} })).stderr).toContain('GATEWRIGHT_URL')
  })

  it('has the email templates of the sets that manifests name', async () => {
    const template = { id: 't1', type: 'keyActivated', from: 'portal@example.com', subject: 'Active' }
    const world = embedded({ seed: { emailTemplateSets: [{ id: 7, emailTemplates: [template] }] } })
    world.declare(document('EmailTemplate', { emailTemplateSet: '7', name: 'keyActivated' }, { subject: 'Active' }))
    await world.run(['snapshot', '--out', 'area.json'])
    const { exitCode, stdout, stderr } = await world.run(['plan', '--snapshot', 'area.json', '--exit-code'], offline)
    expect(exitCode, stdout + stderr).toBe(0)
    expect((await world.run(['diff', 'area.json', 'live'])).stdout).toMatch(/\n\nDiff: no differences\.\n$/)
  })

  it('has the email templates of the sets that plans name', async () => {
    const template = { id: 't1', type: 'keyActivated', from: 'portal@example.com', subject: 'Active' }
    const seed = {
      packages: [{ id: 'p1', name: 'P', plans: [{ id: 'l1', name: 'L', emailTemplateSetId: 7 }] }],
      emailTemplateSets: [{ id: 7, emailTemplates: [template] }],
    }
    const world = embedded({ seed })
    await world.run(['snapshot', '--out', 'area.json'])
    expect(heldIn(world).emailTemplateSets).toMatchObject([{ id: '7', emailTemplates: [template] }])
    const { stdout } = await world.run(['get', 'EmailTemplate'])
    expect(stdout).toContain('EmailTemplateSet/7/EmailTemplate/keyActivated')
  })
})

describe('the text of a snapshot', () => {
  const member = {
    id: 'm1',
    username: 'acme',
    passwdNew: 'canary-1',
    packageKeys: [{ id: 'k1', apikey: 'canary-2', secret: 'canary-3' }],
    applications: [
      {
        id: 'a1',
        name: 'Shop',
        packageKeys: [
          {
            id: 'k1',
            apikey: 'canary-4',
            secret: '',
            unknown: 'canary-5',
            plan: { id: 'l1', name: 'Gold', notes: 'n' },
          },
        ],
      },
    ],
  }

  it('omits secrets wherever a careless platform answers them, and all unknown fields', () => {
    const text = snapshotText({ members: [member] }, { markOf: () => 'mark', isSecret: () => false })
    expect(text).not.toContain('canary')
    expect(JSON.parse(text).members[0].applications[0].packageKeys).toEqual([
      { id: 'k1', apikeyMark: 'mark', secret: null, plan: { id: 'l1', name: 'Gold' } },
    ])
  })

  it('has the attributes of an application, in one order, without those that contain a known secret', () => {
    const textOf = (attributes: JsonObject) =>
      snapshotText(
        { members: [{ id: 'm1', applications: [{ id: 'a1', name: 'Shop', ...attributes }] }] },
        { markOf: () => '', isSecret: (value) => String(value).includes('canary') },
      )
    const text = textOf({ zone: 'north', contact: 'ops', token: 'canary-1', number: 5 })
    expect(objectsIn(JSON.parse(text).members[0].applications)).toEqual([
      { id: 'a1', name: 'Shop', contact: 'ops', zone: 'north' },
    ])
    expect(textOf({ contact: 'ops', zone: 'north' })).toBe(text)
  })

  it('does not depend on the order of answers', () => {
    const [a, b] = [
      {
        id: '1',
        name: 'A',
        roles: [
          { id: 'r1', name: 'X' },
          { id: 'r2', name: 'Y' },
        ],
      },
      { id: '2', name: 'A', endpoints: [{ id: 'e', name: 'e', supportedHttpMethods: ['get', 'post'] }] },
    ]
    const turned = [
      { ...b, endpoints: [{ id: 'e', name: 'e', supportedHttpMethods: ['post', 'get'] }] },
      { ...a, roles: [...a.roles].reverse() },
    ]
    expect(snapshotText({ services: turned }, { markOf: () => '', isSecret: () => false })).toBe(
      snapshotText({ services: [a, b] }, { markOf: () => '', isSecret: () => false }),
    )
  })
})

it('a secret in a field of every kind is reported only if the file lacks it, and others of the kind are not', async () => {
  const world = embedded({}, { env: { ...environment, ONE: 'canary-one', TWO: 'canary-two' } })
  const service = (name: string, description: string) => document('Service', name, { description })
  world.declare(service('A', '${env:ONE}'), service('B', 'open'))
  expect((await world.apply()).exitCode).toBe(0)
  expect((await world.run(['snapshot', '--out', 'area.json'])).exitCode).toBe(0)
  expect(textIn(world)).not.toContain('canary')
  const told = async () => {
    const { changes, diagnostics } = await world.plan('--snapshot', 'area.json')
    const messages = diagnostics.filter(({ code }) => code === 'snapshot-secrets-unknown').map(({ message }) => message)
    return { changed: changes.map(({ address }) => address), messages }
  }
  const one = '1 secret field could not be compared: the snapshot area.json has none'
  expect(await told()).toEqual({ changed: [], messages: [one] })
  world.declare(service('A', '${env:ONE}'), service('B', '${env:TWO}'))
  expect(await told()).toEqual({ changed: ['Service/B'], messages: [one] })
  world.declare(service('B', '${env:TWO}'))
  expect((await told()).messages).toEqual([])
})
