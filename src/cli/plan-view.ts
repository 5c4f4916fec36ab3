import type { LiveObject } from '../catalog/live.js'
import type { Allowance } from '../planner/guard.js'
import type { Problem } from '../problem.js'
import type { PlanDocument } from '../report/plan-document.js'
import { planJson } from '../report/plan-json.js'
import { planMarkdown } from '../report/plan-markdown.js'
import { planText } from '../report/plan-text.js'
import { diagnosticOf, problemsText } from '../report/problems.js'
import type { Area, Planned } from './area.js'
import { coloursFor } from './colour.js'
import type { Io } from './io.js'
import type { RunOptions } from './options.js'
import { progressOf } from './progress.js'

/** A plan or a drift to show. */
export interface PlanView {
  readonly document: PlanDocument
  readonly problems: readonly Problem[]
  /** What apply would refuse. */
  readonly refused?: readonly Problem[]
  readonly area: Area
}

/** Writes a plan or a drift to stdout in the form asked for; in text its problems go to stderr. */
export function showPlan({ document, problems, refused = [], area }: PlanView, options: RunOptions, io: Io): void {
  progressOf(options, io).clear()
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
      // Notes on the manifests are for those who write them: validate tells them.
      const ofManifests = new Set(area.wanted.problems)
      const remarks = problems.filter((problem) => problem.severity !== 'note' || !ofManifests.has(problem))
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

export function allowanceOf(area: Area, options: RunOptions): Allowance {
  return {
    replace: options.allowReplace,
    skipBlocked: options.skipBlocked,
    take: options.take,
    hazards: options.allow,
    limits: area.wanted.project.limits,
  }
}

/** How many live objects the plan looked at. */
export function liveCount({ snapshot }: Planned): number {
  const count = (objects: readonly LiveObject[]): number =>
    objects.reduce((sum, object) => sum + 1 + count(object.children), 0)
  return count(snapshot.objects)
}
