/** How long a database may be away before that is a failure of those who need it, in milliseconds. */
export interface AwayPatience {
  /** Before the second try; before each further one it is twice as long. */
  readonly restMs: number
  readonly longestMs: number
}

/** Long enough for the failover of a managed database (A396). */
export const databasePatience: AwayPatience = { restMs: 2_000, longestMs: 5 * 60_000 }

/**
 * For how long something has been away, in milliseconds, whoever asks: many jobs that need one database wait for it together,
 * and not one after the other. What nobody has missed for a while is there again. `now`: milliseconds since 1970.
 */
export function absences(now: () => number): (what: string) => number {
  const known = new Map<string, { readonly since: number; readonly last: number }>()
  return (what) => {
    const at = now()
    for (const [name, { last }] of known) if (at - last > forgottenMs) known.delete(name)
    const since = known.get(what)?.since ?? at
    known.set(what, { since, last: at })
    return at - since
  }
}

const forgottenMs = 10 * 60_000
