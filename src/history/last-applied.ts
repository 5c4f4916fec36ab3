import { resolve } from 'node:path'
import type { Recorded } from '../applier/missing.js'
import { isKindName } from '../catalog/queries.js'
import type { Files } from '../files/files.js'
import type { KnownReading } from '../manifest/known-reading.js'
import { type Project, readProject, recordedName } from '../manifest/project.js'
import { readManifests } from '../manifest/read.js'
import type { Base, BaseObject } from '../planner/base/base-object.js'
import { claimKey } from '../planner/prune/ownership.js'
import type { Ports } from '../ports/ports.js'
import type { Fingerprint } from '../secrets/fingerprint.js'
import { fingerprintKeyOf, fingerprintOf } from '../secrets/fingerprint.js'
import { readOpened } from '../secrets/vault.js'
import type { Awaited, ProjectKey, Receipt, Records, RunRecord } from '../stores/record.js'
import { awaitedIn, baseFrom, receiptsFrom, recordedFrom, unfinished } from './base-from.js'
import { imageOf } from './receipts-after.js'
import { recordsOf } from './records-of.js'

/** What is known of what was last applied, and where it is written down. */
export interface LastApplied {
  readonly records: Records
  readonly key: ProjectKey
  /** As they are written down. */
  readonly stored: readonly Receipt[]
  /** With what only the journals of runs that were cut off tell. */
  readonly receipts: readonly Receipt[]
  /** Whether there are such journals. */
  readonly cutOff: boolean
  readonly base: Base | undefined
  /** The newest run, whatever came of it. */
  readonly newest?: RunRecord | undefined
  /** Creates that runs announced and of which no outcome is known. */
  readonly awaited: readonly Awaited[]
  /** What the records tell of an address, also where the base is a git reference. */
  readonly recorded: (address: string) => Recorded | undefined
  /** Claim keys of objects that other projects of the area have made or taken over. */
  readonly claimed: ReadonlySet<string>
  readonly fingerprint: Fingerprint
}

/** Where the manifests lie that were last applied, instead of the records: a git reference, and paths as in a request. */
export interface GivenBase {
  readonly base: string | undefined
  readonly paths: readonly string[]
  /** What was found in the manifests of today. */
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
  return readAgain({ records, key }, project, given, ports)
}

/** The same as it is now: a run that ended before the lock was taken may have written something. */
export async function readAgain(
  { records, key }: Pick<LastApplied, 'records' | 'key'>,
  project: Project,
  { base: reference, paths, reading }: GivenBase,
  ports: Ports,
): Promise<LastApplied> {
  const fingerprint = fingerprintOf(key, ports)
  const [stored, runs, claims] = await Promise.all([records.receipts(key), records.recent(key), records.claims(key)])
  const known = baseFrom(stored, runs)
  const awaited = awaitedIn(runs)
  const base =
    reference === undefined ? known : await baseAt({ reference, paths, reading }, project, fingerprint, ports)
  return {
    ...{ records, key, stored, base, fingerprint },
    receipts: receiptsFrom(stored, known),
    cutOff: unfinished(runs).length > 0,
    awaited,
    newest: runs[0],
    recorded: recordedFrom(known, awaited),
    claimed: claimsIn(claims),
  }
}

/** Writes the receipts that a run leaves, and what until now only journals told. */
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

const claimsIn = (claims: readonly Receipt[]): ReadonlySet<string> =>
  new Set(claims.flatMap(({ kind, id, address }) => (isKindName(kind) ? [claimKey(kind, id, address)] : [])))

/** The project with the values, defaults and patches of that commit: what they were decides what was applied. */
function withLayersAt({ layers: now, ...project }: Project, files: Files, { env }: Ports): Project {
  const { layers } = readProject({ dir: project.dir, env, environment: now?.environment }, files).project
  return layers ? { ...project, layers } : project
}

/** The manifests at a git reference as what was last applied; what cannot be read there is no evidence. */
async function baseAt(
  { reference, paths, reading }: Omit<GivenBase, 'base'> & { readonly reference: string },
  project: Project,
  fingerprint: Fingerprint,
  ports: Ports,
): Promise<Base> {
  const { gitFiles } = await import('../files/git-files.js')
  const files = gitFiles(reference, resolve(ports.cwd, project.dir), ports.cwd, reading?.texts())
  const input = {
    project: withLayersAt(project, files, ports),
    paths,
    env: ports.env,
    files,
    known: reading,
    fingerprintKey: fingerprintKeyOf(ports),
    vault: ports.vault,
  }
  const manifests = await readOpened(ports.vault, () => readManifests(input))
  const objects = manifests.resources
    .filter((resource) => !resource.implied)
    .map((resource): readonly [string, BaseObject] => {
      const { address, kind } = resource
      const guarded = resource.protect ? { protect: true as const } : {}
      return [address, { address, kind, id: undefined, ...imageOf(resource, fingerprint), ...guarded }]
    })
  return { origin: reference, objects: new Map(objects) }
}
