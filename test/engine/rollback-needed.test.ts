import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/json.js'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { environment, type Make, world } from '../kit/world.js'
import { everything, platform } from '../laws/within.js'
import { createOtherMake } from '../other-make/area.js'

/** An object that a rollback keeps, because it cannot restore the one before it, also keeps the objects that it refers to. */

const env = { ...environment, PW: 'password-1', KEY: 'key-number-1', SEC: 'secret-1' }

const service = document('Service', 'S', {})
const endpoint = (name: string, more: JsonObject) =>
  document(
    'Endpoint',
    { service: 'Old', name },
    { requestPathAlias: `/${name}`, trafficManagerDomain: 'api.example.com', ...more },
  )
const errorSet = document('ErrorSet', { service: 'Old', name: 'Mine' }, { type: 'text/xml' })
const gold = (more: JsonObject = {}) => ({ name: 'Gold', ...more })
const holder = (of: string) =>
  document('Member', 'm', {
    ...{ email: 'a@b.c', displayName: 'D', externalId: 'x', passwdNew: '${env:PW}' },
    applications: [
      { name: 'app', packageKeys: [{ package: of, plan: 'Gold', apikey: '${env:KEY}', secret: '${env:SEC}' }] },
    ],
  })

const makes: readonly (readonly [string, JsonObject, () => Make])[] = [
  ['document', { errorSet: 'Mine' }, () => platform()],
  ['recorded', { errorSet: 'Mine' }, () => platform({ dialect: 'recorded' })],
  // Its endpoints have no error set, and a service keeps its last one.
  ['another', {}, () => createOtherMake()],
]

test.each(makes)(
  'on the make "%s" a key that moved to a new package keeps it, with its plan and the access of that plan',
  async (_, ofEndpoint, make) => {
    const there = world(make(), { env })
    const before = [
      document('Domain', 'example.com'),
      document('Package', 'P1', { plans: [gold()] }),
      document('Service', 'Old', {}),
      endpoint('older', {}),
    ]
    const added = ['used', 'unused'].map((name) => document('Method', { service: 'Old', endpoint: 'older', name }))
    there.declare(...before, holder('P1'))
    expect((await there.apply()).exitCode).toBe(0)
    const inPlan = [
      { name: 'S', endpoints: [] },
      {
        name: 'Old',
        endpoints: [
          { name: 'e', methods: [{ name: 'get' }] },
          { name: 'older', methods: [{ name: 'used' }] },
        ],
      },
    ]
    const other = document('Package', 'P2', { plans: [gold({ services: inPlan })] })
    const unused = document('ErrorSet', { service: 'Old', name: 'Unused' }, { type: 'text/xml' })
    there.declare(
      ...before,
      document('Role', 'New'),
      service,
      errorSet,
      unused,
      endpoint('e', { methods: [{ name: 'get' }], ...ofEndpoint }),
      ...added,
      other,
      holder('P2'),
    )
    expect((await there.apply(...everything)).exitCode).toBe(0)
    const back = await there.run(['rollback', 'latest', '--yes', ...everything])
    expect([back.exitCode, back.stderr]).toEqual([
      0,
      expect.stringMatching(/Package\/P2 cannot be undone in full: Member\/m\S* .*needs it/),
    ])
    const rest = await restOf(there.make)
    expect((await rest.get('/packageKeys')).length).toBe(1)
    expect((await rest.get('/packages')).map(({ name }) => name).sort()).toEqual(['P1', 'P2'])
    expect((await rest.get('/services')).map(({ name }) => name).sort()).toEqual(['Old', 'S'])
    // Objects that nothing needs are deleted.
    expect((await rest.get('/roles')).filter(({ name }) => name === 'New')).toEqual([])
    expect((await there.plan()).changes.map(({ address }) => address)).toEqual([
      'Role/New',
      'Service/Old/ErrorSet/Unused',
      'Service/Old/Endpoint/older/Method/unused',
    ])
  },
)

