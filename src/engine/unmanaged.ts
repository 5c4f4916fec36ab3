import { indexLive } from '../live/live-index.js'
import { nameVariables } from '../live/variables.js'
import { objectsOfBase } from '../planner/base/base-object.js'
import { match } from '../planner/match/match.js'
import { undeclaredObjects } from '../planner/prune/undeclared.js'
import { addressMatcher } from '../planner/select.js'
import type { Ports } from '../ports/ports.js'
import { ProblemError } from '../problems/problem.js'
import { badUsage } from '../problems/project.js'
import { displayed, displayedObjects, kindNamed, type LiveObjects } from './get.js'
import { projectOf, readingFile, readingLive, refuseLabels } from './live-area.js'
import type { GetRequest } from './requests.js'
import { targetOfProject, vocabularyOf } from './settings.js'
import { keyNames, knownIn } from './snapshot-area.js'
import { exportSpec } from './write-back/export-spec.js'
import { layersOf } from './write-back/layers.js'
import { manifestTexts, readTexts } from './write-back/manifest-texts.js'
import { desiredElsewhere, leftToOthers } from './write-back/other-environments.js'
import { knownValues } from './write-back/write-back.js'

/** The live objects that no manifest of the project has: all of one kind, or the topmost ones of every kind. Sends only GET. */
export async function unmanagedObjects(request: GetRequest, ports: Ports): Promise<LiveObjects> {
  refuseLabels(request)
  if (request.name !== undefined)
    throw new ProblemError([badUsage('--unmanaged takes no NAME', 'choose with --select')])
  const kind = request.kind === undefined ? undefined : kindNamed(request.kind)
  const project = projectOf(request, ports)
  const vocabulary = vocabularyOf(project, ports)
  const texts = manifestTexts(project, request.paths, request, ports)
  const declared = readTexts(texts, new Map())
  const spec = exportSpec(kind ? [kind.name] : [], declared, undefined)
  const reading =
    request.snapshot === undefined
      ? await readingLive(request, ports, (client) => client.read(spec))
      : readingFile(request.snapshot, knownIn(declared), ports)
  const { snapshot, recorded: records } = reading
  const live = indexLive(snapshot)
  // If the variables of secrets are not set, the live values are used.
  const known = { ...texts, env: { ...knownValues(nameVariables(live)), ...ports.env } }
  const manifests = readTexts(known, new Map())
  const keyName = keyNames(ports)
  const world = match(manifests, snapshot, keyName, {
    idOf: (address) => records.base?.objects.get(address)?.id,
    isFoundById: () => true,
    isKnown: objectsOfBase(records.base),
  })
  const isSelected = addressMatcher(request.select)
  const undeclared = undeclaredObjects(world, { base: records.base, removals: manifests.removals, kind: kind?.name })
  const objects = new Set(undeclared.filter((object) => isSelected(world.addressOfLive(object))))
  const layers = project.layers && layersOf(project.layers, 'environment', known)
  const shared = { target: targetOfProject(project, request, ports), snapshot, records, keyName }
  const elsewhere = desiredElsewhere(layers, shared, request, ports)
  const ours = [...objects].filter((object) => !elsewhere.has(object))
  const chosen = displayedObjects(ours, live, world.addressOfLive, { mask: ports.mask, vocabulary })
  return displayed(chosen, live, {
    children: kind ? 'left out' : 'inside',
    leftOut: [],
    problems: [...records.problems, ...leftToOthers([...elsewhere].filter(([object]) => objects.has(object)))],
    mask: ports.mask,
    vocabulary,
  })
}
