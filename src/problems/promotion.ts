import { error, type Problem, warning } from './problem.js'
import { choice } from './suggest.js'

/** What stands in the way of bringing one environment to another, or of comparing the two. */

export const environmentOverruled = (environment: string, setting: string, by: string): Problem =>
  error(
    'environment-overruled',
    undefined,
    `${by} says another ${setting} than environment ${environment}, which is to be compared as it is`,
    `unset ${by} for this command; GATEWRIGHT_HOSTS names the hosts that credentials may go to`,
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

/** Of values by their names, and patches by their targets. */
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
