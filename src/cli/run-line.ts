import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { maskOf } from '../engine/masking.js'
import { vaultOf } from '../engine/vault.js'
import { globBase, isGlob } from '../files/glob.js'
import { join, normalizePath } from '../files/paths.js'
import { thrownProblems } from '../files/thrown-problems.js'
import { commandInterrupted } from '../problems/platform.js'
import { type Problem, ProblemError } from '../problems/problem.js'
import { badUsage, emptyWord, extraArgument, hasNoEffect, missingArgument } from '../problems/project.js'
import { outputLost } from '../problems/records.js'
import type { CommandEnd } from './command-end.js'
import type { CommandLine } from './command-line.js'
import { argumentsOf, type CommandRow, commandName, commands, type Invocation } from './commands.js'
import { exit } from './exit.js'
import type { Masked, World } from './io.js'
import { optionValues, wordIn } from './option.js'
import { type GlobalName, type GlobalOptions, globals } from './options.js'
import { withProgress } from './progress.js'
import { inProject } from './project-folder.js'
import { reportsIn, takesStdout } from './report-requests.js'
import { reportedProblems, writeReports } from './reports.js'
import { countingRequests } from './request-count.js'
import { streamThrough, withSafeStreams } from './safe-stream.js'
import { showProblems } from './show.js'

/** Runs the requested command, or shows why it cannot run, and returns the exit code. Never throws. */
export async function runLine(line: CommandLine, args: readonly string[], given: World): Promise<number> {
  const { world, requests } = countingRequests(masked(given))
  const safe = withSafeStreams(world)
  const exitCode = await exitCodeOf(line, args, { world: safe, raw: world, requests })
  const reason = await world.stdout.delivered?.()
  const row = line.is === 'command' ? line.row : undefined
  return reason === undefined ? exitCode : withoutOutput(exitCode, row, reason, safe)
}

/** Masks the known secrets in everything that is written beside the results. */
function masked(world: World): Masked {
  const mask = maskOf(world.env)
  return { ...world, stderr: streamThrough(world.stderr, mask), mask, vault: vaultOf(world) }
}

interface LineWorld {
  readonly world: Masked
  /** With streams that do not remove control sequences, for example for progress. */
  readonly raw: Masked
  /** The number of requests so far. */
  readonly requests: () => number
}

async function exitCodeOf(line: CommandLine, args: readonly string[], around: LineWorld): Promise<number> {
  const { world, raw } = around
  if (line.is === 'printed') return exit.done
  if (line.is === 'mistake') return usageExit(line, args, world)
  if (line.is === 'failed') return failure(line.error, args, world).exitCode
  const { row, invocation } = line
  const startedMs = world.now()
  let options: GlobalOptions | undefined
  try {
    options = inProject(row, withNamedPaths(globalsOf(row, invocation), world), world)
    // If a report is written to stdout, the command's own output goes to stderr.
    const displayed = takesStdout(options.reports) ? { ...raw, stdout: raw.stderr } : raw
    const ended = await row.run(invocation, options, withProgress(displayed, options))
    return typeof ended === 'number' ? ended : await withReports(ended, { ...around, row, options, startedMs })
  } catch (error) {
    const { exitCode, problems } = failure(error, args, world)
    if (problems.length === 0 || !options) return exitCode
    return await withReports(
      { exitCode, reported: reportedProblems(problems, world) },
      { ...around, row, options, startedMs },
    )
  }
}

/** The command that may have reports, and the streams for them. */
interface Listening extends LineWorld {
  readonly row: CommandRow
  readonly options: GlobalOptions
  readonly startedMs: number
}

/** Writes the reports of a command's result, and returns its exit code. Reports that cannot be written hide nothing. */
async function withReports(
  { exitCode, reported, traffic: own }: Exclude<CommandEnd, number>,
  { row, options, startedMs, world, raw, requests }: Listening,
): Promise<number> {
  const traffic = own ?? { requests: requests(), throttled: 0 }
  const telling = {
    requests: options.reports,
    reported,
    command: commandName(row),
    project: options,
    traffic,
    startedMs,
  }
  const lost = await writeReports(telling, world, raw.stderr)
  if (lost.length === 0) return exitCode
  showProblems(lost, { ...options, output: 'text' }, world)
  return withoutAll(exitCode, row)
}

