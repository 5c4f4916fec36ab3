import { type DiffDocument, diffDocument } from '../documents/diff.js'
import { noLayers } from '../manifest/compose/layers.js'
import { compareEnvironments, type EnvironmentSide, folded, joinEnvironments } from '../planner/compare-environments.js'
import { addressMatcher, emptyGlobs } from '../planner/select.js'
import type { Ports } from '../ports/ports.js'
import { hasErrors, ProblemError } from '../problems/problem.js'
import type { EnvironmentsRequest } from './requests.js'
import { desiredOf } from './settings.js'

/** What two environments of a project desire, compared by the manifests that objects come from. Never goes online. */
export function compareEnvironmentsOf(request: EnvironmentsRequest, ports: Ports): DiffDocument {
  const [first, second] = request.environments
  const sides = { a: desiredIn(first, request, ports), b: desiredIn(second, request, ports) }
  const joined = joinEnvironments(sides.a.manifests, sides.b.manifests)
  const addresses = [sides.a, sides.b].flatMap(({ manifests }) => manifests.resources.map(({ address }) => address))
  const empty = emptyGlobs(request.select, addresses)
  if (empty.length > 0) throw new ProblemError(empty)
  const isSelected = addressMatcher(request.select)
  const differences = compareEnvironments(sides, joined).filter(
    ({ address, addressInB }) => isSelected(address) || (addressInB !== undefined && isSelected(addressInB)),
  )
  return diffDocument(first, second, folded(differences, sides), ports.mask)
}

function desiredIn(environment: string, request: EnvironmentsRequest, ports: Ports): EnvironmentSide {
  const { project, manifests, problems } = desiredOf({ ...request, environment }, ports)
  if (hasErrors(problems)) throw new ProblemError(problems)
  return { manifests, layers: project.layers ?? noLayers }
}
