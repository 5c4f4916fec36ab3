import { expect, test } from 'vitest'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { embedded } from '../kit/world.js'

test('drift of a service reports who changed it, when, and as which revision', async () => {
  const area = embedded()
  area.declare(document('Service', 'Orders', { description: 'as applied' }))
  await area.apply()
  const rest = await restOf(area.make)
  const [service] = (await rest.get('/services?fields=id,revisionNumber')) as readonly [
    { readonly id: string; readonly revisionNumber: number },
  ]
  await rest.put(`/services/${service.id}`, { description: 'changed by hand' })
  const drift = await area.drift()
  expect(drift.exitCode).toBe(2)
  expect(drift.json().changes).toMatchObject([
    { side: 'live', editor: 'local-user', revision: service.revisionNumber + 1 },
  ])
})