function withoutOutput(exitCode: number, row: CommandRow | undefined, reason: string, world: Masked): number {
  showProblems([outputLost(reason)], { output: 'text', color: 'never' }, world)
  return withoutAll(exitCode, row)
}

/**
 * If a report could not be written, a command that only shows something has failed. A command that changed the live area keeps
 * its exit code (A92).
 */
function withoutAll(exitCode: number, row: CommandRow | undefined): number {
  const hasReported = exitCode === exit.done || exitCode === exit.differences
  return hasReported && !row?.changesArea ? exit.failed : exitCode
}

type Mistake = Extract<CommandLine, { is: 'mistake' }>

function usageExit(mistake: Mistake, args: readonly string[], world: Masked): number {
  const text = mistake.complaints.join('').trim()
  if (mistake.error.code === 'commander.help' && outputOf(args).output === 'text') {
    world.stderr.write(`${text}\n`)
    return exit.failed
  }
  showProblems([usageProblem(mistake, text, args, world)], outputOf(args), world)
  return exit.failed
}

function usageProblem(
  { error: { code, message }, named }: Mistake,
  text: string,
  args: readonly string[],
  world: World,
): Problem {
  if (code === 'commander.help') return badUsage('no command is named', undefined)
  if (code === 'commander.excessArguments' && named) return oneArgumentMore(named, world)
  if (code === 'commander.missingArgument' && named) {
    return missingArgument(message.replace(/^error: /, ''), commandName(named.row), named.row.usage)
  }
  const [first = message, ...rest] = text.replace(/^error: /, '').split('\n')
  const suggestion = rest
    .join(' ')
    .trim()
    .replace(/^\((.*)\)$/, '$1')
    .replace(/^Did /, 'did ')
  const group = code === 'commander.unknownCommand' ? groupIn(args) : ''
  const hint = suggestion || (group === '' ? undefined : `gatewright ${group} --help lists its commands`)
  return badUsage(first, hint, named && commandName(named.row))
}

/** The words that begin the names of several commands, such as "fleet rollout". */
function groupIn([first = '', ...words]: readonly string[], before = ''): string {
  const name = `${before}${first}`
  return commands.some((row) => commandName(row).startsWith(`${name} `)) ? groupIn(words, `${name} `) : before.trim()
}

/** An additional argument probably means a file or an object. */
function oneArgumentMore({ row, words }: NonNullable<Mistake['named']>, world: World): Problem {
  const name = commandName(row)
  const takes = argumentsOf(row)
  const word = words[takes.length] ?? ''
  const takesWords = takes.length === 0 ? 'none' : takes.join(' ')
  const takesOption = (option: GlobalName) => row.globals.includes(option)
  if (takesOption('paths') && existsSync(resolve(world.cwd, word))) {
    return extraArgument(name, word, takesWords, `-f ${word}`)
  }
  return extraArgument(name, word, takesWords, takesOption('select') ? `--select ${word}` : undefined)
}

interface Failure {
  readonly exitCode: number
  /** The problems for reports; empty if the user has interrupted the program. */
  readonly problems: readonly Problem[]
}

function failure(error: unknown, args: readonly string[], world: Masked): Failure {
  if (world.signal.aborted) {
    world.stderr.write('interrupted\n')
    const requested = outputOf(args)
    // A reader of JSON always gets one object.
    if (requested.output === 'json') showProblems([commandInterrupted()], requested, world)
    return { exitCode: exit.interrupted, problems: [] }
  }
  const problems = thrownProblems(error)
  showProblems(problems, outputOf(args), world)
  if (args.includes('--debug') && error instanceof Error) world.stderr.write(`${stackOf(error)}\n`)
  return { exitCode: exit.failed, problems }
}

