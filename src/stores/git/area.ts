import { type Grouped, grouped } from '../grouped.js'
import type { AreaRefs } from './layout.js'
import type { Remote } from './repository.js'

/** The refs of one area, as they were last fetched. */
export interface AreaView {
  readonly refs: AreaRefs
  /** The commit of each ref. It is fetched again, unless `locked` was called and nobody else can have moved a ref since. */
  readonly now: () => Promise<ReadonlyMap<string, string>>
  /** The same, always fetched again. */
  readonly fetch: () => Promise<ReadonlyMap<string, string>>
  /** To be called after a push of ours has moved a ref. */
  readonly moved: (ref: string, commit: string) => void
  /** Only the holder of the lock writes: what is fetched from now on is valid until `isHeld` returns false. */
  readonly locked: (isHeld: () => boolean) => void
}

export function areaView(remote: Remote, refs: AreaRefs): AreaView {
  let known = new Map<string, string>()
  let isHeld = (): boolean => false
  let isFresh = false
  // Reads at the same time share one fetch; a fetch that is already under way may be too old.
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
