import { catalog } from '../catalog/catalog.js'
import { isKindName } from '../catalog/queries.js'
import type { JournalEntry, Receipt, RunRecord } from '../stores/record.js'

/** The record with these objects, which were found, by address: the run has created them (A106). */
export function withFound(record: RunRecord, found: ReadonlyMap<string, string>): RunRecord {
  const entries = [...found].map(([address, id]): JournalEntry => {
    const nothing = { fields: {}, fingerprints: {} }
    const outcome = { outcome: 'applied', error: undefined, before: undefined, after: nothing }
    return { is: 'settled', address, id, ...outcome, at: record.head.started }
  })
  return { ...record, entries: [...record.entries, ...entries] }
}

/**
 * The record with the ids that objects have since another rollback created them again: they are the objects that the run created
 * or changed. What the run deleted keeps its id.
 */
export function withIdsNow(record: RunRecord, receipts: readonly Receipt[]): RunRecord {
  const now = new Map(
    receipts.flatMap(({ kind, id, formerId }) =>
      formerId === undefined ? [] : [[idKey(kind, formerId), id] as const],
    ),
  )
  if (now.size === 0) return record
  const changes = new Map(record.head.changes.map((change) => [change.address, change]))
  const idNow = <Id extends string | undefined>(address: string, id: Id): Id | string => {
    const { kind, action } = changes.get(address) ?? {}
    return (kind !== undefined && action !== 'delete' && now.get(idKey(kind, id ?? ''))) || id
  }
  const entries = record.entries.map((entry): JournalEntry => {
    if (entry.is === 'settled') return { ...entry, id: idNow(entry.address, entry.id) }
    if (entry.is !== 'announced' || !entry.changes) return entry
    return { ...entry, changes: { ...entry.changes, id: idNow(entry.addresses[0] ?? '', entry.changes.id) } }
  })
  return { ...record, entries }
}

/** A link has the id of the object that it refers to. */
const idKey = (kind: string, id: string): string => `${(isKindName(kind) && catalog[kind].association) || kind} ${id}`
