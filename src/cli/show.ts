import { diagnosticsDocument } from '../documents/diagnostics.js'
import { maskedProblem } from '../engine/masking.js'
import type { Problem } from '../problems/problem.js'
import { problemsJson, problemsMarkdown, problemsText } from '../report/problems.js'
import { textForm } from './colour.js'
import type { Masked } from './io.js'
import type { GlobalOptions } from './options.js'

/**
 * Shows the problems that end a command: as text on stderr, as the JSON answer on stdout, or as Markdown on stdout and text on
 * stderr.
 */
export function showProblems(
  problems: readonly Problem[],
  options: Pick<GlobalOptions, 'output' | 'color'>,
  io: Masked,
): void {
  const reported = problems.map((each) => maskedProblem(each, io.mask))
  if (options.output === 'json') {
    io.stdout.write(problemsJson(reported).output)
    return
  }
  // A job summary shows the problems, and the log of the job shows them too.
  if (options.output === 'markdown') io.stdout.write(problemsMarkdown(diagnosticsDocument(reported)).output)
  io.stderr.write(problemsText(reported, textForm(io.stderr, options, io)).output)
}

/** Shows additional problems on stderr. A JSON answer already contains them. */
export function showRemarks(
  problems: readonly Problem[],
  options: Pick<GlobalOptions, 'output' | 'color'>,
  io: Masked,
): void {
  if (options.output !== 'json') io.stderr.write(problemsText(problems, textForm(io.stderr, options, io)).output)
}
