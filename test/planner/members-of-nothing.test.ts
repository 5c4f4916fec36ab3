import { expect, test } from 'vitest'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { makes } from '../other-make/worlds.js'

/** Git adds an object that was null before, and somebody has set a member of it on the platform. */

test.each(makes)('on the make "%s" a member whose value is the default is in conflict', async (_, make) => {
  const world = make()
  world.declare(document('Service', 'S', { securityProfile: null }))
  expect((await world.apply()).exitCode).toBe(0)
  const rest = await restOf(world.make)
  const [service] = await rest.get('/services?fields=id')
  await rest.put(`/services/${String(service?.id)}`, { securityProfile: { oauth: { refreshTokenEnabled: true } } })
  world.declare(document('Service', 'S', { securityProfile: { oauth: { refreshTokenEnabled: false } } }))
  const { changes } = await world.plan()
  expect(changes).toMatchObject([
    {
      fields: [{ path: '/securityProfile/oauth/refreshTokenEnabled', before: true, after: false, verdict: 'conflict' }],
    },
  ])
})
