import type { RunRecord } from '../stores/record.js'
import { type HistoryChange, type HistoryRun, historyChanges, historyRun, withRunning } from './history.js'
import { type RecordedField, recordedFields } from './recorded-fields.js'
import type { TargetDocument } from './target.js'

/** One run with everything that became of it: `gatewright.record/1`. */
export interface RecordDocument extends HistoryRun {
  readonly format: 'gatewright.record/1'
  readonly target: TargetDocument
  readonly host: string
  readonly pid: number
  /** Digests of what was performed and of the manifests that it was made from. */
  readonly plan: string
  readonly manifests: string
  /** Of `--value`: texts by the names of values. */
  readonly values?: Readonly<Record<string, string>>
  readonly changes: readonly RecordedChange[]
}

/** A change with every field that it made another. */
export interface RecordedChange extends HistoryChange {
  readonly fields: readonly RecordedField[]
}

/** `running`: the name of the run that holds the lock of the area now, if one does. */
export function recordDocument(record: RunRecord, running: string | undefined, target: TargetDocument): RecordDocument {
  const { worker, plan, manifests, values } = record.head
  const { host, pid } = worker
  const run = withRunning(historyRun(record), running)
  return {
    format: 'gatewright.record/1',
    target,
    ...run,
    host,
    pid,
    plan,
    manifests,
    ...(values && { values }),
    changes: changesIn(record),
  }
}

function changesIn(record: RunRecord): readonly RecordedChange[] {
  const last = new Map(record.entries.flatMap((entry) => (entry.is === 'settled' ? [[entry.address, entry]] : [])))
  return historyChanges(record).map((change) => {
    const settled = last.get(change.address)
    return { ...change, fields: settled ? recordedFields(change.kind, settled) : [] }
  })
}
