/**
 * A problem is a value: its code, its words, its place, and what to do about it. All problems of one input are collected
 * and shown at once; every one is made in this folder, in the file of its owner.
 */
import type { CodeOf, ProblemCode, Severity } from './codes.js'

/** The most severe first. */
export const severities: readonly Severity[] = ['error', 'warning', 'note']

/** A place in a manifest; line and column count from 1. */
export interface Place {
  readonly file: string
  readonly line: number
  readonly column: number
  /** The lines around the place with a marker below it, ready to print; absent where there is no text to show. */
  readonly frame?: string
  /** Only `file` is shown: it is no file but the name of something that nobody wrote as lines, such as a run. */
  readonly lines?: 'none'
}

export interface Problem {
  /** Stable, kebab-case: what kind of problem this is. */
  readonly code: ProblemCode
  readonly severity: Severity
  /** One sentence: what is wrong. */
  readonly message: string
  readonly place?: Place
  /** What to do about it. */
  readonly hint?: string
  /** Only the live area can tell whether it is one: a plan does, in words of its own. */
  readonly answeredBy?: 'plan'
  /** Other places that belong to it, such as the first of two declarations. */
  readonly related?: readonly { readonly message: string; readonly place: Place }[]
}

/** Takes what is found on the way: the reading goes on behind it. */
export type ReportProblem = (problem: Problem) => void

/** Thrown where no way on exists; carries what must be shown. Everything else that is thrown is a bug. */
export class ProblemError extends Error {
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[], options?: ErrorOptions) {
    super(problems.map((problem) => problem.message).join('\n'), options)
    this.name = 'ProblemError'
    this.problems = problems
  }
}

export const hasErrors = (problems: readonly Problem[]): boolean =>
  problems.some((problem) => problem.severity === 'error')

/** Each once: what was found twice at one place is one problem. */
export function distinct(problems: readonly Problem[]): readonly Problem[] {
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

/** What an error says of itself. */
export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error))
