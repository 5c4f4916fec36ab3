import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { kindNames } from '../../src/catalog/queries.js'
import { createPlatform } from '../../src/platform/server.js'
import { document, projectText } from '../kit/manifests.js'
import { canaries, storefront } from '../kit/storefront.js'
import { embedded, environment, testClock, type World, worldIn } from '../kit/world.js'

const env = { ...environment, ...canaries }

/** For the tests that change nothing in the area. */
let world: World

beforeAll(async () => {
  world = await storefrontArea()
})

async function storefrontArea(): Promise<World> {
  const clock = testClock()
  const platform = createPlatform({ autoApprove: true, idSeed: 'test', now: clock.now })
  const area = worldIn(mkdtempSync(join(tmpdir(), 'gatewright-get-')), platform, { ...clock, env })
  area.declare(...storefront)
  expect((await area.apply()).exitCode).toBe(0)
  return area
}

const getIn = (area: World, words: readonly string[]) => area.run(['get', ...words, '--quiet'])
const get = (...words: readonly string[]) => getIn(world, words)

/** A separate world for a test that changes it. */
async function ownArea(): Promise<World> {
  const own = await storefrontArea()
  onTestFinished(() => rmSync(own.dir, { recursive: true, force: true }))
  return own
}

afterAll(() => rmSync(world.dir, { recursive: true, force: true }))

