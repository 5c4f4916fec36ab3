import { error, type Problem } from './problem.js'
import { counted, firstOf } from './suggest.js'

/** What is wrong with a fleet (design §11), and with the jobs of its areas. */

export const loginNotSet = (area: string, variables: readonly string[]): Problem =>
  error(
    'missing-settings',
    undefined,
    `area "${area}" has no login: ${firstOf(variables)} ${variables.length === 1 ? 'is' : 'are'} not set`,
    'set what credentials of the area and of its key name',
  )

export const jobNotStarted = (area: string, reason: string): Problem =>
  error('area-job-failed', undefined, `the process of area "${area}" was not started: ${reason}`)

export const jobTimedOut = (area: string, timeoutMs: number): Problem =>
  error(
    'area-job-failed',
    undefined,
    `area "${area}" took longer than ${counted(Math.round(timeoutMs / 1000), 'second')}, and was ended`,
    'run it by itself to see what it waits for, or raise spec.timeout of the fleet',
  )

export const jobDied = (area: string, reason: string, words: string): Problem =>
  error('area-job-failed', undefined, `the process of area "${area}" was ended: ${reason}${said(words)}`, again)

export const jobUnanswered = (area: string, code: number | null, words: string): Problem =>
  error(
    'area-job-failed',
    undefined,
    `the process of area "${area}" ended with exit code ${code ?? 'unknown'} and no answer${said(words)}`,
    again,
  )

const again = 'run the command with --resume: what was done is not done again'

/** What the process said last, on one line. */
const said = (words: string): string => (words === '' ? '' : `: ${words.replaceAll(/\s*\n\s*/g, '; ')}`)
