import type { Texts } from '../../files/overlay.js'
import { groupBy } from '../../json/groups.js'
import type { LiveObject, Snapshot } from '../../live/live-object.js'
import type { Manifests } from '../../manifest/resource.js'
import type { KeyName } from '../../planner/match/live-address.js'
import { match } from '../../planner/match/match.js'
import { isClaimed } from '../../planner/prune/ownership.js'
import type { Ports } from '../../ports/ports.js'
import { writesForAll } from '../../problems/compose.js'
import { hasErrors, type Problem, ProblemError } from '../../problems/problem.js'
import { disagreesNow, ofOtherEnvironment } from '../../problems/write-back.js'
import { contradictions } from '../claims.js'
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
interface DesiredElsewhere {
  readonly address: string
  readonly environment: string
}

/**
 * The live objects that only other environments of the project desire in this very area: it is theirs as well where the project
 * file says so, and where the records do of an object. What variables say is true of the environment that is chosen alone.
 */
export function desiredElsewhere(
  layers: LayersAccess | undefined,
  { target, snapshot, records, keyName }: SharedArea,
  request: ProjectRequest,
  ports: Ports,
): ReadonlyMap<LiveObject, DesiredElsewhere> {
  const desired = new Map<LiveObject, DesiredElsewhere>()
  if (!layers) return desired
  const { environment: own, others, manifestsIn } = layers
  const worldOf = (name: string) => match(manifestsIn(name, new Map()), snapshot, keyName)
  for (const environment of others) {
    const isThere = isAreaOf(environment, target, request, ports)
    if (!isThere && records.claimed.size === 0) continue
    const world = worldOf(environment)
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

/** Objects inside of others that are left out are not spoken of. */
export function leftToOthers(desired: readonly (readonly [LiveObject, DesiredElsewhere])[]): readonly Problem[] {
  const objects = new Set(desired.map(([object]) => object))
  const outer = desired.filter(([{ parent }]) => parent === undefined || !objects.has(parent)).map(([, each]) => each)
  return [...groupBy(outer, ({ environment }) => environment)].map(([environment, each]) =>
    ofOtherEnvironment(environment, each.map(({ address }) => address).sort()),
  )
}

/** The manifests of another environment, as they were and as they would be. */
interface Other {
  readonly name: string
  readonly before: Manifests
  readonly after: Manifests
}

/**
 * What others of the same area desire differently once these texts are written. Throws a ProblemError where what is written for
 * one environment breaks another, or changes what it desires.
 */
export function heldAgainstOthers(
  layers: LayersAccess,
  read: (texts: Texts) => Manifests,
  texts: Texts,
): readonly Problem[] {
  const others = layers.others.map((name) => ({
    name,
    before: layers.manifestsIn(name, new Map()),
    after: layers.manifestsIn(name, texts),
  }))
  refuseToChangeOthers(layers, others)
  return newDisagreements(layers, others, { before: () => read(new Map()), after: () => read(texts) })
}

/** What is written for one environment leaves the others as they are: whatever the edits were. */
function refuseToChangeOthers({ into }: LayersAccess, others: readonly Other[]): void {
  const changed = others.filter(({ name, before, after }) => {
    const broken = hasErrors(before.problems) ? [] : after.problems.filter(({ severity }) => severity === 'error')
    if (broken.length > 0) throw new ProblemError([writesForAll([name], into), ...broken])
    return into === 'environment' && before.digest !== after.digest
  })
  const names = changed.map(({ name }) => name)
  if (names.length > 0) throw new ProblemError([writesForAll(names, into)])
}

function newDisagreements(
  { environment, areaOf }: LayersAccess,
  others: readonly Other[],
  own: Readonly<Record<'before' | 'after', () => Manifests>>,
): readonly Problem[] {
  const area = environment === undefined ? undefined : areaOf(environment)
  const sharing = others.filter(({ name }) => area !== undefined && areaOf(name) === area)
  if (environment === undefined || sharing.length === 0) return []
  const disagreements = (when: 'before' | 'after') =>
    contradictions([
      ...sharing.map((each) => ({ environment: each.name, area, resources: each[when].resources })),
      { environment, area, resources: own[when]().resources },
    ])
  const known = new Set(disagreements('before').map(({ message }) => message))
  return disagreements('after')
    .filter(({ message }) => !known.has(message))
    .map(disagreesNow)
}
