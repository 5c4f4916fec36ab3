import type { AreaState } from './fleet.js'

/** The states of the areas of a fleet, from the database of its server: `gatewright.fleet-status/1`. */
export interface FleetStatusDocument {
  readonly format: 'gatewright.fleet-status/1'
  readonly fleet: string
  /** When the document was made. All times are ISO dates. */
  readonly at: string
  /**
   * Why the worker that made this document does not use the current version of the fleet file. Null if it does, or if the
   * document was made without a worker.
   */
  readonly fault: string | null
  /** The number of areas in each state. */
  readonly states: Readonly<Record<string, number>>
  readonly areas: readonly AreaStatus[]
  /** The rollouts that have not ended and the last ones that have, newest first. */
  readonly rollouts: readonly RolloutDocument[]
}

/** One area and the result of its last job. If no job has ended yet, the results are null. */
export interface AreaStatus {
  readonly name: string
  readonly project: string
  readonly environment: string | null
  readonly labels: Readonly<Record<string, string>>
  readonly key: string | null
  readonly state: AreaState | null
  /** Since when the area has been in this state. */
  readonly since: string | null
  readonly checked: string | null
  /** When a job last had an answer. */
  readonly answered: string | null
  /** Who last changed a live object, if the platform says so. */
  readonly editor: string | null
  /** The occasion of the job that has an HTML report. */
  readonly report: string | null
  /** Why no job can run now, for example because the key has no calls left for the day. */
  readonly waits: string | null
  /** The errors and warnings of its last job, also if that job has ended well. */
  readonly messages: readonly string[]
}

/** The jobs that have ended, newest first: `gatewright.fleet-history/1`. */
export interface FleetHistoryDocument {
  readonly format: 'gatewright.fleet-history/1'
  readonly fleet: string
  readonly jobs: readonly JobDocument[]
}

export interface JobDocument {
  readonly area: string
  /** Why it ran: `drift AT`, or a step of a rollout. */
  readonly occasion: string
  readonly command: string
  readonly state: AreaState
  readonly started: string
  readonly seconds: number
  readonly requests: number | null
  readonly summary: Readonly<Record<string, number>>
  readonly editor: string | null
  readonly worker: string
  readonly hasReport: boolean
  readonly messages: readonly string[]
}

export const rolloutStatuses = [
  // No worker has taken it yet: rollouts of a fleet run one after another.
  'queued',
  ...(['planning', 'applying', 'waiting', 'baking', 'paused', 'stopped', 'done'] as const),
  // Its workflow has failed and is not stopped yet. No worker continues it.
  'failed',
] as const

export type RolloutStatus = (typeof rolloutStatuses)[number]

export interface RolloutDocument {
  readonly rollout: string
  readonly who: string
  readonly started: string
  readonly ended: string | null
  readonly status: RolloutStatus
  /** Why it stopped or cannot continue. */
  readonly why: string | null
  readonly waves: readonly WaveDocument[]
  /** The common plans, each once; the plan of most areas first. */
  readonly same: readonly {
    readonly digest: string
    readonly areas: readonly string[]
    readonly summary: Readonly<Record<string, number>>
  }[]
  /** The areas that are not part of the rollout, or no longer, and why. */
  readonly dropped: readonly { readonly area: string; readonly state: string; readonly why: string | null }[]
  /** The areas in which no job can run today, and why. The rollout continues with them later. */
  readonly waiting: readonly { readonly area: string; readonly why: string }[]
  /** For a stopped rollout: the areas with a plan that was not applied, and those without a plan. */
  readonly notBegun: readonly string[]
  /** The wave that waits for an approval, and the digest of its plans. */
  readonly awaits: { readonly wave: number; readonly digest: string } | null
  readonly decisions: readonly DecisionDocument[]
}

export interface WaveDocument {
  /** Counted from 1. */
  readonly wave: number
  /** Whether an approval is required before it. */
  readonly approve: boolean
  readonly bakeSeconds: number
  readonly areas: readonly string[]
  readonly states: Readonly<Record<string, number>>
}

/** A decision that somebody has made. */
interface DecisionDocument {
  readonly at: string
  readonly who: string
  readonly decision: Decision
  readonly wave: number | null
  /** The digest of the approved plans. */
  readonly digest: string | null
}

export const decisions = ['start', 'approve', 'pause', 'resume', 'stop'] as const

export type Decision = (typeof decisions)[number]
