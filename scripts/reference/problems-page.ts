import { type ProblemCode, problemCodes, severitiesOf } from '../../src/problems/codes.js'
import { code, page, table } from './page.js'

/** docs/reference/problems.md: all problem codes, from the rows of src/problems/codes.ts. */
export function problemsPage(): string {
  const names = (Object.keys(problemCodes) as ProblemCode[]).sort()
  const rows = names.map((name) => {
    const { means, remedy } = problemCodes[name]
    return [code(name), severitiesOf(name).join(', '), means, remedy]
  })
  return page(
    'Problems',
    'src/problems/codes.ts',
    head,
    table(['code', 'severity', 'what it means', 'what to do'], rows),
  )
}

const head = `Look up a message by its code: \`gatewright explain CODE\`, or the table below. The code is in square brackets after the message, and
in JSON in \`code\`. It stays the same, while the text of the message may change. An *error* ends the command, a *warning* may need
action, a *note* is for information.`
