import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { maskOf } from '../../src/engine/masking.js'
import { type AreaJob, type AreaPorts, runAreaJob } from '../../src/fleet/area-job.js'
import type { FleetArea } from '../../src/fleet/fleet.js'
import type { ChildCall, ChildEnd } from '../../src/ports/child.js'
import { temporaryFolder } from '../kit/folder.js'
import { area } from './areas.js'

const project = `apiVersion: gatewright/v1
kind: Project
metadata: {name: shop}
spec:
  secrets: {env: ["ORDERS_*"]}
  values: {brand: {type: string}, hosts: {type: array, default: []}, most: 1}
  environments:
    prod: {platform: {url: "https://prod.example", credentials: {apiKey: "\${env:PROD_KEY}"}}}
    dev: {platform: {url: "https://dev.example", credentials: {apiKey: "\${env:DEV_KEY}"}}}
    own: {platform: {url: "https://own.example", area: a9}}
`

/** A job in a folder with a project, and its only call; the test decides what the child does. */
function shop(behave: (call: ChildCall) => Partial<ChildEnd>, env: Readonly<Record<string, string>> = {}) {
  const dir = temporaryFolder()
  writeFileSync(join(dir, 'gatewright.yaml'), project)
  const calls: ChildCall[] = []
  const ports: AreaPorts = {
    env,
    cwd: dir,
    now: () => Date.UTC(2026, 10, 22),
    signal: new AbortController().signal,
    mask: maskOf(env),
    child: (call) => {
      calls.push(call)
      return Promise.resolve({ is: 'exited', code: 0, stdout: '', stderr: '', ...behave(call) })
    },
  }
  const job: AreaJob = {
    ...{ area: area('acme', { environment: 'prod' }), key: undefined, command: 'drift', folder: join(dir, 'out') },
    ...{ timeoutMs: 60_000, words: [] },
  }
  return { dir, job, ports, calls, run: (more: Partial<AreaJob> = {}) => runAreaJob({ ...job, ...more }, ports) }
}

const env = { PROD_KEY: 'prod-key', DEV_KEY: 'dev-key', OTHER: 'other', ORDERS_TOKEN: 'orders', PATH: '/bin' }
const target = { url: 'https://prod.example', area: 'a', project: 'shop' }
const field = (verdict: string, after = 'new') => ({ path: '/name', before: 'old', after, sensitive: false, verdict })
const document = (format: string, changes: readonly object[], summary: object = {}) =>
  JSON.stringify({ format, target, summary, changes, unmanaged: [], accepted: [], diagnostics: [] })
const change = (address: string, verdict = 'drift', after?: string) => ({
  ...{ address, kind: 'Service', action: 'update', id: `id of ${address}`, fields: [field(verdict, after)] },
})

