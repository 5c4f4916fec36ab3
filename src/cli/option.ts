import { Option } from 'commander'
import { durationWords } from '../catalog/durations.js'
import { durationMs } from '../manifest/duration.js'
import { ProblemError } from '../problems/problem.js'
import { invalidOption } from '../problems/project.js'

/** The declaration of an option: its texts for the parser, how its value is read, and its default. */
export interface DeclaredOption<Value> {
  readonly option: Option
  readonly absent: Value
  /** The possible values, if there is a fixed list. */
  readonly words?: readonly string[]
}

/** The options of a command, by their names in the program. */
export type OptionTable = Readonly<Record<string, DeclaredOption<unknown>>>

export type ValuesOf<Table extends OptionTable> = {
  readonly [Name in keyof Table]: Table[Name] extends DeclaredOption<infer Value> ? Value : never
}

/** The values of declared options, from the result of the parser. */
export function optionValues<Table extends OptionTable>(table: Table, found: Readonly<Record<string, unknown>>) {
  const values = Object.entries(table).map(([name, { option, absent }]) => [
    name,
    found[option.attributeName()] ?? absent,
  ])
  // Each value has the type of its declaration.
  return Object.fromEntries(values) as ValuesOf<Table>
}

export const flag = (flags: string, about: string): DeclaredOption<boolean> => {
  const option = new Option(flags, about)
  return { option, absent: option.negate }
}

export const text = (flags: string, about: string): DeclaredOption<string | undefined> => ({
  option: new Option(flags, about),
  absent: undefined,
})

/** An option for a file to write, whose name must not be that of a manifest. */
export const written = (flags: string, about: string): DeclaredOption<string | undefined> => {
  const option = new Option(flags, about)
  const fileIn = (value: string): string => {
    const name = `--${option.name()}`
    if (value === '-') throw new ProblemError([invalidOption(name, value, 'a file; /dev/stdout stands for stdout')])
    return fileToWrite(name, value, value)
  }
  return { option: option.argParser(fileIn), absent: undefined }
}

/** The file may not have the name of a YAML file: it could be read as a manifest, or overwrite one (A342). */
export function fileToWrite(name: string, file: string, given: string): string {
  if (!/\.ya?ml$/i.test(file)) return file
  throw new ProblemError([invalidOption(name, given, 'a file that is not named like a manifest')])
}

export const textOr = (flags: string, about: string, absent: string): DeclaredOption<string> => ({
  option: new Option(flags, about),
  absent,
})

/** An option that can be given several times. */
export const texts = (flags: string, about: string): DeclaredOption<readonly string[]> =>
  listed(flags, `${about} (repeatable)`)

/** An option that can be given several times, each time with one of the words. */
export function repeatedWord<const Word extends string>(
  flags: string,
  about: string,
  words: readonly Word[],
): DeclaredOption<readonly Word[]> {
  const option = new Option(flags, `${about} (repeatable)`)
  const read = (value: string, earlier: readonly Word[] = []) => [
    ...earlier,
    wordIn(`--${option.name()}`, value, words),
  ]
  return { option: option.argParser(read), absent: [], words }
}

/** All values of an option. The command decides how many are permitted. */
export const listed = (flags: string, about: string): DeclaredOption<readonly string[]> => ({
  option: new Option(flags, about).argParser((value, earlier: readonly string[] = []) => [...earlier, value]),
  absent: [],
})

/** The value is `true` if the option is given without a value. */
export const optionalText = (flags: string, about: string): DeclaredOption<string | true | undefined> => ({
  option: new Option(flags, about),
  absent: undefined,
})

export function word<const Word extends string, Absent extends Word | undefined>(
  flags: string,
  about: string,
  words: readonly Word[],
  absent: Absent,
): DeclaredOption<Word | Absent> {
  const option = new Option(flags, about)
  const read = (value: string): Word => wordIn(`--${option.name()}`, value, words)
  return { option: option.argParser(read), absent, words }
}

/** Returns the value if it is one of the words. Throws a ProblemError that lists them. */
export function wordIn<Word extends string>(name: string, value: string, words: readonly Word[]): Word {
  const found = words.find((each) => each === value)
  if (found === undefined) throw new ProblemError([invalidOption(name, value, `one of: ${words.join(', ')}`)])
  return found
}

export function count<Absent extends number | undefined>(
  flags: string,
  about: string,
  absent: Absent,
  least = 0,
  most = Number.POSITIVE_INFINITY,
): DeclaredOption<number | Absent> {
  const option = new Option(flags, about)
  const read = (value: string): number => {
    if (/^\d+$/.test(value) && Number(value) >= least && Number(value) <= most) return Number(value)
    const words = `a whole number from ${least} ${Number.isFinite(most) ? `to ${most}` : 'on'}`
    throw new ProblemError([invalidOption(`--${option.name()}`, value, words)])
  }
  return { option: option.argParser(read), absent }
}

/** In milliseconds; 0 if it is not given. A number without a unit is in seconds, as for other tools. */
export function duration(flags: string, about: string): DeclaredOption<number> {
  const option = new Option(flags, about)
  const read = (value: string): number => {
    const milliseconds = durationMs(/^\d+$/.test(value) ? `${value}s` : value)
    if (milliseconds !== undefined) return milliseconds
    throw new ProblemError([invalidOption(`--${option.name()}`, value, durationWords)])
  }
  return { option: option.argParser(read), absent: 0 }
}
