import { groupBy } from '../json/groups.js'
import { compareText } from '../json/order.js'
import { type FleetArea, queueOf } from './fleet.js'

/** The areas of one CI job. No two jobs have areas with the same key, because each job limits the rate of its keys by itself. */
interface Shard {
  /** Such as `3/17`: the third of 17 jobs. */
  readonly name: string
  /** The keys of its areas. For an area without a key, the area's name. */
  readonly keys: readonly string[]
  /** In the order of the fleet. */
  readonly areas: readonly FleetArea[]
}

/**
 * Divides the areas into at most `most` jobs of about the same size. All areas of one queue are in the same job. The result
 * depends only on the areas and the number, and the number of jobs in the result gives the same result again.
 */
export function shardsOf(areas: readonly FleetArea[], most: number): readonly Shard[] {
  const queues = [...groupBy(areas, queueOf)].sort(
    ([left, { length: many }], [right, { length: more }]) => more - many || compareText(left, right),
  )
  const shards = Array.from({ length: Math.min(most, queues.length) }, () => new Set<FleetArea>())
  for (const [, queue] of queues) {
    const smallest = shards.reduce((least, each) => (each.size < least.size ? each : least))
    for (const area of queue) smallest.add(area)
  }
  return shards.map((shard, index) => {
    const own = areas.filter((area) => shard.has(area))
    return {
      name: `${index + 1}/${shards.length}`,
      keys: [...new Set(own.map(({ key, name }) => key ?? name))],
      areas: own,
    }
  })
}

/** The job with that name, such as `3/17`; undefined if there is none. */
export function shardNamed(areas: readonly FleetArea[], name: string): Shard | undefined {
  const [, all] = /^\d+\/([1-9]\d{0,5})$/.exec(name) ?? []
  return all === undefined ? undefined : shardsOf(areas, Number(all)).find((shard) => shard.name === name)
}
