import { setMaxListeners } from 'node:events'
import { createInterface } from 'node:readline/promises'
import { converge, type Run } from '../applier/converge.js'
import type { ChangeResult, RunInput } from '../applier/run.js'
import { catalog } from '../catalog/catalog.js'
import { addedChildren } from '../catalog/queries.js'
import { asMade, type Base } from '../planner/base.js'
import type { Change, Plan } from '../planner/plan.js'
import { hasErrors, internalError, lockLost, type Problem, ProblemError } from '../problem.js'
import type { RunHead } from '../records/record.js'
import { type Area, type Planned, planArea } from './area.js'
import { exit } from './exit.js'
import type { Io } from './io.js'
import type { RunOptions } from './options.js'
import { progressOf } from './progress.js'
import { afterImage, beginRun, endRun, type Turn } from './run-journal.js'
import { showRun } from './run-view.js'
import { showProblems } from './show.js'

/** A plan that may be performed: its area, and the lock that is held for it. */
export interface Start {
  readonly area: Area
  readonly turn: Turn
  readonly planned: Planned
  /** Requests before the reading right before the first write. */
  readonly sentBefore: number
  readonly purpose: RunHead['purpose']
  /** Writes the receipts that the run leaves. */
  readonly keep: (run: Run, remaining: Plan) => Promise<void>
  /** Called before the first write: from then on what is sent is finished. */
  readonly begin: () => void
}

/** Performs a plan, writes it down and shows what became of it. `io.signal` is the user's: it keeps new steps from starting. */
export async function performPlan(start: Start, options: RunOptions, io: Io): Promise<number> {
  const { area, turn, planned, sentBefore } = start
  const { plan } = planned
  const progress = progressOf(options, io)
  const { journal, writing } = await beginRun(turn, planned, start.purpose, area, io)
  start.begin()
  const signal = AbortSignal.any([io.signal, turn.lock.lost])
  setMaxListeners(0, signal)
  const input: RunInput = {
    plan,
    client: area.client,
    settings: {
      nesting: 'whole trees',
      prune: area.settings.prune,
      concurrency: area.wanted.project.platform.concurrency,
      conventionalOperations: area.wanted.project.platform.conventionalOperations,
      createPatienceMs: area.wanted.project.platform.createPatienceMs,
      waitDomainsMs: options.waitDomainsMs ?? 0,
    },
    snapshot: planned.snapshot,
    // An interruption ends a wait; what waited goes on and finds out.
    sleep: (milliseconds) => io.sleep(milliseconds, signal).catch(() => undefined),
    now: io.now,
    signal,
    onEvent: progress.applying,
    journal: writing,
  }
  const purpose = plan.changes.some(bringsMore) ? 'after creates' : 'plan'
  const run = await converge(input, (results) => planArea(knowing(area, plan, results), options, io, purpose))
  const broken = await problemOf(() => endRun({ run, planned, turn, journal, area, keep: start.keep }, io))
  progress.clear()
  tellEnd(run, start, broken, options, io)
  const requests = area.client.stats().requests - sentBefore
  showRun({ name: turn.run, plan, run, area, requests }, options, io)
  return exitOf(run, broken, turn)
}

/** Whether the platform adds something by itself to what a change creates. */
const bringsMore = ({ action, kind }: Change): boolean =>
  (action === 'create' || action === 'replace') && addedChildren(catalog[kind]).length > 0

/** What ended a run before its proper end, beside the fate of its changes. */
function tellEnd(run: Run, { area, turn }: Start, broken: ProblemError | undefined, options: RunOptions, io: Io): void {
  const problems: Problem[] = [
    ...(turn.lock.lost.aborted ? [lockLost(area.access.area)] : []),
    ...problemsIn(run.unread),
    ...(run.remaining?.problems.filter(({ severity }) => severity === 'error') ?? []),
    ...(broken ? broken.problems : []),
  ]
  // The JSON answer is the run's: nothing else may stand on stdout.
  if (problems.length > 0) showProblems(problems, { ...options, output: 'text' }, io)
}

function problemsIn(error: unknown): readonly Problem[] {
  if (error === undefined) return []
  return error instanceof ProblemError ? error.problems : [internalError(String(error))]
}

async function problemOf(work: () => Promise<void>): Promise<ProblemError | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    if (error instanceof ProblemError) return error
    throw error
  }
}

/** The area with a base that has what the run has done so far: what is not given back can only be told by it. */
function knowing(area: Area, plan: Plan, results: ReadonlyMap<string, ChangeResult>): Area {
  const { base } = plan
  const objects = new Map(base?.objects)
  for (const change of plan.changes) {
    const result = results.get(change.address)
    if (result?.outcome !== 'applied') continue
    const image = afterImage(change, plan, area.last)
    const { address, kind } = change
    if (change.action === 'delete') objects.delete(address)
    else if (image) objects.set(address, asMade(objects.get(address), { address, kind, id: result.id, ...image }))
  }
  const known: Base = { origin: base?.origin ?? 'this run', objects }
  return { ...area, last: { ...area.last, base: known } }
}

function exitOf(run: Run, broken: ProblemError | undefined, { lock }: Turn): number {
  if (lock.lost.aborted || broken || run.unread !== undefined || hasErrors(run.remaining?.problems ?? [])) {
    return exit.incomplete
  }
  if (run.interrupted) return exit.interrupted
  return [...run.results.values()].some((result) => result.outcome !== 'applied') ? exit.incomplete : exit.done
}

export type Answer = 'already' | 'yes' | 'no' | 'cannot ask'

/** Asks on a terminal whether to go on; a "yes" in advance needs none. */
export async function confirm(question: string, options: RunOptions, io: Io): Promise<Answer> {
  if (options.yes) return 'already'
  if (!io.stdin.isTTY || !io.stderr.isTTY) return 'cannot ask'
  const asking = createInterface({ input: io.stdin, terminal: false })
  try {
    io.stderr.write(`\n${question} Only "yes" does: `)
    const answer = await asking.question('', { signal: io.signal })
    return answer.trim().toLowerCase() === 'yes' ? 'yes' : 'no'
  } finally {
    asking.close()
  }
}
