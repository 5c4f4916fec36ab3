import { areaName } from '../catalog/base-url.js'
import { loginVariables } from '../engine/settings.js'
import { type Files, folderFault, nodeFiles } from '../files/files.js'
import { nameMatcher } from '../files/glob.js'
import { join } from '../files/paths.js'
import { givenProblems } from '../manifest/compose/given-values.js'
import type { Declaration } from '../manifest/compose/value-declarations.js'
import type { KnownProjects } from '../manifest/known-project.js'
import { type Project, readProject } from '../manifest/project.js'
import { projectFile } from '../manifest/project-files.js'
import { variableNamesIn } from '../manifest/variable-names.js'
import type { Ports } from '../ports/ports.js'
import { areaWithoutProject, identifierNotNamed, loginNotSet, twoIdentifiers } from '../problems/fleet.js'
import { identifierSettings } from '../problems/platform.js'
import { hasErrors, type Problem, ProblemError } from '../problems/problem.js'
import { type CredentialVariables, type FleetArea, type FleetKey, placeIn } from './fleet.js'

/** An area and its key. */
interface KeyedArea {
  readonly area: FleetArea
  readonly key: Pick<FleetKey, 'credentials'> | undefined
}

/** Values of environment variables by name. */
type AreaVariables = Readonly<Record<string, string>>

/**
 * The environment variables for the process of an area: its login, the variables that its project names, the variables that the
 * fleet permits, and the variables that every program needs. Throws a ProblemError if the project cannot be read or the login is
 * not set.
 */
export function areaVariables({ area, key }: KeyedArea, ports: VariablePorts): AreaVariables {
  return { ...projectVariables(area, ports), ...loginOf({ area, key }, ports) }
}

/** The same variables without the login: offline checks need none. */
export function projectVariables(area: FleetArea, ports: VariablePorts): AreaVariables {
  const { project, names } = namedVariables(area, ports)
  const patterns = [...area.variables, ...project.secrets.env].map(nameMatcher)
  const isOwn = (name: string): boolean =>
    names.has(name) || project.secrets.public.includes(name) || patterns.some((matches) => matches(name))
  const passed = Object.entries(ports.env).flatMap(([name, value]): readonly [string, string][] => {
    if (value === undefined) return []
    if (name.startsWith('GATEWRIGHT_')) return ofEveryArea.has(name) ? [[name, value]] : []
    return isOfSystem(name) || isOwn(name) ? [[name, value]] : []
  })
  return { ...Object.fromEntries(passed), ...targetVariables(project, ports) }
}

type VariablePorts = Pick<Ports, 'env' | 'cwd' | 'mask'> & {
  /** What has been read for other areas: hundreds of them may have one project. */
  readonly projects?: KnownProjects
}

interface NamedVariables {
  readonly project: Project
  /** The variables that the project file uses in the environment of the area. */
  readonly names: ReadonlySet<string>
}

/** Reads the project file and collects the names of the environment variables that it uses. */
function namedVariables(area: FleetArea, { env, cwd, projects }: VariablePorts): NamedVariables {
  const names = new Set<string>()
  const noted = noting(env, (name) => names.add(name))
  const known = projects?.of(area.project)
  const input = { dir: area.project, env: noted, environment: area.environment, values: [], known }
  const files = nodeFiles(cwd)
  const missing = missingProjects(area, files)
  if (missing.length > 0) throw new ProblemError(missing)
  const { project, problems } = readProject(input, files)
  const wrong = [
    ...problems,
    ...identifierProblems(area, project),
    ...valueProblems(area, project.layers?.declared ?? []),
  ]
  if (hasErrors(wrong)) throw new ProblemError(wrong)
  if (project.layers) for (const name of variableNamesIn(project.layers)) names.add(name)
  return { project, names }
}

/**
 * An error if the folder of an area has no project file. Otherwise commands would search the folders above it and find another
 * project.
 */
export function missingProjects(area: FleetArea, files: Files): readonly Problem[] {
  const without = (reason: string) => [areaWithoutProject(placeIn(area, 'project'), area.project, reason)]
  const fault = folderFault(area.project, files)
  if (fault !== undefined) return without(fault)
  return files.exists(join(area.project, projectFile)) === 'file' ? [] : without(`it has no ${projectFile}`)
}

/**
 * An error if neither fleet nor project names the identifier of the customer area, or if they name different ones. The identifier
 * never comes from an environment variable, which would be the same for all areas.
 */
export function identifierProblems(area: FleetArea, { platform }: Pick<Project, 'platform'>): readonly Problem[] {
  if (area.area === undefined) return platform.area === undefined ? [identifierNotNamed(area.place, area.name)] : []
  if (platform.area === undefined || areaName(area.area) === areaName(platform.area)) return []
  return [twoIdentifiers(placeIn(area, 'area'), area.environment)]
}

