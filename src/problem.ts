/**
 * Every message of the program that tells of a problem is made in this file: its code, its words, its place, and what to
 * do about it. A problem is a value; all problems of one input are collected and shown at once.
 */

export type Severity = 'error' | 'warning' | 'note'

/** A place in a manifest; line and column count from 1. */
export interface Place {
  readonly file: string
  readonly line: number
  readonly column: number
  /** The lines around the place with a marker below it, ready to print; absent where there is no text to show. */
  readonly frame?: string
}

export interface Problem {
  /** Stable, kebab-case: what kind of problem this is. */
  readonly code: string
  readonly severity: Severity
  /** One sentence: what is wrong. */
  readonly message: string
  readonly place?: Place
  /** What to do about it. */
  readonly hint?: string
  /** Other places that belong to it, such as the first of two declarations. */
  readonly related?: readonly { readonly message: string; readonly place: Place }[]
}

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

// ---- manifests ------------------------------------------------------------------------------------------------------

// ---- project and command line ---------------------------------------------------------------------------------------

// ---- the platform's answers -----------------------------------------------------------------------------------------

// ---- planning -------------------------------------------------------------------------------------------------------
