import { describe, expect, test } from 'vitest'
import { type DocumentText, document, projectText } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import type { World } from '../kit/world.js'
import { makes } from '../other-make/worlds.js'

/** An endpoint that names its maintenance event is an entry in the list of that event: how it is added and removed. */

const domain = document('Domain', 'example.com')
const event = (name: string, more: object = {}, metadata: object = {}) =>
  document(
    'ScheduledMaintenanceEvent',
    { name, ...metadata },
    { startDateTime: '2027-01-01T00:00:00.000+0000', endDateTime: '2027-01-01T02:00:00.000+0000', ...more },
  )
const service = (events: Readonly<Record<string, string | null | undefined>>, metadata: object = {}) =>
  document(
    'Service',
    { name: 'S', ...metadata },
    {
      endpoints: Object.entries(events).map(([name, scheduledMaintenanceEvent]) => ({
        name,
        requestPathAlias: `/${name}`,
        trafficManagerDomain: 'example.com',
        publicDomains: ['example.com'],
        ...(scheduledMaintenanceEvent !== undefined && { scheduledMaintenanceEvent }),
      })),
    },
  )

async function endpointsOf(area: World, name: string): Promise<readonly string[]> {
  const rest = await restOf(area.make)
  const found = (await rest.get('/scheduledMaintenanceEvents')).find((each) => each.name === name)
  const inside = await rest.get(`/scheduledMaintenanceEvents/${String(found?.id)}/endpoints`)
  return inside.map((each) => String(each.name)).sort()
}

async function applied(area: World, ...documents: readonly DocumentText[]): Promise<readonly string[]> {
  area.declare(domain, ...documents)
  const run = await area.apply()
  expect([run.stdout, run.stderr, run.exitCode]).toEqual([run.stdout, run.stderr, 0])
  expect((await area.plan()).changes).toEqual([])
  expect((await area.drift()).exitCode).toBe(0)
  return run.json().changes.map(({ action, address }) => `${action} ${address}`)
}

