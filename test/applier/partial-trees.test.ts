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
