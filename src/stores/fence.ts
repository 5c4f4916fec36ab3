import type { Lock } from './record.js'

/** A gate between a client and the area: it allows writes only while the given lock is held. */
export interface Fence {
  readonly mayWrite: () => boolean | Promise<boolean>
  readonly open: (lock: Lock) => void
}

/** A fence that allows no write until it gets a lock. */
export function closedFence(): Fence {
  let held: Lock | undefined
  return {
    mayWrite: () => held?.isHeld() ?? false,
    open: (lock) => {
      held = lock
    },
  }
}
