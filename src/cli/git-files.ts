import { execFileSync } from 'node:child_process'
import { relative, resolve } from 'node:path'
import type { Files } from '../manifest/files.js'
import { gitReferenceUnknown, ProblemError } from '../problem.js'

/** The files of the work tree as they are at a git reference. Throws a ProblemError if there is no such reference. */
export function gitFiles(reference: string, cwd: string): Files {
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 30 })
  const top = asked(reference, () => git('rev-parse', '--show-toplevel').trim())
  const commit = asked(reference, () => git('rev-parse', '--verify', '--quiet', `${reference}^{commit}`).trim())
  const inTree = (path: string): string => relative(top, resolve(cwd, path)).replaceAll('\\', '/')
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

const isLeftOut = (name: string): boolean => name.startsWith('.') || name === 'node_modules'

function asked(reference: string, ask: () => string): string {
  try {
    return ask()
  } catch (cause) {
    throw new ProblemError([gitReferenceUnknown(reference)], { cause })
  }
}
