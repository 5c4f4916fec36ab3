import { digest } from '../../json/digest.js'
import { groupBy } from '../../json/groups.js'
import { isObject, type JsonObject } from '../../json/json.js'
import type { WorkflowBody } from '../../workflows/workflows.js'
import type { Fleet } from '../fleet.js'
import type { AreaJobs } from './area-jobs.js'
import { jobIn, type ServerJob } from './names.js'

interface RoundSetup {
  /** The fleet at this time. */
  readonly fleet: () => Fleet
  readonly jobs: Pick<AreaJobs, 'skip'>
}

/**
 * One time of the schedule, as a workflow: a job for each area that the fleet has when the workflow begins. The jitter is waited
 * for here and not in the queues, where a job that is not due yet would delay a rollout. Areas whose previous job still runs are
 * skipped, and that is stored.
 */
export function driftRound({ fleet, jobs }: RoundSetup): WorkflowBody {
  return async (input, { step, enqueue, sleep }) => {
    const at = isObject(input) && typeof input.at === 'string' ? input.at : ''
    // Another worker that continues this workflow may have another fleet file.
    const parts = await step('areas', () => Promise.resolve(partsOf(fleet(), at)))
    for (const { waitMs, areas } of parts) {
      if (waitMs > 0) await sleep(waitMs)
      const due = areas.map((area): ServerJob => ({ area, command: 'drift', occasion: `drift ${at}` }))
      const queued = await enqueue(due.map((job) => jobIn(fleet(), job)))
      const refused = due.filter((_, index) => queued[index] === 'refused')
      await step('skipped', async () => {
        for (const job of refused) await jobs.skip(job)
        return refused.length
      })
    }
    return null
  }
}

/** Areas that begin together, and the time between them and the part before. */
type RoundPart = JsonObject & { readonly waitMs: number; readonly areas: readonly string[] }

/** Divides the areas into parts. The delay of each area depends on its name and the scheduled time. */
function partsOf({ areas, drift }: Fleet, at: string): readonly RoundPart[] {
  const jitterMs = drift?.jitterMs ?? 0
  const count = Math.max(1, Math.min(mostParts, Math.floor(jitterMs / 1000)))
  const byPart = groupBy(areas, ({ name }) => Number.parseInt(digest(`${at} ${name}`).slice(-8), 16) % count)
  let before = 0
  return [...byPart]
    .sort(([left], [right]) => left - right)
    .map(([part, own]) => {
      const waitMs = Math.round(((part - before) * jitterMs) / count)
      before = part
      return { waitMs, areas: own.map(({ name }) => name) }
    })
}

const mostParts = 60
