import { errorText } from '../problems/problem.js'

/** How long it is before the same is told again, in milliseconds: that it goes on is worth a line. */
const againMs = 10 * 60_000

/**
 * A database that is away makes the engine say the same few things several times a second: each is told at most once in ten
 * minutes, whatever its numbers. `now`: milliseconds since 1970.
 */
export function tellOnce(warn: (message: string) => void, now: () => number): (entry: unknown) => void {
  const told = new Map<string, number>()
  return (entry) => {
    const message = errorText(entry).split('\n')[0] ?? ''
    const kind = message.replaceAll(/[\d.]+/g, '')
    const at = now()
    if (at - (told.get(kind) ?? Number.NEGATIVE_INFINITY) < againMs) return
    told.set(kind, at)
    warn(message)
  }
}
