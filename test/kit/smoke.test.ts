import { expect, test } from 'vitest'
import { storefront } from './storefront.js'
import { embedded } from './world.js'

test.each(['document', 'recorded'] as const)('the storefront in the dialect %s', async (dialect) => {
  const world = embedded({ dialect })
  world.declare(...storefront)
  const applied = await world.apply()
  console.log(applied.stderr, applied.json().summary, applied.json().changes.filter((c) => c.outcome !== 'applied'))
  expect(applied.exitCode).toBe(0)
  expect((await world.plan()).changes).toEqual([])
  expect((await world.drift()).exitCode).toBe(0)
})
