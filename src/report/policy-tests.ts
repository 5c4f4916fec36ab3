import type { PolicyTestsDocument } from '../documents/policy-tests.js'
import { printable } from '../json/printable.js'
import type { Problem } from '../problems/problem.js'
import { counted } from '../problems/suggest.js'
import { commentBudget, type MarkdownLimit } from './budget.js'
import type { Colours } from './colours.js'
import { problemsMarkdown, problemsText, type Report } from './problems.js'

/** The policy tests as terminal text: the result of each test, the problems, and the counts at the end. */
export function policyTestsText(
  { tests, summary }: PolicyTestsDocument,
  problems: readonly Problem[],
  { colours }: { readonly colours: Colours },
): Report {
  const lines = tests.map(({ policy, name, holds }) => {
    const mark = holds ? colours.green('ok') : colours.red('not ok')
    return `${mark}  ${printable(`${policy}: ${name}`)}`
  })
  const blocks = [
    ...(lines.length === 0 ? [] : [lines.join('\n')]),
    ...(problems.length === 0 ? [] : [problemsText(problems, { colours }).output.trimEnd()]),
    testsSummary(summary),
  ]
  return { output: `${blocks.join('\n\n')}\n` }
}

/** The policy tests for a comment. */
export function policyTestsMarkdown(
  document: PolicyTestsDocument,
  { budget = commentBudget }: MarkdownLimit = {},
): Report {
  const head = `**${testsSummary(document.summary)}**`
  if (document.diagnostics.length === 0) return { output: `${head}\n` }
  const { output } = problemsMarkdown(document, { budget: budget - head.length - 2 })
  return { output: `${head}\n\n${output}` }
}

/** Such as `3 policies with 5 rules: 7 tests, 1 failed; no test breaks 2 rules.` */
function testsSummary({ policies, rules, tests, failed, untested }: PolicyTestsDocument['summary']): string {
  const ended = tests === 0 ? '' : `, ${failed === 0 ? 'all hold' : `${failed} failed`}`
  const lacking = untested === 0 ? '' : `; no test breaks ${counted(untested, 'rule')}`
  const of = `${counted(policies, 'policy', 'policies')} with ${counted(rules, 'rule')}`
  return `${of}: ${counted(tests, 'test')}${ended}${lacking}.`
}
