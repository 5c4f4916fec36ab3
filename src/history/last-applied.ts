import { resolve } from 'node:path'
import type { Recorded } from '../applier/missing.js'
import { isKindName } from '../catalog/queries.js'
import type { Files } from '../files/files.js'
import { join } from '../files/paths.js'
import { textsIn } from '../json/json.js'
import { pointerTo } from '../json/pointer.js'
import type { KnownReading } from '../manifest/known-reading.js'
import { plain } from '../manifest/node.js'
import { givenApiSecret, isNoMatterThere, type Project, readProject, recordedName } from '../manifest/project.js'
import { projectFile } from '../manifest/project-files.js'
import { readManifests } from '../manifest/read.js'
import { declaredOf, type Resource } from '../manifest/resource.js'
import { textOfRange } from '../manifest/source.js'
import type { Base, BaseObject } from '../planner/base/base-object.js'
import { claimKey } from '../planner/prune/ownership.js'
import type { Ports } from '../ports/ports.js'
import { environmentNotChosen } from '../problems/compose.js'
import { baseIncomplete, noBaseAt, projectNotAt } from '../problems/planning.js'
import type { Problem } from '../problems/problem.js'
import { type Fingerprint, fingerprintKeyOf, fingerprintOf } from '../secrets/fingerprint.js'
import { readOpened } from '../secrets/vault.js'
import type { Awaited, ProjectKey, Receipt, Records, RunRecord } from '../stores/record.js'
import { awaitedIn, baseFrom, interruptedIn, receiptsFrom, recordedFrom } from './base-from.js'
import { imageOf } from './receipts-after.js'
import { recordsOf } from './records-of.js'

/** What is known of the last applied state, and where it is recorded. */
export interface LastApplied {
  readonly records: Records
  readonly key: ProjectKey
  /** The receipts as they are stored. */
  readonly stored: readonly Receipt[]
  /** The receipts with the changes that are only in the journals of interrupted runs. */
  readonly receipts: readonly Receipt[]
  /** The interrupted runs, newest first. */
  readonly interrupted: readonly RunRecord[]
  readonly base: Base | undefined
  /** Whether the base is a git reference, which has no information about runs. */
  readonly isGiven: boolean
  /** For a git reference: problems about what it does not show of the last applied state. */
  readonly doubts: readonly Problem[]
  /** The newest run, whatever its outcome. */
  readonly newest?: RunRecord | undefined
  /** Creates that runs announced and that have no known outcome. */
  readonly awaited: readonly Awaited[]
  /** What the records have of an address, even if the base is a git reference. */
  readonly recorded: (address: string) => Recorded | undefined
  /** Claim keys of objects that other projects of the area have created or taken over. */
  readonly claimed: ReadonlySet<string>
  readonly fingerprint: Fingerprint
}

/** The manifests that were last applied, if they replace the records: a git reference, and paths as in a request. */
export interface GivenBase {
  readonly base: string | undefined
  readonly paths: readonly string[]
  /** As in a request. */
  readonly allowFile?: readonly string[]
  /** As in a request. */
  readonly values?: readonly string[]
  /** What the reading of today's manifests found. */
  readonly reading?: KnownReading | undefined
}

/** Reads the records of a project in an area, or the manifests at a git reference. */
export async function lastApplied(
  project: Project,
  target: Pick<ProjectKey, 'url' | 'area'>,
  given: GivenBase,
  ports: Ports,
): Promise<LastApplied> {
  const records = await recordsOf(project, ports)
  const key = { url: target.url, area: target.area, project: recordedName(project) }
  return readAgain({ records, key }, project, given, ports).catch(async (error: unknown) => {
    await records.close()
    throw error
  })
}

/** The same, read again: a run that ended before the lock was taken may have written something. */
export async function readAgain(
  { records, key }: Pick<LastApplied, 'records' | 'key'>,
  project: Project,
  { base: reference, ...given }: GivenBase,
  ports: Ports,
): Promise<LastApplied> {
  const fingerprint = fingerprintOf(key, ports, givenApiSecret(project))
  const [stored, runs, claims] = await Promise.all([records.receipts(key), records.recent(key), records.claims(key)])
  const known = baseFrom(stored, runs)
  const awaited = awaitedIn(runs)
  const reported: ReportedAt =
    reference === undefined
      ? { base: known, doubts: [] }
      : await baseAt({ reference, ...given }, project, fingerprint, ports)
  return {
    ...{ records, key, stored, fingerprint, ...reported },
    isGiven: reference !== undefined,
    receipts: receiptsFrom(stored, known),
    interrupted: interruptedIn(runs),
    awaited,
    newest: runs[0],
    recorded: recordedFrom(known, awaited),
    claimed: claimsIn(claims),
  }
}

/** Writes the receipts that a run leaves, and those of changes that were only in journals so far. */
export async function writeReceipts(
  { records, key, stored, receipts }: LastApplied,
  keep: readonly Receipt[],
  forget: ReadonlySet<string>,
): Promise<void> {
  const left = [...receipts.filter(({ address }) => !forget.has(address)), ...keep]
  const after = new Map(left.map((receipt) => [receipt.address, receipt]))
  const before = new Map(stored.map((receipt) => [receipt.address, receipt]))
  const changed = [...after.values()].filter((receipt) => before.get(receipt.address) !== receipt)
  const gone = [...before.keys()].filter((address) => !after.has(address))
  if (changed.length > 0 || gone.length > 0) await records.keep(key, changed, gone)
}

