import type { Decision, RolloutDocument } from '../../documents/fleet-status.js'
import { type Problem, ProblemError } from '../../problems/problem.js'
import {
  approvalOutdated,
  noneInWaves,
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

/** What people decide about rollouts, from a page or from the terminal. */
export interface Controls {
  readonly fleet: Fleet
  readonly store: FleetStore
  readonly workflows: Pick<WorkflowClient, 'enqueue' | 'signal' | 'list'>
  readonly now: () => number
}

/**
 * Starts a rollout of the chosen areas, in the waves of the fleet file; gives its name. Throws a ProblemError where none of them
 * is in a wave: such a rollout would be done at once, and nothing with it.
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
  // Somebody else may have started one in the same second.
  while (!(await store.addRollout({ rollout: nameAt(at), who, waves, stop }))) at += 1_000
  await workflows.enqueue(workflowOf(fleet, nameAt(at)))
  return nameAt(at)
}

const nameAt = (time: number): string =>
  new Date(time)
    .toISOString()
    .replaceAll(/[-:]|\.\d+/g, '')
    .toLowerCase()

const workflowOf = (fleet: Fleet, rollout: string): NewJob => ({
  workflow: 'rollout',
  id: rolloutId(fleet, rollout),
  input: { rollout },
  queue: rolloutsQueue(fleet),
  partition: fleet.name,
})

/** What somebody wants of a rollout. */
export interface DecisionRequest {
  readonly rollout: string
  readonly decision: Exclude<Decision, 'start'>
  readonly who: string
  /** Of an approval: what was seen. Without it, whatever waits now is approved. */
  readonly seen?: { readonly wave: number; readonly digest: string }
}

/**
 * Notes a decision and wakes the rollout. Throws a ProblemError where there is nothing to decide, or other plans than were
 * seen. A rollout whose workflow has failed does nothing any more, and can only be stopped.
 */
export async function decide({ fleet, store, workflows }: Controls, request: DecisionRequest): Promise<void> {
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
  // Whoever started it may have been cut off before it was in its queue; there it is once.
  await workflows.enqueue(workflowOf(fleet, rollout))
  await workflows.signal(rolloutId(fleet, rollout), 'decision', decision)
}

function refusalOf({ rollout, awaits }: RolloutDocument, { decision, seen }: DecisionRequest): Problem | undefined {
  if (decision !== 'approve') return undefined
  if (!awaits) return nothingToApprove(rollout)
  const isSame = !seen || (seen.wave === awaits.wave && seen.digest === awaits.digest)
  return isSame ? undefined : approvalOutdated(rollout, awaits.wave)
}
