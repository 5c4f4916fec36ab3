import { setImmediate } from 'node:timers/promises'
import type { Ports } from '../ports/ports.js'
import { interruptedUnsent } from '../problems/platform.js'
import { ProblemError } from '../problems/problem.js'

/** Throws a ProblemError if the user has interrupted the program. Code that never waits would not notice the signal otherwise. */
export async function unlessInterrupted({ signal }: Pick<Ports, 'signal'>): Promise<void> {
  // Node.js checks for signals between the two.
  await setImmediate()
  await setImmediate()
  if (signal.aborted) throw new ProblemError([interruptedUnsent()])
}
