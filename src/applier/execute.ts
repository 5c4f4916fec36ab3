import { withAllInside } from '../live/live-object.js'
import type { Change } from '../planner/plan.js'
import { made, type Step } from '../planner/steps/step.js'
import { followingFields, stepsOf } from '../planner/steps/steps.js'
import { errorText } from '../problems/problem.js'
import { announcementOf } from './announcement.js'
import type { SendContext, StepResult } from './context.js'
import { awaitApproval, isAwaiting, madeBefore, newlyMade } from './domains.js'
import { look, needsLook } from './look.js'
import { isStuck, Moves, type PutBack } from './moves.js'
import { partition } from './partition.js'
import { Results } from './results.js'
import { because, type ChangeResult, isApplied, isUncertain, KnownIds, type RunInput, type RunJournal } from './run.js'
import { type Finished, runSteps } from './schedule.js'
import { send } from './send.js'

/** The result of every change of a plan, by address. */
export interface Performed {
  readonly results: ReadonlyMap<string, ChangeResult>
  readonly ids: KnownIds
  /** Why the platform accepts no more calls, if that ended the run. */
  readonly quota: string | undefined
}

/** Executes a plan. A step starts as soon as its needs are met. A failure blocks only the steps that depend on it. */
export const execute = (
  input: RunInput,
  steps: readonly Step[] = stepsOf(input.plan.changes, input.settings),
): Promise<Performed> => new Execution(input, steps).execute()

class Execution {
  readonly #input: RunInput
  readonly #steps: readonly Step[]
  readonly #journal: GuardedJournal
  readonly #moves: Moves
  readonly #results: Results
  readonly #context: SendContext
  readonly #madeHere = new Set<string>()
  #quota: string | undefined

