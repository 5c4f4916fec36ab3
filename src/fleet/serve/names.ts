import { urlIn } from '../../catalog/base-url.js'
import type { AreaCommand } from '../../documents/fleet.js'
import type { Ports } from '../../ports/ports.js'
import { ProblemError } from '../../problems/problem.js'
import { fleetDatabaseNotNamed, fleetDatabaseNoUrl } from '../../problems/serve.js'
import type { NewJob } from '../../workflows/workflows.js'
import { type Fleet, type FleetArea, queueOf, slotsOf } from '../fleet.js'

/** How the workflows of a fleet are called: the same for workers and for those who only ask. */

/** What workflows of today look like. It changes when running ones of before could not go on, and not with every release. */
export const workflowFormat = 'fleet/1'

export const applicationOf = ({ name }: Pick<Fleet, 'name'>): string => `gatewright ${name}`

export const rolloutsQueue = ({ name }: Pick<Fleet, 'name'>): string => `${name} rollouts`

export const rolloutId = ({ name }: Pick<Fleet, 'name'>, rollout: string): string => `${name} rollout ${rollout}`

/** What a job of the server is asked to do: plain JSON. */
export interface ServerJob {
  readonly area: string
  readonly command: AreaCommand
  /** Why it runs; the same words again mean the same job. */
  readonly occasion: string
  /** The rollout that it is part of. */
  readonly rollout?: string
}

/** A job of an area in the queue of its key: one at a time for each area. */
export function jobIn(fleet: Fleet, job: ServerJob): NewJob {
  const area = fleet.areas.find(({ name }) => name === job.area)
  const { area: name, command, occasion, rollout } = job
  return {
    workflow: 'area',
    id: `${fleet.name} ${occasion} ${name}`,
    input: { area: name, command, occasion, ...(rollout !== undefined && { rollout }) },
    only: name,
    ...queueFor(fleet, area),
  }
}

/**
 * The database of the server, which only the environment names: a file could send its login elsewhere. Throws a ProblemError
 * without one.
 */
export function fleetDatabaseIn({ GATEWRIGHT_FLEET_DATABASE: url }: Ports['env']): string {
  if (!url) throw new ProblemError([fleetDatabaseNotNamed()])
  // Nothing of it is shown: any part of what is no such URL may be the password.
  if (!/^postgres(?:ql)?:\/\/./.test(url) || !urlIn(url)) throw new ProblemError([fleetDatabaseNoUrl()])
  return url
}

/** The queue of an area's jobs, and what its limits count by. */
function queueFor(fleet: Fleet, area: FleetArea | undefined): { readonly queue: string; readonly partition: string } {
  const key = area?.key === undefined ? undefined : fleet.keys[area.key]
  return { queue: queueName(fleet, key ? slotsOf(key).length : 1), partition: area ? queueOf(area) : 'gone' }
}

export const queueName = ({ name }: Fleet, concurrency: number): string => `${name} areas ${concurrency} at a time`
