import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/json.js'
import { createPlatform } from '../../src/platform/server.js'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { environment, type Make, testClock, type World, world } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'

/** A plan foresees domains of endpoints that the platform will refuse. */

const platform = (dialect: 'document' | 'recorded') =>
  createPlatform({ autoApprove: true, idSeed: 'test', now: testClock().now, dialect })

const makes: readonly (readonly [string, () => Make])[] = [
  ['document', () => platform('document')],
  ['recorded', () => platform('recorded')],
  ['another', () => createOtherMake()],
]

const endpoint = (name: string, host: string, more: JsonObject = {}): JsonObject => ({
  name,
  requestPathAlias: `/${name}`,
  trafficManagerDomain: 'elsewhere.test',
  publicDomains: [host],
  systemDomains: ['in.example.com'],
  ...more,
})
const service = (...endpoints: readonly JsonObject[]) => document('Service', 'S', { endpoints: [...endpoints] })
const domain = document('Domain', 'example.com')

const foreseen = async (area: World, ...args: readonly string[]): Promise<readonly string[]> =>
  (await area.plan(...args)).diagnostics
    .filter(({ code }) => code === 'uncovered-domain')
    .map(({ severity, message, hint }) => `${severity}: ${message} (${hint})`)

/** An area with a domain that no project has created. */
async function withDomain(make: Make): Promise<World> {
  const rest = await restOf(make)
  await rest.post('/domains', { domain: 'example.com' })
  return world(make)
}

const readsDomains = (area: World): number => area.requests().filter(({ path }) => path.endsWith('/domains')).length

