import type { Json } from '../../json/json.js'
import type { WorkflowContext } from '../../workflows/workflows.js'
import type { StopRule } from '../fleet.js'
import type { ServerJob } from './names.js'
import { isApproved, noneSucceeded, stoppedBy, succeeded } from './rollout-areas.js'
import { lookAgainMs, RolloutJobs, type RolloutJobsSetup } from './rollout-jobs.js'
import type { RolloutRow, RolloutStore, RolloutWave } from './rollout-store.js'

/** What a rollout needs from the server. */
export interface RolloutSetup extends RolloutJobsSetup {
  readonly store: Pick<RolloutStore, 'rollouts' | 'rolloutAreas' | 'decisions' | 'setStatus' | 'setArea'>
  /** Repeats the work while the database is unavailable. */
  readonly lasting: <Value>(work: () => Promise<Value>) => Promise<Value>
}

const bySomebody = 'somebody stopped it'

/**
 * A rollout as a workflow: all plans first, then one wave after another. It may begin again on another worker at any time: the
 * store has the decisions, and the workflow's steps have what was done.
 */
export function rolloutBody(setup: RolloutSetup) {
  const { store, lasting } = setup
  return async (rollout: string, context: WorkflowContext): Promise<Json> => {
    const request = await context.step('request', async () =>
      requestOf((await lasting(() => store.rollouts(rollout)))[0]),
    )
    await new RolloutWork({ ...setup, rollout, context, request }).run()
    return null
  }
}

/** The input of one rollout. */
interface RolloutInput extends RolloutSetup {
  readonly rollout: string
  readonly context: WorkflowContext
  readonly request: RolloutRequest
}

/** One rollout, from its plans to its last wave. */
class RolloutWork {
  readonly #input: RolloutInput
  readonly #jobs: RolloutJobs

  constructor(input: RolloutInput) {
    this.#input = input
    this.#jobs = new RolloutJobs({ ...input, unreported: (job, why) => this.#untold(job, why) })
  }

