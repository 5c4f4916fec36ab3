import type { KindName } from '../catalog/types.js'
import type { Client, Complaint } from '../client/types.js'
import type { JsonObject } from '../json/json.js'
import type { Snapshot } from '../live/live-object.js'
import { type Change, isCreating, type Plan, type ReferenceTarget } from '../planner/plan.js'
import type { StepSettings } from '../planner/steps/step.js'
import type { RunProgress } from '../ports/progress.js'

/** The types of one run: its input, its state, and the results of its changes. */

export interface RunInput {
  readonly plan: Plan
  readonly client: Client
  readonly settings: RunSettings
  /** The reading from which the plan was made. */
  readonly snapshot: Snapshot
  readonly sleep: (milliseconds: number) => Promise<void>
  readonly now: () => number
  /** Aborted if the user interrupts the run: requests in progress are finished, and no new ones are started. */
  readonly signal: AbortSignal
  readonly onProgress: (progress: RunProgress) => void
  readonly journal: RunJournal
}

/** The record of a run in progress. */
export interface RunJournal {
  /** Resolves when it is on disk: a step is announced before its request is sent. */
  announce(step: Announcement): Promise<void>
  finish(change: Change, result: ChangeResult): Promise<void>
}

export interface Announcement {
  readonly step: string
  /** Method and path, with the ids that are known. */
  readonly request: string
  readonly addresses: readonly string[]
  /** The addresses of objects that the request creates, including those that the platform adds by itself. */
  readonly creates: readonly string[]
  /** Fields of one object before and after the request, without secrets. `areAll`: there are no other fields in the request. */
  readonly changes?: {
    readonly id: string
    readonly before: JsonObject
    readonly after: JsonObject
    readonly areAll?: true
  }
}

interface RunSettings extends StepSettings {
  readonly concurrency: number
  /** How long the program searches for the object of an unanswered create before the outcome counts as unknown. */
  readonly createPatienceMs: number
  /** How long to poll for domains that wait for approval; 0: not at all. */
  readonly waitDomainsMs: number
  /** Whether the values come from a record: a rollback. Otherwise somebody wrote them. */
  readonly restores: boolean
}

/** The result of one change. */
export type ChangeResult =
  | {
      readonly outcome: 'applied'
      readonly id: string
      /** There was no answer: the closing reading shows that the change was made. */
      readonly seen?: 'at the end'
      /** The answer was an empty success: only a closing reading shows whether the change was made (A362). */
      readonly answer?: 'empty'
      /** The fields of a new object that a later request writes. */
      readonly following?: readonly string[]
    }
  | NotDone

export type NotDone = (
  | {
      readonly outcome: 'failed'
      readonly id: string | undefined
      readonly error: ChangeError
      /** 'no' if it is not known whether the platform has executed the request. */
      readonly answered?: 'no'
    }
  /** Not tried: a change that it needs was not made, or the platform does not offer the operation. */
  | { readonly outcome: 'blocked'; readonly id: string | undefined; readonly error: ChangeError }
  /** Refused because a domain still waits for its approval. A later apply continues. */
  | { readonly outcome: 'waiting'; readonly id: string | undefined; readonly error: ChangeError }
  /** The platform accepted the change and did not keep it. `path`: the first of the fields. */
  | {
      readonly outcome: 'notKept'
      readonly id: string | undefined
      readonly error: ChangeError
      readonly path?: string | undefined
    }
  | { readonly outcome: 'notStarted'; readonly id: string | undefined; readonly error: ChangeError }
) & {
  /** For a change that was begun: the fields that differ from their earlier values, with their present values. */
  readonly left?: JsonObject
  /** The object to replace is deleted, and the new one does not exist. */
  readonly removed?: true
  /** Some of the requests of an update are done; their fields are not known one by one. */
  readonly part?: true
}

export const isApplied = (result: ChangeResult | undefined): boolean => result?.outcome === 'applied'

/** Whether a run has created the object of a change. The object then has an id, even if a part of it is missing. */
export function isMade(change: Change, result: ChangeResult | undefined): boolean {
  if (!isCreating(change)) return false
  if (result?.outcome === 'applied' || result?.outcome === 'notKept') return true
  return result?.id !== undefined && (change.action === 'create' || result.id !== change.live.id)
}

/** Whether a run has changed anything in an object and has not restored it. */
export function hasDone(change: Change, result: ChangeResult | undefined): boolean {
  if (!result) return false
  if (result.outcome === 'applied' || isMade(change, result)) return true
  return result.removed === true || result.part === true || Object.keys(result.left ?? {}).length > 0
}

/** Whether it is not known what the platform has done. */
export const isUncertain = (result: ChangeResult | undefined): boolean =>
  result?.outcome === 'failed' && result.answered === 'no'

/** The result of an empty answer without a closing reading: it is not known whether the change was made (A370). */
export const asReported = (result: ChangeResult): ChangeResult =>
  result.outcome === 'applied' && result.answer
    ? { outcome: 'failed', id: result.id, error: because(unreportedWords), answered: 'no' }
    : result

const unreportedWords = 'the platform reported success in an empty answer, and the area was not read again'

/** Why a change was not made, in the platform's words if it returned some. Secrets are masked. */
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

/** The ids of the objects that the run creates. */
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

  /** Whether this run has created the object of that kind with that id. */
  isMade(kind: KindName, id: string): boolean {
    return this.#made.has(`${kind} ${id}`)
  }

  /** The id of a target, if it is known. */
  find = (target: ReferenceTarget): string | undefined =>
    target.is === 'live' ? target.id : this.#ids.get(target.address)

  /** Throws if the object is not created yet: the order of the steps prevents that. */
  resolve = (target: ReferenceTarget): string => {
    if (target.is === 'live') return target.id
    const id = this.#ids.get(target.address)
    if (id === undefined) throw new Error(`${target.address} is referred to before it is made`)
    return id
  }
}
