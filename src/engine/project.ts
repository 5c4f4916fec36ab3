import { nodeFiles } from '../files/files.js'
import { readTyped } from '../manifest/compose/given-values.js'
import type { LayerChoice } from '../manifest/compose/read-layers.js'
import type { KnownProject } from '../manifest/known-project.js'
import { type Project, projectIn, readProject } from '../manifest/project.js'
import type { Ports } from '../ports/ports.js'
import { environmentNotChosen, unknownEnvironment } from '../problems/compose.js'
import { hasErrors, type Problem, ProblemError } from '../problems/problem.js'
import type { ProjectRequest } from './requests.js'

/** The selected environment: that of the request, or else that of GATEWRIGHT_ENV. Undefined if neither names one. */
export const environmentOf = ({ environment }: Pick<ProjectRequest, 'environment'>, { env }: Pick<Ports, 'env'>) =>
  environment ?? (env.GATEWRIGHT_ENV || undefined)

interface ProjectRead {
  readonly project: Project
  readonly problems: readonly Problem[]
}

/** The project file, which is optional, with its warnings. Throws a ProblemError if it is broken. */
export function readProjectOf(
  request: Pick<ProjectRequest, 'directory' | 'environment' | 'values'>,
  ports: Pick<Ports, 'cwd' | 'env'>,
  known?: KnownProject,
): ProjectRead {
  const read = readAnyProject(request, ports, known)
  if (hasErrors(read.problems)) throw new ProblemError(read.problems)
  return read
}

/** The project file, even if it is broken. */
export function readAnyProject(
  request: Pick<ProjectRequest, 'directory' | 'environment' | 'values'>,
  ports: Pick<Ports, 'cwd' | 'env'>,
  known?: KnownProject,
): ProjectRead {
  const choice = { environment: environmentOf(request, ports), values: request.values ?? [] }
  const read = readProject({ dir: request.directory, env: ports.env, ...choice, known }, nodeFiles(ports.cwd))
  // If the folder does not exist, there is an error already, and it is not known what its project declares.
  const isNone = read.project.file === undefined && !hasErrors(read.problems)
  return { ...read, problems: isNone ? [...read.problems, ...undeclared(choice)] : read.problems }
}

/** The problems of environments and values in the request if there is no project file, which would declare them. */
function undeclared({ environment, values }: LayerChoice): readonly Problem[] {
  const problems = environment === undefined ? [] : [unknownEnvironment(undefined, environment, [])]
  readTyped(values, [], (problem) => problems.push(problem))
  return problems
}

/** The same for commands that use an area or its records: if there are several environments, one must be chosen. */
export function chosenProject(
  request: ProjectRequest,
  ports: Pick<Ports, 'cwd' | 'env'>,
  known?: KnownProject,
): ProjectRead {
  const read = readProjectOf(request, ports, known)
  const { environment, environments = [] } = read.project.layers ?? {}
  if (environments.length > 0 && environment === undefined) throw new ProblemError([environmentNotChosen(environments)])
  return read
}

/** The same. Undefined if it is broken: its errors are reported by the command that needs it. */
export function projectFor(request: ProjectRequest, ports: Pick<Ports, 'cwd' | 'env'>): Project | undefined {
  try {
    return chosenProject(request, ports).project
  } catch (error) {
    if (error instanceof ProblemError) return undefined
    throw error
  }
}

/** The names of project and environment, if they are known, for messages about the rest. */
export function namesForReports(
  request: Pick<ProjectRequest, 'directory' | 'environment' | 'values'>,
  ports: Pick<Ports, 'cwd' | 'env'>,
): ReturnType<typeof projectIn> | undefined {
  try {
    return projectIn(readProjectOf(request, ports).project)
  } catch (error) {
    if (error instanceof ProblemError) return undefined
    throw error
  }
}
