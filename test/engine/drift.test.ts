import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, rmdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/json.js'
import { temporaryFolder } from '../kit/folder.js'
import { document, manifestText } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { embedded, environment, type World, world as worldOf } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'
import { makes } from '../other-make/worlds.js'

/** Who changed what: drift by its exit codes, sides and editors; accepted drift; a git reference as the base. */

const role = (description: string, name = 'Partners') => document('Role', name, { description })

async function applied(): Promise<{ world: World; rest: Awaited<ReturnType<typeof restOf>>; id: string }> {
  const world = embedded()
  world.declare(role('one'))
  expect((await world.apply()).exitCode).toBe(0)
  const rest = await restOf(world.make)
  const found = (await rest.get('/roles?fields=id,name')).find(({ name }) => name === 'Partners')
  return { world, rest, id: String(found?.id) }
}

const byHand = (rest: Awaited<ReturnType<typeof restOf>>, id: string, description: string) =>
  rest.put(`/roles/${id}`, { name: 'Partners', description })

describe('drift', () => {
  test('is 0 after an apply, and if changes are only not applied yet', async () => {
    const { world } = await applied()
    expect((await world.drift()).exitCode).toBe(0)
    world.declare(role('two'))
    const run = await world.drift()
    expect(run.exitCode).toBe(0)
    expect(run.json().changes).toMatchObject([{ side: 'manifest', fields: [{ verdict: 'pending' }] }])
  })

  test('reports a value that was edited during metadata.ignore as not applied yet, not as changed on the platform', async () => {
    const world = embedded()
    const orders = (cors: JsonObject, ignore: string[]) => {
      const endpoint = { name: 'e', requestPathAlias: '/e', trafficManagerDomain: 't.example.com', cors }
      return document('Service', 'Orders', { endpoints: [{ ...endpoint, metadata: { ignore } }] })
    }
    const change = async (cors: JsonObject, ignore: string[]) => {
      world.declare(orders(cors, ignore))
      const run = await world.drift()
      return [
        run.exitCode,
        run.json().changes.flatMap(({ fields }) => fields.map(({ path, verdict }) => [path, verdict])),
      ]
    }
    const left = ['/cors/maxAge']
    world.declare(orders({ maxAge: 1, allDomainsEnabled: true }, left))
    expect((await world.apply()).exitCode).toBe(0)
    world.declare(orders({ maxAge: 2, allDomainsEnabled: false }, left))
    expect((await world.apply()).exitCode).toBe(0)
    expect(await change({ maxAge: 2, allDomainsEnabled: false }, left)).toEqual([0, []])
    expect(await change({ maxAge: 2, allDomainsEnabled: false }, [])).toEqual([0, [['/cors/maxAge', 'pending']]])
    expect(await change({ maxAge: 1, allDomainsEnabled: false }, [])).toEqual([0, []])
  })

  test('is 2 if somebody changed the live object, and reports which side changed', async () => {
    const { world, rest, id } = await applied()
    await byHand(rest, id, 'by hand')
    const run = await world.drift()
    expect(run.exitCode).toBe(2)
    expect(run.json().changes).toMatchObject([
      { side: 'live', updated: expect.any(String), fields: [{ verdict: 'drift' }] },
    ])
  })

  test('reports what happened, not the effect of an apply on key owners', async () => {
    const env = { ...environment, KEY: 'an-apikey', SECRET: 'a-secret' }
    const world = embedded({}, { env })
    const plans = [{ name: 'Gold', rateLimitCeiling: 100, rateLimitPeriod: 'day' }]
    const packageKeys = [{ package: 'P', plan: 'Gold', apikey: '${env:KEY}', secret: '${env:SECRET}' }]
    const fields = { email: 'm@example.com', displayName: 'M', externalId: '1', passwdNew: '${env:SECRET}' }
    world.declare(
      document('Package', 'P', { plans }),
      document('Member', 'm', { ...fields, applications: [{ name: 'a', packageKeys }] }),
    )
    expect((await world.apply()).exitCode).toBe(0)
    const rest = await restOf(world.make)
    const [{ id } = {}] = await rest.get('/packages?fields=id,name')
    const [plan] = await rest.get(`/packages/${id}/plans?fields=id,name,rateLimitPeriod`)
    await rest.put(`/packages/${id}/plans/${plan?.id}`, { ...plan, rateLimitCeiling: 5000 })
    expect((await world.plan()).changes).toMatchObject([{ hazards: ['LIMIT_LOWERED'] }])
    const [change] = (await world.drift()).json().changes
    expect(change).toMatchObject({ side: 'live', hazards: [] })
    expect(change?.reason).toBeUndefined()
  })

  test('is 2 in a conflict, which apply refuses until somebody decides', async () => {
    const { world, rest, id } = await applied()
    await byHand(rest, id, 'by hand')
    world.declare(role('two'))
    const run = await world.drift()
    expect(run.exitCode).toBe(2)
    expect(run.json().changes).toMatchObject([{ side: 'both', fields: [{ verdict: 'conflict' }] }])
    const written = await world.run(['drift', '--write'])
    expect(written.exitCode).toBe(2)
    expect(written.stderr).toContain('description was not written to the manifest: git has changed it as well')
    expect((await world.apply()).exitCode).toBe(5)
    expect((await world.apply('--take', 'live')).exitCode).toBe(0)
    // After the live side was chosen, it is still known to be a conflict.
    expect((await world.drift()).json().changes).toMatchObject([{ side: 'both' }])
    expect((await world.apply('--take', 'manifest')).exitCode).toBe(0)
    expect((await world.drift()).exitCode).toBe(0)
  })

  test('is 2 for any difference without a base, and plan says that changes on the platform cannot be distinguished from ours', async () => {
    const world = embedded()
    const rest = await restOf(world.make)
    await rest.post('/roles', { name: 'Partners', description: 'there before' })
    world.declare(role('one'))
    const run = await world.drift()
    expect(run.exitCode).toBe(2)
    expect(run.json().changes).toMatchObject([{ side: 'unknown', fields: [{ verdict: 'difference' }] }])
    expect((await world.run(['plan'])).stderr).toContain('changes made on the platform cannot be told')
  })

  test('is 2 if somebody deleted an applied object, and if a written list has one more', async () => {
    const { world, rest, id } = await applied()
    await rest.remove(`/roles/${id}`)
    expect((await world.drift()).exitCode).toBe(2)
    world.declare(role('one'), document('Service', 'S', { endpoints: [] }))
    await world.apply()
    expect((await world.drift()).exitCode).toBe(0)
    const [service] = await rest.get('/services?fields=id')
    await rest.post('/domains', { domain: 'example.com' })
    await rest.post(`/services/${String(service?.id)}/endpoints`, {
      name: 'extra',
      requestPathAlias: '/extra',
      trafficManagerDomain: 'example.com',
      publicDomains: [{ domain: 'example.com' }],
    })
    const found = await world.drift()
    expect([found.exitCode, found.stdout]).toEqual([2, expect.stringContaining('"inList": true')])
    // Even if it may be deleted: the actions of a plan do not matter here.
    const project = readFileSync(join(world.dir, 'gatewright.yaml'), 'utf8')
    world.write('gatewright.yaml', `${project}  prune: all\n`)
    const run = await world.run(['drift'])
    expect([run.exitCode, run.stdout]).toEqual([2, expect.stringContaining('Endpoint/extra  created on the platform')])
  })

  test.each(makes)(
    '%s: reports objects that git no longer has and that may not be deleted, but not as created on the platform',
    async (_, make) => {
      const world = make()
      const listed = (...names: readonly string[]) => [
        document('Service', 'S', { errorSets: names.map((name) => ({ name, type: 'text/json' })) }),
      ]
      world.declare(...listed('kept', 'removed'))
      expect((await world.apply()).exitCode).toBe(0)
      const project = readFileSync(join(world.dir, 'gatewright.yaml'), 'utf8')
      world.write('gatewright.yaml', `${project}  prune: none\n`)
      world.declare(...listed('kept'))
      const run = await world.run(['drift', '--report', 'sarif=drift.sarif'])
      expect(run.exitCode).toBe(2)
      expect(run.stdout).toMatch(/\+ ErrorSet\/removed +removed from git, and still on the platform\n/)
      expect(run.stdout).toContain('Drift: 1 removed from git only; ')
      const sarif = readFileSync(join(world.dir, 'drift.sarif'), 'utf8')
      expect(sarif).toContain('remaining-on-platform')
      // With -f, that option would delete objects of the other manifests.
      expect(sarif).toContain('pply all manifests with --prune applied')
      const address = 'Service/S/ErrorSet/removed'
      expect((await world.drift()).json().unmanaged).toMatchObject([{ address, inList: true, applied: true }])
      const rest = await restOf(world.make)
      const [service] = await rest.get('/services?fields=id')
      await rest.post(`/services/${String(service?.id)}/errorSets`, { name: 'added', type: 'text/json' })
      expect((await world.run(['drift'])).stdout).toContain(
        'Drift: 1 created on the platform, 1 removed from git only; ',
      )
      const select = ['--select', address]
      await world.run(['drift', '--accept', '--reason', 'kept', '--owner', 'ops', '--expires', '2026-12-01', ...select])
      const known = await world.run(['drift', '--report', 'sarif=drift.sarif'])
      expect(known.stdout).toMatch(/Accepted.*\n.*kept\n +\S+\/removed +removed from git, and still on the platform\n/)
      expect(known.stdout).toContain('Drift: 1 created on the platform; 1 accepted, ')
      expect(readFileSync(join(world.dir, 'drift.sarif'), 'utf8')).toContain('remaining-on-platform')
      expect((await world.drift()).json()).toMatchObject({ accepted: [{ address, object: 'created', applied: true }] })
    },
  )

  test('without records, accepted objects keep their code as well: nobody knows which side has changed', async () => {
    const world = embedded()
    const listed = (...names: readonly string[]) =>
      document('Service', 'S', { errorSets: names.map((name) => ({ name })) })
    world.declare(listed('kept', 'extra'))
    await world.apply()
    rmSync(join(world.dir, '.gatewright'), { recursive: true })
    world.declare(listed('kept'), document('Role', 'Missing'))
    const codes = async () => {
      await world.run(['drift', '--report', 'sarif=drift.sarif'])
      const sarif = JSON.parse(readFileSync(join(world.dir, 'drift.sarif'), 'utf8'))
      return sarif.runs[0].results.map(({ ruleId }: { readonly ruleId: string }) => ruleId)
    }
    const open = await codes()
    await world.run(['drift', '--accept', '--reason', 'kept', '--owner', 'ops', '--expires', '2026-12-01'])
    expect(await codes()).toEqual(open)
    const { stdout } = await world.run(['drift'])
    expect(stdout).toMatch(/ErrorSet\/extra +on the platform, and not in git\n/)
    expect(stdout).toMatch(/Role\/Missing +in git, and not on the platform\n/)
  })

  test('also reports a deleted object if its manifest lacks fields for a create, like manifests of an export', async () => {
    const world = embedded()
    const rest = await restOf(world.make)
    const profile = { email: 'jo@example.com', displayName: 'Jo', externalId: 'x' }
    const { id } = await rest.post('/members', { username: 'jo', ...profile, passwdNew: 'a-pass-word' })
    world.declare(role('one'), document('Member', 'jo', profile))
    expect((await world.apply()).exitCode).toBe(0)
    await rest.remove(`/members/${String(id)}`)
    const run = await world.drift()
    expect(run.exitCode).toBe(2)
    expect(run.json().changes).toMatchObject([{ address: 'Member/jo', action: 'create', side: 'live' }])
    expect((await world.run(['diff', 'manifests', 'live'])).stdout).toContain('- Member/jo')
    // Nobody can create it again.
    const plan = await world.plan()
    expect(plan.diagnostics.map(({ code }) => code)).toEqual(['required-field-missing'])
  })
})

