/** Requests that were answered before they were carried out. */
export class LateWork {
  #waiting: readonly Work[] = []
  #done: Promise<void> = Promise.resolve()

  /** Keeps a request for that moment, in milliseconds since 1970. It must not throw. */
  add(due: number, carryOut: () => Promise<void>): void {
    this.#waiting = [...this.#waiting, { due, carryOut }].sort((left, right) => left.due - right.due)
  }

  /** Carries out everything that is due by then. Nobody can see that it was not done on time. */
  carryOut(now: number): Promise<void> {
    const due = this.#waiting.filter((work) => work.due <= now)
    this.#waiting = this.#waiting.filter((work) => work.due > now)
    for (const work of due) this.#done = this.#done.then(work.carryOut)
    return this.#done
  }
}

interface Work {
  readonly due: number
  readonly carryOut: () => Promise<void>
}
