import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { CommanderError } from 'commander'
import { maskOf } from '../engine/masking.js'
import { vaultOf } from '../engine/vault.js'
import { errorText, type Problem, ProblemError } from '../problems/problem.js'
import { badUsage, extraArgument, internalError } from '../problems/project.js'
import { outputLost } from '../problems/records.js'
import type { CommandEnd } from './command-end.js'
import { argumentsOf, type CommandRow, globalsOf, type Invocation, nameOf } from './commands.js'
import { counted } from './counted.js'
import { exit } from './exit.js'
import type { Masked, OutputStream, World } from './io.js'
import { withNamedPaths } from './named-paths.js'
import type { GlobalName, GlobalOptions } from './options.js'
import { program } from './program.js'
import { withProgress } from './progress.js'
import { inProject } from './project-folder.js'
import { takesStdout, toldProblems, writeReports } from './reports.js'
import { safeStream } from './safe-stream.js'
import { showProblems } from './show.js'

/** Runs the program once with the words after its name, and gives its exit code. Never throws. */
export async function main(args: readonly string[], given: World): Promise<number> {
  const { world, requests } = counted(masked(given))
  const safe = { ...world, stdout: safeStream(world.stdout), stderr: safeStream(world.stderr) }
  const { exitCode, row } = await endOf(args, safe, world, requests)
  const reason = await world.stdout.delivered?.()
  return reason === undefined ? exitCode : withoutOutput(exitCode, row, reason, safe)
}

/** Nothing that is told beside the results shows a secret that is known by then. */
function masked(world: World): Masked {
  const mask = maskOf(world.env)
  const { stderr } = world
  const told: OutputStream = {
    get isTTY() {
      return stderr.isTTY
    },
    get columns() {
      return stderr.columns
    },
    write: (text) => stderr.write(mask(text)),
    ...(stderr.delivered && { delivered: stderr.delivered }),
  }
  return { ...world, stderr: told, mask, vault: vaultOf(world) }
}

interface End {
  readonly exitCode: number
  /** What it was asked for; undefined until that is known. */
  readonly options?: GlobalOptions
  /** The command that was named. */
  readonly row: CommandRow | undefined
}

/** `requests`: how many were sent so far. `raw`: the streams for who must write more to them than text, such as progress. */
async function endOf(args: readonly string[], world: Masked, raw: Masked, requests: () => number): Promise<End> {
  const complaints: string[] = []
  const startedMs = world.now()
  let end: End = { exitCode: exit.done, row: undefined }
  const asked = (): Asked => ({ ...end, startedMs, world, raw, requests })
  const run = async (row: CommandRow, invocation: Invocation): Promise<void> => {
    end = { ...end, row }
    const options = inProject(row, withNamedPaths(globalsOf(row, invocation), world), world)
    end = { ...end, options }
    // What a report takes stdout from is shown on stderr.
    const shown = takesStdout(options.reports) ? { ...raw, stdout: raw.stderr } : raw
    const ended = await row.run(invocation, options, withProgress(shown, options))
    end = { ...end, exitCode: typeof ended === 'number' ? ended : await reported(ended, asked()) }
  }
  const output = {
    out: (text: string) => world.stdout.write(text),
    error: (text: string) => complaints.push(text),
  }
  let named: Named | undefined
  const stopped = (row: CommandRow, words: readonly string[]): void => {
    named = { row, words }
  }
  try {
    await program(output, { run, stopped }).parseAsync([...args], { from: 'user' })
    return end
  } catch (error) {
    if (error instanceof CommanderError) {
      return { ...end, exitCode: usageExit(error, { complaints, named }, args, world) }
    }
    const { exitCode, problems } = failure(error, args, world)
    if (problems.length === 0) return { ...end, exitCode }
    return { ...end, exitCode: await reported({ exitCode, told: toldProblems(problems, world) }, asked()) }
  }
}

/** Whoever may want reports, and the streams that they go to. */
interface Asked extends Pick<End, 'row' | 'options'> {
  readonly startedMs: number
  readonly world: Masked
  readonly raw: Masked
  readonly requests: () => number
}

