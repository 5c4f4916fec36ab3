import { execFileSync } from 'node:child_process'
import { join, relative, resolve } from 'node:path'
import { ProblemError } from '../problems/problem.js'
import { gitReferenceUnknown } from '../problems/refusals.js'
import { type Files, isLeftOut } from './files.js'

/**
 * The files as they are at a git reference of the repository that `folder` is in; paths start from `cwd`. Throws a
 * ProblemError if there is no such reference.
 */
export function gitFiles(reference: string, folder: string, cwd: string): Files {
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 30 })
  const commit = asked(reference, () => git('rev-parse', '--verify', '--quiet', `${reference}^{commit}`).trim())
  // From git itself: the folder may be reached through a link.
  const above = git('rev-parse', '--show-prefix').trim()
  const inTree = (path: string): string => {
    const found = join(above, relative(folder, resolve(cwd, path))).replaceAll('\\', '/')
    return found === '.' ? '' : found.replace(/\/$/, '')
  }
  const names = git('ls-tree', '-r', '-z', '--full-tree', '--name-only', commit).split('\0').filter(Boolean)
  const files = new Set(names)
  const below = (path: string): readonly string[] => {
    const prefix = inTree(path) === '' ? '' : `${inTree(path)}/`
    return names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length))
  }
  return {
    cwd,
    readText: (path) => {
      if (!files.has(inTree(path))) return { failure: `it is not in ${reference}` }
      return { text: git('cat-file', 'blob', `${commit}:${inTree(path)}`) }
    },
    list: (folder) => below(folder).filter((name) => !name.split('/').some(isLeftOut)),
    exists: (path) => {
      if (files.has(inTree(path))) return 'file'
      return below(path).length > 0 ? 'folder' : 'no'
    },
  }
}

function asked(reference: string, ask: () => string): string {
  try {
    return ask()
  } catch (cause) {
    throw new ProblemError([gitReferenceUnknown(reference)], { cause })
  }
}
