import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/json.js'
import { type DocumentText, document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { embedded, environment, isWrite, type World, worldIn } from '../kit/world.js'
import { makes } from '../other-make/worlds.js'

/** Undoing a run: from its before-images, only where the live object is still as the run left it. */

const domain = document('Domain', 'example.com')
const endpoint = (name: string, more: object = {}) => ({
  name,
  requestPathAlias: `/${name}`,
  trafficManagerDomain: 'example.com',
  publicDomains: ['example.com'],
  methods: [{ name: 'm' }],
  ...more,
})
const before: readonly DocumentText[] = [
  domain,
  document('Role', 'Partners', { description: 'old' }),
  document('Role', 'Leaving', { description: 'costs $${value}' }),
  document('Service', 'A', {
    description: 'before',
    roles: [{ name: 'Partners', action: 'read' }],
    endpoints: [
      endpoint('a', { cors: { maxAge: 60, cookiesAllowed: true } }),
      endpoint('gone', { cache: { clientSurrogateControlEnabled: true } }),
    ],
  }),
  document('ScheduledMaintenanceEvent', 'Night', {
    startDateTime: '2027-01-01T00:00:00.000+0000',
    endDateTime: '2027-01-01T02:00:00.000+0000',
    endpoints: [{ service: 'A', name: 'a' }],
  }),
  document('Package', 'P', {
    plans: [{ name: 'Gold', services: [{ name: 'A', endpoints: [{ name: 'a', methods: ['m'] }] }] }],
  }),
]
const after: readonly DocumentText[] = [
  domain,
  document('Role', 'Partners', { description: 'new' }),
  document('Role', 'Arriving'),
  document('Service', 'A', {
    description: 'after',
    qpsLimitOverall: 9,
    roles: [],
    endpoints: [endpoint('a', { cors: { maxAge: 90 } }), endpoint('new')],
  }),
  document('ScheduledMaintenanceEvent', 'Night', {
    startDateTime: '2027-01-01T00:00:00.000+0000',
    endDateTime: '2027-01-01T04:00:00.000+0000',
    endpoints: [{ service: 'A', name: 'new' }],
  }),
  document('Package', 'P', { plans: [{ name: 'Gold' }, { name: 'Silver' }] }),
]
const allow = ['KEY_LOSS', 'TRAFFIC_STOP', 'AUTH_WEAKENED', 'LIMIT_LOWERED', 'ID_CHANGE', 'IRREVERSIBLE'].flatMap(
  (name) => ['--allow', name],
)

async function changed(): Promise<World> {
  const world = embedded()
  world.declare(...before)
  const first = await world.apply()
  expect([first.stdout, first.exitCode]).toEqual([first.stdout, 0])
  world.declare(...after)
  const run = await world.apply(...allow)
  expect([run.stdout, run.exitCode]).toEqual([run.stdout, 0])
  return world
}

const rollback = (world: World, ...more: readonly string[]) => world.run(['rollback', 'latest', ...more])

describe('rollback', () => {
  test('reports no object as unmanaged that its run did not touch, because it does not read the manifests', async () => {
    const world = embedded()
    const withVersion = (version: string) =>
      world.declare(document('Service', 'A', { version }), document('Service', 'B', {}))
    withVersion('1')
    await world.apply()
    withVersion('2')
    await world.apply()
    for (const form of ['text', 'markdown']) {
      const { stdout } = await rollback(world, '--verbose', '-o', form)
      expect(stdout).toContain('1 to update')
      expect(stdout).not.toContain('nmanaged')
    }
  })

  test('restores the earlier state: a plan of the old manifests is empty', async () => {
    const world = await changed()
    const run = await rollback(world, '--yes', ...allow)
    expect([run.stdout, run.stderr, run.exitCode]).toEqual([run.stdout, run.stderr, 0])
    world.declare(...before)
    const plan = await world.plan()
    expect(plan.changes).toEqual([])
    expect((await world.drift()).exitCode).toBe(0)
    const history = JSON.parse((await world.run(['history', '-o', 'json'])).stdout) as { runs: readonly object[] }
    expect(history.runs[0]).toMatchObject({ purpose: 'rollback', outcome: 'done' })
    // The new ones can be applied again, and nothing is taken for drift.
    world.declare(...after)
    const again = await world.plan()
    expect(again.changes.length).toBeGreaterThan(5)
  })

  test('of a part: a selection that matches nothing in the run is an error, not a run with nothing to undo', async () => {
    const world = await changed()
    world.requests()
    for (const words of [
      ['--select', 'Role/Partner'],
      ['--select', 'Role/*', '--select', 'Service/B'],
    ]) {
      const run = await rollback(world, '--yes', ...words)
      expect([run.exitCode, run.stderr]).toEqual([
        1,
        expect.stringContaining(`nothing is selected by "${words.at(-1)}"`),
      ])
    }
    const labelled = await rollback(world, '--yes', '-l', 'team=payments')
    expect([labelled.exitCode, labelled.stderr]).toEqual([1, expect.stringContaining('--label has no effect')])
    expect(world.requests().filter(isWrite)).toEqual([])
    const { run = '' } = JSON.parse((await world.run(['show', 'latest', '-o', 'json'])).stdout) as { run?: string }
    const part = ['rollback', run, '--yes', '-o', 'json', '--select', 'Role/Partners']
    expect((await world.run(part)).json().summary).toMatchObject({ applied: 1 })
    // Nothing of it is left to undo, but it still belongs to the run.
    const again = await world.run(part)
    expect([again.exitCode, again.json().summary.applied]).toEqual([0, 0])
  })

  test('reports in advance what cannot be undone, and asks', async () => {
    const world = await changed()
    world.requests()
    const run = await rollback(world, ...allow)
    expect(run.exitCode).toBe(5)
    const warnings = run.stderr.match(/.* cannot be undone in full: it gets a new id,.*/g)
    const lost = 'and references from objects that the run did not write do not come back [cannot-undo]'
    expect(warnings).toEqual([
      `warning: Role/Leaving cannot be undone in full: it gets a new id, ${lost}`,
      `warning: Service/A/Endpoint/gone cannot be undone in full: it gets a new id, as 1 object in it does, ${lost}`,
    ])
    expect(run.stdout).toContain('- Role/Arriving\n    the run made it\n')
    expect(world.requests().every(({ method }) => method === 'GET')).toBe(true)
  })

  test('names many objects that get new ids in one warning', async () => {
    const world = embedded()
    const roles = Array.from({ length: 11 }, (_, index) => document('Role', `R${index}`))
    world.declare(document('Role', 'Stays'), ...roles)
    await world.apply()
    world.declare(document('Role', 'Stays'))
    expect((await world.apply('--prune', 'applied', ...allow)).exitCode).toBe(0)
    const run = await rollback(world, '--yes', ...allow)
    expect(run.stderr.match(/gets a new id/g)).toHaveLength(1)
    expect(run.stderr).toMatch(
      /11 objects cannot be undone in full: each of them, .* do not come back: Role\/R0, .*Role\/R9/,
    )
  })

  test('keeps later changes by somebody else, and reports them', async () => {
    const world = await changed()
    const rest = await restOf(world.make)
    const roles = await rest.get('/roles?fields=id,name')
    const idOf = (name: string) => String(roles.find((role) => role.name === name)?.id)
    await rest.put(`/roles/${idOf('Partners')}`, { name: 'Partners', description: 'by hand' })
    await rest.put(`/roles/${idOf('Arriving')}`, { name: 'Arriving', description: 'needed now' })
    await rest.post('/roles', { name: 'Leaving', description: 'made anew' })
    const [service] = await rest.get('/services?fields=id')
    await rest.put(`/services/${String(service?.id)}`, { qpsLimitOverall: 77 })
    const run = await rollback(world, '--yes', ...allow)
    expect(run.exitCode).toBe(0)
    for (const words of [
      'Role/Partners is left as it is: /description was changed since',
      'Role/Leaving is left as it is: somebody has created it again since',
      'Service/A is left as it is: /qpsLimitOverall was changed since',
    ]) {
      expect(run.stderr).toContain(words)
    }
    const now = await rest.get('/roles?fields=name,description')
    expect(now).toContainEqual(expect.objectContaining({ name: 'Partners', description: 'by hand' }))
    expect(now).toContainEqual(expect.objectContaining({ name: 'Leaving', description: 'made anew' }))
    expect((await rest.get('/services?fields=description,qpsLimitOverall'))[0]).toMatchObject({
      description: 'before',
      qpsLimitOverall: 77,
    })
  })

  test.each([
    ['is not written any more', {}, { secureTokensEnabled: true }],
    ['is cleared', { securityProfile: null }, {}],
  ])('keeps a member that somebody has set since in an object that %s', async (_, without, back) => {
    const world = embedded()
    const oauth = { accessTokenTtlEnabled: true, secureTokensEnabled: true, refreshTokenEnabled: false }
    world.declare(document('Service', 'A', { securityProfile: { oauth } }))
    await world.apply()
    world.declare(document('Service', 'A', without))
    await world.apply(...allow)
    const rest = await restOf(world.make)
    const live = async () => (await rest.get('/services?fields=id,securityProfile'))[0]
    const id = String((await live())?.id)
    await rest.put(`/services/${id}`, { securityProfile: { oauth: { refreshTokenEnabled: true } } })
    await rollback(world, '--yes', ...allow)
    expect(await live()).toMatchObject({ securityProfile: { oauth: { refreshTokenEnabled: true, ...back } } })
  })

  test('keeps a member that the run sent unchanged', async () => {
    const world = embedded()
    const service = (oauth: JsonObject) => document('Service', 'A', { securityProfile: { oauth } })
    const before = service({ qpsLimitCeiling: 1, refreshTokenTtl: 5, authorizationCodeTtl: 7 })
    world.declare(before)
    await world.apply()
    world.declare(service({ qpsLimitCeiling: 2, refreshTokenTtl: 5, authorizationCodeTtl: 7 }))
    await world.apply(...allow)
    const rest = await restOf(world.make)
    const live = async () => (await rest.get('/services?fields=id,securityProfile'))[0]
    const id = String((await live())?.id)
    const others = { refreshTokenTtl: 6, authorizationCodeTtl: 7 }
    await rest.put(`/services/${id}`, { securityProfile: { oauth: { qpsLimitCeiling: 2, ...others } } })
    await rollback(world, '--yes', ...allow)
    expect(await live()).toMatchObject({ securityProfile: { oauth: { qpsLimitCeiling: 1, ...others } } })
    // The other applied members are still known: one is drift, and one is removed again if nobody writes it.
    world.declare(before)
    expect((await world.plan()).changes.map(({ fields }) => fields)).toMatchObject([
      [{ path: '/securityProfile/oauth/refreshTokenTtl', before: 6, after: 5, verdict: 'drift' }],
    ])
    world.declare(service({ qpsLimitCeiling: 1, refreshTokenTtl: 6 }))
    expect((await world.plan()).changes.map(({ fields }) => fields)).toMatchObject([
      [{ path: '/securityProfile/oauth/authorizationCodeTtl', before: 7, after: null }],
    ])
  })

  test('does not delete an object that was created and changed since', async () => {
    const world = embedded()
    world.declare(domain, document('Service', 'A', { description: 'new', endpoints: [endpoint('a')] }))
    await world.apply()
    const rest = await restOf(world.make)
    const [service] = await rest.get('/services?fields=id')
    await rest.put(`/services/${String(service?.id)}`, { description: 'in use' })
    const run = await rollback(world, '--yes', ...allow)
    expect(run.exitCode).toBe(0)
    expect(run.stderr).toContain('Service/A is left as it is: it was changed since')
    expect((await rest.get('/services')).length).toBe(1)
    expect((await rest.get('/domains')).length).toBe(0)
  })

  test.each(makes)('restores an object that a similar one replaced, on the make "%s"', async (_, make) => {
    const world = make()
    const fields = { description: 'orders', version: '1', endpoints: [endpoint('e')] }
    world.declare(domain, document('Service', 'Orders', fields))
    expect((await world.apply()).exitCode).toBe(0)
    world.declare(domain, document('Service', 'Order Intake', fields))
    expect((await world.apply(...allow)).exitCode).toBe(0)
    const undone = await world.run(['rollback', 'latest', '--yes'])
    expect([undone.exitCode, undone.stderr]).toEqual([0, expect.not.stringContaining('suspected')])
    world.declare(domain, document('Service', 'Orders', fields))
    expect((await world.plan()).changes).toEqual([])
  })

  test.each(makes)('keeps a created object that has another secret now, on the make "%s"', async (_, make) => {
    const secrets = { ...environment, PASSWORD: 'a-secret-password', TEXT: 'a-secret-text' }
    const area = make()
    const world = worldIn(area.dir, area.make, { ...area.io, env: secrets })
    const authentication = { type: 'httpBasic', username: 'u', password: '${env:PASSWORD}' }
    world.declare(
      domain,
      document('Service', 'A', {
        description: '${env:TEXT}',
        endpoints: [endpoint('a', { systemDomainAuthentication: authentication })],
      }),
      document('Service', 'B', { description: '${env:TEXT}' }),
    )
    expect((await world.apply()).exitCode).toBe(0)
    const rest = await restOf(world.make)
    const [service] = (await rest.get('/services?fields=id,name')).filter(({ name }) => name === 'A')
    await rest.put(`/services/${String(service?.id)}`, { name: 'A', description: 'in use' })
    const run = await rollback(world, '--yes', ...allow)
    expect([run.exitCode, run.stderr]).toEqual([
      0,
      expect.stringContaining('Service/A is left as it is: it was changed since'),
    ])
    expect((await rest.get('/services?fields=id,name')).map(({ name }) => name)).toEqual(['A'])
  })

  test('of a rollback deletes the objects again that it had created again, even if the platform had added them at first', async () => {
    const world = embedded()
    world.declare(document('Service', 'S', { description: 'x' }))
    await world.apply()
    world.declare(document('Service', 'S', { description: 'y', errorSets: [{ name: 'own' }] }))
    expect((await world.apply(...allow)).exitCode).toBe(0)
    for (const sets of [['Default'], ['own'], ['Default']]) {
      expect((await rollback(world, '--yes', ...allow)).exitCode).toBe(0)
      const live = await world.run(['get', 'ErrorSet', '-o', 'json'])
      expect(JSON.parse(live.stdout)).toMatchObject({
        objects: sets.map((name) => ({ address: `Service/S/ErrorSet/${name}` })),
      })
      expect((await world.plan()).changes.length).toBe(sets.includes('own') ? 0 : 3)
    }
  })

  test('does not restore an object that needs another one which somebody has deleted since, and reports this in advance', async () => {
    const world = embedded()
    const declare = (state: string, roles: object[], plans: object[]) =>
      world.declare(
        document('Role', 'Partners', { description: state }),
        document('Service', 'A', { description: state, roles: [...roles] as JsonObject[] }),
        document('Package', 'P', { description: state, plans: [{ name: 'Gold' }, ...plans] as JsonObject[] }),
      )
    declare('one', [{ name: 'Partners', action: 'read' }], [{ name: 'Silver' }])
    expect((await world.apply()).exitCode).toBe(0)
    declare('two', [], [])
    expect((await world.apply(...allow)).exitCode).toBe(0)
    const rest = await restOf(world.make)
    for (const collection of ['roles', 'packages']) {
      const found = await rest.get(`/${collection}?fields=id,name`)
      const gone = found.filter(({ name }) => name === 'Partners' || name === 'P')
      for (const { id } of gone) await rest.remove(`/${collection}/${String(id)}`)
    }
    const run = await rollback(world, '--yes', ...allow)
    expect([run.stderr, run.exitCode]).toEqual([run.stderr, 0])
    for (const words of [
      'Role/Partners is left as it is: somebody has deleted it since',
      'Service/A is left as it is: Role/Partners, which it needs, is not created again',
      'Package/P is left as it is: somebody has deleted it since',
      'Package/P/Plan/Silver is left as it is: Package/P, which it needs, is not created again',
    ]) {
      expect(run.stderr).toContain(words)
    }
    expect(run.stdout).toContain('nothing to do')
  })

  const member = (displayName: string) =>
    document('Member', 'm', { email: 'a@b.example', displayName, externalId: 'x', passwdNew: '${env:PASSWORD}' })

  test('keeps objects that were created and changed since, whatever happened to the rest', async () => {
    const world = embedded({}, { env: { ...environment, PASSWORD: 'a-Passw0rd-x' } })
    world.declare(document('Role', 'R'), member('one'), document('Service', 'S', { description: 'one' }))
    expect((await world.apply()).exitCode).toBe(0)
    const rest = await restOf(world.make)
    const [[gone], [service]] = [await rest.get('/members?fields=id'), await rest.get('/services?fields=id')]
    await rest.remove(`/members/${String(gone?.id)}`)
    await rest.put(`/services/${String(service?.id)}`, { name: 'S', description: 'in use' })
    const run = await rollback(world, '--yes', ...allow)
    expect([run.exitCode, run.stderr]).toEqual([
      0,
      expect.stringContaining('Service/S is left as it is: it was changed since'),
    ])
    expect(await rest.get('/services?fields=description')).toEqual([expect.objectContaining({ description: 'in use' })])
  })

  test('does not ask about an object that was changed and has been deleted since: it is not created again', async () => {
    const world = embedded({}, { env: { ...environment, PASSWORD: 'a-Passw0rd-x' } })
    const declare = (text: string) => world.declare(document('Role', 'R', { description: text }), member(text))
    declare('one')
    expect((await world.apply()).exitCode).toBe(0)
    declare('two')
    expect((await world.apply()).exitCode).toBe(0)
    const rest = await restOf(world.make)
    const [gone] = await rest.get('/members?fields=id')
    await rest.remove(`/members/${String(gone?.id)}`)
    const run = await rollback(world, '--yes', ...allow)
    expect([run.exitCode, run.stderr]).toEqual([
      0,
      expect.stringContaining('Member/m is left as it is: somebody has deleted it since'),
    ])
    expect(await rest.get('/roles?fields=description')).toContainEqual(expect.objectContaining({ description: 'one' }))
  })

  test.each(['status-400:PUT', 'status-500:DELETE'])(
    'deletes a created object even if a later request was refused: %s',
    async (fault) => {
      const world = embedded({ faults: [`${fault}:4`] })
      const service = document('Service', 'S', {
        roles: [{ name: 'Partners', action: 'read' }],
        errorSets: [{ name: 'own' }],
      })
      world.declare(document('Role', 'Partners'), service)
      expect((await world.run(['apply', '--yes'])).exitCode).toBe(3)
      expect((await world.run(['plan'])).stdout).not.toContain('taken over')
      expect(await world.run(['rollback', 'latest', '--yes'])).toMatchObject({ exitCode: 0 })
      expect((await world.run(['get', 'Service'])).stdout).toContain('None.')
    },
  )

  test('restores a cache if platforms answer a deleted one as an empty one', async () => {
    const world = embedded({ dialect: 'recorded' })
    const withCache = (cache: object | null) =>
      world.declare(domain, document('Service', 'A', { endpoints: [endpoint('a', { cache })] }))
    withCache({ cacheTtlOverride: 5 })
    await world.apply()
    withCache(null)
    await world.apply()
    const run = await rollback(world, '--yes', ...allow)
    expect([run.stderr, run.exitCode]).toEqual([expect.not.stringContaining('is left as it is'), 0])
    // It has no id that could be another one.
    expect(run.stderr).not.toContain('cannot be undone')
    withCache({ cacheTtlOverride: 5 })
    expect((await world.plan()).changes).toEqual([])
  })

  test('restores the members beside a secret, and keeps the secret as it is', async () => {
    const world = embedded({}, { env: { ...environment, TOKEN: 'tok-one-two-three' } })
    const declared = (adapter: string, cookiesAllowed: boolean, secret: object) => {
      const fields = { processor: { adapter, ...secret }, cors: { cookiesAllowed, maxAge: 7 } }
      const metadata = { sensitive: ['/cors/maxAge'] }
      world.declare(domain, document('Service', 'A', { endpoints: [endpoint('a', { ...fields, metadata })] }))
    }
    const token = { preInputs: { authorization: 'Bearer ${env:TOKEN}' } }
    declared('com.example.Old', false, token)
    await world.apply()
    declared('com.example.New', true, token)
    await world.apply()
    const shown = (await world.run(['show', 'latest'])).stdout
    expect(shown).toMatch(/processor\.adapter +com\.example\.Old → com\.example\.New\n/)
    expect(shown).not.toContain('sensitive')
    const run = await rollback(world, '--yes', ...allow)
    expect([run.stdout, run.stderr]).toEqual([
      expect.not.stringContaining('sensitive'),
      expect.not.stringContaining('secret'),
    ])
    declared('com.example.Old', false, token)
    expect((await world.plan()).changes).toEqual([])
    declared('com.example.Old', false, {})
    const plan = await world.plan()
    expect(plan.changes.flatMap(({ fields }) => fields.map(({ path }) => path))).toEqual(['/processor/preInputs'])
  })

  test('removes a secret member that the run has added', async () => {
    const world = embedded({}, { env: { ...environment, TOKEN: 'tok-one-two-three' } })
    const declared = (processor: object) =>
      world.declare(domain, document('Service', 'A', { endpoints: [endpoint('a', { processor })] }))
    declared({ adapter: 'com.example.One' })
    await world.apply()
    declared({ adapter: 'com.example.One', preInputs: { authorization: 'Bearer ${env:TOKEN}' } })
    await world.apply()
    const run = await rollback(world, '--yes', ...allow)
    expect([run.stdout, run.exitCode]).toEqual([expect.stringContaining('1 applied'), 0])
    const [service] = await (await restOf(world.make)).get('/services?fields=endpoints.processor')
    expect(JSON.stringify(service)).toMatch(/com\.example\.One.*"preInputs":(null|\{\})/)
  })

  test('does not delete a protected object', async () => {
    const world = embedded()
    world.declare(domain, document('Service', { name: 'A', protect: true }, { endpoints: [endpoint('a')] }))
    await world.apply()
    const run = await rollback(world, '--yes', ...allow)
    expect(run.exitCode).toBe(5)
    expect(run.stderr + run.stdout).toContain('Service/A is protected, and the plan would delete it')
    expect((await (await restOf(world.make)).get('/services')).length).toBe(1)
  })

  test('has the same limit of changes as the run, even if it reads only a small part of the area', async () => {
    const world = embedded()
    const services = (description: string) =>
      Array.from({ length: 25 }, (_, index) =>
        document('Service', `S${index}`, { description, endpoints: [endpoint(`e${index}`)] }),
      )
    world.declare(domain, ...services('one'))
    expect((await world.apply()).exitCode).toBe(0)
    world.write('gatewright.yaml', 'apiVersion: gatewright/v1\nkind: Project\nmetadata: {name: test}\n')
    world.declare(domain, ...services('two'))
    expect((await world.apply()).exitCode).toBe(0)
    const undone = await world.run(['rollback', 'latest', '--yes'])
    expect([undone.exitCode, undone.stderr]).toEqual([0, expect.not.stringContaining('limit-changed-percent')])
  })

  test('of a run that does not exist lists the existing runs', async () => {
    const world = await changed()
    const run = await world.run(['rollback', 'nonsense', '--yes'])
    expect(run.exitCode).toBe(1)
    expect(run.stderr).toContain('nonsense')
  })
})

describe('an object that replaced one with a secret', () => {
  const packages = ['P', 'Q'].map((name) => document('Package', name, { plans: [{ name: 'Gold' }] }))
  const shop = (package_: string) => ({
    name: 'Shop',
    packageKeys: [{ package: package_, plan: 'Gold', apikey: 'k-0001', secret: 's-1' }],
  })
  const member = (
    name: string | { name: string; formerly: string[] },
    package_: string,
    ...more: Record<string, string>[]
  ) =>
    document('Member', name, {
      ...{ email: 'a@b.c', displayName: 'x', externalId: '1', passwdNew: 'a-pass-word' },
      applications: [shop(package_), ...more],
    })

  test.each([
    ['a key in another package', member('jane', 'Q')],
    ['a member with another name, with all its children', member({ name: 'joan', formerly: ['jane'] }, 'P')],
  ])('stays, and this is reported: %s', async (_, other) => {
    const world = embedded()
    world.declare(...packages, member('jane', 'P'))
    expect((await world.apply()).exitCode).toBe(0)
    world.declare(...packages, other)
    expect((await world.apply('--allow-replace', ...allow)).exitCode).toBe(0)
    const undone = await world.run(['rollback', 'latest', '--yes', '--allow-replace', ...allow])
    expect(undone.exitCode).toBe(0)
    expect(undone.stdout).toContain('nothing to do')
    expect(undone.stderr).toContain('cannot be made without a secret, and records hold none: it stays')
    expect((await world.plan()).changes).toEqual([])
  })

  test('is not reported to stay if it is gone: a child of the old one that was deleted with it', async () => {
    const world = embedded()
    world.declare(...packages, member('jane', 'P', { name: 'Old' }))
    expect((await world.apply()).exitCode).toBe(0)
    world.declare(...packages, member({ name: 'joan', formerly: ['jane'] }, 'P'))
    expect((await world.apply('--allow-replace', ...allow)).exitCode).toBe(0)
    const undone = await world.run(['rollback', 'latest', '--yes', '--allow-replace', ...allow])
    const told = undone.stderr.split('\n').filter((line) => line.includes('Application/Old'))
    expect(told).toEqual([expect.stringMatching(/it, or what it lies in, cannot be made without a secret/)])
    expect(undone.stderr).toMatch(/Member\/joan.*: it stays/)
  })
})

test('problems of a rollback name the run and the object, but no lines of a file', async () => {
  const area = embedded()
  area.declare(document('Service', 'S', { description: 'one' }))
  await area.apply()
  area.declare(document('Service', 'S', { description: 'two' }))
  await area.apply()
  const told = await area.run(['rollback', 'latest'])
  expect(told.stdout).toContain('Service/S')
  expect(told.stdout + told.stderr).not.toMatch(/record\.yaml|:\d+:\d+|S +run .*:1/)
  await (await restOf(area.make)).post('/services', { name: 'S' })
  const run = await area.run(['rollback', 'latest', '--yes'])
  expect(run.exitCode).toBe(1)
  expect(run.stderr).toMatch(/^run \d+T\d+Z-\w+: error: 2 live objects of kind Service are named "S"/m)
  const json = await area.run(['rollback', 'latest', '--yes', '-o', 'json'])
  expect(json.stdout + json.stderr).not.toMatch(/"(file|line|column)"/)
})
