import { groupBy } from '../json/groups.js'
import { quotaOfDay } from '../problems/fleet.js'
import type { Problem } from '../problems/problem.js'
import { cronLine } from './cron.js'
import type { Fleet } from './fleet.js'

/**
 * For keys with a quota: problems if the drift schedule needs more calls. `requestsOf`: the calls that one drift of an area
 * needs, if known.
 */
export function quotaProblems(
  { areas, keys, drift }: Pick<Fleet, 'areas' | 'keys' | 'drift'>,
  requestsOf: (area: string) => number | undefined,
): readonly Problem[] {
  const line = drift && cronLine(drift.schedule)
  if (!line || 'fault' in line) return []
  const byKey = groupBy(areas, ({ key }) => key)
  return Object.entries(keys).flatMap(([key, { requestsPerDay: allowed }]) => {
    const own = byKey.get(key) ?? []
    if (allowed === undefined || own.length === 0) return []
    const counts = own.map(({ name }) => requestsOf(name))
    const requests = counts.reduce<number>((sum, count) => sum + (count ?? 0), 0)
    const unknown = counts.filter((count) => count === undefined).length
    return [quotaOfDay({ key, areas: own.length, unknown, requests, runsPerDay: line.runsPerDay, allowed })]
  })
}