describe('the process of an area', () => {
  it('gets the variables of its project and environment, and of the system, but none of another environment', async () => {
    const { run, calls } = shop(() => ({}), env)
    await run()
    expect(calls[0]?.env).toEqual({
      GATEWRIGHT_JOB: 'area',
      PATH: '/bin',
      PROD_KEY: 'prod-key',
      ORDERS_TOKEN: 'orders',
    })
  })

  it('gets those that values, defaults and patches of its environment use', async () => {
    const set = Object.fromEntries(
      ['FALLBACK', 'COVERED', 'GIVEN', 'DEFAULT', 'PATCH', 'DEV'].map((name) => [name, name]),
    )
    const { run, calls, dir } = shop(() => ({}), { ...env, ...set })
    const layers = `values: {most: "\${env:GIVEN}"}, defaults: {Service: {version: "\${env:DEFAULT}"}}, patches: [{target: Service/S, merge: {description: "\${env:PATCH}"}}]`
    const text = project
      .replace('most: 1', 'most: "${env:COVERED}", least: "${env:FALLBACK}"')
      .replace('prod: {', `prod: {${layers}, `)
      .replace('dev: {', 'dev: {values: {most: "${env:DEV}"}, ')
    writeFileSync(join(dir, 'gatewright.yaml'), text)
    await run()
    expect(Object.keys(set).filter((name) => calls[0]?.env[name] !== undefined)).toEqual([
      ...['FALLBACK', 'GIVEN', 'DEFAULT', 'PATCH'],
    ])
  })

  it('gets those that the fleet allows', async () => {
    const { run, calls } = shop(() => ({}), env)
    await run({ area: area('acme', { environment: 'prod', variables: ['OTH*'] }) })
    expect(calls[0]?.env.OTHER).toBe('other')
  })

  it('prefers the login of its area to that of its key, and that to the GATEWRIGHT_* variables', async () => {
    const login = { KEY: 'k', SECRET: 's', MINE: 'mine', GATEWRIGHT_USERNAME: 'user', GATEWRIGHT_API_KEY: 'usual' }
    const { run, calls } = shop(() => ({}), { ...env, ...login, GATEWRIGHT_TOKEN: 'of one area', GATEWRIGHT_AREA: 'x' })
    const key = { credentials: { apiKey: 'KEY', apiSecret: 'SECRET' } }
    await run({ key, area: area('acme', { environment: 'prod', credentials: { apiSecret: 'MINE' } }) })
    expect(calls[0]?.env).toEqual({
      ...{ GATEWRIGHT_JOB: 'area', PATH: '/bin', PROD_KEY: 'prod-key', ORDERS_TOKEN: 'orders' },
      ...{ GATEWRIGHT_API_KEY: 'k', GATEWRIGHT_API_SECRET: 'mine', GATEWRIGHT_USERNAME: 'user' },
    })
  })

  it('may name the editor of a change: only the secret part of a login is masked', async () => {
    const login = { GATEWRIGHT_USERNAME: 'jo-doe', GATEWRIGHT_PASSWORD: 'pass-word', SECRET: 'key-secret' }
    const diagnostics = [{ code: 'stale-plan', severity: 'error', message: 'by jo-doe with pass-word, key-secret' }]
    const stdout = JSON.stringify({ format: 'gatewright.diagnostics/1', diagnostics })
    const { run } = shop(() => ({ code: 4, stdout }), { ...env, ...login })
    const result = await run({ area: area('acme', { environment: 'prod', credentials: { apiSecret: 'SECRET' } }) })
    expect(result.diagnostics.map(({ message }) => message)).toEqual(['by jo-doe with ***, ***'])
  })

  it('does not connect to a platform from a variable if its project names one', async () => {
    const { run, calls } = shop(() => ({}), { ...env, GATEWRIGHT_URL: 'https://elsewhere.example' })
    await run()
    expect(calls[0]?.env).toMatchObject({ GATEWRIGHT_HOSTS: 'https://elsewhere.example' })
    expect(calls[0]?.env).not.toHaveProperty('GATEWRIGHT_URL')
  })

  it('is not started if its login is not set, or its project is broken', async () => {
    const { run, calls, dir } = shop(() => ({}), env)
    const unset = await run({ area: area('acme', { environment: 'prod', credentials: { apiKey: 'UNSET' } }) })
    expect(unset).toMatchObject({ state: 'error', exit: null, diagnostics: [{ code: 'missing-settings' }] })
    writeFileSync(join(dir, 'gatewright.yaml'), 'kind: Nothing')
    expect(await run()).toMatchObject({ state: 'error', document: null })
    const nowhere = await run({ area: area('none', { project: 'nowhere' }) })
    expect(nowhere).toMatchObject({ state: 'error', diagnostics: [{ code: 'missing-project' }] })
    expect(nowhere.diagnostics).toHaveLength(1)
    expect(calls).toEqual([])
  })

  it('is not started if its folder has no project file: the project of a parent folder is not used', async () => {
    const { run, calls, dir } = shop(() => ({}), env)
    const below = join(dir, 'below')
    mkdirSync(below)
    const own = area('acme', { project: below, area: '00000000-0000-4000-8000-00000000a4ea' })
    expect(await run({ area: own })).toMatchObject({
      state: 'error',
      diagnostics: [{ code: 'missing-project', message: expect.stringMatching(/it has no gatewright\.yaml$/) }],
    })
    expect(calls).toEqual([])
  })

  it('gets the command with the area’s own options', async () => {
    const { run, calls, dir } = shop(() => ({}), env)
    const own = area('acme', { environment: 'prod', area: 'a4', values: { brand: 'Acme', hosts: ['a', 'b'], most: 5 } })
    await run({ area: own, command: 'plan', save: true, requestsPerSecond: 2, words: ['--allow', 'KEY_LOSS'] })
    const out = (file: string) => join(dir, 'out', file)
    expect(calls[0]?.args).toEqual([
      ...['plan', '-C', '.', '-o', 'json', '--quiet', '--color', 'never', '-e', 'prod', '--area', 'a4'],
      ...['--value', 'brand=Acme', '--value', 'hosts=["a","b"]', '--value', 'most=5', '--out', out('plan.json')],
      ...['--report', `html=${out('report.html')}`, '--report', `json=${out('report.json')}`],
      ...['--report', `prometheus=${out('metrics.prom')}`, '--allow', 'KEY_LOSS'],
    ])
    expect(calls[0]?.env.GATEWRIGHT_REQUESTS_PER_SECOND).toBe('2')
  })

  it('applies a saved plan without a question', async () => {
    const { run, calls } = shop(() => ({}), env)
    await run({ command: 'apply', planFile: '/plans/acme.json' })
    expect(calls[0]?.args.slice(0, 2)).toEqual(['apply', '/plans/acme.json'])
    expect(calls[0]?.args).toContain('--yes')
  })
})

