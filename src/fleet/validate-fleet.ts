import { areaName, areaUrl } from '../catalog/base-url.js'
import { estimateOffline } from '../engine/estimate.js'
import { desiredOf } from '../engine/settings.js'
import { validateProject } from '../engine/validate.js'
import { nodeFiles } from '../files/files.js'
import { groupBy } from '../json/groups.js'
import { KnownProjects } from '../manifest/known-project.js'
import { type Project, readProject } from '../manifest/project.js'
import type { Ports } from '../ports/ports.js'
import { unknownEnvironment } from '../problems/compose.js'
import {
  areaWithoutEnvironment,
  inAreas,
  quotaOfDay,
  rateBelowShare,
  rateOfProjects,
  sameArea,
  variableNotGiven,
} from '../problems/fleet.js'
import { hasErrors, type Problem, ProblemError } from '../problems/problem.js'
import { nearest } from '../problems/suggest.js'
import { requestOf } from './area-request.js'
import { identifierProblems, missingProjects, noting, projectVariables, valueProblems } from './area-variables.js'
import { cronLine } from './cron.js'
import { type Fleet, type FleetArea, placeIn, slotsOf } from './fleet.js'
import { recordedCounts, recordsFolder } from './records.js'

/** The result of the offline checks of a fleet and the projects of its areas. */
interface FleetValidation {
  /** Each problem of a project is reported once, with the areas that have it. */
  readonly problems: readonly Problem[]
  readonly areas: number
  readonly projects: number
}

/** Checks the projects of all areas, as `validate` does, and whether the calls per day are enough. Never goes online. */
export async function validateFleet(fleet: Fleet, ports: Ports): Promise<FleetValidation> {
  const checked = await checkedAreas(fleet.areas, ports)
  const estimates = new Map(
    checked.flatMap(({ area, requests }) => (requests === undefined ? [] : [[area.name, requests]])),
  )
  const rates = new Map(checked.map(({ area, project }) => [area.name, project?.platform.requestsPerSecond]))
  const counted = recordedCounts(recordsFolder(fleet, ports), 'drift')
  return {
    problems: [
      ...areaProblems(checked, ports),
      ...rateProblems(fleet, (name) => rates.get(name)),
      ...quotaProblems(fleet, (name) => counted[name] ?? estimates.get(name)),
    ],
    areas: fleet.areas.length,
    projects: new Set(fleet.areas.map(({ project }) => project)).size,
  }
}

/** The problems of areas and their projects only. This is all that can be checked if the fleet file has other errors. */
export const validateAreas = async (areas: readonly FleetArea[], ports: Ports): Promise<readonly Problem[]> =>
  areaProblems(await checkedAreas(areas, ports), ports)

async function checkedAreas(areas: readonly FleetArea[], ports: Ports): Promise<readonly CheckedArea[]> {
  const checked: CheckedArea[] = []
  const projects = new KnownProjects()
  for (const area of areas) checked.push(await checkArea(area, { ...ports, projects }))
  return checked
}

function areaProblems(checked: readonly CheckedArea[], ports: Ports): readonly Problem[] {
  const reported = checked.flatMap(({ area, problems }) => problems.map((problem) => ({ area, problem })))
  return [
    ...checked.flatMap(({ own }) => own),
    ...sameAreas(checked, ports),
    ...mergedProblems(reported, checked.length),
  ]
}

interface CheckedArea {
  readonly area: FleetArea
  /** Problems of the area's settings in the fleet. */
  readonly own: readonly Problem[]
  /** Problems of its project. */
  readonly problems: readonly Problem[]
  /** The estimated number of requests of a drift. */
  readonly requests?: number
  readonly project?: Project
}

type CheckPorts = Ports & { readonly projects: KnownProjects }

async function checkArea(area: FleetArea, ports: CheckPorts): Promise<CheckedArea> {
  const own = projectProblems(area, ports)
  if (hasErrors(own)) return { area, own, problems: [] }
  const missing = new Set<string>()
  try {
    const given = projectVariables(area, ports)
    const env = noting(given, (name) => {
      if (given[name] === undefined && ports.env[name]) missing.add(name)
    })
    const sealed = { isThere: false }
    const recording = { ...ports, env, vault: requestedOf(ports.vault, sealed) }
    const request = requestOf(area)
    const known = ports.projects.of(area.project)
    const { problems } = await validateProject(request, recording, known)
    const desired = hasErrors(problems) ? undefined : await desiredOf(request, recording, { project: known })
    // Decryption keys are requested even if there is nothing to decrypt.
    const keys = sealed.isThere ? ageKeys.filter((name) => given[name] === undefined && ports.env[name]) : []
    const left = [...[...missing].filter((name) => !/^(?:GATEWRIGHT_|SOPS_)/.test(name)), ...keys].sort()
    return {
      ...{ area, problems },
      own: left.map((name) => variableNotGiven(area.place, area.name, name)),
      ...(desired && { requests: estimateOffline(desired), project: desired.project }),
    }
  } catch (error) {
    if (!(error instanceof ProblemError) || ports.signal.aborted) throw error
    return { area, own, problems: error.problems }
  }
}

