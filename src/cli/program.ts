import { Command } from 'commander'
import { type CommandRow, commands, type Invocation } from './commands.js'
import { globals } from './options.js'
import { programVersion } from './version.js'

/** Where the parser writes: help and version go out, complaints are kept for the one who reports them. */
export interface ProgramOutput {
  readonly out: (text: string) => unknown
  readonly error: (text: string) => unknown
}

/** The command line as the parser knows it; `run` gets the command that was named. */
export function program(
  output: ProgramOutput,
  run: (row: CommandRow, invocation: Invocation) => Promise<void>,
): Command {
  const root = new Command('gatewright')
    .description('Keeps an API-management platform in the state that a git repository describes.')
    .version(programVersion(), '--version', 'print the version')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: output.out, writeErr: output.error })
    .exitOverride()
  // Known to the parser so that it is refused with a reason; listed once it has an effect.
  globals.environment.option.hideHelp()
  for (const { option } of Object.values(globals)) root.addOption(option)
  for (const row of commands) addCommand(root, row, run)
  return root
}

function addCommand(
  root: Command,
  row: CommandRow,
  run: (row: CommandRow, invocation: Invocation) => Promise<void>,
): void {
  const command = root.command(row.usage).description(row.about)
  for (const { option } of Object.values(row.options)) command.addOption(option)
  command.action(() => run(row, { found: command.optsWithGlobals(), args: command.args }))
}
