import { copyFileSync, existsSync } from 'node:fs'
import { join, normalize } from 'node:path'
import { runInNewContext } from 'node:vm'
import { expect } from 'vitest'
import { parse } from 'yaml'
import type { Shop } from './shop.js'

/** The parts of GitLab CI that the jobs use: rules, the inherited template, scripts in one shell, artifacts of needed jobs. */

interface Rule {
  readonly if: string
  readonly when?: string
}

interface Job {
  readonly extends?: string
  readonly variables?: Readonly<Record<string, string>>
  readonly parallel?: { readonly matrix: readonly [{ readonly GATEWRIGHT_ENV: readonly string[] }] }
  readonly before_script?: readonly string[]
  readonly script: readonly string[]
  readonly needs?: readonly string[]
  readonly rules: readonly Rule[]
  readonly artifacts?: { readonly paths: readonly string[]; readonly reports?: Readonly<Record<string, string>> }
}

/** The inputs of a file that others include. */
interface Component {
  readonly spec: { readonly inputs: Readonly<Record<string, { readonly default?: string; readonly regex?: string }>> }
}

/** The result of a job: its exit code, its log and its artifacts. */
export interface JobResult {
  readonly code: number | null
  readonly log: string
  readonly files: Readonly<Record<string, string>>
}

export interface Pipeline {
  readonly branch: string
  readonly source: 'merge_request_event' | 'push' | 'schedule' | 'web'
  /** The merge request comes from a fork: there are no variables of the project. */
  readonly fork?: boolean
  /** More variables, such as those of a manual run. */
  readonly variables?: Readonly<Record<string, string>>
}

/** Runs the jobs whose rules match, manual ones as if somebody had started them, each in a clone of the branch. */
export async function runGitlab(shop: Shop, pipeline: Pipeline): Promise<Readonly<Record<string, JobResult>>> {
  const { include } = parse(shop.read(pipeline.branch, '.gitlab-ci.yml')) as {
    readonly include: readonly [{ readonly local: string; readonly inputs?: Readonly<Record<string, string>> }]
  }
  const text = withInputs(shop.read(pipeline.branch, include[0].local), include[0].inputs ?? {})
  const all = parse(text, { customTags: [reference] }) as Readonly<Record<string, Job>>
  const predefined = predefinedFor(pipeline)
  const done: Record<string, JobResult> = {}
  for (const name of Object.keys(all).filter((each) => !each.startsWith('.'))) {
    const job = extended(name, all)
    const fits = job.rules.some((rule) => holds(rule.if, predefined))
    const isReady = (job.needs ?? []).every((needed) => done[needed]?.code === 0)
    if (!fits || !isReady) continue
    for (const environment of job.parallel?.matrix[0].GATEWRIGHT_ENV ?? [undefined]) {
      const variables = { ...job.variables, ...(environment !== undefined && { GATEWRIGHT_ENV: environment }) }
      const key = environment === undefined ? name : `${name}: [${environment}]`
      done[key] = await runJob({ ...job, variables }, shop, pipeline, predefined, done)
    }
  }
  return done
}

/** The text after the header of a component, with its inputs filled in; for another file, the whole text. */
function withInputs(text: string, given: Readonly<Record<string, string>>): string {
  const [header = '', ...rest] = text.split('\n---\n')
  if (rest.length === 0) return text
  const { inputs } = (parse(header) as Component).spec
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(inputs, name))
  if (unknown.length > 0) throw new Error(`inputs that the component lacks: ${unknown.join(', ')}`)
  return rest.join('\n---\n').replaceAll(/\$\[\[ inputs\.([\w-]+) \]\]/g, (_, name: string) => {
    const value = given[name] ?? inputs[name]?.default
    if (value === undefined) throw new Error(`no input ${name}`)
    if (!new RegExp(inputs[name]?.regex ?? '').test(value)) throw new Error(`${name} may not be ${value}`)
    return value
  })
}

/** A job with the jobs that it extends; mappings such as the variables are merged. */
function extended(name: string, all: Readonly<Record<string, Job>>): Job {
  const own = all[name]
  if (!own) throw new Error(`no job ${name}`)
  if (own.extends === undefined) return own
  const parent = extended(own.extends, all)
  return { ...parent, ...own, variables: { ...parent.variables, ...own.variables } }
}

const reference = { tag: '!reference', collection: 'seq', default: false, identify: () => false } as const

