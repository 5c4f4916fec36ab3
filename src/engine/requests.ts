import type { PlanSettings } from '../planner/plan.js'

/** What a use case is asked to do: plain values, whoever asks. */

/** Which project and which area; each overrides what environment and project file say. */
export interface ProjectRequest {
  /** The folder of the project file, relative to `cwd`. */
  readonly directory: string
  /** Manifests to read instead of those of the project file; empty: those of the project file. */
  readonly paths: readonly string[]
  readonly url: string | undefined
  readonly area: string | undefined
  /** One of the project's environments; undefined: that of GATEWRIGHT_ENV, or none. */
  readonly environment?: string | undefined
  /** Values that take precedence over those of the project file: `NAME=TEXT` each. */
  readonly values?: readonly string[]
  /** Folders beside the repository whose files placeholders may name; what is in them is secret. */
  readonly allowFile: readonly string[]
  /** A file that every request is written to. */
  readonly logHttp: string | undefined
  /** Globs of addresses; empty: everything. */
  readonly select: readonly string[]
  /** `key=value` or `key`. */
  readonly labels: readonly string[]
}

/** What decides about a plan beside manifests and area. */
export interface PlanRequest extends ProjectRequest {
  /** Undefined: as the project file says; see `pruneFor`. */
  readonly prune: PlanSettings['prune'] | undefined
  /** Which side has it where manifests and platform have both changed. */
  readonly take: PlanSettings['take']
  readonly allowReplace: boolean
  readonly skipBlocked: boolean
  /** Names of hazards that may happen. */
  readonly allow: readonly string[]
  /** The git reference whose manifests were last applied, instead of the records. */
  readonly base: string | undefined
  /** The environment whose last run says at which commit the manifests are read. */
  readonly appliedIn?: string | undefined
  /** Another run of it than the last one. */
  readonly appliedRun?: string | undefined
  /** The manifests must be those of a saved plan: a run of a part of its commit (-f) was held against that part already. */
  readonly mustBeAsSaved?: boolean | undefined
  /** A snapshot file in place of the live area; nothing is sent. */
  readonly snapshot: string | undefined
  /** The file of accepted drift, if it is not the usual one; seen from the project's folder. */
  readonly accepted: string | undefined
}

/** What decides about a plan where nobody says anything. */
export const planDefaults = {
  ...{ prune: undefined, take: undefined, base: undefined, snapshot: undefined, accepted: undefined },
  ...{ allowReplace: false, skipBlocked: false, allow: [] },
} as const satisfies Omit<PlanRequest, keyof ProjectRequest>

/**
 * What a request says of deletes, which takes precedence over the project file; undefined: nothing. Whoever names a part of the
 * manifests does not say that the rest is to go.
 */
export const pruneFor = ({ prune, paths }: Pick<PlanRequest, 'prune' | 'paths'>): PlanRequest['prune'] =>
  prune ?? (paths.length > 0 ? 'none' : undefined)

/** How long a command that changes the area waits for others that do; 0: not at all. */
interface LockingRequest {
  readonly lockTimeoutMs: number
}

/** What is said in advance by whoever changes an area. */
export interface ConfirmingRequest {
  /** The name of the environment, or of the project if it has none: a yes only for that one. */
  readonly confirm?: string | undefined
}

export interface ApplyRequest extends PlanRequest, LockingRequest, ConfirmingRequest {
  /** A saved plan, instead of a fresh one. */
  readonly planFile: string | undefined
  /** Whether another plan of the same effect will do. */
  readonly replan: boolean
  /** Only what the last run left undone. */
  readonly resume: boolean
  /** How long to poll for domains that wait for approval; 0: not at all. */
  readonly waitDomainsMs: number
}

export interface DriftRequest extends PlanRequest {
  /** Drift is brought into the manifests that own it. */
  readonly write: boolean
  /** Whether it holds for all environments; undefined: for the chosen one. */
  readonly into?: 'manifest' | undefined
  /** All that drifts now is accepted, for the reason, by the owner, until the day that the other fields say. */
  readonly accept: 'now' | undefined
  readonly reason: string | undefined
  readonly owner: string | undefined
  /** The last day: `2027-01-31`. */
  readonly expires: string | undefined
}

export interface ExportRequest extends ProjectRequest {
  /** The folder that the manifests go to, relative to `cwd`. */
  readonly dir: string | undefined
  /** Kinds as written; empty: all. */
  readonly kinds: readonly string[]
  /** Fields that only repeat the platform's defaults are written as well. */
  readonly full: boolean
  /** Secrets are written as well, as placeholders of variables. */
  readonly withSecrets: boolean
  /** Manifests whose objects are gone are removed. */
  readonly prune: boolean
  /** As in `DriftRequest`. */
  readonly into?: 'manifest' | undefined
  /** A snapshot file in place of the live area. */
  readonly snapshot: string | undefined
  /**
   * The words of stages in the names of objects, with commas between them: the folder becomes a project with these
   * environments.
   */
  readonly stages?: string | undefined
}

/** `run`: a run's name, a beginning of it, or `latest`. */
export interface RollbackRequest extends PlanRequest, LockingRequest, ConfirmingRequest {
  readonly run: string
}

/** The sides as written: a snapshot file, a folder of manifests, `live`, or an address of a platform. */
export interface DiffRequest extends ProjectRequest {
  readonly sides: readonly [string, string]
}

/** Two environments of the project. */
export interface EnvironmentsRequest extends ProjectRequest {
  readonly environments: readonly [string, string]
  /** What is compared: what manifests and layers desire, or the live areas. */
  readonly compare: 'desired' | 'live'
}

/** Values and patches of one environment are copied into another. */
export interface PromoteRequest extends ProjectRequest {
  readonly from: string
  readonly to: string
  /** Whether the files are written. */
  readonly write: boolean
}

/** `kind` is a kind or an address; `name` undefined: all of the kind. */
export interface GetRequest extends ProjectRequest {
  /** Undefined: every kind, which only `unmanaged` has. */
  readonly kind: string | undefined
  readonly name: string | undefined
  /** Only what no manifest has. */
  readonly unmanaged: boolean
  readonly snapshot: string | undefined
}

export type CiSystem = 'github' | 'gitlab' | 'none'
