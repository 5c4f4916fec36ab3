import { error, type Problem, warning } from './problem.js'
import { choice } from './suggest.js'

/** Problems of promoting one environment to another, and of comparing two environments. */

export const environmentOverruled = (environment: string, setting: string, by: string): Problem =>
  error(
    'environment-overruled',
    undefined,
    `${by} says another ${setting} than environment ${environment}, which is to be compared as it is`,
    `unset ${by} for this command; GATEWRIGHT_HOSTS names the hosts that credentials may go to`,
  )

/** `why`: a half-sentence. */
export const appliedNowhere = (environment: string, why: string): Problem =>
  error(
    'applied-in-no-run',
    undefined,
    `what was applied in ${environment} is not known: ${why}`,
    `gatewright apply -e ${environment} first; its records must be within reach of this command`,
  )

/** `what`: the predicate of the sentence, with the run as its subject. */
export const appliedNotClean = (environment: string, run: string, what: string): Problem =>
  error(
    'applied-in-not-clean',
    undefined,
    `the last run of ${environment}, ${run}, ${what}: it does not say what is there`,
    `gatewright apply -e ${environment} until it ends with everything done`,
  )

export const appliedWithoutCommit = (environment: string, run: string, what: string): Problem =>
  error(
    'applied-in-no-commit',
    undefined,
    `the last run of ${environment}, ${run}, was ${what}: they cannot be read again`,
    `commit, and gatewright apply -e ${environment} once more`,
  )

export const appliedCommitGone = (environment: string, commit: string, what: string): Problem =>
  error(
    'applied-in-commit-missing',
    undefined,
    `commit ${commit}, which was applied in ${environment}, ${what}`,
    `git fetch origin ${commit}; in CI check out with the whole history (fetch-depth: 0)`,
  )

export const promotionBreaks = (environment: string): Problem =>
  error(
    'promotion-breaks',
    undefined,
    `environment ${environment} would not be valid any more: nothing is written`,
    'the errors with it say why; --select leaves out what does not fit there',
  )

export const notPromoted = (name: string, environment: string): Problem =>
  warning(
    'not-promoted',
    undefined,
    `${name} is not copied: what environment ${environment} says there is repeated elsewhere by an anchor or an alias`,
    'write it by hand',
  )

/** For values by their names, and patches by their targets. */
export const nothingToPromote = (
  words: readonly string[],
  environment: string,
  suggestion: string | undefined,
  known: readonly string[],
): Problem =>
  error(
    'nothing-selected',
    undefined,
    `environment ${environment} gives no value and has no patch that ${words.map((word) => `"${word}"`).join(', ')} selects`,
    choice(suggestion, known),
  )

export const oneTokenForTwo = (first: string, second: string): Problem =>
  error(
    'environment-overruled',
    undefined,
    `GATEWRIGHT_TOKEN is for one area, and ${first} and ${second} are two`,
    'unset it, or give each environment its platform.credentials',
  )
