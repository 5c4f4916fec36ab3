import { setTimeout } from 'node:timers/promises'
import { ProblemError } from '../../problems/problem.js'

/** What the database knows, also if it is away for a while: a result is held here until it can be written down. */
export async function lasting<Value>(work: () => Promise<Value>): Promise<Value> {
  const until = Date.now() + longestAway
  for (let pause = 250; ; pause = Math.min(2 * pause, 5_000)) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof ProblemError) || Date.now() > until) throw error
      if (error.problems.some(({ code }) => code !== 'database-failed')) throw error
      await setTimeout(pause)
    }
  }
}

const longestAway = 60 * 60_000
