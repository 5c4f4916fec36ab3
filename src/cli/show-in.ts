import type { Colours } from '../report/colours.js'
import type { Report } from '../report/problems.js'
import { coloursFor } from './colour.js'
import type { Io } from './io.js'
import type { GlobalOptions } from './options.js'

interface TextForm {
  readonly colours: Colours
  readonly columns: number | undefined
  readonly detail: 'all' | 'some'
}

/** A document as each form of `-o` has it. */
export interface Shapes<Document> {
  readonly text: (document: Document, form: TextForm) => Report
  readonly json: (document: Document) => Report
  readonly markdown: (document: Document) => Report
}

/** Writes a document to stdout in the form asked for. */
export function showIn<Document>(
  { text, json, markdown }: Shapes<Document>,
  document: Document,
  options: GlobalOptions,
  io: Io,
): void {
  switch (options.output) {
    case 'json':
      io.stdout.write(json(document).output)
      return
    case 'markdown':
      io.stdout.write(markdown(document).output)
      return
    case 'text':
      io.stdout.write(
        text(document, {
          colours: coloursFor(io.stdout, options, io),
          columns: io.stdout.columns,
          detail: options.verbose ? 'all' : 'some',
        }).output,
      )
  }
}
