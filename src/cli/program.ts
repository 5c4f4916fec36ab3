import { Command, Option } from 'commander'
import { type CommandRow, collect, commands, type Invocation } from './commands.js'
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
  addGlobalOptions(root)
  for (const row of commands) addCommand(root, row, run)
  return root
}

function addGlobalOptions(root: Command): void {
  root
    .option('-C, --directory <dir>', 'the folder of the project file (default: this one)')
    .option(
      '-f, --file <path>',
      'read these manifests only: a file, a folder or a glob (repeatable); nothing is deleted unless --prune is given',
      collect,
    )
    .option('--url <url>', 'base address of the platform (GATEWRIGHT_URL)')
    .option('--area <id>', 'customer area (GATEWRIGHT_AREA)')
    .option('-o, --output <form>', 'text, json or markdown, where it fits (default: text)')
    .option('--select <glob>', 'only objects whose address matches (repeatable)', collect)
    .option('-l, --label <label>', 'only objects with that label: key or key=value (repeatable)', collect)
    .option('--log-http <file>', 'write one JSON line a request, secrets masked')
    .option('--no-color', 'no colours (NO_COLOR)')
    .option('--quiet', 'no progress on stderr')
    .option('--debug', 'stack traces of internal errors')
    // Known to the parser so that it is refused with a reason; listed once it has an effect.
    .addOption(new Option('-e, --env <name>').hideHelp())
}

function addCommand(
  root: Command,
  row: CommandRow,
  run: (row: CommandRow, invocation: Invocation) => Promise<void>,
): void {
  const command = root.command(row.usage).description(row.about)
  row.define(command)
  command.action(() => run(row, { raw: command.optsWithGlobals(), args: command.args }))
}
