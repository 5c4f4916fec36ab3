import { areaName, areaUrl, baseUrl } from '../catalog/base-url.js'
import { nodeFiles } from '../files/files.js'
import type { KnownProject } from '../manifest/known-project.js'
import { type Project, readProject, recordedName } from '../manifest/project.js'
import type { Ports } from '../ports/ports.js'
import { withoutBreak } from '../secrets/without-break.js'
import type { ProjectKey } from '../stores/record.js'
import type { ProjectRequest } from './requests.js'

/** Another environment of the project than the selected one, and the key of its records. */
interface OtherEnvironment {
  readonly project: Project
  readonly key: ProjectKey
}

/**
 * The environment according to the project file, or why it is not known. Variables are used only for settings that the project
 * file does not contain, because they override only the selected environment.
 */
export function otherEnvironment(
  environment: string,
  { directory }: Pick<ProjectRequest, 'directory'>,
  { cwd, env }: Pick<Ports, 'cwd' | 'env'>,
  known?: KnownProject,
): OtherEnvironment | { readonly why: string } {
  // Unset variables, such as those of its credentials, are not needed.
  const { project } = readProject({ dir: directory, env, environment, known }, nodeFiles(cwd))
  if (!project.layers?.environments.includes(environment))
    return { why: 'the project has no such environment any more' }
  const read = baseUrl(project.platform.url || env.GATEWRIGHT_URL || '')
  const area = project.platform.area || withoutBreak(env.GATEWRIGHT_AREA)
  if ('fault' in read) return { why: `nothing says here where it is: write spec.environments.${environment}.platform` }
  return { project, key: { url: read.url, area, project: recordedName(project) } }
}

/**
 * Whether an environment is in the area according to the project file. Variables count only for the selected environment.
 */
export function areaOf(
  environment: string,
  target: Pick<ProjectKey, 'url' | 'area'>,
  request: Pick<ProjectRequest, 'directory'>,
  ports: Pick<Ports, 'cwd' | 'env'>,
  known?: KnownProject,
): 'this' | 'another' | 'unknown' {
  const other = otherEnvironment(environment, request, ports, known)
  if ('why' in other || other.project.platform.area === undefined) return 'unknown'
  const isThis = areaUrl(other.key.url) === areaUrl(target.url) && areaName(other.key.area) === areaName(target.area)
  return isThis ? 'this' : 'another'
}
