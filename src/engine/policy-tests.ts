import { holds, type PolicyTestsDocument, policyTestsDocument } from '../documents/policy-tests.js'
import { nodeFiles } from '../files/files.js'
import { placeOf } from '../manifest/source.js'
import { type PolicyTestResults, runTests, type TestResult } from '../policy/run-tests.js'
import type { Ports } from '../ports/ports.js'
import { policyTestFailed, ruleUntested } from '../problems/policies.js'
import { hasErrors, type Problem, ProblemError } from '../problems/problem.js'
import { unlessInterrupted } from './interrupted.js'
import { projectPolicies } from './policies.js'
import { readProjectOf } from './project.js'
import type { ProjectRequest } from './requests.js'

interface PolicyTests {
  readonly document: PolicyTestsDocument
  readonly problems: readonly Problem[]
}

/** Runs the tests of a project's policies, offline. Throws a ProblemError if a policy is broken. */
export async function testPolicies(request: ProjectRequest, ports: Ports): Promise<PolicyTests> {
  const { project } = readProjectOf(request, ports)
  const { policies, problems: found } = await projectPolicies(project, nodeFiles(ports.cwd))
  if (hasErrors(found)) throw new ProblemError(found)
  const results = policies.map((policy) => runTests(policy, ports.now()))
  await unlessInterrupted(ports)
  const problems = [...found, ...results.flatMap(testProblems)]
  return { document: policyTestsDocument(results, problems), problems }
}

const testProblems = ({ policy, tests, untested }: PolicyTestResults): readonly Problem[] => [
  ...tests
    .filter((each) => !holds(each))
    .map((each) => policyTestFailed(placeOf(each.test.range), each.test.name, policy.name, whyNot(each))),
  ...untested.map(({ range, number }) => ruleUntested(placeOf(range), policy.name, number)),
]

function whyNot({ test, found, findings, isEvaluated }: TestResult): string {
  if (!isEvaluated) return 'its match does not fit the change'
  const messages = findings.map(({ words }) => words).join('; ')
  return `it expects ${test.expect}, and the rules say ${found}${messages === '' ? '' : `: ${messages}`}`
}
