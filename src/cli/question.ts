import { createInterface } from 'node:readline/promises'
import type { Io } from './io.js'

/** Asks on a terminal; elsewhere, and for an empty answer, the usual answer is taken. */
export interface Asking {
  readonly ask: (question: string, usual: string) => Promise<string>
  /** Asks again until the answer is one of the words. */
  readonly choose: <const Word extends string>(question: string, usual: Word, words: readonly Word[]) => Promise<Word>
  readonly close: () => void
}

const silent: Asking = {
  ask: (_, usual) => Promise.resolve(usual),
  choose: (_, usual) => Promise.resolve(usual),
  close: () => undefined,
}

/** Questions and answers on the streams of the program; close it when all is asked. */
export function asking(io: Io): Asking {
  if (!io.stdin.isTTY || !io.stderr.isTTY) return silent
  const lines = createInterface({ input: io.stdin, terminal: false, signal: io.signal })
  const answers = lines[Symbol.asyncIterator]()
  const ask = async (question: string, usual: string): Promise<string> => {
    io.stderr.write(`${question}${usual === '' ? '' : ` [${usual}]`}: `)
    const line = await answers.next()
    // The end of the input answers everything as usual.
    return line.done ? usual : line.value.trim() || usual
  }
  return {
    ask,
    choose: async (question, usual, words) => {
      for (;;) {
        const given = await ask(`${question} (${words.join(', ')})`, usual)
        const word = words.find((each) => each === given.toLowerCase())
        if (word !== undefined) return word
      }
    },
    close: () => lines.close(),
  }
}

/** Asks on a terminal whether to go on; a "yes" in advance needs none. */
export async function confirm(
  question: string,
  { yes }: { readonly yes: boolean },
  io: Io,
): Promise<'already' | 'yes' | 'no' | 'cannot ask'> {
  if (yes) return 'already'
  if (!io.stdin.isTTY || !io.stderr.isTTY) return 'cannot ask'
  const reader = createInterface({ input: io.stdin, terminal: false })
  try {
    io.stderr.write(`\n${question} Only "yes" does: `)
    const answer = await reader.question('', { signal: io.signal })
    return answer.trim().toLowerCase() === 'yes' ? 'yes' : 'no'
  } finally {
    reader.close()
  }
}
