import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { CallsRequested, ChildCall, ChildEnd, RunChild } from '../ports/child.js'
import { errorText } from '../problems/problem.js'

/** In bytes. Our program never writes a longer answer. */
const mostOutput = 256 * 2 ** 20

/** In bytes. Only the end of the error output is kept. */
const keptWords = 64 * 2 ** 10

/** About 24 days. A longer timer of Node ends at once. */
const longestTimer = 2 ** 31 - 1

/** A process that was asked to end has this much time to finish requests in flight. */
const graceMs = 60_000

/**
 * Runs this program in separate processes. `program`: the command that starts it, such as the paths of Node and of its main file.
 * Signals of the terminal do not reach these processes: if this process is interrupted, it asks each of them once to end, and
 * each finishes its requests in flight.
 */
export function childrenOf([command = '', ...before]: readonly string[]): RunChild {
  return ({ args, cwd, env, timeoutMs, signal, calls }) =>
    new Promise((resolve) => {
      const started = startIn(() =>
        spawn(command, [...before, ...args], {
          cwd,
          env: { ...env },
          detached: true,
          // The IPC channel closes when this process ends for any reason, and then the child ends too.
          stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
        }),
      )
      if ('reason' in started) resolve(neverRan(started.reason))
      else watch(started.child, { timeoutMs, signal, ...(calls && { calls }) }, resolve)
    })
}

const neverRan = (reason: string): ChildEnd => ({ is: 'failed', code: null, reason, stdout: '', stderr: '' })

/** A start can fail at once, with an exception, or later, with an event. */
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
  const requestEnd = (): void => {
    child.kill('SIGTERM')
    final ??= setTimeout(() => child.kill('SIGKILL'), graceMs)
  }
  const late = setTimeout(
    () => {
      isLate = true
      requestEnd()
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
    if (!calls || !isRequested(message)) return
    // If calls cannot be counted, none are granted.
    const counted = calls(message).catch(() => ({ calls: 0, until: 0 }))
    const answered = counted.then((granted) => {
      answers.delete(answered)
      // A child that has ended needs no answer. Granted calls count as sent.
      if (child.connected) child.send(granted, () => undefined)
    })
    answers.add(answered)
  })
  const finish = async (end: Pick<ChildEnd, 'is' | 'code' | 'reason'>): Promise<void> => {
    clearTimeout(late)
    clearTimeout(final)
    signal.removeEventListener('abort', requestEnd)
    // The last messages may arrive after the end of the process.
    if (child.connected) await once(child, 'disconnect').catch(() => undefined)
    await Promise.all(answers)
    ended({ ...end, stdout: isEndless ? '' : Buffer.concat(answer).toString(), stderr: words })
  }
  child.on('error', (error) => {
    // A signal that cannot be sent needs no report: the child still ends with an event of its own.
    if (child.pid === undefined) finish({ is: 'failed', code: null, reason: error.message })
  })
  child.on('close', (code, by) => {
    if (child.pid === undefined) return
    if (isEndless) finish({ is: 'killed', code: null, reason: 'it wrote without an end' })
    else if (isLate) finish({ is: 'timed out', code })
    else if (code === null) finish({ is: 'killed', code, reason: by ?? 'a signal' })
    else finish({ is: 'exited', code })
  })
  if (signal.aborted) requestEnd()
  else signal.addEventListener('abort', requestEnd, { once: true })
}

const isRequested = (message: unknown): message is CallsRequested =>
  typeof message === 'object' &&
  message !== null &&
  'calls' in message &&
  'unused' in message &&
  [message.calls, message.unused].every((count) => Number.isInteger(count) && Number(count) >= 0)
