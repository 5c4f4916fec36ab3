import { type Grouped, grouped } from '../grouped.js'
import type { AreaRefs } from './layout.js'
import type { Remote } from './repository.js'

/** The refs of one area, as they were when they were last fetched. */
export interface AreaView {
  readonly refs: AreaRefs
  /** The commit of each ref: fetched anew, unless `locked` was told that nobody else can have moved one since. */
  readonly now: () => Promise<ReadonlyMap<string, string>>
  /** Fetched anew whatever is known. */
  readonly fetch: () => Promise<ReadonlyMap<string, string>>
  /** A push of ours has moved a ref. */
  readonly moved: (ref: string, commit: string) => void
  /** Whoever has the lock is the only one to write: what is fetched from now on holds until `isHeld` says no. */
  readonly locked: (isHeld: () => boolean) => void
}

export function areaView(remote: Remote, refs: AreaRefs): AreaView {
  let known = new Map<string, string>()
  let isHeld = (): boolean => false
  let isFresh = false
  // Reads that are asked for at once share one fetch; one that is under way may be too old already.
  const fetching: Grouped<undefined> = grouped(async () => {
    known = new Map(await remote.fetch(refs.all))
    isFresh = true
  })
  const fetch = async (): Promise<ReadonlyMap<string, string>> => {
    await fetching.add(undefined)
    return known
  }
  return {
    refs,
    fetch,
    now: () => (isFresh && isHeld() ? Promise.resolve(known) : fetch()),
    moved: (ref, commit) => {
      known.set(ref, commit)
    },
    locked: (held) => {
      isFresh = false
      isHeld = held
    },
  }
}
