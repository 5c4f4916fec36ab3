import { baseUrl } from '../catalog/base-url.js'
import { findVocabulary, type Vocabulary, vocabularies } from '../catalog/vocabulary.js'
import { checkedUrl } from '../client/checked-url.js'
import type { Credentials } from '../client/connect-input.js'
import type { AppliedIn } from '../documents/plan.js'
import { type Files, nodeFiles } from '../files/files.js'
import { sameJson } from '../json/json.js'
import type { KnownProject } from '../manifest/known-project.js'
import type { KnownReading } from '../manifest/known-reading.js'
import type { Project } from '../manifest/project.js'
import { type ManifestInput, readManifests } from '../manifest/read.js'
import type { Manifests } from '../manifest/resource.js'
import type { Ports } from '../ports/ports.js'
import { type Problem, ProblemError } from '../problems/problem.js'
import {
  hostNotNamed,
  invalidOption,
  missingSettings,
  misspeltVariable,
  targetOverridden,
} from '../problems/project.js'
import { nearest } from '../problems/suggest.js'
import { fingerprintKeyOf } from '../secrets/fingerprint.js'
import { isNamedHost } from '../secrets/hosts.js'
import { readOpened } from '../secrets/vault.js'
import { withoutBreak } from '../secrets/without-break.js'
import { appliedIn, checkIsWhole, filesApplied, projectApplied } from './applied-in.js'
import { projectAtRef } from './guard-ref.js'
import { unlessInterrupted } from './interrupted.js'
import { learnFrom } from './known-secrets.js'
import { maskedProblem } from './masking.js'
import { chosenProject } from './project.js'
import type { PlanRequest, ProjectRequest } from './requests.js'

/** Exported for the code that checks a URL in the terminal before it is given to the client. */
export { checkedUrl }

/**
 * The project and its manifests, read and checked. Options override environment variables, and these override the project file.
 */
export interface Desired {
  readonly project: Project
  readonly manifests: Manifests
  /** The problems of the project file and of the manifests. */
  readonly problems: readonly Problem[]
  /**
   * The run of another environment whose commit contains the manifests and layers. They are read from there instead of the
   * working tree.
   */
  readonly from?: AppliedIn
  /** The files of that commit. */
  readonly files?: Files
}

/** What earlier readings have found. */
interface KnownReadings {
  readonly project?: KnownProject
  readonly manifests?: KnownReading | undefined
}

/** Reads project file and manifests. Never goes online. */
export async function desiredOf(request: ProjectRequest, ports: Ports, known: KnownReadings = {}): Promise<Desired> {
  const { project, problems } = chosenProject(request, ports, known.project)
  return await readDesired({ project, problems, files: nodeFiles(ports.cwd), known: known.manifests }, request, ports)
}

interface ReadProject {
  readonly project: Project
  readonly problems: readonly Problem[]
  /** The files with the manifests. */
  readonly files: Files
  readonly known: KnownReading | undefined
}

async function readDesired(
  { project, problems, files, known }: ReadProject,
  request: ProjectRequest,
  ports: Ports,
): Promise<Desired> {
  const manifests = await manifestsFor({ project, files, paths: request.paths, known }, request, ports)
  return {
    project,
    manifests,
    problems: [...problems, ...manifests.problems].map((each) => maskedProblem(each, ports.mask)),
  }
}

/** Reads the manifests of a project, and decrypts their encrypted values. */
export async function manifestsFor(
  input: Pick<ManifestInput, 'project' | 'files' | 'paths' | 'known'>,
  request: Pick<ProjectRequest, 'allowFile'>,
  ports: Ports,
): Promise<Manifests> {
  const given = {
    ...input,
    env: ports.env,
    fingerprintKey: fingerprintKeyOf(ports),
    secretFolders: request.allowFile,
    vault: ports.vault,
  }
  const manifests = await readOpened(ports.vault, () => readManifests(given))
  await unlessInterrupted(ports)
  learnFrom(manifests, ports.mask)
  return manifests
}

/**
 * The same, or with `--applied-in` the state that was applied in another environment. Throws a ProblemError if that is not known.
 */
export async function plannedDesired(request: PlanRequest, ports: Ports, known?: KnownReading): Promise<Desired> {
  const applied = await appliedIn(request, ports)
  if (!applied) return desiredOf(request, ports, { manifests: known })
  const { from } = applied
  const { project: now, problems } = chosenProject(request, ports)
  const files = await filesApplied(from, now, ports)
  const project = projectApplied(now, from, files, request, ports)
  const desired = await readDesired({ project, problems, files, known }, request, ports)
  if (!request.paths?.length && !request.mustBeAsSaved) checkIsWhole(applied, desired, files, ports)
  return { ...desired, from, files }
}

