import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/json.js'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { embedded, type World } from '../kit/world.js'

/** Roles of a service that were separate documents, became the list of the service, and are no longer written. */

const roles = [document('Role', 'R'), document('Role', 'R2')]
const link = document('ServiceRole', { service: 'S', name: 'R' }, { action: 'write' })
const service = (more: JsonObject = {}) => document('Service', 'S', { description: 'x', ...more })
const list = { roles: [{ name: 'R', action: 'write' }] }

async function becameList(): Promise<World> {
  const world = embedded()
  for (const documents of [[service(), link], [service(list)]]) {
    world.declare(...roles, ...documents)
    expect((await world.apply()).exitCode).toBe(0)
  }
  world.declare(...roles, service())
  return world
}

test('they are removed by one change, and a rollback restores them', async () => {
  const world = await becameList()
  const { changes } = await world.plan()
  expect(changes.map(({ action, address }) => `${action} ${address}`)).toEqual(['update Service/S'])
  expect((await world.apply()).exitCode).toBe(0)
  const back = await world.run(['rollback', 'latest', '--yes'])
  expect([back.exitCode, back.stderr]).toEqual([0, expect.not.stringContaining('duplicate-object')])
  world.declare(...roles, service(list))
  expect((await world.plan()).changes).toEqual([])
})

test('if somebody has changed the list, all of it stays as it is', async () => {
  const world = await becameList()
  const rest = await restOf(world.make)
  const [live] = await rest.get('/services')
  const linked = (await rest.get('/roles')).filter(({ name }) => name === 'R' || name === 'R2')
  const path = `/services/${String(live?.id)}`
  await rest.put(path, { roles: linked.map(({ id }) => ({ id: String(id), action: 'write' })) })
  const { changes, diagnostics } = await world.plan()
  expect([changes, diagnostics.map(({ code }) => code)]).toEqual([[], ['handed-back']])
  expect((await world.apply()).exitCode).toBe(0)
  expect((await rest.get(`${path}/roles`)).map(({ name }) => name).sort()).toEqual(['R', 'R2'])
})
