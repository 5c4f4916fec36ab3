/** A clock that continues when the system clock is set back; otherwise everything that waits for a time would wait longer. */
export function steadyClock(now: () => number): () => number {
  let behind = 0
  let last = Number.NEGATIVE_INFINITY
  return () => {
    const at = now()
    if (at + behind < last) behind = last - at
    last = at + behind
    return last
  }
}
