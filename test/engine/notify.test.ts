import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { validatorFor } from '../../src/json/schema.js'
import { git } from '../kit/git.js'
import { document, manifestText, projectText } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { typing } from '../kit/terminal.js'
import { embedded, environment, type Run, testClock, type World } from '../kit/world.js'

/**
 * Webhooks: a message is sent once, on a change, as a reminder and at the end; never by a command that only displays a plan.
 */

const hook = 'https://hooks.example/services/T0/very-secret-part'
const day = 86_400_000

interface Finding {
  readonly address: string
  readonly what: string
  readonly fields?: unknown
  readonly editor?: string
  readonly updated?: string
}

interface Notice {
  readonly event: string
  readonly reason: string
  readonly command: string
  readonly of?: string
  readonly job?: string
  readonly findings: readonly Finding[]
  readonly problems: readonly { readonly code: string; readonly message: string }[]
  readonly text?: string
}

interface Told {
  readonly host: string
  readonly method: string
  readonly body: Notice
}

interface Watched {
  readonly world: World
  /** The messages that the receiver has got since the last call. */
  readonly told: () => readonly Told[]
  /** Sets the later answers of the receiver. */
  readonly answering: (status: number) => void
  readonly later: (ms: number) => Promise<void>
  readonly drift: (...args: readonly string[]) => Promise<Run>
}

const projectWith = (spec: string): string => projectText(`${spec}`)

function watched(notify: string, env: Readonly<Record<string, string | undefined>> = { HOOK: hook }): Watched {
  const clock = testClock()
  const world = embedded(clock, { ...clock, env: { ...environment, ...env } })
  const { fetch } = world.make
  let status = 200
  const sent: Told[] = []
  Object.assign(world.make, {
    fetch: async (request: Request) => {
      const { host } = new URL(request.url)
      if (host === 'platform.example') return fetch(request)
      if (status < 300) sent.push({ host, method: request.method, body: (await request.json()) as Notice })
      return new Response('<b>very rude</b>', { status, headers: { location: 'https://elsewhere.example/' } })
    },
  })
  world.write('gatewright.yaml', projectWith(notify))
  world.declare(role('one'))
  return {
    world,
    told: () => sent.splice(0),
    answering: (next) => {
      status = next
    },
    later: (ms) => clock.sleep(ms),
    drift: (...args) => world.run(['drift', ...args]),
  }
}

const role = (description: string) => document('Role', 'Partners', { description })

/** Applied, and then changed by hand. */
async function drifted(
  notify: string,
  env?: Readonly<Record<string, string | undefined>>,
): Promise<Watched & { readonly byHand: (description: string) => Promise<void> }> {
  const watch = watched(notify, env)
  expect((await watch.world.apply()).exitCode).toBe(0)
  const byHand = async (description: string): Promise<void> => {
    const rest = await restOf(watch.world.make)
    const id = (await rest.get('/roles?fields=id,name')).find(({ name }) => name === 'Partners')?.id
    await rest.put(`/roles/${String(id)}`, { name: 'Partners', description })
  }
  await byHand('by hand')
  return { ...watch, byHand }
}

const one = '  notify: [{url: "${env:HOOK}", remind: 7d}]\n'
const events = (told: readonly Told[]) => told.map(({ body: { event, reason } }) => `${event} ${reason}`)

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  if (typeof collect !== 'function') throw new Error('there is no gc')
  collect()
}

/** The machine's own timers, which this file controls. */
function timers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => {
    vi.useRealTimers()
  })
}

const isNotice = validatorFor(JSON.parse(readFileSync('schemas/notice-document.schema.json', 'utf8')) as object)

