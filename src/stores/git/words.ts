import { gitFailed, gitRefused } from '../../problems/git-records.js'
import { ProblemError } from '../../problems/problem.js'
import { type GitResult, withoutLogins } from './program.js'

/**
 * Whether the remote has refused the request: another try changes nothing. Names and addresses are ignored, because they may
 * contain any words.
 */
export function isGitRefusal(result: GitResult): boolean {
  const text = linesOf(result)
    .join('\n')
    .replaceAll(/'[^']*'|\S+:\/\/\S+/g, '')
  return refusals.some((words) => words.test(text))
}

/** The words of git and of its hosts. */
const refusals: readonly RegExp[] = [
  /declined|denied|\bdeny|forbidden|\b40[13]\b|not allowed|not permitted|not authorized to write|prohibited|protected/i,
  /authentication failed|could not read (username|password)|hidden ref/i,
  /read[- ]only(?! file system)|write access|you need the git +permission/i,
  /(^|\n)unauthorized(\n|$)/i,
]

export function gitFailure(where: string, result: GitResult, doing: 'fetch' | 'push'): ProblemError {
  const words = gitWords(result)
  return new ProblemError([isGitRefusal(result) ? gitRefused(where, words, doing) : gitFailed(where, words)])
}

/** The message of git, or of the host, in one line. */
export function gitWords(result: GitResult): string {
  if (result.endedBy)
    return result.endedBy === 'late' ? 'git did not answer in time' : `git was ended by ${result.endedBy}`
  const words = linesOf(result).join('; ')
  return words === '' ? `git ended with exit code ${result.code}` : words.slice(0, 400)
}

/** The lines with a message: what git reported, and why a ref was rejected (the third column of a push's answer). */
function linesOf({ err, out }: GitResult): readonly string[] {
  const rejected = out
    .toString('utf8')
    .split('\n')
    .flatMap((line) => (line.startsWith('!') ? (line.split('\t')[2] ?? []) : []))
  const lines = err.split('\n').map((line) => line.replace(/^((fatal|error|remote): +)+/, '').trim())
  const informative = lines.filter((line) => !/^(hint:.*|To .*|Done|failed to push some refs .*|)$/.test(line))
  return [...new Set([...informative, ...rejected].map(withoutLogins))]
}
