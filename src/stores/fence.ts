import type { Lock } from './record.js'

/** What stands between a client and the area: it lets writes through only while the lock is held that it was given. */
export interface Fence {
  readonly mayWrite: () => boolean | Promise<boolean>
  readonly open: (lock: Lock) => void
}

/** A fence that lets nothing through before it is given a lock. */
export function closedFence(): Fence {
  let held: Lock | undefined
  return {
    mayWrite: () => held?.isHeld() ?? false,
    open: (lock) => {
      held = lock
    },
  }
}
