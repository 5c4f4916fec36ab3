/** One HTTP exchange, as the client needs it; tests pass their own. Rejects where no answer came. */
export type Transport = ((request: WireRequest) => Promise<WireResponse>) & {
  /** Gives connections back, where the transport holds some. */
  readonly close?: () => Promise<void>
}

export interface WireRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  readonly signal: AbortSignal | undefined
}

export interface WireResponse {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}
