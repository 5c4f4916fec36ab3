import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { FleetDocument } from '../../src/documents/fleet.js'
import { validatorFor } from '../../src/json/schema.js'
import { type FleetWorld, fleetWorld, writesOf } from '../fleet/world.js'
import { restOf } from '../kit/rest.js'
import { createOtherMake } from '../other-make/area.js'

const three = { acme: ', labels: {ring: canary}', globex: '', initech: '' }

/** The document of a command, and the exit code. */
async function answered(world: FleetWorld, args: readonly string[], more: Parameters<FleetWorld['run']>[1] = {}) {
  const { exitCode, stdout, stderr } = await world.run(['fleet', ...args, '-o', 'json'], more)
  if (!stdout.startsWith('{')) throw new Error(stderr)
  const document = JSON.parse(stdout) as FleetDocument
  return { exitCode, document, states: Object.fromEntries(document.areas.map(({ area, state }) => [area, state])) }
}

const applied = async (world: FleetWorld): Promise<void> => {
  await world.run(['fleet', 'plan', '--out', 'plans'])
  const { exitCode } = await world.run(['fleet', 'apply', 'plans', '--yes'])
  expect(exitCode).toBe(0)
}

describe('a fleet', () => {
  it('has its own name in reports even without an answer: metrics and comments continue those before', async () => {
    const world = fleetWorld({ areas: three })
    const drift = async (...args: readonly string[]) => {
      await world.run(['fleet', 'drift', '--report', 'prometheus=f.prom', '--report', 'markdown=f.md', ...args])
      const [metrics, marker] = ['f.prom', 'f.md'].map((file) => readFileSync(join(world.dir, file), 'utf8'))
      const labels = metrics?.split('\n').flatMap((line) => /^gatewright_last_run_success(.*)$/.exec(line)?.[1] ?? [])
      return [labels, marker?.split('\n')[0]]
    }
    const marker = '<!-- gatewright fleet drift brands -->'
    const labels = '{project="brands",command="fleet drift"}'
    expect(await drift()).toEqual([[`${labels} 1`], marker])
    expect(await drift('--select', 'nobody')).toEqual([[`${labels} 0`], marker])
    expect(readFileSync(join(world.dir, 'f.prom'), 'utf8')).toContain(
      `gatewright_last_success_timestamp_seconds${labels} `,
    )
    writeFileSync(
      join(world.dir, 'gatewright.fleet.yaml'),
      'apiVersion: gatewright/v1\nkind: Fleet\nmetadata: {name: brands}\nfoo: 1\n',
    )
    expect(await drift()).toEqual([[`${labels} 0`], marker])
  })

  it('is planned, applied as planned, and then in sync', async () => {
    const world = fleetWorld({ areas: three })
    const planned = await answered(world, ['plan', '--out', 'plans'])
    expect(planned).toMatchObject({ exitCode: 0, states: { acme: 'pending', globex: 'pending', initech: 'pending' } })
    expect(planned.document.same).toMatchObject([
      {
        areas: ['acme', 'globex', 'initech'],
        changes: [{ action: 'create', address: 'Role/Support of ${value:brand}' }],
      },
    ])
    const done = await answered(world, ['apply', 'plans', '--yes'])
    expect(done).toMatchObject({ exitCode: 0, states: { acme: 'applied', globex: 'applied', initech: 'applied' } })
    for (const make of world.makes.values()) expect(writesOf(make)).toHaveLength(1)
    expect(await answered(world, ['drift'])).toMatchObject({ exitCode: 0, states: { acme: 'in-sync' } })
    const again = await answered(world, ['plan', '--out', 'plans'])
    expect(again.document.summary.states['in-sync']).toBe(3)
    const calls = world.calls.length
    // If all plans are empty, nothing is applied, and the program does not ask.
    expect(await answered(world, ['apply', 'plans'])).toMatchObject({ exitCode: 0, states: { acme: 'in-sync' } })
    expect(world.calls).toHaveLength(calls)
  })

  it.each([
    ['apply/acme/result.json', 'not-writable', { acme: 'incomplete', globex: 'applied', initech: 'applied' }],
    ['counts.json', 'records-not-read', { acme: 'incomplete', globex: 'incomplete', initech: 'incomplete' }],
  ])('reports what was applied if %s cannot be written, and continues', async (file, code, states) => {
    const world = fleetWorld({ areas: three })
    await answered(world, ['plan', '--out', 'plans'])
    const path = join(world.dir, '.gatewright/fleets/brands', file)
    rmSync(path, { force: true })
    mkdirSync(path, { recursive: true })
    const done = await answered(world, ['apply', 'plans', '--yes', '--parallelism', '1'])
    expect(done).toMatchObject({ exitCode: 3, states })
    const [first] = done.document.areas
    expect([first?.summary.applied, first?.diagnostics[0]?.code]).toEqual([1, code])
    for (const make of world.makes.values()) expect(writesOf(make)).toHaveLength(1)
  })

  it('reports which areas drift, by its exit code and in every output', async () => {
    const world = fleetWorld({ areas: three })
    await applied(world)
    const make = world.makes.get('globex')
    const rest = await restOf(make ?? createOtherMake())
    const [role] = (await rest.get('/roles?fields=id,name')).filter(({ name }) => String(name).startsWith('Support'))
    await rest.remove(`/roles/${String(role?.id)}`)
    const { exitCode, states, document } = await answered(world, ['drift'])
    expect({ exitCode, states }).toEqual({
      exitCode: 2,
      states: { acme: 'in-sync', globex: 'drift', initech: 'in-sync' },
    })
    expect(document.same).toMatchObject([
      { areas: ['globex'], changes: [{ address: 'Role/Support of ${value:brand}' }] },
    ])
    const text = await world.run(['fleet', 'drift', '--report', 'junit=drift.xml', '--report', 'markdown=drift.md'])
    expect(text.stdout).toMatch(/^area +state +apply would +calls +seconds\n/m)
    expect(text.stdout).toMatch(/^globex +drift +1 create /m)
    expect(readFileSync(join(world.dir, 'drift.md'), 'utf8')).toContain('| area | state | apply would | calls |')
    expect(readFileSync(join(world.dir, 'drift.xml'), 'utf8')).toContain('apply would: 1 create')
    expect(text.stderr).toContain('drift 3 of 3')
    expect(text.stdout).toContain('\n  deleted on the platform Role/Support of ${value:brand}\n')
  })

  it('reports the changes on the platform, from the git value to the live value', async () => {
    const world = fleetWorld({ areas: { acme: '' } })
    const path = join(world.dir, 'shop/manifests/all.yaml')
    writeFileSync(path, `${readFileSync(path, 'utf8')}spec: {description: of git}\n`)
    await applied(world)
    const rest = await restOf(world.makes.get('acme') ?? createOtherMake())
    const [role] = (await rest.get('/roles?fields=id,name')).filter(({ name }) => String(name).startsWith('Support'))
    await rest.put(`/roles/${String(role?.id)}`, { name: String(role?.name), description: 'by hand' })
    const { stdout } = await world.run([
      'fleet',
      'drift',
      '--report',
      'markdown=drift.md',
      '--report',
      'html=drift.html',
    ])
    const fields = '- description: "of git"\n+ description: "by hand"  (drift)\n'
    expect(stdout).toContain(
      `  changed on the platform Role/Support of \${value:brand}\n${fields.replace(/^(?=.)/gm, '      ')}`,
    )
    expect(readFileSync(join(world.dir, 'drift.md'), 'utf8')).toContain(fields)
    const page = readFileSync(join(world.dir, 'drift.html'), 'utf8')
    expect(page).toContain('Apply would')
    const told = ['>Git<', '>Live<', 'of git', 'by hand'].map((each) => page.indexOf(each))
    expect(told).toEqual([...told].sort((one, other) => one - other))
    expect(told).not.toContain(-1)
  })

  it('names objects that somebody has added beside a written list', async () => {
    const world = fleetWorld({ areas: three })
    const path = join(world.dir, 'shop/manifests/all.yaml')
    const service =
      'apiVersion: gatewright/v1\nkind: Service\nmetadata: {name: Listed}\nspec: {errorSets: [{name: own}]}\n'
    writeFileSync(path, `${readFileSync(path, 'utf8')}---\n${service}`)
    await applied(world)
    const rest = await restOf(world.makes.get('globex') ?? createOtherMake())
    const [listed] = await rest.get('/services')
    await rest.post(`/services/${String(listed?.id)}/errorSets`, { name: 'foreign', type: 'text/xml' })
    const { exitCode, document } = await answered(world, ['drift'])
    const address = 'Service/Listed/ErrorSet/foreign'
    expect(exitCode).toBe(2)
    expect(document.same).toMatchObject([
      { areas: ['globex'], changes: [{ address, kind: 'ErrorSet', action: 'unmanaged', side: 'live', fields: [] }] },
    ])
    expect((await world.run(['fleet', 'drift'])).stdout).toContain(`\n  created on the platform ${address}\n`)
    const schema = JSON.parse(readFileSync('schemas/fleet-document.schema.json', 'utf8')) as object
    const isFleet = validatorFor(schema)
    expect([isFleet(document), isFleet.errors]).toEqual([true, null])
    const plan = await answered(world, ['plan'])
    expect(plan.document.same).toEqual([])
    const project = join(world.dir, 'shop/gatewright.yaml')
    writeFileSync(project, readFileSync(project, 'utf8').replace('\nspec:\n', '\nspec:\n  prune: none\n'))
    writeFileSync(path, readFileSync(path, 'utf8').replace('{name: own}', '{name: other}'))
    await answered(world, ['apply', 'plans', '--yes'])
    expect((await world.run(['fleet', 'drift'])).stdout).toContain(
      '\n  removed from git, and still on the platform Service/Listed/ErrorSet/own\n',
    )
  })

  it('is pending if a change is written and not applied yet: no drift, and not in sync', async () => {
    const world = fleetWorld({ areas: three })
    await applied(world)
    const path = join(world.dir, 'shop/manifests/all.yaml')
    writeFileSync(path, `${readFileSync(path, 'utf8')}spec: {description: new}\n`)
    const { exitCode, states, document } = await answered(world, ['drift'])
    expect({ exitCode, states }).toEqual({
      exitCode: 0,
      states: { acme: 'pending', globex: 'pending', initech: 'pending' },
    })
    expect(document.same).toMatchObject([{ changes: [{ side: 'manifest' }] }])
    expect((await world.run(['fleet', 'drift'])).stdout).toMatch(/^acme +pending +1 update /m)
  })

  it('can be limited: by names, by labels, or by the jobs of a CI system', async () => {
    const world = fleetWorld({ areas: three })
    expect((await answered(world, ['drift', '--select', 'g*'])).states).toEqual({ globex: expect.any(String) })
    expect((await answered(world, ['drift', '-l', 'ring=canary'])).states).toEqual({ acme: expect.any(String) })
    expect(Object.keys((await answered(world, ['drift', '--job', '2/3'])).states)).toEqual(['globex'])
    for (const job of ['4/3', '0/0', '1/0', '0/3']) {
      const wrong = await world.run(['fleet', 'drift', '--job', job])
      expect(wrong).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(`--job has the value "${job}"`) })
    }
  })

  it('is applied only after a yes, and only from plans of this fleet', async () => {
    const world = fleetWorld({ areas: three })
    await world.run(['fleet', 'plan', '--out', 'plans'])
    const asked = await world.run(['fleet', 'apply', 'plans'])
    expect(asked).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('no-confirmation') })
    expect(asked.stdout).toContain('3 areas: the same 1 change')
    for (const make of world.makes.values()) expect(writesOf(make)).toEqual([])
    for (const folder of ['nowhere', '.']) {
      const none = await world.run(['fleet', 'apply', folder, '--yes'])
      expect(none).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('[fleet-plans]') })
    }
    const calls = world.calls.length
    const wrong = await world.run(['fleet', 'apply', 'plans', '--yes', '--lock-timeout', '5x'])
    expect(wrong).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('--lock-timeout has the value "5x"') })
    expect(world.calls).toHaveLength(calls)
    expect((await world.run(['fleet', 'apply', 'plans', '--yes', '--lock-timeout', '2m'])).exitCode).toBe(0)
    expect(world.calls.at(-1)?.args.join(' ')).toContain('--lock-timeout 120000ms')
  })

  it.each([
    ['plans', ['--out', './plans']],
    ['.gatewright/fleets/brands/apply', []],
  ])(
    'is not applied from %s into the same folder, because its reports would replace the plans',
    async (folder, more) => {
      const world = fleetWorld({ areas: three })
      await world.run(['fleet', 'plan', '--out', folder])
      const refused = await world.run(['fleet', 'apply', folder, '--yes', ...more])
      expect(refused).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining('another folder than that of the plans'),
      })
      const done = await answered(world, ['apply', folder, '--yes', '--out', 'reports'])
      expect(done).toMatchObject({ exitCode: 0, states: { acme: 'applied', globex: 'applied', initech: 'applied' } })
    },
  )

  it('obeys the guard of each area', async () => {
    const world = fleetWorld({ areas: three })
    const path = join(world.dir, 'shop/gatewright.yaml')
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replace(
        'values: {brand: "globex"}',
        'values: {brand: "globex"}, guard: {confirm: name}',
      ),
    )
    await world.run(['fleet', 'plan', '--out', 'plans'])
    const refused = await answered(world, ['apply', 'plans', '--yes'])
    expect(refused).toMatchObject({ exitCode: 5, states: { acme: 'applied', globex: 'refused', initech: 'applied' } })
    expect(writesOf(world.makes.get('globex'))).toEqual([])
    const confirmed = await answered(world, ['apply', 'plans', '--yes', '--resume', '--confirm', 'globex'])
    expect(confirmed).toMatchObject({ exitCode: 0, states: { globex: 'applied', acme: 'applied' } })
    expect(writesOf(world.makes.get('acme'))).toHaveLength(1)
  })

  it('omits a stale area', async () => {
    const world = fleetWorld({ areas: three })
    await world.run(['fleet', 'plan', '--out', 'plans'])
    await world.run(['apply', '-C', 'shop', '-e', 'globex', '--yes'])
    const { exitCode, states, document } = await answered(world, ['apply', 'plans', '--yes'])
    expect({ exitCode, states }).toEqual({
      exitCode: 4,
      states: { acme: 'applied', globex: 'stale', initech: 'applied' },
    })
    expect(document.areas[1]?.diagnostics[0]?.code).toBe('stale-plan')
    // The requests to find this out count as well.
    expect(document.areas[1]?.requests).toBe(2)
  })

  it('has nothing to resume after it is applied, until it is planned again', async () => {
    const world = fleetWorld({ areas: three })
    await applied(world)
    const calls = world.calls.length
    const again = await answered(world, ['apply', 'plans', '--yes', '--resume'])
    expect(again).toMatchObject({ exitCode: 0, states: { acme: 'applied', globex: 'applied', initech: 'applied' } })
    expect(world.calls).toHaveLength(calls)
    const path = join(world.dir, 'shop/manifests/all.yaml')
    writeFileSync(
      path,
      `${readFileSync(path, 'utf8')}---\napiVersion: gatewright/v1\nkind: Role\nmetadata: {name: More}\n`,
    )
    await world.run(['fleet', 'plan', '--out', 'plans'])
    expect(await answered(world, ['apply', 'plans', '--yes', '--resume'])).toMatchObject({ exitCode: 0 })
    for (const make of world.makes.values()) expect(writesOf(make)).toHaveLength(2)
  })

  it('is displayed as it will be applied, whatever the reports beside the plans say', async () => {
    const world = fleetWorld({ areas: three })
    await world.run(['fleet', 'plan', '--out', 'plans'])
    const alter = (file: string, from: string, to: string) => {
      const path = join(world.dir, 'plans', file)
      writeFileSync(path, readFileSync(path, 'utf8').replaceAll(from, to))
    }
    alter('acme/report.json', 'Support of', 'Harmless to')
    alter('globex/plan.json', 'Support of', 'Changed for')
    const { exitCode, stdout } = await world.run(['fleet', 'apply', 'plans', '--yes'])
    expect(exitCode).toBe(4)
    expect(stdout).toContain('2 areas: the same 1 change (acme, initech)\n  create Role/Support of ${value:brand}')
    expect(stdout).toContain('globex: 1 change\n  create Role/Changed for ${value:brand}')
    expect(stdout).not.toContain('Harmless')
    expect(stdout).toContain('[saved-plan-changed]')
    expect(writesOf(world.makes.get('globex'))).toEqual([])
  })

  it('is not applied if the last plan of an area was empty, even if an earlier plan is there', async () => {
    const world = fleetWorld({ areas: { acme: ', key: shared' }, spec: ['keys: {shared: {requestsPerDay: 5}}'] })
    for (let left = 3; left > 1; left -= 1) await answered(world, ['plan', '--out', 'plans'])
    expect((await answered(world, ['plan', '--out', 'plans'])).states).toEqual({ acme: 'not-started' })
    const path = join(world.dir, 'gatewright.fleet.yaml')
    writeFileSync(path, readFileSync(path, 'utf8').replace('requestsPerDay: 5', 'requestsPerDay: 500'))
    const { exitCode, stdout } = await world.run(['fleet', 'apply', 'plans', '--yes'])
    expect({ exitCode, writes: writesOf(world.makes.get('acme')) }).toEqual({ exitCode: 3, writes: [] })
    expect(stdout).not.toContain('create Role')
  })

  it('works the same on another make', async () => {
    const world = fleetWorld({ areas: three, make: () => createOtherMake() })
    await applied(world)
    expect(await answered(world, ['drift'])).toMatchObject({ exitCode: 0, states: { acme: 'in-sync' } })
  })
})

