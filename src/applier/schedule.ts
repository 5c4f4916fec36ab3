import { append } from '../json/groups.js'

/** Runs steps as soon as their needs are met, as a graph without levels. It does not know what a step does. */

/** Whether a token that steps need and give is met. */
type TokenState = 'stands' | 'fails'

export interface ScheduledStep {
  readonly id: string
  readonly needs: readonly string[]
  readonly gives: readonly string[]
}

/** The result of a finished step: the states of its tokens, and steps that replace this step and perhaps others. */
export interface Finished<Step extends ScheduledStep> {
  readonly stateOf: (token: string) => TokenState
  readonly replace?: { readonly drop?: (step: Step) => boolean; readonly add: readonly Step[] }
}

interface Schedule<Step extends ScheduledStep> {
  readonly concurrency: number
  /**
   * Called when the outcome of every need of the step is known. `fails` contains the failed ones. Twice as many steps are called
   * as may run at once, so that work before the request (its announcement) keeps no slot idle. `slot` resolves when a slot is
   * free. The step keeps it until it is finished.
   */
  run(step: Step, fails: ReadonlySet<string>, slot: () => Promise<void>): Promise<Finished<Step>>
  /** False for a step that may not start any more. */
  mayStart(step: Step): boolean
  /** Whether a step starts before all other ready steps, as soon as it is ready. */
  comesFirst?(step: Step): boolean
}

/**
 * Resolves when nothing runs and no more steps can start, with the steps that were never started. If a step throws, no more steps
 * start, and it rejects when nothing runs any more. So no request is in progress when the caller releases the lock.
 */
export function runSteps<Step extends ScheduledStep>(
  steps: readonly Step[],
  schedule: Schedule<Step>,
): Promise<readonly Step[]> {
  const queue = new StepQueue(steps, (step) => schedule.comesFirst?.(step) ?? false)
  const places = placesFor(schedule.concurrency)
  let running = 0
  let failure: { readonly error: unknown } | undefined
  return new Promise((resolve, reject) => {
    const next = (): void => {
      while (!failure && running < 2 * schedule.concurrency) {
        const taken = queue.take((step) => schedule.mayStart(step))
        if (!taken) break
        running += 1
        const place = places()
        schedule
          .run(taken.step, taken.fails, place.taken)
          .finally(place.left)
          .then((finished) => queue.finish(taken.step, finished))
          .catch((error: unknown) => {
            failure ??= { error }
          })
          .then(() => {
            running -= 1
            next()
          })
          .catch(reject)
      }
      if (running > 0) return
      if (failure) reject(failure.error)
      else resolve(queue.left())
    }
    next()
  })
}

/** The steps that are not started yet: those that are ready, and those that wait for tokens. */
export class StepQueue<Step extends ScheduledStep> {
  /** The number of tokens for which each step still waits. */
  readonly #waiting = new Map<Step, number>()
  readonly #dependents = new Map<string, Step[]>()
  readonly #finished = new Map<string, TokenState>()
  /** Tokens that some step gives. No step waits for any other token. */
  readonly #given = new Set<string>()
  /** The steps that are ready to start, in their order. */
  readonly #ready = new StepLine<Step>()
  /** Those that start before all others, the newest first. */
  #urgent: Step[] = []
  readonly #comesFirst: (step: Step) => boolean

  constructor(steps: readonly Step[], comesFirst: (step: Step) => boolean = () => false) {
    this.#comesFirst = comesFirst
    this.#add(steps)
  }

  /** Takes the first ready step that may start, with its failed needs. */
  take(mayStart: (step: Step) => boolean): { readonly step: Step; readonly fails: ReadonlySet<string> } | undefined {
    const step = this.#takeUrgent(mayStart) ?? this.#ready.take(mayStart)
    if (!step) return undefined
    return { step, fails: new Set(step.needs.filter((token) => this.#finished.get(token) !== 'stands')) }
  }

  /** Notes the tokens of a step. A token that a replacing step gives is open again. */
  finish(step: Step, { stateOf, replace }: Finished<Step>): void {
    if (replace?.drop) this.#drop(replace.drop)
    if (replace) this.#add(replace.add)
    const reopened = new Set(replace?.add.flatMap((each) => each.gives))
    for (const token of step.gives) if (!reopened.has(token)) this.#finish(token, stateOf(token))
  }

  /** The steps that were never taken. */
  left(): readonly Step[] {
    return [...this.#urgent, ...this.#ready.all(), ...this.#waiting.keys()]
  }

  #takeUrgent(mayStart: (step: Step) => boolean): Step | undefined {
    const index = this.#urgent.findIndex(mayStart)
    return index === -1 ? undefined : this.#urgent.splice(index, 1)[0]
  }

  #drop(isDropped: (step: Step) => boolean): void {
    for (const each of [...this.#waiting.keys()].filter(isDropped)) this.#waiting.delete(each)
    this.#urgent = this.#urgent.filter((each) => !isDropped(each))
    this.#ready.drop(isDropped)
  }

  #add(steps: readonly Step[]): void {
    for (const step of steps) for (const token of step.gives) this.#given.add(token)
    for (const step of steps) {
      const open = step.needs.filter((token) => this.#given.has(token) && !this.#finished.has(token))
      if (open.length === 0) this.#ready.add(step)
      else this.#waiting.set(step, open.length)
      for (const token of open) append(this.#dependents, token, step)
    }
  }

  #finish(token: string, state: TokenState): void {
    this.#finished.set(token, state)
    for (const step of this.#dependents.get(token) ?? []) {
      const open = this.#waiting.get(step)
      if (open === undefined) continue
      if (open > 1) this.#waiting.set(step, open - 1)
      else {
        this.#waiting.delete(step)
        if (this.#comesFirst(step)) this.#urgent.unshift(step)
        else this.#ready.add(step)
      }
    }
    this.#dependents.delete(token)
  }
}

/** Steps in their order. Taking the first one moves no other: an array would move all of them. */
class StepLine<Step> {
  #steps: Step[] = []
  #begin = 0

  add(step: Step): void {
    this.#steps.push(step)
  }

  /** Takes the first step that fits. */
  take(fits: (step: Step) => boolean): Step | undefined {
    for (let index = this.#begin; index < this.#steps.length; index += 1) {
      const step = this.#steps[index]
      if (step === undefined || !fits(step)) continue
      this.#remove(index)
      return step
    }
    return undefined
  }

  all(): readonly Step[] {
    return this.#steps.slice(this.#begin)
  }

  drop(isDropped: (step: Step) => boolean): void {
    this.#steps = this.all().filter((step) => !isDropped(step))
    this.#begin = 0
  }

  #remove(index: number): void {
    if (index > this.#begin) {
      this.#steps.splice(index, 1)
      return
    }
    this.#begin += 1
    if (2 * this.#begin > this.#steps.length) this.drop(() => false)
  }
}

interface QueuePlace {
  /** Resolves when the place is taken. */
  readonly taken: () => Promise<void>
  readonly left: () => void
}

/** A fixed number of places, which are given in the order of the requests. */
function placesFor(count: number): () => QueuePlace {
  const waiting: (() => void)[] = []
  let free = count
  const give = (): void => {
    const next = waiting.shift()
    if (next) next()
    else free += 1
  }
  return () => {
    let isTaken = false
    return {
      taken: () =>
        new Promise((resolve) => {
          const take = (): void => {
            isTaken = true
            resolve()
          }
          if (free === 0) waiting.push(take)
          else {
            free -= 1
            take()
          }
        }),
      left: () => {
        if (isTaken) give()
      },
    }
  }
}