describe('drift', () => {
  test('is reported once, as a reminder, and at its end, as the schema says and without a value', async () => {
    const { told, drift, later, byHand } = await drifted(one)
    expect(told()).toEqual([])
    expect((await drift()).exitCode).toBe(2)
    const [first, ...others] = told()
    expect([first?.host, first?.method, others]).toEqual(['hooks.example', 'POST', []])
    expect(first?.body).toMatchObject({
      format: 'gatewright.notice/1',
      event: 'drift',
      reason: 'first',
      command: 'drift',
      target: { url: 'http://platform.example', project: 'test' },
      findings: [{ address: 'Role/Partners', what: 'changed', fields: [{ path: '/description', verdict: 'drift' }] }],
      more: 0,
    })
    expect(isNotice(first?.body), JSON.stringify(isNotice.errors)).toBe(true)
    expect(JSON.stringify(first)).not.toMatch(/by hand|very-secret/)
    await drift()
    await later(6 * day)
    await drift()
    expect(events(told())).toEqual([])
    await later(0.9 * day)
    await drift()
    expect(events(told())).toEqual(['drift reminder'])
    await drift()
    expect(events(told())).toEqual([])
    await byHand('one')
    expect((await drift()).exitCode).toBe(0)
    const [over] = told()
    expect(over?.body).toMatchObject({ event: 'recovery', of: 'drift', reason: 'over', findings: [] })
    expect(isNotice(over?.body)).toBe(true)
    await drift()
    expect(told()).toEqual([])
  })

  test('is the same whatever the values are, but another drift with another field or object', async () => {
    const { world, told, drift, byHand } = await drifted(one)
    await drift()
    await byHand('by another hand')
    await drift()
    expect(events(told())).toEqual(['drift first'])
    world.declare(role('two'))
    await drift()
    expect(events(told())).toEqual(['drift changed'])
  })

  test('of another object in the same field is another drift', async () => {
    const { world, told, drift } = watched(one)
    const names = ['A', 'B']
    world.declare(...names.map((name) => document('Role', name, { description: 'one' })))
    await world.apply()
    const rest = await restOf(world.make)
    const roles = await rest.get('/roles?fields=id,name')
    const setAll = async (descriptions: readonly string[]) => {
      for (const [index, name] of names.entries()) {
        const id = roles.find((role) => role.name === name)?.id
        await rest.put(`/roles/${String(id)}`, { name, description: descriptions[index] ?? '' })
      }
    }
    for (const descriptions of [
      ['x', 'one'],
      ['one', 'x'],
    ]) {
      await setAll(descriptions)
      await drift()
    }
    expect(told().map(({ body: { reason, findings } }) => [reason, findings.map(({ address }) => address)])).toEqual([
      ['first', ['Role/A']],
      ['changed', ['Role/B']],
    ])
  })

  test('of a whole object is one entry, without the objects inside it', async () => {
    const { world, told, drift } = watched(one)
    const tree = document('Service', 'S', { errorSets: [{ name: 'E', type: 'text/json' }] })
    const found = () => told().map(({ body }) => body.findings.map(({ address, what }) => [address, what]))
    world.declare(tree)
    await drift()
    expect(found()).toEqual([[['Service/S', 'missing']]])
    await world.apply()
    const rest = await restOf(world.make)
    const [service] = await rest.get('/services?fields=id')
    await rest.remove(`/services/${String(service?.id)}`)
    told()
    await drift()
    expect(found()).toEqual([[['Service/S', 'deleted']]])
  })

  test('without earlier runs is reported as a difference', async () => {
    const { told, drift, world } = await drifted(one)
    rmSync(join(world.dir, '.gatewright'), { recursive: true })
    await drift()
    expect(told().map(({ body }) => body.findings)).toMatchObject([[{ address: 'Role/Partners', what: 'differs' }]])
  })

  test('is reported with its editor and the time, if the platform returns them', async () => {
    const { told, drift, world } = watched(one)
    world.declare(document('Service', 'S', { description: 'one' }))
    await world.apply()
    const rest = await restOf(world.make)
    const [service] = await rest.get('/services?fields=id')
    await rest.put(`/services/${String(service?.id)}`, { name: 'S', description: 'by hand' })
    const [change] = (await drift('-o', 'json')).json().changes
    const [finding] = told().flatMap(({ body }) => body.findings)
    expect(finding).toMatchObject({ editor: environment.GATEWRIGHT_USERNAME, updated: expect.any(String) })
    expect(change).toMatchObject({ editor: finding?.editor, updated: finding?.updated })
  })

  test('of a part is reported separately, and does not affect the rest', async () => {
    const { told, drift, world } = await drifted(one)
    world.declare(document('Role', { name: 'Partners', labels: { team: 'x' } }, { description: 'one' }))
    await drift()
    await drift('--select', 'Role/*')
    expect(events(told())).toEqual(['drift first', 'drift first'])
    await drift('-f', 'manifests/all.yaml')
    expect(events(told())).toEqual(['drift first'])
    await drift('-l', 'team=x')
    expect(events(told())).toEqual(['drift first'])
    await drift()
    await drift('--select', 'Role/*')
    await drift('-l', 'team=x')
    expect(told()).toEqual([])
  })

  test('of an object that git no longer has and that may not be deleted is reported as that', async () => {
    const { world, told, drift } = watched(`${one}  prune: none\n`)
    const listed = (errorSets: readonly string[]) =>
      world.declare(document('Service', 'S', { errorSets: errorSets.map((name) => ({ name, type: 'text/json' })) }))
    listed(['kept', 'removed'])
    await world.apply()
    listed(['kept'])
    await drift()
    const [first] = told()
    expect(first?.body.findings).toContainEqual({ address: 'Service/S/ErrorSet/removed', what: 'remaining' })
    expect(isNotice(first?.body), JSON.stringify(isNotice.errors)).toBe(true)
  })

  test('that is accepted or written into the manifests is not reported by that command', async () => {
    const { world, told, drift } = await drifted(one)
    await drift('--accept', '--reason', 'known', '--expires', '2027-01-01')
    await drift('--write')
    await world.run(['snapshot', '--out', 'area.json'])
    await drift('--snapshot', 'area.json')
    expect(told()).toEqual([])
  })

  test('that cannot be compared is reported as an error: the earlier drift is not reported again after it', async () => {
    const { world, told, drift } = await drifted(one)
    await drift()
    world.write('manifests/all.yaml', 'kind: Nothing\n')
    expect((await drift()).exitCode).toBe(1)
    await drift()
    const [, failed, ...others] = told()
    expect(failed?.body).toMatchObject({ event: 'error', reason: 'first', command: 'drift', findings: [] })
    expect(failed?.body.problems.map(({ code }) => code)).toEqual(['unknown-api-version'])
    expect(others).toEqual([])
    world.declare(role('one'))
    expect((await drift()).exitCode).toBe(2)
    expect(told().map(({ body }) => [body.event, body.of])).toEqual([['recovery', 'error']])
  })
})