describe('children that fail', () => {
  it('are errors of only their areas', async () => {
    const world = fleetWorld({ areas: three })
    const { exitCode, states, document } = await answered(world, ['drift'], {
      child: (call, real) => {
        if (call.args.includes('acme')) return Promise.resolve({ is: 'exited', code: 0, stdout: 'garbage', stderr: '' })
        if (call.args.includes('globex')) return Promise.reject(new Error('a bug'))
        return real(call)
      },
    })
    expect(exitCode).toBe(1)
    expect(states).toMatchObject({ acme: 'error', globex: 'error' })
    expect(['in-sync', 'drift']).toContain(states.initech)
    expect(document.areas.map(({ diagnostics }) => diagnostics[0]?.code).slice(0, 2)).toEqual([
      'area-job-failed',
      'internal-error',
    ])
  })

  it('are reported once if they have one reason', async () => {
    const world = fleetWorld({ areas: three })
    const answer = (code: string, message: string) => {
      const stdout = JSON.stringify({ diagnostics: [{ code, severity: 'error', message }] })
      return Promise.resolve({ is: 'exited', code: 1, stdout, stderr: '' } as const)
    }
    const child: NonNullable<Parameters<FleetWorld['run']>[1]>['child'] = ({ args }) =>
      args.includes('initech') ? answer('lock-held', 'busy') : answer('unreachable', 'there is no way')
    const { stdout } = await world.run(['fleet', 'drift', '--report', 'markdown=f.md'], { child })
    expect(stdout.match(/there is no way/g)).toHaveLength(1)
    expect(stdout).toContain('\n2 areas (acme, globex):\nerror: there is no way [unreachable]\n\ninitech:\nerror: busy')
    const markdown = readFileSync(join(world.dir, 'f.md'), 'utf8')
    expect(markdown).toContain('- `acme`, `globex`: there is no way\n- `initech`: busy')
  })

  it('leave a run that continues there with --resume', async () => {
    const world = fleetWorld({ areas: three })
    const first = await answered(world, ['plan', '--out', 'plans'], {
      child: (call, real) =>
        call.args.includes('globex')
          ? Promise.resolve({ is: 'killed', code: null, reason: 'SIGKILL', stdout: '', stderr: '' })
          : real(call),
    })
    expect(first.states).toEqual({ acme: 'pending', globex: 'error', initech: 'pending' })
    const before = world.calls.length
    const second = await answered(world, ['plan', '--out', 'plans', '--resume'])
    expect(second).toMatchObject({ exitCode: 0, states: { acme: 'pending', globex: 'pending', initech: 'pending' } })
    expect(second.document.same[0]?.areas).toEqual(['acme', 'globex', 'initech'])
    expect(world.calls.slice(before).map(({ args }) => args.includes('globex'))).toEqual([true])
    // When nothing is left, --resume starts again: a nightly job may always use it.
    await answered(world, ['plan', '--out', 'plans', '--resume'])
    expect(world.calls.slice(before)).toHaveLength(4)
  })

  it('are tried again for hours; the next night, all areas are checked', async () => {
    const world = fleetWorld({ areas: three })
    await applied(world)
    const failing: NonNullable<Parameters<FleetWorld['run']>[1]> = {
      child: (call, real) =>
        call.args.includes('globex')
          ? Promise.resolve({ is: 'killed', code: null, reason: 'SIGKILL', stdout: '', stderr: '' })
          : real(call),
    }
    const asked = async (): Promise<number> => {
      const before = world.calls.length
      const { states } = await answered(world, ['drift', '--resume'], failing)
      expect(states).toEqual({ acme: 'in-sync', globex: 'error', initech: 'in-sync' })
      return world.calls.length - before
    }
    expect(await asked()).toBe(3)
    expect(await asked()).toBe(1)
    await world.rest(24 * 3_600_000)
    expect(await asked()).toBe(3)
    expect(await asked()).toBe(1)
  })

  it('that died after their writes are resumed from their own journal', async () => {
    const world = fleetWorld({ areas: { acme: '' } })
    await world.run(['fleet', 'plan', '--out', 'plans'])
    const cut = await answered(world, ['apply', 'plans', '--yes'], {
      child: async (call, real) => {
        await real(call)
        return { is: 'killed', code: null, reason: 'SIGKILL', stdout: '', stderr: '' }
      },
    })
    expect(cut).toMatchObject({ exitCode: 3, states: { acme: 'incomplete' } })
    const resumed = await answered(world, ['apply', 'plans', '--yes', '--resume'])
    expect(resumed).toMatchObject({ exitCode: 0, states: { acme: 'applied' } })
    expect(writesOf(world.makes.get('acme'))).toHaveLength(1)
  })
})

