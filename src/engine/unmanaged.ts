import { indexLive } from '../live/live-index.js'
import { nameVariables } from '../live/variables.js'
import { match } from '../planner/match/match.js'
import { undeclaredObjects } from '../planner/prune/undeclared.js'
import { addressMatcher } from '../planner/select.js'
import type { Ports } from '../ports/ports.js'
import { ProblemError } from '../problems/problem.js'
import { badUsage } from '../problems/project.js'
import { kindOf, type LiveObjects, shown, shownObjects } from './get.js'
import { projectOf, readingFile, readingLive, refuseLabels } from './live-area.js'
import type { GetRequest } from './requests.js'
import { vocabularyOf } from './settings.js'
import { keyNames, knownIn } from './snapshot-area.js'
import { exportSpec } from './write-back/export-spec.js'
import { manifestTexts, readTexts } from './write-back/manifest-texts.js'
import { knownValues } from './write-back/write-back.js'

/** The live objects that no manifest of the project has: all of a kind, or the topmost ones of every kind. Sends only GET. */
export async function unmanagedObjects(request: GetRequest, ports: Ports): Promise<LiveObjects> {
  refuseLabels(request)
  if (request.name !== undefined)
    throw new ProblemError([badUsage('--unmanaged takes no NAME', 'choose with --select')])
  const kind = request.kind === undefined ? undefined : kindOf(request.kind)
  const project = projectOf(request, ports)
  const vocabulary = vocabularyOf(project, ports)
  const texts = manifestTexts(project, request.paths, request, ports)
  const declared = readTexts(texts, new Map())
  const spec = exportSpec(kind ? [kind.name] : [], declared, undefined)
  const reading =
    request.snapshot === undefined
      ? await readingLive(request, ports, (client) => client.read(spec))
      : readingFile(request.snapshot, knownIn(declared), ports)
  const { base, problems } = reading.recorded
  const live = indexLive(reading.snapshot)
  // Secrets whose variables are not set are known by the area itself.
  const known = { ...texts, env: { ...knownValues(nameVariables(live)), ...ports.env } }
  const manifests = readTexts(known, new Map())
  const world = match(manifests, reading.snapshot, keyNames(ports), (address) => base?.objects.get(address)?.id)
  const objects = undeclaredObjects(world, { base, removals: manifests.removals, kind: kind?.name })
  const isSelected = addressMatcher(request.select)
  const chosen = shownObjects(objects, live, world.addressOfLive, { mask: ports.mask, vocabulary }).filter(
    ({ document }) => isSelected(document.address),
  )
  return shown(chosen, live, {
    children: kind ? 'left out' : 'inside',
    leftOut: [],
    problems,
    mask: ports.mask,
    vocabulary,
  })
}
