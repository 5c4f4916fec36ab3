import type { WrittenFile } from '../../documents/export.js'
import { digest } from '../../json/digest.js'
import { keysOf } from '../../json/pointer.js'
import { indexLive } from '../../live/live-index.js'
import { nameVariables } from '../../live/variables.js'
import { placeOf } from '../../manifest/source.js'
import { objectsOfBase } from '../../planner/base/base-object.js'
import { desiredAction, type Plan, type Verdict } from '../../planner/plan.js'
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

/** The drift that is now in the manifests, and the drift that could not be written. */
export interface WrittenDrift {
  readonly files: readonly WrittenFile[]
  readonly problems: readonly Problem[]
}

/** Writes drift into the manifests that own it. Objects that were never applied, and conflicts, are left as they are. */
export async function writeDriftBack(
  area: Area,
  plan: Plan,
  request: DriftRequest,
  ports: Ports,
): Promise<WrittenDrift> {
  const { project, manifests } = area.desired
  // The plan has read only the compared fields, but an additional child is written in full.
  const kinds = [...new Set(manifests.resources.map((resource) => resource.kind))]
  const reading = await area.client.read(exportSpec(kinds, manifests, area.last.base))
  // A temporary path of a run does not belong in a manifest.
  const snapshot = withoutTemporaryPaths(reading.snapshot, digest)
  const texts = manifestTexts(project, request.paths, request, ports)
  // The drift was found with the manifests as they were at the beginning of the command.
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

/**
 * Notes about unavailable secrets that have drifted. The text around them in manifests is not known, and live secrets are not
 * written.
 */
const unknownSecrets = ({ changes }: Plan): readonly Problem[] =>
  changes.flatMap(({ address, fields }) =>
    fields
      .filter(({ unavailable }) => unavailable)
      .map(({ path }) => notWrittenBack(address, path.slice(1), 'it is a secret that is not set here', undefined)),
  )

/** Problems for fields that both git and the platform have changed: apply decides about them. */
const undecided = ({ changes }: Plan, { take }: DriftRequest): readonly Problem[] =>
  changes.flatMap(({ address, fields, source, verdict }) => {
    if (verdict !== 'conflict' || take === 'live') return []
    const named = fields.filter((field) => field.verdict === 'conflict').map(({ path }) => keysOf(path).join('.'))
    const parts = named.length === 0 ? ['what is live'] : named
    const place = source && placeOf(source)
    return parts.map((part) => notWrittenBack(address, part, 'git has changed it as well', place))
  })

/** Whether all drift is in the manifests. */
export const isWritten = ({ problems }: WrittenDrift, plan: Plan): boolean =>
  plan.problems.every(({ code }) => code !== 'temporary-path') &&
  problems.every((problem) => problem.severity === 'note' || problem.code === 'placeholder-replaced')

interface Drifted {
  /** Addresses and paths of fields. */
  readonly fields: ReadonlySet<string>
  /**
   * Live objects that should not exist according to a manifest: additional members of written lists, and children written as
   * null.
   */
  readonly extra: ReadonlySet<string>
  readonly gone: ReadonlySet<string>
  /** Declared objects that were applied and that somebody deleted on the platform. */
  readonly deleted: ReadonlySet<string>
}

function driftedIn({ changes, unmanaged, accepted }: Plan, { take }: DriftRequest): Drifted {
  const isDrift = (verdict: Verdict) =>
    verdict === 'drift' || verdict === 'difference' || (verdict === 'conflict' && take === 'live')
  const fields = changes.flatMap(({ address, fields: own }) =>
    own.filter((field) => isDrift(field.verdict)).map((field) => `${address} ${field.path}`),
  )
  // A deleted object has drifted, even if the interface cannot create it again.
  const addresses = (does: string) =>
    changes.filter((change) => desiredAction(change) === does && isDrift(change.verdict)).map(({ address }) => address)
  const left = new Set(accepted.map(({ address }) => address))
  const inLists = unmanaged.filter((each) => each.inList && !left.has(each.address)).map(({ address }) => address)
  return {
    fields: new Set(fields),
    extra: new Set([...inLists, ...addresses('delete')]),
    gone: new Set(addresses('create')),
    deleted: new Set(
      changes
        .filter((change) => desiredAction(change) === 'create' && change.verdict !== 'difference')
        .map(({ address }) => address),
    ),
  }
}