describe('the result of a job', () => {
  const drift = (changes: readonly object[]) => document('gatewright.drift/1', changes)

  it.each([
    ['drift', 0, drift([]), 'in-sync'],
    ['drift', 2, drift([change('Service/A')]), 'drift'],
    ['drift', 2, drift([change('Service/A'), change('Service/B', 'conflict')]), 'conflict'],
    ['plan', 0, document('gatewright.plan/1', []), 'in-sync'],
    ['plan', 0, document('gatewright.plan/1', [change('Service/A')]), 'pending'],
    ['plan', 5, document('gatewright.plan/1', [change('Service/A')]), 'refused'],
    ['apply', 0, document('gatewright.run/1', [], { applied: 0 }), 'in-sync'],
    ['apply', 0, document('gatewright.run/1', [change('Service/A')], { applied: 1 }), 'applied'],
    ['apply', 3, document('gatewright.run/1', [change('Service/A')], { applied: 0, failed: 1 }), 'incomplete'],
  ] as const)('%s that ends with %i', async (command, code, stdout, state) => {
    const { run } = shop(() => ({ code, stdout }), env)
    expect(await run({ command })).toMatchObject({ state, exit: code, area: 'acme', command })
  })

  it.each([
    [4, 'stale'],
    [5, 'refused'],
    [1, 'error'],
  ] as const)('apply that ends with %i and reports the reason', async (code, state) => {
    const stdout = JSON.stringify({
      format: 'gatewright.diagnostics/1',
      diagnostics: [{ code: 'plan-stale', severity: 'error', message: 'no' }],
    })
    const { run } = shop(() => ({ code, stdout }), env)
    expect(await run({ command: 'apply' })).toMatchObject({ state, document: null, diagnostics: [{ message: 'no' }] })
  })

  it.each<[string, Partial<ChildEnd>]>([
    ['prints garbage', { stdout: 'Segmentation fault' }],
    ['prints nothing', {}],
    ['prints another document', { stdout: document('gatewright.plan/1', []) }],
    ['prints half of it', { stdout: drift([change('Service/A')]).slice(0, 40) }],
    ['prints only the right name', { stdout: '{"format":"gatewright.drift/1"}' }],
    ['prints invalid changes', { stdout: document('gatewright.drift/1', [{ address: 1 }]) }],
    ['dies', { is: 'killed', code: null, reason: 'SIGKILL', stdout: drift([]) }],
    ['hangs', { is: 'timed out', code: null }],
    ['cannot be started', { is: 'failed', code: null, reason: 'ENOENT' }],
  ])('a child that %s', async (_, end) => {
    const { run } = shop(() => ({ stderr: 'last\nwords\n', ...end }), env)
    expect(await run()).toMatchObject({ state: 'error', document: null, diagnostics: [{ code: 'area-job-failed' }] })
  })

  it.each<[string, Partial<ChildEnd>, string]>([
    ['is killed', { is: 'killed', code: null, reason: 'SIGKILL' }, 'incomplete'],
    ['does not end in time', { is: 'timed out', code: null }, 'incomplete'],
    ['cannot be started', { is: 'failed', code: null, reason: 'ENOENT' }, 'error'],
  ])('an apply that %s, and may have done a part', async (_, end, state) => {
    const { run } = shop(() => end, env)
    expect(await run({ command: 'apply' })).toMatchObject({ state, diagnostics: [{ code: 'area-job-failed' }] })
  })

  it('an answer whose reports could not be written has the reason of the error', async () => {
    const stderr = 'error: report.html cannot be written [not-writable]\n  hint: free some space\n\n1 error\n'
    const { run } = shop(() => ({ code: 1, stdout: drift([]), stderr }), env)
    expect(await run()).toMatchObject({
      state: 'error',
      document: { format: 'gatewright.drift/1' },
      diagnostics: [{ code: 'area-job-failed', message: expect.stringContaining('report.html cannot be written') }],
    })
  })

  it('an interruption', async () => {
    const { run } = shop(() => ({ code: 130 }), env)
    expect(await run()).toMatchObject({ state: 'interrupted', exit: 130, diagnostics: [] })
  })

  it('an interruption after a part was done', async () => {
    const stdout = document('gatewright.run/1', [change('Service/A')], { applied: 2, notStarted: 1 })
    const { run } = shop(() => ({ code: 130, stdout }), env)
    expect(await run({ command: 'apply' })).toMatchObject({
      state: 'interrupted',
      summary: { applied: 2, notStarted: 1 },
    })
  })

  it('a refused login, with a hint that names the variables of the area', async () => {
    const hint = 'check GATEWRIGHT_API_KEY and GATEWRIGHT_API_SECRET, not GATEWRIGHT_URL'
    const diagnostics = [{ code: 'credentials-refused', severity: 'error', message: 'no', hint }]
    const { run } = shop(() => ({ code: 1, stdout: JSON.stringify({ diagnostics }) }), {
      ...env,
      OWN: 'x',
      SHARED: 'y',
    })
    const own = area('acme', { environment: 'prod', credentials: { apiSecret: 'OWN' } })
    const key = { credentials: { apiSecret: 'SHARED', apiKey: 'SHARED' } }
    expect((await run({ area: own, key })).diagnostics[0]?.hint).toBe('check SHARED and OWN, not GATEWRIGHT_URL')
  })

  it('an unknown area, with a hint that names the setting of the area', async () => {
    const hint = 'check GATEWRIGHT_AREA (or --area, or platform.area): the identifier'
    const diagnostics = [{ code: 'credentials-refused', severity: 'error', message: 'no', hint }]
    const { run } = shop(() => ({ code: 1, stdout: JSON.stringify({ diagnostics }) }), env)
    const told = async (own: FleetArea) => (await run({ area: own })).diagnostics[0]?.hint
    const place = { file: 'areas/acme.yaml', line: 6, column: 9 }
    expect(await told(area('acme', { environment: 'prod', places: { area: place } }))).toBe(
      'check "area" of acme in areas/acme.yaml:6: the identifier',
    )
    expect(await told(area('acme', { environment: 'own', area: undefined }))).toBe(
      'check platform.area of environment own in gatewright.yaml: the identifier',
    )
  })

  it('nothing, if the project refuses a value', async () => {
    const { run, calls } = shop(() => ({}), env)
    const own = area('acme', { environment: 'prod', values: { brand: null, brnd: 'x' } })
    expect(await run({ area: own, command: 'apply' })).toMatchObject({
      state: 'error',
      diagnostics: [
        { code: 'wrong-type', message: 'the value "brand" takes a text, and nothing is written' },
        { code: 'value-unknown' },
      ],
    })
    expect(calls).toEqual([])
  })

  it('has the calls and the files of this job, and none of an earlier one', async () => {
    const write = (path: string, text: string): void => {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
    }
    const metrics = 'gatewright_requests_total{project="}\\"x",command="drift"} 17\n'
    let writes = true
    const { run, job } = shop(() => {
      if (writes) write(join(job.folder, 'metrics.prom'), metrics)
      if (writes) write(join(job.folder, 'report.html'), '<html>')
      return { stdout: drift([]) }
    }, env)
    expect(await run()).toMatchObject({ requests: 18, files: { html: join(job.folder, 'report.html') } })
    writes = false
    expect(await run()).toMatchObject({ requests: null, files: {} })
  })

  it('displays no login', async () => {
    const { run } = shop(() => ({ code: 1, stderr: 'the password is canary-1' }), { ...env, CANARY: 'canary-1' })
    const result = await run({ area: area('acme', { environment: 'prod', credentials: { password: 'CANARY' } }) })
    expect(JSON.stringify(result)).not.toContain('canary-1')
  })
})

