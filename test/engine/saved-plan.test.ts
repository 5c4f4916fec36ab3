import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { embedded, environment, type World } from '../kit/world.js'

/** A plan that was saved, approved and is applied later: it is performed as it was shown, or not at all. */

const password = 'a-secret-password'
const service = (description: string, endpoint: object = {}) =>
  document('Service', 'S', {
    description,
    endpoints: [
      {
        name: 'e',
        requestPathAlias: '/e',
        publicDomains: ['example.com'],
        trafficManagerDomain: 'example.com',
        systemDomainAuthentication: { type: 'httpBasic', username: 'u', password: '${env:PASSWORD}' },
        ...endpoint,
      },
    ],
  })
const domain = document('Domain', 'example.com')
const env = { ...environment, PASSWORD: password }

/** An area with the service, and a plan in plan.json that changes its description. */
async function planned(): Promise<{ world: World; id: string; rest: Awaited<ReturnType<typeof restOf>> }> {
  const world = embedded({}, { env })
  world.declare(domain, service('one'))
  expect((await world.apply()).exitCode).toBe(0)
  world.declare(domain, service('two'))
  expect((await world.run(['plan', '--out', 'plan.json'])).exitCode).toBe(0)
  const rest = await restOf(world.make)
  const [found] = await rest.get('/services?fields=id,name')
  return { world, id: String(found?.id), rest }
}

const applyPlan = (world: World, ...more: readonly string[]) =>
  world.run(['apply', 'plan.json', '--yes', '-o', 'json', ...more])

const messages = (run: { readonly json: () => { readonly diagnostics: readonly { readonly message: string }[] } }) =>
  run.json().diagnostics.map(({ message }) => message)

