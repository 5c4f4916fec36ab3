import type { KindName } from '../catalog/types.js'
import type { ReportProblem } from '../problems/problem.js'
import type { Expression, Rule } from './policy.js'

/** What policies need of the language of their expressions. The code of the language is loaded only if there are policies. */
export interface Language {
  /** Compiles an expression; undefined if it is wrong for every object, which is reported. */
  compile(expression: Expression, use: ExpressionUse, report: ReportProblem): Question | undefined
}

/** Where an expression is used. */
export interface ExpressionUse {
  /** Its name in messages: `assert of rule 1 of policy partner limits`. */
  readonly what: string
  readonly of: Rule['of']
  /** The kinds that it may be evaluated for; empty: all. */
  readonly kinds: readonly KindName[]
  readonly gives: 'bool' | 'string'
}

/** An expression that can be evaluated. */
export type Question = (variables: PolicyVariables) => RuleAnswer

/** Values by name, in the form of the language. */
export type PolicyVariables = Readonly<Record<string, unknown>>

/** `start` and `end`: the range of the part that failed. */
export type RuleAnswer =
  | { readonly is: 'value'; readonly value: boolean | string }
  | { readonly is: 'failed'; readonly why: string; readonly start: number; readonly end: number }
