import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import type { Io } from './io.js'

/** Asks on the terminal. Without one nobody can answer: that is an answer of its own, and never a wait. */
export async function confirm(question: string, io: Io): Promise<'yes' | 'no' | 'no-terminal'> {
  if (io.stdin.isTTY !== true || io.stderr.isTTY !== true) return 'no-terminal'
  // The question is progress, not a result: it goes to stderr.
  const output = new Writable({
    write: (chunk, _, done) => {
      io.stderr.write(String(chunk))
      done()
    },
  })
  const lines = createInterface({ input: io.stdin, output })
  try {
    const answer = await lines.question(`${question} [y/N] `, { signal: io.signal })
    return /^y(es)?$/i.test(answer.trim()) ? 'yes' : 'no'
  } finally {
    lines.close()
  }
}
