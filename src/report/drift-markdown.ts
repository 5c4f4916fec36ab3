import type { PlanDocument } from '../documents/plan.js'
import { type DriftEntry, type DriftGroup, driftedField, driftView } from './drift-words.js'
import { code, escaped, fenced, html } from './markdown.js'
import { acceptedMarkdown, diagnosticsMarkdown } from './plan-markdown.js'
import type { Report } from './problems.js'
import { baseText, headingText } from './target.js'

/** A drift for an issue or a job summary: the counts in sight, what happened in each root object below them. */
export function driftMarkdown(drift: PlanDocument): Report {
  const { groups, pending, summary } = driftView(drift)
  const blocks = [
    `### ${code(headingText(drift))}`,
    escaped(baseText(drift)),
    `**Drift: ${summary}**`,
    ...groups.map(groupMarkdown),
    ...acceptedMarkdown(drift),
    ...pendingMarkdown(pending),
    ...diagnosticsMarkdown(drift),
  ]
  return { output: `${blocks.join('\n\n')}\n` }
}

function groupMarkdown({ root, entries }: DriftGroup): string {
  const count = entries.length === 1 ? '1 object' : `${entries.length} objects`
  return `<details open><summary><code>${html(root)}</code>: ${count}</summary>\n\n${entries.map(entryMarkdown).join('\n\n')}\n\n</details>`
}

function entryMarkdown({ address, words, source, remarks, fields }: DriftEntry): string {
  const place = source ? ` · ${code(`${source.file}:${source.line}`)}` : ''
  const lines = fields.map(driftedField).flatMap((field) => {
    if (field.is === 'line') return [`  ${field.name}: ${field.words}`]
    return field.diffs.flatMap(({ from, lines: diff }) => [
      `  ${field.name}: ${from}`,
      ...diff.map(({ mark, text }) => `${mark}   ${text}`.trimEnd()),
    ])
  })
  return [
    `${code(address)} **${words}**${place}`,
    ...remarks.map((remark) => `> ${escaped(remark)}`),
    ...(lines.length === 0 ? [] : [fenced(lines.join('\n'))]),
  ].join('\n\n')
}

function pendingMarkdown(pending: readonly string[]): readonly string[] {
  if (pending.length === 0) return []
  const lines = pending.map((line) => `- ${escaped(line)}`)
  return [`<details><summary>Not applied yet</summary>\n\n${lines.join('\n')}\n\n</details>`]
}
