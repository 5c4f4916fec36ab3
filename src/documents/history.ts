import { countsOf } from '../json/groups.js'
import type { RunOutcome, RunRecord, SettledEntry } from '../stores/record.js'
import type { TargetDocument } from './target.js'

/** The runs of a project in an area: `gatewright.history/1`. */
export interface HistoryDocument {
  readonly format: 'gatewright.history/1'
  readonly target: TargetDocument
  /** Newest first. */
  readonly runs: readonly HistoryRun[]
}

/** The remaining runs after old ones were removed. */
export interface PrunedHistory extends HistoryDocument {
  /** The names of the removed runs, newest first. */
  readonly removed: readonly string[]
}

/** One run in the history. */
export interface HistoryRun {
  readonly run: string
  /** ISO dates. An interrupted run has no end. */
  readonly started: string
  readonly ended: string | null
  readonly who: string
  readonly commit: string | null
  /** The files differed from that commit. */
  readonly dirty?: true
  readonly purpose: 'apply' | 'rollback'
  /** The run that a rollback undoes. */
  readonly of: string | null
  readonly outcome: RunOutcome | 'running'
  /** The number of changes with each outcome. */
  readonly summary: Readonly<Record<string, number>>
}

/** The outcome of one change of a run. */
export interface HistoryChange {
  readonly address: string
  readonly kind: string | null
  readonly action: string | null
  readonly id: string | null
  /** `unknown`: its request was announced, but the run was interrupted before the answer was recorded. */
  readonly outcome: string
  /** The answer of the platform, if the change did not succeed. */
  readonly error: string | null
  /** The requests that were announced for it. */
  readonly requests: readonly string[]
}

/** `running`: the name of the run that holds the area's lock now, if there is one. */
export const withRunning = (run: HistoryRun, running: string | undefined): HistoryRun =>
  run.ended === null && run.run === running ? { ...run, outcome: 'running' } : run

/** A run from the records. A run without an end counts as interrupted. */
export function historyRun(record: RunRecord): HistoryRun {
  const { head, entries } = record
  const end = entries.find((entry) => entry.is === 'ended')
  const summary = Object.fromEntries(countsOf(historyChanges(record).map(({ outcome }) => outcome)))
  return {
    run: head.run,
    started: isoDate(head.started),
    ended: end ? isoDate(end.at) : null,
    who: head.worker.who,
    commit: head.commit ?? null,
    ...(head.dirty && { dirty: head.dirty }),
    purpose: head.purpose.is,
    of: head.purpose.is === 'rollback' ? head.purpose.of : null,
    outcome: end ? end.outcome : 'interrupted',
    summary,
  }
}

/** The changes of a run: the planned ones in their order, then all others with an outcome. */
export function historyChanges({ head, entries }: RunRecord): readonly HistoryChange[] {
  const requests = new Map<string, string[]>()
  const settled = new Map<string, SettledEntry>()
  for (const entry of entries) {
    // The last outcome of an address counts: the final reading may find that a change was not kept.
    if (entry.is === 'settled') settled.set(entry.address, entry)
    if (entry.is !== 'announced') continue
    for (const address of entry.addresses) requests.set(address, [...(requests.get(address) ?? []), entry.request])
  }
  const planned = new Map(head.changes.map((change) => [change.address, change]))
  const addresses = [...new Set([...planned.keys(), ...settled.keys()])]
  return addresses.map((address) => {
    const found = settled.get(address)
    const sent = requests.get(address) ?? []
    const { kind = null, action = null } = planned.get(address) ?? {}
    const outcome = found?.outcome ?? (sent.length > 0 ? 'unknown' : 'notStarted')
    return { address, kind, action, id: found?.id || null, outcome, error: found?.error ?? null, requests: sent }
  })
}

const isoDate = (milliseconds: number): string => new Date(milliseconds).toISOString()
