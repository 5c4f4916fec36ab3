import type { AreaState } from './fleet.js'

/** How the areas of a fleet stand, as the server of the fleet knows it: `gatewright.fleet-status/1`. */
export interface FleetStatusDocument {
  readonly format: 'gatewright.fleet-status/1'
  readonly fleet: string
  /** When it was asked; all moments are ISO dates. */
  readonly at: string
  /** Why the fleet file as it is now is not in force at the worker that was asked; null: it is, or nobody was asked. */
  readonly fault: string | null
  /** How many areas are in each state that occurs. */
  readonly states: Readonly<Record<string, number>>
  readonly areas: readonly AreaStatus[]
  /** All that have not ended, and the last that have: the newest first. */
  readonly rollouts: readonly RolloutDocument[]
}

/** One area: what came of its last job. All is null where none has ended yet. */
export interface AreaStatus {
  readonly name: string
  readonly project: string
  readonly environment: string | null
  readonly labels: Readonly<Record<string, string>>
  readonly key: string | null
  readonly state: AreaState | null
  /** Since when it is in that state. */
  readonly since: string | null
  readonly checked: string | null
  /** When a job last had an answer. */
  readonly answered: string | null
  /** Who changed a live object last, where the platform tells it. */
  readonly editor: string | null
  /** The job whose HTML report there is. */
  readonly report: string | null
  /** Why nothing is done in it now, such as for want of calls of the day. */
  readonly waits: string | null
}

/** One job that has ended: `gatewright.fleet-history/1` lists them, the newest first. */
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
  // No worker has taken it yet: rollouts of a fleet run one after the other.
  'queued',
  ...(['planning', 'applying', 'waiting', 'baking', 'paused', 'stopped', 'done'] as const),
  // Its workflow has failed, and nobody has stopped it yet: no worker goes on with it.
  'failed',
] as const

export type RolloutStatus = (typeof rolloutStatuses)[number]

/** One rollout. */
export interface RolloutDocument {
  readonly rollout: string
  readonly who: string
  readonly started: string
  readonly ended: string | null
  readonly status: RolloutStatus
  /** Why it stopped, or will not go on. */
  readonly why: string | null
  readonly waves: readonly WaveDocument[]
  /** Equal plans, told once: those of most areas first. */
  readonly same: readonly {
    readonly digest: string
    readonly areas: readonly string[]
    readonly summary: Readonly<Record<string, number>>
  }[]
  /** Areas that are not part of it any more, or never were, and why. */
  readonly dropped: readonly { readonly area: string; readonly state: string; readonly why: string | null }[]
  /** Areas that nothing can be done in today, and why: the rollout goes on with them later. */
  readonly waiting: readonly { readonly area: string; readonly why: string }[]
  /** Of a rollout that was stopped: areas with a plan that nothing was done in, or with none yet. */
  readonly notBegun: readonly string[]
  /** What must be approved now. */
  readonly awaits: { readonly wave: number; readonly digest: string } | null
  readonly decisions: readonly DecisionDocument[]
}

export interface WaveDocument {
  /** From 1. */
  readonly wave: number
  /** Whether an approval is asked for before it. */
  readonly approve: boolean
  readonly bakeSeconds: number
  readonly areas: readonly string[]
  readonly states: Readonly<Record<string, number>>
}

/** What somebody decided. */
interface DecisionDocument {
  readonly at: string
  readonly who: string
  readonly decision: Decision
  readonly wave: number | null
  /** Of the plans that were approved. */
  readonly digest: string | null
}

export const decisions = ['start', 'approve', 'pause', 'resume', 'stop'] as const

export type Decision = (typeof decisions)[number]