  async run(): Promise<void> {
    const { waves } = this.#input.request
    await this.#at(0, 'planning')
    const jobs = waves.flatMap(({ areas }) => areas).map((area) => this.#job(area, 'plan', 'plan'))
    if (!(await this.#jobs.run(jobs, () => this.#mayGoOn(0, 'planning')))) {
      return this.#at(0, 'stopped', bySomebody)
    }
    let approve = false
    for (const [index, wave] of waves.entries()) {
      const planned = await this.#areasIn('planned', index, ['pending'])
      // If a wave that requires an approval has no changes, the approval is required before the next wave that has some (A368).
      approve ||= wave.approve
      const why = await this.#wave(index, planned, { ...wave, approve })
      if (why !== undefined) return this.#at(index, 'stopped', why)
      if (planned.length > 0) approve = false
    }
    await this.#end(Math.max(0, waves.length - 1))
  }

  async #end(wave: number): Promise<void> {
    const { rollout, store } = this.#input
    await this.#step('done', async () => {
      const why = noneSucceeded(await store.rolloutAreas(rollout))
      await store.setStatus(rollout, why === undefined ? { status: 'done', wave } : { status: 'stopped', wave, why })
      return null
    })
  }

  /** The reason if the rollout ends with this wave; undefined if it continues. */
  async #wave(
    index: number,
    planned: readonly string[],
    { bakeMs, approve }: Pick<RolloutWave, 'bakeMs' | 'approve'>,
  ): Promise<string | undefined> {
    const failedBefore = await this.#stopReason(index)
    if (failedBefore !== undefined) return failedBefore
    if (planned.length === 0) return undefined
    if (approve && !(await this.#approved(index))) return bySomebody
    const why = await this.#apply(index, planned)
    return why === undefined && bakeMs > 0 ? this.#bake(index, bakeMs) : why
  }

  async #apply(index: number, planned: readonly string[]): Promise<string | undefined> {
    await this.#at(index, 'applying')
    let why: string | undefined
    const goesOn = async (): Promise<boolean> => {
      why = await this.#stopReason(index)
      return why === undefined && (await this.#mayGoOn(index, 'applying'))
    }
    const jobs = planned.map((area) => this.#job(area, 'apply', 'apply'))
    const began = await this.#jobs.run(jobs, goesOn)
    why ??= await this.#stopReason(index)
    return why ?? (began ? undefined : bySomebody)
  }

  /** Waits after a wave, and then looks for drift in its areas. */
  async #bake(index: number, bakeMs: number): Promise<string | undefined> {
    await this.#at(index, 'baking')
    const goesOn = () => this.#mayGoOn(index, 'baking')
    if (!(await this.#jobs.passed(() => this.#input.now() + bakeMs, goesOn))) return bySomebody
    const applied = await this.#areasIn('applied', index, succeeded)
    const drifts = applied.map((area) => this.#job(area, 'drift', `bake ${index + 1}`))
    const looked = await this.#jobs.run(drifts, goesOn)
    const why = await this.#stopReason(index)
    if (why !== undefined) return `after the wave, ${why}`
    return looked ? undefined : bySomebody
  }

  /** Waits while the rollout is paused; false if it was stopped. */
  async #mayGoOn(wave: number, back: RolloutRow['status']): Promise<boolean> {
    const { context, rollout, store } = this.#input
    for (let waited = false; ; waited = true) {
      const { paused, stopped } = await this.#step('look', async () => controlsOf((await store.rollouts(rollout))[0]))
      if (stopped) return false
      if (!paused) {
        if (waited) await this.#at(wave, back)
        return true
      }
      if (!waited) await this.#at(wave, 'paused')
      await context.received('decision', lookAgainMs)
    }
  }

  /** Waits until the current plans of the wave are approved; false if the rollout was stopped instead. */
  async #approved(wave: number): Promise<boolean> {
    const { context, rollout, store } = this.#input
    await this.#at(wave, 'waiting')
    for (;;) {
      const { stopped, approved } = await this.#step('approval', async () => {
        const [row] = await store.rollouts(rollout)
        const approved = isApproved(wave, await store.rolloutAreas(rollout), await store.decisions(rollout))
        return { stopped: row?.stopped ?? true, approved }
      })
      if (stopped) return false
      if (approved) return true
      await context.received('decision', lookAgainMs)
    }
  }

  /** Handles a job without a stored result: an area of unknown state counts as a failure of its wave. */
  async #untold({ area }: ServerJob, why: string): Promise<void> {
    const { rollout, store } = this.#input
    await this.#step('untold', async () => {
      const row = (await store.rolloutAreas(rollout)).find((each) => each.area === area)
      if (row && underWay.includes(row.state)) await store.setArea(rollout, area, 'error', why)
      return null
    })
  }

  async #stopReason(wave: number): Promise<string | undefined> {
    const { rollout, request, store } = this.#input
    const why = await this.#step('failures', async () =>
      stoppedBy(request.stop, wave, await store.rolloutAreas(rollout)),
    )
    return why ?? undefined
  }

  #areasIn(step: string, wave: number, states: readonly string[]): Promise<readonly string[]> {
    const { rollout, store } = this.#input
    return this.#step(step, async () => {
      const areas = await store.rolloutAreas(rollout)
      return areas.filter((each) => each.wave === wave && states.includes(each.state)).map(({ area }) => area)
    })
  }

  async #at(wave: number, status: RolloutRow['status'], why?: string): Promise<void> {
    const { rollout, store } = this.#input
    await this.#step(status, async () => {
      await store.setStatus(rollout, { status, wave, ...(why !== undefined && { why }) })
      return null
    })
  }

  #job(area: string, command: ServerJob['command'], what: string): ServerJob {
    const { rollout } = this.#input
    return { area, command, occasion: `rollout ${rollout} ${what}`, rollout }
  }

  #step<Value extends Json>(name: string, work: () => Promise<Value>): Promise<Value> {
    const { context, lasting } = this.#input
    return context.step(name, () => lasting(work))
  }
}

/** Not planned yet, not applied yet, and being applied. */
const underWay = ['waiting', 'pending', 'applying']

/** The settings of a rollout at its start. */
interface RolloutRequest {
  readonly waves: readonly RolloutWave[]
  readonly stop: StopRule
}

const requestOf = (row: RolloutRow | undefined): RolloutRequest & { readonly [name: string]: Json } =>
  JSON.parse(JSON.stringify(row?.request ?? { waves: [], stop: {} }))

const controlsOf = (row: RolloutRow | undefined) => ({ paused: row?.paused ?? false, stopped: row?.stopped ?? true })
