import type { Vocabulary } from '../catalog/vocabulary.js'
import type { Mask } from '../ports/mask.js'
import type { ReadProgress } from '../ports/progress.js'
import type { Transport } from '../ports/transport.js'

/** What authenticates the client: a ready token, or the credentials for the token endpoint. */
export type Credentials =
  | { readonly token: string }
  | {
      readonly apiKey: string
      readonly apiSecret: string
      readonly username: string
      readonly password: string
      /** The identifier of the customer area: the scope of the token. */
      readonly area: string
    }

/** One exchange for the log; all secrets in it are masked, and the Authorization header is not included. */
export interface RequestEntry {
  readonly method: string
  readonly url: string
  /** undefined if no answer came. */
  readonly status: number | undefined
  readonly ms: number
  readonly requestBody: string | undefined
  readonly responseBody: string | undefined
  readonly error: string | undefined
}

/** Everything that a client gets from outside. */
export interface ConnectInput {
  /** The document's {base_url}: the part before /v3. */
  readonly url: string
  readonly area?: string
  /** The vocabulary of the platform; default: that of the document. */
  readonly vocabulary?: Vocabulary
  readonly credentials: Credentials
  /** How many requests may be under way at once. */
  readonly concurrency: number
  /** The highest rate, if it is set; below it the rate adapts by itself. */
  readonly requestsPerSecond?: number
  readonly transport: Transport
  /** Milliseconds. Only differences matter, except for a Retry-After that is a date. */
  readonly now: () => number
  /** Rejects when the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>
  /** Aborts waiting and reading; a write that was sent is always awaited. */
  readonly signal?: AbortSignal
  /**
   * Called right before a write is sent, also each time it is sent again; false means that it is not sent. Without it every write
   * is sent.
   */
  readonly mayWrite?: () => boolean | Promise<boolean>
  readonly onRequest?: (entry: RequestEntry) => void
  readonly onProgress?: (progress: ReadProgress) => void
  /** Masks known secrets in a text: the platform's error bodies may repeat what was sent. */
  readonly mask: Mask
}
