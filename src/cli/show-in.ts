import { jsonText } from '../json/json.js'
import type { Report } from '../report/problems.js'
import type { TextForm } from '../report/table.js'
import { textForm } from './colour.js'
import type { Io } from './io.js'
import type { GlobalOptions } from './options.js'

/** The functions that convert a document to the outputs for people. */
export interface Shapes<Document> {
  readonly text: (document: Document, form: TextForm & { readonly detail: 'all' | 'some' }) => Report
  readonly markdown: (document: Document) => Report
}

/** Writes a document to stdout in the requested output. */
export function showIn<Document extends object>(
  { text, markdown }: Shapes<Document>,
  document: Document,
  options: GlobalOptions,
  io: Io,
): void {
  switch (options.output) {
    case 'json':
      io.stdout.write(jsonText(document))
      return
    case 'markdown':
      io.stdout.write(markdown(document).output)
      return
    case 'text': {
      const form = { ...textForm(io.stdout, options, io), detail: options.verbose ? 'all' : 'some' } as const
      io.stdout.write(text(document, form).output)
    }
  }
}
