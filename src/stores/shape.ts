import { ownValue } from '../catalog/record.js'
import { ProblemError } from '../problems/problem.js'
import { recordsDamaged } from '../problems/records.js'
import type { JournalEntry, Notified, ProjectKey, Receipt, RunHead, Worker } from './record.js'

/**
 * Checks that a value that was read has the form that this program writes: anybody can edit a file or a row. More fields are
 * allowed.
 */

type Check = (value: unknown) => boolean

const text: Check = (value) => typeof value === 'string'
const number: Check = (value) => typeof value === 'number'
const one =
  (...words: readonly string[]): Check =>
  (value) =>
    words.some((word) => word === value)
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value)
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check)
const mapOf =
  (check: Check): Check =>
  (value) =>
    isMap(value) && Object.values(value).every(check)

export const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An object whose own fields pass their checks. */
function shape(fields: Readonly<Record<string, Check>>): Check {
  const checks = Object.entries(fields)
  return (value) => isMap(value) && checks.every(([name, check]) => check(ownValue(value, name)))
}

const key = shape({ url: text, area: text, project: text })
const worker = shape({ who: text, host: text, pid: number })
const image = shape({
  fields: mapOf(() => true),
  fingerprints: mapOf(text),
  templates: optional(mapOf(text)),
  unkept: optional(mapOf(text)),
})

const head = shape({
  run: text,
  key,
  worker,
  started: number,
  commit: optional(text),
  dirty: optional((value) => value === true),
  plan: text,
  manifests: text,
  texts: optional(text),
  values: optional(mapOf(text)),
  part: optional((value) => value === true),
  purpose: (value) => shape({ is: one('apply') })(value) || shape({ is: one('rollback'), of: text })(value),
  changes: listOf(shape({ address: text, kind: text, action: text })),
  awaited: optional(listOf(shape({ address: text, at: number }))),
})

const added = listOf(shape({ kind: text, id: text }))

const entries: readonly Check[] = [
  shape({
    is: one('settled'),
    address: text,
    outcome: text,
    answered: optional(one('no')),
    id: optional(text),
    error: optional(text),
    before: optional(image),
    after: optional(image),
    managed: optional(listOf(text)),
    takenOver: optional(listOf(text)),
    released: optional(listOf(text)),
    since: optional(text),
    lists: optional(mapOf(() => true)),
    unapplied: optional((value) => value === true),
    added: optional(added),
    labels: optional(mapOf(text)),
    at: number,
  }),
  shape({
    is: one('announced'),
    step: text,
    request: text,
    addresses: listOf(text),
    creates: listOf(text),
    changes: optional(
      shape({
        id: text,
        before: mapOf(() => true),
        after: mapOf(() => true),
        areAll: optional((value) => value === true),
        takenOver: optional(listOf(text)),
        released: optional(listOf(text)),
      }),
    ),
    at: number,
  }),
  shape({ is: one('ended'), outcome: one('done', 'incomplete', 'interrupted'), at: number }),
]

const receipt = shape({
  address: text,
  kind: text,
  id: text,
  image,
  run: text,
  since: optional(text),
  formerId: optional(text),
  origin: one('created', 'adopted'),
  protect: optional((value) => value === true),
  labels: optional(mapOf(text)),
  added: optional(added),
})

const notified = shape({
  webhook: text,
  part: text,
  matter: one('drift', 'failed drift', 'failed apply'),
  digest: text,
  since: number,
  at: number,
})

export const isProjectKey = (value: unknown): value is ProjectKey => key(value)
export const isWorker = (value: unknown): value is Worker => worker(value)
/** The holder of a lock, its time and its run, as written in lock files and in git. */
export const isHeldLock = (value: unknown): boolean =>
  isMap(value) &&
  isWorker(value.heldBy) &&
  typeof value.since === 'number' &&
  (value.run === undefined || typeof value.run === 'string')

/** What a lock says: it is held, or nobody holds it any more. */
export type LockState<Claim> = { readonly state: 'held'; readonly claim: Claim } | { readonly state: 'released' }

export const isLockState = <Claim>(
  value: unknown,
  isClaim: (claim: unknown) => claim is Claim,
): value is LockState<Claim> =>
  isMap(value) && (value.state === 'released' || (value.state === 'held' && isClaim(value.claim)))

export const isRunHead = (value: unknown): value is RunHead => head(value)
export const isEntry = (value: unknown): value is JournalEntry => entries.some((check) => check(value))
export const isNotified = (value: unknown): value is Notified => notified(value)
export const isReceipt = (value: unknown): value is Receipt => receipt(value)

/** The value in one line of a file. Throws a ProblemError that names the line if it has another form. */
export function lineAs<Value>(
  line: string,
  is: (value: unknown) => value is Value,
  { file, number }: { readonly file: string; readonly number: number },
): Value {
  const value = parsed(line)
  if (is(value)) return value
  throw new ProblemError([recordsDamaged(file, number)])
}

/** The number in the name of a file. Throws a ProblemError if no higher number is possible. */
export function countOf(file: string, digits: string, damaged = recordsDamaged(file, 1)): number {
  const number = Number(digits)
  if (number < Number.MAX_SAFE_INTEGER) return number
  throw new ProblemError([damaged])
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
