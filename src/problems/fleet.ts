import { error, note, type Place, type Problem, warning } from './problem.js'
import { choice, counted, firstOf } from './suggest.js'

/** Problems of a fleet (design §11), and of the jobs of its areas. */

export const loginNotSet = (area: string, variables: readonly string[]): Problem =>
  error(
    'missing-settings',
    undefined,
    `area "${area}" has no login: ${firstOf(variables)} ${variables.length === 1 ? 'is' : 'are'} not set`,
    'set what credentials of the area and of its key name',
  )

export const identifierNotNamed = (place: Place, area: string): Problem =>
  error(
    'missing-settings',
    place,
    `nothing names the customer area of area "${area}"`,
    'write its identifier: area here, or platform.area of the project or its environment',
  )

export const jobNotStarted = (area: string, reason: string): Problem =>
  error('area-job-failed', undefined, `the process of area "${area}" was not started: ${reason}`)

export const jobTimedOut = (area: string, timeoutMs: number): Problem =>
  error(
    'area-job-failed',
    undefined,
    `area "${area}" took longer than ${counted(Math.round(timeoutMs / 1000), 'second')}, and was ended`,
    'run it by itself to see what it waits for, or raise spec.timeout of the fleet',
  )

export const jobDied = (area: string, reason: string, words: string): Problem =>
  error('area-job-failed', undefined, `the process of area "${area}" was ended: ${reason}${appended(words)}`, again)

export const jobUnanswered = (area: string, code: number | null, words: string): Problem =>
  error(
    'area-job-failed',
    undefined,
    `the process of area "${area}" ended with exit code ${code ?? 'unknown'} and no answer${appended(words)}`,
    again,
  )

export const jobFailed = (area: string, words: string): Problem =>
  error('area-job-failed', undefined, `the process of area "${area}" ended with exit code 1${appended(words)}`, again)

const again = 'run the command with --resume: what was done is not done again'

/** The last output of the process, on one line. */
const appended = (words: string): string => (words === '' ? '' : `: ${words.replaceAll(/\s*\n\s*/g, '; ')}`)

export const missingFleet = (path: string, reason: string): Problem =>
  error(
    'missing-fleet',
    undefined,
    `${path}: ${reason}`,
    'a fleet file is one document with kind: Fleet; -f names another one',
  )

export const areaTwice = (place: Place, name: string, first: Place): Problem => ({
  ...error('fleet-area-twice', place, `there are two areas "${name}"`, 'rename one of them, or remove it'),
  related: [{ message: 'the first one is here', place: first }],
})

/** `same`: whether project and environment are the same too, or only the area. */
export const sameArea = (place: Place, name: string, other: string, first: Place, same: 'all' | 'area'): Problem => ({
  ...(same === 'all' ? error : warning)(
    'fleet-area-twice',
    place,
    same === 'all'
      ? `areas "${name}" and "${other}" are one: the same project, environment, platform and area`
      : `areas "${name}" and "${other}" are one area of one platform: their jobs wait for each other`,
    same === 'all' ? 'remove one of them' : 'nothing, if both projects have objects of their own there',
  ),
  related: [{ message: 'the first one is here', place: first }],
})

export const unknownFleetKey = (
  place: Place,
  name: string,
  suggestion: string | undefined,
  known: readonly string[],
): Problem =>
  error(
    'fleet-key',
    place,
    `there is no key "${name}" in spec.keys of the fleet`,
    choice(suggestion, known) ?? 'declare it in spec.keys',
  )

export const unusedFleetKey = (place: Place, name: string): Problem =>
  warning('fleet-key', place, `no area has the key "${name}"`, 'remove it, or name it as the key of areas')

export const noAreas = (place: Place): Problem =>
  error(
    'fleet-areas',
    place,
    'the fleet has no area',
    'name files of kind: Area in spec.areas, or write the areas there',
  )

