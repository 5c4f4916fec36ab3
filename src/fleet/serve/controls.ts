import type { Decision, RolloutDocument } from '../../documents/fleet-status.js'
import { type Problem, ProblemError } from '../../problems/problem.js'
import {
  approvalOutdated,
  noneInWaves,
  noRolloutRuns,
  nothingToApprove,
  rolloutBroken,
  rolloutEnded,
  rolloutUnknown,
} from '../../problems/serve.js'
import type { NewJob, WorkflowClient } from '../../workflows/workflows.js'
import { type Fleet, type FleetArea, wavesOf } from '../fleet.js'
import { rolloutId, rolloutsQueue } from './names.js'
import { rolloutStatus } from './status.js'
import type { FleetStore } from './store.js'

/** What a decision about rollouts needs, from a page or from the terminal. */
export interface Controls<Known = Fleet> {
  readonly fleet: Known
  readonly store: FleetStore
  readonly workflows: Pick<WorkflowClient, 'enqueue' | 'signal' | 'list'>
  readonly now: () => number
}

/**
 * Starts a rollout of the selected areas, in the waves of the fleet file, and returns its name. Throws a ProblemError if none of
 * the areas is in a wave: such a rollout would end at once without doing anything.
 */
export async function startRollout(
  { fleet, store, workflows, now }: Controls,
  who: string,
  chosen: (area: FleetArea) => boolean,
): Promise<string> {
  const waves = wavesOf(fleet).map((areas, index) => ({
    areas: areas.filter(chosen).map(({ name }) => name),
    bakeMs: fleet.rollout?.waves[index]?.bakeMs ?? 0,
    approve: fleet.rollout?.waves[index]?.approve ?? false,
  }))
  if (waves.every(({ areas }) => areas.length === 0)) {
    throw new ProblemError([noneInWaves(fleet.areas.filter(chosen).map(({ name }) => name))])
  }
  const stop = fleet.rollout?.stop ?? { failures: undefined, failedPercent: undefined }
  let at = now()
  // Somebody else may have started a rollout in the same second.
  while (!(await store.addRollout({ rollout: nameAt(at), who, waves, stop }))) at += 1_000
  await workflows.enqueue(workflowOf(fleet, nameAt(at)))
  return nameAt(at)
}

const nameAt = (time: number): string =>
  new Date(time)
    .toISOString()
    .replaceAll(/[-:]|\.\d+/g, '')
    .toLowerCase()

const workflowOf = (fleet: Pick<Fleet, 'name'>, rollout: string): NewJob => ({
  workflow: 'rollout',
  id: rolloutId(fleet, rollout),
  input: { rollout },
  queue: rolloutsQueue(fleet),
  partition: fleet.name,
})

/**
 * The name of the rollout that is meant if none is named: the one that runs, or else the only one that waits for its turn. Throws
 * a ProblemError if it is not clear which one that is.
 */
export async function runningRollout(store: Pick<FleetStore, 'rollouts'>): Promise<string> {
  const open = (await store.rollouts()).filter(({ ended }) => ended === null)
  const begun = open.filter(({ status }) => status !== 'queued')
  const [only, second] = begun.length > 0 ? begun : open
  if (!only || second) throw new ProblemError([noRolloutRuns(open.map(({ rollout }) => rollout))])
  return only.rollout
}

/** A decision that somebody makes about a rollout. */
interface DecisionRequest {
  readonly rollout: string
  readonly decision: Exclude<Decision, 'start'>
  readonly who: string
  /** Only for an approval: the plans that the user has seen. If absent, the plans that wait now are approved. */
  readonly seen?: { readonly wave: number; readonly digest: string }
}

/**
 * Stores a decision and wakes the rollout. Throws a ProblemError if there is nothing to decide, or if the plans are not those
 * that were seen. A rollout whose workflow has failed can only be stopped.
 */
export async function decide(
  { fleet, store, workflows }: Omit<Controls<Pick<Fleet, 'name'>>, 'now'>,
  request: DecisionRequest,
): Promise<void> {
  const { rollout, decision, who, seen } = request
  const status = await rolloutStatus(store, rollout)
  if (!status) throw new ProblemError([rolloutUnknown(rollout)])
  if (status.ended !== null) throw new ProblemError([rolloutEnded(rollout)])
  const [workflow] = await workflows.list({ ids: [rolloutId(fleet, rollout)] })
  const isBroken = workflow?.status === 'failed'
  if (isBroken && decision !== 'stop') throw new ProblemError([rolloutBroken(rollout)])
  const refusal = refusalOf(status, request)
  if (refusal) throw new ProblemError([refusal])
  const approved = decision === 'approve' ? (seen ?? status.awaits) : null
  await store.decide(rollout, {
    who,
    decision,
    ...(approved && { wave: approved.wave - 1, digest: approved.digest }),
  })
  if (isBroken) {
    const [row] = await store.rollouts(rollout)
    const why = 'its workflow has failed, and somebody stopped it'
    return await store.setStatus(rollout, { status: 'stopped', wave: row?.wave ?? 0, why })
  }
  // The process that started the rollout may have been cut off before it was queued. Queueing it again has no effect.
  await workflows.enqueue(workflowOf(fleet, rollout))
  await workflows.signal(rolloutId(fleet, rollout), 'decision', decision)
}

function refusalOf({ rollout, awaits }: RolloutDocument, { decision, seen }: DecisionRequest): Problem | undefined {
  if (decision !== 'approve') return undefined
  if (!awaits) return nothingToApprove(rollout)
  const isSame = !seen || (seen.wave === awaits.wave && seen.digest === awaits.digest)
  return isSame ? undefined : approvalOutdated(rollout, awaits.wave)
}
