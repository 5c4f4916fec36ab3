import type { PlanDocument } from '../documents/plan.js'
import { printable } from '../json/printable.js'
import type { Colours } from './colours.js'
import { type DriftEntry, driftedField, driftView } from './drift-words.js'
import { acceptedText, diffLines, groupText, placeText } from './plan-text.js'
import type { ObjectGroup } from './plan-words.js'
import type { Report } from './problems.js'
import { padded, type TableForm, type TextForm, wrappedText } from './table.js'
import { baseText, headingText } from './target.js'

/** A drift as terminal text: the target, the drift by root object, the accepted drift and the pending changes. */
export function driftText(drift: PlanDocument, { colours, columns }: TextForm): Report {
  const { groups, pending, summary } = driftView(drift)
  const blocks = [
    [colours.bold(printable(headingText(drift))), printable(`Base: ${baseText(drift)}`)].join('\n'),
    ...groups.map((group) => groupTextOf(group, { colours, columns })),
    ...acceptedText(drift, { colours, columns }),
    ...(pending.length === 0 ? [] : [pendingText(pending, { columns })]),
    `${colours.bold('Drift:')} ${summary}.`,
  ]
  return { output: `${blocks.join('\n\n')}\n` }
}

const pendingText = (pending: readonly string[], form: TableForm): string =>
  ['Not applied yet:', ...pending.flatMap((line) => wrappedText(line, { ...form, margin: 2 }))].join('\n')

const groupTextOf = (group: ObjectGroup<DriftEntry>, form: TextForm): string =>
  groupText(group, form, (entry) => ({
    mark: marks[entry.happened],
    beside: [entry.words, placeText(entry.source)],
    paint: paintOf(entry.happened, form.colours),
    below: (indent) => [
      ...entry.remarks.flatMap((text) => wrappedText(text, { ...form, margin: indent.length }).map(form.colours.dim)),
      ...detailsOf(entry, form.colours).map((line) => indent + line),
    ],
  }))

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
  return found.flatMap((field) => {
    if (field.is === 'line') return [`${padded(field.name, width)}  ${field.words}`]
    return field.diffs.flatMap(({ from, lines }) => [`${field.name}: ${from}`, ...diffLines(lines, colours)])
  })
}
