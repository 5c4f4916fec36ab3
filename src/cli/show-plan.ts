import type { PlanResult } from '../engine/plan.js'
import { driftMarkdown } from '../report/drift-markdown.js'
import { driftText } from '../report/drift-text.js'
import { planMarkdown } from '../report/plan-markdown.js'
import { planJson, planText } from '../report/plan-text.js'
import { problemsText } from '../report/problems.js'
import { coloursFor } from './colour.js'
import type { Io } from './io.js'
import type { GlobalOptions } from './options.js'

/** Writes a plan to stdout in the form asked for; in text its problems go to stderr. */
export const showPlan = (plan: Shown, options: GlobalOptions, io: Io): void =>
  showIn({ text: planText, markdown: planMarkdown }, plan, options, io)

/** The same for a drift. */
export const showDrift = (drift: Shown, options: GlobalOptions, io: Io): void =>
  showIn({ text: driftText, markdown: driftMarkdown }, drift, options, io)

type Shown = Pick<PlanResult, 'document' | 'remarks'>

interface Reports {
  readonly text: typeof planText
  readonly markdown: typeof planMarkdown
}

function showIn({ text, markdown }: Reports, { document, remarks }: Shown, options: GlobalOptions, io: Io): void {
  switch (options.output) {
    case 'json':
      io.stdout.write(planJson(document).output)
      return
    case 'markdown':
      io.stdout.write(markdown(document).output)
      return
    case 'text':
      io.stderr.write(
        problemsText(remarks, { colours: coloursFor(io.stderr, options, io), columns: io.stderr.columns }).output,
      )
      io.stdout.write(
        text(document, {
          colours: coloursFor(io.stdout, options, io),
          columns: io.stdout.columns,
          detail: options.verbose ? 'all' : 'some',
        }).output,
      )
  }
}

/** The plan of a rollback, which says itself why it is refused: the plan's own words for that are about apply. */
export const showPlanned = ({ document, remarks }: PlanResult, options: GlobalOptions, io: Io): void =>
  showPlan({ document: { ...document, refused: [] }, remarks }, options, io)
