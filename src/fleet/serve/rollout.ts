import type { Json } from '../../json/json.js'
import type { WorkflowContext } from '../../workflows/workflows.js'
import { nextDay } from '../day-calls.js'
import type { StopRule } from '../fleet.js'
import type { ServerJob } from './area-jobs.js'
import { stoppedBy, waveDigest } from './rollout-areas.js'
import type { RolloutAreaRow, RolloutRow, RolloutWave } from './rollout-store.js'
import type { FleetStore } from './store.js'

/** What a rollout needs of the server. */
export interface RolloutSetup {
  readonly store: FleetStore
  /** The job as one of a queue, with its id. */
  readonly asJob: (job: ServerJob) => Parameters<WorkflowContext['enqueue']>[0][number]
  readonly now: () => number
  /** Keeps trying while the database is away. */
  readonly lasting: <Value>(work: () => Promise<Value>) => Promise<Value>
}

/** Areas of one wave are given to the queues so many at a time: what stops a rollout finds the others not begun. */
const atOnce = 20

/** A decision wakes the rollout that waits for it; without one it looks again after that time. */
const lookAgainMs = 10 * 60_000
const busyMs = 2_000

/**
 * A rollout as a workflow: all plans first, then wave after wave. It may begin again at any time on another worker; what is
 * decided stands in the store, and what was done in its steps.
 */