export const areasByName = (place: Place, first: string): Problem =>
  error(
    'wrong-type',
    place,
    'spec.areas takes a list, and a mapping of names is written',
    `write an item for each area: - {name: ${first}, …}`,
  )

/** A file, folder or pattern without areas; `reason` names it. */
export const missingAreas = (place: Place, reason: string): Problem =>
  error('missing-file', place, reason, 'spec.areas names files of kind: Area, seen from the fleet file')

/** The selection matches no area of the fleet. */
export const nothingChosen = (choices: readonly string[]): Problem =>
  error(
    'fleet-areas',
    undefined,
    `no area of the fleet fits ${choices.join(' ')}`,
    'gatewright fleet list shows names and labels',
  )

/** `known`: the names of all areas. */
export const noSuchArea = (name: string, suggestion: string | undefined, known: readonly string[]): Problem =>
  error(
    'fleet-areas',
    undefined,
    `the fleet has no area "${name}", and had none of that name`,
    choice(suggestion, known),
  )

export const notAnArea = (place: Place, written: string): Problem =>
  error(
    'unknown-kind',
    place,
    `a file of spec.areas has ${written}`,
    'its documents are of kind: Area, each with metadata.name and spec',
  )

export const areaWithoutProject = (place: Place, folder: string, reason: string): Problem =>
  error(
    'missing-project',
    place,
    `there is no project in ${folder}: ${reason}`,
    'project is the folder of a gatewright.yaml, seen from this file',
  )

export const twoIdentifiers = (place: Place, environment: string | undefined): Problem =>
  error(
    'fleet-area-differs',
    place,
    `this names another customer area than ${environment === undefined ? 'the project' : `environment ${environment}`} does`,
    'leave it out here, or leave out platform.area there',
  )

export const areaWithoutEnvironment = (place: Place, area: string, known: readonly string[]): Problem =>
  error(
    'environment-not-chosen',
    place,
    `the project of area "${area}" has several environments, and none is named`,
    `write environment: one of ${firstOf(known)}`,
  )

/** `mayFill`: whether the wave would have areas if the fleet had more. */
export const emptyWave = (place: Place, mayFill: boolean): Problem =>
  (mayFill ? warning : error)(
    'fleet-wave',
    place,
    'the wave has no area: no area has its labels, or earlier waves have them all',
    mayFill ? 'nothing, if more areas are to come' : 'gatewright fleet list shows labels',
  )

export const areasWithoutWave = (place: Place, names: readonly string[]): Problem =>
  warning(
    'fleet-wave',
    place,
    `${counted(names.length, 'area')} in no wave: ${firstOf(names)}`,
    'end with the wave {}, which has all that are left',
  )

export const badDuration = (place: Place, where: string, written: string, leastMs: number): Problem =>
  error(
    'invalid-value',
    place,
    leastMs === 0
      ? `${where} is ${written}, and may be a year at most`
      : `${where} is ${written}, and may be from a second to a year`,
    'such as 30m or 12h',
  )

export const noAddress = (place: Place, written: string): Problem =>
  error(
    'invalid-value',
    place,
    `spec.serve.trustedProxies takes addresses, and "${written}" is not one`,
    'such as 10.0.0.5 or fd00::5, one for each proxy; neither names nor subnets',
  )

/** Two settings only have an effect together; `missing` is the other one. */
export const nobodyDecides = (place: Place, missing: string): Problem =>
  warning(
    'fleet-serve',
    place,
    `without spec.serve.${missing} nobody can decide anything on the pages`,
    `write ${missing} as well, or remove this: gatewright fleet rollout decides without the pages`,
  )

export const badSchedule = (place: Place, written: string, fault: string): Problem =>
  error(
    'fleet-schedule',
    place,
    `"${written}" is not a schedule: ${fault}`,
    'such as "17 */6 * * *": every six hours, 17 minutes past',
  )

export const unknownTimeZone = (place: Place, written: string, suggestion: string | undefined): Problem =>
  error(
    'fleet-schedule',
    place,
    `there is no time zone "${written}"`,
    choice(suggestion) ?? 'such as Europe/Berlin or UTC',
  )

