import type { ChangeError, ChangeResult } from '../applier/run.js'
import type { JsonObject } from '../json/json.js'
import { outerPaths } from '../json/pointer.js'
import type { Change } from '../planner/plan.js'
import type { Problem } from '../problems/problem.js'
import { type Diagnostic, diagnosticOf } from './diagnostics.js'
import type { TargetDocument } from './target.js'

/** The result of an apply or a rollback: `gatewright.run/1`. */
export interface RunDocument {
  readonly format: 'gatewright.run/1'
  readonly target: TargetDocument
  readonly purpose: 'apply' | 'rollback'
  /** The run that a rollback undoes. */
  readonly of: string | null
  /** The name of the run in the records; null without records. */
  readonly run: string | null
  readonly summary: RunSummary
  readonly changes: readonly RunChange[]
  /** The number of requests of the run, without those for tokens. */
  readonly requests: number
  /** If nothing had to be changed: the number of objects that no run knew, and that are now recorded as they are. */
  readonly recorded?: number
  /** The remarks of the plan, and the reasons for changes that were not done. */
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
  /** For a change that was not done: the fields that it has changed nevertheless, with their present values. */
  readonly left?: JsonObject
}

interface FinishedRun extends Pick<RunDocument, 'target' | 'purpose' | 'of' | 'run' | 'requests'> {
  readonly results: readonly { readonly change: Change; readonly result: ChangeResult }[]
  readonly problems: readonly Problem[]
  /** The number of accepted differences that were kept. */
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

/** One change and its outcome as a document. */
export function runChange({ change, result }: FinishedRun['results'][number]): RunChange {
  const { address, kind, action } = change
  const id = result.id === undefined || result.id === '' ? null : result.id
  const error = result.outcome === 'applied' ? null : changeErrorText(result.error)
  const left = result.outcome === 'applied' ? {} : (result.left ?? {})
  const isLeft = Object.keys(left).length > 0
  return { address, kind, action, id, outcome: result.outcome, error, ...(isLeft && { left }) }
}

/**
 * The changes that an object above reports with the same text, by the address of the topmost such object: one request was to make
 * them all.
 */
export function reportedAbove(changes: readonly RunChange[]): ReadonlyMap<string, string> {
  const words = new Map(
    changes.flatMap((each) => (isReportedOnce(each) ? [[each.address, outcomeKey(each)] as const] : [])),
  )
  return new Map(
    changes.flatMap((each): [string, string][] => {
      const above = outerPaths(each.address).find((address) => words.get(address) === outcomeKey(each))
      return above !== undefined && words.has(each.address) ? [[each.address, above]] : []
    }),
  )
}

/** A change that was never tried has its cause elsewhere, so it is reported by itself. */
const isReportedOnce = ({ outcome }: RunChange): boolean =>
  outcome === 'failed' || outcome === 'waiting' || outcome === 'notKept'

const outcomeKey = ({ action, outcome, error }: RunChange): string => `${action} ${outcome} ${error}`

/** The refusal of a platform on one line: status, message, and the properties in its complaints. */
export function changeErrorText({ message, status, complaints }: ChangeError): string {
  const blamed = complaints.map(({ property, message: words }) =>
    property === undefined ? words : `${property}: ${words}`,
  )
  const extra = blamed.filter((words) => !message.includes(words))
  return `${status === undefined ? '' : `${status} `}${[message, ...extra].join('; ')}`
}
