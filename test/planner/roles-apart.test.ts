import { expect, test } from 'vitest'
import { document } from '../kit/manifests.js'
import { embedded } from '../kit/world.js'

const roles = ['R', 'Q', 'New'].map((name) => document('Role', name))
const service = (names: readonly string[] | undefined) =>
  document('Service', 'S', names && { roles: names.map((name) => ({ name, action: 'read' })) })
const apart = (name: string) => document('ServiceRole', { service: 'S', name }, { action: 'read' })

test.each(['document', 'recorded'] as const)(
  'if a list of roles becomes separate documents, nobody loses access (%s)',
  async (dialect) => {
    const world = embedded({ dialect })
    world.declare(...roles, service(['R', 'Q']))
    expect((await world.apply()).exitCode).toBe(0)

    world.declare(...roles, service(undefined), apart('R'), apart('Q'))
    expect((await world.plan()).changes).toEqual([])

    world.declare(...roles, service(undefined), apart('R'), apart('New'))
    const run = await world.apply()
    expect(run.json().changes.map(({ action, address }) => `${action} ${address}`)).toEqual([
      'create Service/S/ServiceRole/New',
      'delete Service/S/ServiceRole/Q',
    ])
    expect((await world.plan()).changes).toEqual([])
    expect((await world.drift()).exitCode).toBe(0)
    world.declare(...roles, service(['R', 'New']))
    expect((await world.plan()).changes).toEqual([])
  },
)
