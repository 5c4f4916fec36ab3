import type { FieldDocument, PlanDocument } from '../../documents/plan.js'
import { type DriftEntry, driftedField, driftView, unmanagedBeside } from '../drift-words.js'
import { baseText } from '../target.js'
import { sidesOf } from '../value-text.js'
import { html } from './markup.js'
import {
  collapsedList,
  counts,
  diagnosticsSections,
  entryList,
  fieldName,
  type PageItem,
  page,
  type TableRow,
  type Tone,
  table,
  targetFacts,
  targetName,
  textDiff,
} from './page.js'
import { quietLists, remarkList } from './plan.js'

/** A drift as an HTML page: what happened on the platform, to which object, and who did it. */
export function driftHtml(drift: PlanDocument): string {
  const { groups, pending, summary } = driftView(drift)
  return page({
    title: `Drift of ${targetName(drift.target)}: ${summary}`,
    facts: [...targetFacts(drift.target), ['Base', baseText(drift)]],
    body: [
      counts([
        { count: groups.flatMap(({ entries }) => entries).length, words: 'drifted', tone: 'update' },
        { count: drift.accepted.length, words: 'accepted' },
        { count: drift.summary.unchanged, words: 'in sync' },
      ]),
      diagnosticsSections(drift.diagnostics.filter(({ severity }) => severity !== 'note')),
      entryList(
        'What happened',
        groups.map(({ root, entries }) => ({ root, entries: entries.map(driftItem) })),
        'Nothing has drifted.',
      ),
      collapsedList('Not applied yet', pending),
      ...quietLists({
        accepted: drift.accepted,
        base: drift.base,
        unmanaged: unmanagedBeside(drift),
        diagnostics: drift.diagnostics,
      }),
    ],
  })
}

const tones: Readonly<Record<DriftEntry['happened'], Tone>> = {
  deleted: 'delete',
  missing: 'delete',
  created: 'create',
  remaining: 'create',
  extra: 'create',
  changed: 'update',
  differs: 'update',
  conflict: 'replace',
}

function driftItem({ address, happened, words, remarks, fields, source }: DriftEntry): PageItem {
  const withApplied = fields.some(({ applied }) => applied !== undefined)
  const head = ['Field', ...(withApplied ? ['Applied'] : []), 'In git', 'Live']
  const isEmpty = remarks.length === 0 && fields.length === 0
  return {
    address,
    tone: tones[happened],
    does: words,
    badges: [],
    place: source && `${source.file}:${source.line}`,
    body: isEmpty
      ? undefined
      : [
          remarkList(remarks),
          table(
            head,
            fields.map((field) => rowOf(field, withApplied)),
          ),
        ],
    isOpen: true,
    facets: { happened: [happened] },
  }
}

function rowOf(field: FieldDocument, withApplied: boolean): TableRow {
  const name = fieldName(field.path)
  const drifted = driftedField(field)
  if (drifted.is === 'diffs') {
    const cell = drifted.diffs.map(({ from, lines }) => [html`<span class="soft">${from}</span>`, textDiff(lines)])
    return [name, cell]
  }
  const { git, live, applied } = sidesOf(field)
  const value = (text: string | undefined, tone: string) =>
    text !== undefined && html`<code class="${tone}">${text}</code>`
  // The same order as in the texts and line diffs: from git to live, or from the applied value to both.
  const manifest = value(git, applied === undefined ? 'was' : 'is')
  return [name, ...(withApplied ? [value(applied, 'was')] : []), manifest, value(live, 'is')]
}