const accept = ['--accept', '--reason', 'a test', '--owner', 'ops', '--expires', '2026-12-01']

describe('accepted drift', () => {
  test('needs a reason, an owner and a day', async () => {
    const { world, rest, id } = await applied()
    await byHand(rest, id, 'by hand')
    const run = await world.run(['drift', '--accept', '--reason', 'a test'])
    expect(run.exitCode).toBe(1)
    expect(run.stderr).toContain('to accept drift, also give --owner, --expires')
  })

  test.each([
    ['accepted:\n  - {address: Role/Partners}\n', '2:5', 'accepted[0] has no expires'],
    ['accepted: [{address: A/b, expires: "2027-01-31"}]\n', '1:12', 'accepted[0] has no path, and no object'],
    ['accepted: [{path: /a, git: 1, expires: "2027-01-31", address: A/b}]\n', '1:12', 'accepted[0] has no live'],
    ['accepted: [{object: moved, expires: "2027-01-31", address: A/b}]\n', '1:21', 'is neither deleted nor created'],
    ['accepted: [{expires: soon}]\n', '1:22', 'accepted[0].expires is not a day'],
    ['accepted: [{expires: "2027-02-30"}]\n', '1:22', 'accepted[0].expires is not a day'],
    ['accepted: none\n', '1:11', 'it has no list "accepted"'],
    ['accepted: []\n---\naccepted: []\n', '3:1', 'another document follows'],
    ['# nothing\n', '1:1', 'it has no list "accepted"'],
    ['accepted: [\n', '1:12', 'is not closed'],
  ])('with an invalid entry in the file is an error at its position: %j', async (text, place, reason) => {
    const { world } = await applied()
    world.write('gatewright.accepted.yaml', text)
    const { exitCode, stderr } = await world.run(['drift'])
    expect(exitCode).toBe(1)
    expect(stderr).toContain(`gatewright.accepted.yaml:${place}`)
    expect(stderr).toContain(reason)
  })

  test('in an unreadable file is an error, and --accept does not replace it', async () => {
    const { world, rest, id } = await applied()
    await byHand(rest, id, 'by hand')
    const file = join(world.dir, 'gatewright.accepted.yaml')
    const told = async (reason: string) => {
      for (const args of [[], accept]) {
        const run = await world.run(['drift', ...args])
        expect(run.exitCode).toBe(1)
        expect(run.stderr).toContain(`gatewright.accepted.yaml: it cannot be read: ${reason}`)
      }
    }
    mkdirSync(file)
    await told('it is a folder')
    rmdirSync(file)
    execFileSync('mkfifo', [file])
    await told('it is not an ordinary file but a pipe')
  })
})

