import { setTimeout } from 'node:timers/promises'
import { ProblemError } from '../../problems/problem.js'

/**
 * What the database knows, also if it is away for a while: a result is held here until it can be written down, an hour at most.
 */
export const lasting = <Value>(work: () => Promise<Value>): Promise<Value> => triedAgain(work, { mostMs: longestAway })

/** The same however long it is away; a process that has nothing else to do ends all the same. */
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
