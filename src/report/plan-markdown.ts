import type { ChangeDocument, FieldDocument, PlanDocument } from '../documents/plan.js'
import { printable } from '../json/printable.js'
import { acceptedRows } from './accepted-words.js'
import { code, escaped, fenced, html } from './markdown.js'
import {
  type ChangeGroup,
  estimateText,
  groupsOf,
  hasChanges,
  remarksOf,
  shownFields,
  summaryText,
} from './plan-words.js'
import { diagnosticMarkdown, type Report } from './problems.js'
import { baseText, headingText } from './target.js'
import { fieldView } from './value-text.js'

/** A plan for a comment on a pull request: the counts in sight, each root object's changes folded away. */
export function planMarkdown(plan: PlanDocument): Report {
  const estimate = estimateText(plan)
  const blocks = [
    `### ${code(headingText(plan))}`,
    escaped(baseText(plan)),
    ...refusedMarkdown(plan),
    `**${summaryText(plan)}**${estimate === '' ? '' : ` (${estimate})`}`,
    ...(hasChanges(plan) ? groupsOf(plan).map(groupMarkdown) : []),
    ...unmanagedMarkdown(plan),
    ...acceptedMarkdown(plan),
    ...diagnosticsMarkdown(plan),
  ]
  return { output: `${blocks.join('\n\n')}\n` }
}

function groupMarkdown(group: ChangeGroup): string {
  const counts = group.changes.length === 1 ? '1 change' : `${group.changes.length} changes`
  const body = group.changes.map((change) => changeMarkdown(change)).join('\n\n')
  return `<details><summary><code>${html(group.root)}</code>: ${counts}</summary>\n\n${body}\n\n</details>`
}

function changeMarkdown(change: ChangeDocument): string {
  const action = change.action === 'blocked' ? `blocked (${change.wants ?? 'change'})` : change.action
  const place = change.source ? ` · ${code(`${change.source.file}:${change.source.line}`)}` : ''
  const head = `**${action}** ${code(change.address)}${place}`
  const remarks = remarksOf(change).map((text) => `> ${escaped(text)}`)
  const shown = shownFields(change)
  const fields = shown.length === 0 ? [] : [fenced(shown.flatMap(fieldDiff).join('\n'))]
  return [head, ...remarks, ...fields].join('\n\n')
}

function fieldDiff(field: FieldDocument): readonly string[] {
  const view = fieldView(field)
  const name = printable(field.path)
  if (view.is === 'diff') return [`  ${name}:`, ...view.lines.map(({ mark, text }) => `${mark}   ${text}`.trimEnd())]
  return [
    ...(view.before === undefined ? [] : [`- ${name}: ${view.before}`]),
    ...(view.after === undefined ? [] : [`+ ${name}: ${view.after}`]),
  ]
}

function unmanagedMarkdown(plan: PlanDocument): readonly string[] {
  if (plan.unmanaged.length === 0) return []
  const lines = plan.unmanaged.map(({ address }) => `- ${code(address)}`)
  const summary = `${plan.unmanaged.length} unmanaged, left alone`
  return [`<details><summary>${summary}</summary>\n\n${lines.join('\n')}\n\n</details>`]
}

/** What somebody accepted, why, and until when. */
export function acceptedMarkdown(plan: PlanDocument): readonly string[] {
  if (plan.accepted.length === 0) return []
  const lines = acceptedRows(plan).map(
    ({ address, what, decision }) => `- ${code(address)} ${escaped(what)} (${escaped(decision)})`,
  )
  const summary = `${plan.accepted.length} accepted, left alone`
  return [`<details><summary>${summary}</summary>\n\n${lines.join('\n')}\n\n</details>`]
}

function refusedMarkdown({ refused }: PlanDocument): readonly string[] {
  return refused.length === 0 ? [] : ['**Apply would refuse this plan:**', diagnosticLines(refused)]
}

/** What else is to be said of it. */
export function diagnosticsMarkdown({ diagnostics }: PlanDocument): readonly string[] {
  return diagnostics.length === 0 ? [] : [diagnosticLines(diagnostics)]
}

const diagnosticLines = (diagnostics: PlanDocument['diagnostics']): string =>
  diagnostics.map(diagnosticMarkdown).join('\n')
