import { diagnosticsDocument } from '../documents/diagnostics.js'
import { maskedProblem } from '../engine/masking.js'
import type { Problem } from '../problems/problem.js'
import { problemsJson, problemsMarkdown, problemsText } from '../report/problems.js'
import { textForm } from './colour.js'
import type { Masked } from './io.js'
import type { GlobalOptions } from './options.js'

/** Shows problems that end a command: as text on stderr, as the command's JSON answer on stdout, or both for Markdown. */
export function showProblems(
  problems: readonly Problem[],
  options: Pick<GlobalOptions, 'output' | 'color'>,
  io: Masked,
): void {
  const told = problems.map((each) => maskedProblem(each, io.mask))
  if (options.output === 'json') {
    io.stdout.write(problemsJson(told).output)
    return
  }
  // A job summary says what went wrong, and the log of the job as well.
  if (options.output === 'markdown') io.stdout.write(problemsMarkdown(diagnosticsDocument(told)).output)
  io.stderr.write(problemsText(told, textForm(io.stderr, options, io)).output)
}

/** Shows on stderr what a command has to say beside its answer; a JSON answer holds it already. */
export function showRemarks(
  problems: readonly Problem[],
  options: Pick<GlobalOptions, 'output' | 'color'>,
  io: Masked,
): void {
  if (options.output !== 'json') io.stderr.write(problemsText(problems, textForm(io.stderr, options, io)).output)
}
