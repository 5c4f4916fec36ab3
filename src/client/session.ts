import type { JsonObject } from '../json/json.js'
import type { WireResponse } from '../ports/transport.js'
import type { Problem } from '../problems/problem.js'
import type { Call, Exchange, Exchanged } from './exchange.js'
import type { TokenSource } from './token.js'

/** A request to the interface: its path below /v3/rest, with its query. */
interface RestCall {
  readonly method: Call['method']
  readonly path: string
  readonly body?: JsonObject
}

/** The result of a request; 'refused': the credentials are not accepted. */
export type RestResult =
  | { readonly is: 'answered'; readonly response: WireResponse }
  | { readonly is: 'busy'; readonly status: number; readonly problem: Problem; readonly afterMs: number }
  | { readonly is: 'refused' | 'quota' | 'unreachable' | 'unknown'; readonly problem: Problem }

export type Session = (call: RestCall) => Promise<RestResult>

/**
 * Sends with a token, and with another one if the platform refuses it: at once if a second request does no harm; a create is
 * returned as 'busy'.
 */
export function createSession(url: string, tokens: TokenSource, exchange: Exchange): Session {
  const send = (call: RestCall, token: string): Promise<Exchanged> =>
    exchange({
      method: call.method,
      url: `${url}/v3/rest${call.path}`,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json',
      },
      body: call.body === undefined ? undefined : JSON.stringify(call.body),
      again: call.method === 'POST' ? 'unsafe' : 'harmless',
    })

  return async (call) => {
    const first = await tokens.current()
    // Only the result of the token request is unknown: the request itself was not sent.
    if (first.is === 'unknown') return { is: 'unreachable', problem: first.problem }
    if (first.is !== 'token') return first
    const exchanged = await send(call, first.token)
    if (exchanged.is !== 'token') return exchanged
    const second = await tokens.renewed(first.token)
    if (second.is !== 'token') return second
    // Something in front of the platform may have refused the answer, and not the request: the sender of a create checks first.
    if (call.method === 'POST') {
      return { is: 'busy', status: exchanged.response.status, problem: exchanged.problem, afterMs: 0 }
    }
    const repeated = await send(call, second.token)
    // It is refused with a fresh token: then the request, or the key, is not accepted.
    return repeated.is === 'token' ? { is: 'answered', response: repeated.response } : repeated
  }
}
