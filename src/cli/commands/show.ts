import type { RecordDocument } from '../../documents/record.js'
import { runOf } from '../../engine/records.js'
import { recordJson, recordMarkdown, recordText } from '../../report/history-run.js'
import type { Report } from '../../report/problems.js'
import { coloursFor } from '../colour.js'
import { exit } from '../exit.js'
import type { Io } from '../io.js'
import type { GlobalOptions } from '../options.js'

/** `show RUN`: every change of one run with its outcome and the platform's answer. Reads only the records. */
export async function showCommand(options: GlobalOptions & { readonly run: string }, io: Io): Promise<number> {
  const document = await runOf(options, options.run, io)
  io.stdout.write(reportOf(document, options, io).output)
  return exit.done
}

function reportOf(document: RecordDocument, options: GlobalOptions, io: Io): Report {
  switch (options.output) {
    case 'json':
      return recordJson(document)
    case 'markdown':
      return recordMarkdown(document)
    case 'text':
      return recordText(document, { colours: coloursFor(io.stdout, options, io) })
  }
}
