import type { LiveObject, Snapshot } from '../../live/live-object.js'
import type { KeyName } from '../../planner/match/live-address.js'
import { match } from '../../planner/match/match.js'
import { isClaimed } from '../../planner/prune/ownership.js'
import type { Ports } from '../../ports/ports.js'
import { otherEnvironment } from '../other-environment.js'
import type { RecordedBase } from '../recorded-base.js'
import type { ProjectRequest } from '../requests.js'
import type { Target } from '../settings.js'
import type { LayersAccess } from './layers.js'

/** What tells which area is read, and whose its objects are. */
export interface SharedArea {
  readonly target: Target
  readonly snapshot: Snapshot
  readonly records: RecordedBase
  readonly keyName: KeyName
}

/** Whose a live object is. */
export interface DesiredElsewhere {
  readonly address: string
  readonly environment: string
}

/**
 * The live objects that only other environments of the project desire in this very area: it is theirs as well where the project
 * file says so, and where the records do of an object. What variables say is true of the environment that is chosen alone.
 */
export function desiredElsewhere(
  { environment: own, others, manifestsIn }: LayersAccess,
  { target, snapshot, records, keyName }: SharedArea,
  request: ProjectRequest,
  ports: Ports,
): ReadonlyMap<LiveObject, DesiredElsewhere> {
  const desired = new Map<LiveObject, DesiredElsewhere>()
  const worldOf = (name: string) => match(manifestsIn(name, new Map()), snapshot, keyName)
  for (const environment of others) {
    const world = worldOf(environment)
    const isThere = isAreaOf(environment, target, request, ports)
    for (const [address, object] of world.matched) {
      if (isThere || isClaimed(object, world, records.claimed)) desired.set(object, { address, environment })
    }
  }
  if (desired.size > 0 && own !== undefined) for (const object of worldOf(own).matched.values()) desired.delete(object)
  return desired
}

function isAreaOf(environment: string, target: Target, request: ProjectRequest, ports: Ports): boolean {
  const other = otherEnvironment(environment, request, ports)
  if ('why' in other || other.project.platform.area === undefined) return false
  return other.key.url === target.url && other.key.area === target.area
}