describe('apply', () => {
  const broken = document('Role', 'Broken', { nonsense: 1 })

  test('reports a failure, once, and the next success; a plan reports nothing', async () => {
    const { world, told } = watched(one)
    world.declare(role('one'), broken)
    await world.run(['plan'])
    expect(told()).toEqual([])
    expect((await world.apply()).exitCode).toBe(1)
    expect((await world.apply()).exitCode).toBe(1)
    const [failed, ...others] = told()
    expect(failed?.body).toMatchObject({ event: 'error', reason: 'first', command: 'apply' })
    expect(others).toEqual([])
    world.declare(role('one'))
    expect((await world.apply()).exitCode).toBe(0)
    expect((await world.apply()).exitCode).toBe(0)
    expect(events(told())).toEqual(['recovery over'])
  })

  test('reports another error as a change', async () => {
    const { world, told } = watched(one)
    world.declare(role('one'), broken)
    await world.apply()
    world.declare(role('one'), role('one'))
    await world.apply()
    expect(events(told())).toEqual(['error first', 'error changed'])
  })

  test('reports a failure with the changes that are not done', async () => {
    const { world, told } = watched(one)
    const { fetch } = world.make
    Object.assign(world.make, {
      fetch: (request: Request) =>
        request.method === 'POST' && request.url.includes('/v3/rest/roles')
          ? Promise.resolve(Response.json({ errorMessage: `no ${environment.GATEWRIGHT_PASSWORD}` }, { status: 400 }))
          : fetch(request),
    })
    expect((await world.apply()).exitCode).toBe(3)
    const [failed] = told()
    expect(failed?.body.findings).toMatchObject([
      { address: 'Role/Partners', what: 'failed', error: expect.any(String) },
    ])
    expect(JSON.stringify(failed)).not.toContain(environment.GATEWRIGHT_PASSWORD)
    expect(isNotice(failed?.body), JSON.stringify(isNotice.errors)).toBe(true)
  })

  test('reports a refusal, but not the answer "no" of a person', async () => {
    const { world, told } = watched(one)
    expect((await world.run(['apply'], typing('no').io)).exitCode).toBe(0)
    expect(told()).toEqual([])
    expect((await world.run(['apply'])).exitCode).toBe(5)
    expect(told().map(({ body }) => body.problems)).toMatchObject([[{ code: expect.any(String) }]])
  })
})

