import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { fetchTransport } from '../../src/client/fetch-transport.js'
import { type RunningPlatform, startPlatform } from '../../src/platform/listen.js'
import { gatewright } from '../cli/run.js'
import { type GitHost, git, gitHost } from '../kit/git.js'
import { type DocumentText, document, manifestText } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { writesIn } from '../kit/world.js'
import { bare, creationsOf, environmentOf, startProgram, until } from './process.js'

/**
 * The story of a team: every job is a fresh shallow clone without a cache, and the records are in git. The same story is
 * repeated with one folder that keeps its records: each step has the same output, and both areas end in the same state.
 */

const endpoint = (name: string) => ({
  name,
  requestPathAlias: `/${name}`,
  trafficManagerDomain: 'example.com',
  publicDomains: ['example.com'],
  methods: [{ name: 'm' }],
})

const domain = document('Domain', 'example.com')
const service = (name: string, more: object = {}) => document('Service', name, { ...more })
const many = Array.from({ length: 24 }, (_, index) => service(`S${index}`, { endpoints: [endpoint(`s${index}`)] }))

const allowed = ['KEY_LOSS', 'TRAFFIC_STOP', 'IRREVERSIBLE', 'AUTH_WEAKENED'].flatMap((each) => ['--allow', each])

/** One way to play the story; `job` returns the folder of a CI job at that moment. */
interface Team {
  readonly platform: RunningPlatform
  readonly dev: string
  readonly job: () => string
  readonly commit: (...documents: readonly DocumentText[]) => void
}

async function team(host: GitHost, records: string, job: (() => string) | undefined): Promise<Team> {
  const platform = await startPlatform({ autoApprove: true, idSeed: 'story' })
  const dev = host.clone()
  writeFileSync(
    join(dev, 'gatewright.yaml'),
    `apiVersion: gatewright/v1\nkind: Project\nmetadata: {name: story}\nspec:\n  manifests: [manifests]\n  records: ${records}\n  platform: {concurrency: 3, createPatience: 1s}\n  limits: {deletes: 1000, changedPercent: 100}\n`,
  )
  writeFileSync(join(dev, '.gitignore'), '.gatewright/\n')
  const commitAll = (): void => {
    git(dev, 'add', '--all')
    git(dev, 'commit', '--quiet', '--allow-empty', '-m', 'change')
    git(dev, 'push', '--quiet', 'origin', 'HEAD:main')
  }
  return {
    platform,
    dev,
    job: () => {
      commitAll()
      return job?.() ?? dev
    },
    commit: (...documents) => {
      mkdirSync(join(dev, 'manifests'), { recursive: true })
      writeFileSync(join(dev, 'manifests/all.yaml'), manifestText(documents))
    },
  }
}

type Fetch = (request: Request) => Promise<Response>

/** The real program in this process; its clock advances when it sleeps. */
function run(
  { platform }: Team,
  cwd: string,
  args: readonly string[],
  fetch: Fetch = (request) => platform.platform.fetch(request),
) {
  const transport = fetchTransport((url, init) => fetch(new Request(url, init)))
  const env = environmentOf(platform)
  return gatewright(args, { cwd, env, ...clock, transport: () => Promise.resolve(transport) })
}

let slept = 0
const clock = {
  now: () => Date.now() + slept,
  sleep: (milliseconds: number) => {
    slept += milliseconds
    return Promise.resolve()
  },
}

/** The output of a step, without parts that differ in every run. */
async function told(work: ReturnType<typeof run>) {
  const { exitCode, stdout, stderr } = await work
  try {
    const { summary, changes, diagnostics } = JSON.parse(stdout) as {
      readonly summary: unknown
      readonly changes?: unknown
      readonly diagnostics?: readonly { readonly code: string; readonly severity: string; readonly message: string }[]
    }
    // The advice about a missing base depends on the place of the records.
    const told = diagnostics?.map(({ code, severity, message }) => ({ code, severity, message }))
    return { exitCode, summary, changes: bare((changes ?? []) as never), diagnostics: told }
  } catch {
    return { exitCode, stdout, stderr }
  }
}

const apply = ['apply', '--yes', ...allowed, '-o', 'json']

