import { type KeptRuns, pruneRuns, runsOf } from '../../engine/records.js'
import { ProblemError } from '../../problems/problem.js'
import { invalidOption } from '../../problems/project.js'
import { historyJson, historyText, prunedText } from '../../report/history.js'
import { coloursFor } from '../colour.js'
import { exit } from '../exit.js'
import type { Io } from '../io.js'
import type { GlobalOptions } from '../options.js'

interface HistoryOptions extends GlobalOptions {
  /** Which runs stay, as written. */
  readonly prune: string | undefined
}

/** `history`: the runs of the project in the area, newest first. Reads only the records; `--prune` removes older runs there. */
export async function historyCommand(options: HistoryOptions, io: Io): Promise<number> {
  if (options.prune !== undefined) return await prune(keptIn(options.prune), options, io)
  const history = await runsOf(options, io)
  const report =
    options.output === 'json'
      ? historyJson(history)
      : historyText(history, { colours: coloursFor(io.stdout, options, io), columns: io.stdout.columns })
  io.stdout.write(report.output)
  return exit.done
}

async function prune(kept: KeptRuns, options: GlobalOptions, io: Io): Promise<number> {
  const history = await pruneRuns(options, kept, io)
  io.stdout.write((options.output === 'json' ? historyJson(history) : prunedText(history)).output)
  return exit.done
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
