import { testPolicies } from '../../engine/policy-tests.js'
import { jsonText } from '../../json/json.js'
import { hasErrors } from '../../problems/problem.js'
import { policyTestsMarkdown, policyTestsText } from '../../report/policy-tests.js'
import { coloursFor } from '../colour.js'
import type { CommandEnd } from '../command-end.js'
import { exit } from '../exit.js'
import type { Io } from '../io.js'
import type { GlobalOptions } from '../options.js'

/** `policy test`: runs the tests that stand beside the rules, offline. */
export async function policyTestCommand(options: GlobalOptions, io: Io): Promise<CommandEnd> {
  const { document, problems } = await testPolicies(options, io)
  switch (options.output) {
    case 'json':
      io.stdout.write(jsonText(document))
      break
    case 'markdown':
      io.stdout.write(policyTestsMarkdown(document).output)
      break
    case 'text':
      io.stdout.write(policyTestsText(document, problems, { colours: coloursFor(io.stdout, options, io) }).output)
  }
  return { exitCode: hasErrors(problems) ? exit.failed : exit.done, told: { is: 'policies', document } }
}
