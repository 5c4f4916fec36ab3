import type { AreaCommand } from '../documents/fleet.js'
import type { CallsGranted, TakeCalls } from '../ports/child.js'

/** Where the calls of keys are counted, day by day (A273). */
export interface CallBook {
  /** Takes as many calls as are left, at least and at most so many; gives their number: 0 if there are fewer than the least. */
  readonly take: (day: KeyDay, asked: { readonly least: number; readonly most: number }) => Promise<number>
  /** Gives calls back; a negative number adds some that were sent without being taken. */
  readonly giveBack: (day: KeyDay, calls: number) => Promise<void>
}

interface KeyDay {
  readonly key: string
  /** Calls of a day. */
  readonly perDay: number
  /** As 2027-01-31, in UTC. */
  readonly day: string
}

/** Calls of a day that one job may send: never more than are left of the key. */
export interface JobCalls {
  readonly take: TakeCalls
  /** After the job: gives back what it never asked for. `requests`: what it says that it sent; null: it does not say. */
  readonly settle: (requests: number | null) => Promise<void>
}

/** What is reserved for an area that no such job has run in (A273). */
const unknownCalls = 50

/** A job, and what is known of its calls. */
interface CountedJob extends Omit<KeyDay, 'day'> {
  readonly command: AreaCommand
  /** What the last such job of the area has needed; undefined before the first one. */
  readonly expected: number | undefined
}

/**
 * Reserves what the job is expected to need; 'none left' if the key has not so many any more. Where nothing is known yet,
 * what is left will do for a job that writes nothing: otherwise nobody would ever know. The job asks for them, and for more
 * once these are sent. Calls count for the day on which they are granted.
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
    settle: async (requests) => {
      // What was asked for is given back by those who asked; who never asked has sent nothing that nobody knows of.
      if (reserved) await book.giveBack(reserved.day, reserved.calls - (requests ?? 0))
    },
  }
}

interface Taken {
  readonly day: KeyDay
  readonly calls: number
}

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** When the day of that moment ends, in milliseconds since 1970. */
export const nextDay = (at: number): number => Date.parse(dayOf(at)) + 24 * 60 * 60_000
