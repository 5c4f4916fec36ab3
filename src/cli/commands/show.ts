import { ProblemError, runUnknown } from '../../problem.js'
import { type RecordDocument, recordDocument, recordJson, recordText } from '../../report/history-run.js'
import { coloursFor } from '../colour.js'
import { exit } from '../exit.js'
import type { Io } from '../io.js'
import type { ShowOptions } from '../options.js'
import { withRecords } from '../records.js'
import { masking, secretsOf } from '../settings.js'

/** `show RUN`: every change of one run with its outcome and the platform's answer. Reads only the records. */
export async function showCommand(options: ShowOptions, io: Io): Promise<number> {
  const document = await withRecords(options, io, async ({ records, key }) => {
    const running = (await records.holder(key))?.run
    const record = await records.run(key, options.run)
    if (record) return masked(recordDocument(record, running), io)
    const known = (await records.runs(key)).slice(0, 5).map(({ head }) => head.run)
    throw new ProblemError([runUnknown(options.run, known)])
  })
  const report =
    options.output === 'json'
      ? recordJson(document)
      : recordText(document, { colours: coloursFor(io.stdout, options, io) })
  io.stdout.write(report.output)
  return exit.done
}

/** Nothing secret was written down; what the platform answered is masked once more with what is known now. */
function masked(document: RecordDocument, io: Io): RecordDocument {
  const mask = masking(secretsOf({ secrets: [] }, io))
  const changes = document.changes.map((change) => ({
    ...change,
    error: change.error === null ? null : mask(change.error),
  }))
  return { ...document, changes }
}