/** The story; returns the output of each step, and the final state. */
async function tell(someone: Team) {
  const answers: Record<string, { readonly exitCode: number }> = {}
  const step = async (name: string, cwd: string, ...args: readonly string[]) => {
    answers[name] = await told(run(someone, cwd, args))
  }
  const { commit, job, platform } = someone

  commit(domain, service('A', { description: 'one', endpoints: [endpoint('a')] }), service('B'))
  await step('create', job(), ...apply)
  await step('nothing to do', job(), 'plan', '-o', 'json')

  commit(domain, service('A', { description: 'two', endpoints: [endpoint('a')] }), service('B'))
  await step('change', job(), ...apply)

  commit(domain, service('A', { description: 'two', endpoints: [endpoint('a')] }))
  await step('delete', job(), ...apply)

  const renamed = document(
    'Service',
    { name: 'C', formerly: ['A'] },
    { description: 'two', endpoints: [endpoint('a')] },
  )
  commit(domain, renamed)
  await step('rename', job(), ...apply)

  const rest = await restOf(platform.platform)
  const [found] = await rest.get('/services?fields=id,name&limit=100')
  await rest.put(`/services/${String(found?.id)}`, { name: 'C', description: 'by hand' })
  await step('drift', job(), 'drift', '-o', 'json')
  const accept = ['--accept', '--reason', 'INC-17', '--owner', 'ops', '--expires', '2099-12-01']
  // The person who accepts drift commits the file.
  await step('accept', someone.dev, 'drift', ...accept, '-o', 'json')
  await step('accepted', job(), 'drift', '-o', 'json')
  await step('left alone', job(), ...apply)

  commit(domain, renamed, ...many)
  await killed(someone, job(), 6)
  await killed(someone, job(), 5)
  const { exitCode } = await told(run(someone, job(), apply))
  answers['after the kills'] = { exitCode }

  commit(domain, renamed, ...many.slice(1))
  answers['two at once'] = await twoAtOnce(someone, job(), job())
  await step('in the end', job(), 'plan', '-o', 'json')

  const outcomes = JSON.parse((await run(someone, job(), ['history', '-o', 'json'])).stdout) as {
    readonly runs: readonly { readonly outcome: string }[]
  }
  return {
    answers,
    runs: outcomes.runs.map(({ outcome }) => outcome),
    created: creationsOf(platform.platform),
    content: await contentIn(someone, job()),
  }
}

/** Starts an apply in a separate process, and kills it when the platform has answered this number of writes. */
async function killed({ platform }: Team, cwd: string, writes: number): Promise<void> {
  const count = () => writesIn(platform.platform)
  const before = count()
  const started = startProgram(['apply', '--yes', ...allowed], cwd, platform)
  await until(started, () => count() - before >= writes)
  started.child.kill('SIGKILL')
  const { code, stderr } = await started.ended
  expect({ code, stderr }).toEqual({ code: null, stderr })
  expect(count() - before).toBeGreaterThanOrEqual(writes)
}

/** One holds the lock until the other one has reported it. */
async function twoAtOnce(someone: Team, one: string, two: string) {
  let answered: () => void = () => undefined
  const isAnswered = new Promise<void>((resolve) => {
    answered = resolve
  })
  let begun: () => void = () => undefined
  const hasBegun = new Promise<void>((resolve) => {
    begun = resolve
  })
  const first = told(
    run(someone, one, apply, async (request) => {
      if (request.method === 'DELETE') {
        begun()
        await isAnswered
      }
      return someone.platform.platform.fetch(request)
    }),
  )
  await hasBegun
  const second = await run(someone, two, apply)
  answered()
  const { diagnostics } = JSON.parse(second.stdout) as {
    readonly diagnostics: readonly { code: string; message: string }[]
  }
  expect(diagnostics[0]?.message).toMatch(/^\S+@\S+ has been applying to this area since .*process \d+ on /)
  return { ...(await first), second: [second.exitCode, diagnostics.map(({ code }) => code)] }
}

async function contentIn(someone: Team, cwd: string) {
  await run(someone, cwd, ['snapshot', '--out', 'content.json', '--quiet'])
  return bare(JSON.parse(readFileSync(join(cwd, 'content.json'), 'utf8')) as never)
}

test('create, change, delete, rename, drift, accept, two kills, two at once: the result is the same as with a folder', async () => {
  const host = gitHost()
  const other = gitHost()
  const inGit = await team(host, 'git', () => host.clone('--depth=1'))
  const inFolder = await team(other, 'file:.gatewright', undefined)
  onTestFinished(async () => {
    for (const each of [inGit, inFolder]) await each.platform.close()
    for (const each of [host, other]) each.remove()
  })
  const [told, expected] = await Promise.all([tell(inGit), tell(inFolder)])
  expect(told).toEqual(expected)
  const codes = Object.entries(told.answers).map(([name, { exitCode }]) => [name, exitCode])
  expect(codes.filter(([, code]) => code !== 0)).toEqual([['drift', 2]])
  expect(told.runs).toEqual(['done', 'done', 'interrupted', 'interrupted', 'done', 'done', 'done', 'done'])
})

test('a hook of git works with a project in a subfolder', async () => {
  const host = gitHost()
  const platform = await startPlatform({ autoApprove: true })
  onTestFinished(async () => {
    await platform.close()
    host.remove()
  })
  const dir = host.clone()
  mkdirSync(join(dir, 'shop'))
  const project = 'apiVersion: gatewright/v1\nkind: Project\nmetadata: {name: shop}\nspec: {records: git}\n'
  writeFileSync(join(dir, 'shop/gatewright.yaml'), project)
  writeFileSync(join(dir, 'shop/a.yaml'), manifestText([service('A')]))
  git(dir, 'add', '--all')
  git(dir, 'commit', '--quiet', '-m', 'change')
  const inHook = async (...args: readonly string[]) =>
    await startProgram(['-C', 'shop', ...args], dir, platform, 'GIT_DIR=.git GIT_INDEX_FILE=.git/index exec "$@"').ended
  expect(await inHook('apply', '--yes')).toMatchObject({ code: 0 })
  const { stdout } = await inHook('history', '-o', 'json')
  expect(JSON.parse(stdout)).toMatchObject({ runs: [{ commit: git(dir, 'rev-parse', 'HEAD').trim() }] })
})
