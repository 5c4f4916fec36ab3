import type { Plan } from '../../planner/plan.js'
import { hasErrors, ProblemError } from '../../problem.js'
import { driftDocument } from '../../report/plan-document.js'
import { closeArea, contextOf, openArea, planArea, problemsOf } from '../area.js'
import { exit } from '../exit.js'
import type { Io } from '../io.js'
import type { RunOptions } from '../options.js'
import { showPlan } from '../plan-view.js'

/** `drift`: the live area against what is wanted; without a base every difference counts. Sends only GET. */
export async function driftCommand(options: RunOptions, io: Io): Promise<number> {
  const area = await openArea(options, io)
  try {
    const planned = await planArea(area, options, io, 'drift')
    const problems = problemsOf(area, planned)
    if (hasErrors(problems)) throw new ProblemError(problems)
    const document = driftDocument({ ...planned.plan, problems }, contextOf(area, planned))
    showPlan(document, problems, [], options, io)
    return hasDrifted(planned.plan, area.last.base !== undefined) ? exit.differences : exit.done
  } finally {
    await closeArea(area)
  }
}

/** Somebody changed the live side; what is only not applied yet is none. Without a base every difference counts. */
function hasDrifted({ changes, unmanaged }: Plan, knowsBase: boolean): boolean {
  // An extra member of a written list is no difference for a plan, and drift here (design §2).
  if (unmanaged.some((each) => each.inList)) return true
  if (!knowsBase) return changes.length > 0
  return changes.some((change) => change.verdict === 'drift' || change.verdict === 'conflict')
}
