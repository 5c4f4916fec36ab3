/** One request that the platform saw. */
export interface LogEntry {
  readonly method: string
  /** As requested, without the query. */
  readonly path: string
  readonly query: string
  /** 0 where no answer came. */
  readonly status: number
  /** The id of the object that a create made. */
  readonly id?: string
}

/** An entry in the making: of work that is done late its id comes after the answer. */
export type Logged = { -readonly [Property in keyof LogEntry]: LogEntry[Property] }