/** The area that the settings name. Each member is '' if the settings do not name it. */
export interface Target {
  readonly url: string
  readonly area: string
}

/**
 * URL and area from options, environment variables and project file, in this order. Throws a ProblemError if the URL is not
 * valid.
 */
export function targetOfProject(
  project: Pick<Project, 'platform'>,
  request: ProjectRequest,
  ports: Pick<Ports, 'env'>,
): Target {
  const url = request.url ?? (ports.env.GATEWRIGHT_URL || project.platform.url || '')
  const area = request.area ?? (withoutBreak(ports.env.GATEWRIGHT_AREA) || project.platform.area || '')
  return { url: url === '' ? '' : checkedUrl(url), area }
}

/**
 * The vocabulary of the platform, from GATEWRIGHT_VOCABULARY or else from the project file. Throws a ProblemError if there is no
 * vocabulary with that name.
 */
export function vocabularyOf({ platform }: Pick<Project, 'platform'>, { env }: Pick<Ports, 'env'>): Vocabulary {
  const written = env.GATEWRIGHT_VOCABULARY || platform.vocabulary
  const vocabulary = findVocabulary(written)
  if (vocabulary) return vocabulary
  throw new ProblemError([invalidOption('GATEWRIGHT_VOCABULARY', written, `one of: ${vocabularies.join(', ')}`)])
}

/**
 * The maximum number of calls per second, from GATEWRIGHT_REQUESTS_PER_SECOND or the project file, whichever is slower. Throws a
 * ProblemError if the variable is not a number above 0.
 */
export function rateOf(
  { platform: { requestsPerSecond: own } }: Pick<Project, 'platform'>,
  { env }: Pick<Ports, 'env'>,
): number | undefined {
  const written = env.GATEWRIGHT_REQUESTS_PER_SECOND
  if (!written) return own
  const rate = /^\d+(\.\d+)?$/.test(written) ? Number(written) : 0
  if (rate > 0) return Math.min(rate, own ?? rate)
  throw new ProblemError([invalidOption('GATEWRIGHT_REQUESTS_PER_SECOND', written, 'a number above 0')])
}

/** The live area with the credentials for it. */
export interface Access extends Target {
  readonly credentials: Credentials
}

/** The variables of a login, by its members. */
export const loginVariables = {
  apiKey: 'GATEWRIGHT_API_KEY',
  apiSecret: 'GATEWRIGHT_API_SECRET',
  username: 'GATEWRIGHT_USERNAME',
  password: 'GATEWRIGHT_PASSWORD',
} as const

interface Login {
  /** A ready token, which needs no login. */
  readonly token: string | undefined
  readonly login: Readonly<Record<keyof typeof loginVariables, string>>
  /** The variables that are needed and not set. */
  readonly unset: readonly string[]
}

/** The credentials that the selected environment names, or else those of the variables. */
function loginOf({ platform }: Pick<Project, 'platform'>, { env }: Pick<Ports, 'env'>): Login {
  const { credentials: own } = platform
  const token = withoutBreak(own?.token ?? (own ? '' : env.GATEWRIGHT_TOKEN)) || undefined
  const value = (name: keyof typeof loginVariables): string => withoutBreak(own?.[name] ?? env[loginVariables[name]])
  const login = {
    apiKey: value('apiKey'),
    apiSecret: value('apiSecret'),
    username: value('username'),
    password: value('password'),
  }
  const names: readonly (keyof typeof loginVariables)[] = ['apiKey', 'apiSecret', 'username', 'password']
  const lacking = token === undefined ? names.filter((name) => login[name] === '') : []
  return { token, login, unset: lacking.map((name) => loginVariables[name]) }
}

const prefix = 'GATEWRIGHT_'

/** The variables of this program, without their prefix. None of them counts as a misspelt form of another one. */
const knownVariables: ReadonlySet<string> = new Set([
  ...Object.values(loginVariables).map((name) => name.slice(prefix.length)),
  ...['URL', 'AREA', 'TOKEN', 'HOSTS', 'RECORDS', 'ENV', 'FINGERPRINT_KEY', 'WHO', 'GUARD_REF', 'VOCABULARY', 'JOB'],
  'REQUESTS_PER_SECOND',
])

/** The name with a short prefix, so that only the rest decides whether two names are similar. */
const short = (name: string): string => name.replace(/^gatewri(ght|te)_?/i, 'GW_')

