import { nodeFiles } from '../files/files.js'
import { type Project, projectIn, readProject } from '../manifest/project.js'
import type { Ports } from '../ports/ports.js'
import { environmentNotChosen } from '../problems/compose.js'
import { hasErrors, type Problem, ProblemError } from '../problems/problem.js'
import type { ProjectRequest } from './requests.js'

/** The environment that is asked for: by the request, else by GATEWRIGHT_ENV; undefined where nobody says. */
const environmentOf = ({ environment }: Pick<ProjectRequest, 'environment'>, { env }: Pick<Ports, 'env'>) =>
  environment ?? (env.GATEWRIGHT_ENV || undefined)

/** The project file with its warnings; it need not be there. Throws a ProblemError if it is broken. */
export function readProjectOf(
  request: Pick<ProjectRequest, 'directory' | 'environment' | 'values'>,
  ports: Pick<Ports, 'cwd' | 'env'>,
): { readonly project: Project; readonly problems: readonly Problem[] } {
  const input = { dir: request.directory, env: ports.env, environment: environmentOf(request, ports) }
  const read = readProject({ ...input, values: request.values ?? [] }, nodeFiles(ports.cwd))
  if (hasErrors(read.problems)) throw new ProblemError(read.problems)
  return read
}

/** The same for what goes to an area, or to the records of one: of several environments, one must be chosen. */
export function chosenProject(
  request: ProjectRequest,
  ports: Pick<Ports, 'cwd' | 'env'>,
): { readonly project: Project; readonly problems: readonly Problem[] } {
  const read = readProjectOf(request, ports)
  const { environment, environments = [] } = read.project.layers ?? {}
  if (environments.length > 0 && environment === undefined) throw new ProblemError([environmentNotChosen(environments)])
  return read
}

/** The names of project and environment as far as they can be told, for whoever says why nothing else can be. */
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
