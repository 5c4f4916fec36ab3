import { baseUrl } from '../catalog/base-url.js'
import type { Credentials } from '../client/connect-input.js'
import { nodeFiles } from '../files/files.js'
import { type Project, readProject } from '../manifest/project.js'
import { readManifests } from '../manifest/read.js'
import type { Manifests } from '../manifest/resource.js'
import type { Ports } from '../ports/ports.js'
import { badUrl } from '../problems/platform.js'
import { hasErrors, type Problem, ProblemError } from '../problems/problem.js'
import { hostNotNamed, missingSettings } from '../problems/project.js'
import { nearest } from '../problems/suggest.js'
import { fingerprintKeyOf } from '../secrets/fingerprint.js'
import { isNamedHost } from '../secrets/hosts.js'
import type { ProjectRequest } from './requests.js'

/** The project and its manifests, read and checked; flags outrank the environment, which outranks the project file. */
export interface Desired {
  readonly project: Project
  readonly manifests: Manifests
  /** Of project file and manifests together. */
  readonly problems: readonly Problem[]
}

/** Reads project file and manifests. Never goes online. */
export function desiredOf(request: ProjectRequest, ports: Ports): Desired {
  const files = nodeFiles(ports.cwd)
  const { project, problems } = readProject({ dir: request.directory, env: ports.env }, files)
  if (hasErrors(problems)) throw new ProblemError(problems)
  const manifests = readManifests({
    project,
    paths: request.paths,
    env: ports.env,
    files,
    fingerprintKey: fingerprintKeyOf(ports),
  })
  return { project, manifests, problems: [...problems, ...manifests.problems] }
}

/** Which area is meant, as far as it is told; '' where it is not. */
export interface Target {
  readonly url: string
  readonly area: string
}

/** Url and area from flags, environment and project file, in this order. Throws a ProblemError if the url is none. */
export function targetOf(
  project: Pick<Project, 'platform'>,
  request: ProjectRequest,
  ports: Pick<Ports, 'env'>,
): Target {
  const url = request.url ?? (ports.env.GATEWRIGHT_URL || project.platform.url || '')
  const area = request.area ?? (ports.env.GATEWRIGHT_AREA || project.platform.area || '')
  return { url: url === '' ? '' : checkedUrl(url), area }
}

/** The base URL in its one spelling. Throws a ProblemError where the text is none. */
export function checkedUrl(text: string): string {
  const read = baseUrl(text)
  if ('fault' in read) throw new ProblemError([badUrl(text, read.fault)])
  return read.url
}

/** Where the live area is and how to get in. */
export interface Access extends Target {
  readonly credentials: Credentials
}

const loginVariables = [
  'GATEWRIGHT_API_KEY',
  'GATEWRIGHT_API_SECRET',
  'GATEWRIGHT_USERNAME',
  'GATEWRIGHT_PASSWORD',
] as const

const prefix = 'GATEWRIGHT_'

/** The variables of this program, without their prefix: none of them is another one misspelt. */
const knownVariables: ReadonlySet<string> = new Set([
  ...loginVariables.map((name) => name.slice(prefix.length)),
  ...['URL', 'AREA', 'TOKEN', 'HOSTS', 'RECORDS', 'ENV', 'FINGERPRINT_KEY', 'WHO', 'GUARD_REF', 'VOCABULARY'],
])

/** Words for a variable that is set and has nearly the name of one that is not. */
function misspelt(name: string, env: Ports['env']): string {
  // The prefix counts for little, so that only what is behind it makes a name near.
  const short = (each: string): string => each.replace(/^gatewri(ght|te)_?/i, 'GW_')
  const others = Object.keys(env).filter(
    (each) => env[each] && short(each) !== each && !knownVariables.has(each.slice(prefix.length)),
  )
  const byShort = new Map(others.map((each) => [short(each), each]))
  const near = nearest(short(name), byShort.keys())
  return near === undefined ? '' : ` (${byShort.get(near)} is set: did you mean ${name}?)`
}

/** Where the live area is and how to get in. */
export interface Access extends Target {
  readonly credentials: Credentials
}

/**
 * Throws a ProblemError that names everything that is missing, and if only the project file names the host: whoever may
 * change that file would get the credentials (A152).
 */
export function accessOf(project: Project, request: ProjectRequest, ports: Ports): Access {
  const { url, area } = targetOf(project, request, ports)
  const token = ports.env.GATEWRIGHT_TOKEN
  const near = (name: string) => misspelt(`${prefix}${name}`, ports.env)
  const missing = [
    ...(url
      ? []
      : [{ what: 'the url', how: `GATEWRIGHT_URL, --url, or spec.platform.url in the project file${near('URL')}` }]),
    ...(token || area
      ? []
      : [
          {
            what: 'the area',
            how: `GATEWRIGHT_AREA, --area, or spec.platform.area in the project file${near('AREA')}`,
          },
        ]),
    ...(token ? [] : loginVariables.filter((name) => !ports.env[name])).map((name) => ({
      what: name,
      how: `set it in the environment, or give a ready GATEWRIGHT_TOKEN${misspelt(name, ports.env)}`,
    })),
  ]
  if (!url || missing.length > 0) throw new ProblemError([missingSettings(missing)])
  const isOurs = request.url !== undefined || Boolean(ports.env.GATEWRIGHT_URL) || isNamedHost(url, ports)
  if (!isOurs) throw new ProblemError([hostNotNamed(project.file ?? 'the project file', new URL(url).host)])
  const known = (name: (typeof loginVariables)[number]): string => ports.env[name] ?? ''
  const credentials: Credentials = token
    ? { token }
    : {
        apiKey: known('GATEWRIGHT_API_KEY'),
        apiSecret: known('GATEWRIGHT_API_SECRET'),
        username: known('GATEWRIGHT_USERNAME'),
        password: known('GATEWRIGHT_PASSWORD'),
        area,
      }
  return { url, area, credentials }
}
