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

/**
 * The live objects that other environments of the project desire in this very area: it is theirs as well where the project file
 * says so, and where the records do of an object. What variables say is true of the environment that is chosen alone.
 */
export function desiredElsewhere(
  { others, manifestsIn }: LayersAccess,
  { target, snapshot, records, keyName }: SharedArea,
  request: ProjectRequest,
  ports: Ports,
): ReadonlyMap<LiveObject, string> {
  const desired = new Map<LiveObject, string>()
  for (const name of others) {
    const world = match(manifestsIn(name, new Map()), snapshot, keyName)
    const isThere = isAreaOf(name, target, request, ports)
    for (const object of world.matched.values()) {
      if (isThere || isClaimed(object, world, records.claimed)) desired.set(object, name)
    }
  }
  return desired
}

function isAreaOf(environment: string, target: Target, request: ProjectRequest, ports: Ports): boolean {
  const other = otherEnvironment(environment, request, ports)
  if ('why' in other || other.project.platform.area === undefined) return false
  return other.key.url === target.url && other.key.area === target.area
}
