import type { RunRecord } from '../records/record.js'
import type { Colours } from './colours.js'
import { countsText, type HistoryChange, type HistoryRun, historyChanges, historyRun, outcomeWords } from './history.js'
import type { Report } from './problems.js'
import { printable } from './value-text.js'

/** One run with everything that became of it: `gatewright.record/1`. */
export interface RecordDocument extends HistoryRun {
  readonly format: 'gatewright.record/1'
  readonly host: string
  readonly pid: number
  /** Digests of what was performed and of the manifests that it was made from. */
  readonly plan: string
  readonly manifests: string
  readonly changes: readonly HistoryChange[]
}

/** `running`: the name of the run that holds the lock of the area now, if one does. */
export function recordDocument(record: RunRecord, running: string | undefined): RecordDocument {
  const { worker, plan, manifests } = record.head
  const { host, pid } = worker
  const run = historyRun(record, running)
  return { format: 'gatewright.record/1', ...run, host, pid, plan, manifests, changes: historyChanges(record) }
}

export const recordJson = (record: RecordDocument): Report => ({ output: `${JSON.stringify(record, null, 2)}\n` })

/** The run's head, then every change with its requests, its outcome and what the platform said. */
export function recordText(record: RecordDocument, { colours }: { readonly colours: Colours }): Report {
  const purpose = record.of === null ? record.purpose : `${record.purpose} of ${record.of}`
  const head = [
    `${colours.bold(`Run ${record.run}`)} (${purpose}): ${record.outcome}`,
    `  started    ${record.started}`,
    ...(record.ended === null ? [] : [`  ended      ${record.ended}`]),
    `  who        ${printable(record.who)} (process ${record.pid} on ${printable(record.host)})`,
    ...(record.commit === null ? [] : [`  commit     ${record.commit}`]),
    `  plan       ${record.plan}`,
    `  manifests  ${record.manifests}`,
  ]
  const changes = record.changes.map((change) => changeText(change, colours))
  const blocks = [
    head.join('\n'),
    ...(changes.length === 0 ? [] : [changes.join('\n')]),
    `${countsText(record.summary)}.`,
  ]
  return { output: `${blocks.join('\n\n')}\n` }
}

function changeText({ address, action, outcome, error, requests, id }: HistoryChange, colours: Colours): string {
  const what = `${action ?? 'change'} ${printable(address)}${id === null ? '' : ` (id ${printable(id)})`}`
  const lines = [
    `  ${paintOf(outcome, colours)(outcomeWords(outcome))}: ${what}`,
    ...requests.map((request) => `    ${colours.dim(printable(request))}`),
    ...(error === null ? [] : [`    ${printable(error)}`]),
  ]
  return lines.join('\n')
}

function paintOf(outcome: string, colours: Colours): (text: string) => string {
  if (outcome === 'applied') return colours.green
  return outcome === 'failed' || outcome === 'notKept' ? colours.red : colours.yellow
}
