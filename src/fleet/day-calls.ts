import type { AreaCommand } from '../documents/fleet.js'
import type { CallsGranted, TakeCalls } from '../ports/child.js'

/** The storage of the numbers of calls per key and day (A273). */
export interface CallBook {
  /**
   * Takes as many of the remaining calls as possible, at most `most`, and returns their number. Returns 0 if fewer than `least`
   * remain.
   */
  readonly take: (day: KeyDay, requested: { readonly least: number; readonly most: number }) => Promise<number>
  /** Returns calls; a negative number adds calls that were sent without being taken. */
  readonly giveBack: (day: KeyDay, calls: number) => Promise<void>
}

interface KeyDay {
  readonly key: string
  /** The number of calls that the key may send per day. */
  readonly perDay: number
  /** In the form 2027-01-31, in UTC. */
  readonly day: string
}

/** The calls that one job may send on a day: never more than remain for the key. */
export interface JobCalls {
  readonly take: TakeCalls
  /**
   * After the job: returns the calls that were reserved but not requested. `requests`: the number of requests that the job
   * reported, or null.
   */
  readonly giveBack: (requests: number | null) => Promise<void>
}

/** The number of calls that is reserved for an area in which this command has not run yet (A273). */
const unknownCalls = 50

/** A job, and what is known about its number of calls. */
interface CountedJob extends Omit<KeyDay, 'day'> {
  readonly command: AreaCommand
  /** The number of calls that the last such job of the area needed; undefined before the first job. */
  readonly expected: number | undefined
}

/**
 * Reserves the expected number of calls for the job; 'none left' if the key has fewer calls left. If no number is known yet, any
 * remaining number is enough for a job that writes nothing: otherwise no number would ever become known. The job requests the
 * reserved calls, and more when it has sent them. Calls count for the day on which they are granted.
 */
export async function callsForJob(
  { key, perDay, command, expected }: CountedJob,
  book: CallBook,
  now: () => number,
): Promise<JobCalls | 'none left'> {
  const today = (): KeyDay => ({ key, perDay, day: dayOf(now()) })
  const enough = Math.min(expected ?? unknownCalls, perDay)
  const first = today()
  const least = expected === undefined && command !== 'apply' ? 1 : enough
  const taken = await book.take(first, { least, most: enough })
  if (taken === 0) return 'none left'
  let reserved: Taken | undefined = { day: first, calls: taken }
  let granted: Taken | undefined
  const next = async (calls: number): Promise<Taken> => {
    const day = today()
    const kept = reserved
    reserved = undefined
    if (kept?.day.day === day.day) return kept
    if (kept) await book.giveBack(kept.day, kept.calls)
    return { day, calls: await book.take(day, { least: 1, most: calls }) }
  }
  return {
    take: async ({ calls, unused }): Promise<CallsGranted> => {
      if (granted && unused > 0) await book.giveBack(granted.day, Math.min(unused, granted.calls))
      granted = undefined
      if (calls === 0) return { calls: 0, until: 0 }
      granted = await next(calls)
      return { calls: granted.calls, until: nextDay(now()) }
    },
    giveBack: async (requests) => {
      // A job that requested calls returns them itself. A job that requested none has sent only requests that it reports.
      if (reserved) await book.giveBack(reserved.day, reserved.calls - (requests ?? 0))
    },
  }
}

interface Taken {
  readonly day: KeyDay
  readonly calls: number
}

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** The end of the UTC day of that time, in milliseconds since 1970. */
export const nextDay = (at: number): number => Date.parse(dayOf(at)) + 24 * 60 * 60_000
