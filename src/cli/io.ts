import type { Readable } from 'node:stream'
import type { RunChild } from '../ports/child.js'
import type { Ports } from '../ports/ports.js'

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
type InputStream = Readable & { readonly isTTY?: boolean | undefined }

interface Streams {
  readonly stdout: OutputStream
  readonly stderr: OutputStream
  readonly stdin: InputStream
}

/** Starts this program in processes of their own; called by commands that do so, and absent where none may be started. */
interface Children {
  readonly children?: () => Promise<RunChild>
}

/** Everything of the world that the program may touch, the file system apart; only `bin.ts` holds the real one. */
export type World = Streams & Children & Omit<Ports, 'progress' | 'mask' | 'vault'>

/** The same with what hides secrets, and what opens them. */
export type Masked = World & Pick<Ports, 'mask' | 'vault'>

/** The world of one command: what it is given beside its options, with the progress that its options ask for. */
export type Io = Streams & Children & Ports
