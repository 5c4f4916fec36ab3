import { Command, CommanderError, Option } from 'commander'
import { formatsOf } from '../report/formats/formats.js'
import { type CommandRow, commandGroups, commandName, commands, type Invocation } from './commands.js'
import type { OutputStream } from './io.js'
import { globalOptionOf, globals } from './options.js'
import { programVersion } from './version.js'

/** The result of parsing the arguments of the program. */
export type CommandLine =
  | { readonly is: 'command'; readonly row: CommandRow; readonly invocation: Invocation }
  /** The arguments requested help or the version, which is already written. */
  | { readonly is: 'printed' }
  | {
      readonly is: 'mistake'
      readonly error: CommanderError
      /** The messages of the parser. */
      readonly complaints: readonly string[]
      /** The command at which the parser stopped, with the arguments after its name. */
      readonly named: { readonly row: CommandRow; readonly words: readonly string[] } | undefined
    }
  /** The value of an option is invalid. */
  | { readonly is: 'failed'; readonly error: unknown }

/** Parses the arguments of the program. Help and the version are written at once. */
export function readCommandLine(args: readonly string[], stdout: OutputStream): CommandLine {
  const words = withoutHelp(args)
  // Help and error messages may name every command, but adding the options of all commands takes longer than parsing.
  const line = parsed(words, rowsNamedIn(words), () => undefined)
  return line.is === 'command'
    ? line
    : (unknownCommandIn(words) ?? parsed(words, commands, (text) => stdout.write(text)))
}

/** The parser shows the help of the program for an unknown command with `--help`. */
function unknownCommandIn(words: readonly string[]): CommandLine | undefined {
  const others = words.filter((word) => !['-h', '--help'].includes(word))
  if (others.length === words.length) return undefined
  const line = parsed(others, commands, () => undefined)
  return line.is === 'mistake' && line.error.code === 'commander.unknownCommand' ? line : undefined
}

/** The commands that the words can name. */
const rowsNamedIn = (words: readonly string[]): readonly CommandRow[] =>
  commands.filter((row) => words.includes(commandName(row).split(' ')[0] ?? ''))

function parsed(words: readonly string[], rows: readonly CommandRow[], out: ProgramOutput['out']): CommandLine {
  const complaints: string[] = []
  let requested: CommandLine = { is: 'printed' }
  let named: Extract<CommandLine, { is: 'mistake' }>['named']
  const output = { out, error: (text: string) => complaints.push(text) }
  const found = (row: CommandRow, invocation: Invocation): void => {
    requested = { is: 'command', row, invocation }
  }
  const stopped = (row: CommandRow, behind: readonly string[]): void => {
    named = { row, words: behind }
  }
  try {
    program(output, { found, stopped }, rows).parse(words, { from: 'user' })
    return requested
  } catch (error) {
    // --help and --version also end the parser, with exit code 0 and without a message.
    if (!(error instanceof CommanderError)) return { is: 'failed', error }
    return error.exitCode === 0 ? { is: 'printed' } : { is: 'mistake', error, complaints, named }
  }
}

/** The parser's own `help` knows only commands of one word. */
const withoutHelp = (args: readonly string[]): readonly string[] =>
  args[0] === 'help' ? [...args.slice(1), '--help'] : args

/** Where the parser writes: help and version to `out`, error messages to `error`, where they are kept for later. */
interface ProgramOutput {
  readonly out: (text: string) => unknown
  readonly error: (text: string) => unknown
}

/** The receiver of the parser's results. */
export interface Listener {
  readonly found: (row: CommandRow, invocation: Invocation) => void
  /** Called with the command at which the parser stopped, and the arguments after its name. */
  readonly stopped: (row: CommandRow, args: readonly string[]) => void
}

/** The parser, with all commands or only those of the given rows. */
export function program(output: ProgramOutput, listener: Listener, rows: readonly CommandRow[] = commands): Command {
  const root = new Command('gatewright')
    .description('Keeps an API-management platform in the state that a git repository describes.')
    .version(programVersion(), '--version', 'print the version')
    .configureHelp({ showGlobalOptions: true, visibleGlobalOptions, minWidthToWrap: 20 })
    .configureOutput({ writeOut: output.out, writeErr: output.error })
    .exitOverride()
  for (const { option } of Object.values(globals)) root.addOption(option)
  root.addOption(new Option('--no-color', 'the same as --color never').hideHelp())
  for (const row of rows) addCommand(root, row, listener)
  return root
}

/** The global options that have an effect on the command. */
function visibleGlobalOptions(command: Command): Option[] {
  const row = commands.find((each) => commandName(each) === pathOf(command))
  return (row?.globals ?? []).flatMap((name) => {
    const { option } = globals[name]
    if (option.hidden) return []
    if (option === globals.output.option) return new Option(option.flags, formsOf(row))
    if (option === globals.reports.option) return new Option(option.flags, `${option.description}: ${reportsOf(row)}`)
    return globalOptionOf(commandName(row ?? { usage: '' }), name)
  })
}

/** The name of a command, without the name of the program. */
const pathOf = (command: Command): string =>
  command.parent?.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()

const formsOf = (row: CommandRow | undefined): string => `${(row?.outputs ?? []).join(', ')} (default: text)`

const reportsOf = ({ document }: Pick<CommandRow, 'document'> = {}): string =>
  document === undefined ? '' : formatsOf(document).join(', ')

function addCommand(root: Command, row: CommandRow, { found, stopped }: Listener): void {
  const path = commandName(row).split(' ')
  const group = groupIn(root, path.slice(0, -1))
  const usage = row.usage.split(' ').slice(path.length - 1)
  const command = group.command(usage.join(' '), { hidden: row.hidden ?? false }).description(row.about)
  for (const { option } of Object.values(row.options)) command.addOption(option)
  command.exitOverride((error: CommanderError) => {
    stopped(row, command.args)
    throw error
  })
  command.action(() => found(row, { found: command.optsWithGlobals(), args: command.args }))
}

/** The parent of commands with several words, such as `fleet`. */
function groupIn(root: Command, path: readonly string[]): Command {
  return path.reduce((above, word, index) => {
    const known = above.commands.find((each) => each.name() === word)
    if (known) return known
    return above.command(word).description(commandGroups[path.slice(0, index + 1).join(' ')] ?? '')
  }, root)
}
