import { evaluateOne, holdsIn, type PolicyFinding, type ReadyPolicy } from './evaluate.js'
import type { PolicyTest, Rule } from './policy.js'
import { madeUpObject } from './subjects.js'

/** The findings of a policy for made-up changes, and what its test expects. */
export interface TestResult {
  readonly test: PolicyTest
  readonly found: PolicyTest['expect']
  readonly findings: readonly PolicyFinding[]
  /** Whether the policy matches any of the changes. */
  readonly isEvaluated: boolean
}

/** The results of the tests of one policy. */
export interface PolicyTestResults {
  readonly policy: ReadyPolicy
  readonly tests: readonly TestResult[]
  /** Rules that no test violates: the tests do not show that they work. */
  readonly untested: readonly Rule[]
}

/** Waivers have no effect: tests are about the rules. */
export function runTests(policy: ReadyPolicy, nowMs: number): PolicyTestResults {
  const tests = policy.tests.map((test) => testResult(policy, test, nowMs))
  const broken = new Set(
    tests.flatMap(({ findings }) => findings.filter(({ outcome }) => outcome === 'violated').map(({ rule }) => rule)),
  )
  return { policy, tests, untested: policy.rules.filter((rule) => !broken.has(rule)) }
}

function testResult(policy: ReadyPolicy, test: PolicyTest, nowMs: number): TestResult {
  const [listed] = policy.match.environments.filter(({ name }) => !name.startsWith('!'))
  const environment = test.environment ?? listed?.name
  const moment = { environments: environment === undefined ? [] : [environment], nowMs }
  const made = test.changes.map((change) => madeUpObject(change, test.range))
  const objects = {
    changed: made.filter(({ action }) => action !== 'unchanged'),
    unchanged: made.filter(({ action }) => action === 'unchanged'),
    count: made.filter(({ action }) => action === 'unchanged').length,
  }
  const isHere = environment === undefined || holdsIn(policy, [environment])
  const { findings, evaluated } = isHere ? evaluateOne(policy, objects, moment) : notEvaluated
  const own = findings.filter(({ rule }) => rule.of === test.of)
  return { test, findings: own, isEvaluated: isHere && (test.of === 'plan' || evaluated > 0), found: worstOf(own) }
}

/** The result for a policy that does not apply in the environment (A343). */
const notEvaluated = { findings: [], evaluated: 0 } as const

function worstOf(findings: readonly PolicyFinding[]): PolicyTest['expect'] {
  if (findings.length === 0) return 'pass'
  return findings.some(({ level }) => level === 'error') ? 'error' : 'warning'
}