/** Variables that are set, have a prefix like those of this program, and are unknown. */
const strangers = (env: Ports['env']): readonly string[] =>
  Object.keys(env).filter((each) => env[each] && short(each) !== each && !knownVariables.has(each.slice(prefix.length)))

/** A note for each unknown variable whose name is similar to an unset variable of this program. */
export function misspeltVariables(env: Ports['env']): readonly Problem[] {
  const unset = [...knownVariables].map((name) => `${prefix}${name}`).filter((name) => !env[name])
  const byShort = new Map(unset.map((name) => [short(name), name]))
  return strangers(env).flatMap((each) => {
    const meant = byShort.get(nearest(short(each), byShort.keys()) ?? '')
    return meant === undefined ? [] : [misspeltVariable(each, meant)]
  })
}

/**
 * A note for each variable that was used although the selected environment has another value: the run may use the wrong area
 * (A444).
 */
export function overriddenTarget(
  { platform, layers }: Pick<Project, 'platform' | 'layers'>,
  used: Target,
  { GATEWRIGHT_URL: url, GATEWRIGHT_AREA: area }: Ports['env'],
): readonly Problem[] {
  if (layers?.environment === undefined) return []
  const isUsed = (set: string | undefined, value: string, written: string | undefined): boolean =>
    Boolean(set && written) && plainTarget(set) === plainTarget(value) && plainTarget(set) !== plainTarget(written)
  return [
    ...(isUsed(url, used.url, platform.url) ? [targetOverridden('GATEWRIGHT_URL', 'platform.url')] : []),
    ...(isUsed(area, used.area, platform.area) ? [targetOverridden('GATEWRIGHT_AREA', 'platform.area')] : []),
  ]
}

const plainTarget = (text = ''): string => text.trim().replace(/\/+$/, '').toLowerCase()

/** A hint if an unset variable may be misspelt: a similar name is set. */
function misspelt(name: string, env: Ports['env']): string {
  const byShort = new Map(strangers(env).map((each) => [short(each), each]))
  const near = nearest(short(name), byShort.keys())
  return near === undefined ? '' : ` (${byShort.get(near)} is set: did you mean ${name}?)`
}

/**
 * The settings that are missing for the target. With a ready token, the area is not needed. `near` returns a hint if a similar
 * variable is set.
 */
export function missingTarget(
  { url, area }: Target,
  token: string | undefined,
  near: (variable: string) => string,
): readonly { readonly what: string; readonly how: string }[] {
  const missing = (name: 'url' | 'area') => {
    const variable = `${prefix}${name.toUpperCase()}`
    const how = `${variable}, --${name}, or spec.platform.${name} in the project file${near(variable)}`
    return { what: `the ${name}`, how }
  }
  return [...(url ? [] : [missing('url')]), ...(area || token ? [] : [missing('area')])]
}

/**
 * The target with its credentials. Throws a ProblemError that names all missing settings, and also if only the project file names
 * the host: anybody who can change that file would get the credentials (A152).
 */
export function accessOf(project: Project, request: ProjectRequest, ports: Ports): Access {
  if (project.unset.credentials.length > 0) throw new ProblemError(project.unset.credentials)
  const { url, area } = targetOfProject(project, request, ports)
  const { token, login, unset } = loginOf(project, ports)
  const near = (variable: string) => misspelt(variable, ports.env)
  const missing = [
    ...missingTarget({ url, area }, token, near),
    ...unset.map((name) => ({
      what: name,
      how: `set in the environment, or give a ready GATEWRIGHT_TOKEN${near(name)}`,
    })),
  ]
  if (!url || missing.length > 0) throw new ProblemError([missingSettings(missing)])
  const isOurs = request.url !== undefined || Boolean(ports.env.GATEWRIGHT_URL) || isNamedHost(url, ports)
  if (!isOurs && !isNamedAtRef(project, url, ports))
    throw new ProblemError([hostNotNamed(project.file ?? 'the project file', new URL(url).host)])
  return { url, area, credentials: token ? { token } : { ...login, area } }
}

/** Whether the project at GATEWRIGHT_GUARD_REF sends the same credentials to the same URL, in the same environment. */
function isNamedAtRef(project: Project, url: string, ports: Ports): boolean {
  const platform = projectAtRef(project, ports)?.platform
  const named = platform?.url === undefined ? undefined : baseUrl(platform.url)
  const isSameUrl = named !== undefined && 'url' in named && named.url === url
  return isSameUrl && sameJson(platform?.credentials ?? {}, project.platform.credentials ?? {})
}
