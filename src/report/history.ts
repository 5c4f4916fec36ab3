import type { HistoryRun } from '../documents/history.js'
import { jsonText } from '../json/json.js'

import type { Colours } from './colours.js'
import { printable } from './printable.js'
import type { Report } from './problems.js'
import { alignedLines } from './table.js'

export const historyJson = (runs: readonly HistoryRun[]): Report => ({
  output: jsonText({ format: 'gatewright.history/1', runs }),
})

/** A line for each run. */
export function historyText(runs: readonly HistoryRun[], { colours }: { readonly colours: Colours }): Report {
  if (runs.length === 0) return { output: 'No runs are recorded.\n' }
  const head = ['run', 'when', 'who', 'commit', 'outcome', 'changes']
  const rows = runs.map((each) => [
    each.run,
    each.started.replace(/\.\d+Z$/, 'Z'),
    printable(each.who),
    each.commit?.slice(0, 10) ?? '-',
    each.outcome,
    [...(each.of === null ? [] : [`undoes ${each.of}`]), countsText(each.summary)].join('; '),
  ])
  const [title = '', ...lines] = alignedLines([head, ...rows])
  return { output: `${[colours.bold(title), ...lines].join('\n')}\n` }
}

const words: Readonly<Record<string, string>> = { notKept: 'not kept', notStarted: 'not started' }

export const outcomeWords = (outcome: string): string => words[outcome] ?? outcome

/** `3 applied, 1 failed`; "nothing" where no change was planned. */
export function countsText(summary: Readonly<Record<string, number>>): string {
  const order = ['applied', 'failed', 'blocked', 'waiting', 'notKept', 'unknown', 'notStarted']
  const known = order.filter((outcome) => Object.hasOwn(summary, outcome))
  const rest = Object.keys(summary)
    .filter((outcome) => !order.includes(outcome))
    .sort()
  const counts = [...known, ...rest].map((outcome) => `${summary[outcome]} ${outcomeWords(outcome)}`)
  return counts.length === 0 ? 'nothing' : counts.join(', ')
}
