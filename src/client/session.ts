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

/** What came of a request; 'token' is a refusal of the credentials, with the answer where the interface gave it. */
export type RestResult =
  | { readonly is: 'answered'; readonly response: WireResponse }
  | { readonly is: 'busy'; readonly status: number; readonly problem: Problem; readonly afterMs: number }
  | { readonly is: 'refused' | 'quota' | 'unreachable' | 'unknown'; readonly problem: Problem }

export type Session = (call: RestCall) => Promise<RestResult>

/** Sends with a token, and with another one if the platform refuses it: at once what does no harm twice, a create as 'busy'. */
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
    // Of the token alone nobody knows what became: the request itself was not sent.
    if (first.is === 'unknown') return { is: 'unreachable', problem: first.problem }
    if (first.is !== 'token') return first
    const exchanged = await send(call, first.token)
    if (exchanged.is !== 'token') return exchanged
    const second = await tokens.renewed(first.token)
    if (second.is !== 'token') return second
    // What stands before a platform may refuse the answer, and not the request: whoever sent a create looks first.
    if (call.method === 'POST') {
      return { is: 'busy', status: exchanged.response.status, problem: exchanged.problem, afterMs: 0 }
    }
    const repeated = await send(call, second.token)
    // Refused with a fresh token: then it is the request, or the key, that is not accepted.
    return repeated.is === 'token' ? { is: 'answered', response: repeated.response } : repeated
  }
}
