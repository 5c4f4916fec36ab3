import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { parse } from 'yaml'
import type { Shop } from './shop.js'

/**
 * The parts of GitHub Actions that the workflows use: expressions, steps in order, our Action, outputs, artifacts, summaries.
 */

interface Step {
  readonly id?: string
  readonly name?: string
  readonly if?: string
  readonly uses?: string
  readonly with?: Readonly<Record<string, unknown>>
  readonly run?: string
  readonly env?: Readonly<Record<string, string>>
  readonly 'working-directory'?: string
}

/** An action that consists of steps. */
interface Composite {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>
  readonly outputs: Readonly<Record<string, { readonly value: string }>>
  readonly runs: { readonly steps: readonly Step[] }
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

/** The result of a job. */
interface JobResult {
  readonly result: 'success' | 'failure' | 'skipped'
  readonly outputs: Readonly<Record<string, string>>
  readonly summary: string
  /** The output of the steps in the log. */
  readonly log: string
  /** The files of each artifact of the run so far. */
  readonly artifacts: Readonly<Record<string, readonly string[]>>
}

export interface Trigger {
  /** The name of the file, without `gatewright-`. */
  readonly workflow: string
  readonly branch: string
  readonly event?: 'pull_request' | 'push' | 'schedule'
  /** The pull request comes from a fork: there are no secrets. */
  readonly fork?: boolean
  /** The input of a manual run. */
  readonly options?: string
}

/** Runs all jobs of a workflow, each in a clone of the branch; those of a matrix are named `plan (dev)`. */
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
  const { jobs } = parse(shop.read(trigger.branch, path)) as Workflow
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

const skipped: JobResult = { result: 'skipped', outputs: {}, summary: '', log: '', artifacts: {} }

type Context = Readonly<Record<string, unknown>>

function contextOf({ platformOf }: Shop, { branch, fork, event }: Trigger, environment: string): Context {
  const { url, area, username, password, apiKey, apiSecret } = platformOf(environment)
  return {
    github: {
      actor: 'dev',
      event_name: event,
      ref: `refs/heads/${branch}`,
      repository: 'acme/shop',
      token: 'github-token',
      event: {
        repository: { default_branch: 'main' },
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
  const env = { RUNNER_TEMP: temporary, GITHUB_STEP_SUMMARY: summary, ...defaults }
  const machine: Machine = { shop, artifacts, branch: trigger.branch, temporary, env, workspace: temporary, log: '' }
  const { failed, steps } = await runSteps(job.steps, machine, context)
  return {
    result: failed ? 'failure' : 'success',
    outputs: filledInAll(job.outputs ?? {}, { ...context, steps }),
    summary: readFileSync(summary, 'utf8'),
    log: machine.log,
    artifacts: Object.fromEntries(
      readdirSync(artifacts).map((name) => [name, readdirSync(join(artifacts, name)).sort()]),
    ),
  }
}

/** The data that the steps of a job share. */
interface Machine {
  readonly shop: Shop
  readonly artifacts: string
  readonly branch: string
  readonly temporary: string
  readonly env: Readonly<Record<string, string>>
  workspace: string
  log: string
}

interface Steps {
  readonly failed: boolean
  readonly steps: Readonly<Record<string, StepEnd>>
}

interface StepEnd {
  readonly outcome: string
  readonly outputs: Readonly<Record<string, string>>
}

/** `around`: the variables of the step that contains these steps. */
async function runSteps(
  all: readonly Step[],
  machine: Machine,
  context: Context,
  around: Readonly<Record<string, string>> = {},
): Promise<Steps> {
  const steps: Record<string, StepEnd> = {}
  let failed = false
  for (const step of all) {
    const known = { ...context, steps, cancelled: () => false, format }
    const condition = inner(step.if ?? 'true')
    const isDue = (/\bcancelled\(/.test(condition) || !failed) && isTrue(condition, known)
    const env = { ...around, ...filledInAll(step.env ?? {}, known) }
    const end = isDue ? await runStep(step, machine, known, env) : { outcome: 'skipped', outputs: {} }
    if (end.outcome === 'failure') failed = true
    if (step.id !== undefined) steps[step.id] = end
  }
  return { failed, steps }
}

async function runStep(
  step: Step,
  machine: Machine,
  known: Context,
  env: Readonly<Record<string, string>>,
): Promise<StepEnd> {
  if (step.uses?.startsWith(ourAction)) return runAction(step, machine, known, env)
  if (step.uses !== undefined) use(step, machine, known)
  if (step.run === undefined) return { outcome: 'success', outputs: {} }
  // The text of a title or a branch must not become part of a script.
  if (step.run.includes('${{')) throw new Error(`an expression in a script: ${step.run}`)
  const output = join(machine.shop.temporary(), 'output')
  writeFileSync(output, '')
  const folder = join(machine.workspace, filledIn(step['working-directory'] ?? '.', known))
  const ended = await machine.shop.shell(step.run, folder, { ...machine.env, GITHUB_OUTPUT: output, ...env })
  machine.log += ended.output
  if (ended.code !== 0) machine.log += `${step.name}: exit code ${ended.code}\n`
  return { outcome: ended.code === 0 ? 'success' : 'failure', outputs: outputsIn(output) }
}

/** The Action of this repository, from any repository. */
const ourAction = 'OWNER/gatewright/ci/github@'

async function runAction(
  step: Step,
  machine: Machine,
  known: Context,
  env: Readonly<Record<string, string>>,
): Promise<StepEnd> {
  const path = join(import.meta.dirname, '../../../ci/github')
  const action = parse(readFileSync(join(path, 'action.yml'), 'utf8')) as Composite
  const given = filledInAll(step.with ?? {}, known)
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(action.inputs, name))
  if (unknown.length > 0) throw new Error(`inputs that the action lacks: ${unknown.join(', ')}`)
  const standing = Object.entries(action.inputs).map(([name, input]) => [name, filledIn(input.default ?? '', known)])
  const inputs = { ...Object.fromEntries(standing), ...given }
  const inside = { ...known, inputs, secrets: undefined, vars: undefined }
  const { failed, steps } = await runSteps(action.runs.steps, machine, inside, { ...env, GITHUB_ACTION_PATH: path })
  const values = Object.entries(action.outputs).map(([name, { value }]) => [name, value] as const)
  const outputs = filledInAll(Object.fromEntries(values), { ...inside, steps })
  return { outcome: failed ? 'failure' : 'success', outputs }
}

const defaults = {
  CI: 'true',
  GITHUB_ACTIONS: 'true',
  GITHUB_REPOSITORY: 'acme/shop',
  GITHUB_RUN_ID: '17',
  GITHUB_SERVER_URL: 'https://github.example',
}

/** The actions of others that the workflows use. */
function use({ uses = '', with: input = {} }: Step, machine: Machine, known: Context): void {
  const [action] = uses.split('@')
  const stored = join(machine.artifacts, filledIn(String(input.name), known))
  const path = filledIn(String(input.path ?? '.'), known)
  switch (action) {
    case 'actions/checkout':
      machine.workspace = machine.shop.checkout(machine.branch)
      return
    case 'actions/setup-node':
      return
    case 'actions/upload-artifact': {
      const file = path.startsWith('/') ? path : join(machine.workspace, path)
      mkdirSync(stored)
      if (statSync(file).isDirectory()) cpSync(file, stored, { recursive: true })
      else cpSync(file, join(stored, basename(file)))
      return
    }
    case 'actions/download-artifact':
      for (const file of readdirSync(stored)) cpSync(join(stored, file), join(machine.workspace, path, file))
      return
  }
  throw new Error(`unknown action: ${uses}`)
}

function outputsIn(file: string): Record<string, string> {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]))
}

const inner = (text: string): string => /^\$\{\{(.*)\}\}$/s.exec(text.trim())?.[1] ?? text

/** The expressions of the workflows mean the same in JavaScript, except names with dashes. */
const evaluated = (expression: string, context: Context): unknown =>
  runInNewContext(expression.replaceAll(/\.([a-z]+(?:-[a-z]+)+)/g, "['$1']"), { ...context })

const isTrue = (expression: string, context: Context): boolean => Boolean(evaluated(inner(expression), context))

/** The function `format` of expressions. */
const format = (text: string, ...values: readonly unknown[]): string =>
  text.replaceAll(/\{(\d+)\}/g, (_, index: string) => String(values[Number(index)]))

const filledInAll = (texts: Readonly<Record<string, unknown>>, context: Context): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, filledIn(String(text), context)]))

const filledIn = (text: string, context: Context): string =>
  String(text).replaceAll(/\$\{\{(.*?)\}\}/g, (_, expression: string) => String(evaluated(expression, context) ?? ''))
