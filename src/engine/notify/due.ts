import type { NoticeDocument } from '../../documents/notice.js'
import type { Webhook } from '../../manifest/webhooks.js'
import type { Notified } from '../../stores/record.js'

/** The state of one matter after a command: a digest of what is wrong, or that nothing is wrong. */
interface MatterState {
  readonly matter: Notified['matter']
  /** Undefined: nothing is wrong, or nothing any more. */
  readonly digest: string | undefined
}

/** Why a webhook gets a message now. */
export interface Due {
  readonly event: NoticeDocument['event']
  readonly reason: NoticeDocument['reason']
  /** The time of its first report, in milliseconds since 1970. */
  readonly since: number
}

/** The message about a matter, after earlier messages. Undefined: no message. */
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
  // Scheduled jobs start some minutes early or late, so a reminder that is almost due is sent now.
  const isDue = remindMs !== undefined && now - before.at >= remindMs * 0.95
  return isDue ? { event, reason: 'reminder', since: before.since } : undefined
}
