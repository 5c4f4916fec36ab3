import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { CallsAsked, ChildCall, ChildEnd, RunChild } from '../ports/child.js'
import { errorText } from '../problems/problem.js'

/** Longer answers are none of ours. */
const mostOutput = 256 * 2 ** 20

/** Of what is told beside the answer, the end is enough. */
const keptWords = 64 * 2 ** 10

/** Some 24 days: a timer of Node that is set for longer ends at once. */
const longestTimer = 2 ** 31 - 1

/** Who was asked to end has that long for what is in flight. */
const graceMs = 60_000

/**
 * Runs this program in processes of their own; `program`: the words that start it, such as the path of Node and of its main
 * file. Signals of the terminal do not reach them: who is interrupted asks them to end, once, and each finishes what is in
 * flight.
 */
export function childrenOf([command = '', ...before]: readonly string[]): RunChild {
  return ({ args, cwd, env, timeoutMs, signal, calls }) =>
    new Promise((resolve) => {
      const started = startIn(() =>
        spawn(command, [...before, ...args], {
          cwd,
          env: { ...env },
          detached: true,
          // The channel ends with this process, however that ends, and the child with it.
          stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
        }),
      )
      if ('reason' in started) resolve(neverRan(started.reason))
      else watch(started.child, { timeoutMs, signal, ...(calls && { calls }) }, resolve)
    })
}

const neverRan = (reason: string): ChildEnd => ({ is: 'failed', code: null, reason, stdout: '', stderr: '' })

/** What cannot be started at all is told at once, or later as an event. */
function startIn(start: () => ChildProcess): { readonly child: ChildProcess } | { readonly reason: string } {
  try {
    return { child: start() }
  } catch (error) {
    return { reason: errorText(error) }
  }
}

function watch(
  child: ChildProcess,
  { timeoutMs, signal, calls }: Pick<ChildCall, 'timeoutMs' | 'signal' | 'calls'>,
  ended: (end: ChildEnd) => void,
): void {
  const answer: Buffer[] = []
  let size = 0
  let words = ''
  let isLate = false
  let isEndless = false
  let final: NodeJS.Timeout | undefined
  const ask = (): void => {
    child.kill('SIGTERM')
    final ??= setTimeout(() => child.kill('SIGKILL'), graceMs)
  }
  const late = setTimeout(
    () => {
      isLate = true
      ask()
    },
    Math.min(timeoutMs, longestTimer),
  )
  child.stdout?.on('data', (part: Buffer) => {
    size += part.length
    if (size <= mostOutput) answer.push(part)
    else {
      isEndless = true
      child.kill('SIGKILL')
    }
  })
  child.stderr?.setEncoding('utf8').on('data', (part: string) => {
    words = (words + part).slice(-keptWords)
  })
  const answers = new Set<Promise<void>>()
  child.on('message', (message: unknown) => {
    if (!calls || !isAsked(message)) return
    // What cannot be counted is not sent.
    const counted = calls(message).catch(() => ({ calls: 0, until: 0 }))
    const answered = counted.then((granted) => {
      answers.delete(answered)
      // Who has gone since needs no answer; what was granted counts as sent.
      if (child.connected) child.send(granted, () => undefined)
    })
    answers.add(answered)
  })
  const finish = async (end: Pick<ChildEnd, 'is' | 'code' | 'reason'>): Promise<void> => {
    clearTimeout(late)
    clearTimeout(final)
    signal.removeEventListener('abort', ask)
    // What it said last may come after its end.
    if (child.connected) await once(child, 'disconnect').catch(() => undefined)
    await Promise.all(answers)
    ended({ ...end, stdout: isEndless ? '' : Buffer.concat(answer).toString(), stderr: words })
  }
  child.on('error', (error) => {
    // Of a signal that cannot be sent nothing is to be said: its end comes all the same.
    if (child.pid === undefined) finish({ is: 'failed', code: null, reason: error.message })
  })
  child.on('close', (code, by) => {
    if (child.pid === undefined) return
    if (isEndless) finish({ is: 'killed', code: null, reason: 'it wrote without an end' })
    else if (isLate) finish({ is: 'timed out', code })
    else if (code === null) finish({ is: 'killed', code, reason: by ?? 'a signal' })
    else finish({ is: 'exited', code })
  })
  if (signal.aborted) ask()
  else signal.addEventListener('abort', ask, { once: true })
}

const isAsked = (message: unknown): message is CallsAsked =>
  typeof message === 'object' &&
  message !== null &&
  'calls' in message &&
  'unused' in message &&
  [message.calls, message.unused].every((count) => Number.isInteger(count) && Number(count) >= 0)
