import { nodeFiles } from '../files/files.js'
import type { LayerChoice } from '../manifest/compose/read-layers.js'
import { readTyped } from '../manifest/compose/values.js'
import { type Project, projectIn, readProject } from '../manifest/project.js'
import type { Ports } from '../ports/ports.js'
import { environmentNotChosen, unknownEnvironment } from '../problems/compose.js'
import { hasErrors, type Problem, ProblemError } from '../problems/problem.js'
import type { ProjectRequest } from './requests.js'

/** The environment that is asked for: by the request, else by GATEWRIGHT_ENV; undefined where nobody says. */
export const environmentOf = ({ environment }: Pick<ProjectRequest, 'environment'>, { env }: Pick<Ports, 'env'>) =>
  environment ?? (env.GATEWRIGHT_ENV || undefined)

interface ProjectRead {
  readonly project: Project
  readonly problems: readonly Problem[]
}

/** The project file with its warnings; it need not be there. Throws a ProblemError if it is broken. */
export function readProjectOf(
  request: Pick<ProjectRequest, 'directory' | 'environment' | 'values'>,
  ports: Pick<Ports, 'cwd' | 'env'>,
): ProjectRead {
  const read = readAnyProject(request, ports)
  if (hasErrors(read.problems)) throw new ProblemError(read.problems)
  return read
}

/** The same, broken or not. */
export function readAnyProject(
  request: Pick<ProjectRequest, 'directory' | 'environment' | 'values'>,
  ports: Pick<Ports, 'cwd' | 'env'>,
): ProjectRead {
  const choice = { environment: environmentOf(request, ports), values: request.values ?? [] }
  const read = readProject({ dir: request.directory, env: ports.env, ...choice }, nodeFiles(ports.cwd))
  // Of a folder that is not there nobody knows what it declares.
  const isNone = read.project.file === undefined && !hasErrors(read.problems)
  return { ...read, problems: isNone ? [...read.problems, ...undeclared(choice)] : read.problems }
}

/** Without a project file there are no environments and no values. */
function undeclared({ environment, values }: LayerChoice): readonly Problem[] {
  const problems = environment === undefined ? [] : [unknownEnvironment(undefined, environment, [])]
  readTyped(values, [], (problem) => problems.push(problem))
  return problems
}

/** The same for what goes to an area, or to the records of one: of several environments, one must be chosen. */
export function chosenProject(request: ProjectRequest, ports: Pick<Ports, 'cwd' | 'env'>): ProjectRead {
  const read = readProjectOf(request, ports)
  const { environment, environments = [] } = read.project.layers ?? {}
  if (environments.length > 0 && environment === undefined) throw new ProblemError([environmentNotChosen(environments)])
  return read
}

/** The same; undefined if there is none: errors of the project file are reported by the command that needs it. */
export function projectFor(request: ProjectRequest, ports: Pick<Ports, 'cwd' | 'env'>): Project | undefined {
  try {
    return chosenProject(request, ports).project
  } catch (error) {
    if (error instanceof ProblemError) return undefined
    throw error
  }
}

/** The names of project and environment, as far as they are known, for messages about the rest. */
export function namesIn(
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