test.each(makes)('on the make "%s" a key that moved to a new application stays there', async (_, _ofEndpoint, make) => {
  const there = world(make(), { env })
  const key = { package: 'P', plan: 'Gold', apikey: '${env:KEY}', secret: '${env:SEC}' }
  const holderOf = (...applications: readonly JsonObject[]) => [
    document('Package', 'P', { plans: [gold()] }),
    document('Member', 'm', {
      ...{ email: 'a@b.c', displayName: 'D', externalId: 'x', passwdNew: '${env:PW}' },
      applications: [...applications],
    }),
  ]
  const before = holderOf({ name: 'a', packageKeys: [key] })
  const after = holderOf({ name: 'a', packageKeys: [] }, { name: 'b', packageKeys: [key] })
  there.declare(...before)
  expect((await there.apply()).exitCode).toBe(0)
  there.declare(...after)
  expect((await there.apply(...everything)).exitCode).toBe(0)
  const back = await there.run(['rollback', 'latest', '--yes', ...everything])
  expect([back.exitCode, back.stderr]).toEqual([
    0,
    expect.stringMatching(/Application\/b cannot be undone in full: \S+Key/),
  ])
  expect((await (await restOf(there.make)).get('/packageKeys')).length).toBe(1)
  expect((await there.plan()).changes).toEqual([])
  there.declare(...before)
  const again = await there.apply(...everything)
  expect([again.exitCode, (await there.plan()).changes]).toEqual([0, []])
})

test.each(makes)(
  'on the make "%s" an object that somebody has changed since keeps the objects that it uses',
  async (_, _ofEndpoint, make) => {
    const there = world(make(), { env })
    const domain = document('Domain', 'example.com')
    there.declare(domain)
    expect((await there.apply()).exitCode).toBe(0)
    const inPlan = [{ name: 'S', endpoints: [{ name: 'e', methods: [{ name: 'get' }] }] }]
    const made = document('Package', 'P', { plans: [gold({ description: 'ours', services: inPlan })] })
    const endpoints = [
      { name: 'e', requestPathAlias: '/e', trafficManagerDomain: 'api.example.com', methods: [{ name: 'get' }] },
    ]
    there.declare(domain, document('Service', 'S', { endpoints }), document('Service', 'Unused'), made)
    expect((await there.apply(...everything)).exitCode).toBe(0)
    const rest = await restOf(there.make)
    const [found] = await rest.get('/packages')
    const [plan] = await rest.get(`/packages/${found?.id}/plans?fields=id,name`)
    await rest.put(`/packages/${found?.id}/plans/${plan?.id}`, { ...plan, description: 'theirs' })
    const back = await there.run(['rollback', 'latest', '--yes', ...everything])
    expect([back.exitCode, back.stderr]).toEqual([
      0,
      expect.stringMatching(/Service\/S is left as it is: Package\/P\S* uses it/),
    ])
    expect((await rest.get('/services')).map(({ name }) => name)).toEqual(['S'])
    expect((await there.plan()).changes.map(({ address }) => address)).toEqual([
      'Service/Unused',
      'Package/P/Plan/Gold',
    ])
  },
)

test.each(makes)(
  'on the make "%s" a key that somebody has changed since is not changed',
  async (_, _ofEndpoint, make) => {
    const there = world(make(), { env })
    const key = { package: 'P', plan: 'Gold', apikey: '${env:KEY}', secret: '${env:SEC}', rateLimitCeiling: 5 }
    const holding = (...packageKeys: readonly JsonObject[]) =>
      document('Member', 'm', {
        ...{ email: 'a@b.c', displayName: 'D', externalId: 'x', passwdNew: '${env:PW}' },
        applications: [{ name: 'a', packageKeys }],
      })
    there.declare(holding())
    expect((await there.apply()).exitCode).toBe(0)
    there.declare(document('Package', 'P', { plans: [gold()] }), holding(key, { ...key, apikey: 'other' }))
    expect((await there.apply(...everything)).exitCode).toBe(0)
    const rest = await restOf(there.make)
    const found = await rest.get('/packageKeys?fields=id,apikey')
    const ours = found.find(({ apikey }) => apikey === env.KEY)
    await rest.put(`/packageKeys/${ours?.id}`, { id: ours?.id ?? '', rateLimitCeiling: 7 })
    const back = await there.run(['rollback', 'latest', '--yes', ...everything])
    expect([back.exitCode, back.stderr]).toEqual([
      0,
      expect.stringMatching(/PackageKey\S* \S+ is left as it is: it was changed since/),
    ])
    expect((await rest.get('/packageKeys?fields=id,apikey')).map(({ apikey }) => apikey)).toEqual([env.KEY])
  },
)