export function rolloutBody({ store, asJob, now, lasting }: RolloutSetup) {
  return async (rollout: string, context: WorkflowContext): Promise<Json> => {
    const asStep = <Value extends Json>(name: string, work: () => Promise<Value>): Promise<Value> =>
      context.step(name, () => lasting(work))
    const { waves, stop } = await context.step('request', async () =>
      requestOf((await lasting(() => store.rollouts(rollout)))[0]),
    )
    const at = (wave: number, status: RolloutRow['status'], why?: string) =>
      asStep(status, async () => {
        await store.setStatus(rollout, { status, wave, ...(why !== undefined && { why }) })
        return null
      })
    const job = (area: string, command: ServerJob['command'], what: string): ServerJob => ({
      ...{ area, command, occasion: `rollout ${rollout} ${what}`, rollout },
    })

    /** Resolves when nothing is paused; false if the rollout was stopped. */
    const mayGoOn = async (wave: number, back: RolloutRow['status']): Promise<boolean> => {
      for (let waited = false; ; waited = true) {
        const { paused, stopped } = await asStep('look', async () => controlsOf((await store.rollouts(rollout))[0]))
        if (stopped) return false
        if (!paused) {
          if (waited) await at(wave, back)
          return true
        }
        if (!waited) await at(wave, 'paused')
        await context.received('decision', lookAgainMs)
      }
    }

    /**
     * Runs jobs, some at a time. Those that a pause has held are run when it is over. Those for which the day has no calls left are tried again when others have ended, which may have
     * given some back, and then on another day. False if what `checked` says ended it before all were begun.
     */
    const runJobs = async (jobs: readonly ServerJob[], checked: () => Promise<boolean>): Promise<boolean> => {
      let left = jobs
      for (let number = 1; ; number += 1) {
        const { allBegan, held, postponed } = await runRound(left, number, checked)
        if (!allBegan || (held.length > 0 && !(await checked()))) return false
        if (postponed.length === left.length && !(await anotherDay(checked))) return false
        left = [...held, ...postponed]
        if (left.length === 0) return true
      }
    }

    const runRound = async (jobs: readonly ServerJob[], number: number, checked: () => Promise<boolean>) => {
      const waiting: { readonly id: string; readonly job: ServerJob }[] = []
      const held: ServerJob[] = []
      const postponed: ServerJob[] = []
      const ended = async ({ id, job: each }: (typeof waiting)[number]): Promise<void> => {
        const ending = await context.wait(id)
        if (ending.is !== 'done') return
        if (ending.value === 'waiting') postponed.push(each)
        if (ending.value === 'held') held.push(each)
      }
      for (const each of jobs) {
        if (waiting.length >= atOnce) for (const first of waiting.splice(0, 1)) await ended(first)
        if (!(await checked())) {
          for (const other of waiting) await ended(other)
          return { allBegan: false, held, postponed }
        }
        const queued = asJob(each)
        const id = number === 1 ? queued.id : `${queued.id}, try ${number}`
        // The area may have a job of a schedule just now.
        while ((await context.enqueue([{ ...queued, id }]))[0] === 'refused') await context.sleep(busyMs)
        waiting.push({ id, job: each })
      }
      for (const other of waiting) await ended(other)
      return { allBegan: true, held, postponed }
    }

    /** Waits for the next day of quotas; false if the rollout was ended instead. */
    const anotherDay = async (checked: () => Promise<boolean>): Promise<boolean> => {
      const until = await context.step('day', () => Promise.resolve(nextDay(now())))
      for (;;) {
        if (!(await checked())) return false
        const left = await context.step('left', () => Promise.resolve(until - now()))
        if (left <= 0) return true
        await context.received('decision', Math.min(left, lookAgainMs))
      }
    }

    const stopReason = (wave: number): Promise<string | null> =>
      asStep('failures', async () => stoppedBy(stop, wave, await store.rolloutAreas(rollout)))

    /** Waits until the plans of the wave, as they are now, are approved; false if the rollout is stopped instead. */
    const approved = async (wave: number): Promise<boolean> => {
      await at(wave, 'waiting')
      for (;;) {
        const { stopped, isApproved } = await asStep('approval', async () => {
          const [row] = await store.rollouts(rollout)
          const wanted = waveDigest(wave, await store.rolloutAreas(rollout))
          const found = (await store.decisions(rollout)).some(
            (each) => each.decision === 'approve' && each.wave === wave && each.digest === wanted,
          )
          return { stopped: row?.stopped ?? true, isApproved: found }
        })
        if (stopped) return false
        if (isApproved) return true
        await context.received('decision', lookAgainMs)
      }
    }

    const all = waves.flatMap(({ areas }) => areas)
    if (
      !(await runJobs(
        all.map((area) => job(area, 'plan', 'plan')),
        () => mayGoOn(0, 'planning'),
      ))
    ) {
      await at(0, 'stopped', 'somebody stopped it')
      return null
    }
    for (const [index, { bakeMs, approve }] of waves.entries()) {
      const planned = await asStep('planned', async () =>
        areasIn(index, await store.rolloutAreas(rollout), ['pending']),
      )
      const failedBefore = await stopReason(index)
      if (failedBefore !== null) {
        await at(index, 'stopped', failedBefore)
        return null
      }
      if (planned.length === 0) continue
      if (approve && !(await approved(index))) {
        await at(index, 'stopped', 'somebody stopped it')
        return null
      }
      await at(index, 'applying')
      let why: string | null = null
      const goesOn = async (): Promise<boolean> => {
        why = await stopReason(index)
        return why === null && (await mayGoOn(index, 'applying'))
      }
      const began = await runJobs(
        planned.map((area) => job(area, 'apply', 'apply')),
        goesOn,
      )
      why ??= await stopReason(index)
      if (!began || why !== null) {
        await at(index, 'stopped', why ?? 'somebody stopped it')
        return null
      }
      if (bakeMs === 0) continue
      await at(index, 'baking')
      await context.sleep(bakeMs)
      const applied = await asStep('applied', async () =>
        areasIn(index, await store.rolloutAreas(rollout), wellApplied),
      )
      const drifts = applied.map((area) => job(area, 'drift', `bake ${index + 1}`))
      const looked = await runJobs(drifts, () => mayGoOn(index, 'baking'))
      why = await stopReason(index)
      if (!looked || why !== null) {
        await at(index, 'stopped', why === null ? 'somebody stopped it' : `after the wave, ${why}`)
        return null
      }
    }
    await at(Math.max(0, waves.length - 1), 'done')
    return null
  }
}

const wellApplied = ['applied', 'in-sync']

const areasIn = (wave: number, areas: readonly RolloutAreaRow[], states: readonly string[]): readonly string[] =>
  areas.filter((each) => each.wave === wave && states.includes(each.state)).map(({ area }) => area)

/** What a rollout was started with. */
interface RolloutRequest {
  readonly waves: readonly RolloutWave[]
  readonly stop: StopRule
}

const requestOf = (row: RolloutRow | undefined): RolloutRequest & { readonly [name: string]: Json } =>
  JSON.parse(JSON.stringify(row?.request ?? { waves: [], stop: {} }))

const controlsOf = (row: RolloutRow | undefined) => ({ paused: row?.paused ?? false, stopped: row?.stopped ?? true })
