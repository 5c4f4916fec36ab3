import { groupBy } from '../json/groups.js'
import { compareText } from '../json/order.js'
import { type FleetArea, queueOf } from './fleet.js'

/** The areas of one CI job. No two jobs have areas of one key: each keeps the rate of its keys by itself. */
export interface Shard {
  /** `3/17`: the third of 17. */
  readonly name: string
  /** The keys of its areas; of areas without one, their names. */
  readonly keys: readonly string[]
  /** In the order of the fleet. */
  readonly areas: readonly FleetArea[]
}

/**
 * The areas as so many jobs at most, each queue whole in one of them, and all of them about as large. The same areas and number
 * give the same jobs; as many jobs as were given before give those again.
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

/** The job of that name, of as many as it says that there are; undefined where there is none. */
export function shardNamed(areas: readonly FleetArea[], name: string): Shard | undefined {
  const [, all] = /^\d+\/([1-9]\d{0,5})$/.exec(name) ?? []
  return all === undefined ? undefined : shardsOf(areas, Number(all)).find((shard) => shard.name === name)
}
