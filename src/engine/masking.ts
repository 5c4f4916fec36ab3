import { isDeepStrictEqual } from 'node:util'
import type { Mask } from '../ports/mask.js'
import type { Ports } from '../ports/ports.js'
import type { Place, Problem } from '../problems/problem.js'
import { masking, secretsOf } from '../secrets/mask.js'

/** The part that every command needs before it reads manifests. It is a separate file to keep the start of all commands fast. */

/** A mask that knows the secrets of the program's own variables. */
export const maskOf = (env: Ports['env']): Mask => masking(secretsOf({ secrets: [] }, { env }))

/** The problem without secrets in its texts and in the lines that it shows. */
export function maskedProblem(problem: Problem, mask: (text: string) => string): Problem {
  const { message, short, hint, place, related } = problem
  const reported: Problem = {
    ...problem,
    message: mask(message),
    ...(short !== undefined && { short: mask(short) }),
    ...(hint !== undefined && { hint: mask(hint) }),
    ...(place && { place: maskedPlace(place, mask) }),
    ...(related && {
      related: related.map((each) => ({ message: mask(each.message), place: maskedPlace(each.place, mask) })),
    }),
  }
  return isDeepStrictEqual(reported, problem) ? problem : reported
}

const maskedPlace = (place: Place, mask: (text: string) => string): Place =>
  place.frame === undefined ? place : { ...place, frame: mask(place.frame) }