describe('--base', () => {
  const git = (world: World, ...args: readonly string[]) =>
    execFileSync(
      'git',
      ['-c', 'user.name=me', '-c', 'user.email=me@example.com', '-c', 'commit.gpgsign=false', ...args],
      { cwd: world.dir },
    )

  test('takes the manifests of a commit as the applied state', async () => {
    const { world, rest, id } = await applied()
    git(world, 'init', '-q')
    git(world, 'add', 'manifests', 'gatewright.yaml')
    git(world, 'commit', '-qm', 'applied')
    world.write('.gatewright/receipts', '')
    world.declare(role('two'), role('new', 'Extra'))
    const pending = await world.drift('--base', 'HEAD')
    expect(pending.exitCode).toBe(0)
    await byHand(rest, id, 'by hand')
    const conflict = await world.drift('--base', 'HEAD')
    expect(conflict.exitCode).toBe(2)
    expect(conflict.json().changes).toContainEqual(expect.objectContaining({ address: 'Role/Partners', side: 'both' }))
    world.declare(role('new', 'Extra'))
    // It is in the base and gone: that is one proof, and one live object with its name is the other.
    expect((await world.plan('--base', 'HEAD')).changes.map(({ action, address }) => `${action} ${address}`)).toEqual([
      'create Role/Extra',
      'delete Role/Partners',
    ])
    expect((await world.run(['plan', '--base', 'nonsense'])).exitCode).toBe(1)
  })

  test.each(['', 'area'])(
    'uses the repository of the project, wherever the program runs; project in "%s"',
    async (sub) => {
      const { world } = await applied()
      const elsewhere = temporaryFolder()
      if (sub !== '') {
        mkdirSync(join(world.dir, sub))
        for (const name of ['gatewright.yaml', 'manifests', '.gatewright'])
          renameSync(join(world.dir, name), join(world.dir, sub, name))
      }
      git(world, 'init', '-q')
      git(world, 'add', join(sub, 'manifests'), join(sub, 'gatewright.yaml'))
      git(world, 'commit', '-qm', 'applied')
      symlinkSync(world.dir, join(elsewhere, 'link'))
      world.write(join(sub, 'manifests/all.yaml'), manifestText([role('new', 'Extra')]))
      const project = join(world.dir, sub)
      const link = join(elsewhere, 'link', sub)
      for (const [cwd, dir] of [
        [elsewhere, project],
        [elsewhere, join('link', sub)],
        [link, '.'],
        [project, '.'],
      ] as const) {
        const run = await world.run(['plan', '-C', dir, '--base', 'HEAD', '-o', 'json'], { cwd })
        expect([
          cwd,
          dir,
          run.exitCode,
          run.json().changes?.map(({ action, address }) => `${action} ${address}`),
        ]).toEqual([cwd, dir, 0, ['create Role/Extra', 'delete Role/Partners']])
      }
    },
  )
})

