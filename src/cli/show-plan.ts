import type { PlanResult } from '../engine/plan.js'
import { driftMarkdown } from '../report/drift-markdown.js'
import { driftText } from '../report/drift-text.js'
import { planMarkdown } from '../report/plan-markdown.js'
import { planText } from '../report/plan-text.js'
import { problemsText } from '../report/problems.js'
import { textForm } from './colour.js'
import type { Io } from './io.js'
import type { GlobalOptions } from './options.js'
import { type Shapes, showIn } from './show-in.js'

/** Writes a plan to stdout in the requested output. For text, its problems go to stderr. */
export const showPlan = (plan: DisplayedPlan, options: GlobalOptions, io: Io): void =>
  show({ text: planText, markdown: planMarkdown }, plan, options, io)

/** The same for a drift. */
export const showDrift = (drift: DisplayedPlan, options: GlobalOptions, io: Io): void =>
  show({ text: driftText, markdown: driftMarkdown }, drift, options, io)

type DisplayedPlan = Pick<PlanResult, 'document' | 'remarks'>

function show(
  shapes: Shapes<PlanResult['document']>,
  { document, remarks }: DisplayedPlan,
  options: GlobalOptions,
  io: Io,
): void {
  if (options.output === 'text') {
    io.stderr.write(problemsText(remarks, textForm(io.stderr, options, io)).output)
  }
  showIn(shapes, document, options, io)
}

/** Shows the plan of a rollback without the plan's reasons for a refusal, which are about apply: the rollback gives its own. */
export const showPlanned = ({ document, remarks }: PlanResult, options: GlobalOptions, io: Io): void =>
  showPlan({ document: { ...document, refused: [] }, remarks }, options, io)
