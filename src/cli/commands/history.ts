import { type KeptRuns, pruneRuns, runsOf } from '../../engine/records.js'
import { jsonText } from '../../json/json.js'
import { ProblemError } from '../../problems/problem.js'
import { invalidOption } from '../../problems/project.js'
import { historyMarkdown, historyText, prunedText } from '../../report/history.js'
import type { CommandEnd } from '../command-end.js'
import { exit } from '../exit.js'
import type { Io } from '../io.js'
import type { GlobalOptions } from '../options.js'
import { showIn } from '../show-in.js'

interface HistoryOptions extends GlobalOptions {
  /** Which runs to keep, as the user typed it. */
  readonly prune: string | undefined
}

/** `history`: the runs of the project in the area, newest first. Reads only the records. `--prune` removes old runs from them. */
export async function historyCommand(options: HistoryOptions, io: Io): Promise<CommandEnd> {
  if (options.prune !== undefined) return await prune(keptIn(options.prune), options, io)
  const history = await runsOf(options, io)
  showIn({ text: historyText, markdown: historyMarkdown }, history, options, io)
  return { exitCode: exit.done, reported: { is: 'history', document: history } }
}

async function prune(kept: KeptRuns, options: GlobalOptions, io: Io): Promise<CommandEnd> {
  const history = await pruneRuns(options, kept, io)
  io.stdout.write(options.output === 'json' ? jsonText(history) : prunedText(history).output)
  return { exitCode: exit.done, reported: { is: 'history', document: history } }
}

function keptIn(written: string): KeptRuns {
  const [, number, days] = /^(\d{1,9})(d?)$/.exec(written) ?? []
  if (number === undefined) {
    throw new ProblemError([
      invalidOption('--prune', written, 'how many runs stay, such as 100, or of how many days, such as 90d'),
    ])
  }
  return days === 'd' ? { days: Number(number) } : { runs: Number(number) }
}
