import { describe, expect, test } from 'vitest'
import { createPlatform } from '../../src/platform/server.js'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { embedded, testClock, world } from '../kit/world.js'
import { complaints, planOf, words } from './plans.js'

/** Host names are compared without case, no matter who wrote them. */

const written = 'API.Shop.Example'
const live = 'api.shop.example'

describe('a domain', () => {
  test('matches a live domain whose case differs', () => {
    const plan = planOf([document('Domain', written)], { domains: [{ id: 'd', domain: live }] })
    expect(words(plan)).toEqual([])
    expect(plan.unchanged).toBe(1)
  })

  test('matches references whose case differs', () => {
    expect(words(planOf([document('Domain', live)], { domains: [{ id: 'd', domain: written }] }))).toEqual([])
  })

  test('is renamed from a former name whose case differs', () => {
    const renamed = document('Domain', { name: 'new.example', formerly: [written] })
    expect(words(planOf([renamed], { domains: [{ id: 'd', domain: live }] }))).toEqual([
      'update Domain/new.example: /domain',
    ])
  })

  test('is declared twice if two declarations differ only in case', () => {
    expect(() => planOf([document('Domain', written), document('Domain', live)])).toThrow(/declared/)
  })

  test('is ambiguous if two live domains differ only in case', () => {
    const domains = [
      { id: 'd', domain: live },
      { id: 'e', domain: written },
    ]
    expect(complaints(planOf([document('Domain', live)], { domains }))).toEqual([
      expect.stringContaining('ambiguous-name'),
    ])
  })

  test('is removed by its name in any case', () => {
    const removed = document('Removed', { address: `Domain/${written}` })
    expect(words(planOf([removed], { domains: [{ id: 'd', domain: live }] }))).toEqual([`delete Domain/${live}`])
  })

  test('is created once if the platform stores it in lower case, and is kept if a manifest changes its case', async () => {
    const w = embedded({ faults: ['names-lower'] })
    w.declare(document('Domain', written))
    expect((await w.apply()).exitCode).toBe(0)
    expect((await w.plan()).summary).toMatchObject({ create: 0, update: 0, unchanged: 1 })
    w.declare(document('Domain', live))
    expect((await w.apply()).exitCode).toBe(0)
    const rest = await restOf(w.make)
    expect(await rest.get('/domains')).toMatchObject([{ domain: live }])
    expect((await w.run(['get', 'Domain', written, '-o', 'json'])).stdout).toContain(live)
  })

  test('has the sent name if it is requested by its id because lists lag', async () => {
    const w = embedded({ faults: ['lag-20000'] })
    w.declare(document('Domain', written))
    const run = await w.apply()
    expect(run).toMatchObject({ exitCode: 0 })
    expect(run.stdout + run.stderr).not.toContain('another name')
  })

  test('is sent with the case of the manifest', async () => {
    const w = world(createPlatform({ autoApprove: true, now: testClock().now }))
    w.declare(document('Domain', written))
    expect((await w.apply()).exitCode).toBe(0)
    expect(await (await restOf(w.make)).get('/domains')).toMatchObject([{ domain: written }])
    expect((await w.run(['export', '--dir', 'out'])).exitCode).toBe(0)
    expect((await w.run(['plan', '-f', 'out', '-o', 'json'])).json().summary).toMatchObject({ create: 0, update: 0 })
  })
})

test('host names of endpoints are compared without case, and lists of them are sets', () => {
  const endpoint = (hosts: readonly string[], manager: string) => ({
    name: 'e',
    requestPathAlias: '/a',
    trafficManagerDomain: manager,
    publicDomains: hosts.map((domain) => ({ domain })),
  })
  const services = [
    { id: 's', name: 'S', endpoints: [{ id: 'e', ...endpoint(['a.example', 'B.example'], 'm.example') }] },
  ]
  const plan = (hosts: readonly string[], manager: string) =>
    words(planOf([document('Service', 'S', { endpoints: [endpoint(hosts, manager)] })], { services }))
  expect(plan(['b.Example', 'A.example'], 'M.Example')).toEqual([])
  expect(plan(['b.example', 'c.example'], 'm.example')).toEqual(['update Service/S/Endpoint/e: /publicDomains'])
})

describe('a name in another Unicode form', () => {
  const [composed, decomposed] = ['caf\u00e9', 'cafe\u0301']

  test('is another object, and is reported', () => {
    const plan = planOf([document('Service', decomposed)], { services: [{ id: 's', name: composed }] })
    expect(words(plan)).toEqual([`create Service/${decomposed}`])
    expect(complaints(plan)).toEqual([expect.stringContaining('name-looks-alike')])
  })

  test.each([
    [composed, 'cafe'],
    [composed, composed],
  ])('is not reported for %s beside %s', (name, there) => {
    const plan = planOf([document('Service', name)], { services: [{ id: 's', name: there }] })
    expect(complaints(plan)).toEqual([])
  })

  test('two declared ones are reported once, by validate and by plan; their contents are not reported', async () => {
    const service = (name: string) => document('Service', name, { errorSets: [{ name: 'e', type: 'text/xml' }] })
    for (const live of [[], [service(composed)]]) {
      const area = embedded()
      area.declare(...live)
      if (live.length > 0) expect((await area.apply()).exitCode).toBe(0)
      area.declare(service(composed), service(decomposed))
      for (const command of ['validate', 'plan']) {
        const { diagnostics } = (await area.run([command, '-o', 'json'])).json()
        const told = diagnostics.filter(({ code }) => code === 'name-looks-alike')
        expect(told, command).toMatchObject([{ severity: 'warning', message: expect.stringContaining(decomposed) }])
      }
    }
  })
})
