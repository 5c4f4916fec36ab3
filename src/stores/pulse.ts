import type { Lock } from './record.js'

/** How often a holder says that it lives, and what its silence means. */
export interface Patience {
  /** How often a holder says that it lives, for those on other machines. */
  readonly heartbeatMs: number
  /** After how long a silence a holder on another machine counts as gone. */
  readonly staleMs: number
}

export interface Timing extends Patience {
  /** When the lock was taken, by this machine's clock. */
  readonly since: number
}

/**
 * Says again and again that a holder lives. A machine that slept does not know what others did meanwhile: half way to the
 * moment when they may take the lock over nothing counts as held before a heartbeat has succeeded again, and after that
 * moment nothing ever does (A89). `beat` gives false if the lock is somebody else's, and may fail.
 */
export function pulse(
  beat: () => Promise<boolean>,
  { heartbeatMs, staleMs, since }: Timing,
  lost: AbortController,
): Pulse {
  let lastGood = since
  // The clock of the heartbeats' own timer; it goes on while the machine sleeps.
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
      // A disk that is full or away for a moment takes no lock from anybody.
    }
  }
  // One at a time, and waited for: what is under way must not write "held" behind what gives the lock back.
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

export interface Pulse extends Pick<Lock, 'isHeld'> {
  /** Resolves when no heartbeat is under way, nor will be. */
  readonly stop: () => Promise<void>
}
