import type { Transport } from '../ports/transport.js'

type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** Requests through a `fetch`: for tests, and for an embedded platform that runs without a socket. */
export function fetchTransport(fetch: Fetch, timeoutMs = 60_000): Transport {
  return async (request) => {
    const timeout = AbortSignal.timeout(timeoutMs)
    const response = await fetch(request.url, {
      method: request.method,
      headers: request.headers,
      redirect: 'manual',
      signal: request.signal ? AbortSignal.any([request.signal, timeout]) : timeout,
      ...(request.body === undefined ? {} : { body: request.body }),
    })
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers.entries()),
      body: await response.text(),
    }
  }
}
