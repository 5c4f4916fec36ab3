import { urlIn } from '../../catalog/base-url.js'
import type { AreaCommand } from '../../documents/fleet.js'
import type { Ports } from '../../ports/ports.js'
import { ProblemError } from '../../problems/problem.js'
import { fleetDatabaseNotNamed, fleetDatabaseNoUrl } from '../../problems/serve.js'
import type { NewJob } from '../../workflows/workflows.js'
import { type Fleet, type FleetArea, queueOf, slotsOf } from '../fleet.js'

/** The names of the workflows of a fleet, for workers and for clients. */

/**
 * The version of the workflows. It changes only if running workflows of an earlier version could not continue, not with every
 * release.
 */
export const workflowFormat = 'fleet/1'

export const applicationOf = ({ name }: Pick<Fleet, 'name'>): string => `gatewright ${name}`

export const rolloutsQueue = ({ name }: Pick<Fleet, 'name'>): string => `${name} rollouts`

export const rolloutId = ({ name }: Pick<Fleet, 'name'>, rollout: string): string => `${name} rollout ${rollout}`

/** The input of a job of the server: plain JSON. */
export interface ServerJob {
  readonly area: string
  readonly command: AreaCommand
  /** Why the job runs. The same text again means the same job. */
  readonly occasion: string
  /** The rollout that contains the job. */
  readonly rollout?: string
}

/** The job of an area for the queue of its key. Only one job of an area runs at a time. */
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
 * The URL of the server's database. It comes only from the environment: a file could send the login to another host. Throws a
 * ProblemError if it is not set or not a URL of PostgreSQL.
 */
export function fleetDatabaseIn({ GATEWRIGHT_FLEET_DATABASE: url }: Ports['env']): string {
  if (!url) throw new ProblemError([fleetDatabaseNotNamed()])
  // The message shows no part of the value: any part of an invalid URL may be the password.
  if (!/^postgres(?:ql)?:\/\/./.test(url) || !urlIn(url)) throw new ProblemError([fleetDatabaseNoUrl()])
  return url
}

/** The queue for an area's jobs, and the partition to which its limits apply. */
function queueFor(fleet: Fleet, area: FleetArea | undefined): { readonly queue: string; readonly partition: string } {
  const key = area?.key === undefined ? undefined : fleet.keys[area.key]
  return { queue: queueName(fleet, key ? slotsOf(key).length : 1), partition: area ? queueOf(area) : 'gone' }
}

export const queueName = ({ name }: Fleet, concurrency: number): string => `${name} areas ${concurrency} at a time`