describe('a webhook', () => {
  test('gets only the events that it asks for', async () => {
    const { told, drift, byHand, world } = await drifted('  notify: [{url: "${env:HOOK}", on: [error]}]\n')
    await drift()
    await byHand('one')
    await drift()
    world.write('manifests/all.yaml', 'kind: Nothing\n')
    await drift()
    world.declare(role('one'))
    await drift()
    expect(events(told())).toEqual(['error first'])
    world.write('manifests/all.yaml', 'kind: Nothing\n')
    await drift()
    expect(events(told())).toEqual(['error first'])
  })

  test('gets a text that no chat reads as a command, if it asks for that', async () => {
    const { world, told, drift } = watched('  notify: [{url: "${env:HOOK}", format: slack}]\n')
    const name = '<!channel> & *`co`* <https://evil.example|click>'
    world.declare(document('Role', name, {}))
    await drift()
    const [first] = told()
    expect(Object.keys(first?.body ?? {})).toEqual(['text'])
    expect(first?.body.text).toMatch(/^\*Drift\* of http:\/\/platform\.example, area .* \(test\): 1 object\n/)
    expect(first?.body.text).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/)
    expect(first?.body.text).toContain('`Role/&lt;!channel&gt;')
  })

  test('that does not accept a message causes a warning without its address, and gets it from the next run', async () => {
    const { told, drift, answering } = await drifted(one)
    for (const [status, words] of [
      [404, 'it answered 404'],
      [302, 'it answered 302, a redirect, which is not followed'],
      [503, 'it answered 503'],
    ] as const) {
      answering(status)
      const run = await drift()
      expect([status, run.exitCode, run.stderr]).toMatchObject([status, 2, expect.stringContaining(words)])
      expect(run.stderr).toContain('warning: the webhook ${env:HOOK} was not told')
      expect(run.stderr).not.toMatch(/very-secret|very rude|elsewhere/)
    }
    answering(200)
    await drift()
    expect(events(told())).toEqual(['drift first'])
  })

  test('that does not accept a message is in the document of the command', async () => {
    const { world, drift, answering } = await drifted(one)
    const warningsOf = ({ stdout }: Run) =>
      JSON.parse(stdout).diagnostics.filter(({ code }: { code: string }) => code.startsWith('webhook'))
    const untold = { severity: 'warning', code: 'webhook-not-told', hint: 'the next run tries again' }
    answering(503)
    const look = await drift('-o', 'json')
    expect([look.exitCode, warningsOf(look)]).toMatchObject([2, [untold]])
    const { fetch } = world.make
    const refuse = (request: Request) =>
      request.method === 'PUT' ? Promise.resolve(new Response('', { status: 400 })) : fetch(request)
    Object.assign(world.make, { fetch: refuse })
    const failed = await world.run(['apply', '--yes', '-o', 'json'])
    expect([failed.exitCode, warningsOf(failed)]).toMatchObject([3, [untold]])
    answering(200)
    expect(warningsOf(await drift('-o', 'json'))).toEqual([])
  })

  test('whose variable is not set causes a note in drift, and nothing in plan and validate', async () => {
    const { world, told, drift } = await drifted(one, { HOOK: undefined })
    const run = await drift()
    expect(run.exitCode).toBe(2)
    expect(run.stderr).toContain(
      'note: the webhook ${env:HOOK} gets no message: its variable is not set here [webhook-unset]',
    )
    expect((await world.run(['plan'])).stderr).not.toContain('webhook')
    expect((await world.run(['validate'])).stderr).not.toContain('webhook')
    expect(told()).toEqual([])
  })

  test.each(['ftp://hooks.example/x', 'http://hooks.example/x', 'hooks.example/x', 'https://me:pass@hooks.example/x'])(
    'whose variable contains %s gets nothing, and the value is not displayed',
    async (url) => {
      const { told, drift } = await drifted(one, { HOOK: url })
      const run = await drift()
      expect([run.exitCode, told()]).toEqual([2, []])
      expect(run.stderr).toContain('was not told: its variable holds no address that')
      expect(run.stderr).not.toContain(url)
    },
  )

  test('that has got a message gets it once, even if another one has not', async () => {
    const { told, drift, world } = await drifted('  notify: [{url: "${env:HOOK}"}, {url: "${env:OTHER}"}]\n', {
      HOOK: hook,
      OTHER: 'https://other.example/x',
    })
    const { fetch } = world.make
    let isBroken = true
    Object.assign(world.make, {
      fetch: (request: Request) =>
        isBroken && new URL(request.url).host === 'other.example'
          ? Promise.resolve(new Response('', { status: 404 }))
          : fetch(request),
    })
    const hosts = () => told().map(({ host }) => host)
    await drift()
    expect(hosts()).toEqual(['hooks.example'])
    isBroken = false
    await drift()
    expect(hosts()).toEqual(['other.example'])
    await drift()
    expect(hosts()).toEqual([])
  })

  test('that the project has named again after a while gets the message again', async () => {
    const { told, drift, world } = await drifted(one, { HOOK: hook, OTHER: 'https://other.example/x' })
    for (const url of ['HOOK', 'OTHER', 'HOOK']) {
      world.write('gatewright.yaml', projectWith(`  notify: [{url: "\${env:${url}}"}]\n`))
      await drift()
    }
    expect(told().map(({ host, body }) => [host, body.reason])).toEqual([
      ['hooks.example', 'first'],
      ['other.example', 'first'],
      ['hooks.example', 'first'],
    ])
  })

  const github = { GITHUB_SERVER_URL: 'https://git.example', GITHUB_REPOSITORY: 'team/shop', GITHUB_RUN_ID: '42' }

  test.each([
    ['of GitHub', github, 'https://git.example/team/shop/actions/runs/42'],
    [
      'of GitLab',
      { CI_JOB_URL: 'https://gitlab.example/team/shop/-/jobs/7' },
      'https://gitlab.example/team/shop/-/jobs/7',
    ],
    ['of GitHub without a name', { ...github, GITHUB_RUN_ID: '' }, undefined],
    ['of GitHub without a repository', { ...github, GITHUB_REPOSITORY: undefined }, undefined],
    ['of GitHub without a server', { ...github, GITHUB_SERVER_URL: undefined }, undefined],
    ['nowhere', { CI_JOB_URL: '' }, undefined],
  ])('gets the address of the job: %s', async (_where, env, job) => {
    const { told, drift } = watched(one, { HOOK: hook, ...env })
    await drift()
    const [message] = told()
    expect(message?.body.job).toBe(job)
    expect(isNotice(message?.body), JSON.stringify(isNotice.errors)).toBe(true)
  })

  test('gets nothing from a command that is interrupted', async () => {
    const { told, drift, world } = await drifted(one)
    const { fetch } = world.make
    const interruption = new AbortController()
    Object.assign(world.make, {
      fetch: (request: Request) => {
        if (request.url.includes('/v3/rest/roles')) interruption.abort()
        return fetch(request)
      },
    })
    for (const args of [['drift'], ['apply', '--yes']]) {
      const { exitCode, stderr } = await world.run(args, { signal: interruption.signal })
      expect([exitCode, stderr]).toEqual([130, expect.not.stringContaining('webhook')])
    }
    expect(told()).toEqual([])
    Object.assign(world.make, { fetch })
    await drift()
    expect(events(told())).toEqual(['drift first'])
  })

  test('gets the error of an address that cannot be read', async () => {
    const { told, world } = watched(one)
    const env = { ...environment, HOOK: hook, GATEWRIGHT_URL: 'http://platform.example/v3/rest' }
    expect((await world.run(['drift'], { env })).exitCode).toBe(1)
    expect(told().map(({ body }) => body)).toMatchObject([
      { event: 'error', reason: 'first', target: { url: '', area: '', project: 'test' } },
    ])
  })

  test('of an environment is separate, and so are its sent messages', async () => {
    const environments = `  environments:
    dev: {}
    prod: {notify: [{url: "\${env:PROD_HOOK}"}]}
    off: {notify: []}
`
    const { world, told, drift } = watched(`${one}${environments}`, { HOOK: hook, PROD_HOOK: 'https://prod.example/x' })
    world.declare(role('one'))
    for (const name of ['dev', 'prod', 'off', 'prod', 'dev']) await drift('-e', name)
    expect(told().map(({ host, body }) => [host, body.event])).toEqual([
      ['hooks.example', 'drift'],
      ['prod.example', 'drift'],
    ])
  })
})

