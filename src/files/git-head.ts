import { execFileSync } from 'node:child_process'
import { folderForGit, isInRepository, isOwnerRefused } from './repository.js'

/** What is checked out in the repository that contains a folder. */
type Head =
  | { readonly is: 'branch'; readonly name: string }
  | { readonly is: 'detached'; readonly commit: string }
  /** There is no repository, no commit, or no git. */
  | { readonly is: 'nothing' }
  /** git does not read the repository, because its folder belongs to another user. */
  | { readonly is: 'refused'; readonly folder: string }

/** `folder` is an absolute path. */
export function headOf(folder: string): Head {
  if (!isInRepository(folder)) return { is: 'nothing' }
  const commit = outputOf(folder, 'rev-parse', '--verify', '--quiet', 'HEAD^{commit}')
  if (commit === undefined) return withoutCommit(folder)
  const name = outputOf(folder, 'symbolic-ref', '--short', '--quiet', 'HEAD')
  return name === undefined ? { is: 'detached', commit } : { is: 'branch', name }
}

function withoutCommit(folder: string): Head {
  const root = folderForGit(folder)
  if (root === undefined) return { is: 'nothing' }
  try {
    execFileSync('git', ['rev-parse', '--git-dir'], { cwd: root, stdio: ['ignore', 'ignore', 'pipe'] })
    return { is: 'nothing' }
  } catch (error) {
    return isOwnerRefused(error) ? { is: 'refused', folder: root } : { is: 'nothing' }
  }
}

/** Whether a branch contains a commit: the local one, or the one that was last fetched from origin. */
export const isInBranch = (folder: string, commit: string, branch: string): boolean =>
  [`refs/remotes/origin/${branch}`, `refs/heads/${branch}`].some(
    (ref) => outputOf(folder, 'merge-base', '--is-ancestor', commit, ref) !== undefined,
  )

/** The whole names of all refs that a short name may mean. */
export function refsNamed(folder: string, name: string): readonly string[] {
  const whole = ['refs', 'refs/tags', 'refs/heads', 'refs/remotes'].map((start) => `${start}/${name}`)
  const found = outputOf(folder, 'for-each-ref', '--format=%(refname)', ...whole)?.split('\n') ?? []
  return found.filter((each) => whole.includes(each))
}

/** Whether a folder is in a submodule of another repository. */
export const isInSubmodule = (folder: string): boolean =>
  (outputOf(folder, 'rev-parse', '--show-superproject-working-tree') ?? '') !== ''

/** Whether the repository that contains a folder has the remote `origin`. */
export const hasOrigin = (folder: string): boolean => outputOf(folder, 'remote', 'get-url', 'origin') !== undefined

/** The output of git; undefined if it fails, or if there is no repository. */
function outputOf(folder: string, ...args: readonly string[]): string | undefined {
  try {
    const cwd = folderForGit(folder)
    if (cwd === undefined) return undefined
    return execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return undefined
  }
}
