import { runsOf } from '../../engine/records.js'
import { historyJson, historyText } from '../../report/history.js'
import { coloursFor } from '../colour.js'
import { exit } from '../exit.js'
import type { Io } from '../io.js'
import type { GlobalOptions } from '../options.js'

/** `history`: the runs of the project in the area, newest first. Reads only the records. */
export async function historyCommand(options: GlobalOptions, io: Io): Promise<number> {
  const history = await runsOf(options, io)
  const report =
    options.output === 'json'
      ? historyJson(history)
      : historyText(history, { colours: coloursFor(io.stdout, options, io) })
  io.stdout.write(report.output)
  return exit.done
}