describe('secrets', () => {
  const shown = { ...environment, PASSWORD: 'a-first-password' }
  const documents = [
    document('Domain', 'example.com'),
    document('Service', 'S', {
      endpoints: [
        {
          name: 'e',
          requestPathAlias: '/e',
          publicDomains: ['example.com'],
          trafficManagerDomain: 'example.com',
          systemDomainAuthentication: { type: 'httpBasic', username: 'u', password: '${env:PASSWORD}' },
        },
      ],
    }),
  ]

  /** A platform that does not answer secrets. */
  function silent(world: World): World {
    const { fetch } = world.make
    Object.assign(world.make, {
      fetch: async (request: Request) => {
        const response = await fetch(request)
        if (request.method !== 'GET') return response
        const text = (await response.text()).replaceAll(/"password":"[^"]*",?/g, '').replaceAll(',}', '}')
        return new Response(text, { status: response.status, headers: response.headers })
      },
    })
    return world
  }

  test.each([
    ['the API secret', {}],
    ['a separate key', { GATEWRIGHT_FINGERPRINT_KEY: 'some-key' }],
  ])('that are not answered are compared by fingerprints, keyed by %s', async (_, more) => {
    const world = silent(embedded({}, { env: { ...shown, ...more } }))
    world.declare(...documents)
    const run = await world.apply()
    expect([run.stdout, run.exitCode]).toEqual([run.stdout, 0])
    expect((await world.plan()).changes).toEqual([])
    const env = { ...shown, ...more, PASSWORD: 'a-second-password' }
    const changed = await world.run(['plan', '-o', 'json'], { env })
    expect(changed.json().changes.flatMap(({ fields }) => fields.map(({ path }) => path))).toEqual(['/password'])
    expect(changed.stdout).not.toContain('a-second-password')
  })

  test.each([
    ['the embedded platform', () => embedded({})],
    ['another make', () => worldOf(createOtherMake())],
  ])('with a fingerprint of another key are neither a change nor a conflict, on %s', async (_, make) => {
    const world = make()
    world.declare(...documents)
    expect((await world.run(['apply', '--yes'], { env: shown })).exitCode).toBe(0)
    const other = { ...environment, GATEWRIGHT_FINGERPRINT_KEY: 'another-key' }
    const plan = async (env: Readonly<Record<string, string>>) => {
      const run = await world.run(['plan', '-o', 'json'], { env })
      const verdicts = run.json().changes.flatMap(({ fields }) => fields.map(({ verdict }) => verdict))
      return [verdicts, run.stdout.includes('secret-not-verified')]
    }
    expect(await plan(other)).toEqual([[], true])
    const changed = { ...other, PASSWORD: 'a-second-password' }
    expect(await plan(changed)).toEqual([['unverifiable'], false])
    expect((await world.run(['apply', '--yes'], { env: changed })).exitCode).toBe(0)
    expect(await plan(other)).toEqual([[], false])
  })
})

