import { runOf } from '../../engine/records.js'
import { recordJson, recordText } from '../../report/history-run.js'
import { coloursFor } from '../colour.js'
import { exit } from '../exit.js'
import type { Io } from '../io.js'
import type { GlobalOptions } from '../options.js'

/** `show RUN`: every change of one run with its outcome and the platform's answer. Reads only the records. */
export async function showCommand(options: GlobalOptions & { readonly run: string }, io: Io): Promise<number> {
  const document = await runOf(options, options.run, io)
  const report =
    options.output === 'json'
      ? recordJson(document)
      : recordText(document, { colours: coloursFor(io.stdout, options, io) })
  io.stdout.write(report.output)
  return exit.done
}
