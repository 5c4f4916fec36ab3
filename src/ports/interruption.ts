import { setMaxListeners } from 'node:events'
import type { Ports } from './ports.js'

/** Ports with which an interruption stops reading, but not the requests of a run that has begun to write. */
interface Interruptible {
  readonly ports: Ports
  /** From now on requests are finished, whatever the user does: the outcome of a sent request must be known. */
  readonly commit: () => void
}

/** The first interruption ends a command that has not written yet; a command that has written finishes what is in flight. */
export function interruptible(ports: Ports): Interruptible {
  const own = new AbortController()
  // Every request and every wait listens to this signal.
  setMaxListeners(0, own.signal)
  const pass = () => own.abort(ports.signal.reason)
  if (ports.signal.aborted) pass()
  else ports.signal.addEventListener('abort', pass, { once: true })
  return {
    ports: { ...ports, signal: own.signal },
    commit: () => ports.signal.removeEventListener('abort', pass),
  }
}

/** Resolves when the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((done) => signal.addEventListener('abort', () => done(), { once: true }))
}
