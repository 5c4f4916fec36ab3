import type { Webhook } from '../../manifest/webhooks.js'
import type { Notified } from '../../stores/record.js'

/** One thing that a command has found out: what is wrong, as a digest, or that nothing is. */
export interface MatterState {
  readonly matter: Notified['matter']
  /** Undefined: nothing is wrong, or not any more. */
  readonly digest: string | undefined
}

/** Why a webhook gets a message now. */
export interface Due {
  readonly event: 'drift' | 'error' | 'recovery'
  readonly reason: 'first' | 'changed' | 'reminder' | 'over'
  /** When it was first reported; milliseconds since 1970. */
  readonly since: number
}

/** The message about something found, after earlier messages; undefined: none. */
export function dueNotice(
  before: Pick<Notified, 'digest' | 'since' | 'at'> | undefined,
  { matter, digest }: MatterState,
  { on, remindMs }: Pick<Webhook, 'on' | 'remindMs'>,
  now: number,
): Due | undefined {
  const event = matter === 'drift' ? 'drift' : 'error'
  if (!on.includes(event)) return undefined
  if (digest === undefined) return before && { event: 'recovery', reason: 'over', since: before.since }
  if (!before) return { event, reason: 'first', since: now }
  if (before.digest !== digest) return { event, reason: 'changed', since: before.since }
  // Jobs that are started by the clock come some minutes early or late: what is due by then is due now.
  const isDue = remindMs !== undefined && now - before.at >= remindMs * 0.95
  return isDue ? { event, reason: 'reminder', since: before.since } : undefined
}
