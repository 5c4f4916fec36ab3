import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { env } from 'node:process'

/** Whether an existing folder is in a git repository. git is not started for this, because a process takes time. */
export const isInRepository = (folder: string): boolean => repositoryRoot(folder) !== undefined

/** The real path of the root of the repository that contains a folder, or undefined. */
export function repositoryRoot(folder: string): string | undefined {
  const above = (real: string): string | undefined => {
    if (existsSync(join(real, '.git'))) return real
    return dirname(real) === real ? undefined : above(dirname(real))
  }
  return above(realpathSync(folder))
}

/**
 * The folder in which git is started for the repository that contains `folder`: its root. In a folder with HEAD, config, objects
 * and refs, which anyone can add to a repository as ordinary files, git would take that folder for the repository, and execute
 * the programs that its config names. Without .git around it, only GIT_DIR can name a repository; otherwise undefined.
 */
export const folderForGit = (folder: string): string | undefined =>
  repositoryRoot(folder) ?? (env.GIT_DIR === undefined ? undefined : realpathSync(folder))

/**
 * Whether git has refused a repository because its folder belongs to another user, as checkouts in containers often do. The rest
 * of the message is translated.
 */
export const isOwnerRefused = (error: unknown): boolean =>
  error instanceof Error && 'stderr' in error && String(error.stderr).includes('safe.directory')

/** The branch that others are merged into: the remote's, otherwise `master` if it is checked out, otherwise `main`. */
export function mainBranch(root: string): string {
  const reference = (file: string): string | undefined => {
    const path = join(root, '.git', file)
    const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
    return /^ref: refs\/(?:remotes\/origin|heads)\/([\w./-]+)$/m.exec(text)?.[1]
  }
  return reference('refs/remotes/origin/HEAD') ?? (reference('HEAD') === 'master' ? 'master' : 'main')
}
