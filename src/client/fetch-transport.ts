import type { Transport } from '../ports/transport.js'

type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** Requests through a `fetch`: for tests, and for an embedded platform that runs without a socket. */
export function fetchTransport(fetch: Fetch, timeoutMs = 60_000): Transport {
  return (request) =>
    within(timeoutMs, request.signal, async () => {
      const response = await fetch(request.url, {
        method: request.method,
        headers: request.headers,
        redirect: 'manual',
        ...(request.body === undefined ? {} : { body: request.body }),
      })
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers.entries()),
        body: await response.text(),
      }
    })
}

/**
 * The result of the work, unless the time or the signal ends first. The request itself gets no signal: creating one takes longer
 * than an answer from memory, and the garbage collector of Node 20 may remove a time limit with it.
 */
function within<T>(timeoutMs: number, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
      settle()
    }
    const stop = () => end(() => reject(signal?.reason))
    const timeOut = () => end(() => reject(new DOMException('The operation timed out', 'TimeoutError')))
    const timer = setTimeout(timeOut, timeoutMs)
    if (signal?.aborted) return stop()
    signal?.addEventListener('abort', stop, { once: true })
    work().then(
      (value) => end(() => resolve(value)),
      (error) => end(() => reject(error)),
    )
  })
}
