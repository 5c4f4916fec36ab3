import { createInterface } from 'node:readline/promises'
import { converge, type Run } from '../../applier/converge.js'
import { staleChanges } from '../../applier/stale.js'
import { refusals } from '../../planner/guard.js'
import { confirmationNeeded, hasErrors, type Problem, ProblemError } from '../../problem.js'
import { planDocument } from '../../report/plan-document.js'
import { type Area, contextOf, openArea, type Planned, planArea, problemsOf } from '../area.js'
import { restsOnMovingPages } from '../estimate.js'
import { exit } from '../exit.js'
import type { Io } from '../io.js'
import type { RunOptions } from '../options.js'
import { allowanceOf, liveCount, showPlan } from '../plan-view.js'
import { progressOf } from '../progress.js'
import { showRun } from '../run-view.js'
import { showProblems } from '../show.js'

/** `apply`: plans, shows the plan, asks, performs it, reads the area and plans again. */
export async function applyCommand(options: RunOptions, io: Io): Promise<number> {
  const area = await openArea(options, io)
  try {
    const planned = await planArea(area, options, io, 'plan')
    const problems = problemsOf(area, planned)
    if (hasErrors(problems)) throw new ProblemError(problems)
    const quiet = options.output === 'json'
    if (!quiet) showPlan(planDocument(planned.plan, contextOf(area, planned)), problems, [], options, io)
    const refused = refusals(planned.plan, allowanceOf(area, options), liveCount(planned))
    if (refused.length > 0) return refuse(refused, options, io)
    if (planned.plan.changes.length === 0) return nothingToDo(area, planned, options, io)
    const answer = await confirm(options, io)
    if (answer === 'cannot ask') return refuse([confirmationNeeded()], options, io)
    if (answer === 'no') return exit.done
    // Right before the first write what the plan touches is read again; a plan that was just made of whole pages is fresh.
    const before = area.client.stats().requests
    const isFresh = answer === 'already' && !restsOnMovingPages(planned)
    const current = isFresh ? planned : await planArea(area, options, io, 'plan')
    const stale = staleChanges(planned.plan, current.plan)
    if (stale.length > 0) {
      showProblems(stale, options, io)
      return exit.stale
    }
    return await perform(area, current, { ...options, sentBefore: isFresh ? 0 : before }, io)
  } finally {
    await area.client.close()
  }
}

function refuse(problems: readonly Problem[], options: RunOptions, io: Io): number {
  progressOf(options, io).clear()
  showProblems(problems, options, io)
  return exit.refused
}

async function perform(
  area: Area,
  planned: Planned,
  options: RunOptions & { sentBefore: number },
  io: Io,
): Promise<number> {
  const progress = progressOf(options, io)
  const { platform } = area.wanted.project
  const run = await converge(
    {
      plan: planned.plan,
      client: area.client,
      settings: {
        nesting: 'whole trees',
        prune: area.settings.prune,
        concurrency: platform.concurrency,
        conventionalOperations: platform.conventionalOperations,
        waitDomainsMs: options.waitDomainsMs ?? 0,
      },
      snapshot: planned.snapshot,
      sleep: (milliseconds) => io.sleep(milliseconds, io.signal),
      now: io.now,
      signal: io.signal,
      onEvent: progress.applying,
    },
    () => planArea(area, options, io, 'plan'),
  )
  progress.clear()
  const requests = area.client.stats().requests - options.sentBefore
  showRun({ plan: planned.plan, run, area, requests }, options, io)
  return exitOf(run)
}

function nothingToDo(area: Area, planned: Planned, options: RunOptions, io: Io): number {
  const run: Run = { results: new Map(), remaining: planned.plan, quota: false, interrupted: false }
  if (options.output === 'json') showRun({ plan: planned.plan, run, area, requests: 0 }, options, io)
  return exit.done
}

function exitOf(run: Run): number {
  if (run.interrupted) return exit.interrupted
  return [...run.results.values()].some((result) => result.outcome !== 'applied') ? exit.incomplete : exit.done
}

type Answer = 'already' | 'yes' | 'no' | 'cannot ask'

/** Asks on a terminal; a "yes" in advance needs none. */
async function confirm(options: RunOptions, io: Io): Promise<Answer> {
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
