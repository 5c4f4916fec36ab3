import { resolve } from 'node:path'
import { diagnosticOf } from '../documents/diagnostics.js'
import type { PlanDocument } from '../documents/plan.js'
import {
  otherTarget,
  type ReadPlan,
  readSavedPlan,
  type SavedPlan,
  type SealOf,
  savedPlan,
  savePlan,
} from '../documents/saved-plan.js'
import { isWiderPrune } from '../manifest/compose/guard.js'
import { givenApiSecret, type Project } from '../manifest/project.js'
import type { Ports } from '../ports/ports.js'
import { otherPolicies } from '../problems/policies.js'
import type { Problem } from '../problems/problem.js'
import { savedPlanWider, staleManifests, willNotBeSealed } from '../problems/refusals.js'
import { sealOf } from '../secrets/seal.js'
import { type Area, type Planned, targetDocument } from './area.js'
import { environmentOf, projectFor } from './project.js'
import type { ApplyRequest, PlanRequest, ProjectRequest } from './requests.js'

/** Saves a plan for apply, and returns the messages about it. `displayed` is the path in messages, relative to `cwd`. */
export function saveToFile(
  displayed: string,
  document: PlanDocument,
  { plan }: Planned,
  { area, request }: { readonly area: Area; readonly request: PlanRequest },
  ports: Ports,
): readonly Problem[] {
  const { take = null, allowReplace, base = null } = request
  const options = { prune: area.settings.prune, take, allowReplace, base }
  const { fingerprint } = area.last
  const saved = savedPlan(document, plan.changes, options, { fingerprint, mask: area.mask })
  const is = savePlan(saved, sealingWith(ports, area.desired.project), resolve(ports.cwd, displayed), displayed)
  return is === 'sealed' ? [] : [willNotBeSealed(displayed)]
}

/** Reads a saved plan and checks its seal. Throws a ProblemError if the file is no saved plan. */
export const readFromFile = (displayed: string, request: ProjectRequest, ports: Ports): Promise<ReadPlan> =>
  readSavedPlan(resolve(ports.cwd, displayed), displayed, (document, area, environment) =>
    sealingWith(ports, projectFor({ ...request, ...(environment && { environment }) }, ports))(document, area),
  )

/**
 * Reads a saved plan to show it. If its seal cannot be checked, there is a message about that. Reads only the file. Throws as
 * `readFromFile`.
 */
export async function planInFile(displayed: string, request: ProjectRequest, ports: Ports): Promise<ReadPlan> {
  const read = await readFromFile(displayed, request, ports)
  if (read.is === 'intact' || !read.plan || read.problem.code !== 'saved-plan-not-sealed') return read
  const doubt = diagnosticOf({ ...read.problem, severity: 'warning' })
  return { is: 'intact', plan: { ...read.plan, diagnostics: [...read.plan.diagnostics, doubt] } }
}

const sealingWith =
  (ports: Ports, project: Project | undefined): SealOf =>
  (document, area) =>
    sealOf(document, area, ports, project && givenApiSecret(project))

/**
 * The request with the settings and the environment of a saved plan, unless the request has its own. A file cannot permit more
 * than the request: its options must also be permitted here (A150).
 */
export const asSaved = (
  { target, options, appliedIn, values = {} }: SavedPlan,
  request: ApplyRequest,
  ports: Pick<Ports, 'env'>,
): ApplyRequest => ({
  ...request,
  environment: environmentOf(request, ports) ?? target.environment,
  // The commit of that run is read from its record, not from the file.
  ...(appliedIn && { appliedIn: appliedIn.environment, appliedRun: appliedIn.run, mustBeAsSaved: !request.replan }),
  // If a value is given again, the manifests may differ: this is checked later.
  values: [...Object.entries(values).map(([name, text]) => `${name}=${text}`), ...(request.values ?? [])],
  prune: request.prune ?? options.prune,
  take: request.take ?? options.take ?? undefined,
})

/** Why a saved plan cannot be executed here: another target, other manifests, or options that are not permitted here. */
export function unfitHere(saved: SavedPlan, area: Area, request: ApplyRequest): readonly Problem[] {
  const other = otherTarget(saved, targetDocument(area))
  if (other.length > 0) return other
  const wider = widerOptions(saved, area, request)
  if (wider.length > 0) return [savedPlanWider(wider)]
  if (saved.policies?.digest !== area.policies.digest) return [otherPolicies()]
  const isSame = saved.manifests === area.desired.manifests.digest
  return isSame || request.replan ? [] : [staleManifests()]
}

/** The options of a saved plan that neither the project file nor this request permits. */
function widerOptions({ options }: SavedPlan, { desired }: Area, request: ApplyRequest): readonly string[] {
  const prune = request.prune ?? desired.project.prune
  return [
    ...(isWiderPrune(options.prune, prune) ? [`--prune ${options.prune}`] : []),
    ...(options.take === 'manifest' && request.take === undefined ? ['--take manifest'] : []),
    ...(options.allowReplace && !request.allowReplace ? ['--allow-replace'] : []),
    ...(options.base !== null && request.base === undefined ? [`--base ${options.base}`] : []),
  ]
}