describe('an interruption', () => {
  const begunThen = [
    ['ends as it should', { is: 'exited', code: 130, stdout: '', stderr: '' }],
    ['is ended by the signal itself', { is: 'killed', code: null, reason: 'SIGTERM', stdout: '', stderr: '' }],
  ] as const

  it.each(begunThen)('starts no other area, and the remaining ones are named: the first one %s', async (_, end) => {
    const world = fleetWorld({ areas: three })
    const interruption = new AbortController()
    const { exitCode, states } = await answered(world, ['drift', '--parallelism', '1'], {
      signal: interruption.signal,
      child: () => {
        interruption.abort()
        return Promise.resolve(end)
      },
    })
    expect(exitCode).toBe(130)
    expect(states).toEqual({ acme: 'interrupted', globex: 'not-started', initech: 'not-started' })
    const resumed = await answered(world, ['drift', '--resume'])
    expect(resumed.document.summary.areas).toBe(3)
    expect(Object.values(resumed.states)).not.toContain('not-started')
  })

  it('is also reported if no area was started', async () => {
    const world = fleetWorld({ areas: three })
    await answered(world, ['plan', '--out', 'plans'])
    const more = { signal: AbortSignal.abort() }
    for (const args of [['drift'], ['apply', 'plans', '--yes']]) {
      expect(await answered(world, args, more)).toMatchObject({ exitCode: 130, states: { acme: 'not-started' } })
    }
  })
})

