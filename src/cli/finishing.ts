import { setMaxListeners } from 'node:events'
import type { Io } from './io.js'

/** A world in which an interruption stops reading, but not what is under way once the writing has begun. */
export interface Finishing {
  readonly io: Io
  /** From now on requests are finished, whatever the user does: what was sent must be known. */
  readonly begin: () => void
}

/** The first interruption ends a command that has not written yet; one that has finishes what is in flight. */
export function finishing(io: Io): Finishing {
  const own = new AbortController()
  // Every request and every wait listens to it.
  setMaxListeners(0, own.signal)
  const pass = () => own.abort(io.signal.reason)
  if (io.signal.aborted) pass()
  else io.signal.addEventListener('abort', pass, { once: true })
  return { io: { ...io, signal: own.signal }, begin: () => io.signal.removeEventListener('abort', pass) }
}
