import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/json/json.js'
import { openRecords } from '../../src/stores/open.js'
import type { JournalEntry, ProjectKey, RunHead } from '../../src/stores/record.js'
import { document } from '../kit/manifests.js'
import { embedded, environment, type World } from '../kit/world.js'

const key: ProjectKey = { url: environment.GATEWRIGHT_URL, area: environment.GATEWRIGHT_AREA, project: 'test' }
const started = Date.UTC(2027, 0, 1, 12)
const worker = { who: 'ci@runner', host: 'runner', pid: 42 }

const head: RunHead = {
  run: '20270101T120000Z-1a2b3c',
  key,
  worker,
  started,
  commit: 'c0ffee1234567890',
  plan: 'sha256:1',
  manifests: 'sha256:2',
  purpose: { is: 'apply' },
  changes: ['A', 'B', 'C', 'D'].map((name) => ({ address: `Service/${name}`, kind: 'Service', action: 'create' })),
}

const announced = (address: string): JournalEntry => {
  return { is: 'announced', step: address, request: 'POST /services', addresses: [address], creates: [address], at: 1 }
}

const settled = (address: string, outcome: string, error?: string): JournalEntry => {
  return { is: 'settled', address, outcome, id: '1', error, before: undefined, after: undefined, at: 2 }
}

/** A world whose last run was interrupted: one change applied, one failed, one announced, one not started. */
async function cutOff(): Promise<World> {
  const world = embedded()
  const records = await openRecords('file:.gatewright', { dir: world.dir, now: () => started })
  const journal = await records.begin(head)
  await journal.append(announced('Service/A'))
  await journal.append(settled('Service/A', 'applied'))
  await journal.append(announced('Service/B'))
  await journal.append(settled('Service/B', 'failed', '400 no such local-password; try again'))
  await journal.append(announced('Service/C'))
  await records.close()
  return world
}

describe('history', () => {
  it('says that there are no records, and creates no folder', async () => {
    const { run, dir } = embedded()
    expect(await run(['history'])).toMatchObject({
      exitCode: 0,
      stdout: 'No runs that changed something are recorded for http://platform.example, area 0000…a4ea (test).\n',
    })
    expect(readdirSync(dir)).toEqual(['gatewright.yaml'])
  })

  it('lists the runs with their counts, and marks the interrupted one', async () => {
    const { run } = await cutOff()
    const { stdout } = await run(['history'])
    expect(stdout).toBe(
      'Runs in http://platform.example, area 0000…a4ea (test)\n\n' +
        'run                      when                  who        commit      outcome      changes\n' +
        '20270101T120000Z-1a2b3c  2027-01-01T12:00:00Z  ci@runner  c0ffee1234  interrupted  ' +
        '1 applied, 1 failed, 1 unknown, 1 not started\n',
    )
  })

  it('has the same data as JSON', async () => {
    const { run } = await cutOff()
    expect(JSON.parse((await run(['history', '-o', 'json'])).stdout)).toEqual({
      format: 'gatewright.history/1',
      target: key,
      runs: [
        {
          run: head.run,
          started: '2027-01-01T12:00:00.000Z',
          ended: null,
          who: 'ci@runner',
          commit: 'c0ffee1234567890',
          purpose: 'apply',
          of: null,
          outcome: 'interrupted',
          summary: { applied: 1, failed: 1, unknown: 1, notStarted: 1 },
        },
      ],
    })
  })

  it('needs no credentials, and names what it needs', async () => {
    const { run } = await cutOff()
    const { GATEWRIGHT_URL, GATEWRIGHT_AREA } = environment
    expect((await run(['history'], { env: { GATEWRIGHT_URL, GATEWRIGHT_AREA } })).exitCode).toBe(0)
    expect(await run(['history'], { env: {} })).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('cannot be reached without the url, the area'),
    })
  })

  it('reports a run that holds the lock as running', async () => {
    const { run, dir } = await cutOff()
    const records = await openRecords('file:.gatewright', { dir, now: () => started })
    await records.lock(key, worker, head.run)
    expect((await run(['history'])).stdout).toContain('  running  ')
    await records.close()
    expect((await run(['history'])).stdout).toContain('  interrupted  ')
  })

  it('also works for a run of the program itself', async () => {
    const { run, declare, apply } = embedded()
    declare(document('Service', 'A', { description: 'x', version: '1' }))
    expect((await apply()).exitCode).toBe(0)
    const { runs } = JSON.parse((await run(['history', '-o', 'json'])).stdout)
    expect(runs).toMatchObject([{ outcome: 'done', summary: { applied: 1 } }])
  })
})

