import { diagnosticOf } from '../documents/diagnostics.js'
import type { PlanResult } from '../engine/plan.js'
import type { Problem } from '../problems/problem.js'
import { planMarkdown } from '../report/plan-markdown.js'
import { planJson, planText } from '../report/plan-text.js'
import { problemsText } from '../report/problems.js'
import { coloursFor } from './colour.js'
import type { Io } from './io.js'
import type { GlobalOptions } from './options.js'

/** Writes a plan or a drift to stdout in the form asked for; in text its problems go to stderr. */
export function showPlan({ document, remarks, refused }: PlanResult, options: GlobalOptions, io: Io): void {
  const withRefusals = () => ({
    ...document,
    diagnostics: [...document.diagnostics, ...refused.map(asWarning).map(diagnosticOf)],
  })
  switch (options.output) {
    case 'json':
      io.stdout.write(planJson(withRefusals()).output)
      return
    case 'markdown':
      io.stdout.write(planMarkdown(withRefusals()).output)
      return
    case 'text': {
      io.stderr.write(problemsText(remarks, { colours: coloursFor(io.stderr, options, io) }).output)
      const colours = coloursFor(io.stdout, options, io)
      io.stdout.write(planText(document, { colours }).output)
      if (refused.length === 0) return
      io.stdout.write(`\nApply would refuse this plan:\n\n${problemsText(refused.map(asWarning), { colours }).output}`)
    }
  }
}

/** What apply would refuse is no error of the plan. */
const asWarning = (problem: Problem): Problem => ({ ...problem, severity: 'warning' })
