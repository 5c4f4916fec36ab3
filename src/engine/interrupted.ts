import { setImmediate } from 'node:timers/promises'
import type { Ports } from '../ports/ports.js'
import { interruptedUnsent } from '../problems/platform.js'
import { ProblemError } from '../problems/problem.js'

/**
 * Throws a ProblemError if the user has interrupted the program: who works without waiting for anything is not told of it
 * meanwhile.
 */
export async function unlessInterrupted({ signal }: Pick<Ports, 'signal'>): Promise<void> {
  // Signals are looked for between the two.
  await setImmediate()
  await setImmediate()
  if (signal.aborted) throw new ProblemError([interruptedUnsent()])
}
