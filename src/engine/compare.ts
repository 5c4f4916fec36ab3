import { catalog } from '../catalog/catalog.js'
import { rootOf } from '../catalog/queries.js'
import type { KindName } from '../catalog/types.js'
import { type DiffDocument, diffDocument, type NamedSide } from '../documents/diff.js'
import type { TargetDocument } from '../documents/target.js'
import { type Files, nodeFiles } from '../files/files.js'
import { digest } from '../json/digest.js'
import { keysOf } from '../json/pointer.js'
import { indexLive } from '../live/live-index.js'
import { isFolderCovered } from '../manifest/covered.js'
import { readProject } from '../manifest/project.js'
import type { Manifests, Resource } from '../manifest/resource.js'
import { compareLive, compareManifests, type Difference, differencesIn } from '../planner/compare-areas.js'
import { makePlan } from '../planner/make-plan.js'
import type { PlanSettings } from '../planner/plan.js'
import { readSpecFor } from '../planner/read-spec.js'
import { addressMatcher, emptyGlobs } from '../planner/select.js'
import type { Ports } from '../ports/ports.js'
import { distinctProblems, hasErrors, type Problem, ProblemError } from '../problems/problem.js'
import { diffSideUnknown, secretsNotCompared, snapshotSecretsUnknown } from '../problems/records.js'
import { showsSecret } from '../secrets/mask.js'
import { inEnvironment } from './environment-area.js'
import {
  addressedLive,
  type RecordedReading,
  readableTarget,
  readingFile,
  readingLive,
  refuseLabels,
  wholeArea,
} from './live-area.js'
import { environmentOf } from './project.js'
import type { DiffRequest, ProjectRequest } from './requests.js'
import { manifestsFor } from './settings.js'
import { keyNames, knownIn, knownLive, unknownSecrets } from './snapshot-area.js'

/** The result of comparing two sides. */
export interface ComparedSides {
  readonly document: DiffDocument
  /** Why the records cannot be read. They know secrets that no manifest names any more. */
  readonly problems: readonly Problem[]
}

/** Compares snapshot files, folders of manifests and live areas by address and field. Sends only GET. */
export async function compareSides(request: DiffRequest, ports: Ports): Promise<ComparedSides> {
  refuseLabels(request)
  const [first, second] = request.sides
  const [a, b] = [await sideOf(first, request, ports), await sideOf(second, request, ports)]
  const isSelected = addressMatcher(request.select)
  const { differences, addresses, problems } = await compared(a, b, { isSelected, ports })
  const empty = emptyGlobs(request.select, addresses)
  if (empty.length > 0) throw new ProblemError(empty)
  const selected = differences.filter(({ address }) => isSelected(address))
  const document = diffDocument(namedSide(first, a), namedSide(second, b), { differences: selected }, ports.mask)
  return { document, problems: distinctProblems(problems) }
}

/** A side with its name in the request, and its area if it is live. */
const namedSide = (name: string, side: DiffSide): NamedSide =>
  side.is === 'live' ? { name, target: side.target } : { name }

interface Compared {
  readonly differences: readonly Difference[]
  /** The addresses of all objects of both sides, with or without differences. */
  readonly addresses: readonly string[]
  readonly problems: readonly Problem[]
}

interface CompareInput {
  readonly isSelected: (address: string) => boolean
  readonly ports: Ports
}

async function compared(a: DiffSide, b: DiffSide, { isSelected, ports }: CompareInput): Promise<Compared> {
  if (a.is === 'manifests') {
    if (b.is === 'manifests') {
      const both = [...a.manifests.resources, ...b.manifests.resources]
      const differences = compareManifests(a.manifests, b.manifests)
      const problems = unsetIn(
        both.filter(({ address }) => isSelected(address)),
        differences,
      )
      return { differences, addresses: both.map(({ address }) => address), problems }
    }
    return comparedByPlan(a.manifests, b, 'a', { isSelected, ports })
  }
  if (b.is === 'manifests') return comparedByPlan(b.manifests, a, 'b', { isSelected, ports })
  const readings = await readingsOf(a, b, ports)
  const [first, second] = [addressedLive(readings[0].snapshot, ports), addressedLive(readings[1].snapshot, ports)]
  const { differences, leftOut } = compareLive(first, second, (value) => showsSecret(value, ports.mask))
  const unreported = leftOut.filter(({ address }) => isSelected(address))
  const notCompared = Object.entries({ a, b }).flatMap(([name, side]) => {
    const count = unreported.filter(({ by }) => by === name).length
    return side.is === 'file' && count > 0 ? [snapshotSecretsUnknown(side.file, count)] : []
  })
  return {
    differences,
    addresses: [first, second].flatMap(({ live, addressOf }) => live.all.map(addressOf)),
    problems: [...readings.flatMap(({ recorded }) => recorded.problems), ...notCompared],
  }
}

/** Reports how many secrets of objects on both sides are unavailable. Write-only fields are never compared. */
function unsetIn(resources: readonly Resource[], differences: readonly Difference[]): readonly Problem[] {
  const onOneSide = new Set(differences.flatMap((each) => (each.in === 'both' ? [] : [each.address])))
  const onBoth = resources.filter(({ address }) => !onOneSide.has(address))
  const isCompared = (kind: KindName, path: string) => !catalog[kind].fields[keysOf(path)[0] ?? '']?.writeOnly
  const unset = onBoth.flatMap(({ kind, address, unavailable }) =>
    unavailable.filter((path) => isCompared(kind, path)).map((path) => `${address} ${path}`),
  )
  return unset.length === 0 ? [] : [secretsNotCompared(new Set(unset).size)]
}