describe('an address that only the project file contains', () => {
  const literal = '  notify: [{url: "https://chat.example/in"}]\n'

  test('gets nothing, because a pull request may have added it', async () => {
    const { told, drift } = await drifted(literal)
    const run = await drift()
    expect([run.exitCode, told()]).toEqual([2, []])
    expect(run.stderr).toContain(
      'the webhook https://chat.example/… got no message: only the project file names its host',
    )
    expect(run.stderr).toContain('export GATEWRIGHT_HOSTS=chat.example')
  })

  test('gets messages if GATEWRIGHT_HOSTS names its host', async () => {
    const { told, drift } = await drifted(literal, { GATEWRIGHT_HOSTS: 'chat.example' })
    await drift()
    expect(told().map(({ host }) => host)).toEqual(['chat.example'])
  })

  test('gets messages if the git ref of the guard rails has it, and no other does', async () => {
    const { world, told } = await drifted(literal)
    const env = { ...environment, GATEWRIGHT_GUARD_REF: 'main' }
    git(world.dir, 'init', '--quiet', '--initial-branch=main')
    git(world.dir, 'add', 'gatewright.yaml', 'manifests')
    git(world.dir, 'commit', '--quiet', '-m', 'x')
    world.write(
      'gatewright.yaml',
      projectWith('  notify: [{url: "https://chat.example/in"}, {url: "https://evil.example/"}]\n'),
    )
    const run = await world.run(['drift'], { env })
    expect(told().map(({ host }) => host)).toEqual(['chat.example'])
    expect(run.stderr).toContain('the webhook https://evil.example/… got no message')
  })
})

