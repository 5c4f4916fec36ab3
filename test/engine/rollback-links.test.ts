import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/json.js'
import { type DocumentText, document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { environment, type World } from '../kit/world.js'
import { makes } from '../other-make/worlds.js'

/** Undoing runs that created or changed links (roles of services, services of plans), and renamed their targets. */

const domain = document('Domain', 'example.com')
const role = (name: string, ...formerly: readonly string[]) => document('Role', { name, formerly })
const link = (service: string, name: string, action: string) => document('ServiceRole', { service, name }, { action })
const endpoint = (name: string, ...methods: readonly string[]) => ({
  name,
  requestPathAlias: `/${name}`,
  trafficManagerDomain: 'example.com',
  publicDomains: ['example.com'],
  methods: methods.map((method) => ({ name: method })),
})
const service = (metadata: Parameters<typeof document>[1], ...methods: readonly string[]) =>
  document('Service', metadata, { endpoints: [endpoint('e', ...methods)] })
const plan = (name: string) =>
  document('Package', 'P', { plans: [{ name: 'L', services: [{ name, endpoints: '*' }] }] })

/** The roles of the only service, with their actions. */
async function rolesIn(area: World): Promise<readonly string[]> {
  const rest = await restOf(area.make)
  const names = new Map((await rest.get('/roles')).map(({ name, id }) => [String(id), String(name)]))
  const [found] = await rest.get('/services')
  const roles = await rest.get(`/services/${String(found?.id)}/roles`)
  return roles.map(({ id, action }) => `${names.get(String(id))} ${String(action)}`).sort()
}

async function applied(area: World, ...documents: readonly DocumentText[]): Promise<void> {
  area.declare(...documents)
  const run = await area.apply()
  expect([run.stdout, run.stderr, run.exitCode]).toEqual([run.stdout, run.stderr, 0])
}

/** Undoes the last run; then the manifests before it have nothing to do. */
async function takenBack(area: World, ...before: readonly DocumentText[]): Promise<string> {
  const run = await area.run(['rollback', 'latest', '--yes'])
  expect([run.stdout, run.stderr, run.exitCode]).toEqual([run.stdout, run.stderr, 0])
  area.declare(...before)
  expect((await area.plan()).changes).toEqual([])
  return run.stdout + run.stderr
}

describe.each(makes)('rollback of links, %s:', (_, make) => {
  test('a role that the run gave to a service is removed, although its list added it', async () => {
    const area = make()
    const before = [role('A'), role('B'), document('Service', 'S'), link('S', 'B', 'read')]
    await applied(area, ...before)
    await applied(area, ...before, link('S', 'A', 'write'))
    await takenBack(area, ...before)
    expect(await rolesIn(area)).toEqual(['B read'])
  })

  test('a link of an object that the run created is not known any more, and is not reported as deleted by somebody', async () => {
    const area = make()
    await applied(area, domain, role('A'))
    const now = [domain, role('A'), document('Service', 'S'), link('S', 'A', 'read')]
    await applied(area, ...now)
    await takenBack(area, domain, role('A'))
    area.declare(...now)
    const drift = await area.drift()
    expect([drift.exitCode, drift.stdout]).toEqual([0, drift.stdout])
  })

  test('a role that the run renamed and gave to a service is removed as well', async () => {
    const area = make()
    const before = [role('A'), document('Service', 'S')]
    await applied(area, ...before)
    await applied(area, role('A2', 'A'), document('Service', 'S'), link('S', 'A2', 'write'))
    await takenBack(area, ...before)
    expect(await rolesIn(area)).toEqual([])
  })

  test('a link that changed with the name of its role is restored under the earlier name', async () => {
    const area = make()
    const before = [role('A'), document('Service', 'S'), link('S', 'A', 'read')]
    await applied(area, ...before)
    await applied(area, role('A2', 'A'), document('Service', 'S'), link('S', 'A2', 'write'))
    await takenBack(area, ...before)
    expect(await rolesIn(area)).toEqual(['A read'])
  })

  test('a plan that changed with the name of its service is restored under the earlier name', async () => {
    const area = make()
    const before = [domain, service('S', 'm'), plan('S')]
    await applied(area, ...before)
    await applied(area, domain, service({ name: 'T', formerly: ['S'] }, 'm', 'n'), plan('T'))
    await takenBack(area, ...before)
  })

  test('a service that was renamed by its id gets its name back, and keeps its roles', async () => {
    const area = make()
    const before = [role('A'), document('Service', 'S'), link('S', 'A', 'read')]
    await applied(area, ...before)
    const [found] = await (await restOf(area.make)).get('/services')
    await applied(area, role('A'), document('Service', { name: 'T', id: String(found?.id) }), link('T', 'A', 'write'))
    await takenBack(area, ...before)
    expect(await rolesIn(area)).toEqual(['A read'])
  })

  test('the children of a pinned service are restored', async () => {
    const area = make()
    await applied(area, role('A'), document('Service', 'S'), link('S', 'A', 'read'))
    const [found] = await (await restOf(area.make)).get('/services')
    const pinned = (spec: object) => document('Service', { name: 'S', id: String(found?.id) }, { ...spec })
    await applied(area, role('A'), pinned({ description: 'x' }), link('S', 'A', 'write'))
    await takenBack(area, role('A'), pinned({}), link('S', 'A', 'read'))
    expect(await rolesIn(area)).toEqual(['A read'])
  })

  test('a deleted service that was found by its id is not restored, and everything else is', async () => {
    const area = make()
    const rest = await restOf(area.make)
    for (const _ of [1, 2]) await rest.post('/services', { name: 'S' })
    const [found] = await rest.get('/services')
    const pinned = document('Service', { name: 'S', id: String(found?.id) }, { errorSets: [{ name: 'Own' }] })
    await applied(area, role('A'), pinned)
    area.declare(role('A'), role('B'), {
      kind: 'Removed',
      metadata: { address: `Service/S~${String(found?.id)}` },
    })
    expect((await area.apply('--allow', 'TRAFFIC_STOP')).exitCode).toBe(0)
    const run = await area.run(['rollback', 'latest', '--yes'])
    expect([run.stderr, run.exitCode]).toEqual([run.stderr, 0])
    const lost = run.stderr.split('\n').filter((line) => line.includes(' cannot be undone in full: '))
    expect(lost).toEqual([expect.stringMatching(/: Service\/S~\S+ .*is found by metadata\.id/)])
    area.declare(role('A'))
    expect((await area.plan()).changes).toEqual([])
  })

  test('a restored link has no new id', async () => {
    const area = make()
    const before = [role('A'), document('Service', 'S'), link('S', 'A', 'read')]
    await applied(area, ...before)
    await applied(area, role('A'), document('Service', 'S'))
    expect(await takenBack(area, ...before)).not.toContain('cannot be undone')
    expect(await rolesIn(area)).toEqual(['A read'])
  })

  test('a key that changed with the name of its package is restored, and the package gets its name back', async () => {
    const area = make()
    const env = { ...environment, PASSWORD: 'hunter2hunter2', KEY: 'abcdefgh1234', SECRET: 'ijklmnop5678' }
    const keyed = (metadata: JsonObject, status: string) => {
      const key = { package: metadata.name ?? null, plan: 'L', apikey: '${env:KEY}', secret: '${env:SECRET}', status }
      const person = { email: 'a@example.com', displayName: 'd', externalId: 'x', passwdNew: '${env:PASSWORD}' }
      return [
        domain,
        document('Package', metadata, { plans: [{ name: 'L' }] }),
        document('Member', 'm', { ...person, applications: [{ name: 'A', packageKeys: [key] }] }),
      ]
    }
    const allow = ['--allow', 'KEY_LOSS', '--allow', 'TRAFFIC_STOP']
    const run = async (...args: readonly string[]) => {
      const { exitCode, stdout, stderr } = await area.run(args, { env })
      expect([stdout, stderr, exitCode]).toEqual([stdout, stderr, 0])
      return stdout
    }
    area.declare(...keyed({ name: 'P' }, 'active'))
    await run('apply', '--yes', ...allow)
    area.declare(...keyed({ name: 'Q', formerly: ['P'] }, 'disabled'))
    await run('apply', '--yes', ...allow)
    await run('rollback', 'latest', '--yes', ...allow)
    area.declare(...keyed({ name: 'P' }, 'active'))
    expect(await run('plan')).toContain('nothing to do')
  })

  test('a list that somebody has changed stays, even if the run’s own entry is deleted with its object', async () => {
    const area = make()
    const event = (end: string, more: JsonObject) => {
      const [startDateTime, endDateTime] = ['2027-01-01T00:00:00.000+0000', `2027-01-01T${end}:00:00.000+0000`]
      return document('ScheduledMaintenanceEvent', 'E', { startDateTime, endDateTime, ...more })
    }
    const others = document('Service', 'Others', { endpoints: [endpoint('theirs')] })
    await applied(area, domain, others, event('01', {}))
    const endpoints = [{ service: 'S', name: 'e' }]
    await applied(area, domain, others, service({ name: 'S' }), event('02', { endpoints }))
    const rest = await restOf(area.make)
    const [maintenance] = await rest.get('/scheduledMaintenanceEvents')
    const inEvent = `/scheduledMaintenanceEvents/${String(maintenance?.id)}`
    const listed = async () => (await rest.get(`${inEvent}/endpoints`)).map(({ id }) => id)
    const [before = null] = await listed()
    const theirService = (await rest.get('/services')).find(({ name }) => name === 'Others')
    const [theirs = {}] = await rest.get(`/services/${String(theirService?.id)}/endpoints`)
    await rest.put(inEvent, { ...maintenance, endpoints: [{ id: before }, { id: theirs.id ?? null }] })
    expect((await listed()).sort()).toEqual([before, theirs.id].sort())
    const { stderr } = await area.run(['rollback', 'latest', '--yes'])
    expect(stderr).toContain('ScheduledMaintenanceEvent/E is left as it is: /endpoints was changed since')
    expect(await listed()).toEqual([theirs.id])
    const [{ endDateTime } = {}] = await rest.get('/scheduledMaintenanceEvents')
    expect(Date.parse(String(endDateTime).replace(/(\d\d)$/, ':$1'))).toBe(Date.parse('2027-01-01T01:00:00Z'))
  })
})
