import {
  closeSync,
  constants,
  type Dirent,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  statSync,
} from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { missingManifest, ProblemError } from '../problem.js'

/** The files that manifests are read from. Paths are absolute or start from `cwd`, with forward slashes. */
export interface Files {
  readonly cwd: string
  /** The text of an ordinary file, or why it cannot be had; a pipe is read only where the limits say so. */
  readText(path: string, limits?: Limits): FileText
  /** All files below a folder, as paths from it, sorted; folders with a dot in front and node_modules are left out. */
  list(folder: string): readonly string[]
  /** "other": a pipe, a device or a socket. */
  exists(path: string): 'file' | 'folder' | 'other' | 'no'
}

/** What may be read (A94). */
export interface Limits {
  /** In bytes. */
  readonly largest: number
  readonly pipes: 'read' | 'refuse'
}

/** Real manifests stay far below. */
export const manifestLimits: Limits = { largest: 64 * 2 ** 20, pipes: 'refuse' }

export type FileText = { readonly text: string } | { readonly failure: string }

/** The files of this machine, seen from a folder. */
export function nodeFiles(cwd: string): Files {
  const full = (path: string) => (isAbsolute(path) ? path : resolve(cwd, path))
  return {
    cwd,
    readText: (path, limits = manifestLimits) => readText(full(path), limits),
    list: (folder) => listBelow(full(folder), ''),
    exists: (path) => exists(full(path)),
  }
}

function readText(path: string, limits: Limits): FileText {
  try {
    const bytes = readBytes(path, limits)
    if ('failure' in bytes) return bytes
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch (error) {
    return { failure: failureWords(error) }
  }
}

function readBytes(path: string, { largest, pipes }: Limits): Buffer | { readonly failure: string } {
  // Opening a pipe that nobody writes to waits for ever, unless it is opened so.
  const mayWait = pipes === 'read' && statSync(path).isFIFO()
  const file = openSync(path, constants.O_RDONLY | (mayWait ? 0 : (constants.O_NONBLOCK ?? 0)))
  try {
    const found = fstatSync(file)
    if (found.isDirectory()) return { failure: 'it is a folder' }
    if (!found.isFile() && !mayWait) return { failure: notOrdinary }
    // The size that is told says little: of what grows or of the system's own files it is not true.
    const bytes = readUpTo(file, largest + 1, found.size + 1)
    if (bytes.length > largest) return { failure: `it is larger than ${Math.floor(largest / 2 ** 20)} MB` }
    return bytes
  } finally {
    closeSync(file)
  }
}

/** What is no file of a disk. */
export const notOrdinary = 'it is no ordinary file but a pipe, a device or a socket'

/** All that the file gives, or that many bytes of it. */
function readUpTo(file: number, most: number, expected: number): Buffer {
  const parts: Buffer[] = []
  let size = 0
  while (size < most) {
    const part = Buffer.allocUnsafe(Math.min(most - size, Math.max(expected - size, 2 ** 16)))
    const read = readSync(file, part)
    if (read === 0) break
    parts.push(part.subarray(0, read))
    size += read
  }
  return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)
}

function failureWords(error: unknown): string {
  if (error instanceof TypeError) return 'it is no UTF-8 text'
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
  const words: Readonly<Record<string, string>> = {
    ENOENT: 'there is no such file',
    EISDIR: 'it is a folder',
    ELOOP: 'it is a link that leads back to itself',
    ENXIO: notOrdinary,
    EACCES: 'permission denied',
  }
  return words[code] ?? code
}

function listBelow(folder: string, prefix: string): readonly string[] {
  const found: string[] = []
  for (const entry of entriesOf(folder)) {
    const path = prefix + entry.name
    if (entry.isFile() || (entry.isSymbolicLink() && exists(`${folder}/${entry.name}`) === 'file')) found.push(path)
    // Links to folders are not followed: they may lead in a circle.
    else if (entry.isDirectory() && !isLeftOut(entry.name))
      found.push(...listBelow(`${folder}/${entry.name}`, `${path}/`))
  }
  return found.sort()
}

/** A folder that may not be read could hold manifests: without them a plan would be about something else. */
function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    throw new ProblemError([missingManifest(folder, failureWords(error))], { cause: error })
  }
}

/** Whether folders of that name are not looked into. */
export const isLeftOut = (name: string): boolean => name.startsWith('.') || name === 'node_modules'

function exists(path: string): 'file' | 'folder' | 'other' | 'no' {
  // `throwIfNoEntry` of statSync does not cover a path that leads through a file.
  if (!existsSync(path)) return 'no'
  const found = statSync(path)
  if (found.isDirectory()) return 'folder'
  return found.isFile() ? 'file' : 'other'
}
