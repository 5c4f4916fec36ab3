import type { Readable } from 'node:stream'
import type { RunChild } from '../ports/child.js'
import type { Ports } from '../ports/ports.js'

/** A stream for output. Only terminals have `columns`. */
export interface OutputStream {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
  /** Never throws. */
  write(text: string): unknown
  /** Resolves when everything is written; the value is the reason if some of it could not be written. */
  readonly delivered?: () => Promise<string | undefined>
}

/** The stream from which answers to questions are read. */
type InputStream = Readable & { readonly isTTY?: boolean | undefined }

interface Streams {
  readonly stdout: OutputStream
  readonly stderr: OutputStream
  readonly stdin: InputStream
}

/** Starts this program in separate processes. Absent if no process may be started. */
interface ChildProcesses {
  readonly children?: () => Promise<RunChild>
}

/** Everything that the program uses from outside, except for the file system. Only `bin.ts` has the real one. */
export type World = Streams & ChildProcesses & Omit<Ports, 'progress' | 'mask' | 'vault'>

/** The world with the mask for secrets and the vault that decrypts them. */
export type Masked = World & Pick<Ports, 'mask' | 'vault'>

/** The world of one command, with the progress output that its options select. */
export type Io = Streams & ChildProcesses & Ports