const ageKeys = ['SOPS_AGE_KEY', 'SOPS_AGE_KEY_FILE']

/** The same vault; `sealed` records whether it had to decrypt something. */
const requestedOf = (vault: Ports['vault'], sealed: { isThere: boolean }): Ports['vault'] => ({
  ...vault,
  request: (text) => {
    sealed.isThere = true
    return vault.request(text)
  },
})

/** Checks that the project and its environment exist, and that the project accepts the identifier and the values. */
function projectProblems(area: FleetArea, { cwd, env, projects }: CheckPorts): readonly Problem[] {
  const { project: dir, environment, place } = area
  const files = nodeFiles(cwd)
  const missing = missingProjects(area, files)
  if (missing.length > 0) return missing
  const { project } = readProject({ dir, env, environment, values: [], known: projects.of(dir) }, files)
  const { environments: known = [], declared = [] } = project.layers ?? {}
  if (environment === undefined && known.length > 0) return [areaWithoutEnvironment(place, area.name, known)]
  if (environment !== undefined && !known.includes(environment)) {
    const at = placeIn(area, 'environment')
    return [unknownEnvironment(at, environment, known, nearest(environment, known))]
  }
  return [...identifierProblems(area, project), ...valueProblems(area, declared)]
}

/** Finds areas that are the same area of the same platform, if this is known offline. */
function sameAreas(checked: readonly CheckedArea[], { env }: Ports): readonly Problem[] {
  const first = new Map<string, CheckedArea>()
  return checked.flatMap((each): readonly Problem[] => {
    // The processes of areas get this variable if the project names no platform.
    const url = each.project && (each.project.platform.url ?? env.GATEWRIGHT_URL)
    const id = each.area.area ?? each.project?.platform.area
    if (url === undefined || id === undefined) return []
    const where = JSON.stringify([areaUrl(url), areaName(id)])
    const other = first.get(where)
    if (!other) {
      first.set(where, each)
      return []
    }
    const isSame = other.area.project === each.area.project && other.area.environment === each.area.environment
    return [sameArea(each.area.place, each.area.name, other.area.name, other.area.place, isSame ? 'all' : 'area')]
  })
}

/** Reports each problem once. If only some areas have it, it names those areas. */
function mergedProblems(
  reported: readonly { readonly area: FleetArea; readonly problem: Problem }[],
  all: number,
): readonly Problem[] {
  const found = new Map<string, { readonly problem: Problem; readonly names: Set<string> }>()
  for (const { area, problem } of reported) {
    const { code, message, place } = problem
    const key = JSON.stringify([code, message, place?.file, place?.line, place?.column])
    const known = found.get(key)
    if (known) known.names.add(area.name)
    else found.set(key, { problem, names: new Set([area.name]) })
  }
  return [...found.values()].map(({ problem, names }) => (names.size === all ? problem : inAreas(problem, [...names])))
}

/**
 * For keys with a quota: problems if the drift schedule needs more calls. `requestsOf`: the calls that one drift of an area
 * needs, if known.
 */
function quotaProblems(
  { areas, keys, drift }: Pick<Fleet, 'areas' | 'keys' | 'drift'>,
  requestsOf: (area: string) => number | undefined,
): readonly Problem[] {
  const line = drift && cronLine(drift.schedule)
  if (!line || 'fault' in line) return []
  const byKey = groupBy(areas, ({ key }) => key)
  return Object.entries(keys).flatMap(([key, { requestsPerDay: allowed }]) => {
    const own = byKey.get(key) ?? []
    if (allowed === undefined || own.length === 0) return []
    const counts = own.map(({ name }) => requestsOf(name))
    const requests = counts.reduce<number>((sum, count) => sum + (count ?? 0), 0)
    const unknown = counts.filter((count) => count === undefined).length
    return [quotaOfDay({ key, areas: own.length, unknown, requests, runsPerDay: line.runsPerDay, allowed })]
  })
}

/**
 * Problems of projects that set a rate of their own although they share a key. If the key has no rate, nothing limits the areas
 * together. If a project's rate is slower than its share of the key's rate, the project's rate applies. `rateOf`: the rate that
 * the project of an area sets.
 */
function rateProblems(
  { areas, keys }: Pick<Fleet, 'areas' | 'keys'>,
  rateOf: (area: string) => number | undefined,
): readonly Problem[] {
  const byKey = groupBy(areas, ({ key }) => key)
  return Object.entries(keys).flatMap(([key, allowed]) => {
    const own = byKey.get(key) ?? []
    const byRate = groupBy(own, ({ name }) => rateOf(name))
    byRate.delete(undefined)
    const rates = [...byRate].flatMap(([rate, of]) =>
      rate === undefined ? [] : [{ rate, areas: of.map(({ name }) => name) }],
    )
    if (allowed.requestsPerSecond === undefined) {
      return rates.length > 0 && own.length > 1 ? [rateOfProjects(key, rates)] : []
    }
    const shares = slotsOf(allowed).flatMap(({ requestsPerSecond }) => requestsPerSecond ?? [])
    const share = Math.min(...shares)
    return rates.filter(({ rate }) => rate < share).map((each) => rateBelowShare(key, share, each))
  })
}
