import type { Lock } from './record.js'

/** How often a holder sends a heartbeat, and when its silence means that it is gone. */
export interface Patience {
  /** The time between two heartbeats, for processes on other machines. */
  readonly heartbeatMs: number
  /** After this silence, a holder on another machine counts as gone. */
  readonly staleMs: number
}

export interface Timing extends Patience {
  /** When the lock was taken, by this machine's clock. */
  readonly since: number
}

/**
 * Sends heartbeats for a holder. A machine that slept does not know what others did meanwhile. So after a silence of half of
 * `staleMs` the lock counts as not held until a heartbeat succeeds again, and after `staleMs` it is lost for good (A89). `beat`
 * returns false if somebody else has the lock, and may fail.
 */
export function pulse(
  beat: () => Promise<boolean>,
  { heartbeatMs, staleMs, since }: Timing,
  lost: AbortController,
): Pulse {
  let lastGood = since
  // The clock of the timer of heartbeats; it goes on while the machine sleeps.
  const silence = () => Date.now() - lastGood
  const isFresh = () => silence() <= staleMs / 2
  const beatOnce = async (): Promise<void> => {
    const at = Date.now()
    if (silence() >= staleMs) lost.abort()
    if (lost.signal.aborted) return
    try {
      if (await beat()) lastGood = at
      else lost.abort()
    } catch {
      // If a disk is full or unavailable for a moment, nobody loses the lock.
    }
  }
  // Only one heartbeat at a time, and others wait for it: it must not write "held" after the lock is released.
  let underWay: Promise<void> | undefined
  const beatNow = (): Promise<void> => {
    underWay ??= beatOnce().finally(() => {
      underWay = undefined
    })
    return underWay
  }
  const beating = setInterval(beatNow, heartbeatMs)
  beating.unref()
  const heldAfter = async (beaten: Promise<void>): Promise<boolean> => {
    await beaten
    if (!isFresh()) lost.abort()
    return !lost.signal.aborted
  }
  return {
    isHeld: () => (isFresh() ? !lost.signal.aborted : heldAfter(beatNow())),
    stop: async () => {
      clearInterval(beating)
      await underWay
    },
  }
}

interface Pulse extends Pick<Lock, 'isHeld'> {
  /** Resolves when no heartbeat is under way, and none will follow. */
  readonly stop: () => Promise<void>
}
