import { catalog } from '../../catalog/catalog.js'
import type { Snapshot } from '../../catalog/live.js'
import { rootOf } from '../../catalog/queries.js'
import type { Reading } from '../../client/types.js'
import type { Manifests } from '../../manifest/resource.js'
import {
  compareLive,
  compareManifests,
  type Difference,
  differencesIn,
  type LiveSide,
} from '../../planner/compare-areas.js'
import { indexLive } from '../../planner/live-index.js'
import { makePlan } from '../../planner/make-plan.js'
import { match } from '../../planner/match.js'
import type { PlanSettings } from '../../planner/plan.js'
import { readSpecFor } from '../../planner/read-spec.js'
import { addressMatcher } from '../../planner/select.js'
import { hasErrors, ProblemError } from '../../problem.js'
import { type DiffDocument, diffDocument, diffJson, diffMarkdown, diffText } from '../../report/diff.js'
import type { Report } from '../../report/problems.js'
import { digest } from '../area.js'
import { coloursFor } from '../colour.js'
import { type Side, sideOf } from '../diff-side.js'
import { exit } from '../exit.js'
import type { Io } from '../io.js'
import { refuseLabels } from '../live-area.js'
import type { DiffOptions } from '../options.js'
import { keyNames, knownIn, knownLive, readSnapshot } from '../snapshot-area.js'

/** `diff A B`: snapshot files, folders of manifests and live areas compared by address and field. Sends only GET. */
export async function diffCommand(options: DiffOptions, io: Io): Promise<number> {
  refuseLabels(options)
  const [first, second] = options.sides
  const [a, b] = [sideOf(first, options, io), sideOf(second, options, io)]
  const differences = await compared(a, b, io)
  const isSelected = addressMatcher(options.select)
  const chosen = differences.filter(({ address }) => isSelected(address))
  const document = diffDocument(first, second, chosen)
  io.stdout.write(reportOf(document, options, io).output)
  return chosen.length === 0 ? exit.done : exit.differences
}

async function compared(a: Side, b: Side, io: Io): Promise<readonly Difference[]> {
  if (a.is === 'manifests') {
    if (b.is === 'manifests') return compareManifests(a.manifests, b.manifests)
    return differencesIn(await planOf(a.manifests, b, io), 'a')
  }
  if (b.is === 'manifests') return differencesIn(await planOf(b.manifests, a, io), 'b')
  const [first, second] = await snapshotsOf(a, b, io)
  return compareLive(liveSide(first, io), liveSide(second, io))
}

type LiveOrFile = Exclude<Side, { is: 'manifests' }>

/** What the other side has beyond the kinds that the manifests speak of is nobody's difference. */
async function planOf(manifests: Manifests, other: LiveOrFile, io: Io) {
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
      ? readSnapshot(other.file, knownIn(manifests), io)
      : await other.read((client) => client.read(readSpecFor(manifests, settings, 'plan', undefined)))
  const plan = makePlan({
    manifests,
    snapshot,
    notOffered,
    settings,
    base: undefined,
    fingerprint: () => undefined,
    claimedByOthers: new Set(),
    keyName: keyNames(io),
    digest,
  })
  if (hasErrors(plan.problems)) throw new ProblemError(plan.problems)
  return plan
}

/** A file leaves the values of keys out: those of a live side tell which are the same. */
async function snapshotsOf(a: LiveOrFile, b: LiveOrFile, io: Io): Promise<readonly [Snapshot, Snapshot]> {
  const [live, otherLive] = await Promise.all([liveOf(a), liveOf(b)])
  const known = live ?? otherLive
  const read = (side: LiveOrFile, own: Reading | undefined): Snapshot => {
    if (own) return own.snapshot
    if (side.is !== 'file') throw new Error('a live side was not read')
    return readSnapshot(side.file, known ? knownLive(indexLive(known.snapshot)) : [], io).snapshot
  }
  return [read(a, live), read(b, otherLive)]
}

const liveOf = async (side: LiveOrFile): Promise<Reading | undefined> =>
  side.is === 'live' ? await side.read() : undefined

function liveSide(snapshot: Snapshot, io: Io): LiveSide {
  const nothing = { resources: [], removals: [], problems: [], digest: '', secrets: [] }
  const { live, addressOfLive } = match(nothing, snapshot, keyNames(io))
  return { live, addressOf: addressOfLive }
}

function reportOf(document: DiffDocument, options: DiffOptions, io: Io): Report {
  switch (options.output) {
    case 'json':
      return diffJson(document)
    case 'markdown':
      return diffMarkdown(document)
    case 'text':
      return diffText(document, { colours: coloursFor(io.stdout, options, io) })
  }
}