describe('equal changes', () => {
  const digestOf = async (name: string, brand: string, ...changes: readonly object[]) => {
    const { run } = shop(() => ({ code: 2, stdout: document('gatewright.drift/1', changes) }), env)
    return (await run({ area: area(name, { environment: 'prod', values: { brand } }) })).changes
  }

  it('have the same digest, whatever the areas and their ids are called', async () => {
    const one = await digestOf('acme', 'Acme', change('Service/Acme Orders', 'drift', 'for Acme'))
    expect(one).toMatch(/^sha256:/)
    expect(await digestOf('globex', 'Globex', change('Service/Globex Orders', 'drift', 'for Globex'))).toBe(one)
  })

  it('have the same digest if areas have names of two letters, like regions', async () => {
    const one = await digestOf('eu', 'eu', change('Service/eu Orders', 'drift', 'for eu'))
    expect(await digestOf('us', 'us', change('Service/us Orders', 'drift', 'for us'))).toBe(one)
  })

  it('differ if only a part of a word is the same', async () => {
    const one = await digestOf('acme', 'Acme', change('Service/Acmes'))
    expect(await digestOf('globex', 'Globex', change('Service/Globexs'))).not.toBe(one)
  })

  it('differ if a value, an address or the other side differs', async () => {
    const all = await Promise.all([
      digestOf('acme', 'Acme', change('Service/A')),
      digestOf('acme', 'Acme', change('Service/A', 'drift', 'other')),
      digestOf('acme', 'Acme', change('Service/A', 'conflict')),
      digestOf('acme', 'Acme', change('Service/B')),
    ])
    expect(new Set(all).size).toBe(4)
  })

  it('have no digest if nothing is changed', async () => {
    expect(await digestOf('acme', 'Acme')).toBeNull()
  })
})
