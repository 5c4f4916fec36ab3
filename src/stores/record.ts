import type { Json } from '../json/json.js'

/**
 * The records of applies: a journal of every run, a receipt of every object that a run made or found as desired, and a lock for
 * each area. Losing all of it loses history, prune and the detection of conflicts, never identity.
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

/** Who runs the program; shown to whoever finds the lock held. */
export interface Worker {
  /** `user@host`; in CI, the user is the one that the CI system gives. */
  readonly who: string
  readonly host: string
  readonly pid: number
}

/** A holder that has taken a lock and has not written its name yet. */
export const unknownWorker: Worker = { who: 'somebody', host: 'an unknown host', pid: 0 }

/** The head of a run's journal. */
export interface RunHead {
  /** Sorts by time: `20270101T000000Z-1a2b3c`. */
  readonly run: string
  readonly key: ProjectKey
  readonly worker: Worker
  /** Milliseconds since 1970. */
  readonly started: number
  /** The commit of the manifests, if they are in git. */
  readonly commit: string | undefined
  /** What was read differs from that commit. */
  readonly dirty?: true
  /** "sha256:…" of the plan. */
  readonly plan: string
  readonly manifests: string
  /** "sha256:…" of the texts of the manifests, without layers; absent if no environment is chosen. */
  readonly texts?: string
  /** The texts of `--value`, masked, by the names of values. */
  readonly values?: Readonly<Record<string, string>>
  /** Something was left out: it was not selected, or it appeared after the plan was saved. */
  readonly part?: true
  /** Whether the run is an apply, or undoes another run. */
  readonly purpose: { readonly is: 'apply' } | { readonly is: 'rollback'; readonly of: string }
  readonly changes: readonly { readonly address: string; readonly kind: string; readonly action: string }[]
  /** Creates that earlier runs announced and that had no known outcome when this run began. */
  readonly awaited?: readonly Awaited[]
}

/** A create that may still be carried out. */
export interface Awaited {
  readonly address: string
  /** When it was announced; milliseconds since 1970. */
  readonly at: number
}

/** One line of a journal, in the order of writing. It never contains secrets. */
export type JournalEntry =
  /** Written before the request is sent. */
  | {
      readonly is: 'announced'
      readonly step: string
      /** POST, PUT or DELETE with its path. */
      readonly request: string
      readonly addresses: readonly string[]
      /** Addresses of the objects that this request creates. */
      readonly creates: readonly string[]
      /**
       * Fields of one object that are not secret, before and after the request. `areAll`: the request changes no other fields.
       * `takenOver`: those that were not applied before, and the members (`cors/maxAge`) of the others that were not; absent if
       * this is not known. `released`: those that a rollback puts back and that are not managed afterwards.
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
      /** 'no' if a request was sent, or may have been, and its outcome is unknown. */
      readonly answered?: 'no'
      readonly id: string | undefined
      /** The platform's answer, masked, if the request did not succeed. */
      readonly error: string | undefined
      /** The state before. If a change is not done, only the fields that it has changed all the same. */
      readonly before: Image | undefined
      readonly after: Image | undefined
      /** For a deleted object: the fields that had been applied. `before` also has those that were not managed. */
      readonly managed?: readonly string[]
      /** The written fields that were not applied before, and the members of the others, also of a deleted object. */
      readonly takenOver?: readonly string[]
      /** For an updated object: lists that no manifest writes and that got or lost entries, as the run left them. */
      readonly lists?: Readonly<Record<string, Json>>
      /** The fields that a rollback has put back and that are no longer managed: they were not applied before the undone run. */
      readonly released?: readonly string[]
      /** For an object that was deleted, came back, or only got entries in a list: no run has created it or taken it over. */
      readonly unapplied?: true
      /** For a deleted object: the objects that the platform had added to it. */
      readonly added?: readonly Added[]
      /** For a deleted object: the run that had created it, or taken it over. */
      readonly since?: string
      /** For a deleted object: its labels. */
      readonly labels?: Readonly<Record<string, string>>
      readonly at: number
    }
  | { readonly is: 'ended'; readonly outcome: RunOutcome; readonly at: number }

/** How a run ended: with everything done, with a part of it, or before its receipts were written. */
export type RunOutcome = 'done' | 'incomplete' | 'interrupted'

/** The outcome of a change. */
export type SettledEntry = Extract<JournalEntry, { readonly is: 'settled' }>

/** The fields of one object at one moment: values, and for secrets a keyed fingerprint if one can be made. */
export interface Image {
  readonly fields: Readonly<Record<string, Json>>
  readonly fingerprints: Readonly<Record<string, string>>
  /** Keyed fingerprints of the text around secrets in manifests: they show an edit of that text without the secrets. */
  readonly templates?: Readonly<Record<string, string>>
  /** Keyed fingerprints of values that were sent last but stored otherwise, by JSON Pointer. */
  readonly unkept?: Readonly<Record<string, string>>
}

/** The state of one object that a run last made, or found as desired: the base of the next plan. */
export interface Receipt {
  readonly address: string
  readonly kind: string
  /** Empty for a single child. */
  readonly id: string
  /** The managed fields, as applied. */
  readonly image: Image
  readonly run: string
  /** The run that created the object, or took it over; absent: `run`. */
  readonly since?: string
  /** Its id before a rollback created it again. */
  readonly formerId?: string
  /** Whether a run created the object, or found it and took it over. */
  readonly origin: 'created' | 'adopted'
  /** It was declared with `protect: true`. */
  readonly protect?: true
  /** The labels that it was declared with: policies use them if no manifest has the object. */
  readonly labels?: Readonly<Record<string, string>>
  /** The objects that the platform added when a run created this object, with their ids. They count as created by that run. */
  readonly added?: readonly Added[]
}

