import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/json.js'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { embedded } from '../kit/world.js'

test('a field that a patch releases keeps its live value, though it was applied before, until a layer writes it again', async () => {
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

test('an unknown field is not cleared when it is not written any more: this is reported once', async () => {
  const world = embedded({ dialect: 'recorded' })
  const service = (spec: JsonObject) => document('Service', { name: 'S', extraFields: true }, spec)
  world.declare(service({ description: 'd', fooBar: 1 }))
  expect((await world.apply()).exitCode).toBe(0)
  world.declare(service({ description: 'd' }))
  const told = async () =>
    (await world.plan()).diagnostics.filter(({ code }) => code === 'handed-back').map(({ message }) => message)
  const message =
    'Service/S no longer writes /fooBar, which neither the interface document nor the field notes have: it is left as it is'
  expect(await told()).toEqual([message])
  expect((await world.apply()).exitCode).toBe(0)
  expect(await told()).toEqual([])
})
