import type { Texts } from '../../files/overlay.js'
import { groupBy } from '../../json/groups.js'
import type { LiveObject, Snapshot } from '../../live/live-object.js'
import { KnownProject } from '../../manifest/known-project.js'
import type { Manifests } from '../../manifest/resource.js'
import type { KeyName } from '../../planner/match/live-address.js'
import { match } from '../../planner/match/match.js'
import type { Plan } from '../../planner/plan.js'
import { claimKey, isClaimed } from '../../planner/prune/ownership.js'
import type { Ports } from '../../ports/ports.js'
import { writesForAll } from '../../problems/compose.js'
import { errorsIn, hasErrors, type Problem, ProblemError } from '../../problems/problem.js'
import { disagreesNow, ofOtherEnvironment } from '../../problems/write-back.js'
import { contradictions } from '../claims.js'
import { areaOf } from '../other-environment.js'
import type { RecordedBase } from '../recorded-base.js'
import type { ProjectRequest } from '../requests.js'
import type { Target } from '../settings.js'
import type { LayersAccess } from './layers.js'

/** The facts that show which area is read, and to which environments its objects belong. */
interface SharedArea {
  readonly target: Pick<Target, 'url' | 'area'>
  readonly snapshot: Snapshot
  readonly records: Pick<RecordedBase, 'claimed'>
  readonly keyName: KeyName
}

/** The environment that desires a live object. */
interface DesiredElsewhere {
  readonly address: string
  readonly environment: string
}

/** The live objects that only other environments of the project desire in this area. */
export function desiredElsewhere(
  layers: LayersAccess | undefined,
  shared: SharedArea,
  request: ProjectRequest,
  ports: Ports,
): ReadonlyMap<LiveObject, DesiredElsewhere> {
  if (!layers) return new Map()
  const desired = new Map(desiredByOthers(layers, shared, request, ports))
  const { environment: own } = layers
  if (desired.size > 0 && own !== undefined) {
    for (const object of worldOf(own, layers, shared).matched.values()) desired.delete(object)
  }
  return desired
}

/**
 * The live objects that other environments desire in this area, even if this one desires them too. An environment is in the area
 * if the project file says so. For single objects, the records are proof too. Variables count only for the selected environment.
 */
function desiredByOthers(
  layers: LayersAccess,
  shared: SharedArea,
  request: ProjectRequest,
  ports: Ports,
): ReadonlyMap<LiveObject, DesiredElsewhere> {
  const { claimed } = shared.records
  const desired = new Map<LiveObject, DesiredElsewhere>()
  const known = new KnownProject()
  for (const environment of layers.others) {
    const area = areaOf(environment, shared.target, request, ports, known)
    if (area === 'another' || (area === 'unknown' && claimed.size === 0)) continue
    const world = worldOf(environment, layers, shared)
    for (const [address, object] of world.matched) {
      if (area === 'this' || isClaimed(object, world, claimed)) desired.set(object, { address, environment })
    }
  }
  return desired
}

const worldOf = (environment: string, { manifestsIn }: LayersAccess, { snapshot, keyName }: SharedArea) =>
  match(manifestsIn(environment, new Map()), snapshot, keyName)

/** The unmanaged objects without those that other environments desire in the area. */
export function unmanagedByAll(
  unmanaged: Plan['unmanaged'],
  layers: LayersAccess,
  shared: SharedArea,
  request: ProjectRequest,
  ports: Ports,
): Plan['unmanaged'] {
  const theirs = [...desiredByOthers(layers, shared, request, ports)].map(([{ kind, id }, { address }]) =>
    claimKey(kind, id, address),
  )
  const known = new Set(theirs)
  return unmanaged.filter(({ kind, id, address }) => !known.has(claimKey(kind, id, address)))
}

/** Notes for the objects of other environments. Objects inside such an object have no separate note. */
export function leftToOthers(desired: readonly (readonly [LiveObject, DesiredElsewhere])[]): readonly Problem[] {
  const objects = new Set(desired.map(([object]) => object))
  const outer = desired.filter(([{ parent }]) => parent === undefined || !objects.has(parent)).map(([, each]) => each)
  return [...groupBy(outer, ({ environment }) => environment)].map(([environment, each]) =>
    ofOtherEnvironment(environment, each.map(({ address }) => address).sort()),
  )
}

/** The manifests of another environment, before and after the edits. */
interface Other {
  readonly name: string
  readonly before: Manifests
  readonly after: Manifests
}

/**
 * Differences that these texts cause between environments of the same area. Throws a ProblemError if a text for one environment
 * breaks another one, or changes its desired state.
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

/** Throws a ProblemError if edits for one environment change another one. */
function refuseToChangeOthers({ into }: LayersAccess, others: readonly Other[]): void {
  const changed = others.filter(({ name, before, after }) => {
    const broken = hasErrors(before.problems) ? [] : errorsIn(after.problems)
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