describe.each(makes)('the event of an endpoint, %s:', (_, make) => {
  test('an endpoint that names no event any more is removed from the one that it named; others stay', async () => {
    const area = make()
    await applied(area, event('W'), service({ a: 'W', b: 'W', c: 'W' }))
    expect(await endpointsOf(area, 'W')).toEqual(['a', 'b', 'c'])
    const done = await applied(area, event('W'), service({ a: undefined, b: 'W', c: undefined }))
    expect(done).toEqual(['update ScheduledMaintenanceEvent/W'])
    expect(await endpointsOf(area, 'W')).toEqual(['b'])
  })

  test('an endpoint takes over the path and the event of one that is deleted', async () => {
    const area = make()
    const at = (name: string) =>
      document('Service', 'S', {
        endpoints: [name, 'c'].map((each) => ({
          ...{ name: each, requestPathAlias: each === 'c' ? '/c' : '/a', scheduledMaintenanceEvent: 'W' },
          ...{ trafficManagerDomain: 'example.com', publicDomains: ['example.com'], supportedHttpMethods: ['get'] },
        })),
      })
    await applied(area, event('W'), at('a'))
    area.declare(domain, event('W'), at('b'))
    const run = await area.apply('--allow', 'ID_CHANGE')
    expect([run.stderr, run.exitCode]).toEqual([run.stderr, 0])
    expect(run.json().changes.map(({ action, address }) => `${action} ${address}`)).toEqual([
      'delete Service/S/Endpoint/a',
      'create Service/S/Endpoint/b',
      'update ScheduledMaintenanceEvent/W',
    ])
    expect(await endpointsOf(area, 'W')).toEqual(['b', 'c'])
    expect((await area.plan()).changes).toEqual([])
  })

  test('null removes it from every event, whoever added it', async () => {
    const area = make()
    area.write('gatewright.yaml', refusing)
    const all = [service({ a: undefined, b: undefined }), event('W', { endpoints: [{ service: 'S', name: 'a' }] })]
    await applied(area, ...all)
    await applied(area, event('W'), service({ a: undefined, b: 'W' }))
    await applied(area, event('W'), service({ a: null, b: 'W' }))
    expect(await endpointsOf(area, 'W')).toEqual(['b'])
  })

  test('null is no conflict if the platform reports another one of its events', async () => {
    const area = make()
    const first = event('V', { endpoints: [{ service: 'S', name: 'a' }] })
    await applied(area, first, service({ a: undefined, b: undefined }))
    await applied(area, first, event('W'), service({ a: 'W', b: undefined }))
    await applied(area, service({ a: null, b: null }))
  })

  test('an endpoint is removed from an event that no manifest declares', async () => {
    const area = make()
    await applied(area, event('W'), service({ a: 'W', b: 'W' }))
    const first = await area.run(['plan', '--prune', 'none'])
    expect(first.exitCode).toBe(0)
    area.declare(domain, service({ a: undefined, b: 'W' }))
    const run = await area.apply('--prune', 'none')
    expect([run.stdout, run.exitCode]).toEqual([run.stdout, 0])
    expect(await endpointsOf(area, 'W')).toEqual(['b'])
    area.declare(domain, service({ a: undefined, b: null }))
    expect((await area.apply('--prune', 'none')).exitCode).toBe(0)
    expect(await endpointsOf(area, 'W')).toEqual([])
  })

  test('an event that does not exist is an error at the name, with a suggestion', async () => {
    const area = make()
    await applied(area, event('Winter'), service({ a: 'Winter', b: undefined }))
    area.declare(domain, service({ a: 'Winter', b: 'Wintr' }))
    expect((await area.plan('--prune', 'none')).diagnostics).toMatchObject([
      { code: 'reference-to-nothing', severity: 'error', line: 23, hint: 'did you mean "Winter"?' },
    ])
  })

  test('an event that is removed from the manifests is an error at the name', async () => {
    const area = make()
    await applied(area, event('W'), service({ a: 'W', b: 'W' }))
    const refused = { code: 'reference-to-removed', severity: 'error', line: 17 }
    area.declare(domain, service({ a: 'W', b: undefined }))
    expect((await area.plan()).diagnostics).toMatchObject([refused])
    expect((await area.drift()).exitCode).toBe(1)
    expect(await endpointsOf(area, 'W')).toEqual(['a', 'b'])
  })

  test('an endpoint that somebody removes from the event has drifted', async () => {
    const area = make()
    await applied(area, event('W'), service({ a: 'W', b: 'W' }))
    const rest = await restOf(area.make)
    const [found] = await rest.get('/scheduledMaintenanceEvents')
    const path = `/scheduledMaintenanceEvents/${String(found?.id)}`
    const inside = await rest.get(`${path}/endpoints`)
    await rest.put(path, { endpoints: inside.filter(({ name }) => name === 'a').map(({ id }) => ({ id: id ?? '' })) })
    const drift = await area.drift()
    expect(drift.exitCode).toBe(2)
    expect(drift.json().changes).toMatchObject([{ address: 'ScheduledMaintenanceEvent/W', side: 'live' }])
    area.declare(domain, event('W'), service({ a: 'W', b: 'W', c: 'W' }))
    expect((await area.apply()).exitCode).toBe(0)
    expect(await endpointsOf(area, 'W')).toEqual(['a', 'b', 'c'])
  })

  test('an endpoint moves from one event to another', async () => {
    const area = make()
    await applied(area, event('V'), event('W'), service({ a: 'W', b: 'W' }))
    await applied(area, event('V'), event('W'), service({ a: 'V', b: 'W' }))
    expect(await endpointsOf(area, 'V')).toEqual(['a'])
    expect(await endpointsOf(area, 'W')).toEqual(['b'])
  })

  test('an endpoint is removed from the event in the commit that renames the service and the event', async () => {
    const area = make()
    await applied(area, event('W'), service({ a: 'W', b: 'W' }))
    await applied(
      area,
      event('V', {}, { formerly: ['W'] }),
      service({ a: undefined, b: 'V' }, { name: 'T', formerly: ['S'] }),
    )
    expect(await endpointsOf(area, 'V')).toEqual(['b'])
  })

  test('an event whose list is not written any more loses only the entries of that list', async () => {
    const area = make()
    const list = { endpoints: [{ service: 'S', name: 'a' }] }
    await applied(area, event('W', list), service({ a: undefined, b: 'W' }))
    expect(await endpointsOf(area, 'W')).toEqual(['a', 'b'])
    const given = [event('W'), service({ a: undefined, b: 'W' })]
    area.declare(domain, ...given)
    const drift = await area.drift()
    expect([drift.json().changes.map(({ side }) => side), drift.exitCode]).toEqual([['manifest'], 0])
    await applied(area, ...given)
    expect(await endpointsOf(area, 'W')).toEqual(['b'])
  })

  test('entries of a written list stay; entries that are not in the records are not changed', async () => {
    const area = make()
    await applied(area, event('W'), service({ a: 'W', b: undefined }))
    const list = { endpoints: [{ service: 'S', name: 'a' }] }
    expect(await applied(area, event('W', list), service({ a: undefined, b: undefined }))).toEqual([])
    await applied(area, event('W'), service({ a: 'W', b: undefined }))
    area.write('gatewright.yaml', refusing.replace('metadata: {name: test}', 'metadata: {name: other}'))
    expect(await applied(area, event('W'), service({ a: undefined, b: undefined }))).toEqual([])
    expect(await endpointsOf(area, 'W')).toEqual(['a'])
  })
})

const refusing = projectText(`  platform: {conventionalOperations: refuse}
`)
