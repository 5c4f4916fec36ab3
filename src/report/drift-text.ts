import type { PlanDocument } from '../documents/plan.js'
import { printable } from '../json/printable.js'
import type { Colours } from './colours.js'
import { type DriftEntry, type DriftGroup, driftedField, driftView } from './drift-words.js'
import { acceptedText, headLines } from './plan-text.js'
import { innerAddress } from './plan-words.js'
import type { Report } from './problems.js'
import { alignedRows, padded, type TableForm, type TextForm, wrappedText } from './table.js'
import { baseText, headingText } from './target.js'

/** A drift for people: what it is about, what happened on the platform, by root object, what is accepted, what is pending. */
export function driftText(drift: PlanDocument, { colours, columns }: TextForm): Report {
  const { groups, pending, summary } = driftView(drift)
  const blocks = [
    [colours.bold(printable(headingText(drift))), printable(`Base: ${baseText(drift)}`)].join('\n'),
    ...groups.map((group) => groupText(group, { colours, columns })),
    ...acceptedText(drift, { colours, columns }),
    ...(pending.length === 0 ? [] : [pendingText(pending, { columns })]),
    `${colours.bold('Drift:')} ${summary}.`,
  ]
  return { output: `${blocks.join('\n\n')}\n` }
}

const pendingText = (pending: readonly string[], form: TableForm): string =>
  ['Not applied yet:', ...pending.flatMap((line) => wrappedText(line, { ...form, margin: 2 }))].join('\n')

function groupText({ root, entries }: DriftGroup, { colours, columns }: TextForm): string {
  const title = entries[0]?.address === root ? [] : [`  ${colours.bold(printable(root))}`]
  const heads = entries.map((entry) => ({ entry, indent: entry.address === root ? '' : '  ' }))
  const placed = alignedRows(
    heads.map(({ entry: { address, happened, words, source }, indent }) => [
      `${indent}${marks[happened]} ${innerAddress(root, address)}`,
      words,
      source ? `${source.file}:${source.line}` : '',
    ]),
    { columns },
  )
  const lines = heads.flatMap(({ entry, indent }, index) => [
    ...headLines(placed[index] ?? [], indent).map(paintOf(entry.happened, colours)),
    ...entry.remarks.flatMap((text) => wrappedText(text, { columns, margin: indent.length + 4 }).map(colours.dim)),
    ...detailsOf(entry, colours).map((line) => `${indent}    ${line}`),
  ])
  return [...title, ...lines].join('\n')
}

const marks = {
  deleted: '-',
  created: '+',
  changed: '~',
  conflict: '!',
  remaining: '+',
  differs: '~',
  missing: '-',
  extra: '+',
} as const

function paintOf(happened: DriftEntry['happened'], colours: Colours): (text: string) => string {
  switch (happened) {
    case 'deleted':
    case 'missing':
      return colours.red
    case 'created':
    case 'remaining':
    case 'extra':
      return colours.green
    case 'changed':
    case 'differs':
      return colours.yellow
    case 'conflict':
      return colours.magenta
  }
}

function detailsOf({ fields }: DriftEntry, colours: Colours): readonly string[] {
  const found = fields.map(driftedField)
  const width = Math.min(44, Math.max(0, ...found.map(({ name }) => name.length)))
  const diffPaints = { '+': colours.green, '-': colours.red, ' ': colours.dim }
  return found.flatMap((field) => {
    if (field.is === 'line') return [`${padded(field.name, width)}  ${field.words}`]
    return field.diffs.flatMap(({ from, lines }) => [
      `${field.name}: ${from}`,
      ...lines.map(({ mark, text }) => diffPaints[mark](`  ${mark} ${text}`.trimEnd())),
    ])
  })
}
