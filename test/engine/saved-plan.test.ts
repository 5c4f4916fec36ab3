import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { git } from '../kit/git.js'
import { document, projectText } from '../kit/manifests.js'
import { type Rest, restOf, tokenOf } from '../kit/rest.js'
import { embedded, environment, testClock, type World, world } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'

/** A plan that was saved, approved and is applied later: it is applied as it was displayed, or not at all. */

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

/** The id of the first object of a collection, or of the one with that name. */
async function idOf(rest: Rest, collection: string, name?: string): Promise<string> {
  const objects = await rest.get(`/${collection}?fields=id,name`)
  return String(objects.find((each) => name === undefined || each.name === name)?.id)
}

function commitAll(dir: string): void {
  git(dir, 'init', '-q')
  git(dir, 'add', 'manifests', 'gatewright.yaml')
  git(dir, 'commit', '-qm', 'as it is')
}

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

describe('a project with literal credentials', () => {
  const { GATEWRIGHT_URL, GATEWRIGHT_AREA: area } = environment
  const own = (name: string) =>
    `platform: {area: ${area}, credentials: {apiKey: local-key, apiSecret: "\${env:${name}}", username: local-user, password: local-password}}`
  const project = projectText(`  environments:
    dev: {${own('DEV_SECRET')}}
    prod: {${own('PROD_SECRET')}}
`)
  const of = (...names: readonly string[]) => ({
    env: { GATEWRIGHT_URL, PASSWORD: password, ...Object.fromEntries(names.map((each) => [each, 'local-secret'])) },
  })

  test('needs no other key: its plans are sealed with the API secret of their environment', async () => {
    const world = embedded()
    world.write('gatewright.yaml', project)
    world.declare(domain, service('one'))
    const planned = await world.run(['plan', '-e', 'prod', '--out', 'plan.json', '-o', 'json'], of('PROD_SECRET'))
    expect(new Set(planned.json().diagnostics.map(({ code }) => code))).toEqual(new Set(['clear-secret', 'no-base']))
    const applyWith = (...names: readonly string[]) =>
      world.run(['apply', 'plan.json', '--yes', '-o', 'json'], of(...names))
    expect((await applyWith('DEV_SECRET')).exitCode).toBe(4)
    expect((await applyWith('PROD_SECRET')).exitCode).toBe(0)
    const text = readFileSync(join(world.dir, 'plan.json'), 'utf8')
    writeFileSync(join(world.dir, 'plan.json'), text.replace('"one"', '"two"'))
    const changed = await applyWith('PROD_SECRET')
    expect([changed.exitCode, changed.json().diagnostics[0]?.code]).toEqual([4, 'saved-plan-changed'])
  })

  test('finds secrets by their fingerprints: drift of one is reported if its variable is not set', async () => {
    const world = embedded()
    world.write('gatewright.yaml', project)
    world.declare(domain, service('one'))
    expect((await world.run(['apply', '-e', 'prod', '--yes'], of('PROD_SECRET'))).exitCode).toBe(0)
    const rest = await restOf(world.make)
    const id = await idOf(rest, 'services')
    const part = `/services/${id}/endpoints/${await idOf(rest, `services/${id}/endpoints`)}/systemDomainAuthentication`
    const { PASSWORD, ...env } = of('PROD_SECRET').env
    const drift = async () => (await world.run(['drift', '-e', 'prod'], { env })).exitCode
    expect(await drift()).toBe(0)
    await rest.put(part, { type: 'httpBasic', password: `${PASSWORD}-of-theirs` })
    expect(await drift()).toBe(2)
  })

  test('does not use a placeholder as a key: if its variable is not set, everybody knows that text', async () => {
    const world = embedded()
    world.write('gatewright.yaml', project)
    world.declare(domain, service('one'))
    expect((await world.run(['apply', '-e', 'prod', '--yes'], of('PROD_SECRET'))).exitCode).toBe(0)
    expect((await world.run(['snapshot', '-e', 'prod', '--out', 'area.json'], of('PROD_SECRET'))).exitCode).toBe(0)
    const offline = ['plan', '-e', 'prod', '--snapshot', 'area.json', '--out', 'plan.json', '-o', 'json']
    const { changes, diagnostics } = (await world.run(offline, of())).json()
    expect(changes).toEqual([])
    expect(diagnostics.map(({ code }) => code)).toContain('saved-plan-not-sealed')
    expect(JSON.parse(readFileSync(join(world.dir, 'plan.json'), 'utf8'))).not.toHaveProperty('seal')
  })
})

