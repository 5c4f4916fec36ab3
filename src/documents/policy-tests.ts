import { placeOf } from '../manifest/source.js'
import type { PolicyTestResults, TestResult } from '../policy/run-tests.js'
import type { Problem } from '../problems/problem.js'
import { type Diagnostic, diagnosticOf } from './diagnostics.js'
import { type PlaceDocument, placeDocument } from './place.js'

/** The results of the tests of a project's policies: `gatewright.policy-tests/1`. */
export interface PolicyTestsDocument {
  readonly format: 'gatewright.policy-tests/1'
  readonly summary: {
    readonly policies: number
    readonly rules: number
    /** The number of rules that no test violates. */
    readonly untested: number
    readonly tests: number
    readonly failed: number
  }
  readonly tests: readonly PolicyTestDocument[]
  readonly diagnostics: readonly Diagnostic[]
}

interface PolicyTestDocument {
  readonly policy: string
  readonly name: string
  readonly expect: 'pass' | 'warning' | 'error'
  readonly found: 'pass' | 'warning' | 'error'
  readonly holds: boolean
  /** The messages of its rules. */
  readonly messages: readonly string[]
  readonly source: PlaceDocument
}

/** Whether the result of a test is the expected one. */
export const holds = ({ test, found, isEvaluated }: TestResult): boolean =>
  test.expect === found && (isEvaluated || test.expect === 'pass')

export function policyTestsDocument(
  results: readonly PolicyTestResults[],
  problems: readonly Problem[],
): PolicyTestsDocument {
  const sum = (count: (each: PolicyTestResults) => number) => results.reduce((total, each) => total + count(each), 0)
  return {
    format: 'gatewright.policy-tests/1',
    summary: {
      policies: results.length,
      rules: sum(({ policy }) => policy.rules.length),
      untested: sum(({ untested }) => untested.length),
      tests: sum(({ tests }) => tests.length),
      failed: sum(({ tests }) => tests.filter((each) => !holds(each)).length),
    },
    tests: results.flatMap(({ policy, tests }) => tests.map((each) => testDocument(policy.name, each))),
    diagnostics: problems.map(diagnosticOf),
  }
}

function testDocument(policy: string, result: TestResult): PolicyTestDocument {
  const { test, found, findings } = result
  return {
    ...{ policy, name: test.name, expect: test.expect, found, holds: holds(result) },
    messages: findings.map(({ words }) => words),
    source: placeDocument(placeOf(test.range)),
  }
}
