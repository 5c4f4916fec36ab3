import { digest } from '../../json/digest.js'
import { isObject } from '../../json/json.js'
import type { WorkflowBody } from '../../workflows/workflows.js'
import type { Fleet } from '../fleet.js'
import type { AreaJobs } from './area-jobs.js'
import { jobIn, type ServerJob } from './names.js'

interface RoundSetup {
  /** As it is now. */
  readonly fleet: () => Fleet
  readonly jobs: Pick<AreaJobs, 'skip'>
}

/**
 * One moment of the schedule, as a workflow: a job for each area that the fleet has when it begins. Areas whose job of before
 * still runs are left out, and that is written down.
 */
export function driftRound({ fleet, jobs }: RoundSetup): WorkflowBody {
  return async (input, { step, enqueue }) => {
    const at = isObject(input) && typeof input.at === 'string' ? input.at : ''
    // Another worker that goes on with it may have another fleet file.
    const areas = await step('areas', () => Promise.resolve(fleet().areas.map(({ name }) => name)))
    const round = areas.map((area): ServerJob => ({ area, command: 'drift', occasion: `drift ${at}` }))
    const jitterMs = fleet().drift?.jitterMs ?? 0
    const queued = await enqueue(
      round.map((job) => ({ ...jobIn(fleet(), job), delayMs: delayOf(at, job.area, jitterMs) })),
    )
    const refused = round.filter((_, index) => queued[index] === 'refused')
    await step('skipped', async () => {
      for (const job of refused) await jobs.skip(job)
      return refused.length
    })
    return null
  }
}

/** Each area begins a little later than the moment: the same however often it is asked for. */
const delayOf = (at: string, area: string, jitterMs: number): number =>
  jitterMs === 0 ? 0 : Number.parseInt(digest(`${at} ${area}`).slice(-8), 16) % jitterMs
