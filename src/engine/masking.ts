import type { Mask } from '../ports/mask.js'
import type { Ports } from '../ports/ports.js'
import type { Problem } from '../problems/problem.js'
import { masking, secretsOf } from '../secrets/mask.js'

/** What every command needs before it knows any manifest: a file of its own, since all of them wait for it to be loaded. */

/** A mask that knows the secrets of the program's own variables. */
export const maskOf = (env: Ports['env']): Mask => masking(secretsOf({ secrets: [] }, { env }))

/** The problem without the secrets in its words. */
export function maskedProblem(problem: Problem, mask: (text: string) => string): Problem {
  const { message, hint } = problem
  const words = { message: mask(message), ...(hint !== undefined && { hint: mask(hint) }) }
  return words.message === message && words.hint === hint ? problem : { ...problem, ...words }
}
