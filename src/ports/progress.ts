/** The progress of reading a collection; `total` if the platform gives it. */
export interface ReadProgress {
  readonly collection: string
  readonly objects: number
  readonly total: number | undefined
}

/**
 * A request of a change is sent, or answered; the outcome of a change is known; the approval of a domain is awaited; or it is not
 * known whether an object was created, for the given `reason`, and its list is watched for `forMs`.
 */
export type RunProgress =
  | { readonly is: 'sent'; readonly address: string; readonly action: string }
  | { readonly is: 'answered'; readonly address: string }
  | { readonly is: 'finished'; readonly address: string; readonly action: string; readonly outcome: string }
  | { readonly is: 'waiting'; readonly address: string }
  | { readonly is: 'doubtful'; readonly address: string; readonly reason: string; readonly forMs: number }

/** The progress of the jobs of a fleet. */
interface AreasProgress {
  readonly command: string
  readonly done: number
  readonly all: number
  /** Names of areas; the one that has run longest comes first. */
  readonly running: readonly string[]
  /** The area that has just ended; absent if one has begun. */
  readonly ended?: { readonly area: string; readonly state: string }
}

/** Reports the progress of a use case to whoever watches it. */
export interface Progress {
  /** A use case begins to read this area, such as `https://api.example.com, area 0000…a4ea (shop)`. */
  readonly target: (target: string) => void
  readonly reading: (progress: ReadProgress) => void
  /** `changes`: how many changes the run has. */
  readonly applying: (progress: RunProgress, changes: number) => void
  readonly areas: (progress: AreasProgress) => void
  /** The use case waits for something before it can make a plan. */
  readonly waiting: (what: string) => void
  /** Something failed that does not stop the use case, such as writing to a log. */
  readonly warning: (message: string) => void
}

/** A progress without a watcher. */
export const unwatched: Progress = {
  target: () => undefined,
  reading: () => undefined,
  applying: () => undefined,
  areas: () => undefined,
  waiting: () => undefined,
  warning: () => undefined,
}

/** A watcher that cannot stop the use case: errors of its functions, also asynchronous ones, are ignored. */
export const harmless = (watcher: Partial<Progress>): Progress => ({
  target: (...reported) => ignoringErrors(() => watcher.target?.(...reported)),
  reading: (...reported) => ignoringErrors(() => watcher.reading?.(...reported)),
  applying: (...reported) => ignoringErrors(() => watcher.applying?.(...reported)),
  areas: (...reported) => ignoringErrors(() => watcher.areas?.(...reported)),
  waiting: (...reported) => ignoringErrors(() => watcher.waiting?.(...reported)),
  warning: (...reported) => ignoringErrors(() => watcher.warning?.(...reported)),
})

/** The function may be asynchronous although its type says otherwise. */
function ignoringErrors(tell: () => unknown): void {
  try {
    const answer = tell()
    if (answer instanceof Promise) answer.catch(() => undefined)
  } catch {
    // A run that has begun to write continues, and reports its outcome.
  }
}
