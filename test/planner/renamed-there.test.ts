import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type DocumentText, document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import type { World } from '../kit/world.js'
import { makes } from '../other-make/worlds.js'

/** Objects that somebody has renamed on the platform, not in git. */

const endpoint = (path: string) => ({
  name: 'e',
  requestPathAlias: `/${path}`,
  trafficManagerDomain: 'example.com',
  publicDomains: ['example.com'],
  methods: [{ name: 'm' }],
})
const before: readonly DocumentText[] = [
  document('Domain', 'example.com'),
  document('Role', 'R'),
  document('Service', 'X', { endpoints: [endpoint('x')] }),
  document('Service', 'Z', { endpoints: [endpoint('z')] }),
  document('ServiceRole', { service: 'X', name: 'R' }, { action: 'read' }),
  document('Package', 'P', {
    plans: [{ name: 'L', services: ['X', 'Z'].map((name) => ({ name, endpoints: '*' })) }],
  }),
  document('ScheduledMaintenanceEvent', 'N', {
    startDateTime: '2027-01-01T00:00:00.000+0000',
    endDateTime: '2027-01-01T04:00:00.000+0000',
    endpoints: [{ service: 'X', name: 'e' }],
  }),
]

/** An area in which somebody has renamed the objects of these names. */
async function renamedIn(make: () => World, names: Readonly<Record<string, string>>): Promise<World> {
  const area = make()
  area.declare(...before)
  expect((await area.apply()).exitCode).toBe(0)
  const rest = await restOf(area.make)
  for (const service of await rest.get('/services')) {
    const name = names[String(service.name)]
    if (name !== undefined) await rest.put(`/services/${service.id}`, { ...service, name })
  }
  return area
}

describe.each(makes)('drift on the make "%s"', (_, make) => {
  test('reports a rename once, as a rename, and does not report references to the object', async () => {
    const area = await renamedIn(make, { X: 'Y' })
    const run = await area.run(['drift'])
    expect(run.stdout).toContain('X was renamed to Y on the platform')
    expect(run.stdout).toContain('Drift: 1 changed on the platform;')
    const drift = (await area.drift()).json()
    expect(drift.changes.map(({ address, action, id }) => [address, action, id !== undefined])).toEqual([
      ['Service/X', 'update', true],
    ])
    expect([drift.unmanaged, drift.diagnostics]).toEqual([[], []])
    expect((await area.run(['plan'])).stderr).toContain('stored-otherwise')
  })

  test('compares by name if another object has been declared with the new name', async () => {
    const area = await renamedIn(make, { X: 'Y' })
    area.declare(...before, document('Service', 'Y', { description: 'another' }))
    const drift = (await area.drift()).json()
    expect(drift.changes.find(({ address }) => address === 'Service/X')?.action).toBe('create')
  })
})

describe.each(makes)('manifests on the make "%s"', (_, make) => {
  const told = (area: World) => readFileSync(join(area.dir, 'manifests/all.yaml'), 'utf8')
  const method = document('Method', { service: 'X', endpoint: 'e', name: 'n' })
  const cached = document('Cache', { service: { name: 'Z' }, endpoint: 'e' }, { clientSurrogateControlEnabled: true })

  test.each([
    ['export', ['export', '--dir', 'manifests']],
    ['drift --write', ['drift', '--write']],
  ])('%s gives an object its present name, and changes every reference to it', async (command, args) => {
    const area = make()
    area.declare(...before, method, cached)
    expect((await area.apply()).exitCode).toBe(0)
    const rest = await restOf(area.make)
    for (const service of await rest.get('/services')) {
      await rest.put(`/services/${service.id}`, { ...service, name: service.name === 'X' ? 'Y # ${env:A}' : 'Zed' })
    }
    const run = await area.run(args)
    expect([run.exitCode, run.stdout + run.stderr]).toEqual([0, run.stdout + run.stderr])
    expect(run.stdout + run.stderr).not.toContain('does not exist')
    expect(readdirSync(join(area.dir, 'manifests'))).toEqual(['all.yaml'])
    expect(told(area)).toContain('service: Y # $${env:A}'.replace(/: (.*)/, ': "$1"'))
    expect(told(area)).not.toMatch(/\bX\b|\bZ\b/)
    if (command === 'drift --write') expect(told(area)).toContain('endpoints: "*"')
    const plan = await area.plan()
    expect([plan.changes, plan.diagnostics.filter(({ severity }) => severity !== 'note')]).toEqual([[], []])
    expect((await area.drift()).exitCode).toBe(0)
    expect((await area.apply()).exitCode).toBe(0)
  })

  test('an object that was deleted, not renamed, and one whose name another object has now are reported as before', async () => {
    const area = await renamedIn(make, { X: 'Y' })
    area.declare(...before, document('Service', 'Y', { endpoints: [endpoint('x')] }))
    const run = await area.run(['export', '--dir', 'manifests'])
    expect(run.stderr).toContain('Service/X does not exist on the platform (any more)')
    expect(told(area)).toContain('name: X')
  })
})
