import { describe, expect, test } from 'vitest'
import { type DocumentText, document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import type { World } from '../kit/world.js'
import { makes } from '../other-make/worlds.js'

/** Objects that manifests pin by id, and their children, from one run to the next. */

const endpoint = (service: string, name: string, more: object = {}) =>
  document(
    'Endpoint',
    { service, name },
    { requestPathAlias: `/${name}`, trafficManagerDomain: 'example.com', publicDomains: ['example.com'], ...more },
  )
const domain = document('Domain', 'example.com')
const pinned = (name: string, id: string) => document('Service', { name, id }, {})

async function applied(area: World, ...documents: readonly DocumentText[]): Promise<void> {
  area.declare(...documents)
  const run = await area.apply()
  expect([run.stdout, run.stderr, run.exitCode]).toEqual([run.stdout, run.stderr, 0])
}

/** A service "S" that is pinned, with one endpoint. */
async function withPinned(area: World): Promise<string> {
  await applied(area, domain, document('Service', 'S'))
  const [found] = await (await restOf(area.make)).get('/services')
  const id = String(found?.id)
  await applied(area, domain, pinned('S', id), endpoint('S', 'a'))
  return id
}

const names = async (area: World, path: string) =>
  (await (await restOf(area.make)).get(path)).map(({ name }) => String(name)).sort()

describe.each(makes)('%s', (_, make) => {
  test('a child of a pinned service is deleted if the manifests no longer have it', async () => {
    const area = make()
    const id = await withPinned(area)
    await applied(area, domain, pinned('S', id))
    expect(await names(area, `/services/${id}/endpoints`)).toEqual([])
  })

  test('a pinned service is deleted with its children if the manifests no longer have it', async () => {
    const area = make()
    await withPinned(area)
    area.declare(domain)
    const run = await area.apply('--allow', 'TRAFFIC_STOP')
    expect([run.exitCode, run.stderr]).toEqual([0, run.stderr])
    expect(await names(area, '/services')).toEqual([])
  })

  test('a rollback restores the children of a pinned service that its run has not changed', async () => {
    const area = make()
    const id = await withPinned(area)
    const before = [domain, pinned('S', id), endpoint('S', 'a')]
    await applied(
      area,
      domain,
      pinned('S', id),
      endpoint('S', 'a', { connectionTimeoutForSystemDomainRequest: 5 }),
      endpoint('S', 'b'),
    )
    const run = await area.run(['rollback', 'latest', '--yes', '--allow', 'TRAFFIC_STOP'])
    expect([run.exitCode, run.stdout + run.stderr]).toEqual([0, run.stdout + run.stderr])
    expect(await names(area, `/services/${id}/endpoints`)).toEqual(['a'])
    area.declare(...before)
    expect((await area.plan()).changes).toEqual([])
  })

  test('a rollback keeps later changes by somebody else in a service that its run has renamed', async () => {
    const area = make()
    await applied(area, domain, document('Service', 'S'), endpoint('S', 'a'))
    const renamed = document('Service', { name: 'T', formerly: ['S'] })
    await applied(area, domain, renamed, endpoint('T', 'a'), endpoint('T', 'b'))
    const rest = await restOf(area.make)
    const [{ id } = {}] = await rest.get('/services')
    const found = (await rest.get(`/services/${id}/endpoints`)).find(({ name }) => name === 'b')
    await rest.put(`/services/${id}/endpoints/${found?.id}`, { ...found, requestPathAlias: '/theirs' })
    const run = await area.run(['rollback', 'latest', '--yes', '--allow', 'TRAFFIC_STOP'])
    expect(run.stderr).toContain('Endpoint/b is left as it is: it was changed since')
    expect(await names(area, `/services/${id}/endpoints`)).toEqual(['a', 'b'])
    expect(await names(area, '/services')).toEqual(['S'])
  })

  test('a rollback keeps later changes by somebody else in a pinned service', async () => {
    const area = make()
    const id = await withPinned(area)
    await applied(area, domain, pinned('S', id), endpoint('S', 'a'), endpoint('S', 'b'))
    const rest = await restOf(area.make)
    const found = (await rest.get(`/services/${id}/endpoints`)).find(({ name }) => name === 'b')
    await rest.put(`/services/${id}/endpoints/${found?.id}`, { ...found, requestPathAlias: '/theirs' })
    const run = await area.run(['rollback', 'latest', '--yes', '--allow', 'TRAFFIC_STOP'])
    expect(run.stderr).toContain('Endpoint/b is left as it is: it was changed since')
    expect(await names(area, `/services/${id}/endpoints`)).toEqual(['a', 'b'])
  })
})
