import { resolve } from 'node:path'
import { RootCommand, ShellCompDirective, type Command as TabCommand } from '@bomb.sh/tab'
import { hazardNames } from '../../catalog/hazards.js'
import { ProblemError } from '../../problems/problem.js'
import { exit } from '../exit.js'
import { projectFolderAround } from '../find-project.js'
import type { Io } from '../io.js'
import { type DeclaredOption, wordIn } from '../option.js'

/** A command, for completion in shells. */
interface CompletedCommand {
  readonly name: string
  /** Its arguments, as its usage names them. */
  readonly args: readonly string[]
  readonly about: string
  /** All options that may follow its name. */
  readonly options: readonly Pick<DeclaredOption<unknown>, 'option' | 'words'>[]
}

/** The words that shells complete. */
export interface Completable {
  readonly commands: readonly CompletedCommand[]
  /** First words of longer commands, with a description. For the library, they are commands too. */
  readonly groups: Readonly<Record<string, string>>
}

const shells = ['bash', 'zsh', 'fish', 'powershell']

/** `completion SHELL`: prints the script that the shell loads. Throws a ProblemError for an unknown shell. */
export function completionCommand(shell: string, io: Io): number {
  const printed = linesOf(() => new RootCommand().setup('gatewright', 'gatewright', wordIn('the shell', shell, shells)))
  const script = changes.reduce((text, [from, to]) => text.replaceAll(from, () => to), printed.join('\n'))
  io.stdout.write(`${script}\n`)
  return exit.done
}