describe('show', () => {
  it('displays every change with its requests, its outcome and the answer, with secrets masked', async () => {
    const { run } = await cutOff()
    const { stdout } = await run(['show', 'latest'])
    expect(stdout).toBe(
      [
        'Run 20270101T120000Z-1a2b3c (apply): interrupted',
        '  target     http://platform.example, area 0000…a4ea (test)',
        '  started    2027-01-01T12:00:00.000Z',
        '  who        ci@runner (process 42 on runner)',
        '  commit     c0ffee1234567890',
        '  plan       sha256:1',
        '  manifests  sha256:2',
        '',
        '  applied: create Service/A (id 1)',
        '    POST /services',
        '  failed: create Service/B (id 1)',
        '    POST /services',
        '    400 no such ***; try again',
        '  unknown: create Service/C',
        '    POST /services',
        '  not started: create Service/D',
        '',
        '1 applied, 1 failed, 1 unknown, 1 not started.',
        '',
      ].join('\n'),
    )
  })

  it('fits a terminal of 80 columns, except for wider words', async () => {
    const { run, declare, apply } = embedded()
    declare(document('Service', 'Orders API', { version: '1' }), document('Domain', 'internal.dev.shop.example', {}))
    expect((await apply()).exitCode).toBe(0)
    let shown = ''
    const stdout = { isTTY: true, columns: 80, write: (text: string) => (shown += text) }
    await run(['show', 'latest', '--color', 'never'], { stdout })
    expect(shown.split('\n').filter((line) => line.length > 80)).toEqual([])
    expect(shown).toMatch(/^ {2}applied: create Domain\/internal\.dev\.shop\.example\n {4}\(id \S+\)\n {4}POST/m)
  })

  it('accepts the beginning of a name, and has JSON', async () => {
    const { run } = await cutOff()
    const shown = JSON.parse((await run(['show', '2027', '-o', 'json'])).stdout)
    expect(shown).toMatchObject({
      format: 'gatewright.record/1',
      run: head.run,
      host: 'runner',
      outcome: 'interrupted',
    })
    expect(shown.changes[1]).toEqual({
      address: 'Service/B',
      kind: 'Service',
      action: 'create',
      id: '1',
      outcome: 'failed',
      error: '400 no such ***; try again',
      requests: ['POST /services'],
      fields: [],
    })
  })

  it('lists the last runs if no run matches', async () => {
    const { run } = await cutOff()
    expect(await run(['show', '2028'])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(`the last runs: ${head.run}`),
    })
  })
})

