import type { WorkflowContext } from '../../workflows/workflows.js'
import { nextDay } from '../day-calls.js'
import type { ServerJob } from './names.js'

/** What the jobs of a rollout need of the server. */
export interface RolloutJobsSetup {
  /** The job as one of a queue, with its id. */
  readonly asJob: (job: ServerJob) => Parameters<WorkflowContext['enqueue']>[0][number]
  readonly now: () => number
}

interface RolloutJobsInput extends RolloutJobsSetup {
  readonly context: WorkflowContext
  /** Notes that a job has ended without telling what came of it. */
  readonly untold: (job: ServerJob, why: string) => Promise<void>
}

/** Areas of one wave are given to the queues so many at a time: what stops a rollout finds the others not begun. */
const atOnce = 20

/** A decision wakes the rollout that waits for it; without one it looks again after that time. */
export const lookAgainMs = 10 * 60_000
const busyMs = 2_000

/** Asked before each job: false if the rollout has ended. It resolves when nothing is paused. */
type Checked = () => Promise<boolean>

interface Round {
  readonly allBegan: boolean
  /** Jobs that a pause has held. */
  readonly held: readonly ServerJob[]
  /** Jobs for which the day has no calls left. */
  readonly postponed: readonly ServerJob[]
}

/** The jobs of a rollout in the queues, some at a time. */
export class RolloutJobs {
  readonly #input: RolloutJobsInput

  constructor(input: RolloutJobsInput) {
    this.#input = input
  }

  /**
   * Runs jobs. Those that a pause has held are run when it is over. Those for which the day has no calls left are tried again
   * when others have ended, which may have given some back, and then on another day. False if what `checked` says ended it
   * before all were begun.
   */
  async run(jobs: readonly ServerJob[], checked: Checked): Promise<boolean> {
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

  async #round(jobs: readonly ServerJob[], number: number, checked: Checked): Promise<Round> {
    const { asJob, context, untold } = this.#input
    const waiting: { readonly id: string; readonly job: ServerJob }[] = []
    const held: ServerJob[] = []
    const postponed: ServerJob[] = []
    const ended = async ({ id, job }: (typeof waiting)[number]): Promise<void> => {
      const ending = await context.wait(id)
      if (ending.is !== 'done') return await untold(job, ending.error)
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
      // The area may have a job of a schedule just now.
      while ((await context.enqueue([{ ...queued, id }]))[0] === 'refused') await context.sleep(busyMs)
      waiting.push({ id, job })
    }
    for (const other of waiting) await ended(other)
    return { allBegan: true, held, postponed }
  }

  /** Waits until then; false if the rollout was ended before. */
  async passed(end: () => number, checked: Checked): Promise<boolean> {
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
