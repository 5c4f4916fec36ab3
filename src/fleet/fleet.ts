import { ownValue } from '../catalog/record.js'
import type { Json } from '../json/json.js'
import { hasLabels } from '../manifest/labels.js'
import type { LoginMember } from '../manifest/project.js'
import type { Place } from '../problems/problem.js'

/** Many areas as one value: plain JSON without secrets. */
export interface Fleet {
  readonly name: string
  /** The path of the fleet file as the user would type it. */
  readonly file: string
  /** The folder for its relative paths; "." is the working directory. */
  readonly dir: string
  /** In the order of the fleet file. Files that match a pattern are sorted by path. Names are unique. */
  readonly areas: readonly FleetArea[]
  /** By name. An area without a key has its own queue. */
  readonly keys: Readonly<Record<string, FleetKey>>
  /** The drift schedule; undefined: drift is only looked for on request. */
  readonly drift: DriftSchedule | undefined
  /** Undefined: all areas in one wave, and no failure stops it. */
  readonly rollout: Rollout | undefined
  /** The folder for its state, reports and counts, relative to the working directory. */
  readonly records: string
  /** The time limit for the job of one area, in milliseconds. */
  readonly timeoutMs: number
  readonly serve: ServeSettings
}

/** The settings of the server: who may decide, and for how long it keeps results. */
export interface ServeSettings {
  /** The header in which a proxy sends the name of the signed-in user, in lower case; undefined: no decisions on the pages. */
  readonly userHeader: string | undefined
  /** The addresses of the proxies. The header is ignored on connections from other addresses. */
  readonly trustedProxies: readonly string[]
  /**
   * The origin of the pages in browsers, such as https://fleet.example.com; undefined: the address on which the server listens.
   */
  readonly origin: string | undefined
  /** The number of days for which results, workflows and ended rollouts are kept. */
  readonly retentionDays: number
}

/** One area of a fleet: a project, and the settings of the area. */
export interface FleetArea {
  /**
   * Any text that a user wrote: it is never used as a path, and escaped in all output. `folderName` makes a folder name of it.
   */
  readonly name: string
  /** The folder of its project, relative to the working directory. */
  readonly project: string
  /** The environment of that project; undefined if the project has none. */
  readonly environment: string | undefined
  /** The identifier of the customer area, if neither project nor environment gives it. */
  readonly area: string | undefined
  /** Values with precedence over those of project and environment. */
  readonly values: Readonly<Record<string, Json>>
  readonly labels: Readonly<Record<string, string>>
  /** The name of one of the fleet's keys; undefined: the area shares no key. */
  readonly key: string | undefined
  /** The variables of its login, if they are not those of its key, its environment or GATEWRIGHT_*. */
  readonly credentials: CredentialVariables
  /** Names and patterns of the variables that its manifests may use in addition to those that the project itself names. */
  readonly variables: readonly string[]
  /** The source position of the area. */
  readonly place: Place
  /**
   * The source positions of its settings: `project`, `environment`, `area`, and each value as `values.NAME`. `placeIn` finds
   * them.
   */
  readonly places?: Readonly<Record<string, Place>>
}

/** The source position of one setting of an area, or of the area if it does not have the setting. */
export const placeIn = ({ place, places = {} }: Pick<FleetArea, 'place' | 'places'>, what: string): Place =>
  ownValue(places, what) ?? place

/** The names of the environment variables that hold a login; never the login itself. */
export type CredentialVariables = Readonly<Partial<Record<LoginMember, string>>>

/** An API key that several areas share, with the limits that the platform sets for it. */
export interface FleetKey {
  /** The calls per second of all its areas together; undefined: each project sets its own rate. */
  readonly requestsPerSecond: number | undefined
  /** The calls per day of all its areas together; undefined: they are not counted. */
  readonly requestsPerDay: number | undefined
  /** The number of areas that may run at the same time (default: 1). `slotsOf` divides the rate among them. */
  readonly concurrency: number
  readonly credentials: CredentialVariables
}