describe('calls', () => {
  const shared = (more: string) => [`keys: {shared: {${more}}}`]
  const many = Object.fromEntries([...'abcdef'].map((name) => [name, ', key: shared']))

  it.each([
    [2, 1],
    [2, 2],
    [3, 2],
    [5, 3],
  ])('of a key never exceed %i in any second, with %i areas at a time', async (rate, concurrency) => {
    const world = fleetWorld({ areas: many, spec: shared(`requestsPerSecond: ${rate}, concurrency: ${concurrency}`) })
    await applied(world)
    const starts = world.arrivals.map(({ at }) => at)
    expect(starts.length).toBeGreaterThan(30)
    const most = Math.max(...starts.map((at) => starts.filter((each) => each >= at && each < at + 1000).length))
    expect(most).toBeLessThanOrEqual(rate)
  })

  it('of a day are counted across runs: areas that would need more are not started', async () => {
    const world = fleetWorld({ areas: many, spec: shared('requestsPerDay: 130') })
    const first = await answered(world, ['drift'])
    // Nobody knows how many the first ones need: 50 each are reserved, and returned.
    expect(first.document.summary.states['not-started']).toBe(0)
    const used = first.document.summary.requests
    expect(used).toBeGreaterThan(11)
    let runs = 1
    let last = first
    while (last.document.summary.states['not-started'] === 0 && runs < 20) {
      last = await answered(world, ['drift'])
      runs += 1
    }
    expect(world.arrivals.length).toBeLessThanOrEqual(130)
    expect(last.exitCode).toBe(1)
    expect(last.document.areas.find(({ state }) => state === 'not-started')?.diagnostics[0]?.code).toBe('calls-used-up')
  })
})

