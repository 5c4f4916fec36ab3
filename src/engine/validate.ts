import { nodeFiles } from '../files/files.js'
import { KnownProject } from '../manifest/known-project.js'
import { byPlace } from '../manifest/problems-in-order.js'
import type { Project } from '../manifest/project.js'
import { declaredOf } from '../manifest/resource.js'
import { waiverWarnings } from '../policy/evaluate.js'
import type { Ports } from '../ports/ports.js'
import { inEnvironments } from '../problems/compose.js'
import { hasErrors, type Problem, ProblemError } from '../problems/problem.js'
import { type Claims, claimedArea, contradictions } from './claims.js'
import { projectPolicies } from './policies.js'
import { environmentOf, readAnyProject } from './project.js'
import type { ProjectRequest } from './requests.js'
import { desiredOf } from './settings.js'

/** The result of checking manifests offline. */
export interface Validation {
  /** Errors, warnings and notes with their positions. If a problem occurs in some environments only, it names them. */
  readonly problems: readonly Problem[]
  /** The addresses of the declared objects in all environments. */
  readonly objects: ReadonlySet<string>
  /** The files that declare them. */
  readonly files: ReadonlySet<string>
  /** The environments that were checked. Empty if the project has none. */
  readonly environments: readonly string[]
  /** The number of policies in the project. */
  readonly policies: number
}

interface CheckedProject extends Omit<Validation, 'policies'> {
  readonly unusedValues: readonly Problem[]
  readonly claims: Omit<Claims, 'environment'>
}

/** Checks manifests and policies offline: for the selected environment, or else for all environments. */
export async function validateProject(
  request: ProjectRequest,
  ports: Ports,
  known = new KnownProject(),
): Promise<Validation> {
  const read = readAnyProject(request, ports, known)
  const { project } = read
  if (hasErrors(read.problems)) throw new ProblemError(await brokenProject(request, { ...read, known }, ports))
  const found = await validateManifests(request, { ...project, known }, ports)
  const { policies, problems } = await projectPolicies(project, nodeFiles(ports.cwd))
  const all = [...problems, ...waiverWarnings(policies, { nowMs: ports.now() })]
  return { ...found, problems: [...found.problems, ...all], policies: policies.length }
}

/** The errors of a project file. If no environment is selected, also the errors that only some environments have. */
async function brokenProject(
  request: ProjectRequest,
  { project, problems, known }: ReturnType<typeof readAnyProject> & { readonly known: KnownProject },
  ports: Ports,
): Promise<readonly Problem[]> {
  const isForAll = environmentOf(request, ports) === undefined && (project.layers?.environments ?? []).length > 0
  return isForAll ? (await validateManifests(request, { ...project, known }, ports)).problems : problems
}

async function validateManifests(
  request: ProjectRequest,
  { layers, known }: Pick<Project, 'layers'> & { readonly known: KnownProject },
  ports: Ports,
): Promise<Omit<Validation, 'policies'>> {
  const { environment, environments = [] } = layers ?? {}
  if (environments.length === 0) {
    const { unusedValues, claims: _, ...found } = await checked(request, ports, known)
    return { ...found, problems: [...found.problems, ...unusedValues] }
  }
  const names = environment === undefined ? environments : [environment]
  const each: (CheckedProject & { readonly name: string })[] = []
  for (const name of names) each.push({ name, ...(await attempted({ ...request, environment: name }, ports, known)) })
  const claims = each.map((found) => ({ environment: found.name, ...found.claims }))
  const together = environment === undefined ? usedNowhere(each) : []
  return {
    problems: [...joinedProblems(each), ...together, ...contradictions(claims)],
    objects: new Set(each.flatMap(({ objects }) => [...objects])),
    files: new Set(each.flatMap(({ files }) => [...files])),
    environments: names,
  }
}

/** Checks one environment. If its settings are broken, the other environments are checked anyway. */
async function attempted(request: ProjectRequest, ports: Ports, known: KnownProject): Promise<CheckedProject> {
  try {
    return await checked(request, ports, known)
  } catch (error) {
    if (!(error instanceof ProblemError) || ports.signal.aborted) throw error
    return {
      ...{ problems: error.problems, objects: new Set(), files: new Set(), environments: [], unusedValues: [] },
      claims: { area: undefined, resources: [] },
    }
  }
}

async function checked(request: ProjectRequest, ports: Ports, known: KnownProject): Promise<CheckedProject> {
  const { problems, manifests, project } = await desiredOf(request, ports, { project: known })
  const declared = declaredOf(manifests.resources)
  return {
    problems,
    objects: new Set(declared.map(({ address }) => address)),
    files: new Set(declared.map(({ range }) => range.source.file)),
    environments: [],
    unusedValues: manifests.unusedValues ?? [],
    claims: { area: claimedArea(project), resources: declared },
  }
}

/** The values that no environment uses. */
function usedNowhere([first, ...others]: readonly CheckedProject[]): readonly Problem[] {
  const isUnusedIn = ({ unusedValues }: CheckedProject, message: string) =>
    unusedValues.some((problem) => problem.message === message)
  return (first?.unusedValues ?? []).filter(({ message }) => others.every((other) => isUnusedIn(other, message)))
}

/** Each problem once. If only some environments have it, it names them. */
function joinedProblems(each: readonly (CheckedProject & { readonly name: string })[]): readonly Problem[] {
  const found = new Map<string, { readonly problem: Problem; readonly names: string[] }>()
  for (const { name, problems } of each) {
    for (const problem of problems) {
      const key = problemKey(problem)
      const known = found.get(key)
      if (known) known.names.push(name)
      else found.set(key, { problem, names: [name] })
    }
  }
  return [...found.values()]
    .map(({ problem, names }) =>
      names.length === each.length ? problem : inEnvironments(problem, [...new Set(names)]),
    )
    .sort(byPlace)
}

const problemKey = ({ code, severity, message, place }: Problem): string =>
  JSON.stringify([code, severity, message, place?.file, place?.line, place?.column])
