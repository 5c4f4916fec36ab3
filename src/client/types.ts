import type { Kind, KindName, Operation } from '../catalog/types.js'
import type { JsonObject } from '../json/json.js'
import type { Earlier, ReadSpec, Snapshot } from '../live/live-object.js'

/** One complaint of the platform: the property that it is about, if any, and its text. */
export interface Complaint {
  readonly property: string | undefined
  readonly message: string
}

/** The outcome of a writing request. */
export type Outcome =
  /**
   * Answered 2xx, with the objects of the answer, if it had any. `answer`: an empty one may mean that there is no such object
   * (A362).
   */
  | { readonly is: 'done'; readonly objects: readonly JsonObject[]; readonly answer?: 'empty' }
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
   * A create was refused for now (503, 429, or 401 for a token that is renewed by now), and was most likely not carried out.
   * `afterMs`: how long to wait before the next try.
   */
  | { readonly is: 'busy'; readonly status: number; readonly message: string; readonly afterMs: number }
  /** The daily quota of calls is used up: no request is answered before it is renewed. */
  | { readonly is: 'quota'; readonly message: string }
  /** Never sent, or certainly not received: the host cannot be reached. */
  | { readonly is: 'unreachable'; readonly message: string }
  /** Sent, but no answer says what was done: a reset, a timeout, a server error after a create. */
  | { readonly is: 'unknown'; readonly message: string }

/** The result of a reading. */
export interface Reading {
  readonly snapshot: Snapshot
  /** The objects as answered, by collection ("services", "packages", …), nested as the interface answers them. */
  readonly raw: Readonly<Record<string, readonly JsonObject[]>>
  /** How many requests each part took, for the estimate of the next reading. */
  readonly cost: readonly ReadCost[]
  /**
   * The requested kinds for which this platform has no collection. They are not in `snapshot.kinds`. Kinds outside the document
   * are not there either if nobody needed them and no answer had them.
   */
  readonly notOffered: readonly KindName[]
  /** Why some of these kinds are not read: they are not in the document, and the platform refused to list them. */
  readonly refused?: ReadonlyMap<KindName, string>
}

/** A paged collection, or the single requests besides it. */
export interface ReadCost {
  readonly collection: string
  readonly objects: number
  readonly requests: number
  /** Absent if one request was sent for each object. */
  readonly paging?: Paging
}

/** How a collection is paged. */
export interface Paging {
  /** Requests per page: more than one if the URL would be too long. */
  readonly parts: number
  /** Whether the platform gives the number of all objects. Without it, pages are requested until one has nothing new. */
  readonly totals: 'sent' | 'missing'
  /** Objects per page: fewer than requested if the platform gives smaller pages. */
  readonly size: number
}

/** Counts over the life of a client, token requests apart. */
export interface ClientStats {
  readonly requests: number
  readonly tokenRequests: number
  readonly throttled: number
  readonly waitedMs: number
  /** Requests per second, from the first to the last; undefined if all began at once. */
  readonly perSecond?: number | undefined
  /** The daily quota of the key, if the platform gives it. */
  readonly quota?: Quota | undefined
}

/** Calls per day: how many were sent with this key by all its users, and how many it allows. */
export interface Quota {
  readonly used: number
  readonly allotted: number
}

/** The only access to the platform. Reads throw a ProblemError; writes return an Outcome. */
export interface Client {
  /** With an earlier reading, only what was touched since then is read again; `raw` and `cost` contain only that. */
  read(spec: ReadSpec, earlier?: Earlier): Promise<Reading>
  /** `ids` by the parameter names of the path, such as {serviceId}; `fields`: the fields of the answer. */
  write(
    operation: Operation,
    ids: Readonly<Record<string, string>>,
    body: JsonObject | undefined,
    fields?: readonly string[],
  ): Promise<Outcome>
  /**
   * One object by its id, with id and naming field; `ids` also contains its own id. 'gone' if the platform says that there is no
   * such object (A362), 'not-offered' if objects of this kind cannot be read one by one.
   */
  findById(kind: Kind, ids: Readonly<Record<string, string>>): Promise<JsonObject | 'gone' | 'not-offered'>
  /**
   * The objects of a collection whose naming field is exactly this name (filtered, then compared), to resolve unknown outcomes.
   * Throws if the collection is not listed.
   */
  findByName(kind: Kind, ids: Readonly<Record<string, string>>, name: string): Promise<readonly JsonObject[]>
  /**
   * The objects of a collection with id, naming field and the field that they are named by. Throws if the collection is not
   * listed.
   */
  list(kind: Kind, ids: Readonly<Record<string, string>>): Promise<readonly JsonObject[]>
  /** The current ids of a collection, or 'not-offered'. */
  listIds(kind: Kind, ids: Readonly<Record<string, string>>): Promise<readonly string[] | 'not-offered'>
  stats(): ClientStats
  /** Whether every request has failed for a minute: without an answer, or with an error of the server. */
  isFailing(): boolean
  close(): Promise<void>
}
