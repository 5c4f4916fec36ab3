import { expect, test } from 'vitest'
import { document } from '../kit/manifests.js'
import { embedded } from '../kit/world.js'

/** A tree that one request creates, and of which one part needs an object that does not exist. */

test('the rest of the tree is created', async () => {
  const area = embedded({ faults: ['status-403:POST /services:#1'] })
  area.project('  platform: {concurrency: 1}\n')
  const plan = (name: string, ...services: readonly string[]) => ({
    name,
    services: services.map((each) => ({ name: each })),
  })
  area.declare(
    document('Service', 'Refused'),
    document('Service', 'Taken'),
    document('Package', 'P', { plans: [plan('Bronze'), plan('Silver', 'Taken'), plan('Gold', 'Refused', 'Taken')] }),
  )
  const run = await area.apply()
  expect(run.exitCode).toBe(3)
  const undone = run.json().changes.filter(({ outcome }) => outcome !== 'applied')
  expect(undone.map(({ address, outcome, error }) => [address, outcome, error])).toEqual([
    ['Service/Refused', 'failed', '403 fault'],
    ['Package/P/Plan/Gold/PlanService/Refused', 'blocked', 'needs Service/Refused, which is not done'],
  ])
  expect((await area.apply()).json().changes.map(({ address, outcome }) => [address, outcome])).toEqual([
    ['Service/Refused', 'applied'],
    ['Package/P/Plan/Gold/PlanService/Refused', 'applied'],
  ])
})

test('what lies in a part that cannot be created yet waits with it, and the rest of the tree is created', async () => {
  const area = embedded({ faults: ['status-403:POST /domains:#1'] })
  area.project('  platform: {concurrency: 1}\n')
  const endpoint = (name: string, domain: string) => ({
    ...{ name, requestPathAlias: `/${name}`, trafficManagerDomain: domain, publicDomains: [domain] },
    ...{ systemDomains: [domain], cache: { contentCacheKeyHeaders: 'accept' }, methods: [{ name: 'get' }] },
  })
  area.declare(
    document('Domain', 'first.example.com'),
    document('Domain', 'second.example.com'),
    document('Service', 'S', {
      endpoints: [endpoint('one', 'first.example.com'), endpoint('two', 'second.example.com')],
    }),
  )
  const run = await area.apply()
  expect(run.exitCode).toBe(3)
  const undone = run.json().changes.filter(({ outcome }) => outcome !== 'applied')
  expect(undone.map(({ address, outcome, error }) => [address, outcome, error])).toEqual([
    ['Domain/first.example.com', 'failed', '403 fault'],
    ['Service/S/Endpoint/one', 'blocked', 'needs Domain/first.example.com, which is not done'],
    ['Service/S/Endpoint/one/Cache', 'blocked', 'needs Service/S/Endpoint/one, which is not done'],
    ['Service/S/Endpoint/one/Method/get', 'blocked', 'needs Service/S/Endpoint/one, which is not done'],
  ])
  expect((await area.apply()).exitCode).toBe(0)
  expect((await area.plan()).changes).toEqual([])
})