/** Problems of the values of an area (A353). `declared`: the declarations in its project. */
export const valueProblems = (area: FleetArea, declared: readonly Declaration[]): readonly Problem[] =>
  Object.entries(area.values).flatMap(([name, value]) =>
    givenProblems(name, value, placeIn(area, `values.${name}`), declared),
  )

/** The same variables; `note` gets the name of every variable that is read, whether it is set or not. */
export function noting(env: Ports['env'], note: (name: string) => void): Ports['env'] {
  const noted = (name: string | symbol): void => {
    if (typeof name === 'string') note(name)
  }
  return new Proxy(env, {
    get: (all, name, receiver) => {
      noted(name)
      return Reflect.get(all, name, receiver)
    },
    has: (all, name) => {
      noted(name)
      return Reflect.has(all, name)
    },
    getOwnPropertyDescriptor: (all, name) => {
      noted(name)
      return Reflect.getOwnPropertyDescriptor(all, name)
    },
  })
}

/**
 * Variables that are the same for all areas. Two are not among them: a token is valid for one area only, and the identifier of an
 * area never comes from a variable.
 */
const ofEveryArea: ReadonlySet<string> = new Set([
  ...['GATEWRIGHT_HOSTS', 'GATEWRIGHT_RECORDS', 'GATEWRIGHT_FINGERPRINT_KEY', 'GATEWRIGHT_WHO'],
  ...['GATEWRIGHT_GUARD_REF', 'GATEWRIGHT_VOCABULARY'],
])

/** Variables that programs need on any system, and the settings of git, PostgreSQL and the network connection. */
const isOfSystem = (name: string): boolean =>
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TZ|TMPDIR|TMP|TEMP|TERM|SYSTEMROOT|COMSPEC|PATHEXT|USERPROFILE|APPDATA|LOCALAPPDATA|XDG_\w+|NODE_\w+|SSL_CERT_\w+|(?:HTTP|HTTPS|ALL|NO)_PROXY|GIT_\w+|SSH_AUTH_SOCK|PG[A-Z]+|CI|GITHUB_ACTOR|GITLAB_USER_LOGIN|BUILD_USER)$/i.test(
    name,
  )

/**
 * If the project names no platform, its URL comes from the variable. Otherwise the variable only permits its host to get logins.
 */
function targetVariables({ platform }: Project, { env }: VariablePorts): AreaVariables {
  const { GATEWRIGHT_URL: url, GATEWRIGHT_HOSTS: hosts } = env
  if (!url) return {}
  if (platform.url === undefined) return { GATEWRIGHT_URL: url }
  return { GATEWRIGHT_HOSTS: [hosts, url].flatMap((each) => each || []).join(',') }
}

const usualVariables = { ...loginVariables, token: 'GATEWRIGHT_TOKEN' } as const

const loginMembers = ['apiKey', 'apiSecret', 'username', 'password', 'token'] as const

/**
 * Replaces the usual names of login variables in a text by the names that area or key gives, and the usual settings of the
 * identifier by the one that the area uses.
 */
export function withOwnVariables(text: string, { area, key }: KeyedArea): string {
  const named: CredentialVariables = { ...key?.credentials, ...area.credentials }
  return text
    .replaceAll(identifierSettings, () => identifierSetting(area))
    .replaceAll(/\bGATEWRIGHT_[A-Z_]+\b/g, (usual) => {
      const member = loginMembers.find((each) => usualVariables[each] === usual)
      return (member && named[member]) ?? usual
    })
}

/** The setting that gives the identifier of an area: no variable and no option of a command does. */
function identifierSetting(area: FleetArea): string {
  const { file, line } = placeIn(area, 'area')
  if (area.area !== undefined) return `"area" of ${area.name} in ${file}:${line}`
  const whose = area.environment === undefined ? '' : ` of environment ${area.environment}`
  return `platform.area${whose} in ${join(area.project, projectFile)}`
}

/** The login that area or key names, member by member. If both do not name a member, it comes from the GATEWRIGHT_* variable. */
function loginOf({ area, key }: KeyedArea, { env, mask }: VariablePorts): AreaVariables {
  const named: CredentialVariables = { ...key?.credentials, ...area.credentials }
  const unset = loginMembers.flatMap((name) => (named[name] !== undefined && !env[named[name]] ? [named[name]] : []))
  if (unset.length > 0) throw new ProblemError([loginNotSet(area.name, unset)])
  const found = loginMembers.flatMap((name): readonly [string, string][] => {
    const variable = named[name]
    const usual = name === 'token' ? undefined : env[usualVariables[name]]
    const value = variable === undefined ? usual : env[variable]
    return value ? [[usualVariables[name], value]] : []
  })
  // The API key and the user name are not secret: messages show user names as editors.
  const open: readonly string[] = [usualVariables.apiKey, usualVariables.username]
  mask.learn(...found.filter(([name]) => !open.includes(name)).map(([, value]) => value))
  return Object.fromEntries(found)
}