describe('apply plan.json', () => {
  test('applies exactly that', async () => {
    const { world, rest, id } = await planned()
    const run = await applyPlan(world)
    expect(run.exitCode).toBe(0)
    expect(run.json().changes).toMatchObject([{ address: 'Service/S', action: 'update', outcome: 'applied' }])
    expect((await rest.get(`/services/${id}?fields=description`))[0]?.description).toBe('two')
  })

  test('continues after an unrelated edit, and does not undo it', async () => {
    const { world, rest, id } = await planned()
    await rest.put(`/services/${id}`, { qpsLimitOverall: 7 })
    expect((await applyPlan(world)).exitCode).toBe(0)
    expect((await rest.get(`/services/${id}?fields=qpsLimitOverall,description`))[0]).toMatchObject({
      qpsLimitOverall: 7,
      description: 'two',
    })
  })

  test.each([
    ['embedded', () => embedded({}, { env })],
    ['another', () => world(createOtherMake(), { ...testClock(), env })],
  ])('on the make "%s" continues after an edit of an unmanaged member, and keeps it', async (_, make) => {
    const area = make()
    const cors = { cookiesAllowed: true, subDomainMatchingAllowed: true }
    area.declare(domain, service('one', { cors }))
    await area.apply()
    area.declare(domain, service('one', { cors: { ...cors, cookiesAllowed: false } }))
    const plan = () => area.run(['plan', '--out', 'plan.json'])
    expect((await plan()).exitCode).toBe(0)
    const rest = await restOf(area.make)
    const endpoints = `/services/${await idOf(rest, 'services')}/endpoints`
    const path = `${endpoints}/${await idOf(rest, endpoints.slice(1))}`
    await rest.put(path, { name: 'e', cors: { ...cors, maxAge: 77 } })
    expect((await applyPlan(area)).exitCode).toBe(0)
    const [live] = await rest.get(`${endpoints}?fields=cors`)
    expect(live?.cors).toMatchObject({ maxAge: 77, cookiesAllowed: false })
    area.declare(domain, service('one', { cors }))
    await plan()
    await rest.put(path, { name: 'e', cors: { maxAge: 77, cookiesAllowed: false, subDomainMatchingAllowed: false } })
    expect(messages(await applyPlan(area))).toEqual([
      expect.stringContaining('/cors/subDomainMatchingAllowed is now false'),
    ])
  })

  test('continues after an edit of another member, if the platform omits the object while it has only defaults', async () => {
    const area = embedded({}, { env })
    area.declare(domain, service('one', { cors: { cookiesAllowed: false } }))
    await area.apply()
    area.declare(domain, service('one', { cors: { cookiesAllowed: true } }))
    await area.run(['plan', '--out', 'plan.json'])
    const rest = await restOf(area.make)
    const endpoints = `/services/${await idOf(rest, 'services')}/endpoints`
    const path = `${endpoints}/${await idOf(rest, endpoints.slice(1))}`
    await rest.put(path, { name: 'e', cors: { cookiesAllowed: false, maxAge: 77 } })
    expect((await applyPlan(area)).exitCode).toBe(0)
    const [live] = await rest.get(`${endpoints}?fields=cors`)
    expect(live?.cors).toMatchObject({ maxAge: 77, cookiesAllowed: true })
  })

  test('continues after an edit of a field in metadata.ignore, and keeps it', async () => {
    const area = embedded({}, { env })
    const metadata = {
      ignore: ['/cors/maxAge', '/numberOfHttpRedirectsToFollow', '/outboundRequestTargetQueryParameters'],
    }
    const fields = (cookiesAllowed: boolean) => ({
      ...{ cors: { cookiesAllowed, maxAge: 5 }, numberOfHttpRedirectsToFollow: 1, metadata },
      outboundRequestTargetQueryParameters: 'key=${env:PASSWORD}',
    })
    area.declare(domain, service('one', fields(true)))
    await area.apply()
    area.declare(domain, service('one', fields(false)))
    expect((await area.run(['plan', '--out', 'plan.json'])).exitCode).toBe(0)
    const rest = await restOf(area.make)
    const endpoints = `/services/${await idOf(rest, 'services')}/endpoints`
    const edit = { numberOfHttpRedirectsToFollow: 3, outboundRequestTargetQueryParameters: 'key=theirs' }
    await rest.put(`${endpoints}/${await idOf(rest, endpoints.slice(1))}`, {
      ...{ name: 'e', cors: { cookiesAllowed: true, maxAge: 77 }, ...edit },
    })
    expect((await applyPlan(area)).exitCode).toBe(0)
    const [live] = await rest.get(`${endpoints}?fields=cors,${Object.keys(edit).join(',')}`)
    expect(live).toMatchObject({ cors: { maxAge: 77, cookiesAllowed: false }, ...edit })
  })

  test('does nothing after a related edit, and reports field, both values, editor and time', async () => {
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

  test('reports a stale value without a secret that somebody has put into another field', async () => {
    const { world, rest, id } = await planned()
    await rest.put(`/services/${id}`, { description: `was ${password}` })
    const run = await applyPlan(world)
    expect(messages(run)).toEqual([expect.stringContaining('/description was "one", and is "was ***" now')])
    expect(run.stdout + run.stderr).not.toContain(password)
  })

  test('is not applied to another target', async () => {
    const { world } = await planned()
    world.write(
      'gatewright.yaml',
      readFileSync(join(world.dir, 'gatewright.yaml'), 'utf8').replace('name: test', 'name: other'),
    )
    const run = await applyPlan(world)
    expect(run.exitCode).toBe(4)
    expect(messages(run)).toEqual(['the plan was made for the project "test", and this is "other"'])
  })

  test('is applied to its environment if none is named, and to no other', async () => {
    const world = embedded({}, { env })
    const project = readFileSync(join(world.dir, 'gatewright.yaml'), 'utf8')
    world.write('gatewright.yaml', `${project}  environments: {dev: {}, prod: {}}\n`)
    world.declare(domain, service('one'))
    expect((await world.run(['plan', '-e', 'dev', '--out', 'plan.json'])).exitCode).toBe(0)
    for (const elsewhere of [
      await applyPlan(world, '-e', 'prod'),
      await world.run(['apply', 'plan.json', '--yes', '-o', 'json'], { env: { ...env, GATEWRIGHT_ENV: 'prod' } }),
    ]) {
      expect(elsewhere.exitCode).toBe(4)
      expect(messages(elsewhere)).toEqual(['the plan was made for the environment "dev", and this is "prod"'])
    }
    const run = await applyPlan(world)
    expect(run.exitCode).toBe(0)
    expect(JSON.parse(run.stdout)).toMatchObject({ target: { environment: 'dev' } })
  })

  test.each(['GATEWRIGHT_FINGERPRINT_KEY', 'GATEWRIGHT_API_SECRET'])(
    '%s may end with a line break, like files',
    async (name) => {
      const { world } = await planned()
      const more = (end: string) => ({ env: { ...env, [name]: `${env.GATEWRIGHT_API_SECRET}${end}` } })
      expect((await world.run(['plan', '--out', 'plan.json'], more('\r\n'))).exitCode).toBe(0)
      expect((await world.run(['apply', 'plan.json', '--yes'], more(''))).exitCode).toBe(0)
    },
  )

  test('is not applied with changed manifests; --replan only accepts a plan with the same effect', async () => {
    const { world } = await planned()
    world.declare(domain, document('Role', 'Extra'), service('two'))
    expect((await applyPlan(world)).exitCode).toBe(4)
    const same = await applyPlan(world, '--replan')
    expect(same.exitCode).toBe(0)
    // Changes that were added since were not approved.
    expect(same.json().changes.map(({ address }) => address)).toEqual(['Service/S'])
    expect((await world.plan()).changes.map(({ address }) => address)).toEqual(['Role/Extra'])
  })

  test.each([
    ['--replan', ['--replan'], '--replan is about a saved plan'],
    ['--resume', ['plan.json', '--resume'], '--resume takes no saved plan'],
  ])('%s in a wrong combination is refused before a request', async (_, words, told) => {
    const { world } = await planned()
    world.requests()
    const run = await world.run(['apply', ...words])
    expect([run.exitCode, run.stderr]).toEqual([1, expect.stringContaining(told)])
    expect(world.requests()).toEqual([])
  })

  test('--replan refuses another effect', async () => {
    const { world } = await planned()
    world.declare(domain, service('three'))
    const run = await applyPlan(world, '--replan')
    expect(run.exitCode).toBe(4)
    expect(messages(run)).toEqual(['Service/S: /description was to become "two", and would now become "three"'])
  })

  test.each([
    ['another secret instead of none', null, '${env:OTHER}', 'would now become another value than was planned'],
    ['none instead of a secret', '${env:OTHER}', null, 'would now be cleared'],
    ['another secret', '${env:OTHER}', '${env:THIRD}', 'resolves to another secret now'],
  ])('--replan refuses %s', async (_, then, now, told) => {
    const world = embedded({}, { env: { ...env, OTHER: 'other-password', THIRD: 'third-password' } })
    const withPassword = (password: string | null) =>
      service('one', { systemDomainAuthentication: { type: 'httpBasic', username: 'u', password } })
    world.declare(domain, service('one'))
    expect((await world.apply()).exitCode).toBe(0)
    world.declare(domain, withPassword(then))
    expect((await world.run(['plan', '--out', 'plan.json'])).exitCode).toBe(0)
    world.declare(domain, withPassword(now))
    world.requests()
    const run = await applyPlan(world, '--replan')
    expect([run.exitCode, messages(run)]).toEqual([
      4,
      [`Service/S/Endpoint/e/SystemDomainAuthentication: /password ${told}`],
    ])
    expect(world.requests().filter(({ method }) => method !== 'GET')).toEqual([])
  })

  test('values that are not selected, or are accepted now, are not reported to have the planned values', async () => {
    const world = embedded({}, { env })
    const role = (description: string) => document('Role', 'R', { description })
    world.declare(domain, role('one'), service('one'))
    expect((await world.apply()).exitCode).toBe(0)
    world.declare(domain, role('one'), service('one', { requestProtocol: 'soap' }))
    const rest = await restOf(world.make)
    await rest.put(`/roles/${await idOf(rest, 'roles', 'R')}`, { name: 'R', description: 'by hand' })
    expect((await world.run(['plan', '--out', 'plan.json'])).exitCode).toBe(0)
    expect(messages(await applyPlan(world, '--select', 'Role/R'))).toEqual([
      'Service/S/Endpoint/e: was to be updated; it would now be left alone',
    ])
    const decision = ['--reason', 'a test', '--owner', 'me', '--expires', '2027-01-31']
    expect((await world.run(['drift', '--select', 'Role/R', '--accept', ...decision])).exitCode).toBe(0)
    const run = await applyPlan(world)
    expect([run.exitCode, messages(run)]).toEqual([4, ['Role/R: was to be updated; it would now be left alone']])
  })

  test('--replan of manifests with one more field does not report an edit of the area', async () => {
    const { world } = await planned()
    world.declare(domain, document('Service', 'S', { ...service('two').spec, version: '2' }))
    const run = await applyPlan(world, '--replan')
    expect(run.exitCode).toBe(4)
    expect(messages(run)).toEqual(['Service/S: /version would now become "2", and the plan did not change it'])
  })

  test.each([
    ['with records', false],
    ['without any, as in CI', true],
  ])('that was made without its secrets is applied if they are set, %s', async (_, isForgotten) => {
    const area = embedded({}, { env: { ...env, TEXT: 'a-secret-text' } })
    const declare = (qpsLimitOverall: number, username: string) =>
      area.declare(
        domain,
        document('Service', 'S', {
          ...{ description: '${env:TEXT}', qpsLimitOverall },
          endpoints: [
            {
              ...{
                name: 'e',
                requestPathAlias: '/e',
                publicDomains: ['example.com'],
                trafficManagerDomain: 'example.com',
              },
              processor: { adapter: 'a', preInputs: { authorization: 'Bearer ${env:TEXT}' } },
              systemDomainAuthentication: { type: 'httpBasic', username, password: '${env:PASSWORD}' },
            },
          ],
        }),
      )
    declare(1, 'u')
    expect((await area.apply()).exitCode).toBe(0)
    if (isForgotten) rmSync(join(area.dir, '.gatewright'), { recursive: true })
    declare(2, 'v')
    const planned = await area.run(['plan', '--out', 'saved.plan', '-o', 'json'], { env: environment })
    expect(planned.json().changes.map(({ action }) => action)).toEqual(['update', 'update'])
    expect(await area.apply('saved.plan')).toMatchObject({ exitCode: 0 })
  })

  test('is not applied with another secret, and the file contains none', async () => {
    const world = embedded({}, { env })
    world.declare(domain, service('one'))
    await world.run(['plan', '--out', 'plan.json'])
    expect(readFileSync(join(world.dir, 'plan.json'), 'utf8')).not.toContain(password)
    const run = await world.run(['apply', 'plan.json', '--yes', '-o', 'json'], {
      env: { ...env, PASSWORD: 'another-one' },
    })
    expect(run.exitCode).toBe(4)
    expect(messages(run)).toEqual([expect.stringMatching(/\/password resolves to another secret now$/)])
    expect((await applyPlan(world)).exitCode).toBe(0)
  })

  test('for another field of the object is not applied with another secret, and no edit is reported', async () => {
    const world = embedded({}, { env })
    world.declare(domain, service('one'))
    expect((await world.apply()).exitCode).toBe(0)
    const systemDomainAuthentication = { type: 'httpBasic', username: 'v', password: '${env:PASSWORD}' }
    world.declare(domain, service('one', { systemDomainAuthentication }))
    await world.run(['plan', '--out', 'plan.json'])
    const run = await world.run(['apply', 'plan.json', '--yes', '-o', 'json'], {
      env: { ...env, PASSWORD: 'another-one' },
    })
    expect(run.exitCode).toBe(4)
    expect(messages(run)).toEqual([expect.stringMatching(/\/password resolves to another secret now$/)])
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

  test('does not delete children that were added since', async () => {
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

  test('does nothing if an object that it needs is gone', async () => {
    const { world, rest, id } = await planned()
    world.declare(domain, service('one', { methods: [{ name: 'm' }] }))
    await world.run(['plan', '--out', 'plan.json'])
    const [found] = await rest.get(`/services/${id}/endpoints?fields=id`)
    await rest.remove(`/services/${id}/endpoints/${String(found?.id)}`)
    expect((await applyPlan(world)).exitCode).toBe(4)
  })

  test('is planned again with the narrower options with which it was made', async () => {
    const { world, rest } = await planned()
    world.declare(domain, service('two'), document('Role', 'R'))
    await world.apply()
    world.declare(domain, service('three'))
    await world.run(['plan', '--prune', 'none', '--out', 'plan.json'])
    expect((await applyPlan(world)).exitCode).toBe(0)
    expect((await rest.get('/roles')).map(({ name }) => name)).toContain('R')
  })

  test('--prune all in the file allows nothing: apply must have it as well', async () => {
    const { world, rest } = await planned()
    await rest.post('/services', { name: 'Extra' })
    world.declare(domain, service('one'))
    await world.run(['plan', '--prune', 'all', '--out', 'plan.json'])
    world.requests()
    const refused = await applyPlan(world, '--allow', 'TRAFFIC_STOP')
    expect(refused.exitCode).toBe(4)
    expect(messages(refused)).toEqual([
      'the plan was made with --prune all, which neither the project file nor this command allows',
    ])
    expect(world.requests()).toEqual([])
    expect((await applyPlan(world, '--allow', 'TRAFFIC_STOP', '--prune', 'all')).exitCode).toBe(0)
    expect((await rest.get('/services')).map(({ name }) => name)).toEqual(['S'])
  })

  test.each([['--take', 'manifest'], ['--allow-replace'], ['--base', 'HEAD']])(
    '%s in the file allows nothing either',
    async (...option) => {
      const { world } = await planned()
      if (option[0] === '--base') commitAll(world.dir)
      expect((await world.run(['plan', ...option, '--out', 'plan.json'])).exitCode).toBe(0)
      const refused = await applyPlan(world)
      expect(refused.exitCode).toBe(4)
      expect(messages(refused).join()).toContain(`the plan was made with ${option.join(' ')}, which`)
      expect((await applyPlan(world, ...option)).exitCode).toBe(0)
    },
  )

  test('obeys a project that has become narrower since', async () => {
    const { world, rest } = await planned()
    await rest.post('/services', { name: 'Extra' })
    const project = readFileSync(join(world.dir, 'gatewright.yaml'), 'utf8')
    world.declare(domain, service('one'))
    world.write('gatewright.yaml', `${project}  prune: all\n`)
    expect((await world.run(['plan', '--out', 'plan.json'])).exitCode).toBe(0)
    world.write('gatewright.yaml', `${project}  prune: applied\n`)
    expect((await applyPlan(world)).exitCode).toBe(4)
    world.write('gatewright.yaml', `${project}  prune: all\n  scope: {names: [Other*]}\n`)
    const narrower = await applyPlan(world)
    expect(narrower.exitCode).toBe(4)
    expect(messages(narrower)[0]).toBe('Service/Extra: was to be deleted; it would now be left alone')
    expect((await rest.get('/services')).length).toBe(2)
  })

  test('is applied once: its changes are done then', async () => {
    const { world } = await planned()
    expect((await applyPlan(world)).exitCode).toBe(0)
    world.requests()
    const again = await applyPlan(world)
    expect(again.exitCode).toBe(4)
    expect(messages(again)).toEqual(['Service/S: was to be updated; it already has the planned values'])
    expect(world.requests().every(({ method }) => method === 'GET')).toBe(true)
  })

  test('is refused with 5 if a fresh plan would be', async () => {
    const world = embedded({ refuse: ['POST /roles'] }, { env })
    world.project('  limits: {deletes: 0}\n')
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
    ['is not JSON', '{'],
    ['is another document', '{"format": "gatewright.run/1"}'],
    ['is a drift document', undefined],
  ])('fails with 1 if the file %s', async (_, text) => {
    const { world } = await planned()
    writeFileSync(join(world.dir, 'plan.json'), text ?? (await world.drift()).stdout)
    expect((await applyPlan(world)).exitCode).toBe(1)
    expect((await world.run(['apply', 'missing.json', '--yes'])).exitCode).toBe(1)
  })
})

/** Possible attacks by a person who can write the file and has no key. */
describe('a saved plan that was changed', () => {
  type Draft = Record<string, unknown> & {
    changes: (Record<string, unknown> & { fields: Record<string, unknown>[] })[]
    target: Record<string, unknown>
    options: Record<string, unknown>
    seal?: Record<string, unknown>
  }
  const [removed, secretChange] = ['Role/Old', 'Service/S/Endpoint/e/SystemDomainAuthentication']
  const edits: readonly (readonly [what: string, edit: (plan: Draft) => void])[] = [
    ['an added change', (plan) => plan.changes.push({ ...plan.changes[0], fields: [], address: 'Service/T' })],
    ['a removed change', (plan) => plan.changes.pop()],
    ['no changes', (plan) => plan.changes.splice(0)],
    ['the changes in another order', (plan) => plan.changes.reverse()],
    [
      'an update changed to a delete',
      (plan) => Object.assign(found(plan, 'Service/S'), { action: 'delete', fields: [] }),
    ],
    ['another value', (plan) => Object.assign(found(plan, 'Service/S').fields[0] ?? {}, { after: 'evil' })],
    ['another value before', (plan) => Object.assign(found(plan, 'Service/S').fields[0] ?? {}, { before: 'evil' })],
    ['another id', (plan) => Object.assign(found(plan, 'Service/S'), { id: '00000000-0000-4000-8000-000000000001' })],
    ['another precondition', (plan) => Object.assign(found(plan, removed), { precondition: 'sha256:00' })],
    ['no fingerprint of a secret', (plan) => delete found(plan, secretChange).fields[0]?.fingerprint],
    ['other facts about a deleted object', (plan) => Object.assign(found(plan, removed), { known: [] })],
    ['the options', (plan) => Object.assign(plan.options, { prune: 'all' })],
    ['no options', (plan) => Reflect.deleteProperty(plan, 'options')],
    ['another target', (plan) => Object.assign(plan.target, { url: 'http://elsewhere.example' })],
    ['another area', (plan) => Object.assign(plan.target, { area: 'other' })],
    ['other manifests', (plan) => Object.assign(plan, { manifests: `sha256:${'0'.repeat(64)}` })],
    ['another base', (plan) => Object.assign(plan, { base: null })],
    ['a key that no plan has', (plan) => Object.assign(plan, { more: 1 })],
    ['a member that is inherited elsewhere', (plan) => Object.defineProperty(plan, '__proto__', own({ changes: [] }))],
    ['another HMAC', (plan) => Object.assign(plan.seal ?? {}, { hmac: '0'.repeat(64) })],
    ['a seal of another form', (plan) => Object.assign(plan, { seal: 'hmac' })],
    ['no seal', (plan) => Reflect.deleteProperty(plan, 'seal')],
  ]
  const own = (value: unknown) => ({ value, enumerable: true, configurable: true, writable: true })
  const found = (plan: Draft, address: string): Draft['changes'][number] => {
    const change = plan.changes.find((each) => each.address === address)
    if (!change) throw new Error(`the plan does not change ${address}`)
    return change
  }

  /** A plan that updates, deletes, creates and changes a secret. */
  async function plannedMuch(): Promise<World> {
    const world = embedded({}, { env })
    world.declare(domain, service('one'), document('Role', 'Old', { description: 'kept once' }))
    await world.apply()
    const authentication = { type: 'httpBasic', username: 'u', password: '${env:OTHER}' }
    world.declare(domain, service('two', { systemDomainAuthentication: authentication }), document('Role', 'New'))
    const run = await world.run(['plan', '--out', 'plan.json'], { env: { ...env, OTHER: 'another-secret' } })
    expect(run.exitCode).toBe(0)
    return world
  }

  test('is refused, whatever was changed, and nothing is sent', async () => {
    const world = await plannedMuch()
    const apply = () =>
      world.run(['apply', 'plan.json', '--yes', '-o', 'json'], { env: { ...env, OTHER: 'another-secret' } })
    const text = readFileSync(join(world.dir, 'plan.json'), 'utf8')
    world.requests()
    for (const [what, edit] of edits) {
      const plan = JSON.parse(text) as Draft
      edit(plan)
      world.write('plan.json', JSON.stringify(plan))
      const run = await apply()
      expect([what, run.exitCode]).toEqual([what, 4])
      expect(run.json().diagnostics[0]?.code).toMatch(/^saved-plan-(changed|not-sealed)$/)
      expect(run.json().diagnostics).toHaveLength(1)
    }
    // Not a plan any more.
    for (const broken of ['', text.slice(0, -10), '[]', 'null', `${text}${text}`]) {
      world.write('plan.json', broken)
      expect((await apply()).exitCode).toBe(1)
    }
    expect(world.requests()).toEqual([])
    // White space and the order of keys have no meaning.
    world.write('plan.json', JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(text) as Draft).reverse())))
    expect((await apply()).exitCode).toBe(0)
  })

  test('the plan of another project is refused, even if the key is the same', async () => {
    const world = await plannedMuch()
    const project = readFileSync(join(world.dir, 'gatewright.yaml'), 'utf8')
    world.write('gatewright.yaml', project.replace('name: test', 'name: other'))
    const run = await world.run(['apply', 'plan.json', '--yes', '-o', 'json'], {
      env: { ...env, OTHER: 'another-secret' },
    })
    expect(messages(run)).toEqual(['the plan was made for the project "test", and this is "other"'])
  })
})

describe('the key of the seal', () => {
  const owned = { ...env, GATEWRIGHT_FINGERPRINT_KEY: 'a-key-of-our-own' }

  test.each([
    ['a separate key', owned, owned, 0, undefined],
    ['a separate key, but none for apply', owned, env, 4, 'its seal was made with another key'],
    ['another separate key for apply', owned, { ...owned, GATEWRIGHT_FINGERPRINT_KEY: 'x' }, 4, 'with another key'],
    ['another API secret', env, { ...env, GATEWRIGHT_API_SECRET: 'one-of-another-day' }, 4, 'with another key'],
  ])('%s', async (_, atPlan, atApply, exitCode, words) => {
    const { world } = await planned()
    expect((await world.run(['plan', '--out', 'plan.json'], { env: atPlan })).exitCode).toBe(0)
    const run = await world.run(['apply', 'plan.json', '--yes', '-o', 'json'], { env: atApply })
    expect(run.exitCode).toBe(exitCode)
    if (words !== undefined) expect(messages(run).join()).toContain(words)
  })

  test('a ready token alone is not a key: plan says so, and apply does not apply such a plan', async () => {
    const { world } = await planned()
    const { GATEWRIGHT_URL, GATEWRIGHT_AREA } = environment
    const GATEWRIGHT_TOKEN = await tokenOf(world.make)
    const token = { GATEWRIGHT_URL, GATEWRIGHT_AREA, GATEWRIGHT_TOKEN, PASSWORD: password }
    const saved = await world.run(['plan', '--out', 'plan.json'], { env: token })
    expect(saved.exitCode).toBe(0)
    expect(saved.stderr).toContain('plan.json is not sealed')
    const run = await world.run(['apply', 'plan.json', '--yes', '-o', 'json'], { env: token })
    expect(run.exitCode).toBe(4)
    expect(messages(run)).toEqual(['it cannot be checked whether plan.json is as plan wrote it: it has no seal'])
    const keyed = { ...token, GATEWRIGHT_FINGERPRINT_KEY: 'a-key-of-our-own' }
    await world.run(['plan', '--out', 'plan.json'], { env: keyed })
    expect((await world.run(['apply', 'plan.json', '--yes'], { env: keyed })).exitCode).toBe(0)
  })
})

describe('a delete is approved only for the object as it was', () => {
  /** A role, and a service with an endpoint, that are deleted. */
  async function going(endpoint: object = {}) {
    const world = embedded({}, { env })
    world.declare(domain, service('one', endpoint), document('Role', 'R', { description: 'of no use' }))
    await world.apply()
    world.declare(domain)
    expect((await world.run(['plan', '--out', 'plan.json'])).exitCode).toBe(0)
    const rest = await restOf(world.make)
    return { world, rest, id: await idOf(rest, 'services'), roleId: await idOf(rest, 'roles', 'R') }
  }
  const allowed = ['--allow', 'TRAFFIC_STOP', '--allow', 'IRREVERSIBLE', '--allow', 'KEY_LOSS']

  test('and done if nobody has changed it', async () => {
    const { world, rest } = await going()
    expect((await applyPlan(world, ...allowed)).exitCode).toBe(0)
    expect(await rest.get('/services')).toEqual([])
  })

  test('an applied field: both values and the editor are reported', async () => {
    const { world, rest, id } = await going()
    await rest.put(`/services/${id}`, { description: 'in use after all' })
    world.requests()
    const run = await applyPlan(world, ...allowed)
    expect(run.exitCode).toBe(4)
    expect(messages(run)).toEqual([
      expect.stringMatching(
        /^Service\/S: \/description was "one", and is "in use after all" now \(last edited by local-user at /,
      ),
    ])
    expect(world.requests().every(({ method }) => method === 'GET')).toBe(true)
  })

  test('a field that was never applied is reported, and its values are not in the file', async () => {
    const { world, rest, id } = await going()
    await rest.put(`/services/${id}`, { version: 'a-value-of-theirs' })
    const run = await applyPlan(world, ...allowed)
    expect(run.exitCode).toBe(4)
    expect(messages(run)).toEqual([expect.stringMatching(/^Service\/S: \/version was changed \(last edited by /)])
    await world.run(['plan', '--out', 'plan.json'])
    expect(readFileSync(join(world.dir, 'plan.json'), 'utf8')).not.toContain('a-value-of-theirs')
  })

  test('objects that are deleted with it count as well, also messages and secrets', async () => {
    const { world, rest, id } = await going()
    const endpoint = await idOf(rest, `services/${id}/endpoints`)
    const set = await idOf(rest, `services/${id}/errorSets`)
    const [message] = await rest.get(`/services/${id}/errorSets/${set}/errorMessages`)
    await rest.put(`/services/${id}/errorSets/${set}/errorMessages/${String(message?.id)}`, {
      ...{ id: String(message?.id), status: 'Slower' },
    })
    await rest.put(`/services/${id}/endpoints/${endpoint}/systemDomainAuthentication`, {
      ...{ type: 'httpBasic', username: 'u', password: 'by-hand-secret' },
    })
    const run = await applyPlan(world, ...allowed)
    expect(run.exitCode).toBe(4)
    expect(run.stdout).not.toContain('by-hand-secret')
    expect(messages(run).join('\n')).toMatch(/SystemDomainAuthentication: \/password was changed/)
    expect(messages(run).join('\n')).toContain(`/errorMessages/${String(message?.id)} was changed`)
  })

  test('a value that was applied as a secret is in no file, even if nothing marks it as a secret any more', async () => {
    const { world, rest, id } = await going({
      processor: { adapter: 'trim', preProcessEnabled: true, preInputs: { token: '${env:PASSWORD}', depth: '1' } },
    })
    const saved = JSON.parse(readFileSync(join(world.dir, 'plan.json'), 'utf8'))
    expect(JSON.stringify(saved)).not.toContain(password)
    const gone = saved.changes.find(({ address }: { address: string }) => address === 'Service/S/Endpoint/e')
    expect(gone.known).toContainEqual({ path: '/processor/adapter', sensitive: false, value: 'trim' })
    expect(gone.known).toContainEqual({
      ...{ path: '/processor/preInputs', sensitive: true },
      fingerprint: expect.stringMatching(/^hmac:/),
    })
    const endpoint = await idOf(rest, `services/${id}/endpoints`)
    await rest.put(`/services/${id}/endpoints/${endpoint}`, {
      processor: { adapter: 'trim', preProcessEnabled: true, preInputs: { token: 'by-hand-secret', depth: '1' } },
    })
    const run = await applyPlan(world, ...allowed)
    expect(messages(run)).toEqual([expect.stringContaining('Service/S/Endpoint/e: /processor/preInputs was changed')])
    expect(run.stdout + run.stderr).not.toMatch(/by-hand-secret|a-secret-password/)
  })

  test('on another make, too', async () => {
    const make = createOtherMake()
    const other = world(make, { env, ...testClock() })
    const rest = await restOf(make)
    const declared = document('Service', 'S', { description: 'one', securityProfile: { oauth: { accessTokenTtl: 5 } } })
    for (const edit of [undefined, { description: 'in use' }, { version: '2' }]) {
      other.declare(declared, document('Role', 'R'))
      expect((await other.apply()).exitCode).toBe(0)
      other.declare(document('Role', 'R'))
      await other.run(['plan', '--out', 'plan.json'])
      if (edit) await rest.put(`/services/${await idOf(rest, 'services')}`, { name: 'S', ...edit })
      const run = await applyPlan(other, ...allowed)
      expect([edit, run.exitCode]).toEqual([edit, edit ? 4 : 0])
      if (edit) expect(messages(run).join()).toContain(`Service/S: /${Object.keys(edit)[0]} was `)
    }
  })

  test('--replan does not accept an edited object as the approved one', async () => {
    const { world, rest, roleId } = await going()
    await rest.put(`/roles/${roleId}`, { description: 'in use' })
    expect((await applyPlan(world, '--replan', ...allowed)).exitCode).toBe(4)
  })

  test('between the question and the answer, too', async () => {
    const { world, rest, id } = await going()
    let said = ''
    const stderr = { isTTY: true, write: (text: string) => (said += text) }
    async function* answer() {
      await rest.put(`/services/${id}`, { description: 'in use after all' })
      yield 'yes\n'
    }
    const stdin = Object.assign(Readable.from(answer()), { isTTY: true })
    expect((await world.run(['apply', ...allowed], { stdin, stderr })).exitCode).toBe(4)
    expect(said).toContain('/description was "one", and is "in use after all" now')
  })
})

describe('a plan of only a part', () => {
  test('does not change the base of the rest', async () => {
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

describe('show plan.json', () => {
  test('displays the same as plan, as text, JSON and Markdown, and sends nothing', async () => {
    const { world } = await planned()
    world.requests()
    for (const output of ['text', 'markdown']) {
      const asPlanned = await world.run(['plan', '-o', output])
      world.requests()
      const shown = await world.run(['show', 'plan.json', '-o', output])
      expect(shown.exitCode).toBe(0)
      expect(shown.stdout).toBe(asPlanned.stdout)
      expect(shown.stdout).toContain('one')
    }
    expect((await world.run(['show', 'plan.json', '-o', 'json'])).json().changes).toMatchObject([
      { address: 'Service/S', fields: [{ path: '/description', before: 'one', after: 'two' }] },
    ])
    expect(world.requests()).toEqual([])
  })

  test('warns if the seal cannot be checked, and displays the plan nevertheless', async () => {
    const { world } = await planned()
    const { GATEWRIGHT_API_SECRET: _, ...none } = env
    const shown = await world.run(['show', 'plan.json'], { env: none })
    expect(shown.exitCode).toBe(0)
    expect(shown.stdout).toContain('Plan: 1 to update')
    expect(shown.stderr).toMatch(
      /^warning: it cannot be checked whether plan\.json is as plan wrote it: .*there is no key here/m,
    )
  })

  test('does not display changes that somebody made since, and reports a file that is no plan or does not exist', async () => {
    const { world } = await planned()
    const text = readFileSync(join(world.dir, 'plan.json'), 'utf8')
    world.write('changed.json', text.replace('"two"', '"three"'))
    const changed = await world.run(['show', 'changed.json'])
    expect([changed.exitCode, changed.stdout]).toEqual([4, ''])
    expect(changed.stderr).toContain('changed.json is not as plan wrote it')
    world.write('noplan', 'kind: Service')
    for (const [file, why] of Object.entries({ noplan: 'it is not JSON', 'gone.json': 'no such file' })) {
      const run = await world.run(['show', file])
      expect([run.exitCode, run.stdout]).toEqual([1, ''])
      expect(run.stderr).toMatch(new RegExp(`${file}.*${why}`))
    }
  })
})
