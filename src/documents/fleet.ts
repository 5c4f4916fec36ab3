import type { Diagnostic } from './diagnostics.js'
import type { FieldDocument, PlanDocument } from './plan.js'
import type { RunDocument } from './run.js'

/** The command for an area of a fleet. */
export type AreaCommand = 'drift' | 'plan' | 'apply'

/**
 * The state of an area after a job. `pending`: a plan with changes, or a drift that found only changes in the manifests that are
 * not applied yet. `incomplete`: an apply that left something undone or was interrupted. `stale`: a saved plan that no longer
 * fits; nothing was sent. `refused`: guard rails, limits or hazards; nothing was sent. `error`: no answer, for any reason.
 * `not-started`: no job ran, for example because the key had no calls left for the day.
 */
export const areaStates = [
  'in-sync',
  'pending',
  'drift',
  'conflict',
  'applied',
  'incomplete',
  'stale',
  'refused',
  'error',
  'interrupted',
  'not-started',
] as const

export type AreaState = (typeof areaStates)[number]

/** The states after a job that did everything, so that it needs no second run. */
export const finishedStates: readonly AreaState[] = ['in-sync', 'pending', 'drift', 'conflict', 'applied']

/** The answer of a job: the JSON document of its command. */
export type AreaDocument = PlanDocument | RunDocument

/** The result of one job in one area: plain JSON. Texts come from others and must be escaped for output. */
export interface AreaResult {
  /** The name of the area in its fleet. */
  readonly area: string
  readonly command: AreaCommand
  /** The exit code of the child process; null if it was not started or did not exit by itself. */
  readonly exit: number | null
  readonly state: AreaState
  /** The `summary` of the document: counts by action or outcome; empty without a document. */
  readonly summary: Readonly<Record<string, number>>
  /** The number of calls, including those for the token; null if it is unknown. */
  readonly requests: number | null
  /** ISO date. */
  readonly startedAt: string
  readonly seconds: number
  /**
   * The digest of the changes of a plan or drift, without ids, positions and the area's own names: areas with the same changes
   * have the same digest. Null without changes, and for `apply`.
   */
  readonly changes: string | null
  /** Null if the command gave no document. */
  readonly document: AreaDocument | null
  /** The reason why there is no document; otherwise the errors and warnings in it. */
  readonly diagnostics: readonly Diagnostic[]
  /** The written files, as absolute paths. */
  readonly files: {
    readonly html?: string
    readonly json?: string
    /** The saved plan. */
    readonly plan?: string
  }
}

/** The results of a command in all selected areas of a fleet: `gatewright.fleet/1`. */
export interface FleetDocument {
  readonly format: 'gatewright.fleet/1'
  readonly fleet: string
  readonly command: AreaCommand
  /** ISO date. */
  readonly startedAt: string
  readonly seconds: number
  readonly summary: {
    readonly areas: number
    /** The number of areas in each state. */
    readonly states: Readonly<Record<AreaState, number>>
    /** The sums over all areas. */
    readonly changes: Readonly<Record<string, number>>
    readonly requests: number
  }
  readonly areas: readonly FleetAreaDocument[]
  /** The common changes, each once; those of most areas first. */
  readonly same: readonly SameChanges[]
  /** Problems of the fleet itself. */
  readonly diagnostics: readonly Diagnostic[]
}

/** An area without its document, which is in the file `files.json`. */
export interface FleetAreaDocument extends Omit<AreaResult, 'document' | 'command'> {
  /** The folder of its project, as in the fleet file. */
  readonly project: string
  readonly environment: string | null
  readonly labels: Readonly<Record<string, string>>
  /** The host of its platform, with the port; absent if its project names none. */
  readonly host?: string
  /** The key whose calls it uses; null if it shares no key. */
  readonly key: string | null
}

/** The same changes of several areas. */
export interface SameChanges {
  /** The value of `changes` of the areas. */
  readonly digest: string
  /** The names of the areas, in the order of the fleet. */
  readonly areas: readonly string[]
  readonly changes: readonly CommonChange[]
}

/**
 * One of these changes. The area's own names are replaced by `${value:NAME}`, `${area}` or `${name}`, and secrets by
 * `(sensitive)`.
 */
export interface CommonChange {
  readonly address: string
  readonly kind: string
  /** The action as in a plan; `unmanaged` for an object that drift finds but a written list does not have: apply leaves it. */
  readonly action: string
  /** The action that is blocked. */
  readonly wants?: string
  /** Only for drift: the side that differs from the base. */
  readonly side?: string
  readonly fields: readonly Pick<FieldDocument, 'path' | 'before' | 'after' | 'sensitive' | 'verdict'>[]
}

/** The areas of a fleet, as in its file: `gatewright.fleet-list/1`. */
export interface FleetListDocument {
  readonly format: 'gatewright.fleet-list/1'
  readonly fleet: string
  readonly areas: readonly ListedArea[]
}

interface ListedArea {
  readonly name: string
  readonly project: string
  readonly environment: string | null
  readonly labels: Readonly<Record<string, string>>
  readonly key: string | null
  /** Its wave in a rollout, counted from 1; null if it is in none. */
  readonly wave: number | null
}

/**
 * The CI jobs as `fleet list -o matrix` writes them: for `strategy.matrix` of GitHub; the list inside is for `parallel:matrix` of
 * GitLab.
 */
export interface FleetMatrix {
  readonly include: readonly {
    /** The value for `--job`: `3/17`. */
    readonly FLEET_JOB: string
    /** The name for people. It contains only letters, digits, `.`, `_` and `-`. */
    readonly FLEET_NAME: string
  }[]
}
