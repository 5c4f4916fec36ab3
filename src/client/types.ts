import type { Kind, KindName, Operation } from '../catalog/types.js'
import type { JsonObject } from '../json/json.js'
import type { Earlier, ReadSpec, Snapshot } from '../live/live-object.js'

export type { ReadSpec } from '../live/live-object.js'

/** One complaint of the platform: the property it blames, if any, and its words. */
export interface Complaint {
  readonly property: string | undefined
  readonly message: string
}

/** What became of a writing request. */
export type Outcome =
  /** Answered 2xx; the objects of the answer, if it had any. `says`: that it may be about no object (A362). */
  | { readonly is: 'done'; readonly objects: readonly JsonObject[]; readonly says?: 'nothing' }
  /** Answered with an error: nothing was written. */
  | {
      readonly is: 'refused'
      readonly status: number
      readonly errorCode: string | undefined
      readonly message: string
      readonly complaints: readonly Complaint[]
      /** The body as answered, secrets masked. */
      readonly body: string
    }
  /**
   * A create was turned away for now (503, 429, or 401 to a token that is renewed by now), most likely undone; `afterMs` is how
   * long to wait before the next try.
   */
  | { readonly is: 'busy'; readonly status: number; readonly message: string; readonly afterMs: number }
  /** The daily quota of calls is used up: no request will be answered before it is renewed. */
  | { readonly is: 'quota'; readonly message: string }
  /** Never sent, or certainly not received: the host cannot be reached. */
  | { readonly is: 'unreachable'; readonly message: string }
  /** Sent, and no answer came that says what was done: a reset, a timeout, a server error after a create. */
  | { readonly is: 'unknown'; readonly message: string }

/** What a reading brought. */
export interface Reading {
  readonly snapshot: Snapshot
  /** The objects as answered, by collection ("services", "packages", …), nested as the interface answers them. */
  readonly raw: Readonly<Record<string, readonly JsonObject[]>>
  /** How many requests each part took, for the estimate of the next reading. */
  readonly cost: readonly ReadCost[]
  /**
   * The kinds that were asked for and that this platform has no collection for; they are not in `snapshot.kinds`, nor are
   * those that the document does not have if nobody needed them and no answer told of them.
   */
  readonly notOffered: readonly KindName[]
  /** Why some of them are not read: the document does not have them, and the platform refused to list them. */
  readonly refused?: ReadonlyMap<KindName, string>
}

/** A paged collection, or the requests that were sent one by one beside it. */
export interface ReadCost {
  readonly collection: string
  readonly objects: number
  readonly requests: number
  /** Absent where one request was sent for each object. */
  readonly paging?: Paging
}

/** How a collection is paged. */
export interface Paging {
  /** Requests a page: more than one where the URL of one would be too long. */
  readonly parts: number
  /** Whether the platform tells how many objects there are; without, pages are asked for until one brings nothing new. */
  readonly totals: 'sent' | 'missing'
  /** Objects a page: fewer than were asked for, if the platform gives fewer at a time. */
  readonly size: number
}

/** Counts of a client's life, the token's requests apart. */
export interface ClientStats {
  readonly requests: number
  readonly tokenRequests: number
  readonly throttled: number
  readonly waitedMs: number
  /** Requests a second, from the first to the last; undefined where all began at once. */
  readonly perSecond?: number | undefined
  /** The daily quota of the key, where the platform tells of it. */
  readonly quota?: Quota | undefined
}

/** Calls a day: how many were sent with this key, by whomever, and how many it allows. */
export interface Quota {
  readonly used: number
  readonly allotted: number
}

/** The only way to the platform. Reads throw a ProblemError; writes give an Outcome. */
export interface Client {
  /** With an earlier reading only what was touched since is read again; `raw` and `cost` are of that alone. */
  read(spec: ReadSpec, earlier?: Earlier): Promise<Reading>
  /** `ids` by the parameter names of the path, such as {serviceId}; `fields` asks for that answer. */
  write(
    operation: Operation,
    ids: Readonly<Record<string, string>>,
    body: JsonObject | undefined,
    fields?: readonly string[],
  ): Promise<Outcome>
  /**
   * One object by its id, with id and naming field; `ids` holds its own id as well. 'gone' where the platform says that there
   * is none (A362), 'not-offered' where objects of this kind cannot be asked for one by one.
   */
  findById(kind: Kind, ids: Readonly<Record<string, string>>): Promise<JsonObject | 'gone' | 'not-offered'>
  /**
   * The objects of a collection whose naming field equals the name exactly (filter, then compared), for unknown outcomes.
   * Throws where it is not listed.
   */
  findByName(kind: Kind, ids: Readonly<Record<string, string>>, name: string): Promise<readonly JsonObject[]>
  /** The objects of a collection with id, naming field and what they are named by. Throws where it is not listed. */
  list(kind: Kind, ids: Readonly<Record<string, string>>): Promise<readonly JsonObject[]>
  /** The ids of a collection as it is now, or 'not-offered'. */
  listIds(kind: Kind, ids: Readonly<Record<string, string>>): Promise<readonly string[] | 'not-offered'>
  stats(): ClientStats
  /** Whether every request has failed for a minute: it was not answered, or with an error of the server. */
  isFailing(): boolean
  close(): Promise<void>
}
