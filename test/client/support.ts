import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from '../../src/client/connect.js'
import type { ConnectInput } from '../../src/client/connect-input.js'
import type { Client } from '../../src/client/types.js'
import type { Transport, WireRequest, WireResponse } from '../../src/ports/transport.js'
import { masking } from '../../src/secrets/mask.js'

export const base = 'https://platform.example'

export const credentials = {
  apiKey: 'key-1',
  apiSecret: 'secret-1',
  username: 'jane',
  password: 'pass-1',
  area: '00000000-0000-4000-8000-000000000000',
}

/** A clock that changes only by sleeping. */
export function fakeClock(): Pick<ConnectInput, 'now' | 'sleep'> & { readonly slept: number[] } {
  let time = 0
  const slept: number[] = []
  return {
    slept,
    now: () => time,
    sleep: (ms) => {
      slept.push(ms)
      time += ms
      return Promise.resolve()
    },
  }
}

/** A client with a ready token and its own clock. */
export function client(transport: Transport, more: Partial<ConnectInput> = {}): Client {
  return connect({
    url: base,
    credentials: { token: 'tok-0' },
    concurrency: 4,
    transport,
    mask: masking(['hunter2']),
    ...fakeClock(),
    ...more,
  })
}

export const json = (body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): WireResponse => ({
  status,
  headers: { 'content-type': 'application/json;charset=UTF-8', ...headers },
  body: JSON.stringify(body),
})

/** An error of the gateway in front of the platform. */
export const gateway = (code: string, headers: Readonly<Record<string, string>> = {}): WireResponse => ({
  status: 403,
  headers: {
    'content-type': 'text/xml',
    'x-svc-error-code': code,
    'x-error-detail-header': 'Account Says No',
    ...headers,
  },
  body: '<h1>Developer Says No</h1>',
})

export interface Recorded {
  readonly transport: Transport
  readonly requests: WireRequest[]
}

/** A transport that answers by a function, and keeps its requests. */
export function answering(answer: (request: WireRequest, url: URL) => WireResponse | Error): Recorded {
  const requests: WireRequest[] = []
  const transport: Transport = (request) => {
    requests.push(request)
    const answered = answer(request, new URL(request.url))
    return answered instanceof Error ? Promise.reject(answered) : Promise.resolve(answered)
  }
  return { transport, requests }
}

/** A transport that answers one response after another. */
export function scripted(...responses: readonly (WireResponse | Error)[]): Recorded {
  let next = 0
  return answering(() => {
    const response = responses[next]
    next += 1
    if (response === undefined) throw new Error('one request more than the test foresees')
    return response
  })
}

/** A server on the loopback interface; returns its URL. */
export async function listen(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ readonly url: string; readonly server: Server; readonly close: () => Promise<void> }> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections()
      server.close(() => resolve())
    })
  return { url: `http://127.0.0.1:${port}`, server, close }
}
