import { runOf } from '../../engine/records.js'
import { recordMarkdown, recordText } from '../../report/history-run.js'
import { exit } from '../exit.js'
import type { Io } from '../io.js'
import type { GlobalOptions } from '../options.js'
import { showIn } from '../show-in.js'

/** `show RUN`: every change of one run with its outcome and the platform's answer. Reads only the records. */
export async function showCommand(options: GlobalOptions & { readonly run: string }, io: Io): Promise<number> {
  const document = await runOf(options, options.run, io)
  showIn({ text: recordText, markdown: recordMarkdown }, document, options, io)
  return exit.done
}
