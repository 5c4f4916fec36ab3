/** One line of the page: what was attacked, how often, and what came of it. */
export interface Figure {
  readonly attack: string
  readonly tried: string
  /** What every try had to hold. */
  readonly held: string
  /** One for each try that did not. */
  readonly failures: readonly string[]
  /** Why it was not run, if it was not. */
  readonly skipped?: string
}

/** How much is run, and with which numbers. */
export interface Effort {
  readonly count: number
  readonly seed: number
}
