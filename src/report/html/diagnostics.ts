import type { DiagnosticsDocument } from '../../documents/diagnostics.js'
import { countsText } from '../problems.js'
import { html } from './markup.js'
import { diagnosticsSections, page } from './page.js'

/** What is wrong, or that nothing is, as a page of its own. */
export function diagnosticsHtml({ diagnostics }: Pick<DiagnosticsDocument, 'diagnostics'>): string {
  const count = diagnostics.length
  return page({
    title: count === 0 ? 'Nothing is wrong' : countsText(diagnostics),
    facts: [],
    body: count === 0 ? [html`<p>No problems found.</p>`] : diagnosticsSections(diagnostics),
  })
}
