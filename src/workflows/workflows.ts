import type { Json } from '../json/json.js'

/**
 * Work that outlives the process that does it. An engine behind these verbs keeps every finished step; whatever is not finished when its worker dies goes on at another.
 */
export interface Workflows {
  /** Begins a workflow on this worker. An id that is known already begins nothing. */
  readonly start: (workflow: NewWorkflow) => Promise<void>
  /** Puts a workflow into a queue, from which any worker takes it. An id that is known already is not queued again. */
  readonly enqueue: (job: NewJob) => Promise<Queued>
  /** From now on these schedules, and no others, begin workflows: each moment is begun once, however many workers there are. */
  readonly schedule: (schedules: readonly WorkflowSchedule[]) => Promise<void>
  /** From now on this worker takes jobs from these queues as well, with these limits. */
  readonly takeFrom: (queues: readonly Queue[]) => Promise<void>
  /** Resolves when the workflow has ended; undefined if it has not within that time. */
  readonly wait: (id: string, timeoutMs?: number) => Promise<WorkflowEnding | undefined>
  /** Leaves a message for a workflow, which reads it when it asks for that topic. */
  readonly signal: (id: string, topic: string, message: Json) => Promise<void>
  /** Workflows, the newest first. */
  readonly list: (filter: WorkflowFilter) => Promise<readonly WorkflowState[]>
  /** Hands on what workers that are gone have not finished; gives the ids. A worker does so by itself, again and again. */
  readonly recover: () => Promise<readonly string[]>
  /** Deletes workflows that ended before that time, in milliseconds since 1970, with their steps; gives their number. */
  readonly forget: (endedBefore: number) => Promise<number>
  /** Takes nothing more from the queues and waits that long for what is running; what is left then goes on elsewhere. */
  readonly close: (patienceMs: number) => Promise<void>
}

/** What those who are no worker can do: a command, a page. */
export type WorkflowClient = Pick<Workflows, 'enqueue' | 'wait' | 'signal' | 'list' | 'forget'> & {
  readonly close: () => Promise<void>
}

/**
 * What a workflow does. It may be run again from its beginning at any time: each verb answers then what it answered before,
 * and everything else that touches the world stands in a step.
 */
export type WorkflowBody = (input: Json, context: WorkflowContext) => Promise<Json>

/** The verbs inside a workflow: each is remembered as a step of it. */
export interface WorkflowContext {
  readonly id: string
  /** Does something, and remembers what it gave. It is done again if the worker dies before it has ended. */
  readonly step: <Value extends Json>(name: string, work: () => Promise<Value>) => Promise<Value>
  /** The time counts from when it was first asked for, whoever has died since. */
  readonly sleep: (milliseconds: number) => Promise<void>
  /** The next message of that topic; undefined if none comes within the time. */
  readonly received: (topic: string, timeoutMs: number) => Promise<Json | undefined>
  /** All of them in one step; an answer for each. */
  readonly enqueue: (jobs: readonly NewJob[]) => Promise<readonly Queued[]>
  readonly wait: (id: string) => Promise<WorkflowEnding>
}

interface NewWorkflow {
  /** The name of its body. */
  readonly workflow: string
  readonly id: string
  readonly input: Json
}

export interface NewJob extends NewWorkflow {
  readonly queue: string
  /** What the limits of the queue's partitions count by. */
  readonly partition: string
  /** No two jobs of a queue with the same word are queued or running at once. */
  readonly only?: string
}

/** `refused`: another job with the same `only` is queued or running. */
export type Queued = 'queued' | 'refused'

interface WorkflowSchedule {
  readonly name: string
  /** Its input is `{"at": the moment as ISO 8601}` with the members of `input`. */
  readonly workflow: string
  readonly input: { readonly [name: string]: Json }
  /** Five fields, or six with seconds in front. */
  readonly cron: string
  /** A name such as Europe/Berlin. */
  readonly timezone: string
}

export type WorkflowEnding =
  | { readonly is: 'done'; readonly value: Json }
  | { readonly is: 'failed'; readonly error: string }

export interface WorkflowFilter {
  readonly status?: readonly WorkflowStatus[]
  readonly workflow?: string
  readonly ids?: readonly string[]
  readonly limit?: number
}

type WorkflowStatus = 'queued' | 'running' | 'done' | 'failed'

export interface WorkflowState {
  readonly id: string
  readonly workflow: string
  readonly status: WorkflowStatus
  /** The worker that runs it, or ran it last. */
  readonly worker: string | undefined
  /** Milliseconds since 1970. */
  readonly created: number
  readonly ended: number | undefined
}

/** A queue of jobs that all workers take from. */
export interface Queue {
  readonly name: string
  /** How many jobs of it one worker runs at once. */
  readonly perWorker: number
  /** For each partition, over all workers. */
  readonly partition: { readonly concurrency: number; readonly rate?: Rate }
}

/** So many jobs may begin in such a time. */
interface Rate {
  readonly limit: number
  readonly periodMs: number
}

/** A worker: what it can do, and how it keeps itself known to the others. */
export interface WorkerSetup {
  /** The database, as a URL of PostgreSQL. */
  readonly url: string
  /** Whose workflows, queues and schedules they are; several may share a database. */
  readonly application: string
  /** What workflows of today look like: those of another format are left to workers that know it. */
  readonly format: string
  /** Unlike that of any other worker, also of earlier ones. */
  readonly worker: string
  readonly bodies: Readonly<Record<string, WorkflowBody>>
  readonly queues: readonly Queue[]
  /** How often queues are asked, in milliseconds. */
  readonly pollMs: number
  /** How often others are looked after, in milliseconds: a worker that is gone from one look to the next has lost its work. */
  readonly recoverMs: number
  /** Something is wrong that the engine goes on trying. */
  readonly warn: (message: string) => void
}
