import { CommanderError } from 'commander'
import { type CommandRow, commands, type Invocation, nameOf } from './commands.js'
import type { OutputStream } from './io.js'
import { type ProgramOutput, program } from './program.js'

/** What the words after the program's name ask for, as the parser found it. */
export type CommandLine =
  | { readonly is: 'command'; readonly row: CommandRow; readonly invocation: Invocation }
  /** Help, or the version: it is told by now. */
  | { readonly is: 'told' }
  | {
      readonly is: 'mistake'
      readonly error: CommanderError
      /** What the parser said before it stopped. */
      readonly complaints: readonly string[]
      /** The command that it stopped at, with the words behind its name. */
      readonly named: { readonly row: CommandRow; readonly words: readonly string[] } | undefined
    }
  /** An option has a value that it cannot have. */
  | { readonly is: 'failed'; readonly error: unknown }

/** Reads the words after the program's name; help and the version are written at once. */
export function readCommandLine(args: readonly string[], stdout: OutputStream): CommandLine {
  const words = withoutHelp(args)
  // Whatever else is told or refused may name every command; to add all their options takes longer than to parse.
  const line = parsed(words, rowsNamedIn(words), () => undefined)
  return line.is === 'command' ? line : parsed(words, commands, (text) => stdout.write(text))
}

/** The commands that words may mean: no other can be found. */
const rowsNamedIn = (words: readonly string[]): readonly CommandRow[] =>
  commands.filter((row) => words.includes(nameOf(row).split(' ')[0] ?? ''))

function parsed(words: readonly string[], rows: readonly CommandRow[], out: ProgramOutput['out']): CommandLine {
  const complaints: string[] = []
  let asked: CommandLine = { is: 'told' }
  let named: Extract<CommandLine, { is: 'mistake' }>['named']
  const output = { out, error: (text: string) => complaints.push(text) }
  const found = (row: CommandRow, invocation: Invocation): void => {
    asked = { is: 'command', row, invocation }
  }
  const stopped = (row: CommandRow, behind: readonly string[]): void => {
    named = { row, words: behind }
  }
  try {
    program(output, { found, stopped }, rows).parse(words, { from: 'user' })
    return asked
  } catch (error) {
    // --help and --version end the parser as well, with exit code 0 and nothing to complain about.
    if (!(error instanceof CommanderError)) return { is: 'failed', error }
    return error.exitCode === 0 ? { is: 'told' } : { is: 'mistake', error, complaints, named }
  }
}

/** The parser's own `help` knows commands of one word, and shows that of the program for what is none. */
function withoutHelp([first, ...words]: readonly string[]): string[] {
  if (first !== 'help') return first === undefined ? [] : [first, ...words]
  const [name] = words
  const isUnknown =
    name !== undefined && !name.startsWith('-') && !commands.some((row) => nameOf(row).split(' ')[0] === name)
  return isUnknown ? words : [...words, '--help']
}
