/**
 * Combines many calls into few writes: items that arrive during a write go together into the next one. Each call resolves when
 * the write of its items is done, and rejects if that write fails. Items are written in the order of the calls.
 */
export function grouped<Item>(write: (items: readonly Item[]) => Promise<void>): Grouped<Item> {
  let waiting: Item[] = []
  let next: Promise<void> | undefined
  let current: Promise<void> = Promise.resolve()

  const start = async (): Promise<void> => {
    await current.catch(() => undefined)
    const items = waiting
    waiting = []
    current = write(items)
    next = undefined
    await current
  }

  return {
    add: (item) => {
      waiting.push(item)
      next ??= start()
      return next
    },
    finished: async () => {
      await (next ?? current).catch(() => undefined)
    },
  }
}

export interface Grouped<Item> {
  readonly add: (item: Item) => Promise<void>
  /** Resolves when nothing is under way; never rejects. */
  readonly finished: () => Promise<void>
}
