import type { ChangeResult } from '../applier/run.js'
import { type RunChange, type RunDocument, type RunSummary, reportedAbove } from '../documents/run.js'
import { countsOf } from '../json/groups.js'
import { printable } from '../json/printable.js'
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
import type { Colours } from './colours.js'
import { outcomeWords } from './history.js'
import { code } from './markdown.js'
import { collapsedSection, warningsSection } from './plan-markdown.js'
import type { Report } from './problems.js'
import { type TextForm, wrappedText } from './table.js'
import { targetText } from './target.js'

interface RunForm extends TextForm {
  /** If true, also shows all changes that only wait for other changes. */
  readonly verbose: boolean
}

/**
 * The target, the changes that were not done, each with its reason, and the counts. Applied changes are only counted, because the
 * plan has shown them.
 */
export function runText(run: RunDocument, { verbose, ...form }: RunForm): Report {
  const undone = run.changes.filter((change) => change.outcome !== 'applied')
  const blocks = verbose ? undone.flatMap((change) => undoneLines(change, 0, form)) : undoneLinesOf(undone, form)
  const word = run.of === null ? 'Apply' : 'Rollback'
  const counts = `${form.colours.bold(`${word}:`)} ${runCounts(run.summary)}; ${counted(run.requests, 'request')}.`
  return { output: `${[printable(headOf(run)), ...blocks, counts, ...recordedLines(run)].join('\n')}\n` }
}

/** Shows only the first changes that were never tried: one cause may block thousands of changes. */
function undoneLinesOf(undone: readonly RunChange[], form: TextForm): readonly string[] {
  const counts = { blocked: 0, notStarted: 0 }
  const above = reportedAbove(undone)
  const inside = countsOf(above.values())
  const displayed = undone.filter(({ outcome, address }) => {
    if (above.has(address)) return false
    if (outcome !== 'blocked' && outcome !== 'notStarted') return true
    counts[outcome] += 1
    return counts[outcome] <= mostUntried
  })
  const more = (['blocked', 'notStarted'] as const).flatMap((outcome) => {
    const left = counts[outcome] - mostUntried
    return left > 0 ? [`  and ${left} more ${outcomeWords(outcome)}, which --verbose shows`] : []
  })
  return [...displayed.flatMap((change) => undoneLines(change, inside.get(change.address) ?? 0, form)), ...more]
}

const mostUntried = 20

/** The text for an apply that changes nothing, but records objects that were not recorded yet; no lines for any other run. */
export const recordedLines = ({ recorded = 0 }: RunDocument): readonly string[] =>
  recorded === 0
    ? []
    : [
        '',
        `Recorded ${counted(recorded, 'object')} as ${recorded === 1 ? 'it is' : 'they are'}: the base of the next plan.`,
      ]

/** The run for a job summary: changes that were not done are visible with their reason, applied changes are collapsed. */
export function runMarkdown(run: RunDocument, { budget = commentBudget }: MarkdownLimit = {}): Report {
  const list = (outcome: ChangeResult['outcome'], rank: number): Section => {
    const found = run.changes.filter((change) => change.outcome === outcome)
    const parts = found.map(({ action, address }): Part => {
      const many = `more changes that are ${outcomeWords(outcome)}`
      return { rank, text: `- ${action} ${code(address)}`, one: many, many }
    })
    return collapsedSection(`${found.length} ${outcomeWords(outcome)}`, parts)
  }
  const blocks: readonly Block[] = [
    `### ${clipped(headOf(run), 400, code)}`,
    `**${runCounts(run.summary)}; ${counted(run.requests, 'request')}**${run.run === null ? '' : ` (run ${clipped(run.run, 200, code)})`}`,
    ...recordedLines(run).filter((line) => line !== ''),
    { is: 'left out' },
    warningsSection(run),
    list('notStarted', 4),
    list('applied', 5),
  ]
  return { output: withinBudget(blocks, budget) }
}

const headOf = ({ of, target }: RunDocument): string =>
  `${of === null ? 'Apply to' : `Rollback of ${of} in`} ${targetText(target)}`

function undoneLines(
  { address, action, outcome, error }: RunChange,
  inside: number,
  { colours, columns }: TextForm,
): readonly string[] {
  const others = inside === 0 ? '' : `, and ${counted(inside, 'object')} in it`
  const words = outcomeWords(outcome)
  const what = printable(`${words}: ${actionText(action)}${address}${others}`)
  const [first = '', ...rest] = wrappedText(what, { columns, margin: 2 })
  return [
    first.replace(words, outcomePaint(outcome, colours)),
    ...rest,
    ...(error === null ? [] : wrappedText(printable(error), { columns, margin: 4 })),
  ]
}

export function outcomePaint(outcome: string, colours: Colours): (text: string) => string {
  if (outcome === 'applied') return colours.green
  return outcome === 'failed' || outcome === 'notKept' ? colours.red : colours.yellow
}

/** The word before the address of a change. For a blocked change it is empty: its outcome says that it was blocked. */
export const actionText = (action: string | null): string => (action === 'blocked' ? '' : `${action ?? 'change'} `)

/** The outcomes of a change, in the order of the counts. */
export const runOutcomes = ['applied', 'failed', 'blocked', 'waiting', 'notKept', 'notStarted'] as const

function runCounts(summary: RunSummary): string {
  const counts = runOutcomes.filter((outcome) => outcome === 'applied' || summary[outcome] > 0)
  const accepted = summary.accepted > 0 ? [`${summary.accepted} accepted, kept`] : []
  return [...counts.map((outcome) => `${summary[outcome]} ${outcomeWords(outcome)}`), ...accepted].join(', ')
}
