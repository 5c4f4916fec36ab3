import { expect, test } from 'vitest'
import { canaries, storefront } from './storefront.js'
import { embedded, environment } from './world.js'

test.each(['document', 'recorded'] as const)('the storefront in the dialect %s', async (dialect) => {
  const world = embedded({ dialect }, { env: { ...environment, ...canaries } })
  world.declare(...storefront)
  const applied = await world.apply()
  console.log(applied.stderr, applied.stdout.slice(0,3000))
  expect(applied.exitCode).toBe(0)
  expect((await world.plan()).changes).toEqual([])
  expect((await world.drift()).exitCode).toBe(0)
})
