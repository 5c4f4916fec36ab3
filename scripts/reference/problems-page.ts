import { type ProblemCode, problemCodes, severitiesOf } from '../../src/problems/codes.js'
import { code, page, table } from './page.js'

/** docs/reference/problems.md: every code of a problem, from the rows of src/problems/codes.ts. */
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

const head = `Every message has a code, which stays the same while its words may get better. It stands in square brackets behind the message,
and in JSON as \`code\`. An *error* ends the command, a *warning* tells of a doubt, a *note* of something that is as it should be.
\`gatewright explain CODE\` prints the row of one code.`
