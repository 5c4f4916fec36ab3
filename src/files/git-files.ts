import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { join, relative, resolve } from 'node:path'
import { ProblemError } from '../problems/problem.js'
import { gitReferenceUnknown } from '../problems/refusals.js'
import { type Files, isLeftOut, manifestLimits, readBytes } from './files.js'
import { type Limits, readOrdinaryFile, tooLarge } from './ordinary-file.js'

/**
 * The files as they are at a git reference of the repository that `folder` is in; paths start from `cwd`. `known`: texts that
 * files have now, by their paths; what is the same is not asked for. Throws a ProblemError if there is no such reference.
 */
export function gitFiles(
  reference: string,
  folder: string,
  cwd: string,
  known: ReadonlyMap<string, string> = new Map(),
): Files {
  const run = (args: readonly string[], input: string): Buffer =>
    execFileSync('git', args, { cwd: folder, input, stdio: ['pipe', 'pipe', 'pipe'], maxBuffer: 2 ** 30 })
  const git = (...args: readonly string[]): string => run(args, '').toString('utf8')
  // The prefix from git itself: the folder may be reached through a link.
  const [above = '', commit = ''] = asked(reference, () =>
    git('rev-parse', '--show-prefix', `${reference}^{commit}`).split('\n'),
  )
  const inTree = (path: string): string => {
    const found = join(above, relative(folder, resolve(cwd, path))).replaceAll('\\', '/')
    return found === '.' ? '' : found.replace(/\/$/, '')
  }
  const blobs = blobsIn(git('ls-tree', '-r', '-l', '-z', '--full-tree', commit))
  const same = new Map(
    [...known].flatMap(([path, text]): [string, string][] => {
      const blob = blobs.get(inTree(path))
      return blob && isIn(blob, Buffer.from(text)) ? [[blob.id, text]] : []
    }),
  )
  const below = (path: string): readonly string[] => {
    const prefix = inTree(path) === '' ? '' : `${inTree(path)}/`
    return [...blobs.keys()].filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length))
  }
  const list = (path: string) => below(path).filter((name) => !name.split('/').some(isLeftOut))
  const contents = (ids: readonly string[]): ReadonlyMap<string, Buffer> =>
    contentsIn(run(['cat-file', '--batch'], ids.map((id) => `${id}\n`).join('')), ids)
  // Thousands of manifests are read by one process.
  let manifests: ReadonlyMap<string, Buffer> | undefined
  const contentOf = ({ id }: Blob): Buffer => {
    manifests ??= contents(
      list(folder)
        .flatMap((name) => manifestId(name, blobs.get(above + name)) ?? [])
        .filter((each) => !same.has(each)),
    )
    return manifests.get(id) ?? contents([id]).get(id) ?? Buffer.alloc(0)
  }
  return {
    cwd,
    readText: (path, limits = manifestLimits) => {
      const blob = blobs.get(inTree(path))
      if (!blob) return { failure: `it is not in ${reference}` }
      const text = same.get(blob.id)
      if (text !== undefined) return { text }
      return readBytes(() => {
        if (blob.size > limits.largest) throw new Error(tooLarge(limits))
        return unchanged(resolve(cwd, path), blob, limits) ?? contentOf(blob)
      })
    },
    list,
    exists: (path) => {
      if (blobs.has(inTree(path))) return 'file'
      return below(path).length > 0 ? 'folder' : 'no'
    },
    // Nothing but the files of the commit can be read, and a link in it is only a text.
    realPath: (path) => resolve(cwd, path),
    repositoryOf: () => resolve(folder, relative(`/${above}`, '/')),
  }
}

interface Blob {
  readonly id: string
  /** In bytes. */
  readonly size: number
}

/** What a file of the working tree has, if the commit has the same. */
function unchanged(path: string, blob: Blob, limits: Limits): Buffer | undefined {
  try {
    const bytes = readOrdinaryFile(path, { ...limits, pipes: 'refuse' })
    return isIn(blob, bytes) ? bytes : undefined
  } catch {
    return undefined
  }
}

/** Whether these are the bytes of a file: git names it by their digest. */
function isIn({ id, size }: Blob, bytes: Buffer): boolean {
  if (bytes.length !== size) return false
  const digest = createHash(id.length === 40 ? 'sha1' : 'sha256')
    .update(`blob ${size}\0`)
    .update(bytes)
  return digest.digest('hex') === id
}

/** The files of a commit by their paths; a submodule is none. */
function blobsIn(listing: string): ReadonlyMap<string, Blob> {
  const entries = listing.split('\0').flatMap((line): [string, Blob][] => {
    const [, id, size, name] = /^\d+ blob (\w+) +(\d+)\t(.+)$/s.exec(line) ?? []
    return id !== undefined && name !== undefined ? [[name, { id, size: Number(size) }]] : []
  })
  return new Map(entries)
}

/** What is larger than a manifest usually is may be something else, and is read if somebody asks for it. */
const manifestId = (name: string, blob: Blob | undefined): string | undefined =>
  blob && /\.(?:ya?ml|json)$/.test(name) && blob.size <= 2 ** 20 ? blob.id : undefined

/** What `git cat-file --batch` answers for these: of each a line "ID blob SIZE", its bytes, and the end of a line. */
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

function asked<Value>(reference: string, ask: () => Value): Value {
  try {
    if (reference.startsWith('-')) throw new Error('an option')
    return ask()
  } catch (cause) {
    throw new ProblemError([gitReferenceUnknown(reference)], { cause })
  }
}
