/** How long a database may be unavailable before jobs that need it fail, in milliseconds. */
export interface AwayPatience {
  /** The pause before the second try. Each further pause is twice as long. */
  readonly restMs: number
  readonly longestMs: number
}

/** Long enough for the failover of a managed database (A396). */
export const databasePatience: AwayPatience = { restMs: 2_000, longestMs: 5 * 60_000 }

/**
 * Returns for how long something has been unavailable, in milliseconds, and counts the call as a failed try. The time is common
 * to all callers, so that many jobs that need one database wait together and not one after another. If nobody has missed it for a
 * while, it counts as available again. `now`: milliseconds since 1970.
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