function predefinedFor({ source, branch, fork }: Pipeline): Readonly<Record<string, string>> {
  const always = {
    CI: 'true',
    CI_API_V4_URL: 'https://gitlab.example/api/v4',
    CI_COMMIT_SHA: 'c0ffee',
    CI_DEFAULT_BRANCH: 'main',
    CI_JOB_URL: 'https://gitlab.example/acme/shop/-/jobs/17',
    CI_PIPELINE_SOURCE: source,
    CI_PROJECT_ID: '7',
  }
  return source === 'merge_request_event'
    ? { ...always, CI_MERGE_REQUEST_IID: '3', CI_MERGE_REQUEST_SOURCE_PROJECT_ID: fork ? '8' : '7' }
    : { ...always, CI_COMMIT_BRANCH: branch }
}

/** Rules are comparisons of variables and words, with the same syntax as in JavaScript. */
const holds = (rule: string, variables: Readonly<Record<string, string>>): boolean => {
  const known = Object.fromEntries(Object.entries(variables).map(([name, value]) => [`$${name}`, value]))
  const named = Object.fromEntries((rule.match(/\$\w+/g) ?? []).map((name) => [name, null]))
  return Boolean(runInNewContext(rule, { ...named, ...known }))
}

async function runJob(
  job: Job,
  shop: Shop,
  { branch, fork, variables }: Pipeline,
  predefined: Readonly<Record<string, string>>,
  done: Readonly<Record<string, JobResult>>,
): Promise<JobResult> {
  const workspace = shop.checkout(branch)
  for (const needed of job.needs ?? []) {
    for (const [path, kept] of Object.entries(done[needed]?.files ?? {})) copyFileSync(kept, join(workspace, path))
  }
  const { url, area, username, password, apiKey, apiSecret } = shop.platformOf(job.variables?.GATEWRIGHT_ENV ?? '')
  const ofProject = fork
    ? {}
    : {
        GATEWRIGHT_URL: url,
        GATEWRIGHT_AREA: area,
        GATEWRIGHT_USERNAME: username,
        GATEWRIGHT_PASSWORD: password,
        GATEWRIGHT_API_KEY: apiKey,
        GATEWRIGHT_API_SECRET: apiSecret,
        GATEWRIGHT_FINGERPRINT_KEY: 'a fingerprint key',
        GITLAB_TOKEN: 'gitlab-token',
      }
  const env = { ...predefined, ...job.variables, ...ofProject, ...variables }
  const script = [...(job.before_script ?? []), ...job.script].join('\n')
  const { code, output } = await shop.shell(script, workspace, env)
  const paths = [...(job.artifacts?.paths ?? []), ...Object.values(job.artifacts?.reports ?? {})].map(normalize)
  const kept = paths.filter((path) => existsSync(join(workspace, path)))
  return { code, log: output, files: Object.fromEntries(kept.map((path) => [path, join(workspace, path)])) }
}

/** A job with a wrong token fails, and says what is wrong with it. */
export async function refusesToken(shop: Shop, name: string): Promise<void> {
  const variables = { GITLAB_TOKEN: 'expired' }
  const { [name]: job } = await runGitlab(shop, { branch: 'returns', source: 'merge_request_event', variables })
  expect(job?.code).toBe(1)
  expect(job?.log).toContain('The comments cannot be read: is GITLAB_TOKEN a valid project access token')
  expect(job?.log).not.toContain('SyntaxError')
}

/** A job updates its own comment, behind any number of others, and leaves those alone whatever they begin with. */
export async function keepsOneComment(shop: Shop, name: string): Promise<void> {
  const [own] = shop.forge().comments
  const others = Array.from({ length: 250 }, (_, id) => ({
    ...{ id: 1000 + id, state: 'open', author: { id: 7 } },
    body: `${own?.body?.split('\n')[0]}\nof somebody else`,
  }))
  shop.comment([...others, { id: 1, state: 'open', author: { id: 42 }, body: `${own?.body?.split('\n')[0]}\nold` }])
  const { [name]: job } = await runGitlab(shop, { branch: 'returns', source: 'merge_request_event' })
  expect(job?.code, job?.log).toBe(0)
  expect(shop.forge().comments).toEqual([
    ...others,
    { id: 1, state: 'open', author: { id: 42 }, body: expect.stringContaining('c0ffee, [job]') },
  ])
  shop.comment(own ? [own] : [])
}
