import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { once } from '../json/once.js'
import { gitMissingForFiles, gitOwnerRefused } from '../problems/git-records.js'
import { type Problem, ProblemError } from '../problems/problem.js'
import { gitReferenceUnknown } from '../problems/refusals.js'
import { type Files, isLeftOut, manifestLimits, readBytes } from './files.js'
import { isManifestName } from './find-manifests.js'
import { type Limits, readOrdinaryFile, tooLarge } from './ordinary-file.js'
import { folderForGit, isOwnerRefused, repositoryRoot } from './repository.js'
import { codeOf } from './system-error.js'

/**
 * The files at a git reference of the repository that contains `folder`; paths are relative to `cwd`. `known`: today's texts of
 * files, by their paths; unchanged files are not requested from git. Throws a ProblemError if there is no such reference.
 */
export function gitFiles(
  reference: string,
  folder: string,
  cwd: string,
  known: ReadonlyMap<string, string> = new Map(),
): Files {
  // The folder may be reached through a link. Without .git around it, GIT_DIR names the repository, and possibly GIT_WORK_TREE.
  const real = requested(reference, folder, () => realpathSync(folder))
  const root = repositoryRoot(real) ?? requested(reference, real, () => topLevel(real))
  const above = relative(root, real)
  const run = (args: readonly string[], input = ''): Buffer =>
    execFileSync('git', args, { cwd: root, input, stdio: ['pipe', 'pipe', 'pipe'], maxBuffer: 2 ** 30 })
  const inTree = (path: string): string => {
    const found = join(above, relative(folder, resolve(cwd, path))).replaceAll('\\', '/')
    return found === '.' ? '' : found.replace(/\/$/, '')
  }
  // Sizes are left out: for them git would open each file of the commit.
  const listing = requested(reference, root, () => run(['ls-tree', '-r', '-z', '--full-tree', `${reference}^{commit}`]))
  const ids = idsIn(listing.toString('utf8'))
  const same = new Map(
    [...known].flatMap(([path, text]): [string, string][] => {
      const id = ids.get(inTree(path))
      return id !== undefined && isIn(id, Buffer.from(text)) ? [[path, id]] : []
    }),
  )
  const below = (path: string): readonly string[] => {
    const prefix = inTree(path) === '' ? '' : `${inTree(path)}/`
    return [...ids.keys()].filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length))
  }
  const list = (path: string) => below(path).filter((name) => !name.split('/').some(isLeftOut))
  const catFile = (format: string, of: readonly string[]): Buffer =>
    run(['cat-file', format], of.map((id) => `${id}\n`).join(''))
  const sizes = (of: readonly string[]) => sizesIn(catFile('--batch-check', of))
  const contents = (of: readonly string[]) => contentsIn(catFile('--batch', of), of)
  // Two processes read thousands of manifests. A file that is larger than manifests usually are may be something else.
  const manifests = once((): GitManifests => {
    const unchanged = new Set(same.values())
    const names = list(folder).filter(isManifestName)
    const all = names.flatMap((name) => ids.get(inTree(join(folder, name))) ?? [])
    const changed = all.filter((id) => !unchanged.has(id))
    const known = sizes(changed)
    return { sizes: known, contents: contents(changed.filter((id) => (known.get(id) ?? 0) <= 2 ** 20)) }
  })
  const sizeOf = (id: string): number => manifests().sizes.get(id) ?? sizes([id]).get(id) ?? 0
  const contentOf = (id: string): Buffer => manifests().contents.get(id) ?? contents([id]).get(id) ?? Buffer.alloc(0)
  return {
    cwd,
    readText: (path, limits = manifestLimits) => {
      const text = same.has(path) ? known.get(path) : undefined
      if (text !== undefined) return { text }
      const id = ids.get(inTree(path))
      if (id === undefined) return { failure: `it is not in ${reference}` }
      return readBytes(() => {
        const unchanged = asInCommit(resolve(cwd, path), id, limits)
        if (!unchanged && sizeOf(id) > limits.largest) throw new Error(tooLarge(limits))
        return unchanged ?? contentOf(id)
      })
    },
    list,
    exists: (path) => {
      if (ids.has(inTree(path))) return 'file'
      return below(path).length > 0 ? 'folder' : 'no'
    },
    // Only the files of the commit can be read, and a link in it is only a text.
    realPath: (path) => resolve(cwd, path),
    repositoryOf: () => root,
  }
}

/** Where the work tree of GIT_DIR begins. */
function topLevel(folder: string): string {
  const cwd = folderForGit(folder)
  if (cwd === undefined) throw new Error('no repository')
  return execFileSync('git', ['rev-parse', '--show-toplevel'], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).replace(/\n$/, '')
}

interface GitManifests {
  /** Sizes in bytes, by the ids of files. */
  readonly sizes: ReadonlyMap<string, number>
  readonly contents: ReadonlyMap<string, Buffer>
}

/** The content of a file of the working tree, if the commit has the same. */
function asInCommit(path: string, id: string, limits: Limits): Buffer | undefined {
  try {
    const bytes = readOrdinaryFile(path, { ...limits, pipes: 'refuse' })
    return isIn(id, bytes) ? bytes : undefined
  } catch {
    return undefined
  }
}

/** Whether a file has these bytes: git names it by their digest. */
const isIn = (id: string, bytes: Buffer): boolean =>
  createHash(id.length === 40 ? 'sha1' : 'sha256')
    .update(`blob ${bytes.length}\0`)
    .update(bytes)
    .digest('hex') === id

/** The ids of the files of a commit, by their paths; a submodule is not a file. */
function idsIn(listing: string): ReadonlyMap<string, string> {
  const entries = listing.split('\0').flatMap((line): [string, string][] => {
    const [, id, name] = /^\d+ blob (\w+)\t(.+)$/s.exec(line) ?? []
    return id !== undefined && name !== undefined ? [[name, id]] : []
  })
  return new Map(entries)
}

/** Reads the output of `git cat-file --batch-check`: for each file a line "ID blob SIZE". */
const sizesIn = (output: Buffer): ReadonlyMap<string, number> =>
  new Map(
    [...output.toString('latin1').matchAll(/^(\w+) blob (\d+)$/gm)].map(([, id = '', size]) => [id, Number(size)]),
  )

/** Reads the output of `git cat-file --batch` for these files: for each a line "ID blob SIZE", its bytes, and a line end. */
function contentsIn(output: Buffer, ids: readonly string[]): ReadonlyMap<string, Buffer> {
  let at = 0
  return new Map(
    ids.map((id) => {
      const start = output.indexOf('\n', at) + 1
      const size = Number(output.toString('latin1', at, start).split(' ')[2])
      at = start + size + 1
      return [id, output.subarray(start, start + size)] as const
    }),
  )
}

function requested<Value>(reference: string, folder: string, work: () => Value): Value {
  try {
    if (reference.startsWith('-')) throw new Error('an option')
    return work()
  } catch (cause) {
    throw new ProblemError([failureOf(cause, reference, folder)], { cause })
  }
}

function failureOf(cause: unknown, reference: string, folder: string): Problem {
  const isStarted = !(cause instanceof Error && 'syscall' in cause && String(cause.syscall).startsWith('spawn'))
  if (!isStarted) return gitMissingForFiles(codeOf(cause))
  return isOwnerRefused(cause) ? gitOwnerRefused(folder) : gitReferenceUnknown(reference)
}
