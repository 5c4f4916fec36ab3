/** One request that the platform saw. */
export interface LogEntry {
  readonly method: string
  /** The requested path, without the query. */
  readonly path: string
  readonly query: string
  /** 0 if no answer was sent. */
  readonly status: number
  /** The id of the created object. */
  readonly id?: string
}

/** An entry that is not complete yet: if a create is executed late, its id is known only after the answer. */
export type Logged = { -readonly [Property in keyof LogEntry]: LogEntry[Property] }
