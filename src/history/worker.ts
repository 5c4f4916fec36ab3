import { execFileSync } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'
import { join } from 'node:path'
import { pid } from 'node:process'
import { folderForGit } from '../files/repository.js'
import type { Ports } from '../ports/ports.js'
import type { Worker } from '../stores/record.js'

/** Who runs the program: the user of a CI job, or of the machine. */
export function workerOf({ env }: Pick<Ports, 'env'>): Worker {
  const user = env.GATEWRIGHT_WHO || env.GITHUB_ACTOR || env.GITLAB_USER_LOGIN || env.BUILD_USER || userName()
  return { who: `${user}@${hostname()}`, host: hostname(), pid }
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    // The user number of a container may have no name.
    return 'somebody'
  }
}

/** The commit of a folder, and whether files that were read there differ from it. */
interface Committed {
  readonly commit: string
  /** A file that git tracks differs from the commit, or one of the files that were read is not in it. */
  readonly isDirty: boolean
}

/**
 * undefined outside of a git repository; git is not started then, because a process takes time. `read`: the files that were read,
 * as absolute paths.
 */
export function committedAt(folder: string, read: readonly string[]): Committed | undefined {
  try {
    const cwd = folderForGit(folder)
    if (cwd === undefined) return undefined
    const [top = '', commit = ''] = git(cwd, 'rev-parse', '--show-toplevel', 'HEAD').trim().split('\n')
    const changed = git(
      cwd,
      'status',
      '--porcelain',
      '-z',
      '--no-renames',
      '--untracked-files=all',
      '--ignored=matching',
    )
    const entries = changed.split('\0').filter(Boolean)
    // Untracked or ignored: files, and folders that are ignored as a whole.
    const others = entries.flatMap((each) => (/^(?:\?\?|!!) /.test(each) ? [join(top, each.slice(3))] : []))
    const files = new Set(others)
    const folders = others.filter((path) => path.endsWith('/'))
    const isOther = (path: string) => files.has(path) || folders.some((each) => path.startsWith(each))
    const isDirty = entries.length > others.length || read.some((path) => isOther(realpathSync(path)))
    return { commit, isDirty }
  } catch {
    return undefined
  }
}

const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync('git', ['--no-optional-locks', ...args], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 1 << 28,
  })
