import { groupBy } from '../json/groups.js'
import { rateBelowShare, rateOfProjects } from '../problems/fleet.js'
import type { Problem } from '../problems/problem.js'
import { type Fleet, slotsOf } from './fleet.js'

/**
 * Problems of projects that set a rate of their own although they share a key. If the key has no rate, nothing limits the areas
 * together. If a project's rate is slower than its share of the key's rate, the project's rate applies. `rateOf`: the rate that
 * the project of an area sets.
 */
export function rateProblems(
  { areas, keys }: Pick<Fleet, 'areas' | 'keys'>,
  rateOf: (area: string) => number | undefined,
): readonly Problem[] {
  const byKey = groupBy(areas, ({ key }) => key)
  return Object.entries(keys).flatMap(([key, allowed]) => {
    const own = byKey.get(key) ?? []
    const byRate = groupBy(own, ({ name }) => rateOf(name))
    byRate.delete(undefined)
    const rates = [...byRate].flatMap(([rate, of]) =>
      rate === undefined ? [] : [{ rate, areas: of.map(({ name }) => name) }],
    )
    if (allowed.requestsPerSecond === undefined) {
      return rates.length > 0 && own.length > 1 ? [rateOfProjects(key, rates)] : []
    }
    const shares = slotsOf(allowed).flatMap(({ requestsPerSecond }) => requestsPerSecond ?? [])
    const share = Math.min(...shares)
    return rates.filter(({ rate }) => rate < share).map((each) => rateBelowShare(key, share, each))
  })
}
