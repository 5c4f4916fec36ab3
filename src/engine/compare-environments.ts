import { diffDocument, type NamedSide } from '../documents/diff.js'
import { noLayers } from '../manifest/compose/layers.js'
import { byLayers } from '../planner/by-layers.js'
import {
  type CausedDifference,
  compareEnvironments,
  type EnvironmentSide,
  type Joined,
  joinEnvironments,
  notCompared,
} from '../planner/compare-environments.js'
import { compareLiveEnvironments } from '../planner/compare-live-environments.js'
import { addressMatcher, emptyGlobs } from '../planner/select.js'
import type { Ports } from '../ports/ports.js'
import { distinctProblems, hasErrors, ProblemError } from '../problems/problem.js'
import { secretsNotCompared } from '../problems/records.js'
import type { ComparedSides } from './compare.js'
import { areaOfBoth, inEnvironment } from './environment-area.js'
import { readableTarget, readingLive, wholeArea } from './live-area.js'
import type { EnvironmentsRequest } from './requests.js'
import { desiredOf } from './settings.js'
import { keyNames } from './snapshot-area.js'

/**
 * Compares two environments of a project by the manifests from which their objects come: their desired states, without going
 * online, or their live areas. Sends only GET.
 */
export async function compareEnvironmentsOf(request: EnvironmentsRequest, ports: Ports): Promise<ComparedSides> {
  const [first, second] = request.environments
  const sides = { a: await desiredIn(first, request, ports), b: await desiredIn(second, request, ports) }
  const joined = joinEnvironments(sides.a.manifests, sides.b.manifests)
  const desired = compareEnvironments(sides, joined)
  const declared = [sides.a, sides.b].flatMap(({ manifests }) => manifests.resources.map(({ address }) => address))
  const isNamed = addressMatcher(request.select)
  const isSelected = ({ address, addressInB = address }: Addresses) => isNamed(address) || isNamed(addressInB)
  const unset = notCompared(sides, joined).filter(isSelected)
  const { differences, addresses, problems } =
    request.compare === 'desired'
      ? {
          differences: desired,
          addresses: declared,
          problems: unset.length > 0 ? [secretsNotCompared(unset.length)] : [],
        }
      : await liveOf({ sides, joined, desired }, request, ports)
  const empty = emptyGlobs(request.select, addresses)
  if (empty.length > 0) throw new ProblemError(empty)
  const selected = differences.filter(isSelected)
  const named = (environment: string): NamedSide =>
    request.compare === 'desired'
      ? { name: environment }
      : { name: `${environment} (live)`, target: readableTarget(inEnvironment(environment, request, ports), ports) }
  const document = diffDocument(named(first), named(second), byLayers(selected, sides), ports.mask)
  return { document, problems: distinctProblems(problems) }
}

/** The addresses of an object in the two environments. */
interface Addresses {
  readonly address: string
  readonly addressInB?: string
}

async function desiredIn(environment: string, request: EnvironmentsRequest, ports: Ports): Promise<EnvironmentSide> {
  const { project, manifests, problems } = await desiredOf({ ...request, environment }, ports)
  if (hasErrors(problems)) throw new ProblemError(problems)
  return { manifests, layers: project.layers ?? noLayers }
}

interface JoinedEnvironments {
  readonly sides: Readonly<Record<'a' | 'b', EnvironmentSide>>
  readonly joined: Joined
  readonly desired: readonly CausedDifference[]
}

async function liveOf({ sides, joined, desired }: JoinedEnvironments, request: EnvironmentsRequest, ports: Ports) {
  const [first, second] = request.environments
  const [inA, inB] = [inEnvironment(first, request, ports), inEnvironment(second, request, ports)]
  const area = areaOfBoth(inA, inB, ports)
  for (const each of [inA, inB]) readableTarget(each, ports)
  const [a, b] = await Promise.all([readingLive(inA, ports, wholeArea), readingLive(inB, ports, wholeArea)])
  const compared = compareLiveEnvironments({
    a: { manifests: sides.a.manifests, snapshot: a.snapshot },
    b: { manifests: sides.b.manifests, snapshot: b.snapshot },
    ...{ area, joined, desired, keyName: keyNames(ports) },
  })
  return { ...compared, problems: [a, b].flatMap(({ recorded }) => recorded.problems) }
}
