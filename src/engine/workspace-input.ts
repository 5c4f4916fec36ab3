import { hazardNames } from '../catalog/hazards.js'
import { type Problem, ProblemError } from '../problems/problem.js'
import { unknownInput, wrongInput } from '../problems/project.js'

/** Inputs from programs are checked as strictly as the command line: an unknown setting must not be ignored. */

/** The permitted values of a field: a text, and a test. */
interface Takes {
  readonly words: string
  readonly is: (value: unknown) => boolean
}

/** All fields of an input. They are optional, except for those with `needed`. */
type FieldsOf<Input> = { readonly [Name in keyof Required<Input>]: Takes & { readonly needed?: true } }

const isText = (value: unknown): value is string => typeof value === 'string'

const isListOf = (value: unknown, is: (each: unknown) => boolean): boolean => Array.isArray(value) && value.every(is)

const isIn =
  (words: readonly string[]) =>
  (value: unknown): boolean =>
    words.some((word) => word === value)

export const text: Takes = { words: 'a text that is not empty', is: (value) => isText(value) && value !== '' }

export const texts: Takes = { words: 'a list of texts', is: (value) => isListOf(value, isText) }

export const flag: Takes = { words: 'true or false', is: (value) => typeof value === 'boolean' }

export const milliseconds: Takes = {
  words: 'milliseconds, 0 or more',
  is: (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0,
}

export const callback: Takes = { words: 'a function', is: (value) => typeof value === 'function' }

export const record: Takes = {
  words: 'an object',
  is: (value) => typeof value === 'object' && !Array.isArray(value) && value !== null,
}

export const abortSignal: Takes = { words: 'an AbortSignal', is: (value) => value instanceof AbortSignal }

export const oneOf = (...words: readonly string[]): Takes => ({
  words: `one of: ${words.join(', ')}`,
  is: isIn(words),
})

export const hazardList: Takes = {
  words: `a list of: ${hazardNames.join(', ')}`,
  is: (value) => isListOf(value, isIn(hazardNames)),
}

export const needed = (takes: Takes) => ({ ...takes, needed: true }) as const

/** `of`: the name of the called function. Throws a ProblemError with all errors in its input. */
export function checkInput<Input extends object>(of: string, input: Input | undefined, fields: FieldsOf<Input>): void {
  if (input !== undefined && !record.is(input)) throw new ProblemError([wrongInput(of, 'input', record.words)])
  const known: ReadonlyMap<string, Takes & { readonly needed?: true }> = new Map(Object.entries(fields))
  const written: ReadonlyMap<string, unknown> = new Map(Object.entries(input ?? {}))
  const unknown = [...written.keys()].filter((name) => !known.has(name))
  const wrong = [...known].filter(([name, { is, needed: isNeeded }]) => {
    const value = written.get(name)
    return value === undefined ? isNeeded : !is(value)
  })
  const problems: readonly Problem[] = [
    ...unknown.map((name) => unknownInput(of, name, [...known.keys()])),
    ...wrong.map(([name, { words }]) => wrongInput(of, name, words)),
  ]
  if (problems.length > 0) throw new ProblemError(problems)
}
