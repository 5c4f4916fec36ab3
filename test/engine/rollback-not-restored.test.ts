import { expect, test } from 'vitest'
import { type DocumentText, document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import type { World } from '../kit/world.js'
import { makes } from '../other-make/worlds.js'

/** An object that a rollback restores needs another one that somebody has deleted since: all other changes are undone. */

const hazards = ['KEY_LOSS', 'TRAFFIC_STOP', 'AUTH_WEAKENED', 'IRREVERSIBLE'].flatMap((each) => ['--allow', each])

const endpoint = (target: string) => ({
  endpoints: [
    {
      ...{ name: 'e', requestPathAlias: '/S', trafficManagerDomain: 'a.example.com' },
      outboundRequestTargetPath: target,
    },
  ],
})
const domain = document('Domain', 'a.example.com')
const other = (description: string) => document('Service', 'T', { description })
const plan = (...services: readonly string[]) => ({
  plans: [{ name: 'G', services: services.map((name) => ({ name })) }],
})
const roles = { roles: [{ name: 'R', action: 'view' }] }

interface Case {
  readonly before: readonly DocumentText[]
  readonly after: readonly DocumentText[]
  /** The collection and the name of the object that somebody deletes. */
  readonly gone: readonly [collection: string, name: string]
  readonly told: string
}

const cases: readonly (readonly [string, Case])[] = [
  [
    'a link to it',
    {
      before: [document('Service', 'S'), document('Package', 'P', plan('T', 'S'))],
      after: [document('Service', 'S'), document('Package', 'P', plan('T'))],
      gone: ['services', 'S'],
      told: 'Package/P/Plan/G/PlanService/S is left as it is: it refers to Service "S", which does not exist any more',
    },
  ],
  [
    'a field that names it',
    {
      before: [document('Role', 'R'), document('Service', 'S', roles)],
      after: [document('Role', 'R'), document('Service', 'S', { roles: [] })],
      gone: ['roles', 'R'],
      told: 'Service/S cannot be undone in full: /roles/0 refers to Role "R", which does not exist any more',
    },
  ],
  [
    'a deleted object that named it',
    {
      before: [document('Role', 'R'), document('Service', 'S', roles)],
      after: [document('Role', 'R')],
      gone: ['roles', 'R'],
      told: 'Service/S cannot be undone in full: /roles/0 refers to Role "R", which does not exist any more',
    },
  ],
  [
    'a child of it',
    {
      before: [domain, document('Service', 'S', endpoint('/one'))],
      after: [domain, document('Service', 'S', endpoint('/two'))],
      gone: ['services', 'S'],
      told: 'Service/S/Endpoint/e is left as it is: its parent does not exist any more',
    },
  ],
]

async function remove({ make }: World, [collection, name]: Case['gone']): Promise<void> {
  const rest = await restOf(make)
  const found = (await rest.get(`/${collection}?fields=id,name`)).find((each) => each.name === name)
  await rest.remove(`/${collection}/${String(found?.id)}`)
}

test.each(cases.flatMap(([name, each]) => makes.map(([make, world]) => [name, make, world, each] as const)))(
  '%s, on the make "%s"',
  async (_, _make, world, { before, after, gone, told }) => {
    const area = world()
    area.declare(...before, other('one'))
    expect((await area.apply()).exitCode).toBe(0)
    area.declare(...after, other('two'))
    expect((await area.apply(...hazards)).exitCode).toBe(0)
    await remove(area, gone)
    const back = await area.run(['rollback', 'latest', '--yes', ...hazards])
    expect([back.exitCode, back.stderr]).toEqual([0, expect.stringContaining(`warning: ${told}`)])
    const services = await (await restOf(area.make)).get('/services?fields=name,description')
    expect(services.find(({ name }) => name === 'T')).toMatchObject({ description: 'one' })
    const isBack = services.some(({ name }) => name === 'S')
    expect(isBack).toBe(gone[0] === 'roles')
  },
)
