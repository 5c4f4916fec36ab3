/** How far the reading of a collection is; `total` where the platform tells it. */
export interface ReadProgress {
  readonly collection: string
  readonly objects: number
  readonly total: number | undefined
}

/**
 * That a request of a change is sent, or answered; what became of one, as soon as it is known; that a domain's approval is
 * waited for; or that nobody knows whether an object was created, for the `reason` given, and its list is watched for `forMs`.
 */
export type RunProgress =
  | { readonly is: 'sent'; readonly address: string; readonly action: string }
  | { readonly is: 'answered'; readonly address: string }
  | { readonly is: 'finished'; readonly address: string; readonly action: string; readonly outcome: string }
  | { readonly is: 'waiting'; readonly address: string }
  | { readonly is: 'doubtful'; readonly address: string; readonly reason: string; readonly forMs: number }

/** How far the jobs of a fleet are. */
interface AreasProgress {
  readonly command: string
  readonly done: number
  readonly all: number
  /** Names of areas, what has run longest first. */
  readonly running: readonly string[]
  /** What has just come of an area; absent where one has begun. */
  readonly ended?: { readonly area: string; readonly state: string }
}

/** How far a use case is, for whoever watches it. */
export interface Progress {
  readonly reading: (progress: ReadProgress) => void
  /** `changes`: how many the run has. */
  readonly applying: (progress: RunProgress, changes: number) => void
  readonly areas: (progress: AreasProgress) => void
  /** Something is waited for before a plan can be made. */
  readonly waiting: (what: string) => void
  /** Something failed that stops nothing, such as a log that is full. */
  readonly warning: (message: string) => void
}

/** Nobody watches. */
export const unwatched: Progress = {
  reading: () => undefined,
  applying: () => undefined,
  areas: () => undefined,
  waiting: () => undefined,
  warning: () => undefined,
}

/** A watcher that cannot stop what it watches: what its functions throw, or reject with, is ignored. */
export const harmless = (watcher: Partial<Progress>): Progress => ({
  reading: (...told) => ignoringErrors(() => watcher.reading?.(...told)),
  applying: (...told) => ignoringErrors(() => watcher.applying?.(...told)),
  areas: (...told) => ignoringErrors(() => watcher.areas?.(...told)),
  waiting: (...told) => ignoringErrors(() => watcher.waiting?.(...told)),
  warning: (...told) => ignoringErrors(() => watcher.warning?.(...told)),
})

/** The function may be asynchronous, whatever its type says. */
function ignoringErrors(tell: () => unknown): void {
  try {
    const answer = tell()
    if (answer instanceof Promise) answer.catch(() => undefined)
  } catch {
    // A run that has begun to write goes on, and says what became of it.
  }
}
