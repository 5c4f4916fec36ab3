import type { Run } from '../../applier/converge.js'
import { staleChanges } from '../../applier/stale.js'
import { refusals } from '../../planner/guard.js'
import type { Plan } from '../../planner/plan.js'
import {
  badUsage,
  confirmationNeeded,
  hasErrors,
  lockLost,
  type Problem,
  ProblemError,
  staleManifests,
} from '../../problem.js'
import { type PlanDocument, planDocument } from '../../report/plan-document.js'
import { type Area, closeArea, contextOf, openArea, type Planned, planArea, problemsOf, shortOfCalls } from '../area.js'
import { restsOnMovingPages } from '../estimate.js'
import { exit } from '../exit.js'
import { finishing } from '../finishing.js'
import type { Io } from '../io.js'
import { readAgain } from '../last-applied.js'
import type { ApplyOptions } from '../options.js'
import { confirm, performPlan, type Start } from '../perform-plan.js'
import { allowanceOf, liveCount, showPlan } from '../plan-view.js'
import { planWithRecords } from '../plan-with-records.js'
import { progressOf } from '../progress.js'
import { undoneIn } from '../resume.js'
import { keepReceipts, takeTurn } from '../run-journal.js'
import { showRun } from '../run-view.js'
import { otherTarget, readSavedPlan, withSettingsOf } from '../saved-plan.js'
import { showProblems } from '../show.js'

/** `apply`: performs a saved plan, or a fresh one after showing it and asking; reads the area and plans again. */
export async function applyCommand(options: ApplyOptions, io: Io): Promise<number> {
  if (options.resume && options.planFile !== undefined) {
    throw new ProblemError([badUsage('--resume takes no saved plan', 'leave out one of the two')])
  }
  const saved = options.planFile === undefined ? undefined : await readSavedPlan(options.planFile, io)
  const { io: reading, begin } = finishing(io)
  const asPlanned = saved ? withSettingsOf(saved, options) : options
  const opened = await openArea(asPlanned, reading)
  try {
    const turn = await takeTurn(opened, io)
    try {
      const area = { ...opened, last: await readAgain(opened.last, opened.wanted.project, asPlanned, io) }
      const outcome = await (saved ? fromFile(saved, area, asPlanned, reading) : fresh(area, asPlanned, reading))
      if (outcome.is === 'exit') return outcome.code
      const { plan } = outcome.planned
      if (plan.changes.length === 0) return await nothingToDo({ area, turn, ...outcome }, asPlanned, io)
      const keep = (run: Run, remaining: Plan) => keepReceipts(run, plan, remaining, turn.run, area)
      return await performPlan({ area, turn, ...outcome, purpose: { is: 'apply' }, keep, begin }, asPlanned, io)
    } finally {
      await turn.lock.release()
    }
  } finally {
    await closeArea(opened)
  }
}

/** A plan that may be performed now, or the end of the command. */
type Ready =
  | { readonly is: 'exit'; readonly code: number }
  | { readonly is: 'ready'; readonly planned: Planned; readonly sentBefore: number }

type Performable = Pick<Start, 'area' | 'turn' | 'planned'>

const exitWith = (code: number): Ready => ({ is: 'exit', code })

