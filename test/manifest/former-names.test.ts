import { describe, expect, test } from 'vitest'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { embedded } from '../kit/world.js'
import { makes } from '../other-make/worlds.js'

/** Siblings whose `formerly` says that they had each other's names. */

const service = (name: string, formerly: readonly string[], more: object = {}) =>
  document('Service', { name, formerly, ...more })

async function told(...documents: readonly ReturnType<typeof document>[]) {
  const area = embedded()
  area.declare(...documents)
  const run = await area.run(['validate', '-o', 'json'])
  return run.json().diagnostics.map(({ code, message }) => `${code}: ${message}`)
}

describe('names in a circle', () => {
  test.each([
    ['two', [service('S', ['T']), service('T', ['S'])], 'Service/S and Service/T'],
    ['three', [service('S', ['T']), service('T', ['U']), service('U', ['S'])], 'Service/S and Service/T'],
    ['two, beside a renamed one', [service('A', ['S']), service('S', ['T']), service('T', ['S'])], 'Service/S and'],
  ])('%s: are reported once', async (_, documents, words) => {
    expect(await told(...documents)).toEqual([expect.stringContaining(`names-in-circle: ${words}`)])
  })

  test('a name that is its own former name is reported', async () => {
    expect(await told(service('S', ['S']))).toEqual([expect.stringContaining('names-in-circle: Service/S says')])
  })

  test('a chain without a circle, pinned objects, and children of two parents are no circle', async () => {
    expect(await told(service('S', ['T']), service('T', ['U']))).toEqual([])
    expect(await told(service('S', ['T'], { id: '1' }), service('T', ['S'], { id: '2' }))).toEqual([])
    const method = (endpoint: string, name: string, former: string) =>
      document('Method', { service: 'S', endpoint, name, formerly: [former] })
    expect(await told(method('a', 'm', 'n'), method('b', 'n', 'm'))).toEqual([
      expect.stringContaining('undeclared-reference'),
      expect.stringContaining('undeclared-reference'),
    ])
  })
})

describe('an earlier name', () => {
  const endpoint = (name: string, ...formerly: readonly string[]) => ({
    name,
    ...(formerly.length > 0 && { metadata: { formerly } }),
    requestPathAlias: `/${name}`,
    trafficManagerDomain: 'api.example.com',
    publicDomains: ['api.example.com'],
    systemDomains: ['in.example.com'],
  })
  const renamed = document('Service', { name: 'New', formerly: ['Old'] }, { endpoints: [endpoint('sales', 'orders')] })
  const bundle = (service: string, name: string) =>
    document('Package', 'P', { plans: [{ name: 'G', services: [{ name: service, endpoints: [name] }] }] })

  test.each([
    [
      'of a service, in a plan',
      [renamed, bundle('Old', 'sales')],
      'Service/Old is an earlier name: the object is now called "New"',
      6,
    ],
    [
      'of an endpoint, in a plan',
      [renamed, bundle('New', 'orders')],
      'Service/New/Endpoint/orders is an earlier name: the object is now called "sales"',
      12,
    ],
    [
      'of the parent of a separate document',
      [renamed, document('ErrorSet', { service: 'Old', name: 'e' }, { type: 'text/json' })],
      'Service/Old is an earlier name: the object is now called "New"',
      6,
    ],
    [
      'of an endpoint, in a maintenance event',
      [
        renamed,
        document('ScheduledMaintenanceEvent', 'M', {
          startDateTime: '2027-01-01T00:00:00.000+0000',
          endDateTime: '2027-01-01T02:00:00.000+0000',
          endpoints: [{ service: 'New', name: 'orders' }],
        }),
      ],
      'Service/New/Endpoint/orders is an earlier name: the object is now called "sales"',
      12,
    ],
  ])('%s: is an error, offline and before anything is written', async (_, documents, words, line) => {
    const area = embedded()
    area.declare(...documents)
    const run = await area.run(['validate', '-o', 'json'])
    expect(run.exitCode).toBe(1)
    const errors = run.json().diagnostics.filter(({ severity }) => severity === 'error')
    expect(errors.map(({ code, message }) => `${code}: ${message}`)).toEqual([`former-name-used: ${words}`])
    expect(errors[0]).toMatchObject({ related: [{ message: 'it is renamed here', line }] })
    area.requests()
    expect((await area.apply()).exitCode).toBe(1)
    expect(area.requests()).toEqual([])
  })

  test('may be the present name of another object', async () => {
    expect(await told(renamed, document('Service', 'Old', { endpoints: [endpoint('e')] }), bundle('Old', 'e'))).toEqual(
      [],
    )
  })
})

test.each(makes)('%s: two services exchange their names if each is pinned', async (_, make) => {
  const area = make()
  area.declare(document('Service', 'S', { description: 'one' }), document('Service', 'T', { description: 'two' }))
  expect((await area.apply()).exitCode).toBe(0)
  const rest = await restOf(area.make)
  const ids = new Map((await rest.get('/services')).map(({ name, id }) => [name, String(id)]))
  const pinned = (name: string, was: string, description: string) =>
    document('Service', { name, id: ids.get(was) ?? '' }, { description })
  area.declare(pinned('S', 'T', 'two'), pinned('T', 'S', 'one'))
  expect((await area.plan()).changes.map(({ action, address }) => `${action} ${address.split('~')[0]}`)).toEqual([
    'update Service/S',
    'update Service/T',
  ])
  expect((await area.apply()).exitCode).toBe(0)
  area.declare(document('Service', 'S', { description: 'two' }), document('Service', 'T', { description: 'one' }))
  expect((await area.plan()).changes).toEqual([])
  const after = await rest.get('/services')
  expect(after.map(({ name, id }) => [name, String(id)]).sort()).toEqual([
    ['S', ids.get('T')],
    ['T', ids.get('S')],
  ])
})
