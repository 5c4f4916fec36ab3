import { expect, test } from 'vitest'
import { document } from '../kit/manifests.js'
import { world } from '../kit/world.js'
import { createOtherMake } from './area.js'

const endpoint = (name: string) => ({
  name,
  requestPathAlias: `/${name}/v1/`,
  trafficManagerDomain: 'api.example.com',
  publicDomains: ['api.example.com'],
  systemDomains: ['api.example.com'],
  supportedHttpMethods: ['get'],
  methods: [{ name: 'list' }, { name: 'place' }],
})

const declared = (description = 'about') => [
  document('Domain', 'example.com'),
  document('Role', 'Partners'),
  document('Service', 'S', {
    description,
    roles: [{ name: 'Partners', action: 'read' }],
    endpoints: [endpoint('orders'), endpoint('items')],
  }),
  document('ScheduledMaintenanceEvent', 'Night', {
    startDateTime: '2027-01-01T00:00:00.000+0000',
    endDateTime: '2027-01-01T02:00:00.000+0000',
    endpoints: [
      { service: 'S', name: 'orders' },
      { service: 'S', name: 'items' },
    ],
  }),
  document('Package', 'P', {
    plans: [
      {
        name: 'Gold',
        description,
        services: [{ name: 'S', endpoints: [{ name: 'orders', methods: ['list'] }, { name: 'items' }] }],
      },
    ],
  }),
  document('Member', 'ann', {
    email: 'ann@example.com',
    displayName: 'Ann',
    externalId: 'e1',
    passwdNew: 'first',
    roles: ['Partners'],
    applications: [
      {
        name: 'App',
        packageKeys: [{ package: 'P', plan: 'Gold', apikey: 'k1', secret: 's1' }],
      },
    ],
  }),
]

test('references with ids in capitals match the objects of the lists, and are sent with the spelling of the lists', async () => {
  const area = world(createOtherMake({ ids: 'UUIDs, in capitals in references' }))
  area.declare(...declared())
  const first = await area.apply()
  expect(first.exitCode, first.stderr).toBe(0)
  expect((await area.plan()).changes).toEqual([])
  const drift = await area.drift()
  expect([drift.exitCode, drift.json().changes]).toEqual([0, []])
  const other = world(area.make)
  const exported = await other.run(['export', '--dir', 'manifests'])
  expect(exported.exitCode, exported.stderr).toBe(0)
  expect((await other.plan()).changes).toEqual([])

  area.declare(...declared('more'))
  const second = await area.apply()
  expect(second.exitCode, second.stderr).toBe(0)
  expect((await area.plan()).changes).toEqual([])
  expect((await area.run(['rollback', 'latest', '--yes'])).exitCode).toBe(0)
  area.declare(...declared())
  expect((await area.plan()).changes).toEqual([])
})