/** Corrections of the library's script for bash. */
const changes: readonly (readonly [RegExp, string])[] = [
  // A shell may load the script twice.
  [/^readonly (?=ShellCompDirective)/gm, ''],
  // If nothing else fits, bash completes file names only with this option.
  [/^complete -F/gm, 'complete -o default -F'],
  // The package bash-completion may not be installed. Quotes are kept as they were typed, because the script evaluates the words.
  [
    /_get_comp_words_by_ref .*$/gm,
    'local line="${COMP_LINE:0:COMP_POINT}"\n    read -ra words <<< "$line "\n    [[ "$line" == *[[:space:]] ]] || cur="${words[${#words[@]} - 1]}"',
  ],
  // In --option=value, bash replaces only the part after the equals sign.
  [/(?<=completions\[\*\]\}" -- )"\$cur"/g, '"${cur#-*=}"'],
]

/** `complete -- WORDS`: prints one line for each possible completion of the last word, then an instruction for the shell. */
export async function completeCommand(
  { commands, groups }: Completable,
  words: readonly string[],
  io: Io,
): Promise<number> {
  const known = await sources(words, io)
  const root = new RootCommand()
  const named = namedIn(words.slice(0, -1), commands)
  for (const [name, about] of Object.entries(groups)) root.command(name, about)
  for (const each of commands) {
    const command = root.command(each.name, each.about)
    // If two commands have an option with the same name, the library would use the first one.
    if (each === named) describe(command, each, known)
  }
  if (named === undefined) addOptions(root, anywhere(commands), known)
  const printed = linesOf(() => root.parse([...words]))
  const takesFiles = root.completions.length === 0 && known.takesFiles()
  const end = `:${takesFiles ? ShellCompDirective.ShellCompDirectiveDefault : ShellCompDirective.ShellCompDirectiveNoFileComp}`
  io.stdout.write([...printed.slice(0, -1), end].map((line) => `${line}\n`).join(''))
  return exit.done
}

/** The command that the first words name, without options: a file, folder or object may have the name of a command. */
function namedIn(words: readonly string[], commands: readonly CompletedCommand[]): CompletedCommand | undefined {
  const withValue = new Set(
    anywhere(commands).flatMap(({ option }) => (option.required ? [option.short, option.long] : [])),
  )
  const others = words.filter((word, index) => !word.startsWith('-') && !withValue.has(words[index - 1] ?? ''))
  return commands.find(({ name }) => name.split(' ').every((word, index) => word === others[index]))
}

/** The options that may precede any command name: each once, with its possible words in all commands. */
function anywhere(commands: readonly CompletedCommand[]): CompletedCommand['options'] {
  const options = commands.flatMap((each) => each.options)
  return [...new Set(options.map(({ option }) => option))].map((option) => {
    const words = options.flatMap((each) => (each.option === option ? (each.words ?? []) : []))
    return words.length === 0 ? { option } : { option, words: [...new Set(words)] }
  })
}

/** The lines that the library prints. */
function linesOf(print: () => void): readonly string[] {
  const lines: string[] = []
  const { log } = console
  console.log = (line: string) => lines.push(line)
  try {
    print()
  } finally {
    console.log = log
  }
  return lines
}

function describe(command: TabCommand, { args, options }: CompletedCommand, known: Sources): void {
  addOptions(command, options, known)
  for (const [, name = ''] of args.join(' ').matchAll(/[<[]([\w-]+)/g)) {
    command.argument(name, (complete) => known.offer(name, complete))
  }
}

function addOptions(command: TabCommand, options: CompletedCommand['options'], known: Sources): void {
  for (const { option, words } of options) {
    const [short] = option.short?.slice(1) ?? []
    const placeholder = /[<[](\w+)/.exec(option.flags)?.[1]
    const offer = (complete: Complete) => {
      if (words) for (const word of words) complete(word, '')
      else known.offer(option.name() === 'env' ? 'environment' : (placeholder ?? ''), complete)
    }
    if (placeholder === undefined) command.option(option.name(), option.description, short)
    else command.option(option.name(), option.description, offer, short)
  }
}

type Complete = (value: string, description: string) => void

/** The sources of possible values that are no fixed words. */
interface Sources {
  readonly offer: (placeholder: string, complete: Complete) => void
  /** Whether the last requested value is a file or folder. */
  readonly takesFiles: () => boolean
}

const paths = new Set(['a', 'b', 'dir', 'file', 'folder', 'path', 'plan-file', 'snapshot'])

/** The possible values by their placeholder in the usage: `--kind <kind>`. Loads and reads only what the last word needs. */
async function sources(words: readonly string[], io: Io): Promise<Sources> {
  const last = words.at(-2) ?? ''
  const kinds = async () => (await import('../../catalog/queries.js')).kindNames
  const isEnvironmentNext = isEnvironment(last, words.at(-1)) || words.includes('promote')
  const named = isEnvironmentNext ? await environments(words, io) : []
  const values: Readonly<Record<string, readonly string[]>> = {
    kind: await kinds(),
    topic: words.includes('explain') ? await topics(words.at(-1)) : [],
    hazard: hazardNames,
    ...{ environment: named, env: named, from: named, to: named },
    // Any other word may be a file.
    run: ['latest'].filter((word) => word.startsWith(words.at(-1) ?? '')),
    shell: shells,
    a: ['live'],
    b: ['live'],
  }
  let takesFiles = false
  return {
    offer: (placeholder, complete) => {
      // `show` accepts the file of a saved plan in the place of a run.
      takesFiles = paths.has(placeholder) || (placeholder === 'run' && words.includes('show'))
      for (const value of values[placeholder] ?? []) complete(value, '')
    },
    takesFiles: () => takesFiles,
  }
}

/** Problem codes are offered only for the beginning of a word, because there are so many. */
async function topics(word = ''): Promise<readonly string[]> {
  const { topicsOf } = await import('./explain.js')
  return topicsOf(word === '' ? 'without codes' : 'all')
}

const isEnvironment = (before: string, word = ''): boolean =>
  /^(?:-e|--env|--applied-in)$/.test(before) || /^--(?:env|applied-in)=/.test(word)

/** The names of the environments in the project file. Names that bash would execute are left out (A192). */
async function environments(words: readonly string[], io: Io): Promise<readonly string[]> {
  const { readProjectOf } = await import('../../engine/project.js')
  const at = words.findIndex((word) => word === '-C' || word === '--directory')
  const start = resolve(io.cwd, (at === -1 ? undefined : words[at + 1]) ?? '.')
  try {
    const request = { directory: projectFolderAround(start) ?? start, environment: undefined, values: [] }
    const { layers } = readProjectOf(request, { cwd: io.cwd, env: {} }).project
    return (layers?.environments ?? []).filter((name) => /^[\w.-]+$/.test(name))
  } catch (error) {
    if (error instanceof ProblemError) return []
    throw error
  }
}
