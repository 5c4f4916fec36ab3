import { type Dirent, existsSync, readdirSync, statSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { missingManifest } from '../problems/manifests.js'
import { ProblemError } from '../problems/problem.js'
import { type Limits, readOrdinaryFile } from './ordinary-file.js'
import { reasonOf } from './system-error.js'

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

/** Real manifests stay far below. */
export const manifestLimits: Limits = { largest: 64 * 2 ** 20, pipes: 'refuse' }

/** `lines` is that of its source. */
type FileText = { readonly text: string; readonly lines?: 'none' } | { readonly failure: string }

/** The files of this machine, seen from a folder. */
export function nodeFiles(cwd: string): Files {
  const full = (path: string) => (isAbsolute(path) ? path : resolve(cwd, path))
  return {
    cwd,
    readText: (path, limits = manifestLimits) => readBytes(() => readOrdinaryFile(full(path), limits)),
    list: (folder) => listBelow(full(folder), ''),
    exists: (path) => exists(full(path)),
  }
}

/** The text that the bytes are, or why they cannot be had or are none. */
export function readBytes(read: () => Buffer): FileText {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(read()) }
  } catch (error) {
    return { failure: failureWords(error) }
  }
}

function failureWords(error: unknown): string {
  return error instanceof TypeError ? 'it is not UTF-8 text' : reasonOf(error)
}

function listBelow(folder: string, prefix: string): readonly string[] {
  const found: string[] = []
  for (const entry of entriesOf(folder)) {
    const path = prefix + entry.name
    if (entry.isFile() || (entry.isSymbolicLink() && mayBeFile(`${folder}/${entry.name}`))) found.push(path)
    // Links to folders are not followed: they may lead in a circle.
    else if (entry.isDirectory() && !isLeftOut(entry.name))
      found.push(...listBelow(`${folder}/${entry.name}`, `${path}/`))
  }
  return found.sort()
}

/** A link that leads nowhere is listed as well: what it stood for is missing, and whoever reads it says so. */
const mayBeFile = (path: string): boolean => ['file', 'no'].includes(exists(path))

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
