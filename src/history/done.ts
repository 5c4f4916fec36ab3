import { isKindName } from '../catalog/queries.js'
import type { KindName } from '../catalog/types.js'
import type { JsonObject } from '../json/json.js'
import { sameJson } from '../json/json.js'
import type { Added, Image, RunRecord, SettledEntry } from '../stores/record.js'

/** What a run has done, read from its record. */

/** One change of a run, as it was written down. */
export interface Done {
  readonly address: string
  readonly kind: KindName
  readonly action: string
  readonly id: string
  readonly before: Image | undefined
  /** With the lists that the run does not manage and has changed. */
  readonly after: Image | undefined
  /** Of what was deleted: the fields that had been applied; undefined where the record does not tell. */
  readonly managed: readonly string[] | undefined
  /** Of what was updated: the changed fields that nobody had applied before. Without an answer: absent where nobody knows. */
  readonly takenOver?: readonly string[]
  /** Of what was deleted: no run had made it or taken it over. */
  readonly unapplied?: true
  /** Of what was deleted: what the platform had put there by itself. */
  readonly added?: readonly Added[]
  /** Of what was deleted: the run that had made it, or taken it over. */
  readonly since?: string
  /** Of what was deleted: the labels that it had. */
  readonly labels?: Readonly<Record<string, string>>
  /** Of what was to be deleted: the platform took the delete and still listed it at the end. */
  readonly isLeft?: true
  /** What it has put there, if nobody knows which of its requests were done. */
  readonly perhaps: readonly JsonObject[]
  /** When it was sent, or answered, if lists may not show it yet: the run has not looked since. Milliseconds since 1970. */
  readonly lateAt?: number
}

/** The last word on every change that was done, or that has left something. */
export function doneIn({ head, entries }: RunRecord): readonly Done[] {
  const planned = new Map(head.changes.map((change) => [change.address, change]))
  const unanswered = unansweredIn(entries)
  const last = new Map(unanswered)
  const hasLooked = entries.some((entry) => entry.is === 'ended' && entry.outcome !== 'interrupted')
  for (const entry of entries) {
    const isUnanswered = entry.is === 'settled' && entry.answered === 'no' && unanswered.has(entry.address)
    if (entry.is !== 'settled' || isUnanswered) continue
    const earlier = last.get(entry.address)
    const action = planned.get(entry.address)?.action
    // An object is made, also if a request that followed was not done: what it is like then is told at the end.
    if (action === 'create' && earlier && isDone(earlier) && !isDone(entry)) {
      if (entry.after) last.set(entry.address, { ...earlier, after: entry.after })
      continue
    }
    const isLeft = entry.outcome === 'notKept' && action === 'delete'
    // What stood before is written down with the answer: the platform may do it later, after all.
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

/** Whether the platform took it, even if it did not keep all of it. */
export const isDone = ({ outcome }: Pick<SettledEntry, 'outcome'>): boolean =>
  outcome === 'applied' || outcome === 'notKept'

type Outcome = Pick<
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

/** What a run that was cut off has written, or perhaps has not: what is live tells, and decides what is undone. */
function unansweredIn(entries: RunRecord['entries']): ReadonlyMap<string, Outcome> {
  const found = new Map<string, Outcome>()
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

/** The ids in the paths of a run's requests: an object is pinned by one of them. */
export const idsIn = ({ entries }: RunRecord): ReadonlySet<string> =>
  new Set(
    entries.flatMap((entry) =>
      entry.is === 'announced' ? entry.request.split('/').slice(1).map(decodeURIComponent) : [],
    ),
  )

/**
 * Where requests were announced and never answered, and live values do not tell what became of all that they carried; whether
 * they were to make something there.
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
