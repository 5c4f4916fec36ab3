import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { restOf } from '../kit/rest.js'
import { embedded } from '../kit/world.js'

const orders = `apiVersion: gatewright/v1
kind: Service
metadata: {name: Orders API}
spec:
  qpsLimitOverall: 500 # calls
  endpoints:
    - name: orders
      requestPathAlias: /orders/v1
      trafficManagerDomain: api.example.com
      cors: {maxAge: 5}
      cache: null
`

test('drift --write brings live values and extra members of lists into the manifests, and nothing that is not managed', async () => {
  const world = embedded()
  world.write('manifests/orders.yaml', orders)
  expect((await world.apply()).exitCode).toBe(0)
  const rest = await restOf(world.make)
  const [service] = await rest.get('/services')
  const id = String(service?.id)
  const [endpoint] = await rest.get(`/services/${id}/endpoints`)
  await rest.put(`/services/${id}`, { qpsLimitOverall: 9, description: 'not managed' })
  await rest.put(`/services/${id}/endpoints/${String(endpoint?.id)}`, { cors: { maxAge: 6, cookiesAllowed: true } })
  await rest.post(`/services/${id}/endpoints/${String(endpoint?.id)}/methods`, { name: 'notListed' })
  await rest.post(`/services/${id}/endpoints`, {
    name: 'more',
    requestPathAlias: '/more',
    trafficManagerDomain: 'api.example.com',
    highSecurity: true,
  })
  const run = await world.run(['drift', '--write'])
  expect(run.stdout).toContain('updated  manifests/orders.yaml')
  expect(run.exitCode).toBe(0)
  expect(readFileSync(join(world.dir, 'manifests/orders.yaml'), 'utf8')).toBe(
    orders
      .replace('500 # calls', '9 # calls')
      .replace('maxAge: 5', 'maxAge: 6')
      .concat(`    - name: more
      requestPathAlias: /more
      trafficManagerDomain: api.example.com
      highSecurity: true
`),
  )
  expect((await world.drift()).exitCode).toBe(0)
  expect((await world.run(['drift', '--write'])).exitCode).toBe(0)
  expect(world.requests().every(({ method }) => method === 'GET' || method === 'POST' || method === 'PUT')).toBe(true)
})

test('drift --write tells of objects that are gone, and keeps their manifests', async () => {
  const world = embedded()
  world.write('manifests/orders.yaml', orders)
  expect((await world.apply()).exitCode).toBe(0)
  const rest = await restOf(world.make)
  const [service] = await rest.get('/services')
  await rest.remove(`/services/${String(service?.id)}`)
  const run = await world.run(['drift', '--write', '-o', 'json'])
  expect(run.exitCode).toBe(2)
  expect(run.json().diagnostics.map(({ code }) => code)).toContain('vanished')
  expect(readFileSync(join(world.dir, 'manifests/orders.yaml'), 'utf8')).toBe(orders)
})
