import { CommanderError } from 'commander'
import { type CommandRow, commandName, commands, type Invocation } from './commands.js'
import type { OutputStream } from './io.js'
import { type ProgramOutput, program } from './program.js'

/** The result of parsing the arguments of the program. */
export type CommandLine =
  | { readonly is: 'command'; readonly row: CommandRow; readonly invocation: Invocation }
  /** The arguments requested help or the version, which is already written. */
  | { readonly is: 'told' }
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
  let requested: CommandLine = { is: 'told' }
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
    return error.exitCode === 0 ? { is: 'told' } : { is: 'mistake', error, complaints, named }
  }
}

/** The parser's own `help` knows only commands of one word. */
const withoutHelp = (args: readonly string[]): readonly string[] =>
  args[0] === 'help' ? [...args.slice(1), '--help'] : args
