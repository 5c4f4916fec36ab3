import type { Operation } from '../catalog/types.js'
import type { Outcome } from '../client/types.js'
import type { Change } from '../planner/plan.js'
import type { Step } from '../planner/steps/step.js'
import type { ChangeResult, KnownIds, RunInput } from './run.js'

/** What a request did for the changes that it carries. */
export type StepResult =
  | { readonly is: 'results'; readonly results: ReadonlyMap<string, ChangeResult> }
  | { readonly is: 'quota'; readonly results: ReadonlyMap<string, ChangeResult>; readonly reason: string }
  /** A tree was refused as a whole, or parts of it were ignored: these are to be sent one by one. */
  | { readonly is: 'split'; readonly done: readonly Change[]; readonly again: readonly Change[] }
  /** Nothing was sent, or what was sent was refused: these steps come in the place of this one. */
  | { readonly is: 'instead'; readonly steps: readonly Step[] }

/** What sending needs to know beside the step. */
export interface SendContext extends RunInput {
  readonly ids: KnownIds
  /** Addresses that this run has created: what is below them may not be visible at once. */
  readonly madeHere: ReadonlySet<string>
  /** Nested lists that this platform was seen to drop from a create, such as "Service.endpoints". */
  readonly droppedLists: Set<string>
  /** Paths of operations that were answered 404 for longer than it takes to see what was just made. */
  readonly notOffered: Set<string>
  /** Domains that still wait for approval. */
  readonly awaiting: Set<string>
}

/**
 * How often a request that is turned away is sent: a platform that limits the rate lets it through some time, one that is
 * down is not waited for that long, and one that refuses two tokens refuses the third.
 */
export function busyTries(status: number): number {
  if (status === 429) return 20
  return status === 503 ? 4 : 2
}

/** Sends a request that does no harm twice, as often as it is turned away for now. */
export async function untilTaken(send: () => Promise<Outcome>, { sleep, signal }: SendContext): Promise<Outcome> {
  for (let busy = 1; ; busy += 1) {
    const outcome = await send()
    if (outcome.is !== 'busy' || busy >= busyTries(outcome.status)) return outcome
    await sleep(outcome.afterMs)
    if (signal.aborted) return outcome
  }
}

/** How often a request is sent again that may be too early, two seconds apart. */
export const earlyTries = 3

/** Notes of the last answer to such a request whether the platform offers it at all. */
export function noteOffer(operation: Operation, outcome: Outcome, { notOffered }: SendContext): void {
  if (outcome.is === 'refused' && outcome.status === 404) notOffered.add(operation.path)
}

/**
 * Whether a refusal may mean that something made in this run is not visible yet: it blames nothing that was sent. Such a 404 is
 * about the parent, or about what the body refers to, unless the platform has answered that request so all along.
 */
export function mayBeTooEarly(
  {
    change,
    able,
    operation,
  }: { readonly change: Change; readonly able: readonly Change[]; readonly operation: Operation },
  outcome: Outcome,
  context: SendContext,
): boolean {
  if (outcome.is !== 'refused') return false
  if (outcome.status === 404)
    return (
      !context.notOffered.has(operation.path) &&
      [change.address, ...able.flatMap((each) => each.dependsOn)].some((address) => context.madeHere.has(address))
    )
  if (outcome.status !== 400) return false
  const young = [...Object.values(change.path)].some(
    (target) => target.is === 'desired' && context.madeHere.has(target.address),
  )
  const blamed = outcome.complaints.some((each) => each.property !== undefined && each.property !== 'id')
  return (young || context.madeHere.has(change.address)) && !blamed
}

/** The ids in the path of a change, by the names of their parameters; all of them are known when it is sent. */
export function resolvedPathIds(change: Change, context: SendContext): Record<string, string> {
  return Object.fromEntries(
    Object.entries(change.path).map(([parameter, target]) => [parameter, context.ids.resolve(target)]),
  )
}
