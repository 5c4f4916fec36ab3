import { setTimeout } from 'node:timers/promises'
import { ProblemError } from '../../problems/problem.js'

/** Repeats a query until the database is available, for an hour at most: a result is kept in memory until it can be stored. */
export const lasting = <Value>(work: () => Promise<Value>): Promise<Value> => triedAgain(work, { mostMs: longestAway })

/** The same without a time limit. It does not keep the process alive. */
export const everLasting = <Value>(work: () => Promise<Value>): Promise<Value> =>
  triedAgain(work, { mostMs: Number.POSITIVE_INFINITY, ref: false })

async function triedAgain<Value>(
  work: () => Promise<Value>,
  { mostMs, ref = true }: { readonly mostMs: number; readonly ref?: boolean },
): Promise<Value> {
  const until = Date.now() + mostMs
  for (let pause = 250; ; pause = Math.min(2 * pause, 5_000)) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof ProblemError) || Date.now() > until) throw error
      if (error.problems.some(({ code }) => code !== 'database-failed')) throw error
      await setTimeout(pause, undefined, { ref })
    }
  }
}

const longestAway = 60 * 60_000