/** The claim keys of receipts, for comparison with live objects. */
export const claimsIn = (claims: readonly Receipt[]): ReadonlySet<string> =>
  new Set(claims.flatMap(({ kind, id, address }) => (isKindName(kind) ? [claimKey(kind, id, address)] : [])))

/** A commit with the manifests that were last applied, and paths in it as in a request. */
interface Commit extends Omit<GivenBase, 'base'> {
  readonly reference: string
}

/** The base from the manifests at a git reference, and the problems of it. */
type ReportedAt = Pick<LastApplied, 'base' | 'doubts'>

/** The manifests at a git reference as the last applied state. What cannot be read there is not used, and is reported. */
async function baseAt(commit: Commit, now: Project, fingerprint: Fingerprint, ports: Ports): Promise<ReportedAt> {
  const { reference, paths, reading, allowFile, values = [] } = commit
  const { gitFiles } = await import('../files/git-files.js')
  const files = gitFiles(reference, resolve(ports.cwd, now.dir), ports.cwd, reading?.texts())
  const project = projectAt(commit, now, files, ports)
  if ('code' in project) return { base: undefined, doubts: [project] }
  const input = {
    project,
    paths,
    env: ports.env,
    files,
    known: reading,
    fingerprintKey: fingerprintKeyOf(ports),
    secretFolders: allowFile,
    vault: ports.vault,
  }
  const manifests = await readOpened(ports.vault, () => readManifests(input))
  for (const secret of manifests.secrets) ports.mask.learn(secret)
  const given = values.map((each) => each.split('=')[0] ?? '')
  const objects = declaredOf(manifests.resources).map((resource): readonly [string, BaseObject] => [
    resource.address,
    baseObject(resource, fingerprint, given),
  ])
  const [first, ...others] = manifests.problems.flatMap((problem) =>
    problem.severity === 'error' ? [{ ...problem, message: ports.mask(problem.message) }] : [],
  )
  const doubts = first ? [baseIncomplete(reference, first, others)] : []
  return { base: { origin: reference, objects: new Map(objects) }, doubts }
}

/** The last applied state from a manifest. Most resources have only fields, and there are thousands of them. */
function baseObject(resource: Resource, fingerprint: Fingerprint, given: readonly string[]): BaseObject {
  const { address, kind, protect, labels } = resource
  const { fields, fingerprints, templates } = imageOf(resource, fingerprint)
  const assumed = assumedIn(resource, given)
  const plain = { address, kind, id: undefined, fields, fingerprints }
  const isLabelled = Object.keys(labels).length > 0
  if (!protect && !isLabelled && !templates && assumed.length === 0) return plain
  return {
    ...plain,
    ...(templates && { templates }),
    ...(protect && { protect }),
    ...(isLabelled && { labels }),
    ...(assumed.length > 0 && { assumed }),
  }
}

/**
 * The project, with the manifests and layers from the project file of that commit, because these decided what was applied. If the
 * file is missing or broken, the problem: what was applied is never guessed (A335).
 */
function projectAt(
  { reference, paths, values = [] }: Commit,
  now: Project,
  files: Files,
  { env }: Ports,
): Project | Problem {
  const { layers: layersNow, policies: _, ...own } = now
  const isThere = files.exists(join(now.dir, projectFile)) !== 'no'
  // If there is no project file today either, everything below the folder counts. If paths are given, the file is not needed.
  if (!isThere && now.file !== undefined && (paths.length === 0 || layersNow)) {
    return projectNotAt(reference, now.file)
  }
  const then = readProject({ dir: now.dir, env, environment: layersNow?.environment, values }, files)
  // Settings of that commit, such as credentials, are not used. A value that is not declared there may still be on today's
  // command line.
  const isNoMatter = (each: Problem) => isNoMatterThere(each) || (each.code === 'value-unknown' && !each.place)
  const broken = then.problems.find((problem) => problem.severity === 'error' && !isNoMatter(problem))
  if (isThere && broken) return noBaseAt(reference, broken)
  const { file, manifests, layers, policies } = then.project
  if (layers && layers.environments.length > 0 && layers.environment === undefined) {
    return noBaseAt(reference, environmentNotChosen(layers.environments))
  }
  return { ...own, file, manifests, ...(policies && { policies }), ...(layers && { layers }) }
}

/**
 * JSON Pointers of values at a commit that come from today's settings, such as variables: the applied values are not known. A
 * value that is encrypted in the commit is known. A value that is not secret is found only if the manifest contains its variable,
 * or a value of today's command line (`given`: the names) (A337).
 */
function assumedIn({ fields, templates, range, ranges }: Resource, given: readonly string[]): readonly string[] {
  const written = (path: string): readonly string[] => {
    const value = ranges.layersAt(path)[0]?.value
    return value ? textsIn(plain(value)) : [variable]
  }
  const secrets = [...(templates?.keys() ?? [])].filter((path) => !written(path).every(isOfCommit))
  const ofToday = [variable, ...given.map((name) => `\${value:${name}}`)]
  const isIn = (text: string): boolean => ofToday.some((each) => text.includes(each))
  if (!isIn(textOfRange(range))) return secrets
  const open = Object.keys(fields).map((name) => pointerTo(name))
  return [...secrets, ...open.filter((path) => written(path).some(isIn))]
}

const variable = '${env:'

const isOfCommit = (text: string): boolean => !/\$\{(?!sops:|age:)/.test(text)
