import { errorText } from '../problems/problem.js'
import type { RunJournal } from './run.js'

export interface GuardedJournal extends RunJournal {
  /** Why nothing more can be recorded. Undefined if it can. */
  broken(): string | undefined
}

/** A journal whose failure ends the run in order: requests in progress are finished and reported. */
export function guarded(journal: RunJournal): GuardedJournal {
  let broken: string | undefined
  const noted = (error: unknown): void => {
    broken ??= errorText(error)
  }
  return {
    announce: (step) => journal.announce(step).catch(noted),
    finish: (change, result) => journal.finish(change, result).catch(noted),
    broken: () => broken,
  }
}
