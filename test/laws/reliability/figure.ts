/** One line of the page: the attack, the number of attempts, and the result. */
export interface Figure {
  readonly attack: string
  readonly tried: string
  /** The condition that every attempt must fulfil. */
  readonly held: string
  /** One for each attempt that failed. */
  readonly failures: readonly string[]
  /** The reason if it was not run. */
  readonly skipped?: string
}

/** The number of attempts, and the seed. */
export interface Effort {
  readonly count: number
  readonly seed: number
}
