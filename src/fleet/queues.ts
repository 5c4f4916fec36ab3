import { groupBy } from '../json/groups.js'
import type { Ports } from '../ports/ports.js'
import { type Fleet, type FleetArea, queueOf, type Slot, slotsOf } from './fleet.js'

/** Processes one area, in a slot of its key. Never rejects. */
type AreaWork = (area: FleetArea, slot: Slot) => Promise<void>

/**
 * Processes all areas. Areas of one queue run at the same time in as many slots as the queue has, and each slot pauses between
 * two areas. At most `parallelism` areas of all queues run at the same time. After an interruption no other area begins.
 */
export async function inQueues(
  { keys, areas }: Pick<Fleet, 'keys' | 'areas'>,
  parallelism: number,
  work: AreaWork,
  { sleep, signal }: Pick<Ports, 'sleep' | 'signal'>,
): Promise<void> {
  const permits = permitsFor(parallelism)
  const queues = [...groupBy(areas, queueOf).values()].map((waiting) => [...waiting])
  const runSlot = async (slot: Slot, waiting: FleetArea[]): Promise<void> => {
    while (waiting.length > 0 && !signal.aborted) {
      await permits.take()
      const area = signal.aborted ? undefined : waiting.shift()
      if (area) await work(area, slot)
      permits.give()
      if (slot.restMs > 0 && waiting.length > 0) await rest(slot.restMs)
    }
  }
  const rest = (milliseconds: number): Promise<void> =>
    sleep(milliseconds, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
  await Promise.all(queues.flatMap((waiting) => slotsFor(waiting[0], keys).map((slot) => runSlot(slot, waiting))))
}

function slotsFor(area: FleetArea | undefined, keys: Fleet['keys']): readonly Slot[] {
  const key = area?.key === undefined ? undefined : keys[area.key]
  return key ? slotsOf(key) : [{ requestsPerSecond: undefined, restMs: 0 }]
}

/** A semaphore with `count` permits, first come, first served. */
export function permitsFor(count: number): { readonly take: () => Promise<void>; readonly give: () => void } {
  let free = count
  const waiting: (() => void)[] = []
  return {
    take: () => {
      if (free === 0) return new Promise((resolve) => waiting.push(resolve))
      free -= 1
      return Promise.resolve()
    },
    give: () => {
      const next = waiting.shift()
      if (next) next()
      else free += 1
    },
  }
}
