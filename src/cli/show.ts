import type { Problem } from '../problems/problem.js'
import { problemsJson, problemsText } from '../report/problems.js'
import { coloursFor } from './colour.js'
import type { World } from './io.js'
import type { GlobalOptions } from './options.js'

/** Shows problems that end a command: as text on stderr, or as the command's JSON answer on stdout. */
export function showProblems(
  problems: readonly Problem[],
  options: Pick<GlobalOptions, 'output' | 'color'>,
  io: World,
): void {
  if (options.output === 'json') io.stdout.write(problemsJson(problems).output)
  else io.stderr.write(problemsText(problems, { colours: coloursFor(io.stderr, options, io) }).output)
}
