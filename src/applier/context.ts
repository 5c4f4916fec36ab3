import type { Operation } from '../catalog/types.js'
import type { Outcome } from '../client/types.js'
import type { Change } from '../planner/plan.js'
import type { Step } from '../planner/steps/step.js'
import type { ChangeResult, KnownIds, RunInput } from './run.js'

/** The results of a request for the changes in it. */
export type StepResult =
  | { readonly is: 'results'; readonly results: ReadonlyMap<string, ChangeResult> }
  | { readonly is: 'quota'; readonly results: ReadonlyMap<string, ChangeResult>; readonly reason: string }
  /** A tree was refused as a whole, or parts of it were ignored: these are sent one by one. */
  | { readonly is: 'split'; readonly done: readonly Change[]; readonly again: readonly Change[] }
  /** Nothing was sent, or the request was refused: these steps replace this step. */
  | { readonly is: 'instead'; readonly steps: readonly Step[] }

/** The input for sending a step. */
export interface SendContext extends RunInput {
  readonly ids: KnownIds
  /** Addresses of objects that this run has created. Their contents may not be visible at once. */
  readonly madeHere: ReadonlySet<string>
  /** Nested lists that this platform ignored in a create, such as "Service.endpoints". */
  readonly droppedLists: Set<string>
  /** Paths of operations that were still answered 404 after the time in which a new object becomes visible. */
  readonly notOffered: Set<string>
  /** Domains that still wait for approval. */
  readonly awaiting: Set<string>
}

/**
 * The maximum number of times that a rejected request is sent. A platform that limits the rate accepts it at some time. A
 * platform that is down is not waited for as long. A platform that refuses two tokens refuses the third one too.
 */
export function busyTries(status: number): number {
  if (status === 429) return 20
  return status === 503 ? 4 : 2
}

/** Sends a request that may be executed twice without harm, until it is not rejected for the moment. */
export async function untilTaken(send: () => Promise<Outcome>, { sleep, signal }: SendContext): Promise<Outcome> {
  for (let busy = 1; ; busy += 1) {
    const outcome = await send()
    if (outcome.is !== 'busy' || busy >= busyTries(outcome.status)) return outcome
    await sleep(outcome.afterMs)
    if (signal.aborted) return outcome
  }
}

/** How often a request that may be too early is sent again, with pauses of two seconds. */
export const earlyTries = 3

/** Notes a 404 in the last answer to such a request: the platform probably does not offer the operation. */
export function noteOffer(operation: Operation, outcome: Outcome, { notOffered }: SendContext): void {
  if (outcome.is === 'refused' && outcome.status === 404) notOffered.add(operation.path)
}

/**
 * Whether a refusal may mean that an object of this run is not visible yet. The change must be for such an object, or need one.
 * A 400 must not blame a property of the request, except for an id. A 404 counts unless the platform does not seem to offer the
 * operation at all.
 */
export function mayBeTooEarly(
  {
    change,
    runnable,
    operation,
  }: { readonly change: Change; readonly runnable: readonly Change[]; readonly operation: Operation },
  outcome: Outcome,
  context: SendContext,
): boolean {
  if (outcome.is !== 'refused') return false
  if (outcome.status === 404)
    return (
      !context.notOffered.has(operation.path) &&
      [change.address, ...runnable.flatMap((each) => each.dependsOn)].some((address) => context.madeHere.has(address))
    )
  if (outcome.status !== 400) return false
  const young = [...Object.values(change.path)].some(
    (target) => target.is === 'desired' && context.madeHere.has(target.address),
  )
  const blamed = outcome.complaints.some((each) => each.property !== undefined && each.property !== 'id')
  return (young || context.madeHere.has(change.address)) && !blamed
}

/** The ids in the path of a change, by parameter name. All of them are known when it is sent. */
export function resolvedPathIds(change: Change, context: SendContext): Record<string, string> {
  return Object.fromEntries(
    Object.entries(change.path).map(([parameter, target]) => [parameter, context.ids.resolve(target)]),
  )
}
