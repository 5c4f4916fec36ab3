import { Command, type CommanderError, Option } from 'commander'
import { formatsOf } from '../report/formats/formats.js'
import { type CommandRow, commandGroups, commands, type Invocation, nameOf } from './commands.js'
import { globalOptionOf, globals } from './options.js'
import { programVersion } from './version.js'

/** Where the parser writes: help and version go out, complaints are kept for the one who reports them. */
export interface ProgramOutput {
  readonly out: (text: string) => unknown
  readonly error: (text: string) => unknown
}

/** Who is told what the parser finds. */
export interface Listener {
  readonly found: (row: CommandRow, invocation: Invocation) => void
  /** Is told which command the parser has something to say of, and the words behind its name. */
  readonly stopped: (row: CommandRow, args: readonly string[]) => void
}

/** The command line as the parser knows it, with all commands or those of some rows. */
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

/** Of the options before or after a command's name those that mean something to it. */
function visibleGlobalOptions(command: Command): Option[] {
  const row = commands.find((each) => nameOf(each) === pathOf(command))
  return (row?.globals ?? []).flatMap((name) => {
    const { option } = globals[name]
    if (option.hidden) return []
    if (option === globals.output.option) return new Option(option.flags, formsOf(row))
    if (option === globals.reports.option) return new Option(option.flags, `${option.description}: ${reportsOf(row)}`)
    return globalOptionOf(nameOf(row ?? { usage: '' }), name)
  })
}

/** The words that name a command, without that of the program. */
const pathOf = (command: Command): string =>
  command.parent?.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()

const formsOf = (row: CommandRow | undefined): string => `${(row?.outputs ?? []).join(', ')} (default: text)`

const reportsOf = ({ tells }: Pick<CommandRow, 'tells'> = {}): string =>
  tells === undefined ? '' : formatsOf(tells).join(', ')

function addCommand(root: Command, row: CommandRow, { found, stopped }: Listener): void {
  const path = nameOf(row).split(' ')
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

/** The command that others stand below: `fleet`. */
function groupIn(root: Command, path: readonly string[]): Command {
  return path.reduce((above, word, index) => {
    const known = above.commands.find((each) => each.name() === word)
    if (known) return known
    return above.command(word).description(commandGroups[path.slice(0, index + 1).join(' ')] ?? '')
  }, root)
}
