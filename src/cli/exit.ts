/** The exit codes of the program. They are the same for all outputs (design: "Exit codes"). */
export const exit = {
  /** Done, nothing to do, or the user answered "no". */
  done: 0,
  /** An error; nothing was changed. */
  failed: 1,
  /** There are differences, and the command has an option that reports them with this exit code. */
  differences: 2,
  /** Apply ended, but not all changes were done. */
  incomplete: 3,
  /** The saved plan is stale, or it was made for another target. */
  stale: 4,
  /** Refused before the first write. */
  refused: 5,
  interrupted: 130,
} as const