function stackOf(error: Error): string {
  const own = error.stack ?? error.message
  return error.cause instanceof Error ? `${own}\ncaused by: ${stackOf(error.cause)}` : own
}

/** The requested output, determined without the parser, which may have failed. */
function outputOf(args: readonly string[]): {
  readonly output: GlobalOptions['output']
  readonly color: GlobalOptions['color']
} {
  const isRequested = (form: string): boolean =>
    args.some(
      (word, index) =>
        word === `-o${form}` ||
        word === `--output=${form}` ||
        (word === form && ['-o', '--output'].includes(args[index - 1] ?? '')),
    )
  const output = (['json', 'markdown'] as const).find(isRequested) ?? 'text'
  const says = (when: GlobalOptions['color']): boolean =>
    args.includes(`--color=${when}`) || args[args.indexOf('--color') + 1] === when
  const requested = (['always', 'never'] as const).find(
    (when) => args.some((word) => word.startsWith('--color')) && says(when),
  )
  return { output, color: args.includes('--no-color') ? 'never' : (requested ?? 'auto') }
}

/**
 * The options with the paths of `-f`, relative to the working directory. A path that does not exist there is searched for in the
 * folder of `-C`.
 */
function withNamedPaths(options: GlobalOptions, { cwd }: Pick<World, 'cwd'>): GlobalOptions {
  const isThere = (path: string): boolean => existsSync(resolve(cwd, isGlob(path) ? globBase(path) : path))
  const paths = options.paths.map((path) => {
    const below = join(options.directory, path)
    return !isThere(path) && isThere(below) ? below : path
  })
  return { ...options, paths }
}

/**
 * The values of the global options, with an output that the command has. An option without effect on the command is refused,
 * never ignored; the exceptions are the options for colours and verbosity. An empty value is refused as well: it comes from a
 * shell variable that is not set.
 */
export function globalsOf(row: CommandRow, { found, args }: Invocation): GlobalOptions {
  const empty = Object.values({ ...globals, ...row.options }).flatMap(({ option }) =>
    isEmpty(found[option.attributeName()]) ? [option.long ?? option.flags] : [],
  )
  // During completion, an argument may still be empty.
  if (args.includes('') && !row.hidden) empty.push('an argument')
  if (empty.length > 0) throw new ProblemError(empty.map(emptyWord))
  const values = optionValues(globals, { ...found, ...(found.color === false && { color: 'never' }) })
  const form = wordIn('--output', values.output, row.outputs)
  const idle = Object.entries(globals).flatMap(([name, { option }]) =>
    found[option.attributeName()] === undefined || row.globals.some((each) => each === name)
      ? []
      : [option.long ?? name],
  )
  if (idle.length > 0) throw new ProblemError(idle.map((option) => hasNoEffect(option, commandName(row))))
  const { environments } = values
  if (environments.length > 1 && !row.comparesEnvironments && !row.makesProject) {
    throw new ProblemError([badUsage('-e names more than one environment', undefined, commandName(row))])
  }
  const reports =
    row.document === undefined ? [] : reportsIn(values.reports, { of: row.document, command: commandName(row), form })
  refuseSameFile([
    ...Object.entries({ '--out': found.out, '--log-http': values.logHttp }),
    ...reports.map(({ file }) => ['--report', file] as const),
  ])
  // If the output is of another kind, problems are shown as text.
  const output = form === 'yaml' || form === 'matrix' ? 'text' : form
  return { ...values, environment: environments[0], output, form, reports }
}

const isEmpty = (value: unknown): boolean => value === '' || (Array.isArray(value) && value.includes(''))

/** Refuses options that would write to the same file. */
function refuseSameFile(named: readonly (readonly [option: string, file: unknown])[]): void {
  const options = new Map<string, string>()
  for (const [option, file] of named) {
    if (typeof file !== 'string') continue
    const path = normalizePath(file)
    const other = options.get(path)
    if (other !== undefined) {
      throw new ProblemError([
        badUsage(`${other} and ${option} both write ${path}`, 'give each of them a file of its own'),
      ])
    }
    options.set(path, option)
  }
}