/** Writes the reports of what a command has told, and gives its exit code; those that cannot be written hide nothing. */
async function reported(
  { exitCode, told, traffic: own }: Exclude<CommandEnd, number>,
  { row, options, startedMs, world, raw, requests }: Asked,
): Promise<number> {
  if (!row || !options) return exitCode
  const traffic = own ?? { requests: requests(), throttled: 0 }
  const telling = { requests: options.reports, told, command: nameOf(row), project: options, traffic, startedMs }
  const lost = await writeReports(telling, world, raw.stderr)
  if (lost.length === 0) return exitCode
  showProblems(lost, { ...options, output: 'text' }, world)
  return withoutAll(exitCode, row)
}

function withoutOutput(exitCode: number, row: CommandRow | undefined, reason: string, world: Masked): number {
  showProblems([outputLost(reason)], { output: 'text', color: 'never' }, world)
  return withoutAll(exitCode, row)
}

/** What was done to the live area stays done; a command that only tells something has failed (A92). */
function withoutAll(exitCode: number, row: CommandRow | undefined): number {
  const hasTold = exitCode === exit.done || exitCode === exit.differences
  return hasTold && !row?.changesArea ? exit.failed : exitCode
}

/** The command that the parser stopped at, with the words behind its name. */
interface Named {
  readonly row: CommandRow
  readonly words: readonly string[]
}

/** What the parser said before it stopped. */
interface Stop {
  readonly complaints: readonly string[]
  readonly named: Named | undefined
}

/** --help and --version end the parser as well, with exit code 0 and nothing to complain about. */
function usageExit(error: CommanderError, { complaints, named }: Stop, args: readonly string[], world: Masked): number {
  if (error.exitCode === 0) return exit.done
  const text = complaints.join('').trim()
  if (error.code === 'commander.help' && outputOf(args).output === 'text') {
    world.stderr.write(`${text}\n`)
    return exit.failed
  }
  showProblems([usageProblem(error, text, named, world)], outputOf(args), world)
  return exit.failed
}

function usageProblem(
  { code, message }: CommanderError,
  text: string,
  named: Named | undefined,
  world: World,
): Problem {
  if (code === 'commander.help') return badUsage('no command is named', undefined)
  if (code === 'commander.excessArguments' && named) return oneArgumentMore(named, world)
  const [first = message, ...rest] = text.replace(/^error: /, '').split('\n')
  const suggestion = rest
    .join(' ')
    .trim()
    .replace(/^\((.*)\)$/, '$1')
    .replace(/^Did /, 'did ')
  return badUsage(first, suggestion === '' ? undefined : suggestion, named && nameOf(named.row))
}

/** Who writes one word more means a file, or an object. */
function oneArgumentMore({ row, words }: Named, world: World): Problem {
  const name = nameOf(row)
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
  /** What was shown; nothing if the user has ended the program. */
  readonly problems: readonly Problem[]
}

function failure(error: unknown, args: readonly string[], world: Masked): Failure {
  if (world.signal.aborted) {
    world.stderr.write('interrupted\n')
    return { exitCode: exit.interrupted, problems: [] }
  }
  const problems = problemsOf(error)
  showProblems(problems, outputOf(args), world)
  if (args.includes('--debug') && error instanceof Error) world.stderr.write(`${stackOf(error)}\n`)
  return { exitCode: exit.failed, problems }
}

function problemsOf(error: unknown): readonly Problem[] {
  if (error instanceof ProblemError) return error.problems
  return [internalError(errorText(error))]
}

function stackOf(error: Error): string {
  const own = error.stack ?? error.message
  return error.cause instanceof Error ? `${own}\ncaused by: ${stackOf(error.cause)}` : own
}

/** The output that the words ask for, found without the parser: it may be the one that failed. */
function outputOf(args: readonly string[]): {
  readonly output: GlobalOptions['output']
  readonly color: GlobalOptions['color']
} {
  const asksFor = (form: string): boolean =>
    args.some(
      (word, index) =>
        word === `-o${form}` ||
        word === `--output=${form}` ||
        (word === form && ['-o', '--output'].includes(args[index - 1] ?? '')),
    )
  const output = (['json', 'markdown'] as const).find(asksFor) ?? 'text'
  const says = (when: GlobalOptions['color']): boolean =>
    args.includes(`--color=${when}`) || args[args.indexOf('--color') + 1] === when
  const asked = (['always', 'never'] as const).find(
    (when) => args.some((word) => word.startsWith('--color')) && says(when),
  )
  return { output, color: args.includes('--no-color') ? 'never' : (asked ?? 'auto') }
}
