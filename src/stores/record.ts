import type { Json } from '../json/json.js'

/**
 * What is written down of applies: a journal of every run, a receipt of every object that a run made or found as desired,
 * and a lock for each area. Losing all of it loses history, prune and the telling of conflicts, never identity.
 */

/** One live area. Locks are kept per area. */
export interface AreaKey {
  readonly url: string
  readonly area: string
}

/** One project in one area. Receipts and runs are kept per project. */
export interface ProjectKey extends AreaKey {
  readonly project: string
}

/** Who works: shown to whoever finds the lock held. */
export interface Worker {
  /** `user@host`, or what the CI system calls the job. */
  readonly who: string
  readonly host: string
  readonly pid: number
}

/** Whoever has taken a lock and has not said so yet. */
export const unknownWorker: Worker = { who: 'somebody', host: 'an unknown host', pid: 0 }

/** The head of a run's journal. */
export interface RunHead {
  /** Sorts by time: `20270101T000000Z-1a2b3c`. */
  readonly run: string
  readonly key: ProjectKey
  readonly worker: Worker
  /** Milliseconds since 1970. */
  readonly started: number
  /** The commit that the manifests were at, where they are in git. */
  readonly commit: string | undefined
  /** What was read was not as in that commit. */
  readonly dirty?: true
  /** "sha256:…" of the plan. */
  readonly plan: string
  readonly manifests: string
  /** "sha256:…" of the texts of the manifests, whatever layers made of them; absent where no environment is chosen. */
  readonly texts?: string
  /** Of `--value`: texts by the names of values, masked. */
  readonly values?: Readonly<Record<string, string>>
  /** Something was left out: what was not selected, or came up after the plan was saved. */
  readonly part?: true
  /** What the run is: an apply, or the undoing of another run. */
  readonly purpose: { readonly is: 'apply' } | { readonly is: 'rollback'; readonly of: string }
  readonly changes: readonly { readonly address: string; readonly kind: string; readonly action: string }[]
  /** Creates that earlier runs announced and of which no outcome was known when this run began. */
  readonly awaited?: readonly Awaited[]
}

/** A create that may still be carried out. */
export interface Awaited {
  readonly address: string
  /** When it was announced; milliseconds since 1970. */
  readonly at: number
}

/** One line of a journal; the order is that of writing. Secrets are never in it. */
export type JournalEntry =
  /** Written before the request is sent. */
  | {
      readonly is: 'announced'
      readonly step: string
      /** POST, PUT or DELETE with its path. */
      readonly request: string
      readonly addresses: readonly string[]
      /** Addresses of objects that exist once this request is done and did not before. */
      readonly creates: readonly string[]
      /**
       * Fields of one object that are no secrets, as the request finds them and as it leaves them;
       * `areAll`: it has no others. `takenOver`: those that nobody had applied before; absent where nobody knows.
       * `released`: those that a rollback puts back, and that are nobody's then.
       */
      readonly changes?: {
        readonly id: string
        readonly before: Readonly<Record<string, Json>>
        readonly after: Readonly<Record<string, Json>>
        readonly areAll?: true
        readonly takenOver?: readonly string[]
        readonly released?: readonly string[]
      }
      readonly at: number
    }
  | {
      readonly is: 'settled'
      readonly address: string
      readonly outcome: string
      /** 'no' where a request was sent, or may have been, and its outcome is unknown. */
      readonly answered?: 'no'
      readonly id: string | undefined
      /** The platform's answer, masked, where it was none of success. */
      readonly error: string | undefined
      /** What stood before; of a change that is not done only the fields that it has changed all the same. */
      readonly before: Image | undefined
      readonly after: Image | undefined
      /** Of what was deleted: the fields that had been applied. `before` has those that nobody managed as well. */
      readonly managed?: readonly string[]
      /** Of what was updated: the changed fields that nobody had applied before. */
      readonly takenOver?: readonly string[]
      /** Of what was updated: lists that no manifest writes and that got or lost entries, as the run left them. */
      readonly lists?: Readonly<Record<string, Json>>
      /** The fields that a rollback has put back and that are nobody's since: nobody had applied them before the undone run. */
      readonly released?: readonly string[]
      /** Of what was deleted, came back, or got nothing but entries of a list: no run has made it or taken it over. */
      readonly unapplied?: true
      /** Of what was deleted: what the platform had put there by itself. */
      readonly added?: readonly Added[]
      /** Of what was deleted: the run that had made it, or taken it over. */
      readonly since?: string
      /** Of what was deleted: the labels that it had. */
      readonly labels?: Readonly<Record<string, string>>
      readonly at: number
    }
  | { readonly is: 'ended'; readonly outcome: 'done' | 'incomplete' | 'interrupted'; readonly at: number }

/** What came of a change. */
export type SettledEntry = Extract<JournalEntry, { readonly is: 'settled' }>

/** The fields of one object at one moment: values, and for secrets a keyed fingerprint where one can be made. */
export interface Image {
  readonly fields: Readonly<Record<string, Json>>
  readonly fingerprints: Readonly<Record<string, string>>
  /** Keyed fingerprints of what manifests write around the secrets: an edit of it is told without them. */
  readonly templates?: Readonly<Record<string, string>>
  /** Keyed fingerprints of what was sent last and stored otherwise, by JSON Pointer. */
  readonly unkept?: Readonly<Record<string, string>>
}

