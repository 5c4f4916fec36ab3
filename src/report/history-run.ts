import type { RecordDocument, RecordedChange } from '../documents/record.js'
import { jsonText } from '../json/json.js'
import { printable } from '../json/printable.js'
import type { Colours } from './colours.js'
import { commitText, countsText, outcomeWords } from './history.js'
import { fieldLines } from './plan-text.js'
import type { Report } from './problems.js'
import { targetText } from './target.js'

export const recordJson = (record: RecordDocument): Report => ({ output: jsonText(record) })

/** The run's head, then every change with its requests, its outcome and what the platform said. */
export function recordText(record: RecordDocument, { colours }: { readonly colours: Colours }): Report {
  const purpose = record.of === null ? record.purpose : `${record.purpose} of ${record.of}`
  const head = [
    `${colours.bold(`Run ${record.run}`)} (${purpose}): ${record.outcome}`,
    `  target     ${printable(targetText(record.target))}`,
    `  started    ${record.started}`,
    ...(record.ended === null ? [] : [`  ended      ${record.ended}`]),
    `  who        ${printable(record.who)} (process ${record.pid} on ${printable(record.host)})`,
    ...(record.commit === null ? [] : [`  commit     ${commitText(record, record.commit.length)}`]),
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

function changeText(change: RecordedChange, colours: Colours): string {
  const { address, action, outcome, error, requests, id, fields } = change
  const what = `${action ?? 'change'} ${printable(address)}${id === null ? '' : ` (id ${printable(id)})`}`
  const lines = [
    `  ${paintOf(outcome, colours)(outcomeWords(outcome))}: ${what}`,
    ...requests.map((request) => `    ${colours.dim(printable(request))}`),
    ...(error === null ? [] : [`    ${printable(error)}`]),
    ...fieldLines(fields, { indent: '      ' }, colours),
  ]
  return lines.join('\n')
}

function paintOf(outcome: string, colours: Colours): (text: string) => string {
  if (outcome === 'applied') return colours.green
  return outcome === 'failed' || outcome === 'notKept' ? colours.red : colours.yellow
}
