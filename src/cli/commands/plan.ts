import { refusals } from '../../planner/guard.js'
import { hasErrors, ProblemError } from '../../problem.js'
import { planDocument } from '../../report/plan-document.js'
import { closeArea, contextOf, openArea, problemsOf, shortOfCalls } from '../area.js'
import { exit } from '../exit.js'
import type { Io } from '../io.js'
import type { RunOptions } from '../options.js'
import { allowanceOf, liveCount, showPlan } from '../plan-view.js'
import { planWithRecords } from '../plan-with-records.js'
import { savePlan } from '../saved-plan.js'

/** `plan`: shows what would change, and what apply would refuse. Sends only GET. */
export async function planCommand(options: RunOptions, io: Io): Promise<number> {
  const area = await openArea(options, io)
  try {
    const planned = await planWithRecords(area, options, io, 'plan', 'tell')
    const problems = [...problemsOf(area, planned), ...shortOfCalls(area, planned)]
    if (hasErrors(problems)) throw new ProblemError(problems)
    const refused = refusals(planned.plan, allowanceOf(area, options), liveCount(planned))
    const told = planDocument({ ...planned.plan, problems }, contextOf(area, planned))
    // Loaded only where it is asked for: it brings the embedded platform along.
    const proof = options.prove ? await (await import('../prove.js')).prove(area, planned, options, io) : undefined
    const document = proof ? { ...told, proof } : told
    if (options.out !== undefined) savePlan(document, options.out, options, io)
    showPlan({ document, problems, refused, area }, options, io)
    if (proof && !proof.holds) return exit.failed
    return options.exitCode && planned.plan.changes.length > 0 ? exit.differences : exit.done
  } finally {
    await closeArea(area)
  }
}
