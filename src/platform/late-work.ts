/** Requests that were answered before they were executed. */
export class LateWork {
  #waiting: readonly DueWork[] = []
  #done: Promise<void> = Promise.resolve()

  /** Stores a request until that time, in milliseconds since 1970. `carryOut` must not throw. */
  add(due: number, carryOut: () => Promise<void>): void {
    this.#waiting = [...this.#waiting, { due, carryOut }].sort((left, right) => left.due - right.due)
  }

  /** Executes everything that is due at that time. Nobody can see that it was executed late. */
  carryOut(now: number): Promise<void> {
    const due = this.#waiting.filter((work) => work.due <= now)
    this.#waiting = this.#waiting.filter((work) => work.due > now)
    for (const work of due) this.#done = this.#done.then(work.carryOut)
    return this.#done
  }
}

interface DueWork {
  readonly due: number
  readonly carryOut: () => Promise<void>
}
