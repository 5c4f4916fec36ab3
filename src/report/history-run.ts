import type { RecordDocument, RecordedChange } from '../documents/record.js'
import { printable } from '../json/printable.js'
import { type Block, commentBudget, type Part, withinBudget } from './budget.js'
import { commitText, outcomeCounts, outcomeWords } from './history.js'
import { code, withDiff, withRemarks } from './markdown.js'
import { fieldDiff } from './plan-markdown.js'
import { fieldLines } from './plan-text.js'
import type { Report } from './problems.js'
import { actionText, outcomePaint } from './run.js'
import { alignedRows, type TextForm, wrappedText } from './table.js'
import { targetText, valuesText } from './target.js'

/** The head of the run, then every change with its requests, its outcome and the answer of the platform. */
export function recordText(record: RecordDocument, form: TextForm): Report {
  const purpose = record.of === null ? record.purpose : `${record.purpose} of ${record.of}`
  const facts = [
    ['  target', targetText(record.target)],
    ['  started', record.started],
    ...(record.ended === null ? [] : [['  ended', record.ended]]),
    ['  who', `${record.who} (process ${record.pid} on ${record.host})`],
    ...(record.commit === null ? [] : [['  commit', commitText(record, record.commit.length)]]),
    ['  plan', record.plan],
    ['  manifests', record.manifests],
    ...(record.values ? [['  values', valuesText(record.values)]] : []),
  ]
  const title = `${form.colours.bold(`Run ${record.run}`)} (${purpose}): ${record.outcome}`
  const head = [title, ...alignedRows(facts, form).flat()]
  const changes = record.changes.map((change) => changeText(change, form))
  const blocks = [
    head.join('\n'),
    ...(changes.length === 0 ? [] : [changes.join('\n')]),
    `${outcomeCounts(record.summary)}.`,
  ]
  return { output: `${blocks.join('\n\n')}\n` }
}

/** The run for a job summary or a comment. */
export function recordMarkdown(record: RecordDocument): Report {
  const { run, purpose, of, outcome, who, commit, started } = record
  const made = commit === null ? '' : `, commit ${code(commitText(record, commit.length))}`
  const what = `${purpose}${of === null ? '' : ` of ${code(of)}`}: ${outcome}; ${outcomeCounts(record.summary)}`
  const blocks: readonly Block[] = [
    `### Run ${code(run)} in ${code(targetText(record.target))}`,
    `**${what}** (${code(who)}, ${started}${made})`,
    { is: 'left out' },
    { open: '', between: '\n\n', close: '', parts: record.changes.map(changePart) },
  ]
  return { output: withinBudget(blocks, commentBudget) }
}

function changePart({ address, action, outcome, error, fields }: RecordedChange): Part {
  const head = `**${outcomeWords(outcome)}** ${actionText(action)}${code(address)}`
  const short = withRemarks(head, error === null ? [] : [error])
  const text = withDiff(short, fields.flatMap(fieldDiff))
  const rank = outcome === 'applied' ? 2 : 1
  return { rank, short, text, one: 'change', many: 'changes' }
}

function changeText(change: RecordedChange, { colours, columns }: TextForm): string {
  const { address, action, outcome, error, requests, id, fields } = change
  const words = outcomeWords(outcome)
  const what = `${words}: ${actionText(action)}${printable(address)}`
  const known = id === null ? [] : [`(id ${printable(id)})`]
  const whole = wrappedText([what, ...known].join(' '), { columns, margin: 2 })
  const [first = '', ...rest] =
    whole.length === 1
      ? whole
      : [what, ...known].flatMap((text, index) => wrappedText(text, { columns, margin: 2 + 2 * index }))
  const lines = [
    first.replace(words, outcomePaint(outcome, colours)),
    ...rest,
    ...requests.map((request) => `    ${colours.dim(printable(request))}`),
    ...(error === null ? [] : wrappedText(printable(error), { columns, margin: 4 })),
    ...fieldLines(fields, { indent: '      ' }, colours),
  ]
  return lines.join('\n')
}
