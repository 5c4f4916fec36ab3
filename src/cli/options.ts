import { durationMs } from '../manifest/duration.js'
import { invalidOption, ProblemError } from '../problem.js'

/** What the command line says, parsed once: commands see these types and never the raw words. */

export const outputForms = ['text', 'json', 'markdown'] as const
export type OutputForm = (typeof outputForms)[number]

/** What `-o` may say: manifests are written as YAML by commands that have such an answer. */
export type OutputWord = OutputForm | 'yaml'

export const pruneModes = ['none', 'applied', 'all'] as const
export type PruneMode = (typeof pruneModes)[number]

/** The options that every command knows, before or after its name. */
export interface GlobalOptions {
  /** The folder of the project file, as written; relative to where the program runs. */
  readonly directory: string
  /** `-f`: manifests to read instead of those of the project file. */
  readonly paths: readonly string[]
  readonly environment: string | undefined
  readonly url: string | undefined
  readonly area: string | undefined
  readonly output: OutputForm
  /** Globs of addresses. */
  readonly select: readonly string[]
  /** `key=value` or `key`. */
  readonly labels: readonly string[]
  readonly logHttp: string | undefined
  /** False under --no-color: no stream gets any. */
  readonly color: boolean
  /** No progress on stderr. */
  readonly quiet: boolean
  /** Stack traces of internal errors. */
  readonly debug: boolean
}

/** The options of plan, apply and drift; a command that lacks a flag has it off. */
export interface RunOptions extends GlobalOptions {
  /** Differences make the exit code 2. */
  readonly exitCode: boolean
  /** `--prune`; see `pruneFor`. */
  readonly prune: PruneMode | undefined
  readonly yes: boolean
  readonly allowReplace: boolean
  readonly skipBlocked: boolean
  /** Which side has it where manifests and platform have both changed. */
  readonly take: 'manifest' | 'live' | undefined
  /** The git reference whose manifests were last applied, instead of the records. */
  readonly base: string | undefined
  /** Where a plan is saved. */
  readonly out: string | undefined
  /** Names of hazards that may happen. */
  readonly allow: readonly string[]
  /** How long to poll for domains that wait for approval; undefined: not at all. */
  readonly waitDomainsMs: number | undefined
  /** The plan is rehearsed on the embedded platform. */
  readonly prove: boolean
  /** A snapshot file that stands for the live area; nothing is sent. */
  readonly snapshot: string | undefined
}

/**
 * What the command line says of deletes, which outranks the project file; undefined: nothing. Whoever names a part of the
 * manifests (`-f`) does not say that the rest is to go.
 */
export const pruneFor = ({ prune, paths }: Pick<RunOptions, 'prune' | 'paths'>): PruneMode | undefined =>
  prune ?? (paths.length > 0 ? 'none' : undefined)

/** The options of apply: a saved plan, and whether another one of the same effect will do. */
export interface ApplyOptions extends RunOptions {
  readonly planFile: string | undefined
  readonly replan: boolean
  /** Only what the last run left undone. */
  readonly resume: boolean
}

export interface DriftOptions extends RunOptions {
  /** Drift is brought into the manifests that own it. */
  readonly write: boolean
  /** All that drifts now is accepted, for the reason, by the owner, until the day that the other options say. */
  readonly accept: 'now' | undefined
  /** The file of what is accepted, if it is not the usual one; seen from the project's folder. */
  readonly accepted: string | undefined
  readonly reason: string | undefined
  readonly owner: string | undefined
  /** The last day: `2027-01-31`. */
  readonly expires: string | undefined
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

export interface ExportOptions extends GlobalOptions {
  /** The folder that the manifests go to, relative to where the program runs. */
  readonly dir: string | undefined
  /** Kinds as written; empty: all. */
  readonly kinds: readonly string[]
  /** Fields that only repeat the platform's defaults are written as well. */
  readonly full: boolean
  /** Manifests whose objects are gone are removed. */
  readonly prune: boolean
  /** A snapshot file that stands for the live area. */
  readonly snapshot: string | undefined
}

/** `run`: a run's name, a beginning of it, or `latest`. */
export interface RollbackOptions extends RunOptions {
  readonly run: string
}

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

/** `kind` is a kind or an address; `name` undefined: all of the kind. */
export interface GetOptions extends GlobalOptions {
  readonly kind: string
  readonly name: string | undefined
  readonly form: 'text' | 'json' | 'yaml'
  readonly snapshot: string | undefined
}

/** `run`: a run's name, a beginning of it, or `latest`. */
export interface ShowOptions extends GlobalOptions {
  readonly run: string
}

/** The sides as written: a snapshot file, a folder of manifests, `live`, or an address of a platform. */
export interface DiffOptions extends GlobalOptions {
  readonly sides: readonly [string, string]
}

export type CiSystem = 'github' | 'gitlab' | 'none'

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
    prune: optionalWord('--prune', raw.prune, pruneModes),
    yes: raw.yes === true,
    allowReplace: raw.allowReplace === true,
    skipBlocked: raw.skipBlocked === true,
    take: optionalWord('--take', raw.take, ['manifest', 'live'] as const),
    base: textOf(raw.base),
    out: textOf(raw.out),
    allow: textsOf(raw.allow),
    prove: raw.prove === true,
    snapshot: textOf(raw.snapshot),
    waitDomainsMs: raw.waitDomains === undefined ? undefined : durationOf('--wait-domains', textOf(raw.waitDomains)),
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