describe('apply --resume', () => {
  test('does the changes that the last run left undone, and nothing else', async () => {
    const world = embedded({ faults: [] })
    const documents = [role('one', 'A'), role('one', 'B'), document('Domain', 'example.com')]
    world.declare(...documents)
    const { fetch } = world.make
    let failing = true
    Object.assign(world.make, {
      fetch: (request: Request) =>
        failing && request.method === 'POST' && request.url.endsWith('/roles')
          ? Promise.resolve(Response.json({ errorCode: 400, errorMessage: 'no' }, { status: 400 }))
          : fetch(request),
    })
    const first = await world.apply()
    expect(first.exitCode).toBe(3)
    expect(first.json().summary).toMatchObject({ applied: 1, failed: 2 })
    failing = false
    const rest = await restOf(world.make)
    const [domain] = await rest.get('/domains?fields=id')
    await rest.remove(`/domains/${String(domain?.id)}`)
    expect((await world.run(['apply', '--resume'])).exitCode).toBe(5)
    const resumed = await world.apply('--resume')
    expect(resumed.exitCode).toBe(0)
    expect(resumed.json().changes.map(({ address }) => address)).toEqual(['Role/A', 'Role/B'])
    world.declare(...documents, role('one', 'C'))
    const other = await world.run(['apply', '--resume', '--yes'])
    expect(other.exitCode).toBe(1)
    expect(other.stderr).toContain('Role/C')
  })
})

