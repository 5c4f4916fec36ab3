/** A clock that goes on from where it was when somebody sets it back: what waits for a moment would wait as much longer. */
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
