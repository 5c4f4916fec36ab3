import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/json.js'
import { createPlatform } from '../../src/platform/server.js'
import { type DocumentText, document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { type Make, testClock, type World, world } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'

/** The knowledge about objects after a rollback: nothing that was known before is lost. */

const platform = (dialect: 'document' | 'recorded', errorSet = 'Default') => {
  const clock = testClock()
  return createPlatform({ autoApprove: true, idSeed: 'test', now: clock.now, dialect, errorSet })
}

const makes: readonly (readonly [string, () => Make])[] = [
  ['document', () => platform('document')],
  ['recorded, another error set', () => platform('recorded', 'Standard')],
  ['another, another error set', () => createOtherMake({ defaultErrorSet: 'unless given', errorSetName: 'Standard' })],
]

const kept = document('Domain', 'example.com', {})
const service = (metadata: JsonObject, ...methods: readonly string[]): DocumentText =>
  document('Service', metadata, {
    endpoints: [
      {
        name: 'e',
        requestPathAlias: '/e',
        trafficManagerDomain: 'api.example.com',
        publicDomains: ['api.example.com'],
        methods: methods.map((name) => ({ name })),
        cache: methods.length === 0 ? null : { clientSurrogateControlEnabled: true },
      },
    ],
  })

const allow = ['--allow', 'TRAFFIC_STOP']

async function applied(area: World, ...documents: readonly DocumentText[]): Promise<readonly string[]> {
  area.declare(kept, ...documents)
  const run = await area.apply(...allow)
  expect(run.exitCode, run.stdout + run.stderr).toBe(0)
  const after = await area.plan()
  expect([after.changes, after.unmanaged, after.diagnostics]).toEqual([[], [], []])
  return run.json().changes.map(({ action, address }) => `${action} ${address}`)
}

async function rolledBack(area: World): Promise<void> {
  const run = await area.run(['rollback', 'latest', '--yes', ...allow])
  expect(run.exitCode, run.stdout + run.stderr).toBe(0)
}

test.each(makes)(
  'on the make "%s" the children of an object that gets its old name back are still known',
  async (_, make) => {
    const area = world(make())
    await applied(area, service({ name: 'Old' }, 'm'))
    await applied(area, service({ name: 'New', formerly: ['Old'] }, 'm'))
    await rolledBack(area)
    expect([...(await applied(area, service({ name: 'Old' })))].sort()).toEqual([
      'delete Service/Old/Endpoint/e/Cache',
      'delete Service/Old/Endpoint/e/Method/m',
    ])
  },
)

test.each(makes)(
  'on the make "%s" children that a run created in an object that it renamed are not known any more',
  async (_, make) => {
    const area = world(make())
    const changed = service({ name: 'New', formerly: ['Old'] }, 'm', 'n')
    await applied(area, service({ name: 'Old' }, 'm'))
    await applied(area, changed)
    await rolledBack(area)
    area.declare(kept, changed)
    const drift = await area.drift()
    expect([drift.exitCode, drift.stdout]).toEqual([0, expect.not.stringContaining('deleted')])
    const { changes } = await area.plan()
    expect(changes.map(({ action, address, reason }) => [action, address, reason])).toEqual([
      ['update', 'Service/New', 'renamed from "Old"'],
      ['create', 'Service/New/Endpoint/e/Method/n', undefined],
    ])
  },
)

test.each(makes)('on the make "%s" a restored service can be pruned', async (_, make) => {
  const area = world(make())
  await applied(area, service({ name: 'S' }, 'm'))
  await applied(area)
  await rolledBack(area)
  await applied(area, service({ name: 'S' }, 'm'))
  expect(await applied(area)).toContain('delete Service/S')
})

test.each(makes)(
  'on the make "%s" an object is still protected, and its automatic children are known',
  async (_, make) => {
    const area = world(make())
    const guarded = (description: string) => document('Service', { name: 'S', protect: true }, { description })
    await applied(area, guarded('one'))
    await applied(area, guarded('two'))
    await rolledBack(area)
    area.declare(kept)
    const run = await area.apply()
    expect(run.exitCode).toBe(5)
    expect(run.stdout).toContain('"protected"')
    expect(run.stdout).not.toContain('holds-unrecorded')
  },
)

test.each(makes)(
  'on the make "%s" a role that was given under the new name is removed under the old one',
  async (_, make) => {
    const area = world(make())
    const role = document('Role', 'R', {})
    const given = (name: string) => document('ServiceRole', { service: name, name: 'R' }, { action: 'read' })
    await applied(area, role, document('Service', 'Old', {}), given('Old'))
    await applied(area, role, document('Service', { name: 'New', formerly: ['Old'] }, {}), given('New'))
    await rolledBack(area)
    expect(await applied(area, role, document('Service', 'Old', {}))).toEqual(['delete Service/Old/ServiceRole/R'])
  },
)

test.each(makes)(
  'on the make "%s" an object that nobody had applied belongs to nobody after it is restored',
  async (_, make) => {
    const area = world(make())
    const rest = await restOf(area.make)
    await rest.post('/services', { name: 'theirs', errorSets: [{ name: 'own', type: 'text/xml' }] })
    area.declare(kept, service({ name: 'S' }, 'm'))
    expect((await area.apply()).exitCode).toBe(0)
    expect((await area.apply('--prune', 'all', ...allow)).exitCode).toBe(0)
    await rolledBack(area)
    expect((await area.apply(...allow)).json().changes).toEqual([])
    expect((await rest.get('/services')).map((each) => each.name).sort()).toEqual(['S', 'theirs'])
  },
)

test.each(makes)('on the make "%s" a rollback removes the access to methods that its run gave', async (_, make) => {
  const area = world(make())
  const access = (...methods: readonly string[]): DocumentText => {
    const plan = { name: 'L', services: [{ name: 'S', endpoints: [{ name: 'e', methods }] }] }
    return document('Package', 'P', { plans: [plan] })
  }
  await applied(area, service({ name: 'S' }, 'm'), access())
  await applied(area, service({ name: 'S' }, 'm'), access('m'))
  await rolledBack(area)
  area.declare(kept, service({ name: 'S' }, 'm'), access())
  expect((await area.plan()).changes).toEqual([])
  area.declare(kept, service({ name: 'S' }, 'm'), access('m'))
  expect((await area.plan()).changes.map(({ fields }) => fields.map(({ verdict }) => verdict))).toEqual([['pending']])
})

test.each(makes)(
  'on the make "%s" the platform’s own error set that a run deleted can be deleted again after a rollback',
  async (_, make) => {
    const area = world(make())
    const own = { name: 'own', type: 'text/json', jsonp: true }
    const withSets = (...errorSets: readonly JsonObject[]) =>
      document('Service', 'S', errorSets.length === 0 ? {} : { errorSets })
    await applied(area, withSets())
    const changes = await applied(area, withSets(own))
    await rolledBack(area)
    expect(await applied(area, withSets(own))).toEqual(changes)
  },
)

test.each(makes)(
  'on the make "%s" a message that was deleted with its error set is not reported as drift or as something that cannot be undone',
  async (_, make) => {
    const area = world(make())
    const set = { name: 'mine', errorMessages: [{ id: 'ERR_403_DEVELOPER_OVER_QPS', status: 'Slow down' }] }
    await applied(area)
    await applied(area, document('Service', 'S', { errorSets: [set] }))
    const run = await area.run(['rollback', 'latest', '--yes'])
    expect([run.exitCode, run.stderr]).toEqual([0, expect.not.stringContaining('cannot be undone')])
    const drift = await area.drift()
    expect([drift.stdout, drift.exitCode]).toEqual([drift.stdout, 0])
  },
)

test.each(makes)(
  'on the make "%s" a reference to an object that got its old name back is not reported as a change',
  async (_, make) => {
    const area = world(make())
    const referring = (name: string, own: JsonObject, referred: readonly string[]) => [
      document(
        'Service',
        { name, ...own },
        {
          endpoints: ['e', 'f'].map((endpoint) => ({
            ...{ name: endpoint, requestPathAlias: `/${endpoint}`, trafficManagerDomain: 'api.example.com' },
            ...{ publicDomains: ['api.example.com'], methods: [{ name: 'm' }] },
          })),
        },
      ),
      document('ScheduledMaintenanceEvent', 'Night', {
        startDateTime: '2027-01-01T00:00:00.000+0000',
        endDateTime: '2027-01-01T02:00:00.000+0000',
        endpoints: referred.map((endpoint) => ({ service: name, name: endpoint })),
      }),
      document('Package', 'P', {
        plans: [
          { name: 'G', services: [{ name, endpoints: referred.map((each) => ({ name: each, methods: ['m'] })) }] },
        ],
      }),
    ]
    await applied(area, ...referring('Old', {}, ['e']))
    await applied(area, ...referring('New', { formerly: ['Old'] }, ['e']))
    await rolledBack(area)
    // The changes of the run are still desired, and nothing else.
    area.declare(kept, ...referring('New', { formerly: ['Old'] }, ['e']))
    expect((await area.drift()).exitCode).toBe(0)
    // The manifests are restored, and change again.
    area.declare(kept, ...referring('Old', {}, ['f']))
    const { changes } = await area.plan()
    expect(
      changes.map(({ address, action, fields }) => [address, action, fields.map(({ verdict }) => verdict)]),
    ).toEqual([
      ['Package/P/Plan/G/PlanService/Old', 'update', ['pending']],
      ['ScheduledMaintenanceEvent/Night', 'update', ['pending']],
    ])
  },
)