describe('get', () => {
  it('lists the objects of a kind in a table, with the most useful fields', async () => {
    const { stdout, exitCode } = await get('service')
    expect(exitCode).toBe(0)
    const [head = '', first = ''] = stdout.split('\n')
    expect(head).toMatch(/^ADDRESS +ID +version +description +qpsLimitOverall$/)
    expect(first).toMatch(/^Service\/Orders API +[a-z0-9]{24} +2\.1 +Order intake and tracking +500$/)
  })

  it('displays all fields of one object, found by its name, its id or its address', async () => {
    const { stdout } = await get('Endpoint', 'orders')
    expect(stdout).toContain('Service/Orders API/Endpoint/orders\n')
    expect(stdout).toMatch(/^ {2}cors +\{allDomainsEnabled: true, maxAge: 60\}$/m)
    expect((await get('Service/Orders API/Endpoint/orders')).stdout).toBe(stdout)
    const [, id = ''] = /^ {2}id +(\S+)$/m.exec(stdout) ?? []
    expect((await get('Endpoint', id)).stdout).toBe(stdout)
    expect((await get('Service/Orders API/Endpoint/orders/Cache')).stdout).toContain('contentCacheKeyHeaders')
  })

  it('finds a key by its value, and by the part of it in its address', async () => {
    const found = await get('PackageKey', canaries.KEY_1)
    const [, shown = ''] = /^Member\S.*\/PackageKey\/(.* #.*)$/m.exec(found.stdout) ?? []
    expect([found.exitCode, found.stderr]).toEqual([0, ''])
    expect(found.stdout).not.toContain(canaries.KEY_1)
    expect((await get('PackageKey', shown)).stdout).toBe(found.stdout)
    expect((await get('PackageKey', `${shown}x`)).stderr).toContain(`did you mean "${shown}"?`)
  })

  it('requests the roles of services only if they are named', async () => {
    const rolesRead = () =>
      world.requests().filter(({ path }) => path.endsWith('/roles') && path.includes('/services/'))
    rolesRead()
    const all = await get('Service', '-o', 'json')
    expect(rolesRead()).toEqual([])
    expect(all.stderr).toContain('roles are not shown: this platform answers them by one call for each Service')
    for (const { fields } of JSON.parse(all.stdout).objects) expect(fields).not.toHaveProperty('roles')
    const roles = [{ name: 'Partners', action: 'read' }]
    for (const words of [
      ['Service', 'Orders API'],
      ['Service/Orders API'],
      ['Service', '--select', 'Service/Orders*'],
    ]) {
      const { stdout, stderr } = await get(...words, '-o', 'json')
      const [service, ...others] = JSON.parse(stdout).objects
      expect([service.fields.roles, others]).toEqual([roles, []])
      expect(stderr).not.toContain('not shown')
      expect(rolesRead()).toHaveLength(1)
    }
    await get('ServiceRole')
    expect(rolesRead()).toHaveLength(2)
    expect((await get('Service')).stderr).toBe('')
  })

  it('displays the names of referenced objects', async () => {
    const [event] = JSON.parse((await get('ScheduledMaintenanceEvent', '-o', 'json')).stdout).objects
    expect(event.fields).toMatchObject({
      startDateTime: '2027-01-01T00:00:00.000+0000',
      endpoints: [
        { service: 'Orders API', name: 'orders' },
        { service: 'Stock/Prices 100%', name: 'prices' },
      ],
    })
    expect(event.address).toBe('ScheduledMaintenanceEvent/New year')
    const [key] = JSON.parse((await get('PackageKey', '-o', 'json')).stdout).objects
    expect(key.fields).toMatchObject({ package: 'Partner Access', apikey: '(sensitive)', secret: '(sensitive)' })
  })

  it.each(kindNames)('%s: no secret in any form, and only GET', async (kind) => {
    world.requests()
    for (const form of ['text', 'json', 'yaml']) {
      const { stdout, stderr, exitCode } = await get(kind, '-o', form)
      expect(exitCode, stderr).toBe(0)
      for (const secret of Object.values(canaries)) {
        expect(stdout + stderr).not.toContain(secret)
        expect(stdout).not.toContain(JSON.stringify(secret).slice(1, -1))
      }
    }
    expect(world.requests().filter(({ method }) => method !== 'GET')).toEqual([])
  })

  it('writes manifests that change nothing', async () => {
    const texts = []
    for (const kind of ['Service', 'Endpoint', 'Method', 'Cache', 'Package', 'Plan', 'PlanService', 'Role', 'Domain']) {
      texts.push((await get(kind, '-o', 'yaml', '--select', '*')).stdout)
    }
    texts.push((await get('ScheduledMaintenanceEvent', '-o', 'yaml')).stdout)
    texts.push((await get('Member', '-o', 'yaml')).stdout, (await get('PackageKey', '-o', 'yaml')).stdout)
    world.write('manifests/all.yaml', texts.join('---\n'))
    const plan = await world.plan('--prune', 'none')
    world.declare(...storefront)
    expect(plan.changes).toEqual([])
  })

  it('writes the id if several objects share a name, like an export, and the list that an object is in', async () => {
    const place = { publicDomains: [{ domain: 'a.example.com' }] }
    const endpoints = [
      {
        id: 'p1',
        name: 'e',
        requestPathAlias: '/a',
        ...place,
        scheduledMaintenanceEvent: { id: 'm', name: 'Night ${x}' },
      },
      { id: 'p2', name: 'e', requestPathAlias: '/b', ...place },
    ]
    const events = [{ id: 'm', name: 'Night ${x}', endpoints: endpoints.map(({ id, name }) => ({ id, name })) }]
    const area = { services: [{ id: 's', name: 'S', endpoints }], scheduledMaintenanceEvents: events }
    world.write('sameName.json', JSON.stringify(area))
    const written = await get('ScheduledMaintenanceEvent', '-o', 'yaml', '--snapshot', 'sameName.json')
    expect(written.stdout).toContain('- {service: S, name: e, id: p1}\n    - {service: S, name: e, id: p2}\n')
    const { stdout } = await get('Endpoint', '-o', 'yaml', '--snapshot', 'sameName.json')
    expect(stdout).toContain('metadata:\n  service: S\n  name: e\n  id: p1\n')
    expect(stdout).toContain('scheduledMaintenanceEvent: "Night $${x}"\n')
  })

  it('can read a snapshot file as well', async () => {
    await world.run(['snapshot', '--out', 'area.json'])
    const nowhere = { transport: () => Promise.reject(new Error('offline')) }
    const { stdout } = await world.run(['get', 'Role', '--snapshot', 'area.json'], nowhere)
    expect(stdout).toContain('Role/Partners')
    const keys = await world.run(['get', 'PackageKey', '--snapshot', 'area.json'], nowhere)
    expect(keys.stdout).toBe((await get('PackageKey')).stdout)
  })

  it('needs no environment for a snapshot file', async () => {
    const staged = embedded()
    staged.write('gatewright.yaml', projectText('  environments: {dev: {}, prod: {}}\n'))
    staged.write('area.json', JSON.stringify({ roles: [{ id: 'r', name: 'R' }] }))
    const lineOf = (...words: readonly string[]) => staged.run(['get', 'Role', ...words, '-o', 'json'])
    for (const words of [[], ['-e', 'dev']]) {
      const { exitCode, stdout } = await lineOf('--snapshot', 'area.json', ...words)
      expect([exitCode, stdout]).toEqual([0, expect.stringContaining('Role/R')])
    }
    expect((await lineOf('--snapshot', 'area.json', '-e', 'qa')).stdout).toContain('unknown-environment')
    expect((await lineOf()).stdout).toContain('environment-not-chosen')
  })

  it('suggests a similar name, and exits with 1', async () => {
    const unknown = await get('Servise')
    expect([unknown.exitCode, unknown.stderr]).toEqual([1, expect.stringContaining('did you mean Service?')])
    const nobody = await get('Service', 'Order API')
    expect([nobody.exitCode, nobody.stderr]).toEqual([1, expect.stringContaining('did you mean "Orders API"?')])
    expect((await get('Service/Orders')).stderr).toContain('did you mean "Service/Orders API"?')
    const nameless = await get('Cache', 'x')
    expect([nameless.exitCode, nameless.stderr]).toEqual([
      1,
      expect.stringContaining('gatewright get Cache lists them'),
    ])
    expect((await get('EmailTemplate', 'x')).stderr).toContain('only those of sets that a plan names can be listed')
    const address = 'EmailTemplateSet/1/EmailTemplate/keyIssued'
    const { stdout, exitCode } = await get(address)
    expect([exitCode, stdout.split('\n')[0]]).toEqual([0, address])
    expect((await get('EmailTemplate', address)).stdout).toBe(stdout)
    expect((await get('EmailTemplateSet/9/EmailTemplate/keyIssued')).stderr).toContain(
      'there is no such EmailTemplateSet',
    )
    expect((await get('EmailTemplateSet/1/EmailTemplate/keyIsued')).stderr).toContain('did you mean')
    const listed = await get('EmailTemplate')
    expect(listed.stdout).toBe('None.\n')
    expect(listed.stderr).toContain('these are not all objects of kind EmailTemplate that the area may have [not-read]')
  })
})

describe('get, of services', () => {
  it('reads no roles for a table, and only those of one service for that service', async () => {
    const roles = () => world.requests().filter(({ path }) => path.endsWith('/roles') && !path.endsWith('/rest/roles'))
    roles()
    await get('Service')
    expect(roles()).toHaveLength(0)
    expect((await get('Service', 'Orders API')).stdout).toMatch(/^ {2}roles +\[\{name: Partners, action: read\}\]$/m)
    expect(roles()).toHaveLength(1)
    expect((await get('Service/Orders API')).stdout).toMatch(/^ {2}roles +\[\{name: Partners, action: read\}\]$/m)
    expect(roles()).toHaveLength(1)
    expect((await get('ServiceRole')).stdout).toContain('Service/Orders API/ServiceRole/Partners')
  })

  it('takes a word that looks like an address for a name if an object has that name', async () => {
    const own = await ownArea()
    const named = async (word: string) => (await getIn(own, ['Service', word])).stdout.split('\n')[0]
    expect(await named('Service/Orders API')).toBe('Service/Orders API')
    const cache = 'Service/Orders API/Endpoint/orders/Cache'
    expect((await getIn(own, ['Cache', cache])).stdout.split('\n')[0]).toBe(cache)
    own.write(
      'odd/a.yaml',
      'apiVersion: gatewright/v1\nkind: Service\nmetadata: {name: Service/Orders API}\nspec: {description: odd}\n',
    )
    expect((await own.run(['apply', '--yes', '-f', 'odd'])).exitCode).toBe(0)
    expect(await named('Service/Orders API')).toBe('Service/Service%2FOrders API')
    expect(await named('Service/Service%2FOrders API')).toBe('Service/Service%2FOrders API')
    expect((await getIn(own, ['Service/Orders API'])).stdout.split('\n')[0]).toBe('Service/Orders API')
  })

  it('takes an address for the object that has it, even if another object has a name that is written like it', async () => {
    const own = await ownArea()
    own.write(
      'odd/b.yaml',
      'apiVersion: gatewright/v1\nkind: Role\nmetadata: {name: a/b}\n---\napiVersion: gatewright/v1\nkind: Role\nmetadata: {name: a%2Fb}\n',
    )
    expect((await own.run(['apply', '--yes', '-f', 'odd/b.yaml'])).exitCode).toBe(0)
    const { stdout } = await getIn(own, ['Role/a%2Fb', '-o', 'json'])
    expect(JSON.parse(stdout).objects).toMatchObject([{ fields: { name: 'a/b' } }])
  })

  it('finds an object with the name of a kind of single children', async () => {
    const own = embedded()
    const endpoint = { name: 'Cache', requestPathAlias: '/c', trafficManagerDomain: 'a.example.com' }
    const cached = { ...endpoint, cache: { cacheTtlOverride: 5 } }
    own.declare(document('Service', 'Cache', { endpoints: [cached] }))
    expect((await own.apply()).exitCode).toBe(0)
    const addresses = ['Service/Cache', 'Service/Cache/Endpoint/Cache', 'Service/Cache/Endpoint/Cache/Cache']
    for (const address of addresses) {
      const { exitCode, stdout } = await getIn(own, [address])
      expect([exitCode, stdout.split('\n')[0]]).toEqual([0, address])
    }
  })

  it('accepts --select, and refuses conditions that live objects do not have', async () => {
    expect((await get('Endpoint', '--select', 'Service/Orders*')).stdout).not.toContain('prices')
    expect((await get('Endpoint', '-l', 'team=x')).exitCode).toBe(1)
  })
})
