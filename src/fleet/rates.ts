import { groupBy } from '../json/groups.js'
import { rateBelowShare, rateOfProjects } from '../problems/fleet.js'
import type { Problem } from '../problems/problem.js'
import { type Fleet, slotsOf } from './fleet.js'

/**
 * What projects say of a rate where it is one of the key: without one of its own nobody keeps it between areas, and one that is
 * slower than the share of an area holds instead. `rateOf`: what the project of an area says.
 */
export function rateProblems(
  { areas, keys }: Pick<Fleet, 'areas' | 'keys'>,
  rateOf: (area: string) => number | undefined,
): readonly Problem[] {
  const byKey = groupBy(areas, ({ key }) => key)
  return Object.entries(keys).flatMap(([key, allowed]) => {
    const own = byKey.get(key) ?? []
    const said = groupBy(own, ({ name }) => rateOf(name))
    said.delete(undefined)
    const rates = [...said].flatMap(([rate, of]) =>
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