describe('a day with few calls', () => {
  const areas = Object.fromEntries([...'abcd'].map((name) => [name, ', key: shared']))

  it('loses none for areas without a request, because their project has errors', async () => {
    const world = fleetWorld({ areas, spec: ['keys: {shared: {requestsPerDay: 60}}'] })
    const path = join(world.dir, 'shop/manifests/all.yaml')
    const manifest = readFileSync(path, 'utf8')
    writeFileSync(path, manifest.replace('kind: Role', 'kind: Rolle'))
    const failed = await answered(world, ['drift'])
    expect(failed.states).toEqual({ a: 'error', b: 'error', c: 'error', d: 'error' })
    expect(world.arrivals).toEqual([])
    writeFileSync(path, manifest)
    expect((await answered(world, ['drift'])).document.summary.states.drift).toBe(4)
  })

  it('loses none for areas without a request, because nothing can be written about them', async () => {
    const world = fleetWorld({ areas, spec: ['keys: {shared: {requestsPerDay: 60}}'] })
    mkdirSync(join(world.dir, 'out'))
    for (const name of Object.keys(areas)) writeFileSync(join(world.dir, 'out', name), '')
    const failed = await answered(world, ['drift', '--out', 'out'])
    expect(failed.states).toEqual({ a: 'error', b: 'error', c: 'error', d: 'error' })
    expect(world.arrivals).toEqual([])
    expect((await answered(world, ['drift'])).document.summary.states.drift).toBe(4)
  })

  it('is used for one area after another', async () => {
    const world = fleetWorld({ areas, spec: ['keys: {shared: {requestsPerDay: 10}}'] })
    const { states, document } = await answered(world, ['drift'])
    expect(Object.values(states).filter((state) => state === 'drift').length).toBeGreaterThan(2)
    expect(document.summary.requests).toBeLessThanOrEqual(10)
    expect(world.arrivals.length).toBeLessThanOrEqual(10)
  })
})

