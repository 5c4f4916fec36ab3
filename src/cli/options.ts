import type {
  ApplyRequest,
  CiSystem,
  DiffRequest,
  DriftRequest,
  ExportRequest,
  GetRequest,
  PlanRequest,
  ProjectRequest,
  RollbackRequest,
} from '../engine/requests.js'
import { durationMs } from '../manifest/duration.js'
import { ProblemError } from '../problems/problem.js'
import { invalidOption } from '../problems/project.js'

/** What the command line says, parsed once: commands see these types and never the raw words. */

export const outputForms = ['text', 'json', 'markdown'] as const
export type OutputForm = (typeof outputForms)[number]

/** What `-o` may say: manifests are written as YAML by commands that have such an answer. */
export type OutputWord = OutputForm | 'yaml'

/** The options that every command knows, before or after its name. */
export interface GlobalOptions extends ProjectRequest {
  readonly environment: string | undefined
  readonly output: OutputForm
  /** False under --no-color: no stream gets any. */
  readonly color: boolean
  /** No progress on stderr. */
  readonly quiet: boolean
  /** Stack traces of internal errors. */
  readonly debug: boolean
}

/** The options of plan, apply and drift; a command that lacks a flag has it off. */
export interface RunOptions extends GlobalOptions, PlanRequest {
  /** Differences make the exit code 2. */
  readonly exitCode: boolean
  readonly yes: boolean
  /** Where a plan is saved. */
  readonly out: string | undefined
  /** The plan is rehearsed on the embedded platform. */
  readonly prove: boolean
}

export type ApplyOptions = RunOptions & ApplyRequest
export type DriftOptions = RunOptions & DriftRequest
export type RollbackOptions = RunOptions & RollbackRequest
export type ExportOptions = GlobalOptions & ExportRequest
export type DiffOptions = GlobalOptions & DiffRequest
export type GetOptions = GlobalOptions & GetRequest & { readonly form: 'text' | 'json' | 'yaml' }

/** `topic`: KIND or KIND.FIELD; undefined: all kinds. */
export interface ExplainOptions extends GlobalOptions {
  readonly topic: string | undefined
}

export interface SchemaOptions extends GlobalOptions {
  readonly kind: string | undefined
}

export interface SnapshotOptions extends GlobalOptions {
  readonly out: string | undefined
}

/** `run`: a run's name, a beginning of it, or `latest`. */
export interface ShowOptions extends GlobalOptions {
  readonly run: string
}

export interface InitOptions extends GlobalOptions {
  readonly name: string | undefined
  readonly content: 'example' | 'export' | undefined
  readonly ci: CiSystem | undefined
}

/** The options of `gatewright platform`, the values as written. */
export interface PlatformOptions extends GlobalOptions {
  readonly port: number
  readonly data: string | undefined
  readonly seed: string | undefined
  readonly latencyMs: number | undefined
  readonly qps: number | undefined
  readonly dailyQuota: number | undefined
  readonly faults: readonly string[]
  /** The name of the error set that services get by themselves; "" for none. */
  readonly errorSet: string | undefined
  readonly ignoreNested: readonly string[]
  readonly dialect: 'document' | 'recorded'
  readonly autoApprove: boolean
}

/** `--accept` may name the file at once. */
export const driftOptions = (raw: RawOptions, global: GlobalOptions): DriftOptions => ({
  ...runOptions(raw, global),
  write: raw.write === true,
  accept: raw.accept === undefined ? undefined : 'now',
  accepted: textOf(raw.accepted) ?? textOf(raw.accept),
  reason: textOf(raw.reason),
  owner: textOf(raw.owner),
  expires: textOf(raw.expires),
})

export const applyOptions = (raw: RawOptions, planFile: string | undefined, global: GlobalOptions): ApplyOptions => ({
  ...runOptions(raw, global),
  planFile,
  replan: raw.replan === true,
  resume: raw.resume === true,
  waitDomainsMs: raw.waitDomains === undefined ? 0 : durationOf('--wait-domains', textOf(raw.waitDomains)),
})

/** Option values as the parser of the command line gives them. */
export type RawOptions = Readonly<Record<string, unknown>>

