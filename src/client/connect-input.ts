import type { Vocabulary } from '../catalog/vocabulary.js'
import type { Mask } from '../ports/mask.js'
import type { ReadProgress } from '../ports/progress.js'
import type { Transport } from '../ports/transport.js'

/** What authenticates the client: a ready token, or what the token endpoint asks for. */
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

/** One exchange for the log; everything secret is masked in it, and the Authorization header is not part of it. */
export interface RequestEntry {
  readonly method: string
  readonly url: string
  /** Undefined where no answer came. */
  readonly status: number | undefined
  readonly ms: number
  readonly requestBody: string | undefined
  readonly responseBody: string | undefined
  readonly error: string | undefined
}

/** Everything a client takes from the world. */
export interface ConnectInput {
  /** The document's {base_url}: what comes before /v3. */
  readonly url: string
  readonly area?: string
  /** The words that the platform takes and answers; the document's, if left out. */
  readonly vocabulary?: Vocabulary
  readonly credentials: Credentials
  /** How many requests may be under way at once. */
  readonly concurrency: number
  /** Never exceeded, where set; the rate adapts below it by itself. */
  readonly requestsPerSecond?: number
  readonly transport: Transport
  /** Milliseconds; only differences matter, but for a Retry-After that is a date. */
  readonly now: () => number
  /** Rejects when the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>
  /** Aborts waiting and reading; a write that was sent is always waited for. */
  readonly signal?: AbortSignal
  /** Asked right before a write is sent, each time that it is; a "no" leaves it unsent. Without it every write is sent. */
  readonly mayWrite?: () => boolean | Promise<boolean>
  readonly onRequest?: (entry: RequestEntry) => void
  readonly onProgress?: (progress: ReadProgress) => void
  /** Redacts known secrets in a text: the platform's error bodies may echo what was sent. */
  readonly mask: Mask
}
