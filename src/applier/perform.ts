import type { Change, UpdateChange } from '../planner/plan.js'
import { made, type Step, stepsOf } from '../planner/steps.js'
import { announcementOf } from './announcement.js'
import type { SendContext, StepResult } from './context.js'
import { awaitApproval, isAwaiting } from './domains.js'
import { isStuck, Moves, type PutBack } from './moves.js'
import {
  because,
  type ChangeResult,
  isUncertain,
  KnownIds,
  liveObjects,
  type NotDone,
  type RunInput,
  type RunJournal,
} from './run.js'
import { type Finished, runSteps } from './schedule.js'
import { send } from './send.js'

/** What became of every change of a plan, by address. */
export interface Performed {
  readonly results: ReadonlyMap<string, ChangeResult>
  readonly ids: KnownIds
  /** True if the daily quota of calls ended the run. */
  readonly quota: boolean
}

/** Performs a plan step by step: each as soon as what it needs is done; a failure blocks what needs it and nothing else. */
export async function perform(
  input: RunInput,
  steps: readonly Step[] = stepsOf(input.plan.changes, input.settings),
): Promise<Performed> {
  const ids = new KnownIds()
  const results = new Map<string, ChangeResult>()
  const written: Promise<void>[] = []
  const journal = guarded(input.journal)
  const moves = new Moves(input.plan.changes)
  const held = new Map<Change, NotDone>()
  const state = {
    quota: false,
    madeHere: new Set<string>(),
    droppedLists: new Set<string>(),
    awaiting: new Set(
      liveObjects(input.snapshot)
        .filter(isAwaiting)
        .map((object) => object.key),
    ),
  }

  const maySend = (): boolean => !state.quota && !journal.broken()
  const mayStart = (step: Step): boolean => maySend() && (!input.signal.aborted || moves.isUnderWay(step))

  const notStarted = (change: Change): NotDone => {
    const reason = unstartedBecause(state.quota, input.signal.aborted, journal.broken())
    return { outcome: 'notStarted', id: ids.of(change.address), error: because(reason) }
  }

  const conclude = (change: Change, result: ChangeResult): void => {
    results.set(change.address, result)
    input.onEvent({ is: 'settled', change, result })
    written.push(journal.settle(change, result))
  }

  const settle = (change: Change, result: ChangeResult): void => {
    const known = results.get(change.address)
    // The worst of a change's steps counts: a created service whose roles were refused is not done.
    if (known && known.outcome !== 'applied') return
    if (known?.outcome === 'applied' && result.outcome === 'applied') return
    if (result.outcome === 'applied') conclude(change, result)
    else if (!moves.isOpen(change)) conclude(change, moves.withTemporary(change, result))
    // It is told once it is known whether the object is put back.
    else if (!held.has(change)) held.set(change, result)
  }

  /** Writes a step down and sends its request; undefined if it may not be sent any more. */
  const request = async (step: Step, able: readonly Change[], turn: () => Promise<void>) => {
    await journal.announce(announcementOf(step, able, ids))
    await turn()
    // What cannot be written down is not sent, nor what was only announced when the run had to end.
    if (!mayStart(step)) return undefined
    input.onEvent({ is: 'started', step, total: steps.length })
    return await sent(step, able, { ...input, ids, ...state })
  }

  const run = async (step: Step, fails: ReadonlySet<string>, turn: () => Promise<void>): Promise<Finished<Step>> => {
    if (step.work === 'putBack') return await putBack(step, fails, turn)
    const { able, unable } = division(step, fails)
    for (const [change, need] of unable) {
      settle(change, {
        outcome: 'blocked',
        id: ids.of(change.address),
        error: because(`needs ${need}, which is not done`),
      })
    }
    if (able.length === 0) return failed(step)
    const result = await request(step, able, turn)
    if (result) return await finish(step, able, result)
    for (const change of able) settle(change, notStarted(change))
    return { standing: () => 'fails' }
  }

  /** A move that cannot be finished is put back, as soon as all is settled that waits for what it has left. */
  const failed = ({ work, change }: Step): Finished<Step> => {
    if (work !== 'update' || !moves.isOpen(change)) return { standing: () => 'fails' }
    const add = [moves.putBackStep(change, change.address, held.get(change))]
    return { standing: () => 'fails', replace: { drop: () => false, add } }
  }

  const putBack = async (
    step: PutBack,
    fails: ReadonlySet<string>,
    turn: () => Promise<void>,
  ): Promise<Finished<Step>> => {
    const { change } = step
    if (isStuck(step, fails)) return { standing: () => 'fails' }
    const add = moves.inTheWay(step, results)
    if (add.length > 0) return { standing: () => 'fails', replace: { drop: () => false, add } }
    const result = await request(step, [change], turn)
    const outcome = result?.is === 'results' ? result.results.get(change.address) : undefined
    if (result?.is === 'quota') state.quota = true
    if (!isDone(outcome)) return { standing: () => 'fails' }
    conclude(change, moves.putBack(step, held.get(change) ?? results.get(change.address)))
    return { standing: () => 'stands' }
  }

  const finish = async (step: Step, able: readonly Change[], result: StepResult): Promise<Finished<Step>> => {
    if (result.is === 'split') {
      // The whole tree was refused, or parts of it were ignored: each object by itself shows which one it was.
      const add = stepsOf(result.again, { ...input.settings, nesting: 'one by one' })
      const inside = new Set(result.again.map((change) => change.address))
      for (const change of result.done) {
        state.madeHere.add(change.address)
        settle(change, { outcome: 'applied', id: ids.of(change.address) ?? '' })
      }
      const done = new Set(result.done.map((change) => made(change.address)))
      return {
        standing: (token) => (done.has(token) ? 'stands' : 'fails'),
        replace: { drop: (each) => inside.has(each.change.address) && each !== step, add },
      }
    }
    if (result.is === 'quota') state.quota = true
    if (step.work === 'temporary') return begun(step.change, result.results.get(step.change.address))
    for (const change of able) {
      const each = result.results.get(change.address)
      if (!each) continue
      if (each.outcome === 'applied' && step.work === 'create') state.madeHere.add(change.address)
      if (each.outcome === 'applied' && step.work === 'update') moves.end(step.change)
      settle(change, each)
    }
    if (step.work === 'create') await awaitApproval(able, input, state.awaiting)
    const standing = new Set(able.filter((change) => isDone(result.results.get(change.address))).map(tokenOf(step)))
    if (standing.size === 0) return failed(step)
    return { standing: (token) => (standing.has(token) || isOwn(step, token, result) ? 'stands' : 'fails') }
  }

  /** A change that has its temporary values is not done yet. */
  const begun = (change: UpdateChange, result: ChangeResult | undefined): Finished<Step> => {
    if (isDone(result) || isUncertain(result)) moves.begin(change)
    if (result && !isDone(result)) settle(change, result)
    return { standing: () => (isDone(result) ? 'stands' : 'fails') }
  }

  const left = await runSteps(steps, { concurrency: input.settings.concurrency, run, mayStart })
  for (const step of left) {
    if (step.work === 'putBack') continue
    for (const change of step.members) settle(change, notStarted(change))
  }
  for (const [change, result] of held) if (moves.isOpen(change)) conclude(change, moves.withTemporary(change, result))
  for (const change of input.plan.changes) {
    if (change.action !== 'blocked' && !results.has(change.address) && journal.broken()) {
      settle(change, notStarted(change))
    }
    if (change.action !== 'blocked' || results.has(change.address)) continue
    settle(change, { outcome: 'blocked', id: change.live?.id, error: because(change.reason ?? 'blocked') })
  }
  await Promise.all(written)
  return { results, ids, quota: state.quota }
}