export function globalOptions(raw: RawOptions, outputs: readonly OutputWord[]): GlobalOptions {
  const output = wordOf('--output', textOf(raw.output) ?? 'text', outputs)
  return {
    directory: textOf(raw.directory) ?? '.',
    paths: textsOf(raw.file),
    environment: textOf(raw.env),
    url: textOf(raw.url),
    area: textOf(raw.area),
    // Problems of a command that answers YAML are text.
    output: output === 'yaml' ? 'text' : output,
    select: textsOf(raw.select),
    labels: textsOf(raw.label),
    logHttp: textOf(raw.logHttp),
    color: raw.color !== false,
    quiet: raw.quiet === true,
    debug: raw.debug === true,
  }
}

export function runOptions(raw: RawOptions, global: GlobalOptions): RunOptions {
  return {
    ...global,
    exitCode: raw.exitCode === true,
    prune: optionalWord('--prune', raw.prune, ['none', 'applied', 'all'] as const),
    yes: raw.yes === true,
    allowReplace: raw.allowReplace === true,
    skipBlocked: raw.skipBlocked === true,
    take: optionalWord('--take', raw.take, ['manifest', 'live'] as const),
    base: textOf(raw.base),
    out: textOf(raw.out),
    allow: textsOf(raw.allow),
    prove: raw.prove === true,
    snapshot: textOf(raw.snapshot),
  }
}

export const snapshotOptions = (raw: RawOptions, global: GlobalOptions): SnapshotOptions => ({
  ...global,
  out: textOf(raw.out),
})

export function getOptions(
  raw: RawOptions,
  [kind = '', name]: readonly (string | undefined)[],
  global: GlobalOptions,
): GetOptions {
  const form = raw.output === 'yaml' || raw.output === 'json' ? raw.output : 'text'
  return { ...global, kind, name, form, snapshot: textOf(raw.snapshot) }
}

export const diffOptions = ([a = '', b = '']: readonly (string | undefined)[], global: GlobalOptions): DiffOptions => ({
  ...global,
  sides: [a, b],
})

export function initOptions(raw: RawOptions, global: GlobalOptions): InitOptions {
  const asked = raw.export === true ? 'export' : undefined
  return {
    ...global,
    name: textOf(raw.name),
    content: raw.example === true ? 'example' : asked,
    ci: optionalWord('--ci', raw.ci, ['github', 'gitlab', 'none'] as const),
  }
}

export const exportOptions = (raw: RawOptions, global: GlobalOptions): ExportOptions => ({
  ...global,
  dir: textOf(raw.dir),
  kinds: textsOf(raw.kind),
  full: raw.full === true,
  prune: raw.prune === true,
  snapshot: textOf(raw.snapshot),
})

export function platformOptions(raw: RawOptions, global: GlobalOptions): PlatformOptions {
  return {
    ...global,
    port: countOf('--port', raw.port) ?? 8080,
    data: textOf(raw.data),
    seed: textOf(raw.seed),
    latencyMs: countOf('--latency', raw.latency),
    qps: countOf('--qps', raw.qps),
    dailyQuota: countOf('--daily-quota', raw.dailyQuota),
    faults: textsOf(raw.fault),
    errorSet: raw.errorSet === 'none' ? '' : textOf(raw.errorSet),
    ignoreNested: textsOf(raw.ignoreNested),
    dialect: wordOf('--dialect', textOf(raw.dialect) ?? 'document', ['document', 'recorded']),
    autoApprove: raw.autoApprove === true,
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []

function optionalWord<Word extends string>(option: string, value: unknown, words: readonly Word[]): Word | undefined {
  const text = textOf(value)
  return text === undefined ? undefined : wordOf(option, text, words)
}

function wordOf<Word extends string>(option: string, text: string, words: readonly Word[]): Word {
  const word = words.find((each) => each === text)
  if (word === undefined) throw new ProblemError([invalidOption(option, text, `one of: ${words.join(', ')}`)])
  return word
}

function countOf(option: string, value: unknown): number | undefined {
  const text = textOf(value)
  if (text === undefined) return undefined
  if (!/^\d+$/.test(text)) throw new ProblemError([invalidOption(option, text, 'a whole number')])
  return Number(text)
}

function durationOf(option: string, text: string | undefined): number {
  const milliseconds = durationMs(text ?? '')
  if (milliseconds === undefined) {
    throw new ProblemError([invalidOption(option, text ?? '', 'a duration, such as 30s, 10m or 1h')])
  }
  return milliseconds
}
