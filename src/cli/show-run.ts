import type { ClientStats } from '../client/types.js'
import { diagnosticOf } from '../documents/diagnostics.js'
import type { ApplyResult } from '../engine/apply.js'
import type { RunResult } from '../engine/execute-plan.js'
import { jsonText } from '../json/json.js'
import type { Problem } from '../problems/problem.js'
import { counted } from '../problems/suggest.js'
import { problemsText } from '../report/problems.js'
import { recordedLines, runMarkdown, runText } from '../report/run.js'
import { textForm } from './colour.js'
import type { CommandEnd } from './command-end.js'
import { exit } from './exit.js'
import type { Io } from './io.js'
import type { GlobalOptions } from './options.js'
import { reportedProblems } from './reports.js'
import { showProblems } from './show.js'

/**
 * Shows the result of an apply or a rollback, and returns the command's end. `reported` are the refusals that its plan has
 * already shown.
 */
export function showEnd(
  result: ApplyResult,
  options: RunOptions,
  io: Io,
  reported: readonly Problem[] = [],
): Exclude<CommandEnd, number> {
  switch (result.is) {
    case 'refused':
      showRefused(result.problems, reported, options, io)
      return { exitCode: exit.refused, reported: reportedProblems(result.problems, io) }
    case 'stale':
      showProblems(result.problems, options, io)
      return { exitCode: exit.stale, reported: reportedProblems(result.problems, io) }
    case 'declined':
      if (options.output === 'json') showRun(result.run, options, io)
      else io.stderr.write('Nothing was done.\n')
      return endOf(exit.done, result.run)
    case 'unchanged':
      // If a plan was shown, it has already said that there are no changes.
      if (options.output === 'json' || options.planFile !== undefined) showRun(result.run, options, io)
      else
        io.stdout.write(
          recordedLines(result.run.document)
            .map((line) => `${line}\n`)
            .join(''),
        )
      return endOf(exit.done, result.run)
    case 'performed':
      // With JSON, stdout contains only the document of the run.
      if (result.run.failures.length > 0) showProblems(result.run.failures, { ...options, output: 'text' }, io)
      showRun(result.run, options, io)
      return endOf(exit[result.run.is], result.run)
  }
}

const endOf = (exitCode: number, { document, traffic }: RunResult): Exclude<CommandEnd, number> => ({
  exitCode,
  reported: { is: 'run', document },
  traffic,
})

function showRefused(problems: readonly Problem[], reported: readonly Problem[], options: RunOptions, io: Io): void {
  const unreported = problems.filter((problem) => !reported.includes(problem))
  if (unreported.length > 0) showProblems(unreported, options, io)
  // A job summary has the refusals in its plan; the log of the job gets them too.
  else if (options.output === 'markdown') showProblems(reported, { ...options, output: 'text' }, io)
  else io.stderr.write('Nothing was done.\n')
}

/** A saved plan was not shown before. */
type RunOptions = GlobalOptions & { readonly planFile?: string | undefined }

/** Whether a problem is a cause. For changes that only wait for a failed one, the run's own text is enough. */
const isCause = ({ code }: Problem): boolean => code !== 'change-blocked'

/** Writes a run to stdout. For text, the changes that were not done go to stderr with the manifest lines that caused it. */
function showRun({ document, remarks, problems, failures, traffic }: RunResult, options: RunOptions, io: Io): void {
  if (!options.quiet) io.stderr.write(`${trafficText(traffic)}\n`)
  if (options.output === 'json') {
    io.stdout.write(jsonText(document))
    return
  }
  const isSaved = options.planFile !== undefined
  const reported = isSaved ? [...remarks, ...problems] : problems
  io.stderr.write(problemsText(reported.filter(isCause), textForm(io.stderr, options, io)).output)
  const displayed = { ...document, diagnostics: [...failures, ...reported].map(diagnosticOf) }
  const text = () => runText(document, { ...textForm(io.stdout, options, io), verbose: options.verbose })
  io.stdout.write((isSaved ? '' : '\n') + (options.output === 'markdown' ? runMarkdown(displayed) : text()).output)
}

/** The requests of the whole command: users share their calls with others. */
function trafficText({ requests, tokenRequests, throttled, waitedMs, perSecond, quota }: ClientStats): string {
  const sent = `${counted(requests, 'request')} and ${tokenRequests} for the token`
  const waits =
    throttled === 0 && waitedMs < 50 ? '' : `; throttled ${throttled} times, waited ${(waitedMs / 1000).toFixed(1)} s`
  const rate = perSecond === undefined ? '' : `, ${perSecond.toFixed(1)} a second`
  const used = quota ? `; ${quota.used} of ${quota.allotted} calls of the day are used` : ''
  return `sent ${sent}${rate}${waits}${used}`
}
