import { error, type Problem } from './problem.js'

/** What stands in the way of bringing one environment to another, or of comparing the two. */

export const environmentOverruled = (environment: string, setting: string, by: string): Problem =>
  error(
    'environment-overruled',
    undefined,
    `${by} says another ${setting} than environment ${environment}, which is to be compared as it is`,
    `unset ${by} for this command; GATEWRIGHT_HOSTS names the hosts that credentials may go to`,
  )

export const oneTokenForTwo = (first: string, second: string): Problem =>
  error(
    'environment-overruled',
    undefined,
    `GATEWRIGHT_TOKEN is for one area, and ${first} and ${second} are two`,
    'unset it, or give each environment its platform.credentials',
  )
