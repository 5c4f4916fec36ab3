/** One run of this program in a process of its own. */
export interface ChildCall {
  /** The words behind the program's name. */
  readonly args: readonly string[]
  readonly cwd: string
  /** All variables that it has: none of this process's own come to it by themselves. */
  readonly env: Readonly<Record<string, string>>
  /** After so many milliseconds it is asked to end, and a while later it is ended. */
  readonly timeoutMs: number
  /** Aborted: it is asked to end, once, and finishes what is in flight. */
  readonly signal: AbortSignal
  /** Answers it when it asks for calls. */
  readonly calls?: TakeCalls
}

/** Takes calls that may be sent, and gives back what is left of those that were taken before. */
export type TakeCalls = (asked: CallsAsked) => Promise<CallsGranted>

export interface CallsAsked {
  /** How many would be of use; 0: only `unused` is given back. */
  readonly calls: number
  readonly unused: number
}

export interface CallsGranted {
  /** 0: none are left. */
  readonly calls: number
  /** Milliseconds since 1970: from then on they are worth nothing. */
  readonly until: number
}

/** How it ended. */
export interface ChildEnd {
  /** `exited`: by itself, with that code; `killed`: by a signal, or because it wrote without an end; `failed`: it never ran. */
  readonly is: 'exited' | 'killed' | 'timed out' | 'failed'
  /** The code that it ended with; null where it did not end by itself. */
  readonly code: number | null
  /** The signal that ended it, or why it never ran. */
  readonly reason?: string
  readonly stdout: string
  /** The last 64 kB. */
  readonly stderr: string
}

/** Runs this program once and waits for its end. Never rejects. */
export type RunChild = (call: ChildCall) => Promise<ChildEnd>
