import type { Json } from '../json/json.js'

/**
 * Workflows, which continue after the end of the process that runs them. The engine stores every finished step; if a worker ends,
 * another one continues its workflows.
 */
export interface Workflows {
  /** Starts a workflow on this worker. Does nothing if the id is already known. */
  readonly start: (workflow: NewWorkflow) => Promise<void>
  /** Puts a workflow into a queue, from which any worker takes it. Does nothing if the id is already known. */
  readonly enqueue: (job: NewJob) => Promise<Queued>
  /** Replaces all schedules. Each scheduled time starts one workflow, however many workers there are. */
  readonly schedule: (schedules: readonly WorkflowSchedule[]) => Promise<void>
  /** From now on this worker also takes jobs from these queues, with their limits. */
  readonly takeFrom: (queues: readonly Queue[]) => Promise<void>
  /** Resolves when the workflow has ended; undefined if it does not end within that time. */
  readonly wait: (id: string, timeoutMs?: number) => Promise<WorkflowEnding | undefined>
  /** Sends a message to a workflow, which reads it when it receives that topic. */
  readonly signal: (id: string, topic: string, message: Json) => Promise<void>
  /** The workflows, newest first. */
  readonly list: (filter: WorkflowFilter) => Promise<readonly WorkflowState[]>
  /** Hands on the unfinished workflows of ended workers, and returns their ids. A worker also does this regularly by itself. */
  readonly recover: () => Promise<readonly string[]>
  /** Deletes the workflows that ended before that time (milliseconds since 1970) with their steps, and returns their number. */
  readonly forget: (endedBefore: number) => Promise<number>
  /** Takes no more jobs and waits for the running ones, at most for that time. Other workers continue the rest. */
  readonly close: (patienceMs: number) => Promise<void>
}

/** The functions for processes that are no worker, such as commands. */
export type WorkflowClient = Pick<Workflows, 'enqueue' | 'wait' | 'signal' | 'list' | 'forget'> & {
  readonly close: () => Promise<void>
}

/**
 * The code of a workflow. It may run again from its beginning at any time. The functions of the context then return the same
 * results as before; all other effects must be inside a step.
 */
export type WorkflowBody = (input: Json, context: WorkflowContext) => Promise<Json>

/** The functions inside a workflow. Each call is stored as a step. */
export interface WorkflowContext {
  readonly id: string
  /** Does the work and stores its result. If the worker ends before that, the work is done again. */
  readonly step: <Value extends Json>(name: string, work: () => Promise<Value>) => Promise<Value>
  /** The time counts from the first call, even if the worker has changed since. */
  readonly sleep: (milliseconds: number) => Promise<void>
  /** The next message of that topic; undefined if none arrives within the time. */
  readonly received: (topic: string, timeoutMs: number) => Promise<Json | undefined>
  /** Queues all jobs in one step, and returns a result for each. */
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
  /** The partition of the queue, to which its limits apply. */
  readonly partition: string
  /** No two jobs with the same value are in a queue or running at the same time. */
  readonly only?: string
}

/** `refused`: another job with the same `only` is queued or running. */
export type Queued = 'queued' | 'refused'

interface WorkflowSchedule {
  readonly name: string
  /** The input is `{"at": the scheduled time as ISO 8601}` with the members of `input`. */
  readonly workflow: string
  readonly input: { readonly [name: string]: Json }
  /** Five fields, or six if the first is for seconds. */
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

/** A queue of jobs for all workers. */
export interface Queue {
  readonly name: string
  /** How many of its jobs one worker runs at the same time. */
  readonly perWorker: number
  /** The limits of each partition, for all workers together. */
  readonly partition: { readonly concurrency: number; readonly rate?: Rate }
}

/** The number of jobs that may begin within a period. */
interface Rate {
  readonly limit: number
  readonly periodMs: number
}

/** The settings of a worker. */
export interface WorkerSetup {
  /** The URL of the PostgreSQL database. */
  readonly url: string
  /** The owner of workflows, queues and schedules. Several applications may share a database. */
  readonly application: string
  /** The format of the workflows. Workflows of another format are left to workers with that format. */
  readonly format: string
  /** A name that no other worker has, not even an earlier one. */
  readonly worker: string
  readonly bodies: Readonly<Record<string, WorkflowBody>>
  readonly queues: readonly Queue[]
  /** How often the queues are polled, in milliseconds. */
  readonly pollMs: number
  /** How often ended workers are looked for, in milliseconds. A worker that is missing in two checks loses its work. */
  readonly recoverMs: number
  /** Called for a fault that the engine keeps trying to overcome. */
  readonly warn: (message: string) => void
}