  constructor(input: RunInput, steps: readonly Step[]) {
    this.#input = input
    this.#steps = steps
    this.#journal = guarded(input.journal)
    this.#moves = new Moves(input.plan.changes)
    this.#results = new Results(input.onProgress, this.#journal, this.#moves)
    const awaiting = withAllInside(input.snapshot.objects).filter(isAwaiting)
    this.#context = {
      ...input,
      ids: new KnownIds(),
      madeHere: this.#madeHere,
      droppedLists: new Set(),
      notOffered: new Set(),
      awaiting: new Set(awaiting.map((object) => object.key)),
    }
  }

  async execute(): Promise<Performed> {
    const { concurrency } = this.#input.settings
    await awaitApproval(madeBefore(this.#input), this.#input, this.#context.awaiting)
    // Steps that complete an object come first, so that few objects are incomplete if the run ends early.
    const schedule = { concurrency, run: this.#run, mayStart: this.#mayStart, comesFirst: completes }
    const left = await runSteps(this.#steps, schedule)
    for (const step of left) if (step.work !== 'putBack') this.#notStarted(step.members)
    for (const change of this.#input.plan.changes) {
      if (change.action === 'blocked') this.#results.block(change, change.live?.id, change.reason ?? 'blocked')
      else if (this.#journal.broken() && !this.#results.of(change)) this.#notStarted([change])
    }
    await this.#results.end()
    return { results: this.#results.known, ids: this.#context.ids, quota: this.#quota }
  }

  #mayStart = (step: Step): boolean => {
    if (this.#quota !== undefined || this.#journal.broken() !== undefined) return false
    if (this.#moves.isUnderWay(step)) return true
    // If all requests fail, every new request would be one more change with an unknown outcome.
    if (this.#input.client.isFailing()) return false
    return !this.#input.signal.aborted || completes(step) || this.#results.isRemoved(step.change)
  }

  #run = async (step: Step, fails: ReadonlySet<string>, slot: () => Promise<void>): Promise<Finished<Step>> => {
    if (step.work === 'putBack') return await this.#putBack(step, fails, slot)
    const { runnable, blocked } = partition(step, fails)
    for (const [change, need] of blocked) {
      this.#results.block(change, this.#context.ids.of(change.address), `needs ${need}, which is not done`)
    }
    if (runnable.length === 0) return this.#failed(step)
    const result = await this.#request(step, runnable, slot)
    if (result) return await this.#finish(step, runnable, result)
    this.#notStarted(runnable)
    return notDone
  }

  /** Announces a step and sends its request. Undefined if it may not be sent any more. */
  async #request(step: Step, changes: readonly Change[], slot: () => Promise<void>): Promise<StepResult | undefined> {
    const looks = needsLook(step, this.#context)
    if (looks) {
      await slot()
      if (!this.#mayStart(step)) return undefined
      const instead = await this.#answered(changes, () => look(step, this.#context))
      if (instead) return instead
    }
    await this.#journal.announce(announcementOf(step, changes, this.#context.ids))
    if (!looks) await slot()
    // A step is not sent if it could not be recorded, or if the run had to end after its announcement.
    if (!this.#mayStart(step)) return undefined
    const { address, action } = step.change
    this.#input.onProgress({ is: 'sent', address, action })
    const result = await this.#answered(changes, () => send(step, changes, this.#context))
    this.#input.onProgress({ is: 'answered', address })
    return result
  }

  /** If the outcome of a request cannot be determined, it counts as failed, so that the other outcomes are still reported. */
  async #answered<Result>(changes: readonly Change[], work: () => Promise<Result>): Promise<Result | StepResult> {
    try {
      return await work()
    } catch (error) {
      const words = errorText(error)
      const failed = (change: Change): ChangeResult => ({
        outcome: 'failed',
        id: this.#context.ids.of(change.address),
        error: because(words),
        answered: 'no',
      })
      return { is: 'results', results: new Map(changes.map((change) => [change.address, failed(change)])) }
    }
  }

  async #finish(step: Step, changes: readonly Change[], result: StepResult): Promise<Finished<Step>> {
    switch (result.is) {
      case 'instead':
        return { ...done, replace: { add: result.steps } }
      case 'split':
        return this.#split(step, result)
      case 'quota':
        this.#quota = result.reason
        return await this.#noteResults(step, changes, result.results)
      case 'results':
        return await this.#noteResults(step, changes, result.results)
    }
  }

  /**
   * A whole tree was refused, or parts of it were ignored. Each object is sent separately, which shows the one with the error.
   */
  #split(step: Step, result: Extract<StepResult, { is: 'split' }>): Finished<Step> {
    const add = stepsOf(result.again, { ...this.#input.settings, nesting: 'one by one' })
    const inside = new Set(result.again.map((change) => change.address))
    for (const change of result.done) {
      this.#madeHere.add(change.address)
      const applied: ChangeResult = { outcome: 'applied', id: this.#context.ids.of(change.address) ?? '' }
      this.#results.add(change, withFollowing(step, change, applied))
    }
    const there = new Set(result.done.map((change) => made(change.address)))
    return {
      stateOf: (token) => (there.has(token) ? 'stands' : 'fails'),
      replace: { drop: (each) => inside.has(each.change.address) && each !== step, add },
    }
  }

  async #noteResults(
    step: Step,
    changes: readonly Change[],
    results: ReadonlyMap<string, ChangeResult>,
  ): Promise<Finished<Step>> {
    const own = results.get(step.change.address)
    if (step.work === 'temporary') {
      if (isApplied(own) || isUncertain(own)) this.#moves.begin(step.change)
      // A change is not done when it has only its temporary values.
      if (isApplied(own)) return done
    }
    for (const change of changes) {
      const result = results.get(change.address)
      if (!result) continue
      // A replace is done when the object is created again.
      if (isApplied(result) && step.work === 'delete' && change.action === 'replace') {
        this.#results.remove(change)
        continue
      }
      if (isApplied(result) && step.work === 'create') this.#madeHere.add(change.address)
      if (isApplied(result) && step.work === 'update') this.#moves.end(step.change)
      if (isApplied(result) && step.work === 'follow') this.#results.follow(change)
      this.#results.add(change, withFollowing(step, change, result))
    }
    if (step.work === 'create' || step.work === 'update')
      await awaitApproval(newlyMade(changes), this.#input, this.#context.awaiting)
    if (!changes.some((change) => isApplied(results.get(change.address)))) return this.#failed(step)
    const failed = new Set(
      step.members.filter((each) => !isApplied(results.get(each.address))).map((each) => made(each.address)),
    )
    // A token that belongs to no change, such as the removal of an object to be replaced, has the state of the step's own change.
    const ofMembers = new Set(step.members.map((each) => made(each.address)))
    const isOwn = (token: string) => !ofMembers.has(token)
    return { stateOf: (token) => (failed.has(token) || (isOwn(token) && !isApplied(own)) ? 'fails' : 'stands') }
  }

  /**
   * If a move cannot be finished, a step is added that restores the object. It waits for the changes that take the object's
   * earlier values.
   */
  #failed({ work, change }: Step): Finished<Step> {
    if (work !== 'update' || !this.#moves.isOpen(change)) return notDone
    const add = [this.#moves.putBackStep(change, change.address, this.#results.of(change))]
    return { ...notDone, replace: { add } }
  }

  async #putBack(step: PutBack, fails: ReadonlySet<string>, slot: () => Promise<void>): Promise<Finished<Step>> {
    if (isStuck(step, fails)) return notDone
    const add = this.#moves.stepsFirst(step, this.#results.known)
    if (add.length > 0) return { ...notDone, replace: { add } }
    const result = await this.#request(step, [step.change], slot)
    if (result?.is === 'quota') this.#quota = result.reason
    if (result?.is !== 'results' || !isApplied(result.results.get(step.change.address))) return notDone
    this.#results.putBack(step)
    return done
  }

  #notStarted(changes: readonly Change[]): void {
    const reason = this.#unstartedBecause()
    for (const change of changes) {
      const id = this.#context.ids.of(change.address)
      this.#results.add(change, { outcome: 'notStarted', id, error: because(reason) })
    }
  }

  #unstartedBecause(): string {
    const broken = this.#journal.broken()
    if (broken !== undefined) return `the records cannot be written: ${broken}`
    if (this.#quota !== undefined) return this.#quota
    if (this.#input.signal.aborted) return 'the run was interrupted'
    if (this.#input.client.isFailing()) return 'every request has failed for a minute'
    return 'what it needs waits for it as well: this is a bug of the planner'
  }
}

/** Whether a step completes an object that exists already. */
const completes = ({ work }: Step): boolean => work === 'follow' || work === 'remove-defaults' || work === 'remove'

/** The result of a create, with the fields that are still to be written. */
function withFollowing(step: Step, change: Change, result: ChangeResult): ChangeResult {
  if (step.work !== 'create' || change.action !== 'create' || result.outcome !== 'applied') return result
  const following = followingFields(change, step.inside)
  return following.length === 0 ? result : { ...result, following }
}

const done: Finished<Step> = { stateOf: () => 'stands' }
const notDone: Finished<Step> = { stateOf: () => 'fails' }

interface GuardedJournal extends RunJournal {
  /** Why nothing more can be recorded. Undefined if it can. */
  broken(): string | undefined
}

/** A journal whose failure ends the run in order: requests in progress are finished and reported. */
function guarded(journal: RunJournal): GuardedJournal {
  let broken: string | undefined
  const noted = (error: unknown): void => {
    broken ??= errorText(error)
  }
  return {
    announce: (step) => journal.announce(step).catch(noted),
    finish: (change, result) => journal.finish(change, result).catch(noted),
    broken: () => broken,
  }
}
