import { append } from '../json/groups.js'

/** Runs steps as soon as their needs have succeeded: a graph, no levels. Knows nothing about what a step does. */

/** What became of a token that steps need and give. */
type TokenState = 'stands' | 'fails'

export interface ScheduledStep {
  readonly id: string
  readonly needs: readonly string[]
  readonly gives: readonly string[]
}

/** The result of a finished step: which of its tokens succeeded, and steps that replace this one, or others too. */
export interface Finished<Step extends ScheduledStep> {
  readonly stateOf: (token: string) => TokenState
  readonly replace?: { readonly drop?: (step: Step) => boolean; readonly add: readonly Step[] }
}

export interface Schedule<Step extends ScheduledStep> {
  readonly concurrency: number
  /**
   * Called when every need of the step is settled; `fails` says which of them failed. As many steps again as may work
   * at once are called ahead, so that what comes before the work itself (writing it down) keeps no place empty: `slot`
   * resolves when there is a place, which is the step's own until it is finished.
   */
  run(step: Step, fails: ReadonlySet<string>, slot: () => Promise<void>): Promise<Finished<Step>>
  /** False for a step that may not start any more. */
  mayStart(step: Step): boolean
  /** Whether a step comes before all that is ready, as soon as it is ready too. */
  comesFirst?(step: Step): boolean
}

/**
 * Resolves when nothing runs and nothing more can start; gives the steps that were never started. Where one throws, nothing more
 * is started, and it rejects when nothing runs any more: whoever gives the lock back then leaves no request behind.
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

/** The steps that are not started yet: those that are ready, and those that wait for tokens of others. */
export class StepQueue<Step extends ScheduledStep> {
  /** How many tokens each step still waits for. */
  readonly #waiting = new Map<Step, number>()
  readonly #dependents = new Map<string, Step[]>()
  readonly #finished = new Map<string, TokenState>()
  /** Tokens that some step gives: nobody waits for others. */
  readonly #given = new Set<string>()
  #ready: Step[] = []
  readonly #comesFirst: (step: Step) => boolean

  constructor(steps: readonly Step[], comesFirst: (step: Step) => boolean = () => false) {
    this.#comesFirst = comesFirst
    this.#add(steps)
  }

  /** Takes the first ready step that may start, with those of its needs that failed. */
  take(mayStart: (step: Step) => boolean): { readonly step: Step; readonly fails: ReadonlySet<string> } | undefined {
    const index = this.#ready.findIndex(mayStart)
    const step = this.#ready[index]
    if (!step) return undefined
    this.#ready.splice(index, 1)
    return { step, fails: new Set(step.needs.filter((token) => this.#finished.get(token) !== 'stands')) }
  }

  /** Notes what a step gives; tokens that steps in its place give are open again. */
  finish(step: Step, { stateOf, replace }: Finished<Step>): void {
    if (replace?.drop) this.#drop(replace.drop)
    if (replace) this.#add(replace.add)
    const reopened = new Set(replace?.add.flatMap((each) => each.gives))
    for (const token of step.gives) if (!reopened.has(token)) this.#settle(token, stateOf(token))
  }

  /** What was never taken. */
  left(): readonly Step[] {
    return [...this.#ready, ...this.#waiting.keys()]
  }

  #drop(isDropped: (step: Step) => boolean): void {
    for (const each of [...this.#waiting.keys()].filter(isDropped)) this.#waiting.delete(each)
    this.#ready = this.#ready.filter((each) => !isDropped(each))
  }

  #add(steps: readonly Step[]): void {
    for (const step of steps) for (const token of step.gives) this.#given.add(token)
    for (const step of steps) {
      const open = step.needs.filter((token) => this.#given.has(token) && !this.#finished.has(token))
      if (open.length === 0) this.#ready.push(step)
      else this.#waiting.set(step, open.length)
      for (const token of open) append(this.#dependents, token, step)
    }
  }

  #settle(token: string, state: TokenState): void {
    this.#finished.set(token, state)
    for (const step of this.#dependents.get(token) ?? []) {
      const open = this.#waiting.get(step)
      if (open === undefined) continue
      if (open > 1) this.#waiting.set(step, open - 1)
      else {
        this.#waiting.delete(step)
        if (this.#comesFirst(step)) this.#ready.unshift(step)
        else this.#ready.push(step)
      }
    }
    this.#dependents.delete(token)
  }
}

interface Place {
  /** Resolves when the place is taken. */
  readonly taken: () => Promise<void>
  readonly left: () => void
}

/** So many places, given in the order in which they are asked for. */
function placesFor(count: number): () => Place {
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
