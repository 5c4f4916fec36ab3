import { errorText } from '../problems/problem.js'

/** After this time, in milliseconds, the same message is shown again. */
const againMs = 10 * 60_000

/**
 * Limits repeated messages: if the database is unavailable, the engine repeats the same messages several times per second. Each
 * is shown at most once in ten minutes, even if its numbers differ. `now`: milliseconds since 1970.
 */
export function warnOnce(warn: (message: string) => void, now: () => number): (entry: unknown) => void {
  const reported = new Map<string, number>()
  return (entry) => {
    const message = errorText(entry).split('\n')[0] ?? ''
    const kind = message.replaceAll(/[\d.]+/g, '')
    const at = now()
    if (at - (reported.get(kind) ?? Number.NEGATIVE_INFINITY) < againMs) return
    reported.set(kind, at)
    warn(message)
  }
}
