import { addressAndAbove } from '../catalog/address.js'
import { readAll } from '../client/full-read.js'
import type { Client, Reading } from '../client/types.js'
import type { TargetDocument } from '../documents/target.js'
import type { Snapshot } from '../live/live-object.js'
import { type Project, projectIn } from '../manifest/project.js'
import { type Manifests, noManifests } from '../manifest/resource.js'
import type { Base } from '../planner/base/base-object.js'
import { pathOfPrint, valueAtPath } from '../planner/compare/secret-values.js'
import type { LiveSide } from '../planner/compare-areas.js'
import { match } from '../planner/match/match.js'
import { claimKey } from '../planner/prune/ownership.js'
import { containersIn } from '../planner/read-spec.js'
import type { Ports } from '../ports/ports.js'
import { ProblemError } from '../problems/problem.js'
import { notAvailable } from '../problems/project.js'
import { targetText } from '../report/target.js'
import { connectionTo } from './connection.js'
import { displayedTexts, learnFromMatched, learnFromProject } from './known-secrets.js'
import { otherEnvironment } from './other-environment.js'
import { chosenProject } from './project.js'
import { nothingRecorded, type RecordedBase, recordedInAll } from './recorded-base.js'
import type { ProjectRequest } from './requests.js'
import { accessOf, type Target } from './settings.js'
import { keyNames, readSnapshot } from './snapshot-area.js'

/** The project file, which is optional. Throws a ProblemError if it is broken, or if an environment must be chosen. */
export function projectOf(request: ProjectRequest, ports: Ports): Project {
  return chosenProject(request, ports).project
}

/**
 * The target of a request. Throws a ProblemError if it cannot be read. For two targets, both are checked before anything is sent
 * to either.
 */
export function readableTarget(request: ProjectRequest, ports: Ports): TargetDocument {
  const project = projectOf(request, ports)
  const { url, area } = accessOf(project, request, ports)
  return { url, area, ...projectIn(project) }
}

/** A reading of an area, with the records about it. */
export interface RecordedReading extends Reading {
  readonly recorded: RecordedBase
}

interface LiveReading extends RecordedReading {
  readonly target: Target
}

/** The reading of a snapshot file instead of an area. It has no records. */
export const readingFile = (...file: Parameters<typeof readSnapshot>): RecordedReading => ({
  ...readSnapshot(...file),
  recorded: nothingRecorded,
})

/**
 * Reads from the live area, and closes its connections. Sends only GET. The records are those of the selected environment, and of
 * the other given environments if they are in the same area.
 */
export async function readingLive(
  request: ProjectRequest,
  ports: Ports,
  read: (client: Client, recorded: RecordedBase, manifests: Manifests | undefined) => Promise<Reading>,
  others: readonly string[] = [],
): Promise<LiveReading> {
  const project = projectOf(request, ports)
  const access = accessOf(project, request, ports)
  ports.progress.target(targetText({ url: access.url, area: access.area, ...projectIn(project) }))
  const manifests = await learnFromProject(project, request, ports)
  const client = await connectionTo({ access, project, mask: ports.mask, logHttp: request.logHttp }, ports)
  try {
    const target = { url: access.url, area: access.area }
    const more = others.filter((each) => each !== project.layers?.environment)
    const recorded = await recordedInAll([project, ...projectsIn(more, target, request, ports)], target, ports)
    const reading = await read(client, recorded, manifests)
    if (manifests) learnFromLive(manifests, reading, ports)
    if (recorded.base) learnFromRecords(recorded.base, manifests, reading, ports)
    return { ...reading, target, recorded }
  } finally {
    await client.close()
  }
}

/** Reads the whole area, with the containers that manifests name. */
export const wholeArea = (client: Client, _: RecordedBase, manifests: Manifests | undefined): Promise<Reading> =>
  readAll(client, manifests && { containers: containersIn(manifests) })

/** The projects of those environments that are in the area. */
function projectsIn(
  environments: readonly string[],
  { url, area }: Target,
  request: ProjectRequest,
  ports: Ports,
): readonly Project[] {
  return environments.flatMap((environment) => {
    const other = otherEnvironment(environment, request, ports)
    return 'why' in other || other.key.url !== url || other.key.area !== area ? [] : [other.project]
  })
}

/** Hides the live values of fields that are secret in manifests. */
function learnFromLive(manifests: Manifests, { snapshot }: Reading, ports: Ports): void {
  const holding = manifests.resources.filter(({ sensitive }) => sensitive.length > 0)
  if (holding.length === 0) return
  const inside = new Set(holding.flatMap(({ address }) => addressAndAbove(address)))
  // Other objects may need parts that were not read, such as links.
  const resources = manifests.resources.filter(({ address }) => inside.has(address))
  const { matched } = match({ ...manifests, resources }, snapshot, keyNames(ports))
  learnFromMatched(holding, matched, ports.mask)
}

/** Hides live values that were secret when they were applied, even if no manifest declares them secret any more. */
function learnFromRecords(
  { objects }: Base,
  manifests: Manifests | undefined,
  { snapshot }: Reading,
  ports: Ports,
): void {
  const holding = [...objects.values()].filter(({ fingerprints }) => Object.keys(fingerprints).length > 0)
  if (holding.length === 0) return
  const written = new Map(manifests?.resources.map(({ address, sensitive }) => [address, sensitive]))
  const { live, addressOf } = addressedLive(snapshot, ports)
  const known = new Map(live.all.map((object) => [claimKey(object.kind, object.id, addressOf(object)), object]))
  for (const { address, kind, id = '', fingerprints } of holding) {
    const fields = known.get(claimKey(kind, id, address))?.fields ?? {}
    const paths = Object.keys(fingerprints).map(pathOfPrint)
    for (const path of paths) {
      if (!written.get(address)?.includes(path)) ports.mask.learn(...displayedTexts(valueAtPath(fields, path)))
    }
  }
}

/** The live objects with their addresses, independent of manifests. */
export function addressedLive(snapshot: Snapshot, ports: Pick<Ports, 'env'>): LiveSide {
  const { live, addressOfLive } = match(noManifests, snapshot, keyNames(ports))
  return { live, addressOf: addressOfLive }
}

/** Labels exist only in manifests: no live object has one. Throws a ProblemError if the request has labels. */
export function refuseLabels({ labels }: ProjectRequest): void {
  if (labels.length > 0) throw new ProblemError([notAvailable('--label for live objects', 'choose with --select')])
}