async function fresh(area: Area, options: ApplyOptions, io: Io): Promise<Ready> {
  const whole = await planWithRecords(area, options, io, 'plan', 'wait')
  const undone = options.resume ? await undoneIn(area, whole.plan) : undefined
  const planned = undone ? onlyPlanned(whole, undone) : whole
  const problems = [...problemsOf(area, planned), ...shortOfCalls(area, planned)]
  if (hasErrors(problems)) throw new ProblemError(problems)
  const document = planDocument({ ...planned.plan, problems }, contextOf(area, planned))
  if (options.output !== 'json') showPlan({ document, problems, area }, options, io)
  const refused = refusals(planned.plan, allowanceOf(area, options), liveCount(planned))
  if (refused.length > 0) return exitWith(refuse(refused, options, io))
  const answer = planned.plan.changes.length === 0 ? 'already' : await confirm('Apply these changes?', options, io)
  if (answer === 'cannot ask') return exitWith(refuse([confirmationNeeded()], options, io))
  if (answer === 'no') return exitWith(exit.done)
  // Right before the first write what the plan touches is read again; a plan that was just made of whole pages is fresh.
  if (answer === 'already' && !restsOnMovingPages(planned)) return { is: 'ready', planned, sentBefore: 0 }
  const sentBefore = area.client.stats().requests
  const current = await planArea(area, options, io, 'drift')
  const stale = staleChanges(planned.plan.changes, current.plan, 'same ground', area.last.fingerprint)
  if (stale.length === 0) return { is: 'ready', planned: onlyPlanned(current, planned.plan.changes), sentBefore }
  return exitWith(tellStale(stale, options, io))
}

/** A saved plan is performed as it was shown: what it relied on is read again and must be as it was. */
async function fromFile(saved: PlanDocument, area: Area, options: ApplyOptions, io: Io): Promise<Ready> {
  const other = otherTarget(saved, { ...area.access, project: area.wanted.project.name })
  if (other.length > 0) return exitWith(tellStale(other, options, io))
  const isSame = saved.manifests === area.wanted.manifests.digest
  if (!isSame && !options.replan) return exitWith(tellStale([staleManifests()], options, io))
  const current = await planWithRecords(area, options, io, 'drift', 'wait')
  const problems = problemsOf(area, current)
  if (hasErrors(problems)) throw new ProblemError(problems)
  const likeness = options.replan ? 'same effect' : 'same ground'
  const stale = staleChanges(saved.changes, current.plan, likeness, area.last.fingerprint)
  if (stale.length > 0) return exitWith(tellStale(stale, options, io))
  const planned = onlyPlanned(current, saved.changes)
  const refused = refusals(planned.plan, allowanceOf(area, options), liveCount(planned))
  if (refused.length > 0) return exitWith(refuse(refused, options, io))
  return { is: 'ready', planned, sentBefore: 0 }
}

/** The changes that were planned, as they stand now: what came up since is not part of what was approved. */
function onlyPlanned(current: Planned, changes: readonly { readonly address: string }[]): Planned {
  const approved = new Set(changes.map((change) => change.address))
  const kept = current.plan.changes
    .filter((change) => approved.has(change.address))
    .map((change) => ({ ...change, dependsOn: change.dependsOn.filter((address) => approved.has(address)) }))
  const others = current.plan.changes.filter((change) => !approved.has(change.address))
  // What is not performed keeps the base that it had.
  const leftAlone = [...current.plan.leftAlone, ...others.map(({ address }) => ({ address, paths: 'all' as const }))]
  return { ...current, plan: { ...current.plan, changes: kept, leftAlone } }
}

function tellStale(problems: readonly Problem[], options: ApplyOptions, io: Io): number {
  progressOf(options, io).clear()
  showProblems(problems, options, io)
  return exit.stale
}

function refuse(problems: readonly Problem[], options: ApplyOptions, io: Io): number {
  progressOf(options, io).clear()
  showProblems(problems, options, io)
  return exit.refused
}

/** Nothing is to be done, but live objects are taken over: from now on it is known that they were as declared. */
async function nothingToDo({ area, turn, planned }: Performable, options: ApplyOptions, io: Io): Promise<number> {
  const run: Run = { results: new Map(), remaining: planned.plan, quota: false, interrupted: false, unread: undefined }
  if (!(await turn.lock.isHeld())) throw new ProblemError([lockLost(area.access.area)])
  await keepReceipts(run, planned.plan, planned.plan, turn.run, area)
  if (options.output === 'json') showRun({ name: turn.run, plan: planned.plan, run, area, requests: 0 }, options, io)
  return exit.done
}