interface Guarded extends RunJournal {
  /** Why nothing more can be written down; undefined while it can. */
  broken(): string | undefined
}

/** A journal that fails ends the run in order: what is under way is finished and told. */
function guarded(journal: RunJournal): Guarded {
  let broken: string | undefined
  const noted = (error: unknown): void => {
    broken ??= error instanceof Error ? error.message : String(error)
  }
  return {
    announce: (step) => journal.announce(step).catch(noted),
    settle: (change, result) => journal.settle(change, result).catch(noted),
    broken: () => broken,
  }
}

/** A request that cannot be told the outcome of is one that failed: what else was done must still be told. */
async function sent(step: Step, able: readonly Change[], context: SendContext): Promise<StepResult> {
  try {
    return await send(step, able, context)
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error)
    const failed = (change: Change): ChangeResult => ({
      outcome: 'failed',
      id: context.ids.of(change.address),
      error: because(words),
      answered: 'no',
    })
    return { is: 'results', results: new Map(able.map((change) => [change.address, failed(change)])) }
  }
}

function unstartedBecause(quota: boolean, interrupted: boolean, broken: string | undefined): string {
  if (broken !== undefined) return `the records cannot be written: ${broken}`
  if (quota) return 'the daily quota of calls is used up'
  return interrupted ? 'the run was interrupted' : 'what it needs waits for it as well: this is a bug of the planner'
}

const isDone = (result: ChangeResult | undefined): boolean => result?.outcome === 'applied'

const tokenOf = (step: Step) => (change: Change) => step.gives.find((token) => token === made(change.address)) ?? ''

/** Tokens of a step that no change stands for: temporary values, an object removed to be replaced. */
const isOwn = (step: Step, token: string, result: StepResult): boolean =>
  !step.members.some((member) => made(member.address) === token) &&
  result.is !== 'split' &&
  isDone(result.results.get(step.change.address))

/** The members of a step that can be made, and those that need something that is not there, with what it is. */
function division(
  step: Step,
  fails: ReadonlySet<string>,
): { able: readonly Change[]; unable: ReadonlyMap<Change, string> } {
  const unable = new Map<Change, string>()
  const lacking = (change: Change): string | undefined => {
    const own = change.dependsOn.find((address) => fails.has(made(address)))
    if (own !== undefined) return own
    const parent = change.action === 'create' ? change.resource.parent : undefined
    const broken = step.members.find((member) => member.address === parent && unable.has(member))
    return broken?.address
  }
  const blockedAltogether = step.needs.find((token) => fails.has(token) && isOwnNeed(step, token))
  for (const change of step.members) {
    const need = blockedAltogether?.replace(/^\w+ /, '') ?? lacking(change)
    if (need !== undefined) unable.set(change, need)
  }
  const root = unable.get(step.change)
  if (root !== undefined) for (const member of step.members) if (!unable.has(member)) unable.set(member, root)
  return { able: step.members.filter((member) => !unable.has(member)), unable }
}

/** A need of the step itself, not of one of the changes that it carries. */
const isOwnNeed = (step: Step, token: string): boolean =>
  !step.members.some((member) => member.dependsOn.some((address) => made(address) === token))
