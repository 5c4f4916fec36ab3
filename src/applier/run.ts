import type { KindName } from '../catalog/types.js'
import type { Client, Complaint } from '../client/types.js'
import type { JsonObject } from '../json/json.js'
import type { Snapshot } from '../live/live-object.js'
import { type Change, isCreating, type Plan, type ReferenceTarget } from '../planner/plan.js'
import type { StepSettings } from '../planner/steps/step.js'
import type { RunProgress } from '../ports/progress.js'

/** The words of one run: what it is given, what it knows while it runs, and what became of each change. */

export interface RunInput {
  readonly plan: Plan
  readonly client: Client
  readonly settings: RunSettings
  /** What the plan was made from. */
  readonly snapshot: Snapshot
  readonly sleep: (milliseconds: number) => Promise<void>
  readonly now: () => number
  /** Aborted when the user interrupts: what is in flight is finished, nothing new is started. */
  readonly signal: AbortSignal
  readonly onProgress: (progress: RunProgress) => void
  readonly journal: RunJournal
}

/** Where a run is written down while it is under way. */
export interface RunJournal {
  /** Resolves when it is on disk: a step is announced before its request is sent. */
  announce(step: Announcement): Promise<void>
  settle(change: Change, result: ChangeResult): Promise<void>
}

export interface Announcement {
  readonly step: string
  /** Method and path, with the ids that are known. */
  readonly request: string
  readonly addresses: readonly string[]
  /** What exists once the request is done and did not before, with what the platform adds by itself. */
  readonly creates: readonly string[]
  /** Fields of one object that are no secrets, as the request finds them and as it leaves them; `areAll`: it has no others. */
  readonly changes?: {
    readonly id: string
    readonly before: JsonObject
    readonly after: JsonObject
    readonly areAll?: true
  }
}

interface RunSettings extends StepSettings {
  readonly concurrency: number
  /** How long an unanswered create is looked for before its outcome is called unknown. */
  readonly createPatienceMs: number
  /** How long to poll for domains that wait for approval; 0: not at all. */
  readonly waitDomainsMs: number
}

/** What became of one change. */
export type ChangeResult =
  | {
      readonly outcome: 'applied'
      readonly id: string
      /** No answer said so: the closing reading shows it. */
      readonly seen?: 'at the end'
      /** The answer was an empty success: only a closing reading shows whether it was done (A362). */
      readonly said?: 'nothing'
      /** The fields of a new object that a request which follows is to bring. */
      readonly following?: readonly string[]
    }
  | NotDone

export type NotDone = (
  | {
      readonly outcome: 'failed'
      readonly id: string | undefined
      readonly error: ChangeError
      /** 'no' where nobody knows whether the platform has done it. */
      readonly answered?: 'no'
    }
  /** Not tried: something that it needs was not done, or the platform does not offer the operation. */
  | { readonly outcome: 'blocked'; readonly id: string | undefined; readonly error: ChangeError }
  /** Refused because a domain still waits for its approval: a later apply goes on. */
  | { readonly outcome: 'waiting'; readonly id: string | undefined; readonly error: ChangeError }
  /** The platform took it and did not keep it; `path`: the first of the fields. */
  | {
      readonly outcome: 'notKept'
      readonly id: string | undefined
      readonly error: ChangeError
      readonly path?: string | undefined
    }
  | { readonly outcome: 'notStarted'; readonly id: string | undefined; readonly error: ChangeError }
) & {
  /** Of a change that was begun: the fields that are not as before it, with the values that they have now. */
  readonly left?: JsonObject
  /** The object to replace is deleted, and the new one does not exist. */
  readonly removed?: true
}

export const isApplied = (result: ChangeResult | undefined): boolean => result?.outcome === 'applied'

/** Whether a run has made the object of a change: it has an id then, though something that belongs to it may not be done. */
export function isMade(change: Change, result: ChangeResult | undefined): boolean {
  if (!isCreating(change)) return false
  if (result?.outcome === 'applied' || result?.outcome === 'notKept') return true
  return result?.id !== undefined && (change.action === 'create' || result.id !== change.live.id)
}

/** Whether a run has changed anything of an object and not put it back. */
export function hasDone(change: Change, result: ChangeResult | undefined): boolean {
  if (!result) return false
  if (result.outcome === 'applied' || isMade(change, result)) return true
  return result.removed === true || Object.keys(result.left ?? {}).length > 0
}

/** Whether nobody knows what the platform has done. */
export const isUncertain = (result: ChangeResult | undefined): boolean =>
  result?.outcome === 'failed' && result.answered === 'no'

/** What an empty answer means before a closing reading: it is unknown whether it is done (A370). */
export const asTold = (result: ChangeResult): ChangeResult =>
  result.outcome === 'applied' && result.said
    ? { outcome: 'failed', id: result.id, error: because(untoldWords), answered: 'no' }
    : result

const untoldWords = 'the platform reported success in an empty answer, and the area was not read again'

/** Why a change is not done, in the platform's words where it had some; secrets are masked. */
export interface ChangeError {
  readonly message: string
  readonly status: number | undefined
  readonly errorCode: string | undefined
  readonly complaints: readonly Complaint[]
}

export const because = (message: string): ChangeError => ({
  message,
  status: undefined,
  errorCode: undefined,
  complaints: [],
})

/** The ids that the run learns of what it makes. */
export class KnownIds {
  readonly #ids = new Map<string, string>()
  /** Kind and id. */
  readonly #made = new Set<string>()

  learn(address: string, id: string): void {
    this.#ids.set(address, id)
    this.#made.add(`${address.split('/').at(-2)} ${id}`)
  }

  of(address: string): string | undefined {
    return this.#ids.get(address)
  }

  /** Whether it is the id of an object of that kind that this run has made. */
  isMade(kind: KindName, id: string): boolean {
    return this.#made.has(`${kind} ${id}`)
  }

  /** The id of a target, if it is known by now. */
  find = (target: ReferenceTarget): string | undefined =>
    target.is === 'live' ? target.id : this.#ids.get(target.address)

  /** Throws if the object is not made yet: the order of the steps does not let that happen. */
  resolve = (target: ReferenceTarget): string => {
    if (target.is === 'live') return target.id
    const id = this.#ids.get(target.address)
    if (id === undefined) throw new Error(`${target.address} is referred to before it is made`)
    return id
  }
}
