/** One run of this program in a process of its own. */
export interface ChildCall {
  /** The arguments after the program's name. */
  readonly args: readonly string[]
  readonly cwd: string
  /** All its variables: it gets none of this process's own. */
  readonly env: Readonly<Record<string, string>>
  /** The time limit in milliseconds: then it is asked to end, and after a while it is killed. */
  readonly timeoutMs: number
  /** When it aborts, the process is asked to end, once, and finishes what is in flight. */
  readonly signal: AbortSignal
  /** Answers its requests for calls. */
  readonly calls?: TakeCalls
}

/** Requests calls that may be sent, and returns unused ones that were granted before. */
export type TakeCalls = (requested: CallsRequested) => Promise<CallsGranted>

export interface CallsRequested {
  /** How many calls it can use; 0: it only returns `unused`. */
  readonly calls: number
  readonly unused: number
}

export interface CallsGranted {
  /** 0: no calls are left. */
  readonly calls: number
  /** Milliseconds since 1970: after that they must not be used. */
  readonly until: number
}

/** How the process ended. */
export interface ChildEnd {
  /** `exited`: by itself, with that code; `killed`: by a signal, or because its output had no end; `failed`: it never ran. */
  readonly is: 'exited' | 'killed' | 'timed out' | 'failed'
  /** Its exit code; null if it did not end by itself. */
  readonly code: number | null
  /** The signal that ended it, or why it never ran. */
  readonly reason?: string
  readonly stdout: string
  /** The last 64 kB. */
  readonly stderr: string
}

/** Runs this program once and waits for its end. Never rejects. */
export type RunChild = (call: ChildCall) => Promise<ChildEnd>
