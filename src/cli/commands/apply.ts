import { createInterface } from 'node:readline/promises'
import { converge, type Run } from '../../applier/converge.js'
import { staleChanges } from '../../applier/stale.js'
import { refusals } from '../../planner/guard.js'
import { confirmationNeeded, hasErrors, type Problem, ProblemError, staleManifests } from '../../problem.js'
import { type PlanDocument, planDocument } from '../../report/plan-document.js'
import { type Area, closeArea, contextOf, openArea, type Planned, planArea, problemsOf } from '../area.js'
import { restsOnMovingPages } from '../estimate.js'
import { exit } from '../exit.js'
import type { Io } from '../io.js'
import type { ApplyOptions } from '../options.js'
import { allowanceOf, liveCount, showPlan } from '../plan-view.js'
import { progressOf } from '../progress.js'
import { beginRun, endRun, keepReceipts, type Turn, takeTurn } from '../run-journal.js'
import { showRun } from '../run-view.js'
import { otherTarget, readSavedPlan } from '../saved-plan.js'
import { showProblems } from '../show.js'

/** `apply`: performs a saved plan, or a fresh one after showing it and asking; reads the area and plans again. */
export async function applyCommand(options: ApplyOptions, io: Io): Promise<number> {
  const saved = options.planFile === undefined ? undefined : readSavedPlan(options.planFile, io)
  const area = await openArea(options, io)
  try {
    const turn = await takeTurn(area, io)
    try {
      const outcome = await (saved ? fromFile(saved, area, options, io) : fresh(area, options, io))
      if (outcome.is === 'exit') return outcome.code
      return await perform({ area, turn, ...outcome }, options, io)
    } finally {
      await turn.lock.release()
    }
  } finally {
    await closeArea(area)
  }
}

/** A plan that may be performed now, or the end of the command. */
type Ready =
  | { readonly is: 'exit'; readonly code: number }
  | { readonly is: 'ready'; readonly planned: Planned; readonly sentBefore: number }

const exitWith = (code: number): Ready => ({ is: 'exit', code })

async function fresh(area: Area, options: ApplyOptions, io: Io): Promise<Ready> {
  const planned = await planArea(area, options, io, 'plan')
  const problems = problemsOf(area, planned)
  if (hasErrors(problems)) throw new ProblemError(problems)
  const document = planDocument({ ...planned.plan, problems }, contextOf(area, planned))
  if (options.output !== 'json') showPlan(document, problems, [], options, io)
  const refused = refusals(planned.plan, allowanceOf(area, options), liveCount(planned))
  if (refused.length > 0) return exitWith(refuse(refused, options, io))
  const answer = planned.plan.changes.length === 0 ? 'already' : await confirm(options, io)
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
  const current = await planArea(area, options, io, 'drift')
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
  return { ...current, plan: { ...current.plan, changes: kept } }
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

interface Start {
  readonly area: Area
  readonly turn: Turn
  readonly planned: Planned
  readonly sentBefore: number
}

async function perform({ area, turn, planned, sentBefore }: Start, options: ApplyOptions, io: Io): Promise<number> {
  const { plan } = planned
  if (plan.changes.length === 0) return nothingToDo({ area, turn, planned, sentBefore }, options, io)
  const progress = progressOf(options, io)
  const { platform } = area.wanted.project
  const { journal, writing } = await beginRun(turn, plan, { is: 'apply' }, area, io)
  const signal = AbortSignal.any([io.signal, turn.lock.lost])
  const run = await converge(
    {
      plan,
      client: area.client,
      settings: {
        nesting: 'whole trees',
        prune: area.settings.prune,
        concurrency: platform.concurrency,
        conventionalOperations: platform.conventionalOperations,
        waitDomainsMs: options.waitDomainsMs ?? 0,
      },
      snapshot: planned.snapshot,
      sleep: (milliseconds) => io.sleep(milliseconds, signal),
      now: io.now,
      signal,
      onEvent: progress.applying,
      journal: writing,
    },
    () => planArea(area, options, io, 'plan'),
  )
  await endRun(run, plan, turn, journal, area, io)
  progress.clear()
  const requests = area.client.stats().requests - sentBefore
  showRun({ name: turn.run, plan, run, area, requests }, options, io)
  return exitOf(run)
}

/** Nothing is to be done, but live objects are taken over: from now on it is known that they were as declared. */
async function nothingToDo({ area, turn, planned }: Start, options: ApplyOptions, io: Io): Promise<number> {
  const run: Run = { results: new Map(), remaining: planned.plan, quota: false, interrupted: false }
  await keepReceipts(run, planned.plan, planned.plan, turn.run, area)
  if (options.output === 'json') showRun({ name: turn.run, plan: planned.plan, run, area, requests: 0 }, options, io)
  return exit.done
}

function exitOf(run: Run): number {
  if (run.interrupted) return exit.interrupted
  return [...run.results.values()].some((result) => result.outcome !== 'applied') ? exit.incomplete : exit.done
}

type Answer = 'already' | 'yes' | 'no' | 'cannot ask'

/** Asks on a terminal; a "yes" in advance needs none. */
async function confirm(options: ApplyOptions, io: Io): Promise<Answer> {
  if (options.yes) return 'already'
  if (!io.stdin.isTTY || !io.stderr.isTTY) return 'cannot ask'
  const asking = createInterface({ input: io.stdin, terminal: false })
  try {
    io.stderr.write('\nApply these changes? Only "yes" does: ')
    const answer = await asking.question('', { signal: io.signal })
    return answer.trim().toLowerCase() === 'yes' ? 'yes' : 'no'
  } finally {
    asking.close()
  }
}
