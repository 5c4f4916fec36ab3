/** Runs steps as soon as what they need stands: a graph, no levels. Knows nothing of what a step does. */

/** What became of a token that steps need and give. */
type TokenState = 'stands' | 'fails'

export interface ScheduledStep {
  readonly id: string
  readonly needs: readonly string[]
  readonly gives: readonly string[]
}

/** What a finished step says: which of its tokens stand, and steps that take the place of others. */
export interface Finished<Step extends ScheduledStep> {
  readonly standing: (token: string) => TokenState
  readonly replace?: { readonly drop: (step: Step) => boolean; readonly add: readonly Step[] }
}

export interface Schedule<Step extends ScheduledStep> {
  readonly concurrency: number
  /**
   * Called when every need of the step is settled; `fails` says which of them do not stand. As many steps again as may work
   * at once are called ahead, so that what comes before the work itself (writing it down) keeps no place empty: `turn`
   * resolves when there is a place, which is the step's own until it is finished.
   */
  run(step: Step, fails: ReadonlySet<string>, turn: () => Promise<void>): Promise<Finished<Step>>
  /** False for a step that may not start any more. */
  mayStart(step: Step): boolean
}

/** Resolves when nothing runs and nothing more can start; gives the steps that were never started. */
export function runSteps<Step extends ScheduledStep>(
  steps: readonly Step[],
  schedule: Schedule<Step>,
): Promise<readonly Step[]> {
  return new Promise((resolve, reject) => {
    const waiting = new Map<Step, number>()
    const dependents = new Map<string, Step[]>()
    const settled = new Map<string, TokenState>()
    const ready: Step[] = []
    let given = tokensOf(steps)
    const places = placesFor(schedule.concurrency)
    let running = 0
    let broken = false

    const enqueue = (step: Step): void => {
      const open = step.needs.filter((token) => given.has(token) && !settled.has(token))
      if (open.length === 0) {
        ready.push(step)
        return
      }
      waiting.set(step, open.length)
      for (const token of open) {
        const list = dependents.get(token)
        if (list) list.push(step)
        else dependents.set(token, [step])
      }
    }
    const settle = (token: string, standing: TokenState): void => {
      settled.set(token, standing)
      for (const step of dependents.get(token) ?? []) {
        const open = waiting.get(step)
        if (open === undefined) continue
        if (open > 1) waiting.set(step, open - 1)
        else {
          waiting.delete(step)
          ready.push(step)
        }
      }
      dependents.delete(token)
    }
    const finish = (step: Step, finished: Finished<Step>): void => {
      running -= 1
      const replaced = new Set<string>()
      if (finished.replace) {
        for (const each of [...waiting.keys()].filter(finished.replace.drop)) waiting.delete(each)
        for (let index = ready.length - 1; index >= 0; index -= 1) {
          const each = ready[index]
          if (each && finished.replace.drop(each)) ready.splice(index, 1)
        }
        given = new Set([...given, ...tokensOf(finished.replace.add)])
        for (const token of tokensOf(finished.replace.add)) replaced.add(token)
        finished.replace.add.forEach(enqueue)
      }
      for (const token of step.gives) if (!replaced.has(token)) settle(token, finished.standing(token))
      next()
    }
    const next = (): void => {
      if (broken) return
      while (running < 2 * schedule.concurrency) {
        const index = ready.findIndex(schedule.mayStart)
        const step = ready[index]
        if (!step) break
        ready.splice(index, 1)
        running += 1
        const fails = new Set(step.needs.filter((token) => settled.get(token) !== 'stands'))
        const place = places()
        schedule
          .run(step, fails, place.taken)
          .finally(place.left)
          .then((finished) => finish(step, finished), stop)
      }
      if (running === 0) resolve([...ready, ...waiting.keys()])
    }
    const stop = (error: unknown): void => {
      broken = true
      reject(error)
    }
    steps.forEach(enqueue)
    next()
  })
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

const tokensOf = (steps: readonly ScheduledStep[]): Set<string> => new Set(steps.flatMap((step) => step.gives))