describe('show of applied changes', () => {
  const role = (description: string) => document('Role', 'Partners', { description })

  it('has every field before and after', async () => {
    const world = embedded()
    world.declare(role('one'), document('Role', 'Extra', { description: 'goes' }))
    await world.apply()
    expect((await world.run(['show', 'latest'])).stdout).toMatch(
      / {2}applied: create Role\/Partners \(id [^)]+\)\n.*\n {6}description {2}one\n {6}name {9}Partners\n/,
    )
    world.declare(role('two'))
    await world.apply()
    const { stdout } = await world.run(['show', 'latest'])
    expect(stdout).toMatch(/applied: update Role\/Partners .*\n.*\n {6}description {2}one → two\n/)
    expect(stdout).toMatch(/applied: delete Role\/Extra .*\n.*\n {6}description {2}goes → \(removed\)\n/)
    const { changes } = JSON.parse((await world.run(['show', 'latest', '-o', 'json'])).stdout)
    expect(changes).toMatchObject([
      { action: 'update', fields: [{ path: '/description', before: 'one', after: 'two', sensitive: false }] },
      { action: 'delete', fields: [{ path: '/description', before: 'goes' }, { path: '/name' }] },
    ])
  })

  it('reports an impossible change as blocked once', async () => {
    const world = embedded()
    const names = { emailTemplateSet: 'Set', name: 'welcome' }
    const mail = document('EmailTemplate', names, { from: 'a@example.com', subject: 's', body: 'b' })
    world.declare(role('one'), mail)
    const { stdout, stderr } = await world.run(['apply', '--yes', '--skip-blocked'])
    expect(stdout).toContain('  blocked: EmailTemplateSet/Set/EmailTemplate/welcome\n')
    expect(stderr).toContain('2 of 2 blocked: EmailTemplateSet/Set/EmailTemplate/welcome\n')
    const shown = await world.run(['show', 'latest'])
    expect(shown.stdout).toContain('  blocked: EmailTemplateSet/Set/EmailTemplate/welcome\n')
  })

  it('has one spelling for references, however they are written', async () => {
    const world = embedded()
    const methods = [{ name: 'm' }, { name: 'n' }]
    const endpoint = {
      requestPathAlias: '/x',
      trafficManagerDomain: 'a.example.com',
      publicDomains: ['a.example.com'],
      methods,
    }
    const access = (...picked: readonly Json[]) =>
      document('Package', 'P', { plans: [{ name: 'Gold', services: [{ name: 'S', endpoints: picked }] }] })
    const service = document('Service', 'S', {
      endpoints: [
        { name: 'e', ...endpoint },
        { name: 'f', ...endpoint, requestPathAlias: '/y' },
      ],
    })
    world.declare(document('Domain', 'example.com'), service, access({ name: 'f' }, { name: 'e', methods: ['m'] }))
    await world.apply()
    world.declare(document('Domain', 'example.com'), service, access({ name: 'e', methods: [{ name: 'm' }] }))
    await world.apply()
    const { changes } = (await world.run(['show', 'latest', '-o', 'json'])).json()
    expect(changes[0]?.fields).toMatchObject([
      {
        path: '/endpoints',
        before: [{ name: 'e', methods: ['m'] }, { name: 'f' }],
        after: [{ name: 'e', methods: ['m'] }],
      },
    ])
  })

  it('displays members of objects one by one, and for secrets only that they differ', async () => {
    const world = embedded({}, { env: { ...environment, PASSWORD: 'a-first-password' } })
    const service = (maxAge: number) =>
      document('Service', 'S', {
        endpoints: [
          {
            name: 'e',
            requestPathAlias: '/e',
            publicDomains: ['example.com'],
            trafficManagerDomain: 'example.com',
            cors: { allDomainsEnabled: true, maxAge },
            systemDomainAuthentication: { type: 'httpBasic', username: 'u', password: '${env:PASSWORD}' },
          },
        ],
      })
    world.declare(document('Domain', 'example.com'), service(1))
    await world.apply()
    world.declare(document('Domain', 'example.com'), service(2))
    const env = { ...environment, PASSWORD: 'a-second-password' }
    const applied = await world.run(['apply', '--yes'], { env })
    expect([applied.stderr, applied.exitCode]).toEqual([applied.stderr, 0])
    const { stdout } = await world.run(['show', 'latest'])
    expect(stdout).toContain('cors.maxAge  1 → 2\n')
    expect(stdout).toContain('password  (sensitive) → (sensitive)\n')
    expect(stdout).not.toMatch(/a-\w+-password|username|allDomainsEnabled/)
  })

  it('reports a dirty tree', async () => {
    const world = embedded()
    const git = (...args: readonly string[]) =>
      execFileSync(
        'git',
        ['-c', 'user.name=me', '-c', 'user.email=me@example.com', '-c', 'commit.gpgsign=false', ...args],
        {
          cwd: world.dir,
          encoding: 'utf8',
        },
      ).trim()
    git('init', '-q')
    world.declare(role('one'))
    git('add', '.')
    git('commit', '-qm', 'first')
    const commit = git('rev-parse', 'HEAD')
    await world.apply()
    expect((await world.run(['show', 'latest'])).stdout).toContain(`commit     ${commit}\n`)
    world.declare(role('two'))
    await world.apply()
    expect((await world.run(['show', 'latest'])).stdout).toContain(`commit     ${commit}-dirty\n`)
    expect((await world.run(['history'])).stdout).toContain(`${commit.slice(0, 10)}-dirty`)
    expect(JSON.parse((await world.run(['show', 'latest', '-o', 'json'])).stdout)).toMatchObject({
      commit,
      dirty: true,
    })
    const back = await world.run(['rollback', 'latest', '--yes'])
    expect(back.stderr).toContain('the next apply makes them again')
    const words = 'that run applied files that were not committed, on top of commit'
    expect(back.stderr).toContain(`${words} ${commit.slice(0, 10)}`)
    expect(back.stdout).not.toMatch(/record\.yaml|:1\b/)
  })
})

