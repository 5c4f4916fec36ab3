/** One HTTP exchange, as the client needs it; tests pass their own. Rejects where no answer came. */
export type Transport = ((request: WireRequest) => Promise<WireResponse>) & {
  /** Where requests wait for a turn: resolves when one may be sent. Without it each may be sent at once. */
  readonly turn?: () => Promise<Turn>
  /** Gives connections back, where the transport holds some. */
  readonly close?: () => Promise<void>
}

/** The right to send one request now. */
export interface Turn {
  readonly send: (request: WireRequest) => Promise<WireResponse>
  /** Nothing is sent: somebody else may take it. */
  readonly back: () => void
}

export interface WireRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  readonly signal: AbortSignal | undefined
  /** What is needed of the answer: its status alone, whatever its body would be. */
  readonly only?: 'status'
}

export interface WireResponse {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}
