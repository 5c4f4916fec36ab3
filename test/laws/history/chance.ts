/** Numbers that depend only on a seed: the same seed gives the same history on every machine. */
export interface Chance {
  /** A whole number from 0 up to, and without, `limit`. */
  readonly below: (limit: number) => number
  readonly percent: (share: number) => boolean
  /** One of them; undefined if there are none. */
  readonly pick: <Item>(items: readonly Item[]) => Item | undefined
  /** Each of them with that probability in percent. */
  readonly some: <Item>(items: readonly Item[], share: number) => Item[]
  /** A seed for something else. */
  readonly seed: () => number
}

/** The numbers of a seed (mulberry32). */
export function chanceOf(seed: number): Chance {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  const percent = (share: number): boolean => below(100) < share
  return {
    below,
    percent,
    pick: (items) => items[below(items.length)],
    some: (items, share) => items.filter(() => percent(share)),
    seed: () => below(2 ** 31),
  }
}

/** A seed from several numbers. */
export const seedOf = (...parts: readonly number[]): number =>
  parts.reduce((mixed, part) => Math.imul(mixed ^ (part + 0x9e3779b9), 0x85ebca6b) >>> 0, 17)
