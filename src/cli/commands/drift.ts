import { hasErrors, ProblemError } from '../../problem.js'
import { driftDocument, withAccepted } from '../../report/plan-document.js'
import { closeArea, contextOf, openArea, problemsOf } from '../area.js'
import { codifyDrift, isWritten } from '../codify/codify-drift.js'
import { exit } from '../exit.js'
import { filesText } from '../export-view.js'
import type { Io } from '../io.js'
import { judgeDrift } from '../judge-drift.js'
import type { DriftOptions } from '../options.js'
import { showPlan } from '../plan-view.js'
import { planWithRecords } from '../plan-with-records.js'

/**
 * `drift`: the live area against what is wanted; without a base every difference counts. With --write the manifests
 * follow what has drifted, and exit code 2 is for what they could not. Sends only GET.
 */
export async function driftCommand(options: DriftOptions, io: Io): Promise<number> {
  const area = await openArea(options, io)
  try {
    const planned = await planWithRecords(area, options, io, 'drift', 'tell')
    const problems = problemsOf(area, planned)
    if (hasErrors(problems)) throw new ProblemError(problems)
    const written = options.write ? await codifyDrift(area, planned.plan, options, io) : undefined
    const told = [...problems, ...(written?.problems ?? [])]
    const { alarms, accepted } = judgeDrift(area, planned.plan, options, io)
    const document = withAccepted(
      driftDocument({ ...planned.plan, problems: told }, contextOf(area, planned)),
      accepted,
    )
    const doubts = written?.problems.filter(({ severity }) => severity !== 'note') ?? []
    showPlan({ document, problems: [...problems, ...doubts], area }, options, io)
    if (written && options.output === 'text') io.stdout.write(`\n${filesText(written.files, written.problems)}`)
    if (written && isWritten(written, planned.plan)) return exit.done
    return alarms.length > 0 ? exit.differences : exit.done
  } finally {
    await closeArea(area)
  }
}
