import { expect, test } from 'vitest'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { embedded } from '../kit/world.js'

test('what a patch hands back stays as it is live, though it was applied before, until a layer writes it again', async () => {
  const world = embedded()
  const endpoint = { name: 'e', requestPathAlias: '/e', trafficManagerDomain: 't.example.com' }
  world.declare(
    document('Service', 'Orders', {
      description: 'one',
      endpoints: [{ ...endpoint, cors: { maxAge: 5, allDomainsEnabled: true } }],
    }),
  )
  const patched = (patches: object[]) =>
    world.write(
      'gatewright.yaml',
      JSON.stringify({
        ...{ apiVersion: 'gatewright/v1', kind: 'Project', metadata: { name: 'shop' } },
        spec: { manifests: ['manifests'], environments: { prod: { patches } } },
      }),
    )
  const changes = async () =>
    (await world.plan('-e', 'prod')).changes.flatMap(({ fields }) => fields.map(({ path, after }) => [path, after]))
  patched([])
  expect((await world.apply('-e', 'prod')).exitCode).toBe(0)
  const unset = [
    { target: 'Service/Orders', unset: ['/description'] },
    { target: 'Service/Orders/Endpoint/e', unset: ['/cors/maxAge'] },
  ]
  patched(unset)
  expect(await changes()).toEqual([])
  const rest = await restOf(world.make)
  const [service] = await rest.get('/services')
  await rest.put(`/services/${String(service?.id)}`, { description: 'theirs' })
  expect(await changes()).toEqual([])
  expect((await world.drift('-e', 'prod')).exitCode).toBe(0)
  patched([...unset, { target: 'Service/Orders', merge: { description: 'two' } }])
  expect(await changes()).toEqual([['/description', 'two']])
})
