import { expect, test } from 'vitest'
import { isObject, type Json } from '../../src/json/json.js'
import { type DocumentText, document } from '../kit/manifests.js'
import { type World, world } from '../kit/world.js'
import { createOtherMake } from './area.js'
import type { StoreOptions } from './store.js'

/** Platforms that make something else of what they are sent. */

const endpoint = {
  name: 'orders',
  requestPathAlias: '/orders/v1/',
  trafficManagerDomain: 'Api.Example.com',
  publicDomains: ['Api.Example.com', 'b.example.com'],
  supportedHttpMethods: ['get', 'post'],
}

const declared = (service: object, metadata: object = {}): readonly DocumentText[] => [
  document('Domain', 'Example.com'),
  document('Service', { name: 'S', ...metadata }, { description: 'about', ...service, endpoints: [endpoint] }),
  document('ScheduledMaintenanceEvent', 'Night', {
    startDateTime: '2027-01-01T00:00:30.000+0000',
    endDateTime: '2027-01-01T02:00:00.000+0000',
    endpoints: [{ service: 'S', name: 'orders' }],
  }),
]

const inTexts =
  (names: readonly string[], change: (text: string) => string): StoreOptions['stored'] =>
  (value, name) => {
    const changed = (each: Json): Json => {
      if (typeof each === 'string') return change(each)
      if (Array.isArray(each)) return (each as readonly Json[]).map(changed)
      if (!isObject(each)) return each
      return Object.fromEntries(Object.entries(each).map(([key, inner]) => [key, changed(inner)]))
    }
    return names.includes(name) ? changed(value) : value
  }

async function exported(area: World): Promise<World> {
  const other = world(area.make)
  const run = await other.run(['export', '--dir', 'manifests'])
  expect(run.exitCode, run.stderr).toBe(0)
  return other
}

const equal: readonly (readonly [string, Partial<StoreOptions>])[] = [
  [
    'host names in small letters',
    {
      stored: inTexts(['domain', 'publicDomains', 'systemDomains', 'trafficManagerDomain'], (text) =>
        text.toLowerCase(),
      ),
    },
  ],
  ['words in capitals', { stored: inTexts(['supportedHttpMethods'], (text) => text.toUpperCase()) }],
  ['datetimes with a blank', { datetimes: '2027-01-01 02:00:00 +02' }],
  ['datetimes in small letters', { datetimes: '2027-01-01t00:00:00z' }],
  ['datetimes without an offset', { datetimes: '2027-01-01T00:00:00' }],
]

test.each(equal)('%s are what was sent', async (_, options) => {
  const area = world(createOtherMake(options))
  area.declare(...declared({}))
  expect((await area.apply()).exitCode).toBe(0)
  expect((await area.plan()).changes).toEqual([])
  expect((await area.drift()).json().changes).toEqual([])
  expect((await (await exported(area)).plan()).changes).toEqual([])
  area.declare(...declared({ description: 'more' }))
  const edited = await area.apply()
  expect(edited.json().changes).toMatchObject([{ address: 'Service/S', outcome: 'applied' }])
  expect((await area.run(['rollback', 'latest', '--yes'])).exitCode).toBe(0)
  area.declare(...declared({}))
  expect((await area.plan()).changes).toEqual([])
  expect((await area.drift()).json().changes).toEqual([])
})
