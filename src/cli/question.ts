import { createInterface } from 'node:readline'
import type { PlanDocument } from '../documents/plan.js'
import { printable } from '../json/printable.js'
import { questionText } from '../report/target.js'
import type { Io } from './io.js'

/** The input ended or was interrupted before all questions were answered. */
export class NoAnswer extends Error {}

/**
 * Asks questions on a terminal. Without a terminal, or if the answer is empty, the default is used. Rejects with NoAnswer at the
 * end of the input.
 */
export interface Asking {
  readonly ask: (question: string, usual: string) => Promise<string>
  /** Repeats the question until the answer is one of the words. */
  readonly choose: <const Word extends string>(question: string, usual: Word, words: readonly Word[]) => Promise<Word>
  readonly close: () => void
}

/** Asks nothing: all answers are the defaults. */
export const silent: Asking = {
  ask: (_, usual) => Promise.resolve(usual),
  choose: (_, usual) => Promise.resolve(usual),
  close: () => undefined,
}

/** Asks on the streams of the program. Close it after the last question. */
export function asking(io: Io): Asking {
  if (!isTerminal(io)) return silent
  const lines = linesFrom(io)
  const ask = async (question: string, usual: string): Promise<string> => {
    io.stderr.write(`${question}${usual === '' ? '' : ` [${usual}]`}: `)
    const line = await lines.next()
    if (line === undefined) throw new NoAnswer()
    return line.trim() || usual
  }
  return {
    ask,
    choose: async (question, usual, words) => {
      for (;;) {
        const given = await ask(`${question} (${words.join(', ')})`, usual)
        const word = words.find((each) => each === given.toLowerCase())
        if (word !== undefined) return word
        io.stderr.write(`"${printable(given)}" is none of them.\n`)
      }
    },
    close: lines.close,
  }
}

/**
 * Asks on a terminal whether to continue. With `yes`, it does not ask, unless a name must be typed. If the answer is neither yes
 * nor no, it asks again; the end of the input means no.
 */
export async function confirm(
  question: string,
  { yes, name }: { readonly yes: boolean; readonly name: string | undefined },
  io: Io,
): Promise<'already' | 'yes' | 'no' | 'cannot ask'> {
  if (yes && name === undefined) return 'already'
  if (!isTerminal(io)) return 'cannot ask'
  const lines = linesFrom(io)
  try {
    const words = name === undefined ? 'yes or no' : `${printable(name)}, or no`
    io.stderr.write(`\n${question} (${name === undefined ? 'yes/no' : `type ${words}`}): `)
    for (;;) {
      const line = await lines.next()
      io.signal.throwIfAborted()
      if (line === undefined) io.stderr.write('\n')
      const answer = line === undefined ? 'no' : answerIn(line.trim(), name)
      if (answer !== undefined) return answer
      io.stderr.write(`Please answer ${words}: `)
    }
  } finally {
    lines.close()
  }
}

/** Such as `Apply 3 changes to https://api.example.com, area 0000…a4ea (shop)?` */
export const questionOf = (verb: 'Apply' | 'Undo', plan: PlanDocument): string => printable(questionText(verb, plan))

function answerIn(text: string, name: string | undefined): 'yes' | 'no' | undefined {
  if (name !== undefined && text === name) return 'yes'
  const answer = answers.get(text.toLowerCase())
  return name !== undefined && answer === 'yes' ? undefined : answer
}

const answers = new Map<string, 'yes' | 'no'>([
  ['yes', 'yes'],
  ['y', 'yes'],
  ['no', 'no'],
  ['n', 'no'],
])

const isTerminal = ({ stdin, stderr }: Io): boolean => stdin.isTTY === true && stderr.isTTY === true

/** The lines of the input, one at a time; undefined at the end of the input. */
function linesFrom({ stdin, signal }: Io): {
  readonly next: () => Promise<string | undefined>
  readonly close: () => void
} {
  const reader = createInterface({ input: stdin, terminal: false, signal })
  const lines = reader[Symbol.asyncIterator]()
  return {
    next: async () => {
      const line = await lines.next()
      return line.done ? undefined : line.value
    },
    close: () => reader.close(),
  }
}
