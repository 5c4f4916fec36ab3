import { Command, type CommanderError, Option } from 'commander'
import { formatsOf } from '../report/formats/formats.js'
import { type CommandRow, commandGroups, commandName, commands, type Invocation } from './commands.js'
import { globalOptionOf, globals } from './options.js'
import { programVersion } from './version.js'

/** Where the parser writes: help and version to `out`, error messages to `error`, where they are kept for later. */
export interface ProgramOutput {
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

const reportsOf = ({ tells }: Pick<CommandRow, 'tells'> = {}): string =>
  tells === undefined ? '' : formatsOf(tells).join(', ')

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
