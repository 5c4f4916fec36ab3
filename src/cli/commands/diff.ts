import type { DiffDocument } from '../../documents/diff.js'
import { compareSides } from '../../engine/compare.js'
import type { DiffRequest } from '../../engine/requests.js'
import { diffJson, diffMarkdown, diffText } from '../../report/diff.js'
import type { Report } from '../../report/problems.js'
import { coloursFor } from '../colour.js'
import { exit } from '../exit.js'
import type { Io } from '../io.js'
import type { GlobalOptions } from '../options.js'

/** `diff A B`: snapshot files, folders of manifests and live areas compared by address and field. Sends only GET. */
export async function diffCommand(options: GlobalOptions & DiffRequest, io: Io): Promise<number> {
  const document = await compareSides(options, io)
  io.stdout.write(reportOf(document, options, io).output)
  return document.differences.length === 0 ? exit.done : exit.differences
}

function reportOf(document: DiffDocument, options: GlobalOptions, io: Io): Report {
  switch (options.output) {
    case 'json':
      return diffJson(document)
    case 'markdown':
      return diffMarkdown(document)
    case 'text':
      return diffText(document, { colours: coloursFor(io.stdout, options, io) })
  }
}
