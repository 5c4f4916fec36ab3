import type { KindName } from '../catalog/types.js'
import type { ReportProblem } from '../problems/problem.js'
import type { Expression, Rule } from './policy.js'

/**
 * What policies need of the language that their expressions are written in: its code is loaded only where there are policies.
 */
export interface Language {
  /** Says what is wrong with an expression, whatever the object; undefined if something is. */
  compile(expression: Expression, use: ExpressionUse, report: ReportProblem): Question | undefined
}

/** What an expression is for. */
export interface ExpressionUse {
  /** In messages: `assert of rule 1 of policy partner limits`. */
  readonly what: string
  readonly of: Rule['of']
  /** Those that it may be asked of; empty: all. */
  readonly kinds: readonly KindName[]
  readonly gives: 'bool' | 'string'
}

/** An expression that can be asked. */
export type Question = (variables: PolicyVariables) => RuleAnswer

/** By name, as the language takes them. */
export type PolicyVariables = Readonly<Record<string, unknown>>

/** `start` and `end` are those of the part that failed. */
export type RuleAnswer =
  | { readonly is: 'value'; readonly value: boolean | string }
  | { readonly is: 'failed'; readonly why: string; readonly start: number; readonly end: number }