describe('the project file', () => {
  test.each([
    ['{url: "https://chat.example/?x=${env:ORDERS_PASSWORD}"}', 'url of a webhook takes one variable and nothing else'],
    ['{url: "${env:GATEWRIGHT_API_SECRET}"}', 'url of a webhook takes no variable of gatewright or of PostgreSQL'],
    ['{url: "${env:PGPASSWORD}"}', 'url of a webhook takes no variable of gatewright or of PostgreSQL'],
    ['{url: "http://chat.example/secret-part"}', 'url of a webhook takes an address that begins with https://'],
    ['{url: "https://a:secret-part@chat.example/"}', 'url of a webhook takes an address that holds no login'],
    ['{url: "secret-part"}', 'url of a webhook takes an address that can be read as a URL'],
    ['{format: slack}', 'lacks spec.notify.0.url'],
    ['{url: "${env:HOOK}", format: teams}', 'teams'],
    ['{url: "${env:HOOK}", on: [pending]}', 'pending'],
    ['{url: "${env:HOOK}", remind: soon}', 'a duration such as 24h or 7d'],
    ['{url: "${env:HOOK}", every: 24h}', 'every'],
  ])('with %s is an error at its position', async (item, words) => {
    const { world, told } = watched(`  notify: [${item}]\n`)
    const run = await world.run(['validate'])
    expect(run.exitCode).toBe(1)
    expect(run.stderr).toContain(words)
    expect(run.stderr).toContain('gatewright.yaml:6:')
    expect(run.stderr).not.toContain('secret-part')
    expect((await world.run(['drift'])).exitCode).toBe(1)
    expect(told()).toEqual([])
  })
})

test('a message that cannot be recorded is sent nevertheless, with a warning', async () => {
  const { world, told, drift } = await drifted(one)
  world.write('gatewright.yaml', projectWith(`${one}  records: file:manifests/all.yaml\n`))
  world.declare(role('one'))
  const run = await drift()
  expect(run.exitCode).toBe(1)
  expect(events(told())).toEqual(['error first'])
  expect(run.stderr).toContain('it is not known which messages webhooks got before')
  expect(readFileSync(join(world.dir, 'manifests/all.yaml'), 'utf8')).toBe(manifestText([role('one')]))
})

test('a receiver that never answers gets ten seconds, even if garbage is collected meanwhile', async () => {
  timers()
  const { world, drift } = await drifted(one)
  const { fetch } = world.make
  let posts = 0
  Object.assign(world.make, {
    fetch: (request: Request) => {
      if (new URL(request.url).host === 'platform.example') return fetch(request)
      posts += 1
      return new Promise<never>(() => undefined)
    },
  })
  const run = drift()
  await expect.poll(() => posts).toBe(1)
  collectGarbage()
  await vi.advanceTimersByTimeAsync(10_000)
  const { exitCode, stderr } = await run
  expect([exitCode, posts]).toEqual([2, 1])
  expect(stderr).toContain('was not told: no answer within the time allowed')
  expect(vi.getTimerCount()).toBe(0)
})
