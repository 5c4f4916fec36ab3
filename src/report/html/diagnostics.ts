import type { DiagnosticsDocument } from '../../documents/diagnostics.js'
import { type ReportContext, reportedText } from '../formats/format.js'
import { problemCounts } from '../problems.js'
import { html } from './markup.js'
import { diagnosticsSections, page } from './page.js'

/** The problems as an HTML page, or the message that there are none. */
export function diagnosticsHtml(
  { diagnostics }: Pick<DiagnosticsDocument, 'diagnostics'>,
  context: ReportContext,
): string {
  const count = diagnostics.length
  return page({
    title: `gatewright ${reportedText(context)}: ${count === 0 ? 'nothing is wrong' : problemCounts(diagnostics)}`,
    facts: [],
    body: count === 0 ? [html`<p>No problems found.</p>`] : diagnosticsSections(diagnostics),
  })
}
