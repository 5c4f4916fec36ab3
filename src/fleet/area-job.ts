import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Diagnostic, diagnosticOf } from '../documents/diagnostics.js'
import type { AreaCommand, AreaDocument, AreaResult, AreaState } from '../documents/fleet.js'
import { readOrdinaryFile } from '../files/ordinary-file.js'
import { removeIfThere } from '../files/write-file.js'
import { isList, isObject, type Json, type JsonObject, parseJson } from '../json/json.js'
import type { KnownProjects } from '../manifest/known-project.js'
import type { ChildEnd, RunChild, TakeCalls } from '../ports/child.js'
import type { Ports } from '../ports/ports.js'
import { jobDied, jobFailed, jobNotStarted, jobTimedOut, jobUnanswered } from '../problems/fleet.js'
import { hasErrors, type Problem, ProblemError } from '../problems/problem.js'
import { valueWords } from './area-request.js'
import { areaVariables, withOwnVariables } from './area-variables.js'
import { changesDigest } from './common-changes.js'
import type { FleetArea, FleetKey } from './fleet.js'
import { ownNamesOf } from './own-names.js'

/** One command for one area: plain JSON without secrets. */
export interface AreaJob {
  readonly area: FleetArea
  /** The key that the area uses. */
  readonly key: Pick<FleetKey, 'credentials'> | undefined
  readonly command: AreaCommand
  /**
   * An absolute path. The job writes its reports there: `report.html`, `report.json`, and for `plan` also the saved plan
   * `plan.json`.
   */
  readonly folder: string
  /** Only for `apply`: the absolute path of the saved plan. If absent, the job makes a new plan and applies it without asking. */
  readonly planFile?: string
  /** Only for `plan`: saves the plan. */
  readonly save?: boolean
  /** Only for `apply` without a saved plan: finishes only what the last run left undone. */
  readonly resume?: boolean
  /** The maximum number of calls per second, as `slotsOf` divides them. */
  readonly requestsPerSecond?: number
  readonly timeoutMs: number
  /** Additional arguments of the command line, such as `['--allow', 'KEY_LOSS']`. */
  readonly words: readonly string[]
}

/** What a job gets from outside; `signal` asks the child to end. */
export type AreaPorts = Pick<Ports, 'env' | 'cwd' | 'now' | 'signal' | 'mask'> & {
  readonly child: RunChild
  /** Given if areas share the reading of their projects. */
  readonly projects?: KnownProjects
  /** Given if the key's calls per day are counted. */
  readonly calls?: TakeCalls
}

/**
 * Runs one area in its own process, only with the credentials and variables of that area, and returns the result. Never rejects
 * if something goes wrong in the area: the result then has the state `error`. Sends no requests itself.
 */
export async function runAreaJob(job: AreaJob, ports: AreaPorts): Promise<AreaResult> {
  const started = ports.now()
  const answer = await jobAnswer(job, ports)
  const { exit, document, diagnostics, files } = answer
  return {
    area: job.area.name,
    command: job.command,
    exit,
    state: answer.state ?? stateOf(job.command, exit, document),
    summary: document?.summary ?? {},
    requests: answer.requests,
    startedAt: new Date(started).toISOString(),
    seconds: (ports.now() - started) / 1000,
    changes: document ? changesDigest(document, ownNamesOf(job.area, ports)) : null,
    document,
    diagnostics: diagnostics.map((each) => ownDiagnostic(each, job, ports)),
    files,
  }
}

/** The result of a job that was not started. */
export const notStarted = (
  { area, command }: Pick<AreaResult, 'area' | 'command'>,
  problems: readonly Problem[],
  { now }: Pick<Ports, 'now'>,
): AreaResult => ({
  ...{ area, command, exit: null, state: 'not-started', summary: {}, requests: null, changes: null, document: null },
  ...{ startedAt: new Date(now()).toISOString(), seconds: 0, files: {}, diagnostics: problems.map(diagnosticOf) },
})

interface JobAnswer extends Pick<AreaResult, 'exit' | 'requests' | 'document' | 'diagnostics' | 'files'> {
  /** Given if exit code and document do not determine it. */
  readonly state?: AreaState
}

const nothing = { exit: null, requests: null, document: null, files: {} } as const

