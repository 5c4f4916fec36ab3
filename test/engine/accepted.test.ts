import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/json.js'
import { type DocumentText, document } from '../kit/manifests.js'
import { type Rest, restOf } from '../kit/rest.js'
import { embedded, environment, testClock, type World, world } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'

/** Accepted drift is not changed by plan and apply until it expires, or until one of its two values changes. */

const accept = ['--accept', '--reason', 'INC-17', '--owner', 'ops', '--expires', '2026-12-01']

const later = { now: () => Date.UTC(2026, 11, 2) }

const role = (description: string, name = 'Partners') => document('Role', name, { description })

const makes: readonly (readonly [string, () => World])[] = [
  ['the embedded platform', () => embedded()],
  ['another make', () => world(createOtherMake(), { ...testClock(), env: environment })],
]

async function applied(area: World, ...documents: readonly DocumentText[]): Promise<Rest> {
  area.declare(...documents)
  expect((await area.apply()).exitCode).toBe(0)
  return restOf(area.make)
}

async function idOf(rest: Rest, collection: string, name: string): Promise<string> {
  const found = (await rest.get(`${collection}?fields=id,name&limit=100`)).find((each) => each.name === name)
  return String(found?.id)
}

async function byHand(rest: Rest, body: JsonObject): Promise<void> {
  await rest.put(`/roles/${await idOf(rest, '/roles', 'Partners')}`, { name: 'Partners', ...body })
}

const accepted = (area: World): string => readFileSync(join(area.dir, 'gatewright.accepted.yaml'), 'utf8')

const writes = (area: World) => area.requests().filter(({ method }) => method !== 'GET')

/** Plan, apply and drift find only the accepted drift. */
async function isLeftAlone(area: World, count: number): Promise<void> {
  const plan = await area.plan()
  expect(plan.changes).toEqual([])
  expect(plan.summary).toMatchObject({ accepted: count, create: 0, update: 0, delete: 0 })
  area.requests()
  const run = await area.apply()
  expect(run.exitCode).toBe(0)
  expect(run.json().summary).toMatchObject({ accepted: count, applied: 0 })
  expect(writes(area)).toEqual([])
  const drift = await area.drift()
  expect(drift.exitCode).toBe(0)
  expect(drift.json().summary).toMatchObject({ accepted: count })
  expect((await area.plan()).changes).toEqual([])
}

