import { invalidOption, ProblemError } from '../problem.js'

/** What the command line says, parsed once: commands see these types and never the raw words. */

export const outputForms = ['text', 'json', 'markdown'] as const
export type OutputForm = (typeof outputForms)[number]

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
  /** Outranks the project file. */
  readonly prune: PruneMode | undefined
  readonly yes: boolean
  readonly allowReplace: boolean
  readonly skipBlocked: boolean
  /** Names of hazards that may happen. */
  readonly allow: readonly string[]
  /** How long to poll for domains that wait for approval; undefined: not at all. */
  readonly waitDomainsMs: number | undefined
}

/** `topic`: KIND or KIND.FIELD; undefined: all kinds. */
export interface ExplainOptions extends GlobalOptions {
  readonly topic: string | undefined
}

export interface SchemaOptions extends GlobalOptions {
  readonly kind: string | undefined
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
  readonly dialect: 'document' | 'recorded'
  readonly autoApprove: boolean
}

/** Option values as the parser of the command line gives them. */
export type RawOptions = Readonly<Record<string, unknown>>

export function globalOptions(raw: RawOptions, outputs: readonly OutputForm[]): GlobalOptions {
  return {
    directory: textOf(raw.directory) ?? '.',
    paths: textsOf(raw.file),
    environment: textOf(raw.env),
    url: textOf(raw.url),
    area: textOf(raw.area),
    output: wordOf('--output', textOf(raw.output) ?? 'text', outputs),
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
    allow: textsOf(raw.allow),
    waitDomainsMs: raw.waitDomains === undefined ? undefined : durationOf('--wait-domains', textOf(raw.waitDomains)),
  }
}

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

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** `30s`, `10m`, `1h`, `500ms`; a bare number is seconds. */
function durationOf(option: string, text: string | undefined): number {
  const [, count, unit = 's'] = /^(\d+)(ms|s|m|h)?$/.exec(text ?? '') ?? []
  const factor = unitMs[unit]
  if (count === undefined || factor === undefined) {
    throw new ProblemError([invalidOption(option, text ?? '', 'a duration, such as 30s, 10m or 1h')])
  }
  return Number(count) * factor
}
