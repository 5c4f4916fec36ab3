import type { HistoryDocument, HistoryRun, PrunedHistory } from '../documents/history.js'
import { printable } from '../json/printable.js'
import { counted } from '../problems/suggest.js'
import { type Block, clipped, commentBudget, type MarkdownLimit, type Part, withinBudget } from './budget.js'
import { code } from './markdown.js'
import type { Report } from './problems.js'
import { type TextForm, titledLines } from './table.js'
import { targetText } from './target.js'

/** How many runs were removed, and how many remain. */
export function prunedText({ removed, runs, target }: PrunedHistory): Report {
  const gone = removed.length === 0 ? 'No run was removed' : `Removed ${counted(removed.length, 'run')}`
  return { output: `${gone}; ${counted(runs.length, 'run stays', 'runs stay')} in ${printable(targetText(target))}.\n` }
}

/** An apply that changes nothing records the objects as they are, and usually no run. */
export const noRuns = 'No runs that changed something are recorded'

/** The target, then one line for each run. */
export function historyText({ runs, target }: HistoryDocument, form: TextForm): Report {
  const where = printable(targetText(target))
  if (runs.length === 0) return { output: `${noRuns} for ${where}.\n` }
  const head = ['run', 'when', 'who', 'commit', 'outcome', 'changes']
  const rows = runs.map((each) => [
    each.run,
    each.started.replace(/\.\d+Z$/, 'Z'),
    printable(each.who),
    commitText(each, 10),
    each.outcome,
    [...(each.of === null ? [] : [`undoes ${each.of}`]), outcomeCounts(each.summary)].join('; '),
  ])
  return { output: `${[`Runs in ${where}`, '', ...titledLines(head, rows, form)].join('\n')}\n` }
}

/** The runs for a job summary or a comment. */
export function historyMarkdown(
  { runs, target }: HistoryDocument,
  { budget = commentBudget }: MarkdownLimit = {},
): Report {
  const parts = runs.map((each, index): Part => {
    const made = each.commit === null ? '' : `, commit ${code(commitText(each, 10))}`
    const undone = each.of === null ? '' : ` (undoes ${code(each.of)})`
    const end = `${code(each.who)}, ${each.started}${made}`
    const text = `- ${code(each.run)} **${each.outcome}**${undone}: ${outcomeCounts(each.summary)}; ${end}`
    return { rank: index, text, one: 'run', many: 'runs' }
  })
  const blocks: readonly Block[] = [
    `### Runs in ${clipped(targetText(target), 400, code)}`,
    ...(runs.length === 0 ? [`${noRuns}.`] : []),
    { is: 'left out' },
    { open: '', between: '\n', close: '', parts },
  ]
  return { output: withinBudget(blocks, budget) }
}

/** The beginning of a commit id; with `-dirty` if the working tree had other changes. */
export const commitText = ({ commit, dirty }: Pick<HistoryRun, 'commit' | 'dirty'>, length: number): string =>
  commit === null ? '-' : `${commit.slice(0, length)}${dirty ? '-dirty' : ''}`

const words: Readonly<Record<string, string>> = { notKept: 'not kept', notStarted: 'not started' }

export const outcomeWords = (outcome: string): string => words[outcome] ?? outcome

/** Such as `3 applied, 1 failed`; "nothing" if no change was planned. */
export function outcomeCounts(summary: Readonly<Record<string, number>>): string {
  const order = ['applied', 'failed', 'blocked', 'waiting', 'notKept', 'unknown', 'notStarted']
  const known = order.filter((outcome) => Object.hasOwn(summary, outcome))
  const rest = Object.keys(summary)
    .filter((outcome) => !order.includes(outcome))
    .sort()
  const counts = [...known, ...rest].map((outcome) => `${summary[outcome]} ${outcomeWords(outcome)}`)
  return counts.length === 0 ? 'nothing' : counts.join(', ')
}
