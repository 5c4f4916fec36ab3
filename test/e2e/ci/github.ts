import { appendFileSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { parse } from 'yaml'
import type { Shop } from './shop.js'

/** As much of GitHub Actions as the workflows use: expressions, steps in order, outputs, artifacts, summaries. */

interface Step {
  readonly id?: string
  readonly name?: string
  readonly if?: string
  readonly uses?: string
  readonly with?: Readonly<Record<string, unknown>>
  readonly run?: string
  readonly env?: Readonly<Record<string, string>>
}

interface Job {
  readonly if?: string
  readonly needs?: string
  readonly environment?: string
  readonly strategy?: { readonly matrix: { readonly environment: readonly string[] } }
  /** Another workflow of the repository, and its inputs. */
  readonly uses?: string
  readonly with?: Readonly<Record<string, string>>
  readonly outputs?: Readonly<Record<string, string>>
  readonly steps: readonly Step[]
}

type Results = Readonly<Record<string, JobResult>>

interface Workflow {
  readonly jobs: Readonly<Record<string, Job>>
}

/** What became of a job. */
interface JobResult {
  readonly result: 'success' | 'failure' | 'skipped'
  readonly outputs: Readonly<Record<string, string>>
  readonly summary: string
  /** What the steps wrote to the log. */
  readonly log: string
}

export interface Trigger {
  readonly workflow: 'plan' | 'apply' | 'drift'
  readonly branch: string
  /** The pull request comes from a fork: there are no secrets. */
  readonly fork?: boolean
  /** The input of a run by hand. */
  readonly options?: string
}

/** Runs all jobs of a workflow, each in a clone of the branch; those of a matrix are called `plan (dev)`. */
export function runGithub(shop: Shop, trigger: Trigger): Promise<Results> {
  const inputs = trigger.options === undefined ? {} : { options: trigger.options }
  return runWorkflow(`.github/workflows/gatewright-${trigger.workflow}.yaml`, inputs, { shop, trigger })
}

interface Run {
  readonly shop: Shop
  readonly trigger: Trigger
}

async function runWorkflow(path: string, inputs: Context, run: Run): Promise<Results> {
  const { shop, trigger } = run
  const artifacts = shop.temporary()
  const { jobs } = parse(readFileSync(join(shop.checkout(trigger.branch), path), 'utf8')) as Workflow
  const done: Record<string, JobResult> = {}
  for (const [name, job] of Object.entries(jobs)) {
    const of = (environment = ''): Context => ({ ...contextOf(shop, trigger, environment), inputs, needs: done })
    const waitsFor = job.needs === undefined ? undefined : done[job.needs]
    const runs = (waitsFor?.result ?? 'success') === 'success' && isTrue(job.if ?? 'true', of())
    if (runs && job.uses !== undefined) {
      const given = Object.entries(job.with ?? {}).map(([key, value]) => [key, filledIn(value, of())])
      const called = await runWorkflow(job.uses, Object.fromEntries(given), run)
      for (const [inner, result] of Object.entries(called)) done[`${name} / ${inner}`] = result
      const isFailure = Object.values(called).some(({ result }) => result === 'failure')
      done[name] = { ...skipped, result: isFailure ? 'failure' : 'success' }
      continue
    }
    for (const environment of job.strategy?.matrix.environment ?? [undefined]) {
      const matrix = environment === undefined ? {} : { environment }
      const named = filledIn(job.environment ?? '', { ...of(), matrix })
      const context = { ...of(named.replace(/-plan$/, '')), matrix }
      const key = environment === undefined ? name : `${name} (${environment})`
      done[key] = runs ? await runJob(job, shop, trigger, artifacts, context) : skipped
    }
  }
  return done
}

const skipped: JobResult = { result: 'skipped', outputs: {}, summary: '', log: '' }

type Context = Readonly<Record<string, unknown>>

function contextOf({ platformOf }: Shop, { branch, fork }: Trigger, environment: string): Context {
  const { url, area, username, password, apiKey, apiSecret } = platformOf(environment)
  return {
    github: {
      actor: 'dev',
      ref: `refs/heads/${branch}`,
      repository: 'acme/shop',
      token: 'github-token',
      event: {
        pull_request: { number: 3, head: { sha: 'c0ffee', repo: { full_name: fork ? 'mallory/shop' : 'acme/shop' } } },
      },
    },
    vars: { GATEWRIGHT_URL: url, GATEWRIGHT_AREA: area, GATEWRIGHT_USERNAME: username },
    secrets: fork
      ? {}
      : {
          GATEWRIGHT_PASSWORD: password,
          GATEWRIGHT_API_KEY: apiKey,
          GATEWRIGHT_API_SECRET: apiSecret,
          GATEWRIGHT_FINGERPRINT_KEY: 'a fingerprint key',
        },
  }
}

async function runJob(job: Job, shop: Shop, trigger: Trigger, artifacts: string, context: Context): Promise<JobResult> {
  const temporary = shop.temporary()
  const summary = join(temporary, 'summary')
  writeFileSync(summary, '')
  const steps: Record<string, { outputs: Record<string, string>; outcome: string }> = {}
  let [workspace, log, failed] = [temporary, '', false]
  for (const [index, step] of job.steps.entries()) {
    const known = { ...context, steps, cancelled: () => false }
    const condition = inner(step.if ?? 'true')
    const isDue = (/\bcancelled\(/.test(condition) || !failed) && isTrue(condition, known)
    const output = join(temporary, `output-${index}`)
    let outcome = 'skipped'
    if (isDue && step.uses !== undefined) {
      workspace = use(step, { workspace, artifacts, checkout: () => shop.checkout(trigger.branch) })
      outcome = 'success'
    }
    if (isDue && step.run !== undefined) {
      // What anybody may write into a title or a branch must not become part of a script.
      if (step.run.includes('${{')) throw new Error(`an expression in a script: ${step.run}`)
      writeFileSync(output, '')
      const env = Object.fromEntries(
        Object.entries(step.env ?? {}).map(([name, value]) => [name, filledIn(value, known)]),
      )
      const runner = { RUNNER_TEMP: temporary, GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary, ...defaults }
      const ended = await shop.shell(step.run, workspace, { ...runner, ...env })
      log += ended.output
      outcome = ended.code === 0 ? 'success' : 'failure'
      if (outcome === 'failure') {
        failed = true
        log += `${step.name}: exit code ${ended.code}\n`
      }
    }
    if (step.id !== undefined) steps[step.id] = { outcome, outputs: outputsIn(output) }
  }
  const outputs = Object.entries(job.outputs ?? {}).map(([name, value]) => [
    name,
    filledIn(value, { ...context, steps }),
  ])
  return {
    result: failed ? 'failure' : 'success',
    outputs: Object.fromEntries(outputs),
    summary: readFileSync(summary, 'utf8'),
    log,
  }
}

const defaults = {
  CI: 'true',
  GITHUB_ACTIONS: 'true',
  GITHUB_REPOSITORY: 'acme/shop',
  GITHUB_RUN_ID: '17',
  GITHUB_SERVER_URL: 'https://github.example',
}

interface Machine {
  readonly workspace: string
  readonly artifacts: string
  readonly checkout: () => string
}

/** The actions that the workflows use; gives the workspace after it. */
function use({ uses = '', with: input = {} }: Step, { workspace, artifacts, checkout }: Machine): string {
  const [action] = uses.split('@')
  const stored = join(artifacts, String(input.name))
  switch (action) {
    case 'actions/checkout':
      return checkout()
    case 'actions/setup-node':
      return workspace
    case 'actions/upload-artifact':
      mkdirSync(stored)
      copyFileSync(join(workspace, String(input.path)), join(stored, 'file'))
      appendFileSync(join(stored, 'name'), String(input.path))
      return workspace
    case 'actions/download-artifact':
      copyFileSync(join(stored, 'file'), join(workspace, readFileSync(join(stored, 'name'), 'utf8')))
      return workspace
  }
  throw new Error(`unknown action: ${uses}`)
}

function outputsIn(file: string): Record<string, string> {
  if (!existsSync(file)) return {}
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]))
}

const inner = (text: string): string => /^\$\{\{(.*)\}\}$/s.exec(text.trim())?.[1] ?? text

/** The expressions of the workflows mean the same in JavaScript. */
const evaluated = (expression: string, context: Context): unknown => runInNewContext(expression, { ...context })

const isTrue = (expression: string, context: Context): boolean => Boolean(evaluated(inner(expression), context))

const filledIn = (text: string, context: Context): string =>
  String(text).replaceAll(/\$\{\{(.*?)\}\}/g, (_, expression: string) => String(evaluated(expression, context) ?? ''))