type LiveOrFile = Exclude<DiffSide, { is: 'manifests' }>

/** Compares manifests with another side. Objects of kinds that the manifests do not contain are no difference. */
async function comparedByPlan(
  manifests: Manifests,
  other: LiveOrFile,
  side: 'a' | 'b',
  { isSelected, ports }: CompareInput,
): Promise<Compared> {
  const roots = new Set(manifests.resources.map((resource) => rootOf(catalog[resource.kind]).name))
  const settings: PlanSettings = {
    prune: 'all',
    scope: { kinds: [...roots].sort(), names: [] },
    conventionalOperations: 'use',
    take: 'manifest',
    allowReplace: true,
    madeFor: 'report',
  }
  const { snapshot, notOffered, recorded } =
    other.is === 'file'
      ? readingFile(other.file, knownIn(manifests), ports)
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
  const addresses = [...manifests.resources, ...plan.changes, ...plan.unmanaged].map(({ address }) => address)
  const differences = differencesIn(plan, side)
  const resources = manifests.resources.filter(({ address }) => isSelected(address))
  const leftOut = other.is === 'file' ? unknownSecrets(other.file, { resources }, snapshot) : []
  return { differences, addresses, problems: [...recorded.problems, ...leftOut, ...unsetIn(resources, differences)] }
}

/** Reads the two sides. A file leaves out the values of keys, so the values of a live side show which keys are equal. */
async function readingsOf(
  a: LiveOrFile,
  b: LiveOrFile,
  ports: Ports,
): Promise<readonly [RecordedReading, RecordedReading]> {
  const [live, otherLive] = await Promise.all([liveOf(a), liveOf(b)])
  const known = live ?? otherLive
  const read = (side: LiveOrFile, own: RecordedReading | undefined): RecordedReading => {
    if (own) return own
    if (side.is !== 'file') throw new Error('a live side was not read')
    return readingFile(side.file, known ? knownLive(indexLive(known.snapshot)) : [], ports)
  }
  return [read(a, live), read(b, otherLive)]
}

const liveOf = async (side: LiveOrFile): Promise<RecordedReading | undefined> =>
  side.is === 'live' ? await side.read() : undefined

/** One side of a comparison. A live side is read later, when it is known what must be read. */
type DiffSide =
  | { readonly is: 'manifests'; readonly manifests: Manifests }
  | { readonly is: 'file'; readonly file: string }
  | {
      readonly is: 'live'
      readonly target: TargetDocument
      readonly read: (what?: typeof wholeArea) => Promise<RecordedReading>
    }

/** The side that a word names: `live`, `env:NAME`, `URL[#AREA]`, a snapshot file, or a folder (file, pattern) of manifests. */
async function sideOf(word: string, request: ProjectRequest, ports: Ports): Promise<DiffSide> {
  if (word === 'live') return liveSide(request, ports)
  if (/^https?:\/\//.test(word)) {
    const [url = word, area] = word.split('#')
    return liveSide({ ...request, url, area: area ?? request.area }, ports)
  }
  if (word.startsWith('env:')) return liveSide(inEnvironment(word.slice('env:'.length), request, ports), ports)
  const files = nodeFiles(ports.cwd)
  const there = files.exists(word)
  if (there === 'file' && !/\.ya?ml$/.test(word)) return { is: 'file', file: word }
  if (there === 'no' && !/[*?{[]/.test(word)) throw new ProblemError([diffSideUnknown(word)])
  return { is: 'manifests', manifests: await manifestsIn(word, there, request, ports) }
}

function liveSide(request: ProjectRequest, ports: Ports): DiffSide {
  const target = readableTarget(request, ports)
  return { is: 'live', target, read: (what = wholeArea) => readingLive(request, ports, what) }
}

async function manifestsIn(
  path: string,
  there: ReturnType<Files['exists']>,
  request: ProjectRequest,
  ports: Ports,
): Promise<Manifests> {
  const files = nodeFiles(ports.cwd)
  const { project, problems, paths } = projectAround(path, there === 'folder', request, ports)
  const manifests = await manifestsFor({ project, files, paths }, request, ports)
  const found = [...problems, ...manifests.problems]
  if (hasErrors(found)) throw new ProblemError(found)
  return manifests
}

/**
 * The project whose layers apply to a folder or a file: that of its own project file, or the current project if it reads the
 * path. Any other folder, such as an export, has no layers. The environment is the selected one, if that project has it.
 */
function projectAround(path: string, isFolder: boolean, request: ProjectRequest, ports: Ports) {
  const files = nodeFiles(ports.cwd)
  const chosen = environmentOf(request, ports)
  const read = (dir: string) => {
    const bare = readProject({ dir, env: ports.env }, files)
    const isThere = chosen !== undefined && bare.project.layers?.environments.includes(chosen)
    return isThere ? readProject({ dir, env: ports.env, environment: chosen }, files) : bare
  }
  const own = { ...read(isFolder ? path : request.directory), paths: isFolder ? [] : [path] }
  if (!isFolder || own.project.file !== undefined) return own
  const around = read(request.directory)
  return isFolderCovered(path, around.project, ports.cwd) ? { ...around, paths: [path] } : own
}