describe.each(makes)('on the make "%s"', (_, make) => {
  test('a domain that is deleted while its endpoints stay is reported, but not one whose endpoints are deleted too', async () => {
    const area = world(make())
    const endpoints = [endpoint('a', 'api.example.com'), endpoint('b', 'b.example.com')]
    area.declare(domain, service(...endpoints))
    expect((await area.apply()).exitCode).toBe(0)
    const told = async () =>
      (await area.plan()).diagnostics.filter(({ code }) => code === 'domain-still-used').map(({ message }) => message)
    area.declare(service(...endpoints))
    expect(await told()).toEqual([
      'Domain/example.com would be deleted, and no other Domain covers "api.example.com" of Service/S/Endpoint/a and 3 more host names',
    ])
    area.declare(document('Domain', { name: 'other.test', formerly: 'example.com' }), service(...endpoints))
    expect(await told()).toHaveLength(1)
    area.declare(document('Domain', 'other.test'), document('Role', 'R'))
    expect(await told()).toEqual([])
  })

  test('a rollback reports a domain that it deletes while an endpoint stays because it was changed since', async () => {
    const area = world(make())
    area.declare(domain, service(endpoint('a', 'api.example.com', { requestProtocol: 'soap' })))
    const { run } = (await area.apply()).json()
    area.declare(domain, service(endpoint('a', 'api.example.com', { requestProtocol: 'rest' })))
    expect((await area.apply()).exitCode).toBe(0)
    const undone = (await area.run(['rollback', run ?? '', '--yes', '-o', 'json'])).json()
    expect(undone.changes.map(({ address }) => address)).toEqual(['Domain/example.com'])
    expect(undone.diagnostics.filter(({ code }) => code === 'domain-still-used').map(({ message }) => message)).toEqual(
      [
        'Domain/example.com would be deleted, and no other Domain covers "api.example.com" of Service/S/Endpoint/a and 1 more host name',
      ],
    )
  })

  test('a rollback reports a domain that an endpoint still uses in a field that was changed since', async () => {
    const area = world(make())
    const www = document('Domain', 'www.test')
    const used = (requestProtocol: string, ...publicDomains: readonly string[]) =>
      service(endpoint('a', 'api.example.com', { requestProtocol, publicDomains }))
    area.declare(domain, used('rest', 'api.example.com'))
    expect((await area.apply()).exitCode).toBe(0)
    area.declare(domain, www, used('soap', 'www.test'))
    const { run } = (await area.apply()).json()
    area.declare(domain, www, used('soap', 'www.test', 'api.example.com'))
    expect((await area.apply()).exitCode).toBe(0)
    const undone = (await area.run(['rollback', run ?? '', '--yes', '-o', 'json'])).json()
    expect(undone.changes.map(({ action, address }) => `${action} ${address}`)).toEqual([
      'update Service/S/Endpoint/a',
      'delete Domain/www.test',
    ])
    expect(undone.diagnostics.filter(({ code }) => code === 'domain-still-used').map(({ message }) => message)).toEqual(
      ['Domain/www.test would be deleted, and no other Domain covers "www.test" of Service/S/Endpoint/a'],
    )
  })

  test('a host without a domain is reported once, with its position, before the platform refuses it', async () => {
    const area = world(make())
    area.declare(domain, service(endpoint('a', 'api.exmaple.com'), endpoint('b', 'api.exmaple.com')))
    expect(await foreseen(area)).toEqual([
      'warning: no Domain, declared or live, covers "api.exmaple.com": the platform will refuse Service/S/Endpoint/a and 1 more object (declare the Domain, or correct the name)',
    ])
    const run = await area.apply()
    expect(run.exitCode).toBe(3)
    expect(run.json().diagnostics.some(({ message }) => message.includes('api.exmaple.com'))).toBe(true)
  })

  test('a host in a live domain is not reported, and the domains are read if the plan needs them', async () => {
    const area = await withDomain(make())
    area.declare(service(endpoint('a', 'api.example.com')))
    area.requests()
    expect(await foreseen(area)).toEqual([])
    expect(readsDomains(area)).toBeGreaterThan(0)
    expect((await area.apply()).exitCode).toBe(0)
    area.declare(service(endpoint('a', 'api.example.com'), endpoint('b', 'api.nosuch.test')))
    expect(await foreseen(area)).toEqual([
      'warning: no Domain, declared or live, covers "api.nosuch.test": the platform will refuse Service/S/Endpoint/b (declare the Domain, or correct the name; there are example.com)',
    ])
  })

  test('a plan that writes no new host does not read the domains', async () => {
    const area = await withDomain(make())
    area.declare(service(endpoint('a', 'api.example.com')))
    expect((await area.apply()).exitCode).toBe(0)
    const edited = endpoint('a', 'api.example.com', { connectionTimeoutForSystemDomainRequest: 7 })
    const beside = endpoint('b', 'api.example.com')
    for (const state of [[endpoint('a', 'api.example.com')], [edited], [edited, beside]]) {
      area.declare(service(...state))
      area.requests()
      expect(await foreseen(area)).toEqual([])
      expect(readsDomains(area)).toBe(0)
    }
  })

  test('a domain that the plan deletes does not count any more', async () => {
    const area = world(make())
    area.declare(domain, document('Domain', 'old.test'))
    expect((await area.apply()).exitCode).toBe(0)
    area.declare(domain, service(endpoint('a', 'api.old.test')))
    expect((await area.plan()).changes.map(({ address }) => address)).toContain('Domain/old.test')
    expect(await foreseen(area)).toHaveLength(1)
  })
})

test.each(['json', 'markdown', 'text'])('a host name from a variable is masked: -o %s', async (form) => {
  const area = world(platform('document'), { env: { ...environment, HOST: 'hidden.elsewhere.test' } })
  area.declare(domain, service(endpoint('a', '${env:HOST}')))
  const { stdout, stderr } = await area.run(['plan', '-o', form])
  expect(stdout + stderr).toContain('no Domain, declared or live, covers')
  expect(stdout + stderr).not.toContain('hidden.elsewhere.test')
})

test('a domain is not affected by the delete of an object of another kind with the same id', async () => {
  const seed = { domains: [{ id: '7', domain: 'example.com', status: 'active' }], services: [{ id: '7', name: 'Old' }] }
  const area = world(createPlatform({ idSeed: 'test', now: testClock().now, seed }))
  area.declare(service(endpoint('e', 'api.example.com')), document('Removed', { address: 'Service/Old' }))
  expect((await area.plan()).changes.map(({ action, address }) => `${action} ${address}`)).toContain(
    'delete Service/Old',
  )
  expect(await foreseen(area)).toEqual([])
})