async function jobAnswer(job: AreaJob, ports: AreaPorts): Promise<JobAnswer> {
  try {
    const rate = job.requestsPerSecond
    const env = {
      ...areaVariables(job, ports),
      GATEWRIGHT_JOB: ports.calls ? 'counted' : 'area',
      ...(rate !== undefined && { GATEWRIGHT_REQUESTS_PER_SECOND: String(rate) }),
    }
    const files = filesOf(job)
    // A result of an earlier job must not be taken for the result of this job.
    for (const file of Object.values(files)) removeIfThere(file)
    const end = await ports.child({
      args: argumentsOf(job, files),
      cwd: ports.cwd,
      env,
      timeoutMs: job.timeoutMs,
      signal: ports.signal,
      ...(ports.calls && { calls: ports.calls }),
    })
    // The child was killed by the signal before it could handle it.
    if (end.is === 'killed' && ports.signal.aborted) return { ...nothing, state: 'interrupted', diagnostics: [] }
    return answered(job, end, files)
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    return { ...nothing, state: 'error', diagnostics: error.problems.map(diagnosticOf) }
  }
}

/** The files that a job writes. */
type JobFiles = Readonly<Record<'html' | 'json' | 'metrics' | 'plan', string>>

const filesOf = ({ folder }: AreaJob): JobFiles => ({
  html: join(folder, 'report.html'),
  json: join(folder, 'report.json'),
  metrics: join(folder, 'metrics.prom'),
  plan: join(folder, 'plan.json'),
})

/** The command line arguments that name the environment and the area of the project. */
export const whichArea = ({ environment, area }: FleetArea): readonly string[] => [
  ...(environment === undefined ? [] : ['-e', environment]),
  ...(area === undefined ? [] : ['--area', area]),
]

/** The command line arguments of a job. */
function argumentsOf(job: AreaJob, files: JobFiles): readonly string[] {
  const { area, command, planFile, save, resume, words } = job
  return [
    command,
    ...(planFile === undefined ? [] : [planFile]),
    ...['-C', area.project, '-o', 'json', '--quiet', '--color', 'never'],
    ...whichArea(area),
    ...valueWords(area.values).flatMap((words) => ['--value', words]),
    ...(command === 'apply' ? ['--yes'] : []),
    ...(save ? ['--out', files.plan] : []),
    ...(resume ? ['--resume'] : []),
    ...(['html', 'json'] as const).flatMap((format) => ['--report', `${format}=${files[format]}`]),
    ...['--report', `prometheus=${files.metrics}`],
    ...words,
  ]
}

/** The answer of the program, or the reason why there is none. */
function answered(job: AreaJob, end: ChildEnd, files: JobFiles): JobAnswer {
  const reported = parseJson(end.stdout)
  const requests = requestsIn(files.metrics)
  const common = { exit: end.is === 'exited' ? end.code : null, requests }
  // An interrupted apply may have done a part of its work (A270).
  const isCutOff = job.command === 'apply' && (end.is === 'killed' || end.is === 'timed out')
  const failed = (problem: Problem): JobAnswer => ({
    ...common,
    document: null,
    diagnostics: [diagnosticOf(problem)],
    files: {},
    state: isCutOff ? 'incomplete' : 'error',
  })
  if (end.is !== 'exited') return failed(whyUnanswered(job, end))
  const document = isDocument(reported) && reported.format === formats[job.command] ? reported : null
  const diagnostics = isObject(reported) ? diagnosticsIn(reported) : []
  if (end.code === interrupted) {
    return { ...common, document, diagnostics: [], files: document ? writtenBy(job, files) : {}, state: 'interrupted' }
  }
  if (!document && (diagnostics.length === 0 || end.code === 0)) return failed(whyUnanswered(job, end))
  // Other failures, such as a report that could not be written to a full disk, are reported on stderr only.
  const isReported = end.code !== 1 || hasErrors(diagnostics)
  const behind = isReported ? [] : [diagnosticOf(jobFailed(job.area.name, lastLines(end.stderr)))]
  return { ...common, document, diagnostics: [...behind, ...diagnostics], files: writtenBy(job, files) }
}

