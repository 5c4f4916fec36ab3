import type { PolicyTestsDocument } from '../../documents/policy-tests.js'
import { testPolicies } from '../../engine/policy-tests.js'
import { hasErrors } from '../../problems/problem.js'
import { policyTestsMarkdown, policyTestsText } from '../../report/policy-tests.js'
import type { CommandEnd } from '../command-end.js'
import { exit } from '../exit.js'
import type { Io } from '../io.js'
import type { GlobalOptions } from '../options.js'
import { type Shapes, showIn } from '../show-in.js'

/** `policy test`: runs the tests in the policy files, offline. */
export async function policyTestCommand(options: GlobalOptions, io: Io): Promise<CommandEnd> {
  const { document, problems } = await testPolicies(options, io)
  const shapes: Shapes<PolicyTestsDocument> = {
    text: (tests, form) => policyTestsText(tests, problems, form),
    markdown: policyTestsMarkdown,
  }
  showIn(shapes, document, options, io)
  return { exitCode: hasErrors(problems) ? exit.failed : exit.done, reported: { is: 'policies', document } }
}
