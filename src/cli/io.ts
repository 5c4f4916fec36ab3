import type { Readable } from 'node:stream'
import type { Transport } from '../client/types.js'

/** A stream that the program writes to. `columns` is known only of terminals. */
export interface OutputStream {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
  /** Never throws. */
  write(text: string): unknown
  /** Resolves when everything has been written: with the reason where some of it could not be. */
  readonly delivered?: () => Promise<string | undefined>
}

/** The stream that answers to questions are read from. */
export type InputStream = Readable & { readonly isTTY?: boolean | undefined }

/** Everything of the world that a command may touch, the file system apart; only `bin.ts` holds the real one. */
export interface Io {
  readonly stdout: OutputStream
  readonly stderr: OutputStream
  readonly stdin: InputStream
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Resolves after that many milliseconds; rejects at once when the signal is aborted. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  /** Aborted when the user interrupts the program. */
  readonly signal: AbortSignal
  /** Makes the way to the wire; called by commands that go online, and by no other. */
  readonly transport: () => Promise<Transport>
}
