import type { WrittenFile } from '../../documents/export.js'
import { digest } from '../../json/digest.js'
import { keysOf } from '../../json/pointer.js'
import { indexLive } from '../../live/live-index.js'
import { nameVariables } from '../../live/variables.js'
import { placeOf } from '../../manifest/source.js'
import { objectsOfBase } from '../../planner/base/base-object.js'
import { type Plan, type Verdict, wantedBy } from '../../planner/plan.js'
import { withoutTemporaryPaths } from '../../planner/routes.js'
import type { Ports } from '../../ports/ports.js'
import { type Problem, ProblemError } from '../../problems/problem.js'
import { manifestsChanged, manifestWritten, notWrittenBack } from '../../problems/write-back.js'
import { showsSecret } from '../../secrets/mask.js'
import type { Area } from '../area.js'
import type { DriftRequest } from '../requests.js'
import { vocabularyOf } from '../settings.js'
import { keyNames } from '../snapshot-area.js'
import { exportSpec } from './export-spec.js'
import { layersOf } from './layers.js'
import { manifestTexts, readTexts, resolvedText, wholeOf } from './manifest-texts.js'
import { writeBack } from './write-back.js'
import { writeTexts } from './write-texts.js'

/** What of a drift is now in the manifests, and what could not be brought there. */
export interface WrittenDrift {
  readonly files: readonly WrittenFile[]
  readonly problems: readonly Problem[]
}

/** Brings what has drifted into the manifests that own it. What was never applied, and conflicts, stay as they are. */
export async function writeDriftBack(
  area: Area,
  plan: Plan,
  request: DriftRequest,
  ports: Ports,
): Promise<WrittenDrift> {
  const { project, manifests } = area.desired
  // The plan has read what it compares; an extra child is written whole.
  const kinds = [...new Set(manifests.resources.map((resource) => resource.kind))]
  const reading = await area.client.read(exportSpec(kinds, manifests, area.last.base))
  // What a run has left there for a moment belongs into no manifest.
  const snapshot = withoutTemporaryPaths(reading.snapshot, digest)
  const texts = manifestTexts(project, request.paths, request, ports)
  // What has drifted was told of the manifests as they were before anything was asked of the platform.
  if (readTexts(texts, new Map()).digest !== manifests.digest) throw new ProblemError([manifestsChanged()])
  const drifted = driftedIn(plan, request)
  const found = writeBack({
    snapshot,
    variables: nameVariables(indexLive(snapshot)),
    secrets: 'left out',
    purpose: 'drift',
    fullness: 'short',
    vocabulary: vocabularyOf(project, ports),
    isSecret: (value) => showsSecret(value, ports.mask),
    vanished: (address) =>
      project.layers?.environment !== undefined && drifted.deleted.has(address) ? 'remove' : 'keep',
    keyName: keyNames(ports),
    recordedId: (address) => area.last.base?.objects.get(address)?.id,
    isRecorded: objectsOfBase(area.last.base),
    read: (changed) => readTexts(texts, changed),
    whole: wholeOf(texts),
    valueOf: (text) => resolvedText(text, texts),
    isOurs: () => true,
    selection: 'some',
    isSelected: () => true,
    wants: ({ address }, { path }) => drifted.fields.has(`${address} ${path}`),
    mayAdd: (_, address) => drifted.extra.has(address),
    isGone: ({ address }) => drifted.gone.has(address),
    home: undefined,
    layers: project.layers && layersOf(project.layers, request.into ?? 'environment', texts),
  })
  const files = writeTexts(found.texts, texts.files)
  const problems = [...found.problems, ...unknownSecrets(plan), ...undecided(plan, request)]
  return { files, problems: [...problems, ...files.map(({ path, action }) => manifestWritten(path, action))] }
}

/** Secrets that have drifted and are not set here: what is written of them is not known, and live secrets are not written. */
const unknownSecrets = ({ changes }: Plan): readonly Problem[] =>
  changes.flatMap(({ address, fields }) =>
    fields
      .filter(({ unavailable }) => unavailable)
      .map(({ path }) => notWrittenBack(address, path.slice(1), 'it is a secret that is not set here', undefined)),
  )

/** What git and the platform have both changed: apply decides that. */
const undecided = ({ changes }: Plan, { take }: DriftRequest): readonly Problem[] =>
  changes.flatMap(({ address, fields, source, verdict }) => {
    if (verdict !== 'conflict' || take === 'live') return []
    const named = fields.filter((field) => field.verdict === 'conflict').map(({ path }) => keysOf(path).join('.'))
    const parts = named.length === 0 ? ['what is live'] : named
    const place = source && placeOf(source)
    return parts.map((part) => notWrittenBack(address, part, 'git has changed it as well', place))
  })

/** Whether everything that has drifted is in the manifests. */
export const isWritten = ({ problems }: WrittenDrift, plan: Plan): boolean =>
  plan.problems.every(({ code }) => code !== 'temporary-path') &&
  problems.every((problem) => problem.severity === 'note' || problem.code === 'placeholder-replaced')

interface Drifted {
  /** Addresses and paths of fields. */
  readonly fields: ReadonlySet<string>
  /** Live objects that a manifest says are not to be: extra members of written lists, children written as null. */
  readonly extra: ReadonlySet<string>
  readonly gone: ReadonlySet<string>
  /** Those of them that were applied: somebody deleted them on the platform. */
  readonly deleted: ReadonlySet<string>
}

function driftedIn({ changes, unmanaged, accepted }: Plan, { take }: DriftRequest): Drifted {
  const isDrift = (verdict: Verdict) =>
    verdict === 'drift' || verdict === 'difference' || (verdict === 'conflict' && take === 'live')
  const fields = changes.flatMap(({ address, fields: own }) =>
    own.filter((field) => isDrift(field.verdict)).map((field) => `${address} ${field.path}`),
  )
  // What was deleted is gone, whether or not there is a way to make it again.
  const addresses = (does: string) =>
    changes.filter((change) => wantedBy(change) === does && isDrift(change.verdict)).map(({ address }) => address)
  const left = new Set(accepted.map(({ address }) => address))
  const inLists = unmanaged.filter((each) => each.inList && !left.has(each.address)).map(({ address }) => address)
  return {
    fields: new Set(fields),
    extra: new Set([...inLists, ...addresses('delete')]),
    gone: new Set(addresses('create')),
    deleted: new Set(
      changes
        .filter((change) => wantedBy(change) === 'create' && change.verdict !== 'difference')
        .map(({ address }) => address),
    ),
  }
}
