import { hasErrors, ProblemError } from '../../problem.js'
import { driftDocument } from '../../report/plan-document.js'
import { contextOf, openArea, planArea, problemsOf } from '../area.js'
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
    // An extra member of a written list is no difference for a plan, and drift here (design §2).
    const extra = planned.plan.unmanaged.some((each) => each.inList)
    return planned.plan.changes.length > 0 || extra ? exit.differences : exit.done
  } finally {
    await area.client.close()
  }
}
