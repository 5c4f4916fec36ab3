import type { ProblemCode } from './codes.js'
import { error, type Place, type Problem, warning } from './problem.js'

/** The findings of drift as problems, for report formats that only know problems. */
export type DriftCode = Extract<
  ProblemCode,
  | 'conflict'
  | 'changed-on-platform'
  | 'deleted-on-platform'
  | 'created-on-platform'
  | 'remaining-on-platform'
  | 'differs-from-platform'
>

const remedies: Readonly<Record<DriftCode, string>> = {
  conflict: 'decide with --take manifest or --take live',
  'changed-on-platform': 'apply the manifests, or bring it into them with gatewright drift --write',
  'deleted-on-platform': 'apply the manifests to create it again, or remove it from them',
  'created-on-platform': 'bring it into the manifests with gatewright drift --write, or remove it on the platform',
  'remaining-on-platform':
    'apply all manifests with --prune applied to delete it, or bring it back with gatewright drift --write',
  'differs-from-platform': 'keep records of apply, or name what was last applied with --base',
}

/** `words`: what happened to the object or the field, such as `description: git one → live two`. */
export function drifted(code: DriftCode, address: string, words: string, place: Place | undefined): Problem {
  const message = `${address}: ${words}`
  return code === 'conflict'
    ? error(code, place, message, remedies[code])
    : warning(code, place, message, remedies[code])
}
