import { isUtf8 } from 'node:buffer'
import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs'
import { isAbsolute, relative, resolve } from 'node:path'
import { missingManifest } from '../problems/manifests.js'
import { ProblemError } from '../problems/problem.js'
import { documentLimits, type Limits, readOrdinaryFile } from './ordinary-file.js'
import { repositoryRoot } from './repository.js'
import { reasonOf } from './system-error.js'

/** The files that manifests are read from. Paths are absolute or relative to `cwd`, with forward slashes. */
export interface Files {
  readonly cwd: string
  /** The text of an ordinary file, or why it cannot be read; a pipe is read only if the limits allow it. */
  readText(path: string, limits?: Limits): FileText
  /**
   * All files below a folder, as paths relative to it, sorted. Folders whose names begin with a dot, and node_modules, are left
   * out.
   */
  list(folder: string): readonly string[]
  /** "other": a pipe, a device or a socket. */
  exists(path: string): 'file' | 'folder' | 'other' | 'no'
  /** The absolute path after all links are followed; the path itself if nothing exists there. */
  realPath(path: string): string
  /**
   * The real path of the nearest folder, from this one upwards, that contains .git; if there is none, that of the folder itself.
   */
  repositoryOf(folder: string): string
}

/** A path relative to a folder, with forward slashes; undefined if it is not inside. Both are absolute. */
export function pathInside(path: string, folder: string): string | undefined {
  const inner = relative(folder, path).replaceAll('\\', '/')
  return inner === '' || inner === '..' || inner.startsWith('../') || isAbsolute(inner) ? undefined : inner
}

/** Why a path is not a folder; undefined if it is one. */
export function folderFault(path: string, files: Pick<Files, 'exists'>): string | undefined {
  switch (files.exists(path)) {
    case 'folder':
      return undefined
    case 'file':
      return 'it is a file, not a folder'
    case 'other':
      return 'it is not a folder'
    case 'no':
      return 'there is no such folder'
  }
}

/** Whether a path is inside a folder. Both are absolute. */
export const isInside = (path: string, folder: string): boolean => pathInside(path, folder) !== undefined

/** Real manifests are much smaller. */
export const manifestLimits: Limits = { largest: 64 * 2 ** 20, pipes: 'refuse' }

/** `lines`: as in its source. */
export type FileText =
  | { readonly text: string; readonly lines?: 'none' }
  /** `broken`: if an existing file is not a text, the line and what is there instead. */
  | { readonly failure: string; readonly broken?: { readonly line: number; readonly what: string } }

/** The files of this machine, relative to a folder. */
export function nodeFiles(cwd: string): Files {
  const full = (path: string) => (isAbsolute(path) ? path : resolve(cwd, path))
  return {
    cwd,
    readText: (path, limits = manifestLimits) => readBytes(() => readOrdinaryFile(full(path), limits)),
    list: (folder) => listBelow(full(folder), ''),
    exists: (path) => exists(full(path)),
    realPath: (path) => realPath(full(path)),
    repositoryOf: (folder) => repositoryRoot(realPath(full(folder))) ?? realPath(full(folder)),
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path)
  }
}

/** The text of the bytes, or why they cannot be read or are not a text. */
export function readBytes(read: () => Buffer): FileText {
  let bytes: Buffer
  try {
    bytes = read()
  } catch (error) {
    return { failure: reasonOf(error) }
  }
  if (!isUtf8(bytes) || isUtf16(bytes)) return { failure: 'it is not UTF-8 text', broken: brokenIn(bytes) }
  return { text: bytes.toString() }
}

/** The same for a file that a person names as a whole document. Some editors write a byte order mark at its beginning. */
export function readDocumentText(path: string): { readonly text: string } | { readonly failure: string } {
  const read = readBytes(() => readOrdinaryFile(path, documentLimits))
  if ('text' in read) return { text: read.text.replace(/^\ufeff/, '') }
  return { failure: read.broken ? `${read.failure}: ${read.broken.what}` : read.failure }
}

function brokenIn(bytes: Buffer): { readonly line: number; readonly what: string } {
  if (isUtf16(bytes)) return { line: 1, what: 'it is UTF-16' }
  if (bytes.includes(0)) return { line: 1, what: 'it is a binary file' }
  for (let line = 1, start = 0; start < bytes.length; line += 1) {
    const newline = bytes.indexOf(10, start)
    const end = newline === -1 ? bytes.length : newline
    const byte = firstBroken(bytes.subarray(start, end))
    if (byte !== undefined) return { line, what: `the byte 0x${byte.toString(16)} in line ${line} is no character` }
    start = end + 1
  }
  return { line: 1, what: 'it has a broken character' }
}

/** Whether there is a byte order mark, or a zero in the first character of YAML or JSON (YAML 1.2.2, 5.2). */
function isUtf16([first, second]: Buffer): boolean {
  const isMarked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
  return isMarked || first === 0 || second === 0
}

/** The offset of the first byte that is not part of a valid character. */
function firstBroken(bytes: Buffer): number | undefined {
  if (isUtf8(bytes)) return undefined
  let at = 0
  while (at < bytes.length) {
    const from = at
    const length = [1, 2, 3, 4].find((each) => from + each <= bytes.length && isUtf8(bytes.subarray(from, from + each)))
    if (length === undefined) break
    at += length
  }
  return bytes[at]
}

function listBelow(folder: string, prefix: string): readonly string[] {
  const found: string[] = []
  for (const entry of folderEntries(folder)) {
    const path = prefix + entry.name
    if (entry.isFile() || (entry.isSymbolicLink() && mayBeFile(folder, entry.name))) found.push(path)
    // Links to folders are not followed: they may form a circle.
    else if (entry.isDirectory() && !isLeftOut(entry.name))
      for (const each of listBelow(`${folder}/${entry.name}`, `${path}/`)) found.push(each)
  }
  return found.sort()
}

/**
 * A link without a target is listed as well: its target is missing, and its reader reports that. Emacs, however, marks a file
 * that somebody edits with such a link, whose name is `.#` and the file's name.
 */
function mayBeFile(folder: string, name: string): boolean {
  const found = exists(`${folder}/${name}`)
  return found === 'file' || (found === 'no' && !name.startsWith('.#'))
}

/** A folder that cannot be read may contain manifests: without them, a plan would be wrong. */
function folderEntries(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    throw new ProblemError([missingManifest(folder, reasonOf(error))], { cause: error })
  }
}

/** Whether folders of that name are skipped. */
export const isLeftOut = (name: string): boolean => name.startsWith('.') || name === 'node_modules'

function exists(path: string): 'file' | 'folder' | 'other' | 'no' {
  try {
    // One call, because the file may be removed between two calls. `throwIfNoEntry` does not cover a path through a file.
    const found = statSync(path)
    if (found.isDirectory()) return 'folder'
    return found.isFile() ? 'file' : 'other'
  } catch {
    return 'no'
  }
}