it('an interrupted apply says how to continue', async () => {
  const world = embedded()
  world.declare(...Array.from({ length: 30 }, (_, index) => document('Role', `R${index}`)))
  const { fetch } = world.make
  const interrupt = new AbortController()
  Object.assign(world.make, {
    fetch: (request: Request) => {
      if (request.method === 'POST' && request.url.endsWith('/roles')) interrupt.abort()
      return fetch(request)
    },
  })
  const run = await world.run(['apply', '--yes'], { signal: interrupt.signal })
  expect(run.exitCode).toBe(130)
  expect(run.stderr).toMatch(/interrupted: what was under way is finished, and \d+ changes are not done/)
  expect(run.stderr).toContain('gatewright apply --resume')
  expect((await world.run(['apply', '--resume', '--yes'])).exitCode).toBe(0)
  expect((await world.plan()).changes).toEqual([])
})

describe('history --prune', () => {
  const day = 86_400_000

  /** Five runs, one per day; the newest was interrupted. */
  async function fiveRuns(): Promise<World> {
    const world = embedded({}, { now: () => started + 4 * day })
    const records = await openRecords('file:.gatewright', { dir: world.dir, now: () => started })
    for (let number = 0; number < 5; number += 1) {
      const journal = await records.begin({ ...head, run: `run-${number}`, started: started + number * day })
      if (number < 4) await journal.append({ is: 'ended', outcome: 'done', at: started + number * day })
    }
    await records.close()
    return world
  }

  const runsIn = async (world: World): Promise<readonly string[]> => {
    const { stdout } = await world.run(['history', '-o', 'json'])
    return (JSON.parse(stdout) as { readonly runs: readonly { readonly run: string }[] }).runs.map(({ run }) => run)
  }

  it.each([
    ['3', 3, 'Removed 2 runs; 3 runs stay in'],
    ['2d', 3, 'Removed 2 runs; 3 runs stay in'],
    ['100', 5, 'No run was removed; 5 runs stay in'],
    ['0', 2, 'Removed 3 runs; 2 runs stay in'],
    ['0d', 2, 'Removed 3 runs; 2 runs stay in'],
  ])('%s keeps %i of five, and always those that the next plan needs', async (keep, left, words) => {
    const world = await fiveRuns()
    const { exitCode, stdout } = await world.run(['history', '--prune', keep])
    expect(exitCode).toBe(0)
    expect(stdout).toContain(words)
    expect(await runsIn(world)).toEqual(['run-4', 'run-3', 'run-2', 'run-1', 'run-0'].slice(0, left))
  })

  it('reports the removed runs in JSON', async () => {
    const world = await fiveRuns()
    const { stdout } = await world.run(['history', '--prune', '4', '-o', 'json'])
    expect(JSON.parse(stdout)).toMatchObject({ format: 'gatewright.history/1', removed: ['run-0'] })
  })

  it('does not wait: during a run, nothing is removed', async () => {
    const world = await fiveRuns()
    const records = await openRecords('file:.gatewright', { dir: world.dir, now: () => started })
    await records.lock(key, worker, 'run-4')
    const { exitCode, stderr } = await world.run(['history', '--prune', '3'])
    expect(exitCode).not.toBe(0)
    expect(stderr).toContain('ci@runner has been applying to this area')
    await records.close()
    expect(await runsIn(world)).toHaveLength(5)
  })

  it.each(['x', '-1', '3w'])('refuses "%s"', async (keep) => {
    const { stderr } = await embedded().run(['history', `--prune=${keep}`])
    expect(stderr).toContain('such as 90d')
  })
})