/** The reason why the process of an area gave no answer. */
export function whyUnanswered(
  { area: { name }, timeoutMs }: Pick<AreaJob, 'area' | 'timeoutMs'>,
  end: ChildEnd,
): Problem {
  switch (end.is) {
    case 'failed':
      return jobNotStarted(name, end.reason ?? '')
    case 'timed out':
      return jobTimedOut(name, timeoutMs)
    case 'killed':
      return jobDied(name, end.reason ?? '', lastLines(end.stderr))
    case 'exited':
      return jobUnanswered(name, end.code, lastLines(end.stderr))
  }
}

/** The exit code of a process that was asked to end and may have done a part of its work. */
export const interrupted = 130

const formats = { drift: 'gatewright.drift/1', plan: 'gatewright.plan/1', apply: 'gatewright.run/1' } as const

/** The output of a child is a document of this program, or garbage. */
const isDocument = (value: Json | undefined): value is AreaDocument & JsonObject =>
  isObject(value) &&
  isObject(value.summary) &&
  Object.values(value.summary).every((count) => typeof count === 'number') &&
  isObject(value.target) &&
  isList(value.changes) &&
  value.changes.every((change) => isObject(change) && typeof change.address === 'string') &&
  (value.format !== formats.drift || (isList(value.unmanaged) && isList(value.accepted))) &&
  isList(value.diagnostics)

const isDiagnostic = (value: Json): value is Diagnostic & JsonObject =>
  isObject(value) && [value.code, value.severity, value.message].every((each) => typeof each === 'string')

/** Errors and warnings. A plan also has the reasons for its refusal. */
function diagnosticsIn(reported: JsonObject): readonly Diagnostic[] {
  const lists = [reported.refused, reported.diagnostics].flatMap((each) => (isList(each) ? each : []))
  return lists.filter(isDiagnostic).filter(({ severity }) => severity !== 'note')
}

function writtenBy({ save }: AreaJob, { html, json, plan }: JobFiles): AreaResult['files'] {
  const isThere = (file: string) => existsSync(file)
  return {
    ...(isThere(html) && { html }),
    ...(isThere(json) && { json }),
    ...(save && isThere(plan) && { plan }),
  }
}

/**
 * The number of requests of this job, from its metrics (counts of earlier jobs are not included), plus one for the token. Null if
 * there are no metrics: if a job is cut off, nobody knows its number of requests.
 */
function requestsIn(file: string): number | null {
  try {
    const text = readOrdinaryFile(file, { largest: 2 ** 20, pipes: 'refuse' }).toString()
    const [, count] = /^gatewright_requests_total\{.*\} (\d+)$/m.exec(text) ?? []
    return count === undefined || count === '0' ? null : Number(count) + 1
  } catch {
    return null
  }
}

/** The state of an area, from the exit code of its command (design: "Exit codes") and its document. */
function stateOf(command: AreaCommand, exit: number | null, document: AreaDocument | null): AreaState {
  switch (exit) {
    case 0:
      return document ? wellEnded(command, document) : 'error'
    case 2:
      return document && hasConflict(document) ? 'conflict' : 'drift'
    case 3:
      return 'incomplete'
    case 4:
      return 'stale'
    case 5:
      return 'refused'
    default:
      return 'error'
  }
}

function wellEnded(command: AreaCommand, { changes, summary }: AreaDocument): AreaState {
  switch (command) {
    case 'drift':
      // A change in the manifests that is not applied yet is no drift, but the area is not in sync either (A354).
      return changes.some((change) => 'side' in change && change.side === 'manifest') ? 'pending' : 'in-sync'
    case 'plan':
      return changes.length === 0 ? 'in-sync' : 'pending'
    case 'apply':
      return 'applied' in summary && summary.applied > 0 ? 'applied' : 'in-sync'
  }
}

const hasConflict = (document: AreaDocument): boolean =>
  document.format !== 'gatewright.run/1' &&
  document.changes.some(({ fields }) => fields.some(({ verdict }) => verdict === 'conflict'))

/** The last lines of the error output of a child that failed. */
const lastLines = (text: string): string =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-3)
    .join('\n')
    .slice(-500)

/** The diagnostic with secrets masked, and with a hint that names the variables from the fleet file. */
function ownDiagnostic(each: Diagnostic, job: AreaJob, { mask }: Pick<Ports, 'mask'>): Diagnostic {
  const { message, hint } = each
  return { ...each, message: mask(message), ...(hint !== undefined && { hint: mask(withOwnVariables(hint, job)) }) }
}
