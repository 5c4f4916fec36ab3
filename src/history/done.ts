import { isKindName } from '../catalog/queries.js'
import type { KindName } from '../catalog/types.js'
import type { JsonObject } from '../json/json.js'
import { sameJson } from '../json/json.js'
import { type Added, hasWrittenReceipts, type Image, type RunRecord, type SettledEntry } from '../stores/record.js'

/** The changes of a run, read from its record. */

/** One change of a run, as recorded. */
export interface Done {
  readonly address: string
  readonly kind: KindName
  readonly action: string
  readonly id: string
  readonly before: Image | undefined
  /** Includes the lists that the run does not manage but has changed. */
  readonly after: Image | undefined
  /** For a deleted object: the fields that had been applied; undefined if the record does not have them. */
  readonly managed: readonly string[] | undefined
  /**
   * The written fields that were not applied before, and members of the other fields (`cors/maxAge`), also of a deleted object.
   * Without an answer: absent if they are not known.
   */
  readonly takenOver?: readonly string[]
  /** For a deleted object: no run had created it or taken it over. */
  readonly unapplied?: true
  /** For a deleted object: the objects that the platform had added to it. */
  readonly added?: readonly Added[]
  /** For a deleted object: the run that had created it, or taken it over. */
  readonly since?: string
  /** For a deleted object: its labels. */
  readonly labels?: Readonly<Record<string, string>>
  /** For an object to delete: the platform accepted the delete, but still listed the object at the end. */
  readonly isLeft?: true
  /** The values that requests without a known outcome may have written. */
  readonly perhaps: readonly JsonObject[]
  /** When it was sent or answered, if lists may not show it yet because the run has not read again. Milliseconds since 1970. */
  readonly lateAt?: number
}

/** The final state of every change that was done, or that has left something. */
export function doneIn({ head, entries }: RunRecord): readonly Done[] {
  const planned = new Map(head.changes.map((change) => [change.address, change]))
  const unanswered = unansweredIn(entries)
  const last = new Map(unanswered)
  const hasLooked = hasWrittenReceipts({ entries })
  for (const entry of entries) {
    const isUnanswered = entry.is === 'settled' && entry.answered === 'no' && unanswered.has(entry.address)
    if (entry.is !== 'settled' || isUnanswered) continue
    const earlier = last.get(entry.address)
    const action = planned.get(entry.address)?.action
    // A created object stays created even if a later request for it was not done; the last entry has its state. An update whose
    // state is not known then stays done, too.
    const stays = action === 'create' || (action === 'update' && !entry.after)
    if (stays && earlier && isDone(earlier) && !isDone(entry)) {
      if (entry.after) last.set(entry.address, { ...earlier, after: entry.after })
      continue
    }
    const isLeft = entry.outcome === 'notKept' && action === 'delete'
    // The state before is recorded with the answer: the platform may still carry out the delete later.
    last.set(entry.address, isLeft && earlier ? { ...earlier, outcome: entry.outcome } : entry)
  }
  return [...last].flatMap(([address, { outcome, id = '', before, managed, perhaps = [], ...more }]): Done[] => {
    const { unapplied, added, since, labels, takenOver, lists, at } = more
    const after = more.after && { ...more.after, fields: { ...more.after.fields, ...lists } }
    const { kind = '', action = '' } = planned.get(address) ?? {}
    const hasLeft = Object.keys(after?.fields ?? {}).length > 0
    const isRemoved = before !== undefined && after === undefined
    if (!(isDone({ outcome }) || hasLeft || isRemoved) || !isKindName(kind)) return []
    const what = { address, kind, action, id, before, after, managed, perhaps }
    const isLeft = action === 'delete' && outcome === 'notKept'
    const owned = { ...(unapplied && { unapplied }), ...(since !== undefined && { since }) }
    const known = { ...owned, ...(labels && { labels }), ...(added && { added }), ...(takenOver && { takenOver }) }
    return [{ ...what, ...known, ...(isLeft && { isLeft }), ...((perhaps.length > 0 || !hasLooked) && { lateAt: at }) }]
  })
}

/** Whether the platform accepted it, even if it did not keep all of it. */
export const isDone = ({ outcome }: Pick<SettledEntry, 'outcome'>): boolean =>
  outcome === 'applied' || outcome === 'notKept'

type RecordedOutcome = Pick<
  SettledEntry,
  | 'outcome'
  | 'id'
  | 'before'
  | 'after'
  | 'managed'
  | 'unapplied'
  | 'added'
  | 'since'
  | 'labels'
  | 'takenOver'
  | 'lists'
  | 'at'
> &
  Partial<Pick<Done, 'perhaps'>>

/** What an interrupted run has written, or perhaps has not. The live values show which, and decide what is undone. */
function unansweredIn(entries: RunRecord['entries']): ReadonlyMap<string, RecordedOutcome> {
  const found = new Map<string, RecordedOutcome>()
  for (const entry of entries) {
    if (entry.is !== 'announced' || !entry.changes) continue
    const { id, before, after, takenOver } = entry.changes
    for (const address of entry.addresses) {
      const earlier = found.get(address)
      const then = { ...before, ...earlier?.before?.fields }
      const changed = Object.entries(after).filter(([name, value]) => !sameJson(value, then[name]))
      found.set(address, {
        outcome: 'unknown',
        id,
        before: { fields: then, fingerprints: {} },
        after: { fields: { ...earlier?.after?.fields, ...Object.fromEntries(changed) }, fingerprints: {} },
        perhaps: [...(earlier?.perhaps ?? []), after],
        ...(takenOver && { takenOver: [...(earlier?.takenOver ?? []), ...takenOver] }),
        at: entry.at,
      })
    }
  }
  return found
}

/** The ids in the paths of a run's requests: a pinned object has one of them. */
export const idsIn = ({ entries }: RunRecord): ReadonlySet<string> =>
  new Set(
    entries.flatMap((entry) =>
      entry.is === 'announced' ? entry.request.split('/').slice(1).map(decodeURIComponent) : [],
    ),
  )

/**
 * Addresses of announced requests that were never answered, if live values cannot show all of their effect; `isMade`: whether
 * they were to create an object there.
 */
export function unanswered({ entries }: RunRecord): readonly { readonly address: string; readonly isMade: boolean }[] {
  const settled = new Set(
    entries.flatMap((entry) => (entry.is === 'settled' && entry.answered !== 'no' ? [entry.address] : [])),
  )
  const announced = entries.flatMap((entry) =>
    entry.is === 'announced' && !entry.changes?.areAll ? entry.addresses : [],
  )
  const made = new Set(entries.flatMap((entry) => (entry.is === 'announced' ? entry.creates : [])))
  const open = [...new Set(announced)].filter((address) => !settled.has(address))
  return open.map((address) => ({ address, isMade: made.has(address) }))
}
