import { ownValue } from '../catalog/record.js'
import type { Json } from '../json/json.js'
import { hasLabels } from '../manifest/labels.js'
import type { Place } from '../problems/problem.js'

/** Many areas as one value: everything in it is plain JSON, and none of it is a secret. */
export interface Fleet {
  readonly name: string
  /** The fleet file as the user would type it. */
  readonly file: string
  /** The folder that its paths start from; "." is where the program runs. */
  readonly dir: string
  /** In the order of the fleet file; of files that a pattern names, sorted by path. No two of one name. */
  readonly areas: readonly FleetArea[]
  /** By name. An area without a key has one of its own. */
  readonly keys: Readonly<Record<string, FleetKey>>
  /** When drift is looked for; undefined: only when somebody asks. */
  readonly drift: DriftSchedule | undefined
  /** Undefined: all areas in one wave, and no failure stops it. */
  readonly rollout: Rollout | undefined
  /** The folder of its state, reports and counts, seen from where the program runs. */
  readonly records: string
  /** How long the job of one area may take before it is ended. */
  readonly timeoutMs: number
  readonly serve: ServeSettings
}

/** What its server is told: who may decide, and how long it remembers. */
export interface ServeSettings {
  /**
   * The header in which a proxy names the signed-in user, in lower case; undefined: nobody may decide anything on the pages.
   */
  readonly userHeader: string | undefined
  /** The addresses of proxies: from no other is that header believed. */
  readonly trustedProxies: readonly string[]
  /** How browsers reach the pages, such as https://fleet.example.com; undefined: at the address that the server listens at. */
  readonly origin: string | undefined
  /** How many days results, workflows and ended rollouts are kept. */
  readonly retentionDays: number
}

/** One area of a fleet: a project, and what is its own in it. */
export interface FleetArea {
  /** Other people's text: never a path, and escaped wherever it is shown. `areaFolder` makes a folder's name of it. */
  readonly name: string
  /** The folder of its project, seen from where the program runs. */
  readonly project: string
  /** The environment of that project; undefined where it has none. */
  readonly environment: string | undefined
  /** The identifier of the customer area, where neither project nor environment names it. */
  readonly area: string | undefined
  /** Values that outrank those of project and environment. */
  readonly values: Readonly<Record<string, Json>>
  readonly labels: Readonly<Record<string, string>>
  /** One of the fleet's keys; undefined: a key of its own. */
  readonly key: string | undefined
  /** The variables of its login, where they are not those of its key, its environment or GATEWRIGHT_*. */
  readonly credentials: CredentialVariables
  /** Names and patterns of the variables that its manifests may use, beside those that the project itself names. */
  readonly variables: readonly string[]
  /** Where it is written. */
  readonly place: Place
  /** Where what it says is written: `project`, `environment`, `area`, and each value as `values.NAME`. `placeIn` finds it. */
  readonly places?: Readonly<Record<string, Place>>
}

/** Where one thing that an area says is written, or the area where it is silent. */
export const placeIn = ({ place, places = {} }: Pick<FleetArea, 'place' | 'places'>, what: string): Place =>
  ownValue(places, what) ?? place

/** The names of the environment variables that hold a login; never the login itself. */
export type CredentialVariables = Readonly<
  Partial<Record<'apiKey' | 'apiSecret' | 'username' | 'password' | 'token', string>>
>

/** An API key that areas share, with what the platform allows it. */
export interface FleetKey {
  /** Calls a second of all areas together; undefined: as the projects say, each for itself. */
  readonly requestsPerSecond: number | undefined
  /** Calls a day of all areas together; undefined: nobody counts. */
  readonly requestsPerDay: number | undefined
  /** Areas at a time (default: 1). `slotsOf` divides the rate among them. */
  readonly concurrency: number
  readonly credentials: CredentialVariables
}

/** When drift is looked for. */
interface DriftSchedule {
  /** A cron line of five fields. */
  readonly schedule: string
  /** An IANA time zone (default: UTC). */
  readonly timezone: string
  /** Each area begins that much later at most; 0: all at once. */
  readonly jitterMs: number
}

/** How saved plans are applied: wave after wave. */
interface Rollout {
  /** `wavesOf` says which areas are in which. */
  readonly waves: readonly Wave[]
  readonly stop: StopRule
}

/** Some of the areas that no earlier wave has. */
export interface Wave {
  /** Areas with all of these labels; empty: any. */
  readonly labels: Readonly<Record<string, string>>
  /** So many percent of all areas of the fleet, rounded up; undefined: all that fit. */
  readonly percent: number | undefined
  /** How long it is waited after the wave, before drift is looked for and the next one begins. */
  readonly bakeMs: number
  /** Whether somebody must approve before the wave begins. */
  readonly approve: boolean
  readonly place: Place
}

/** What stops a rollout: what runs finishes, and nothing new starts. */
export interface StopRule {
  /** So many areas of a wave that did not end well; undefined: no number stops it. */
  readonly failures: number | undefined
  /** So many percent of a wave's areas. */
  readonly failedPercent: number | undefined
}

/** The areas of each wave, in the order of the fleet; what no wave takes is in none. Each area is in one wave at most. */
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

/** The queue that an area's jobs wait in: that of its key, or one of its own. */
export const queueOf = ({ key, name }: Pick<FleetArea, 'key' | 'name'>): string =>
  key === undefined ? `area ${name}` : `key ${key}`

/** How one area at a time may use a key. */
export interface Slot {
  /** Calls a second for whoever has the slot; undefined: as its project says. */
  readonly requestsPerSecond: number | undefined
  /** How long the slot rests after a job before the next one may begin, in milliseconds. */
  readonly restMs: number
}

/**
 * How many areas of a key may run at a time, and at which rate each: never more calls in any second than the key allows. A rate
 * is divided into whole calls a second; fewer slots than `concurrency` are left where it has not so many.
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

/** Another job of the slot begins when the last calls of this one do not count any more (A274). */
const slotAt = (rate: number | undefined): Slot => ({
  requestsPerSecond: rate,
  restMs: rate === undefined ? 0 : rateWindow(rate).ms,
})

/** What a rate means: never more than so many whole calls in so many milliseconds, one second at least. */
export function rateWindow(perSecond: number): { readonly calls: number; readonly ms: number } {
  const calls = Math.max(1, Math.floor(perSecond))
  return { calls, ms: Math.ceil(Math.max(1000, 1000 / perSecond)) + clocksApart }
}

/** Two clocks differ by less over a second; a timer may be that early. */
const clocksApart = 10