/** One object that no manifest declared. */
export interface Added {
  readonly kind: string
  readonly id: string
}

export type Announced = Extract<JournalEntry, { readonly is: 'announced' }>

/** A whole run, as it was read; without `ended` it was interrupted. */
export interface RunRecord {
  readonly head: RunHead
  readonly entries: readonly JournalEntry[]
}

/** The journal of the current run. */
export interface Journal {
  /**
   * Resolves when the run may go on: the entry is stored, together with entries of the same time, or its step was already stored
   * before the first request. `close` waits for all entries.
   */
  append(entry: JournalEntry): Promise<void>
  close(): Promise<void>
}

export interface Lock {
  /** Aborted if the lock is lost before it is released: then nothing more may be sent. */
  readonly lost: AbortSignal
  /**
   * Whether nobody else can have the lock at this moment. It is called right before each request that writes, and answers at once
   * if a heartbeat has just succeeded. After false it never returns true again.
   */
  isHeld(): boolean | Promise<boolean>
  release(): Promise<void>
}

/** The holder of a lock that somebody else has. */
export interface HeldLock {
  readonly heldBy: Worker
  /** Milliseconds since 1970. */
  readonly since: number
  readonly run: string | undefined
}

/** The result of a request for a lock. */
export type Taking =
  | { readonly is: 'taken'; readonly lock: Lock }
  /**
   * `freeInMs`: after this time the lock can be taken over, if its holder gives no sign of life. A waiting process asks again and
   * again.
   */
  | { readonly is: 'held'; readonly by: HeldLock; readonly freeInMs?: number }

/** A state that was sent to a webhook and is not over, so that it is sent only once. */
export interface Notified {
  /** Digest of the webhook as written in the project file. */
  readonly webhook: string
  /** Digest of what a command was limited to; '' if it saw the whole project. */
  readonly part: string
  readonly matter: 'drift' | 'failed drift' | 'failed apply'
  /** Digest of what was sent last. */
  readonly digest: string
  /** When it was first reported and last; milliseconds since 1970. */
  readonly since: number
  readonly at: number
}

/** Who takes a lock, for which run, and since when; milliseconds since 1970. */
export interface LockRequest {
  readonly worker: Worker
  readonly run: string
  readonly since: number
}

/** A store of records; every store passes the same contract test. */
export interface Records {
  /** Takes the lock of an area, which ends with its process, or returns its holder. */
  lock(area: AreaKey, worker: Worker, run: string): Promise<Taking>
  /** The current holder of the lock of an area, if there is one. */
  holder(area: AreaKey): Promise<HeldLock | undefined>
  /**
   * Begins a run. `ahead` returns the steps that are known before the first request. A store in which each write takes seconds
   * stores them at once, and their outcomes later, from time to time.
   */
  begin(head: RunHead, ahead?: () => readonly Announced[]): Promise<Journal>
  /**
   * The result of `of` for each of the project's runs, newest first, in the order in which they began, whatever clocks say. Only
   * few runs are in memory at once: a run of a large area has tens of megabytes.
   */
  runs<Value>(key: ProjectKey, of: (record: RunRecord) => Value): Promise<readonly Value[]>
  /** The newest runs, back to and including the last one that ended without being interrupted. */
  recent(key: ProjectKey): Promise<readonly RunRecord[]>
  /**
   * One run by its name, by the beginning of its name (a ProblemError if several match), or `latest`: the newest one with changes
   * (A109).
   */
  run(key: ProjectKey, run: string): Promise<RunRecord | undefined>
  /**
   * Removes runs with everything that is recorded of them. Only the holder of the area's lock may call it, and not for runs that
   * `recent` returns.
   */
  forget(key: ProjectKey, runs: readonly string[]): Promise<void>
  /** Sorted by address. */
  receipts(key: ProjectKey): Promise<readonly Receipt[]>
  /** Writes the given receipts and removes those of the given addresses: all or nothing. */
  keep(key: ProjectKey, receipts: readonly Receipt[], forget: readonly string[]): Promise<void>
  /** Receipts of all other projects in the area, including other environments of this one. */
  claims(key: ProjectKey): Promise<readonly Receipt[]>
  /** What was sent to webhooks. */
  notified(key: ProjectKey): Promise<readonly Notified[]>
  /** Writes the result of `change`. Needs no lock: if two write at once, neither loses what the other wrote. */
  changeNotified(key: ProjectKey, change: (before: readonly Notified[]) => readonly Notified[]): Promise<void>
  /** Releases the locks that are still held, and writes the entries that are still waiting. */
  close(): Promise<void>
}

/** Whether a run ended with everything done. */
export const isRunDone = ({ entries }: RunRecord): boolean =>
  entries.some((entry) => entry.is === 'ended' && entry.outcome === 'done')

/** Whether a run came to its end and wrote its receipts. */
export const hasWrittenReceipts = ({ entries }: Pick<RunRecord, 'entries'>): boolean =>
  entries.some((entry) => entry.is === 'ended' && entry.outcome !== 'interrupted')

/** The keys whose receipts claim nothing against a project: its own key, and its key from before it had environments. */
export const ownKeys = (key: ProjectKey): readonly ProjectKey[] => [
  key,
  { ...key, project: nameAndEnvironment(key).name },
]

/** The name in the project file, and the chosen environment. */
export function nameAndEnvironment({ project }: ProjectKey): { readonly name: string; readonly environment?: string } {
  const [name = '', environment] = project.split('\u001f')
  return environment === undefined ? { name } : { name, environment }
}
