import type { WorkflowContext } from '../../workflows/workflows.js'
import { nextDay } from '../day-calls.js'
import type { ServerJob } from './names.js'

/** What the jobs of a rollout need from the server. */
export interface RolloutJobsSetup {
  /** The job with its queue and its id. */
  readonly asJob: (job: ServerJob) => Parameters<WorkflowContext['enqueue']>[0][number]
  readonly now: () => number
}

interface RolloutJobsInput extends RolloutJobsSetup {
  readonly context: WorkflowContext
  /** Stores that a job has ended without a result. */
  readonly unreported: (job: ServerJob, why: string) => Promise<void>
}

/** How many areas of one wave are queued at the same time. When a rollout stops, the others have not begun. */
const atOnce = 20

/** A decision wakes the rollout that waits for it. Without one, the rollout looks again after this time, in milliseconds. */
export const lookAgainMs = 10 * 60_000
const busyMs = 2_000

/** Called before each job: false if the rollout has ended. If the rollout is paused, it resolves after the pause. */
type PauseCheck = () => Promise<boolean>

interface JobsRound {
  readonly allBegan: boolean
  /** Jobs that did not begin because of a pause. */
  readonly held: readonly ServerJob[]
  /** Jobs that did not begin because the key had no calls left for the day. */
  readonly postponed: readonly ServerJob[]
}

/** Queues the jobs of a rollout, only some at the same time. */
export class RolloutJobs {
  readonly #input: RolloutJobsInput

  constructor(input: RolloutJobsInput) {
    this.#input = input
  }

  /**
   * Runs jobs. Jobs that a pause has held run after the pause. Jobs without remaining calls on this day are tried again when
   * others have ended, which may have returned calls, and then on another day. Returns false if `checked` ended the rollout
   * before all jobs had begun.
   */
  async run(jobs: readonly ServerJob[], checked: PauseCheck): Promise<boolean> {
    let left = jobs
    for (let number = 1; left.length > 0; number += 1) {
      const { allBegan, held, postponed } = await this.#round(left, number, checked)
      if (!allBegan || (held.length > 0 && !(await checked()))) return false
      const nothingLeft = postponed.length === left.length
      if (nothingLeft && !(await this.passed(() => nextDay(this.#input.now()), checked))) return false
      left = [...held, ...postponed]
    }
    return true
  }

  async #round(jobs: readonly ServerJob[], number: number, checked: PauseCheck): Promise<JobsRound> {
    const { asJob, context, unreported } = this.#input
    const waiting: { readonly id: string; readonly job: ServerJob }[] = []
    const held: ServerJob[] = []
    const postponed: ServerJob[] = []
    const ended = async ({ id, job }: (typeof waiting)[number]): Promise<void> => {
      const ending = await context.wait(id)
      if (ending.is !== 'done') return await unreported(job, ending.error)
      if (ending.value === 'waiting') postponed.push(job)
      if (ending.value === 'held') held.push(job)
    }
    for (const job of jobs) {
      if (waiting.length >= atOnce) for (const first of waiting.splice(0, 1)) await ended(first)
      if (!(await checked())) {
        for (const other of waiting) await ended(other)
        return { allBegan: false, held, postponed }
      }
      const queued = asJob(job)
      const id = number === 1 ? queued.id : `${queued.id}, try ${number}`
      // At the same time, the area may have a job of the schedule.
      while ((await context.enqueue([{ ...queued, id }]))[0] === 'refused') await context.sleep(busyMs)
      waiting.push({ id, job })
    }
    for (const other of waiting) await ended(other)
    return { allBegan: true, held, postponed }
  }

  /** Waits until the time that `end` returns; false if the rollout ended before. */
  async passed(end: () => number, checked: PauseCheck): Promise<boolean> {
    const { context, now } = this.#input
    const until = await context.step('until', () => Promise.resolve(end()))
    for (;;) {
      if (!(await checked())) return false
      const left = await context.step('left', () => Promise.resolve(until - now()))
      if (left <= 0) return true
      await context.received('decision', Math.min(left, lookAgainMs))
    }
  }
}
