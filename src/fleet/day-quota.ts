import type { AreaCommand } from '../documents/fleet.js'
import type { Fleet, FleetArea } from './fleet.js'
import { addCalls, callsOf, countsOf, keepCount } from './records.js'

/** Calls of a day that are taken before a job begins. */
interface Taken {
  /** Gives back what was not needed, or adds what was needed more; null: nobody knows, and all count as needed. */
  readonly settle: (requests: number | null) => void
}

interface DayQuota {
  /** Takes what the last such job of the area has needed; 'none left' where the key has not so many calls any more. */
  readonly take: (area: FleetArea) => Taken | 'none left'
}

/** What is taken for an area that no such job has run in. */
const unknownCalls = 50

/** The calls that keys have left of a day, across the runs of that day (A273). `now`: milliseconds since 1970. */
export function dayQuota(
  { keys }: Pick<Fleet, 'keys'>,
  command: AreaCommand,
  { folder, now }: { readonly folder: string; readonly now: () => number },
): DayQuota {
  return {
    take: (area) => {
      const perDay = area.key === undefined ? undefined : keys[area.key]?.requestsPerDay
      const keep = (requests: number | null): void => {
        if (requests !== null) keepCount(folder, command, area.name, requests)
      }
      if (area.key === undefined || perDay === undefined) return { settle: keep }
      const { key } = area
      const day = new Date(now()).toISOString().slice(0, 10)
      const calls = Math.min(countsOf(folder, command)[area.name] ?? unknownCalls, perDay)
      if (callsOf(folder, day, key) + calls > perDay) return 'none left'
      addCalls(folder, day, key, calls)
      return {
        settle: (requests) => {
          keep(requests)
          if (requests !== null && requests !== calls) addCalls(folder, day, key, requests - calls)
        },
      }
    },
  }
}