/** The schedule of drift. */
interface DriftSchedule {
  /** A cron line of five fields. */
  readonly schedule: string
  /** An IANA time zone (default: UTC). */
  readonly timezone: string
  /** The longest random delay of an area; 0: all begin at once. */
  readonly jitterMs: number
}

/** How saved plans are applied: one wave after another. */
interface Rollout {
  /** `wavesOf` gives the areas of each wave. */
  readonly waves: readonly Wave[]
  readonly stop: StopRule
}

/** A part of the areas that no earlier wave contains. */
export interface Wave {
  /** An area must have all of these labels; empty: any area. */
  readonly labels: Readonly<Record<string, string>>
  /** The percentage of all areas of the fleet, rounded up; undefined: all that match. */
  readonly percent: number | undefined
  /** The waiting time after the wave, before drift is looked for and the next wave begins. */
  readonly bakeMs: number
  /** Whether the wave must be approved before it begins. */
  readonly approve: boolean
  readonly place: Place
}

/** When a rollout stops. Running jobs then finish, and no new ones start. */
export interface StopRule {
  /** The number of failed areas in a wave that stops the rollout; undefined: no limit. */
  readonly failures: number | undefined
  /** The percentage of failed areas in a wave that stops the rollout; undefined: no limit. */
  readonly failedPercent: number | undefined
}

/** The areas of each wave, in the order of the fleet. Each area is in one wave at most; areas that match no wave are in none. */
export function wavesOf({ areas, rollout }: Pick<Fleet, 'areas' | 'rollout'>): readonly (readonly FleetArea[])[] {
  if (!rollout) return [areas]
  let left = areas
  return rollout.waves.map(({ labels, percent }) => {
    const fitting = left.filter((area) => hasLabels(area.labels, labels))
    const most = percent === undefined ? fitting.length : Math.ceil((areas.length * percent) / 100)
    const taken = new Set(fitting.slice(0, most))
    left = left.filter((area) => !taken.has(area))
    return [...taken]
  })
}

/** The queue for the jobs of an area: the queue of its key, or its own. */
export const queueOf = ({ key, name }: Pick<FleetArea, 'key' | 'name'>): string =>
  key === undefined ? `area ${name}` : `key ${key}`

/** A share of a key. One area at a time uses it. */
export interface Slot {
  /** The calls per second of a job in this slot; undefined: its project sets the rate. */
  readonly requestsPerSecond: number | undefined
  /** The pause of the slot between two jobs, in milliseconds. */
  readonly restMs: number
}

/**
 * The slots of a key: how many areas may run at the same time, and at which rate. Together they never send more calls in a second
 * than the key permits. The rate is divided into whole calls per second; if it is smaller than `concurrency`, there are fewer
 * slots.
 */
export function slotsOf({ requestsPerSecond: rate, concurrency }: FleetKey): readonly Slot[] {
  if (rate === undefined) return Array.from({ length: concurrency }, () => slotAt(undefined))
  const count = Math.min(concurrency, Math.max(1, Math.floor(rate)))
  if (count === 1) return [slotAt(rate)]
  const whole = Math.floor(rate)
  return Array.from({ length: count }, (_, index) =>
    slotAt(Math.floor(whole / count) + (index < whole % count ? 1 : 0)),
  )
}

/** The next job of the slot begins when the last calls of the previous one no longer count (A274). */
const slotAt = (rate: number | undefined): Slot => ({
  requestsPerSecond: rate,
  restMs: rate === undefined ? 0 : rateWindow(rate).ms,
})

/** The meaning of a rate: at most so many whole calls within so many milliseconds, at least one second. */
export function rateWindow(perSecond: number): { readonly calls: number; readonly ms: number } {
  const calls = Math.max(1, Math.floor(perSecond))
  return { calls, ms: Math.ceil(Math.max(1000, 1000 / perSecond)) + clocksApart }
}

/** In milliseconds. Within a second, two clocks differ by less than this, and a timer may be early by this much. */
const clocksApart = 10
