import type { ChangeError, ChangeResult } from '../applier/run.js'
import type { JsonObject } from '../json/json.js'
import { outerPaths } from '../json/pointer.js'
import type { Change } from '../planner/plan.js'
import type { Problem } from '../problems/problem.js'
import { type Diagnostic, diagnosticOf } from './diagnostics.js'
import type { TargetDocument } from './target.js'

/** What became of an apply, as it is written down: `gatewright.run/1`. */
export interface RunDocument {
  readonly format: 'gatewright.run/1'
  readonly target: TargetDocument
  readonly purpose: 'apply' | 'rollback'
  /** The run that a rollback undoes. */
  readonly of: string | null
  /** The run's name in the records; null where none are kept. */
  readonly run: string | null
  readonly summary: RunSummary
  readonly changes: readonly RunChange[]
  /** Every request of the run but those of the token. */
  readonly requests: number
  /** What the plan remarked, and why what is not done is not. */
  readonly diagnostics: readonly Diagnostic[]
}

export type RunSummary = Readonly<
  Record<'applied' | 'failed' | 'blocked' | 'notStarted' | 'waiting' | 'notKept' | 'accepted', number>
>

export interface RunChange {
  readonly address: string
  readonly kind: string
  readonly action: string
  readonly id: string | null
  readonly outcome: ChangeResult['outcome']
  readonly error: string | null
  /** Of a change that is not done: fields that it has changed all the same, with the values that they have now. */
  readonly left?: JsonObject
}

export interface FinishedRun extends Pick<RunDocument, 'target' | 'purpose' | 'of' | 'run' | 'requests'> {
  readonly results: readonly { readonly change: Change; readonly result: ChangeResult }[]
  readonly problems: readonly Problem[]
  /** How much drift was left alone because somebody accepted it. */
  readonly accepted: number
}

export function runDocument(finished: FinishedRun): RunDocument {
  const { target, purpose, of, run, results, requests, problems, accepted } = finished
  const count = (outcome: ChangeResult['outcome']) => results.filter(({ result }) => result.outcome === outcome).length
  return {
    format: 'gatewright.run/1',
    target,
    purpose,
    of,
    run,
    summary: {
      applied: count('applied'),
      failed: count('failed'),
      blocked: count('blocked'),
      notStarted: count('notStarted'),
      waiting: count('waiting'),
      notKept: count('notKept'),
      accepted,
    },
    changes: results.map(runChange),
    requests,
    diagnostics: problems.map(diagnosticOf),
  }
}

/** What became of one change, as it is written down. */
export function runChange({ change, result }: FinishedRun['results'][number]): RunChange {
  const { address, kind, action } = change
  const id = result.id === undefined || result.id === '' ? null : result.id
  const error = result.outcome === 'applied' ? null : errorText(result.error)
  const left = result.outcome === 'applied' ? {} : (result.left ?? {})
  const isLeft = Object.keys(left).length > 0
  return { address, kind, action, id, outcome: result.outcome, error, ...(isLeft && { left }) }
}

/**
 * The changes of which an object that they lie in tells the same, by the address of the topmost such object: one request was
 * to make them all.
 */
export function toldAbove(changes: readonly RunChange[]): ReadonlyMap<string, string> {
  const words = new Map(changes.flatMap((each) => (isToldOnce(each) ? [[each.address, wordsOf(each)] as const] : [])))
  return new Map(
    changes.flatMap((each): [string, string][] => {
      const above = outerPaths(each.address).find((address) => words.get(address) === wordsOf(each))
      return above !== undefined && words.has(each.address) ? [[each.address, above]] : []
    }),
  )
}

/** What was never tried has its reason in something else. */
const isToldOnce = ({ outcome }: RunChange): boolean =>
  outcome === 'failed' || outcome === 'waiting' || outcome === 'notKept'

const wordsOf = ({ action, outcome, error }: RunChange): string => `${action} ${outcome} ${error}`

/** A platform's refusal on one line: status, message, and what it blames. */
export function errorText({ message, status, complaints }: ChangeError): string {
  const blamed = complaints.map(({ property, message: words }) =>
    property === undefined ? words : `${property}: ${words}`,
  )
  const extra = blamed.filter((words) => !message.includes(words))
  return `${status === undefined ? '' : `${status} `}${[message, ...extra].join('; ')}`
}
