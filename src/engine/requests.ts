import type { PlanSettings } from '../planner/plan.js'

/** The requests for use cases. They are plain values. */

/** The project and the area. Each setting overrides the environment variables and the project file. */
export interface ProjectRequest {
  /** The folder of the project file, relative to `cwd`. */
  readonly directory: string
  /** Manifests to read instead of those of the project file; empty: those of the project file. */
  readonly paths: readonly string[]
  readonly url: string | undefined
  readonly area: string | undefined
  /** One of the project's environments. Undefined: the one in GATEWRIGHT_ENV, or none. */
  readonly environment?: string | undefined
  /** Values that override those of the project file, each as `NAME=TEXT`. */
  readonly values?: readonly string[]
  /** Folders outside of the repository with files that placeholders may name. The contents of these files are secret. */
  readonly allowFile: readonly string[]
  /** The file for the log of requests. */
  readonly logHttp: string | undefined
  /** Address patterns; empty: all objects. */
  readonly select: readonly string[]
  /** `key=value` or `key`. */
  readonly labels: readonly string[]
}

/** The settings that decide about a plan, besides the manifests and the area. */
export interface PlanRequest extends ProjectRequest {
  /** Undefined: as in the project file; see `pruneFor`. */
  readonly prune: PlanSettings['prune'] | undefined
  /** The side that is used if both the manifests and the platform have changed. */
  readonly take: PlanSettings['take']
  readonly allowReplace: boolean
  readonly skipBlocked: boolean
  /** The names of permitted hazards. */
  readonly allow: readonly string[]
  /** The git reference with the manifests that were last applied. It is used instead of the records. */
  readonly base: string | undefined
  /** The environment whose last run determines the commit of the manifests. */
  readonly appliedIn?: string | undefined
  /** A run of that environment that is used instead of its last one. */
  readonly appliedRun?: string | undefined
  /**
   * The manifests must be those of a saved plan, so it need not be checked again whether the run applied only a part of its
   * commit (-f).
   */
  readonly mustBeAsSaved?: boolean | undefined
  /** A snapshot file that is used instead of the live area. Nothing is sent. */
  readonly snapshot: string | undefined
  /** The file of accepted drift, relative to the project's folder, if it is not the default one. */
  readonly accepted: string | undefined
}

/** The settings of a plan if the user gives none. */
export const planDefaults = {
  ...{ prune: undefined, take: undefined, base: undefined, snapshot: undefined, accepted: undefined },
  ...{ allowReplace: false, skipBlocked: false, allow: [] },
} as const satisfies Omit<PlanRequest, keyof ProjectRequest>

/**
 * The prune setting of a request, which overrides the project file. Undefined: the request has none. If a request names a part of
 * the manifests, the default is `none`, because the other objects must not be deleted.
 */
export const pruneFor = ({ prune, paths }: Pick<PlanRequest, 'prune' | 'paths'>): PlanRequest['prune'] =>
  prune ?? (paths.length > 0 ? 'none' : undefined)

/** How long a command that changes the area waits for others; 0: not at all. */
interface LockingRequest {
  readonly lockTimeoutMs: number
}

/** The answer to the question, given in advance. */
export interface ConfirmingRequest {
  /** The name of the environment, or of the project if it has none. It confirms only changes of that one. */
  readonly confirm?: string | undefined
}

export interface ApplyRequest extends PlanRequest, LockingRequest, ConfirmingRequest {
  /** A saved plan that is used instead of a new one. */
  readonly planFile: string | undefined
  /** Whether another plan with the same effect is accepted. */
  readonly replan: boolean
  /** Whether to apply only the changes that the last run has not made. */
  readonly resume: boolean
  /** How long to poll for domains that wait for approval; 0: not at all. */
  readonly waitDomainsMs: number
}

export interface DriftRequest extends PlanRequest {
  /** Whether drift is written into the manifests that own it. */
  readonly write: boolean
  /** Whether the edit applies to all environments. Undefined: to the selected one. */
  readonly into?: 'manifest' | undefined
  /** Accepts all present drift, with the reason, owner and last day of the other fields. */
  readonly accept: 'now' | undefined
  readonly reason: string | undefined
  readonly owner: string | undefined
  /** The last day, such as `2027-01-31`. */
  readonly expires: string | undefined
}

export interface ExportRequest extends ProjectRequest {
  /** The folder for the manifests, relative to `cwd`. */
  readonly dir: string | undefined
  /** The names of kinds as written; empty: all. */
  readonly kinds: readonly string[]
  /** Whether to write fields that only repeat the platform's defaults. */
  readonly full: boolean
  /** Whether to write secrets, as placeholders of variables. */
  readonly withSecrets: boolean
  /** Whether to remove manifests of objects that no longer exist. */
  readonly prune: boolean
  /** As in `DriftRequest`. */
  readonly into?: 'manifest' | undefined
  /** A snapshot file that is used instead of the live area. */
  readonly snapshot: string | undefined
  /** The words of stages in the names of objects, separated by commas. The folder becomes a project with these environments. */
  readonly stages?: string | undefined
}

/** `run`: the name of a run, its beginning, or `latest`. */
export interface RollbackRequest extends PlanRequest, LockingRequest, ConfirmingRequest {
  readonly run: string
}

/** The sides as written: a snapshot file, a folder of manifests, `live`, or the URL of a platform. */
export interface DiffRequest extends ProjectRequest {
  readonly sides: readonly [string, string]
}

/** Two environments of the project. */
export interface EnvironmentsRequest extends ProjectRequest {
  readonly environments: readonly [string, string]
  /** What is compared: the desired states by manifests and layers, or the live areas. */
  readonly compare: 'desired' | 'live'
}

/** Copies values and patches of one environment to another. */
export interface PromoteRequest extends ProjectRequest {
  readonly from: string
  readonly to: string
  /** Whether to write the files. */
  readonly write: boolean
}

/** `kind` is a kind or an address. `name` undefined: all objects of the kind. */
export interface GetRequest extends ProjectRequest {
  /** Undefined: every kind, which is only possible with `unmanaged`. */
  readonly kind: string | undefined
  readonly name: string | undefined
  /** Only objects that no manifest has. */
  readonly unmanaged: boolean
  readonly snapshot: string | undefined
}

export type CiSystem = 'github' | 'gitlab' | 'none'
