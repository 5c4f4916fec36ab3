/**
 * A problem is a value with a code, a message, a position and a hint. All problems of one input are collected and shown together.
 * All are created in this folder, in the file of their owner.
 */
import type { CodeOf, ProblemCode, Severity } from './codes.js'

/** The most severe first. */
export const severities: readonly Severity[] = ['error', 'warning', 'note']

/** A place in a manifest; line and column count from 1. */
export interface Place {
  readonly file: string
  readonly line: number
  readonly column: number
  /** The source lines around the position with a marker below; absent if there is no text to show. */
  readonly frame?: string
  /** Only `file` is shown. It is not the name of a file, but of something without lines, such as a run. */
  readonly lines?: 'none'
}

export interface Problem {
  /** The kind of the problem: a stable name in kebab-case. */
  readonly code: ProblemCode
  readonly severity: Severity
  /** One sentence that says what is wrong. */
  readonly message: string
  /** The same with fewer names, for text, if the message has many. */
  readonly short?: string
  readonly place?: Place
  /** What to do about it. */
  readonly hint?: string
  /** Only the live area shows whether it is a problem: a plan then reports it with its own message. */
  readonly answeredBy?: 'plan'
  /** Related positions, such as the first of two declarations. */
  readonly related?: readonly { readonly message: string; readonly place: Place }[]
}

/** Receives the problems that are found while reading, which continues after each of them. */
export type ReportProblem = (problem: Problem) => void

/** Thrown if a command cannot continue; contains the problems to show. Every other exception is a bug of the program. */
export class ProblemError extends Error {
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[], options?: ErrorOptions) {
    super(problems.map((problem) => problem.message).join('\n'), options)
    this.name = 'ProblemError'
    this.problems = problems
  }
}

export const errorsIn = <Reported extends Pick<Problem, 'severity'>>(
  problems: readonly Reported[],
): readonly Reported[] => problems.filter(({ severity }) => severity === 'error')

export const hasErrors = (problems: readonly Pick<Problem, 'severity'>[]): boolean =>
  problems.some(({ severity }) => severity === 'error')

/** Each problem once: the same problem at the same position is a duplicate. */
export function distinctProblems(problems: readonly Problem[]): readonly Problem[] {
  const seen = new Set<string>()
  return problems.filter(({ code, message, place }) => {
    const key = JSON.stringify([code, message, place?.file, place?.line])
    return !seen.has(key) && seen.add(key)
  })
}

type Make<Level extends Severity> = (
  code: CodeOf<Level>,
  place: Place | undefined,
  message: string,
  hint?: string,
) => Problem

const made =
  <Level extends Severity>(severity: Level): Make<Level> =>
  (code, place, message, hint) => ({
    code,
    severity,
    message,
    ...(place && { place }),
    ...(hint !== undefined && { hint }),
  })

export const error = made('error')
export const warning = made('warning')
export const note = made('note')

export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error))