describe('apply plan.json', () => {
  test('performs exactly that', async () => {
    const { world, rest, id } = await planned()
    const run = await applyPlan(world)
    expect(run.exitCode).toBe(0)
    expect(run.json().changes).toMatchObject([{ address: 'Service/S', action: 'update', outcome: 'applied' }])
    expect((await rest.get(`/services/${id}?fields=description`))[0]?.description).toBe('two')
  })

  test('goes on after an unrelated edit, and does not undo it', async () => {
    const { world, rest, id } = await planned()
    await rest.put(`/services/${id}`, { qpsLimitOverall: 7 })
    expect((await applyPlan(world)).exitCode).toBe(0)
    expect((await rest.get(`/services/${id}?fields=qpsLimitOverall,description`))[0]).toMatchObject({
      qpsLimitOverall: 7,
      description: 'two',
    })
  })

  test('does nothing after a related edit, and names field, both values, editor and time', async () => {
    const { world, rest, id } = await planned()
    await rest.put(`/services/${id}`, { description: 'by hand' })
    world.requests()
    const run = await applyPlan(world)
    expect(run.exitCode).toBe(4)
    expect(messages(run)).toEqual([
      expect.stringMatching(
        /^Service\/S: \/description was "one", and is "by hand" now \(last edited by local-user at /,
      ),
    ])
    expect(world.requests().every(({ method }) => method === 'GET')).toBe(true)
  })

  test('is not performed on another target', async () => {
    const { world } = await planned()
    world.write(
      'gatewright.yaml',
      readFileSync(join(world.dir, 'gatewright.yaml'), 'utf8').replace('name: test', 'name: other'),
    )
    const run = await applyPlan(world)
    expect(run.exitCode).toBe(4)
    expect(messages(run)).toEqual(['the plan was made for the project "test", and this is "other"'])
  })

  test('is not performed with changed manifests; --replan takes a plan of the same effect only', async () => {
    const { world } = await planned()
    world.declare(domain, document('Role', 'Extra'), service('two'))
    expect((await applyPlan(world)).exitCode).toBe(4)
    const same = await applyPlan(world, '--replan')
    expect(same.exitCode).toBe(0)
    // What came up since was not approved.
    expect(same.json().changes.map(({ address }) => address)).toEqual(['Service/S'])
    expect((await world.plan()).changes.map(({ address }) => address)).toEqual(['Role/Extra'])
  })

  test('--replan refuses another effect', async () => {
    const { world } = await planned()
    world.declare(domain, service('three'))
    const run = await applyPlan(world, '--replan')
    expect(run.exitCode).toBe(4)
    expect(messages(run).join()).toContain('/description was to become "two", and would now become "three"')
  })

  test('is not performed with another secret, and the file holds none', async () => {
    const world = embedded({}, { env })
    world.declare(domain, service('one'))
    await world.run(['plan', '--out', 'plan.json'])
    expect(readFileSync(join(world.dir, 'plan.json'), 'utf8')).not.toContain(password)
    const run = await world.run(['apply', 'plan.json', '--yes', '-o', 'json'], {
      env: { ...env, PASSWORD: 'another-one' },
    })
    expect(run.exitCode).toBe(4)
    expect(messages(run).join()).toMatch(/\/password resolves to another secret now/)
    expect((await applyPlan(world)).exitCode).toBe(0)
  })

  test('notices that somebody changed the secret that it would change', async () => {
    const { world, rest, id } = await planned()
    world.declare(
      domain,
      service('one', {
        systemDomainAuthentication: { type: 'httpBasic', username: 'new', password: '${env:PASSWORD}' },
      }),
    )
    await world.run(['plan', '--out', 'plan.json'])
    const [found] = await rest.get(`/services/${id}/endpoints?fields=id`)
    await rest.put(`/services/${id}/endpoints/${String(found?.id)}/systemDomainAuthentication`, {
      type: 'httpBasic',
      username: 'u',
      password: 'by-hand-secret',
    })
    const run = await applyPlan(world)
    expect(run.exitCode).toBe(4)
    expect(run.stdout).not.toContain('by-hand-secret')
  })

  test('does not delete what came to be inside since', async () => {
    const { world, rest, id } = await planned()
    world.declare(domain, document('Removed', { address: 'Service/S' }))
    await world.run(['plan', '--out', 'plan.json'])
    await rest.post(`/services/${id}/endpoints`, {
      name: 'late',
      requestPathAlias: '/late',
      trafficManagerDomain: 'example.com',
      publicDomains: [{ domain: 'example.com' }],
    })
    const run = await applyPlan(world)
    expect(run.exitCode).toBe(4)
    expect(messages(run).join()).toContain('Service/S/Endpoint/late: would now be deleted as well')
    expect((await rest.get('/services')).length).toBe(1)
  })

  test('does nothing where what it needs is gone', async () => {
    const { world, rest, id } = await planned()
    world.declare(domain, service('one', { methods: [{ name: 'm' }] }))
    await world.run(['plan', '--out', 'plan.json'])
    const [found] = await rest.get(`/services/${id}/endpoints?fields=id`)
    await rest.remove(`/services/${id}/endpoints/${String(found?.id)}`)
    expect((await applyPlan(world)).exitCode).toBe(4)
  })

  test('plans again with the options that the plan was made with', async () => {
    const { world, rest } = await planned()
    await rest.post('/services', { name: 'Extra' })
    world.declare(domain, service('one'))
    await world.run(['plan', '--prune', 'all', '--out', 'plan.json'])
    const run = await applyPlan(world, '--allow', 'TRAFFIC_STOP')
    expect(run.exitCode).toBe(0)
    expect((await rest.get('/services')).map(({ name }) => name)).toEqual(['S'])
  })

  test('is refused with 5 where a fresh plan would be', async () => {
    const world = embedded({ refuse: ['POST /roles'] }, { env })
    world.write(
      'gatewright.yaml',
      'apiVersion: gatewright/v1\nkind: Project\nmetadata: {name: test}\nspec: {manifests: [manifests], limits: {deletes: 0}}\n',
    )
    const rest = await restOf(world.make)
    world.declare(domain, service('one'))
    await world.apply()
    world.declare(domain, document('Removed', { address: 'Service/S' }))
    await world.run(['plan', '--out', 'plan.json'])
    const run = await applyPlan(world)
    expect(run.exitCode).toBe(5)
    expect(run.json().diagnostics.map(({ code }) => code)).toContain('limit-deletes')
    expect((await rest.get('/services')).length).toBe(1)
  })

  test.each([
    ['is no JSON', '{'],
    ['is another document', '{"format": "gatewright.run/1"}'],
    ['is a drift', undefined],
  ])('fails with 1 where the file %s', async (_, text) => {
    const { world } = await planned()
    writeFileSync(join(world.dir, 'plan.json'), text ?? (await world.drift()).stdout)
    expect((await applyPlan(world)).exitCode).toBe(1)
    expect((await world.run(['apply', 'missing.json', '--yes'])).exitCode).toBe(1)
  })
})

describe('a plan of only a part', () => {
  test('leaves the base of the rest as it was', async () => {
    const world = embedded({}, { env })
    const roles = (text: string) => ['A', 'B'].map((name) => document('Role', name, { description: text }))
    world.declare(...roles('one'))
    await world.apply()
    world.declare(...roles('two'))
    expect((await world.apply('--select', 'Role/A')).json().changes.map(({ address }) => address)).toEqual(['Role/A'])
    const drift = await world.drift()
    expect(drift.exitCode).toBe(0)
    expect(drift.json().changes).toMatchObject([{ address: 'Role/B', side: 'manifest' }])
  })
})