describe.each([
  ['embedded', () => embedded()],
  ['other make', () => worldOf(createOtherMake(), { env: environment })],
])('objects that cannot be compared hide no drift: %s', (_, worldFor) => {
  const window = (event: object) =>
    document('ScheduledMaintenanceEvent', 'Night', {
      startDateTime: '2027-01-01T00:00:00.000+0000',
      endDateTime: '2027-01-01T02:00:00.000+0000',
      ...event,
    })
  const orders = (description: string) => document('Service', 'Orders', { description })
  const alone = {
    kind: 'Method',
    metadata: { service: 'Gone', endpoint: 'e', name: 'm' },
    apiVersion: 'gatewright/v1',
  } as const

  test('a reference to a missing object, and a child without its parent, are reported as well', async () => {
    const world = worldFor()
    world.declare(orders('one'), window({}))
    expect((await world.apply()).exitCode).toBe(0)
    const rest = await restOf(world.make)
    const [found] = await rest.get('/services')
    await rest.put(`/services/${String(found?.id)}`, { description: 'two' })
    world.declare(orders('one'), window({ endpoints: [{ service: 'Gone', name: 'e' }] }), alone)
    const run = await world.run(['drift', '-o', 'json', '--report', 'prometheus=m.prom', '--report', 'sarif=d.sarif'])
    expect(run.exitCode).toBe(1)
    expect(run.json().changes).toMatchObject([{ address: 'Service/Orders', side: 'live' }])
    const errors = run.json().diagnostics.filter(({ severity }) => severity === 'error')
    expect(errors.map(({ code }) => code).sort()).toEqual(['parent-not-found', 'reference-to-nothing'])
    // An object that was not compared is not in sync.
    expect(run.json().summary.unchanged).toBe(0)
    expect(readFileSync(join(world.dir, 'm.prom'), 'utf8')).toMatch(/gatewright_last_run_success\{.*\} 0/)
    const sarif = readFileSync(join(world.dir, 'd.sarif'), 'utf8')
    expect(sarif).toContain('changed-on-platform')
    expect(sarif).toContain('reference-to-nothing')
    const text = await world.run(['drift'])
    expect(text.stdout).toContain('Drift: 1 changed on the platform; 2 errors.')
    // If an area cannot be compared completely, nothing is written, and a plan has no changes.
    for (const args of [['drift', '--write'], ['plan']]) {
      const refused = await world.run(args)
      expect(refused.exitCode).toBe(1)
      expect(refused.stdout).toBe('')
    }
  })

  test('if two live objects have a declared name, only that is reported', async () => {
    const world = worldFor()
    world.declare(orders('one'))
    expect((await world.apply()).exitCode).toBe(0)
    const rest = await restOf(world.make)
    const [ours] = await rest.get('/services?fields=id')
    await rest.post('/services', { name: 'Orders' })
    const run = await world.run(['drift'])
    expect(run.exitCode).toBe(1)
    expect(run.stdout).toBe('')
    expect(run.stderr).toContain(`; the one that was last applied from here is ${String(ours?.id)} [ambiguous-name]`)
  })
})
