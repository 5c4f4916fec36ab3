import type { PlanDocument } from '../documents/plan.js'
import { counted } from '../problems/suggest.js'
import {
  type Block,
  clipped,
  commentBudget,
  type MarkdownLimit,
  type Part,
  type Section,
  withinBudget,
} from './budget.js'
import { type DriftEntry, driftedField, driftView, unmanagedBeside } from './drift-words.js'
import { code, escaped, escapedHtml, withRemarks } from './markdown.js'
import {
  bySeverity,
  collapsedSection,
  placeBehind,
  quietSections,
  warningsSection,
  withDiffBelow,
} from './plan-markdown.js'
import type { ObjectGroup } from './plan-words.js'
import type { Report } from './problems.js'
import { baseText, headingText } from './target.js'

/**
 * A drift for an issue or a job summary: the counts are visible, and the details of each root object are collapsed below them.
 */
export function driftMarkdown(drift: PlanDocument, { budget = commentBudget }: MarkdownLimit = {}): Report {
  const { groups, pending, summary } = driftView(drift)
  const blocks: readonly Block[] = [
    `### ${clipped(headingText(drift), 400, code)}`,
    clipped(`Base: ${baseText(drift)}`, 200, escaped),
    `**Drift: ${summary}**`,
    { is: 'left out' },
    warningsSection(drift),
    ...groups.map(groupSection).sort(bySeverity),
    pendingSection(pending),
    ...quietSections({ ...drift, unmanaged: unmanagedBeside(drift) }),
  ]
  return { output: withinBudget(blocks, budget) }
}

/** The ranks of parts, the most important first. Errors come before all of them, warnings after the drift. */
const ranks = {
  conflict: 2,
  deleted: 3,
  missing: 3,
  changed: 4,
  differs: 4,
  created: 5,
  remaining: 5,
  extra: 5,
  pending: 8,
}

function groupSection({ root, entries }: ObjectGroup<DriftEntry>): Section {
  const count = counted(entries.length, 'object')
  return {
    open: `<details open><summary><code>${escapedHtml(root)}</code>: ${count}</summary>\n\n`,
    between: '\n\n',
    close: '\n\n</details>',
    parts: entries.map(entryPart),
  }
}

function entryPart(entry: DriftEntry): Part {
  const { address, words, source, remarks, happened } = entry
  const head = `${code(address)} **${words}**${placeBehind(source)}`
  const part = { rank: ranks[happened], one: 'object that differs', many: 'objects that differ' }
  return withDiffBelow(part, withRemarks(head, remarks), () => driftFieldLines(entry))
}

const driftFieldLines = ({ fields }: DriftEntry): readonly string[] =>
  fields.map(driftedField).flatMap((field) => {
    if (field.is === 'line') return [`  ${field.name}: ${field.words}`]
    return field.diffs.flatMap(({ from, lines }) => [
      `  ${field.name}: ${from}`,
      ...lines.map(({ mark, text }) => `${mark}   ${text}`.trimEnd()),
    ])
  })

const pendingSection = (pending: readonly string[]): Section =>
  collapsedSection(
    'Not applied yet',
    pending.map((line) => ({
      rank: ranks.pending,
      text: `- ${escaped(line)}`,
      one: 'pending change',
      many: 'pending changes',
    })),
  )