test.each(makes)(
  'on the make "%s" an object with a child of somebody else keeps the objects that it refers to',
  async (_, of, make) => {
    const there = world(make(), { env })
    const domain = document('Domain', 'example.com')
    there.declare(domain)
    expect((await there.apply()).exitCode).toBe(0)
    const shown = Object.hasOwn(of, 'errorSet') ? { errorSet: 'Mine' } : {}
    there.declare(
      domain,
      document('Role', 'R'),
      document('Service', 'Old', {
        roles: [{ name: 'R', action: 'read' }],
        errorSets: [{ name: 'Mine' }, { name: 'Free' }],
      }),
      endpoint('e', { trafficManagerDomain: 'example.com', methods: [{ name: 'get' }], ...shown }),
    )
    expect((await there.apply(...everything)).exitCode).toBe(0)
    const rest = await restOf(there.make)
    const [found] = await rest.get('/services')
    const [held] = await rest.get(`/services/${found?.id}/endpoints`)
    await rest.post(`/services/${found?.id}/endpoints/${held?.id}/methods`, { name: 'theirs' })
    const back = await there.run(['rollback', 'latest', '--yes', ...everything])
    expect([back.exitCode, back.stderr]).toEqual([0, back.stderr])
    expect(back.stderr).toContain('Service/Old/Endpoint/e stays: it holds')
    expect(back.stderr).toContain('Role/R is left as it is: Service/Old uses it, and stays')
    expect((await rest.get('/roles')).map(({ name }) => name)).toContain('R')
    if (Object.hasOwn(of, 'errorSet'))
      expect(back.stderr).toContain('Service/Old/ErrorSet/Mine is left as it is: Service/Old/Endpoint/e still uses it')
  },
)

test.each(makes)(
  'on the make "%s" an object that somebody else uses stays, and the rest is deleted',
  async (_, of, make) => {
    const there = world(make(), { env })
    there.declare(document('Domain', 'example.com'), document('Service', 'Theirs', {}))
    expect((await there.apply()).exitCode).toBe(0)
    const rest = await restOf(there.make)
    there.declare(
      document('Domain', 'example.com'),
      document('Role', 'R'),
      document('Service', 'Theirs', { errorSets: [{ name: 'Mine' }, { name: 'Other' }] }),
      document('Service', 'Old', {}),
      endpoint('e', { trafficManagerDomain: 'example.com', methods: [{ name: 'get' }] }),
    )
    expect((await there.apply(...everything)).exitCode).toBe(0)
    const services = await rest.get('/services')
    const idOf = (name: string) => services.find((each) => each.name === name)?.id
    const [used] = await rest.get(`/services/${idOf('Old')}/endpoints`)
    const sets = await rest.get(`/services/${idOf('Theirs')}/errorSets`)
    const mine = sets.find(({ name }) => name === 'Mine')
    const path = {
      requestPathAlias: '/t',
      trafficManagerDomain: 'example.com',
      publicDomains: [{ address: 'example.com' }],
    }
    if (Object.hasOwn(of, 'errorSet'))
      await rest.post(`/services/${idOf('Theirs')}/endpoints`, { name: 't', ...path, errorSet: { id: mine?.id ?? '' } })
    const plan = { name: 'G', services: [{ id: idOf('Old') ?? '', endpoints: [{ id: used?.id ?? '' }] }] }
    await rest.post('/packages', { name: 'P', plans: [plan] })
    const back = await there.run(['rollback', 'latest', '--yes', ...everything])
    expect([back.exitCode, back.stderr]).toEqual([0, back.stderr])
    // One warning for the whole tree: its children have no separate reason to stay.
    const inOld = back.stderr.split('\n').filter((line) => line.includes('warning: Service/Old'))
    expect(inOld).toEqual([
      expect.stringMatching(
        /Service\/Old is left as it is: Package\/P\/Plan\/G still uses it; \d objects? in it stays? with it/,
      ),
    ])
    if (Object.hasOwn(of, 'errorSet'))
      expect(back.stderr).toContain('ErrorSet/Mine is left as it is: Service/Theirs/Endpoint/t still uses it')
    expect((await rest.get('/services')).map(({ name }) => name)).toContain('Old')
    expect((await rest.get('/roles')).map(({ name }) => name)).not.toContain('R')
  },
)
