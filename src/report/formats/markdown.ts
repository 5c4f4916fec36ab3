import type { DiagnosticsDocument } from '../../documents/diagnostics.js'
import { clipped, commentBudget, type MarkdownLimit } from '../budget.js'
import { diffMarkdown } from '../diff.js'
import { driftMarkdown } from '../drift-markdown.js'
import { fleetMarkdown } from '../fleet-run.js'
import { historyMarkdown } from '../history.js'
import { planMarkdown } from '../plan-markdown.js'
import { policyTestsMarkdown } from '../policy-tests.js'
import { problemsMarkdown, type Report } from '../problems.js'
import { runMarkdown } from '../run.js'
import { type DocumentName, type ReportContext, reportedText, type Writers } from './format.js'

/**
 * The text of `-o markdown`, below a line by which a workflow finds its own comment. Reports of problems also name their subject.
 */
export const reports: Writers<DocumentName> = {
  validation: marked(problemsReport),
  plan: marked(planMarkdown),
  drift: marked(driftMarkdown),
  run: marked(runMarkdown),
  diff: marked(diffMarkdown),
  history: marked(historyMarkdown),
  fleet: marked(fleetMarkdown),
  policies: marked(policyTestsMarkdown),
  problems: marked(problemsReport),
}

type MarkdownOf<Document> = (document: Document, limit: MarkdownLimit, context: ReportContext) => Report

/** The title names the command and the environment: nothing else does, because comments hide their first line. */
function problemsReport(document: DiagnosticsDocument, limit: MarkdownLimit, context: ReportContext): Report {
  return problemsMarkdown(document, { ...limit, of: clipped(reportedText(context), 120, (text) => text) })
}

function marked<Document>(write: MarkdownOf<Document>): (document: Document, context: ReportContext) => string {
  return (document, context) => {
    const marker = markerOf(context)
    const budget = (context.budget ?? commentBudget) - marker.length - 1
    return `${marker}\n${write(document, { budget }, context).output}`
  }
}

/** `<!-- gatewright plan shop/prod -->`: the same line in every report of a command for one environment of one project. */
export function markerOf({ command, project, environment }: ReportContext): string {
  const names = [project, environment].flatMap((name) => (name === undefined ? [] : [inComment(name)]))
  return `<!-- ${['gatewright', command, names.join('/')].filter((word) => word !== '').join(' ')} -->`
}

/**
 * A name that cannot end the comment that contains it. All characters except letters, numbers, emoji and a few signs become `_`.
 */
const inComment = (name: string): string => [...name.replaceAll(notInComment, '_')].slice(0, 60).join('')

const notInComment = /[^\p{L}\p{N}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}._ -]|-(?=-)|-$/gu