describe('names of areas', () => {
  it('are never paths, and are plain text in every output', async () => {
    const names = ['../../up', '/etc/passwd', 'a/b', 'CON', '-x', '<script>alert(1)</script>', '| a | b |', 'run.json']
    const world = fleetWorld({ areas: Object.fromEntries(names.map((name) => [name, ''])) })
    const { exitCode } = await world.run([
      'fleet',
      'drift',
      '--out',
      'out',
      '--report',
      'html=f.html',
      '--report',
      'markdown=f.md',
      '--report',
      'junit=f.xml',
      '--report',
      'prometheus=f.prom',
      '--report',
      'json=f.json',
    ])
    expect([0, 2]).toContain(exitCode)
    const made = readdirSync(join(world.dir, 'out'))
    expect(made).toHaveLength(names.length + 1)
    expect(made.filter((name) => !/^[\w.-]+$/.test(name))).toEqual([])
    expect(readdirSync(world.dir).sort()).toEqual(
      ['.gatewright', 'f.html', 'f.json', 'f.md', 'f.prom', 'f.xml', 'gatewright.fleet.yaml', 'out', 'shop'].sort(),
    )
    expect(readFileSync(join(world.dir, 'f.html'), 'utf8')).not.toContain('<script>alert')
    expect(existsSync(join(world.dir, 'out', 'run.json'))).toBe(true)
  })
})
