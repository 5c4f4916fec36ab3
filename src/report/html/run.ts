import type { ChangeResult } from '../../applier/run.js'
import type { RunChange, RunDocument } from '../../documents/run.js'
import { counted } from '../../problems/suggest.js'
import { outcomeWords } from '../history.js'
import { byRoot } from '../plan-words.js'
import { valueText } from '../value-text.js'
import { html } from './markup.js'
import {
  counts,
  diagnosticsSections,
  entryList,
  type PageItem,
  page,
  type Tone,
  table,
  targetFacts,
  targetName,
} from './page.js'

/** An apply or a rollback as an HTML page. Changes that were not done are expanded and have their reason. */
export function runHtml(run: RunDocument): string {
  const outcomes = Object.entries(run.summary)
  const groups = byRoot(run.changes).map(({ root, entries }) => ({ root, entries: entries.map(runItem) }))
  const what = run.of === null ? 'Apply to' : 'Rollback in'
  return page({
    title: `${what} ${targetName(run.target)}: ${outcomes
      .filter(([outcome, count]) => outcome === 'applied' || count > 0)
      .map(([outcome, count]) => `${count} ${outcomeWords(outcome)}`)
      .join(', ')}`,
    facts: [
      ...targetFacts(run.target),
      ['Run', run.run ?? undefined],
      ['Undoes', run.of ?? undefined],
      ['Requests', String(run.requests)],
      ['Recorded', run.recorded === undefined ? undefined : `${counted(run.recorded, 'object')}, as they are`],
    ],
    body: [
      counts(
        outcomes.map(([outcome, count]) => ({ count, words: outcomeWords(outcome), tone: tones[outcome] ?? 'note' })),
      ),
      diagnosticsSections(run.diagnostics),
      entryList('Changes', groups, 'Nothing was to be done.'),
    ],
  })
}

const tones: Readonly<Record<string, Tone>> = {
  applied: 'create',
  failed: 'delete',
  notKept: 'delete',
  blocked: 'blocked',
  waiting: 'update',
  notStarted: 'note',
} satisfies Record<ChangeResult['outcome'], Tone>

function runItem({ address, kind, action, outcome, error, left = {} }: RunChange): PageItem {
  const rows = Object.entries(left).map(([name, value]) => [
    html`<code>${name}</code>`,
    html`<code>${valueText(value)}</code>`,
  ])
  return {
    address,
    tone: tones[outcome] ?? 'note',
    does: action === 'blocked' ? outcomeWords(outcome) : `${action}: ${outcomeWords(outcome)}`,
    badges: [],
    place: undefined,
    body:
      error === null && rows.length === 0
        ? undefined
        : [error !== null && html`<p>${error}</p>`, table(['Changed all the same', 'Now'], rows)],
    isOpen: true,
    facets: { outcome: [outcome], action: [action], kind: [kind] },
  }
}
