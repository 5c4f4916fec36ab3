import { execFileSync } from 'node:child_process'
import { hostname, userInfo } from 'node:os'
import { pid } from 'node:process'
import { isInRepository } from '../files/repository.js'
import type { Ports } from '../ports/ports.js'
import type { Worker } from '../stores/record.js'

/** Who works here: the user of a CI job, or of the machine. */
export function workerOf({ env }: Pick<Ports, 'env'>): Worker {
  const user = env.GATEWRIGHT_WHO || env.GITHUB_ACTOR || env.GITLAB_USER_LOGIN || env.BUILD_USER || userName()
  return { who: `${user}@${hostname()}`, host: hostname(), pid }
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    // A container may run under a number that has no name.
    return 'somebody'
  }
}

/** The commit that a folder is at, or undefined outside of git, which is not started there: a process takes its time. */
export function commitOf(folder: string, env: Ports['env']): string | undefined {
  try {
    if (env.GIT_DIR === undefined && !isInRepository(folder)) return undefined
    return execFileSync('git', ['rev-parse', 'HEAD'], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return undefined
  }
}
