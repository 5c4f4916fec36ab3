import type { Diagnostic } from './diagnostics.js'
import type { FieldDocument, PlanDocument } from './plan.js'
import type { RunDocument } from './run.js'

/** What is done to an area of a fleet: the command that its job runs. */
export type AreaCommand = 'drift' | 'plan' | 'apply'

/**
 * How an area stands after a job. `pending`: a plan with changes, or a drift that found only what is written and not
 * applied yet; `incomplete`: an apply that left something undone, or that was cut off; `stale`: a saved plan that does not fit
 * any more, of which
 * nothing was sent; `refused`: guard rails, limits or hazards, nothing was sent; `error`: no answer, whatever the reason;
 * `not-started`: no job was run, such as for want of calls of the day.
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

/** Those of a job that did all that it was asked for: it needs no second run. */
export const finishedStates: readonly AreaState[] = ['in-sync', 'pending', 'drift', 'conflict', 'applied']

/** What a job has told: the JSON answer of its command. */
export type AreaDocument = PlanDocument | RunDocument

/** What came of one job in one area: plain JSON. Texts are other people's: escape them for where they are shown. */
export interface AreaResult {
  /** The name of the area in its fleet. */
  readonly area: string
  readonly command: AreaCommand
  /** The exit code of the child process; null where it did not end by itself or was not started. */
  readonly exit: number | null
  readonly state: AreaState
  /** The `summary` of the document: counts by action or outcome; empty without one. */
  readonly summary: Readonly<Record<string, number>>
  /** Calls that it took, those for the token included; null where nobody knows. */
  readonly requests: number | null
  /** ISO date. */
  readonly startedAt: string
  readonly seconds: number
  /**
   * Digest of what a plan or drift changes, without ids, places and the area's own names: equal where two areas have the same
   * changes. Null where nothing is to be changed, and for `apply`.
   */
  readonly changes: string | null
  /** Absent where the command had no such answer. */
  readonly document: AreaDocument | null
  /** Why it has no document; else the errors and warnings in it. */
  readonly diagnostics: readonly Diagnostic[]
  /** Files that were written, as absolute paths. */
  readonly files: {
    readonly html?: string
    readonly json?: string
    /** The saved plan, for `apply`. */
    readonly plan?: string
  }
}

/** What came of a command in all chosen areas of a fleet: `gatewright.fleet/1`. */
export interface FleetDocument {
  readonly format: 'gatewright.fleet/1'
  readonly fleet: string
  readonly command: AreaCommand
  /** ISO date. */
  readonly startedAt: string
  readonly seconds: number
  readonly summary: {
    readonly areas: number
    /** How many areas are in each state. */
    readonly states: Readonly<Record<AreaState, number>>
    /** The sums of the areas' own. */
    readonly changes: Readonly<Record<string, number>>
    readonly requests: number
  }
  readonly areas: readonly FleetAreaDocument[]
  /** Equal plans, told once: those of most areas first. */
  readonly same: readonly SameChanges[]
  /** Of the fleet itself. */
  readonly diagnostics: readonly Diagnostic[]
}

/** An area without its document: that stands in the file `files.json`. */
export interface FleetAreaDocument extends Omit<AreaResult, 'document' | 'command'> {
  /** The folder of its project, as the fleet names it. */
  readonly project: string
  readonly environment: string | null
  readonly labels: Readonly<Record<string, string>>
  /** The key that its calls count for; null: one of its own. */
  readonly key: string | null
}

/** Changes that several areas have in common. */
export interface SameChanges {
  /** As `changes` of the areas. */
  readonly digest: string
  /** Their names, in the order of the fleet. */
  readonly areas: readonly string[]
  readonly changes: readonly CommonChange[]
}

/** One of them: the area's own names stand as `${value:NAME}` or `${area}` in it, secrets as `(sensitive)`. */
export interface CommonChange {
  readonly address: string
  readonly kind: string
  /** As in a plan; `unmanaged` of what a drift finds beside a written list: an apply leaves it. */
  readonly action: string
  /** What a blocked change would do. */
  readonly wants?: string
  /** Of a drift: which side left what was last applied. */
  readonly side?: string
  readonly fields: readonly Pick<FieldDocument, 'path' | 'before' | 'after' | 'sensitive' | 'verdict'>[]
}

/** The areas of a fleet, as its file has them: `gatewright.fleet-list/1`. */
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
  /** Its wave in a rollout, from 1; null: it is in none. */
  readonly wave: number | null
}

/**
 * The jobs of a CI system as `fleet list -o matrix` writes them: for GitHub's `strategy.matrix`, its list for GitLab's
 * `parallel:matrix`.
 */
export interface FleetMatrix {
  readonly include: readonly {
    /** What `--job` takes: `3/17`. */
    readonly FLEET_JOB: string
    /** What people know it by: letters, digits, `.`, `_` and `-` alone. */
    readonly FLEET_NAME: string
  }[]
}
