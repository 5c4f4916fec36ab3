import { createHmac, hkdfSync } from 'node:crypto'
import { resolve } from 'node:path'
import type { Recorded } from '../applier/missing.js'
import { areaName, areaUrl } from '../catalog/base-url.js'
import { isKindName } from '../catalog/queries.js'
import type { Json } from '../catalog/types.js'
import type { Project } from '../manifest/project.js'
import { readManifests } from '../manifest/read.js'
import type { Base, BaseObject, Fingerprint } from '../planner/base.js'
import { claimKey } from '../planner/evidence.js'
import { openRecords } from '../records/open.js'
import type { ProjectKey, Receipt, Records } from '../records/record.js'
import { baseFrom, isOutdated, recordedFrom } from './base-from.js'
import type { Io } from './io.js'
import type { RunOptions } from './options.js'
import { imageOf } from './receipts-after.js'
import { fingerprintKeyOf, type Target } from './settings.js'

/** What is known of what was last applied, and where it is written down. */
export interface LastApplied {
  readonly records: Records
  readonly key: ProjectKey
  /** Without those that are outdated. */
  readonly receipts: readonly Receipt[]
  /** The addresses of receipts that have to go: a run that was cut off has deleted their objects. */
  readonly outdated: readonly string[]
  readonly base: Base | undefined
  /** What the records tell of an address, also where the base is a git reference. */
  readonly recorded: (address: string) => Recorded | undefined
  /** Claim keys of objects that other projects of the area have made or taken over. */
  readonly claimed: ReadonlySet<string>
  readonly fingerprint: Fingerprint
}

/** Reads the records of a project in an area, or the manifests at `--base`. */
export async function lastApplied(project: Project, target: Target, options: RunOptions, io: Io): Promise<LastApplied> {
  const records = await openRecords(project.records, { dir: resolve(io.cwd, project.dir), now: io.now })
  const key = { url: target.url, area: target.area, project: project.name }
  return knownIn(records, key, project, options, io)
}

/** The same as it is now: a run that ended before the lock was taken may have written something. */
export const readAgain = ({ records, key }: LastApplied, project: Project, options: RunOptions, io: Io) =>
  knownIn(records, key, project, options, io)

async function knownIn(
  records: Records,
  key: ProjectKey,
  project: Project,
  options: RunOptions,
  io: Io,
): Promise<LastApplied> {
  const fingerprint = fingerprintOf(key, io)
  const [receipts, runs, claims] = await Promise.all([records.receipts(key), records.recent(key), records.claims(key)])
  const known = baseFrom(receipts, runs)
  const base = options.base === undefined ? known : await baseAt(options.base, project, fingerprint, options, io)
  const isOld = (receipt: Receipt) => isOutdated(receipt, known)
  return {
    ...{ records, key, base, fingerprint },
    receipts: receipts.filter((receipt) => !isOld(receipt)),
    outdated: receipts.filter(isOld).map(({ address }) => address),
    recorded: recordedFrom(known, runs),
    claimed: claimsIn(claims),
  }
}

const claimsIn = (claims: readonly Receipt[]): ReadonlySet<string> =>
  new Set(claims.flatMap(({ kind, id, address }) => (isKindName(kind) ? [claimKey(kind, id, address)] : [])))

/** The manifests at a git reference as what was last applied; what cannot be read there is no evidence. */
async function baseAt(
  reference: string,
  project: Project,
  fingerprint: Fingerprint,
  options: RunOptions,
  io: Io,
): Promise<Base> {
  const { gitFiles } = await import('./git-files.js')
  const manifests = readManifests({
    project,
    paths: options.paths,
    env: io.env,
    files: gitFiles(reference, resolve(io.cwd, project.dir), io.cwd),
    fingerprintKey: fingerprintKeyOf(io),
  })
  const objects = manifests.resources
    .filter((resource) => !resource.implied)
    .map((resource): readonly [string, BaseObject] => {
      const { address, kind } = resource
      const guarded = resource.protect ? { protect: true as const } : {}
      return [address, { address, kind, id: undefined, ...imageOf(resource, fingerprint), ...guarded }]
    })
  return { origin: reference, objects: new Map(objects) }
}

/** HMACs with a key of the user's own, else with one derived from the API secret; none without either. */
function fingerprintOf(key: ProjectKey, io: Pick<Io, 'env'>): Fingerprint {
  const own = io.env.GATEWRIGHT_FINGERPRINT_KEY
  const secret = io.env.GATEWRIGHT_API_SECRET
  if (!own && !secret) return () => undefined
  const salt = `gatewright fingerprints ${areaUrl(key.url)} ${areaName(key.area)}`
  const hmacKey = own ? Buffer.from(own) : Buffer.from(hkdfSync('sha256', secret ?? '', salt, '', 32))
  return (value: Json) =>
    `hmac:${createHmac('sha256', hmacKey).update(JSON.stringify(value)).digest('hex').slice(0, 32)}`
}
