import type { RunRecord } from '../stores/record.js'
import { type HistoryChange, type HistoryRun, historyChanges, historyRun, withRunning } from './history.js'
import { type RecordedField, recordedFields } from './recorded-fields.js'
import type { TargetDocument } from './target.js'

/** One run with all its results: `gatewright.record/1`. */
export interface RecordDocument extends HistoryRun {
  readonly format: 'gatewright.record/1'
  readonly target: TargetDocument
  readonly host: string
  readonly pid: number
  /** The digests of the applied plan and of its manifests. */
  readonly plan: string
  readonly manifests: string
  /** The values from `--value`: texts by name. */
  readonly values?: Readonly<Record<string, string>>
  readonly changes: readonly RecordedChange[]
}

/** A change with all fields that it changed. */
export interface RecordedChange extends HistoryChange {
  readonly fields: readonly RecordedField[]
}

/** `running`: the name of the run that holds the area's lock now, if there is one. */
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
    const entry = last.get(change.address)
    return { ...change, fields: entry ? recordedFields(change.kind, entry) : [] }
  })
}
