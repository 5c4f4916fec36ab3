/** One HTTP exchange as the client needs it; tests pass their own. Rejects if no answer came. */
export type Transport = ((request: WireRequest) => Promise<WireResponse>) & {
  /** If requests wait for a turn: resolves when one may be sent. Without it, each may be sent at once. */
  readonly turn?: () => Promise<Turn>
  /** Closes the connections of the transport, if it has any. */
  readonly close?: () => Promise<void>
}

/** The right to send one request now. */
export interface Turn {
  readonly send: (request: WireRequest) => Promise<WireResponse>
  /** To be called if nothing is sent: somebody else may use the turn. */
  readonly back: () => void
}

export interface WireRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  readonly signal: AbortSignal | undefined
  /** The needed part of the answer: only its status, whatever its body is. */
  readonly only?: 'status'
}

export interface WireResponse {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}
