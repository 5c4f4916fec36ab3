import { baseUrl } from '../catalog/base-url.js'
import type { Credentials } from '../client/options.js'
import { nodeFiles } from '../manifest/files.js'
import { type Project, readProject } from '../manifest/project.js'
import { readManifests } from '../manifest/read.js'
import type { Manifests } from '../manifest/resource.js'
import { badUrl, hasErrors, missingSettings, type Problem, ProblemError } from '../problem.js'
import type { Io } from './io.js'
import type { GlobalOptions } from './options.js'

/** The project and its manifests, read and checked; flags outrank the environment, which outranks the project file. */
export interface Wanted {
  readonly project: Project
  readonly manifests: Manifests
  /** Of project file and manifests together. */
  readonly problems: readonly Problem[]
}

/** Reads project file and manifests. Never goes online. */
export function wantedOf(options: GlobalOptions, io: Io): Wanted {
  const files = nodeFiles(io.cwd)
  const { project, problems } = readProject({ dir: options.directory, env: io.env }, files)
  if (hasErrors(problems)) throw new ProblemError(problems)
  const manifests = readManifests({
    project,
    paths: options.paths,
    env: io.env,
    files,
    fingerprintKey: fingerprintKeyOf(io),
  })
  return { project, manifests, problems: [...problems, ...manifests.problems] }
}

/** What tells keys apart without showing them: a key of the user's own, or else the API secret. */
export const fingerprintKeyOf = (io: Pick<Io, 'env'>): string | undefined =>
  io.env.GATEWRIGHT_FINGERPRINT_KEY || io.env.GATEWRIGHT_API_SECRET || undefined

/** Which area is meant, as far as it is told; '' where it is not. */
export interface Target {
  readonly url: string
  readonly area: string
}

/** Url and area from flags, environment and project file, in this order. Throws a ProblemError if the url is none. */
export function targetOf(project: Pick<Project, 'platform'>, options: GlobalOptions, io: Pick<Io, 'env'>): Target {
  const url = options.url ?? (io.env.GATEWRIGHT_URL || project.platform.url || '')
  const area = options.area ?? (io.env.GATEWRIGHT_AREA || project.platform.area || '')
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

/** Throws a ProblemError that names everything that is missing. */
export function accessOf(project: Project, options: GlobalOptions, io: Io): Access {
  const { url, area } = targetOf(project, options, io)
  const token = io.env.GATEWRIGHT_TOKEN
  const missing = [
    ...(url ? [] : [{ what: 'the url', how: 'GATEWRIGHT_URL, --url, or spec.platform.url in the project file' }]),
    ...(token || area
      ? []
      : [{ what: 'the area', how: 'GATEWRIGHT_AREA, --area, or spec.platform.area in the project file' }]),
    ...(token ? [] : loginVariables.filter((name) => !io.env[name])).map((name) => ({
      what: name,
      how: 'set it in the environment, or give a ready GATEWRIGHT_TOKEN',
    })),
  ]
  if (!url || missing.length > 0) throw new ProblemError([missingSettings(missing)])
  const known = (name: (typeof loginVariables)[number]): string => io.env[name] ?? ''
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

/** Every secret that the program knows by now, for masking it in whatever the platform answers. */
export function secretsOf(manifests: Pick<Manifests, 'secrets'>, io: Pick<Io, 'env'>): readonly string[] {
  const own = ['GATEWRIGHT_TOKEN', 'GATEWRIGHT_API_SECRET', 'GATEWRIGHT_PASSWORD', 'GATEWRIGHT_FINGERPRINT_KEY']
  return [...manifests.secrets, ...own.flatMap((name) => io.env[name] ?? [])]
}

/** Hides secrets wherever they stand in a text, the longest first; very short ones would hide everything. */
export function masking(secrets: readonly string[]): (text: string) => string {
  const known = [...new Set(secrets)].filter((secret) => secret.length >= 4).sort((a, b) => b.length - a.length)
  const spellings = known.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])
  return (text) => spellings.reduce((masked, secret) => masked.replaceAll(secret, '***'), text)
}