export const jitterTooLong = (place: Place, jitter: string, gapMs: number): Problem =>
  error(
    'fleet-schedule',
    place,
    `the jitter ${jitter} is longer than what lies between two runs, ${counted(Math.round(gapMs / 60_000), 'minute')}`,
    'areas would begin after the next run',
  )

/** A problem of a project, with the areas that have the project. */
export const inAreas = (problem: Problem, names: readonly string[]): Problem => ({
  ...problem,
  message: `${problem.message} (in ${firstOf(names)})`,
})

export const variableNotGiven = (place: Place, area: string, name: string): Problem =>
  warning(
    'fleet-variable',
    place,
    `\${env:${name}} is set here, and the process of area "${area}" does not have it`,
    'list it in variables of the area or of the fleet, or in secrets.env of the project file',
  )

/** Areas whose projects set the same rate. */
interface GivenRate {
  readonly rate: number
  readonly areas: readonly string[]
}

export const rateOfProjects = (key: string, rates: readonly GivenRate[]): Problem =>
  warning(
    'fleet-rate',
    undefined,
    `key "${key}" has no requestsPerSecond: ${rates
      .map(({ rate, areas }) => `${rate} a second (${firstOf(areas)})`)
      .join(' and ')} is set in projects, each for itself: nothing limits all of them together`,
    `say it once, in keys: ${key}: {requestsPerSecond: …}`,
  )

export const rateBelowShare = (key: string, share: number, { rate, areas }: GivenRate): Problem =>
  note(
    'fleet-rate',
    undefined,
    `key "${key}" allows each of its areas ${share} calls a second, and the project of ${firstOf(areas)} only ${rate}: the slower one holds`,
  )

/** `allowed`: the calls per day of the key. */
export function quotaOfDay(need: {
  readonly key: string
  readonly areas: number
  readonly unknown: number
  readonly requests: number
  readonly runsPerDay: number
  readonly allowed: number
}): Problem {
  const { key, areas, unknown, requests, runsPerDay, allowed } = need
  const needed = requests * runsPerDay
  const often = 24 % runsPerDay === 0 ? `every ${24 / runsPerDay} h` : `${counted(runsPerDay, 'time')} a day`
  const without = unknown === 0 ? '' : `, without ${counted(unknown, 'area')} whose number of calls is not known`
  const about = `key "${key}": drift of ${counted(areas, 'area')} takes about ${grouped(requests)} calls${without}`
  if (needed <= allowed) {
    return note(
      'fleet-quota',
      undefined,
      `${about}; ${often} needs ${grouped(needed)} of ${grouped(allowed)} calls a day`,
    )
  }
  const hours = Math.ceil((24 * requests) / allowed)
  return warning(
    'fleet-quota',
    undefined,
    `${about}; ${often} needs ${grouped(needed)} calls of ${grouped(allowed)}: every ${hours} h fits`,
    'run drift less often (spec.drift.schedule), or share the areas among more keys',
  )
}

/** Such as `7,800`. */
const grouped = (count: number): string => String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',')

export const areaInterrupted = (area: string): Problem =>
  error(
    'area-not-started',
    undefined,
    `area "${area}" was not started: the run was interrupted`,
    'run the command with --resume',
  )

/** `state`: the result of its plan, if there was one. */
export const areaWithoutPlan = (area: string, state: string | undefined): Problem =>
  error(
    'area-not-started',
    undefined,
    state === undefined
      ? `area "${area}" was not planned`
      : `area "${area}" has no saved plan: planning it ended with ${state}`,
    'gatewright fleet plan --out DIR plans it; --resume plans only what is not done',
  )

export const noPlans = (path: string, fleet: string): Problem =>
  error(
    'fleet-plans',
    undefined,
    `${path} has no plans of fleet "${fleet}"`,
    'make them with gatewright fleet plan --out DIR',
  )