/** What a run last made, or found as desired, of one object: the base of the next plan. */
export interface Receipt {
  readonly address: string
  readonly kind: string
  /** Empty for a child that exists once. */
  readonly id: string
  /** The managed fields as they were applied. */
  readonly image: Image
  readonly run: string
  /** The run that made the object, or took it over; absent: `run`. */
  readonly since?: string
  /** The id that it had before a rollback made it anew. */
  readonly formerId?: string
  /** Whether a run created the object, or found it there and took it over. */
  readonly origin: 'created' | 'adopted'
  /** It was declared with `protect: true`. */
  readonly protect?: true
  /** It was declared with these labels: policies look at them when no manifest has the object. */
  readonly labels?: Readonly<Record<string, string>>
  /** What the platform put there by itself when a run created the object, by ids: it counts as made by that run. */
  readonly added?: readonly Added[]
}

/** One object that nobody declared. */
export interface Added {
  readonly kind: string
  readonly id: string
}

export type Announced = Extract<JournalEntry, { readonly is: 'announced' }>

/** A whole run as it is read back; without `ended` it was interrupted. */
export interface RunRecord {
  readonly head: RunHead
  readonly entries: readonly JournalEntry[]
}

/** The journal of the run that is under way. */
export interface Journal {
  /**
   * Resolves when the run may go on: the entry is written for good, entries of the same time together, or the step stands
   * already among those that were written down before the first request. `close` waits for all.
   */
  append(entry: JournalEntry): Promise<void>
  close(): Promise<void>
}

export interface Lock {
  /** Aborted when the lock is lost before it is released: nothing more may be sent then. */
  readonly lost: AbortSignal
  /**
   * Whether nobody else can have the lock at this moment: asked right before each request that writes, answered at once where
   * a heartbeat has just succeeded. A "no" is for good.
   */
  isHeld(): boolean | Promise<boolean>
  release(): Promise<void>
}

/** The lock is somebody else's. */
export interface HeldLock {
  readonly heldBy: Worker
  /** Milliseconds since 1970. */
  readonly since: number
  readonly run: string | undefined
}

/** What came of asking for a lock. */
export type Taking =
  | { readonly is: 'taken'; readonly lock: Lock }
  /**
   * `freeInMs`: it can be taken over then, if its holder gives no sign of life until then; whoever waits asks again and again.
   */
  | { readonly is: 'held'; readonly by: HeldLock; readonly freeInMs?: number }

/** What a webhook was told and is not over, so that it is told once. */
export interface Notified {
  /** Digest of the webhook as the project file writes it. */
  readonly webhook: string
  /** Digest of what a command was limited to; '' where it saw the whole project. */
  readonly part: string
  readonly matter: 'drift' | 'failed drift' | 'failed apply'
  /** Digest of what was told last. */
  readonly digest: string
  /** When it was first reported and last; milliseconds since 1970. */
  readonly since: number
  readonly at: number
}

/** A store of records; one contract test holds every kind of store. */
export interface Records {
  /** Takes the lock of an area, which dies with its process; or says who holds it. */
  lock(area: AreaKey, worker: Worker, run: string): Promise<Taking>
  /** Who holds the lock of an area now, if anybody does. */
  holder(area: AreaKey): Promise<HeldLock | undefined>
  /**
   * Begins a run. `ahead` gives the steps that are known before the first request: a store in which each write takes seconds
   * writes them down at once, and later what has become of them, from time to time.
   */
  begin(head: RunHead, ahead?: () => readonly Announced[]): Promise<Journal>
  /**
   * What `of` makes of each of the project's runs, newest first: the order in which they began, whatever the clocks said. Few are
   * held at once: a run of a large area is tens of megabytes.
   */
  runs<Value>(key: ProjectKey, of: (record: RunRecord) => Value): Promise<readonly Value[]>
  /** The newest of these runs, back to the last one that ended other than interrupted, which is the last of them. */
  recent(key: ProjectKey): Promise<readonly RunRecord[]>
  /**
   * One run by its name, by a beginning of it (a ProblemError if several have it), or `latest`: the newest that had changes
   * (A109).
   */
  run(key: ProjectKey, run: string): Promise<RunRecord | undefined>
  /**
   * Removes runs with all that is written of them. Only the holder of the area's lock may do so, and not to what `recent`
   * gives.
   */
  forget(key: ProjectKey, runs: readonly string[]): Promise<void>
  /** Sorted by address. */
  receipts(key: ProjectKey): Promise<readonly Receipt[]>
  /** All or nothing: writes the receipts given, removes those of the addresses given. */
  keep(key: ProjectKey, receipts: readonly Receipt[], forget: readonly string[]): Promise<void>
  /** Receipts of all other projects in the area, other environments of this one among them. */
  claims(key: ProjectKey): Promise<readonly Receipt[]>
  /** What webhooks were told. */
  notified(key: ProjectKey): Promise<readonly Notified[]>
  /** Writes what `change` makes of it. Needs no lock: of two that write at once neither loses what the other wrote. */
  changeNotified(key: ProjectKey, change: (before: readonly Notified[]) => readonly Notified[]): Promise<void>
  /** Releases what is still held and writes what is still waiting. */
  close(): Promise<void>
}

/** Whether a run came to its end with everything done. */
export const isDone = ({ entries }: RunRecord): boolean =>
  entries.some((entry) => entry.is === 'ended' && entry.outcome === 'done')

/** The keys of a project that claim nothing against it: its own, and that from before it had environments. */
export const ownKeys = (key: ProjectKey): readonly ProjectKey[] => [
  key,
  { ...key, project: nameAndEnvironment(key).name },
]

/** What the project file calls the project, and the environment that was chosen. */
export function nameAndEnvironment({ project }: ProjectKey): { readonly name: string; readonly environment?: string } {
  const [name = '', environment] = project.split('\u001f')
  return environment === undefined ? { name } : { name, environment }
}
