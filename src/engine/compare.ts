import { catalog } from '../catalog/catalog.js'
import { rootOf } from '../catalog/queries.js'
import type { Reading } from '../client/types.js'
import { type DiffDocument, diffDocument } from '../documents/diff.js'
import { digest } from '../json/digest.js'
import { indexLive } from '../live/live-index.js'
import type { Snapshot } from '../live/live-object.js'
import { type Manifests, noManifests } from '../manifest/resource.js'
import {
  compareLive,
  compareManifests,
  type Difference,
  differencesIn,
  type LiveSide,
} from '../planner/compare-areas.js'
import { makePlan } from '../planner/make-plan.js'
import { match } from '../planner/match/match.js'
import type { Plan, PlanSettings } from '../planner/plan.js'
import { readSpecFor } from '../planner/read-spec.js'
import { addressMatcher, emptyGlobs } from '../planner/select.js'
import type { Ports } from '../ports/ports.js'
import { hasErrors, ProblemError } from '../problems/problem.js'
import { holdsSecret } from '../secrets/mask.js'
import { type DiffSide, sideOf } from './diff-side.js'
import { refuseLabels } from './live-area.js'
import type { DiffRequest } from './requests.js'
import { keyNames, knownIn, knownLive, readSnapshot } from './snapshot-area.js'

/** Snapshot files, folders of manifests and live areas compared by address and field. Sends only GET. */
export async function compareSides(request: DiffRequest, ports: Ports): Promise<DiffDocument> {
  refuseLabels(request)
  const [first, second] = request.sides
  const [a, b] = [await sideOf(first, request, ports), await sideOf(second, request, ports)]
  const { differences, addresses } = await compared(a, b, ports)
  const empty = emptyGlobs(request.select, addresses)
  if (empty.length > 0) throw new ProblemError(empty)
  const isSelected = addressMatcher(request.select)
  return diffDocument(
    first,
    second,
    { differences: differences.filter(({ address }) => isSelected(address)) },
    ports.mask,
  )
}

interface Compared {
  readonly differences: readonly Difference[]
  /** Of all objects of both sides, with differences or without. */
  readonly addresses: readonly string[]
}

async function compared(a: DiffSide, b: DiffSide, ports: Ports): Promise<Compared> {
  if (a.is === 'manifests') {
    if (b.is === 'manifests') {
      const addresses = [...a.manifests.resources, ...b.manifests.resources].map(({ address }) => address)
      return { differences: compareManifests(a.manifests, b.manifests), addresses }
    }
    return withAddresses(await planOf(a.manifests, b, ports), a.manifests, 'a')
  }
  if (b.is === 'manifests') return withAddresses(await planOf(b.manifests, a, ports), b.manifests, 'b')
  const snapshots = await snapshotsOf(a, b, ports)
  const [first, second] = [liveSide(snapshots[0], ports), liveSide(snapshots[1], ports)]
  const addresses = [first, second].flatMap(({ live, addressOf }) => live.all.map(addressOf))
  return { differences: compareLive(first, second, (value) => holdsSecret(value, ports.mask)), addresses }
}

function withAddresses(plan: Plan, { resources }: Manifests, side: 'a' | 'b'): Compared {
  const addresses = [...resources, ...plan.changes, ...plan.unmanaged].map(({ address }) => address)
  return { differences: differencesIn(plan, side), addresses }
}

type LiveOrFile = Exclude<DiffSide, { is: 'manifests' }>

/** What the other side has beyond the kinds that the manifests speak of is nobody's difference. */
async function planOf(manifests: Manifests, other: LiveOrFile, ports: Ports) {
  const roots = new Set(manifests.resources.map((resource) => rootOf(catalog[resource.kind]).name))
  const settings: PlanSettings = {
    prune: 'all',
    scope: { kinds: [...roots].sort(), names: [] },
    conventionalOperations: 'use',
    take: 'manifest',
    allowReplace: true,
  }
  const { snapshot, notOffered } =
    other.is === 'file'
      ? readSnapshot(other.file, knownIn(manifests), ports)
      : await other.read((client) => client.read(readSpecFor(manifests, settings, 'plan', undefined)))
  const plan = makePlan({
    manifests,
    snapshot,
    notOffered,
    settings,
    base: undefined,
    fingerprint: () => undefined,
    ownedElsewhere: new Set(),
    keyName: keyNames(ports),
    digest,
  })
  if (hasErrors(plan.problems)) throw new ProblemError(plan.problems)
  return plan
}

/** A file leaves the values of keys out: those of a live side tell which are the same. */
async function snapshotsOf(a: LiveOrFile, b: LiveOrFile, ports: Ports): Promise<readonly [Snapshot, Snapshot]> {
  const [live, otherLive] = await Promise.all([liveOf(a), liveOf(b)])
  const known = live ?? otherLive
  const read = (side: LiveOrFile, own: Reading | undefined): Snapshot => {
    if (own) return own.snapshot
    if (side.is !== 'file') throw new Error('a live side was not read')
    return readSnapshot(side.file, known ? knownLive(indexLive(known.snapshot)) : [], ports).snapshot
  }
  return [read(a, live), read(b, otherLive)]
}

const liveOf = async (side: LiveOrFile): Promise<Reading | undefined> =>
  side.is === 'live' ? await side.read() : undefined

function liveSide(snapshot: Snapshot, ports: Ports): LiveSide {
  const { live, addressOfLive } = match(noManifests, snapshot, keyNames(ports))
  return { live, addressOf: addressOfLive }
}
