/** The exit codes of the program, the same in every output form (design: "Exit codes"). */
export const exit = {
  /** Done, nothing to do, or a "no" at the prompt. */
  done: 0,
  /** An error; nothing was changed. */
  failed: 1,
  /** Differences were found, and the command was asked to tell them by its exit code. */
  differences: 2,
  /** Apply ended with something not done. */
  incomplete: 3,
  /** The saved plan is stale, or made for another target. */
  stale: 4,
  /** Refused before the first write. */
  refused: 5,
  interrupted: 130,
} as const