test('text that people wrote into the file stays if more is accepted, or something has ended', async () => {
  const area = embedded()
  const services = ['S', 'T', 'U'].map((name) => document('Service', name, { description: 'one' }))
  const rest = await applied(area, ...services)
  const change = async (name: string, description: string) =>
    rest.put(`/services/${await idOf(rest, '/services', name)}`, { name, description })
  const file = 'gatewright.accepted.yaml'
  area.write(file, '# ours\r\naccepted: []\r\n')
  await change('T', 'two')
  expect((await area.drift(...accept)).exitCode).toBe(0)
  const edited = accepted(area).replace(/(reason: .*?)(\r\n)/, '$1 # ticket 7$2')
  expect(edited).toMatch(/^# ours\r\naccepted:\r\n {2}- address: Service\/T\r\n.* # ticket 7\r\n/s)
  area.write(file, edited)
  expect((await area.drift(...accept)).exitCode).toBe(0)
  expect(accepted(area)).toBe(edited)
  await change('S', 'two')
  expect((await area.drift(...accept)).exitCode).toBe(0)
  expect(accepted(area).slice(0, edited.length)).toBe(edited)
  expect(accepted(area).slice(edited.length)).toMatch(/^ {2}- address: Service\/S\r\n/)
  await isLeftAlone(area, 2)
  await change('T', 'three')
  expect((await area.drift(...accept)).exitCode).toBe(0)
  expect(accepted(area).match(/address: .*(?=\r)/g)).toEqual(['address: Service/S', 'address: Service/T'])
  expect(accepted(area)).toContain('# ours\r\n')
  await isLeftAlone(area, 2)
})

describe.each(makes)('on %s', (_, make) => {
  test('a field keeps its live value, whatever else is applied', async () => {
    const area = make()
    const service = document('Service', 'S', { description: 'one' })
    const rest = await applied(area, service)
    await rest.put(`/services/${await idOf(rest, '/services', 'S')}`, { name: 'S', description: 'by hand' })
    expect((await area.drift(...accept)).exitCode).toBe(0)
    await isLeftAlone(area, 1)
    area.declare(service, document('Service', 'T', {}))
    expect((await area.apply()).json().summary).toMatchObject({ applied: 1, accepted: 1 })
    await isLeftAlone(area, 1)
    const live = await rest.get('/services?fields=name,description')
    expect(live.map(({ description }) => description)).toContain('by hand')
  })

  test('only one field is accepted: neither another field with the same values, nor a delete of its object', async () => {
    const area = make()
    const rest = await applied(area, document('Service', 'S', { description: 'one', version: 'one' }))
    const service = `/services/${await idOf(rest, '/services', 'S')}`
    await rest.put(service, { name: 'S', description: 'by hand', version: 'one' })
    expect((await area.drift(...accept)).exitCode).toBe(0)
    await rest.put(service, { name: 'S', description: 'by hand', version: 'by hand' })
    expect((await area.plan()).changes).toMatchObject([{ action: 'update', fields: [{ path: '/version' }] }])
    await rest.remove(service)
    expect((await area.drift()).exitCode).toBe(2)
    expect((await area.plan()).changes).toMatchObject([{ action: 'create', address: 'Service/S' }])
  })

  test('an object that somebody deleted is not created again, and neither are its children', async () => {
    const area = make()
    const sets = [
      { name: 'a', type: 'text/json' },
      { name: 'b', type: 'text/json' },
    ]
    const rest = await applied(area, document('Service', 'S', { errorSets: sets }))
    const service = await idOf(rest, '/services', 'S')
    await rest.remove(`/services/${service}`)
    expect((await area.drift(...accept)).exitCode).toBe(0)
    await isLeftAlone(area, 1)
    expect(await rest.get('/services?fields=id')).toEqual([])
  })

  test('an extra object in a written list is not deleted, not even with prune: all', async () => {
    const area = make()
    const sets = (...names: readonly string[]) => names.map((name) => ({ name, type: 'text/json' }))
    const rest = await applied(area, document('Service', 'S', { errorSets: sets('a') }))
    const service = await idOf(rest, '/services', 'S')
    await rest.post(`/services/${service}/errorSets`, { name: 'extra', type: 'text/json' })
    expect((await area.drift()).exitCode).toBe(2)
    expect((await area.drift(...accept)).exitCode).toBe(0)
    await isLeftAlone(area, 1)
    expect((await area.plan('--prune', 'all')).changes).toEqual([])
    rmSync(join(area.dir, 'gatewright.accepted.yaml'))
    expect((await area.plan('--prune', 'all')).changes.map(({ address }) => address)).toEqual([
      'Service/S/ErrorSet/extra',
    ])
  })

  test('if objects of "*" are gone, the rest is accepted as it is', async () => {
    const area = make()
    const endpoint = (name: string) => ({
      name,
      requestPathAlias: `/${name}`,
      trafficManagerDomain: 'api.example.com',
      publicDomains: ['api.example.com'],
      systemDomains: ['api.example.com'],
      methods: [{ name: 'm' }, { name: 'n' }],
    })
    const all = ['a', 'b'].map((name) => ({ name, methods: '*' }))
    const rest = await applied(
      area,
      document('Domain', 'example.com'),
      document('Service', 'S', { endpoints: ['a', 'b'].map(endpoint) }),
      document('Package', 'P', { plans: [{ name: 'Gold', services: [{ name: 'S', endpoints: all }] }] }),
    )
    const service = await idOf(rest, '/services', 'S')
    const endpoints = `/services/${service}/endpoints`
    const [a, b] = [await idOf(rest, endpoints, 'a'), await idOf(rest, endpoints, 'b')]
    const m = await idOf(rest, `${endpoints}/${b}/methods`, 'm')
    const pack = await idOf(rest, '/packages', 'P')
    const plan = await idOf(rest, `/packages/${pack}/plans`, 'Gold')
    await rest.put(`/packages/${pack}/plans/${plan}/services/${service}`, { id: service, endpoints: [] })
    await rest.remove(`${endpoints}/${a}`)
    await rest.remove(`${endpoints}/${b}/methods/${m}`)
    const run = await area.drift(...accept)
    expect([run.exitCode, run.json().changes]).toEqual([0, []])
    await isLeftAlone(area, 3)
  })

  test('an object that somebody created again is not taken over, and is not replaced after the acceptance ends', async () => {
    const area = make()
    const plans = [{ name: 'Gold' }]
    const key = { apikey: 'an-api-key', secret: 'a-secret', package: 'P', plan: 'Gold', status: 'active' }
    const applications = [{ name: 'A', packageKeys: [key] }]
    const rest = await applied(
      area,
      document('Package', 'P', { plans }),
      document('Package', 'Q', { plans }),
      document('Member', 'm', {
        ...{ email: 'm@example.com', displayName: 'M', externalId: '1', passwdNew: 'a-pass-word' },
        applications,
      }),
    )
    const [old] = await rest.get('/packageKeys?fields=id')
    const application = await idOf(rest, '/applications', 'A')
    const pack = await idOf(rest, '/packages', 'Q')
    const plan = await idOf(rest, `/packages/${pack}/plans`, 'Gold')
    await rest.remove(`/packageKeys/${old?.id}`)
    const { apikey, secret, status } = key
    const body = { apikey, secret, status, package: { id: pack }, plan: { id: plan } }
    await rest.post(`/applications/${application}/packageKeys`, body)
    const changes = async (more = {}) =>
      (await area.run(['plan', '-o', 'json'], more)).json().changes.map(({ action, kind }) => `${action} ${kind}`)
    expect(await changes()).toEqual(['blocked PackageKey'])
    expect((await area.drift(...accept)).exitCode).toBe(0)
    expect((await area.apply()).exitCode).toBe(0)
    expect(await changes()).toEqual([])
    expect(await changes(later)).toEqual(['blocked PackageKey'])
  })

  test('an object that somebody renamed keeps its new name', async () => {
    const area = make()
    const rest = await applied(area, document('Service', 'S', { description: 'one' }))
    await rest.put(`/services/${await idOf(rest, '/services', 'S')}`, { name: 'Renamed' })
    expect((await area.drift()).exitCode).toBe(2)
    expect((await area.drift(...accept)).exitCode).toBe(0)
    await isLeftAlone(area, 1)
    expect(await idOf(rest, '/services', 'Renamed')).not.toBe('undefined')
  })
})

test('acceptances of an object and its children stay valid if the manifests rename it', async () => {
  const area = embedded()
  const sets = ['a', 'b'].map((name) => ({ name, type: 'text/json' }))
  const service = (metadata: JsonObject) => document('Service', metadata, { description: 'one', errorSets: sets })
  const rest = await applied(area, service({ name: 'S' }))
  const path = `/services/${await idOf(rest, '/services', 'S')}`
  await rest.put(path, { name: 'S', description: 'by hand' })
  await rest.remove(`${path}/errorSets/${await idOf(rest, `${path}/errorSets`, 'b')}`)
  await rest.post(`${path}/errorSets`, { name: 'extra', type: 'text/json' })
  expect((await area.drift(...accept)).exitCode).toBe(0)
  await isLeftAlone(area, 3)
  area.declare(service({ name: 'T', formerly: ['S'] }))
  expect((await area.plan()).changes).toMatchObject([{ address: 'Service/T', fields: [{ path: '/name' }] }])
  expect((await area.apply()).json().summary).toMatchObject({ applied: 1, accepted: 3 })
  await isLeftAlone(area, 3)
})

test.each(makes)('a cache that somebody added, although the manifest says that there is none: %s', async (_, make) => {
  const area = make()
  const endpoint = { name: 'e', requestPathAlias: '/e', trafficManagerDomain: 'api.example.com', cache: null }
  const domain = document('Domain', 'example.com')
  const rest = await applied(area, domain, document('Service', 'S', { endpoints: [endpoint] }))
  const path = `/services/${await idOf(rest, '/services', 'S')}/endpoints`
  const cache = async (body: JsonObject) =>
    rest.put(`${path}/${await idOf(rest, path, 'e')}`, { name: 'e', cache: body })
  await cache({ clientSurrogateControlEnabled: true })
  expect((await area.drift()).exitCode).toBe(2)
  expect((await area.drift(...accept)).exitCode).toBe(0)
  await isLeftAlone(area, 1)
  expect(accepted(area)).not.toContain('id:')
  await cache({ contentCacheKeyHeaders: ['accept'] })
  await isLeftAlone(area, 1)
})

describe('an acceptance', () => {
  async function drifted(): Promise<{ area: World; rest: Rest }> {
    const area = embedded()
    const rest = await applied(area, role('one'))
    await byHand(rest, { description: 'by hand' })
    return { area, rest }
  }

  test('is written with both literal values, so that a reviewer sees what is accepted', async () => {
    const { area } = await drifted()
    await area.drift(...accept)
    expect(
      accepted(area),
    ).toBe(`# Drift that somebody accepted: plan and apply leave it alone until "expires" is over, or one of its values is another.
# To end it earlier, remove the entry.
accepted:
  - address: Role/Partners
    url: http://platform.example
    area: 00000000-0000-4000-8000-00000000a4ea
    path: /description
    git: one
    live: by hand
    reason: INC-17
    owner: ops
    expires: "2026-12-01"
`)
  })

  test('is displayed by plan, apply and drift with its reason and its last day, in every format', async () => {
    const { area } = await drifted()
    await area.drift(...accept)
    for (const command of [['plan'], ['drift'], ['plan', '-o', 'markdown'], ['drift', '-o', 'markdown']]) {
      const { stdout } = await area.run(command)
      expect(stdout).toContain('git one → live')
      expect(stdout).toContain('until 2026-12-01, ops: INC-17')
      expect(stdout).toContain('1 accepted')
    }
    expect((await area.run(['apply', '--yes'])).stdout).toContain('1 accepted')
    const { accepted } = (await area.run(['plan', '-o', 'json'])).json() as unknown as JsonObject
    expect(accepted).toEqual([
      {
        address: 'Role/Partners',
        kind: 'Role',
        field: { path: '/description', before: 'by hand', after: 'one', sensitive: false, verdict: 'drift' },
        reason: 'INC-17',
        owner: 'ops',
        expires: '2026-12-01',
      },
    ])
  })

  test('ends with its last day: then it is drift, and plan changes it and says why', async () => {
    const { area } = await drifted()
    await area.drift(...accept)
    await area.apply()
    expect((await area.run(['drift'], later)).exitCode).toBe(2)
    const plan = await area.run(['plan'], later)
    expect(plan.stdout).toContain('description: its acceptance expired on 2026-12-01 (ops: INC-17)')
    expect((await area.run(['plan', '-o', 'json'], later)).json().changes).toMatchObject([
      { action: 'update', fields: [{ path: '/description', verdict: 'drift' }], lapsed: [{ why: 'expired' }] },
    ])
    expect((await area.run(['apply', '--yes'], later)).exitCode).toBe(0)
    expect((await area.run(['drift'], later)).exitCode).toBe(0)
  })

  test('ends when the live value changes', async () => {
    const { area, rest } = await drifted()
    await area.drift(...accept)
    await byHand(rest, { description: 'by another hand' })
    expect((await area.drift()).exitCode).toBe(2)
    expect((await area.plan()).changes).toMatchObject([{ lapsed: [{ why: 'other values' }] }])
  })

  test('ends when git has another value: then both have changed, and somebody must decide', async () => {
    const { area } = await drifted()
    await area.drift(...accept)
    area.declare(role('two'))
    expect((await area.plan()).changes).toMatchObject([
      { fields: [{ verdict: 'conflict', applied: 'one', before: 'by hand', after: 'two' }] },
    ])
    expect((await area.run(['apply', '--yes'])).exitCode).toBe(5)
    expect((await area.apply('--take', 'manifest')).exitCode).toBe(0)
  })

  test('ends when its entry is removed, and not by --take', async () => {
    const { area } = await drifted()
    await area.drift(...accept)
    expect((await area.plan('--take', 'manifest')).changes).toEqual([])
    rmSync(join(area.dir, 'gatewright.accepted.yaml'))
    expect((await area.plan()).changes.length).toBe(1)
  })

  test('ends when its entry is removed, even if it was the only one: an empty list remains', async () => {
    const { area } = await drifted()
    await area.drift(...accept)
    const file = 'gatewright.accepted.yaml'
    const left = accepted(area).replace(/(?<=^accepted:).*$/ms, ' # of this year\n# the end\n')
    area.write(file, left)
    expect((await area.plan()).changes.length).toBe(1)
    expect((await area.drift()).exitCode).toBe(2)
    expect((await area.drift(...accept)).exitCode).toBe(0)
    expect(accepted(area)).toMatch(/^# Drift that .* # of this year\n {2}- address: Role\/Partners\n.*\n# the end\n$/s)
    await isLeftAlone(area, 1)
    area.write(file, left.replace('\naccepted:', '\nacepted:'))
    expect((await area.drift()).exitCode).toBe(1)
  })

  test('applies to one area', async () => {
    const { area } = await drifted()
    await area.drift(...accept)
    area.write('gatewright.accepted.yaml', accepted(area).replace('a4ea', 'beef'))
    expect((await area.drift()).exitCode).toBe(2)
    await area.drift(...accept)
    expect(accepted(area)).toContain('beef')
    expect(accepted(area)).toContain('a4ea')
  })

  test('applies to one platform, because another may have an area with the same id; an entry without a url applies to all', async () => {
    const { area } = await drifted()
    await area.drift(...accept)
    area.write('gatewright.accepted.yaml', accepted(area).replace('//platform.example', '//PLATFORM.example/'))
    expect((await area.drift()).exitCode).toBe(0)
    area.write('gatewright.accepted.yaml', accepted(area).replace('//PLATFORM.', '//other.'))
    expect((await area.drift()).exitCode).toBe(2)
    area.write('gatewright.accepted.yaml', accepted(area).replace(/ +url: .*\n/, ''))
    expect((await area.drift()).exitCode).toBe(0)
  })

  test.each([
    [['--accept'], 'to accept drift, also give --reason, --owner, --expires'],
    [[...accept.slice(0, -1), '2026-13-01'], '--expires has the value'],
    [[...accept.slice(0, -1), '2026-11-20'], 'it takes a day that is not over, such as 2027-01-31'],
    [['--write', ...accept], 'two answers to drift'],
    [accept.slice(1), 'add --accept'],
  ])('that is incomplete is refused before a request: %j', async (options, words) => {
    const area = embedded()
    area.declare(role('all'))
    const refused = await area.drift(...options)
    expect(refused.exitCode).toBe(1)
    expect(refused.stdout).toContain(words)
    expect(area.requests()).toEqual([])
  })

  test('makes a saved plan stale if it is added later or removed', async () => {
    const { area } = await drifted()
    const out = ['--out', 'saved.plan']
    await area.plan(...out)
    await area.drift(...accept)
    expect((await area.apply('saved.plan')).exitCode).toBe(4)
    area.declare(document('Role', 'Partners', { description: 'one' }), role('new', 'Extra'))
    await area.plan(...out)
    rmSync(join(area.dir, 'gatewright.accepted.yaml'))
    // A change that nobody approved is not done; the others are.
    expect((await area.apply('saved.plan')).json().changes.map(({ address }) => address)).toEqual(['Role/Extra'])
  })

  test('is read from another file if one is named, which must exist', async () => {
    const { area } = await drifted()
    await area.drift('--accept', 'known.yaml', ...accept.slice(1))
    expect(existsSync(join(area.dir, 'gatewright.accepted.yaml'))).toBe(false)
    expect((await area.plan('--accepted', 'known.yaml')).changes).toEqual([])
    expect((await area.plan()).changes.length).toBe(1)
    const missing = await area.run(['plan', '--accepted', 'nothing.yaml'])
    expect([missing.exitCode, missing.stderr]).toEqual([1, expect.stringContaining('there is no such file')])
  })

  test('is not a manifest, even if everything below the project file is read', async () => {
    const { area } = await drifted()
    await area.drift(...accept)
    for (const manifests of ['', 'manifests: [.]']) {
      area.write(
        'gatewright.yaml',
        `apiVersion: gatewright/v1\nkind: Project\nmetadata: {name: test}\nspec: {${manifests}}\n`,
      )
      const run = await area.run(['validate'])
      expect([run.exitCode, run.stderr]).toEqual([0, ''])
    }
  })

  test('of an object that others refer to blocks these references', async () => {
    const area = embedded()
    const service = document('Service', 'S', {})
    const rest = await applied(area, service)
    await rest.remove(`/services/${await idOf(rest, '/services', 'S')}`)
    await area.drift(...accept)
    area.declare(service, document('Package', 'P', { plans: [{ name: 'Gold', services: [{ name: 'S' }] }] }))
    const plan = await area.plan()
    expect(plan.changes.map(({ action, address }) => `${action} ${address}`)).toEqual([
      'create Package/P',
      'create Package/P/Plan/Gold',
      'blocked Package/P/Plan/Gold/PlanService/S',
    ])
    expect(plan.changes.at(-1)?.reason).toContain('Service/S, which was deleted on the platform, and that is accepted')
    expect((await area.apply('--skip-blocked')).json().summary).toMatchObject({ applied: 2, failed: 0 })
  })

  test('is valid without a base, and in later records', async () => {
    const area = embedded()
    const rest = await restOf(area.make)
    await rest.post('/roles', { name: 'Partners', description: 'there before' })
    area.declare(role('one'))
    expect((await area.drift(...accept)).exitCode).toBe(0)
    await isLeftAlone(area, 1)
    area.declare(role('one'), role('new', 'Extra'))
    await area.apply()
    await isLeftAlone(area, 1)
  })

  test('is not written into the manifests by drift --write', async () => {
    const { area } = await drifted()
    await area.drift(...accept)
    const before = readFileSync(join(area.dir, 'manifests/all.yaml'), 'utf8')
    expect((await area.drift('--write')).exitCode).toBe(0)
    expect(readFileSync(join(area.dir, 'manifests/all.yaml'), 'utf8')).toBe(before)
  })
})

test('values from the environment are accepted by their fingerprints, wherever they are', async () => {
  const env = { ...environment, TOKEN: 'a-tainted-token' }
  const area = embedded({}, { env })
  const rest = await applied(area, document('Service', 'S', { description: 'Bearer ${env:TOKEN}' }))
  const service = `/services/${await idOf(rest, '/services', 'S')}`
  await rest.put(service, { name: 'S', description: 'Bearer a-tainted-token by hand' })
  const run = await area.drift(...accept)
  expect(run.exitCode).toBe(0)
  for (const shown of [accepted(area), run.stdout, (await area.run(['plan'])).stdout]) {
    expect(shown).not.toContain('a-tainted-token')
  }
  await isLeftAlone(area, 1)
  // A plan without the secret cannot know: nothing is changed, and nothing is reported as drift.
  const blind = await area.run(['plan', '-o', 'json'], { env: environment })
  expect([blind.exitCode, blind.json().changes]).toEqual([0, []])
  rmSync(join(area.dir, 'gatewright.accepted.yaml'))
  const refused = await area.run(['drift', ...accept], { env: environment })
  expect([refused.exitCode, refused.stderr]).toEqual([
    1,
    expect.stringContaining('takes a secret that is not set here'),
  ])
})

test('a known secret that somebody has put into another field is accepted by its fingerprint', async () => {
  const env = { ...environment, TOKEN: 'a-tainted-token' }
  const area = embedded({}, { env })
  const documents = [
    document('Service', 'S', { description: 'one' }),
    document('Service', 'T', { description: '${env:TOKEN}' }),
  ]
  const rest = await applied(area, ...documents)
  await rest.put(`/services/${await idOf(rest, '/services', 'S')}`, { name: 'S', description: 'a-tainted-token' })
  expect((await area.drift(...accept)).exitCode).toBe(0)
  expect(accepted(area)).not.toContain('a-tainted-token')
  await isLeftAlone(area, 1)
})

test('secrets are accepted by their fingerprints', async () => {
  const env = { ...environment, PASSWORD: 'a-first-password' }
  const area = embedded({}, { env })
  const rest = await applied(
    area,
    document('Domain', 'example.com'),
    document('Service', 'S', {
      endpoints: [
        {
          name: 'e',
          requestPathAlias: '/e',
          publicDomains: ['example.com'],
          trafficManagerDomain: 'example.com',
          systemDomainAuthentication: { type: 'httpBasic', username: 'u', password: '${env:PASSWORD}' },
        },
      ],
    }),
  )
  const service = await idOf(rest, '/services', 'S')
  const endpoint = await idOf(rest, `/services/${service}/endpoints`, 'e')
  const authentication = `/services/${service}/endpoints/${endpoint}/systemDomainAuthentication`
  await rest.put(authentication, { type: 'httpBasic', username: 'u', password: 'a-second-password' })
  const run = await area.drift(...accept)
  expect(run.exitCode).toBe(0)
  const text = accepted(area)
  expect(text).toMatch(
    /gitFingerprint: hmac:[0-9a-f]{8}:[0-9a-f]{32}\n {4}liveFingerprint: hmac:[0-9a-f]{8}:[0-9a-f]{32}\n/,
  )
  for (const shown of [text, run.stdout, (await area.run(['plan'])).stdout]) expect(shown).not.toMatch(/a-\w+-password/)
  await isLeftAlone(area, 1)
  await rest.put(authentication, { type: 'httpBasic', username: 'u', password: 'a-third-password' })
  expect((await area.drift()).exitCode).toBe(2)
})
