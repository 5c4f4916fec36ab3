import { errorText, type Problem, ProblemError } from '../problems/problem.js'
import { internalError } from '../problems/project.js'
import { systemFailed } from '../problems/shortage.js'
import { codeOf, isSystemError, reasonOf } from './system-error.js'

/** The problems of a caught error: its own, the system's refusal, or a report of a bug. */
export function thrownProblems(error: unknown): readonly Problem[] {
  if (error instanceof ProblemError) return error.problems
  if (!isSystemError(error)) return [internalError(errorText(error))]
  const path = error instanceof Error && 'path' in error ? String(error.path) : undefined
  return [systemFailed(codeOf(error), reasonOf(error), path)]
}
