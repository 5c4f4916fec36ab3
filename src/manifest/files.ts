import { type Dirent, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { missingManifest, ProblemError } from '../problem.js'

/** The files that manifests are read from. Paths are absolute or start from `cwd`, with forward slashes. */
export interface Files {
  readonly cwd: string
  readText(path: string): FileText
  /** All files below a folder, as paths from it, sorted; folders with a dot in front and node_modules are left out. */
  list(folder: string): readonly string[]
  exists(path: string): 'file' | 'folder' | 'no'
}

export type FileText = { readonly text: string } | { readonly failure: string }

/** The files of this machine, seen from a folder. */
export function nodeFiles(cwd: string): Files {
  const full = (path: string) => (isAbsolute(path) ? path : resolve(cwd, path))
  return {
    cwd,
    readText: (path) => readText(full(path)),
    list: (folder) => listBelow(full(folder), ''),
    exists: (path) => exists(full(path)),
  }
}

function readText(path: string): FileText {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(path)) }
  } catch (error) {
    return { failure: failureWords(error) }
  }
}

function failureWords(error: unknown): string {
  if (error instanceof TypeError) return 'it is no UTF-8 text'
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
  const words: Readonly<Record<string, string>> = {
    ENOENT: 'there is no such file',
    EISDIR: 'it is a folder',
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

function exists(path: string): 'file' | 'folder' | 'no' {
  // `throwIfNoEntry` of statSync does not cover a path that leads through a file.
  if (!existsSync(path)) return 'no'
  return statSync(path).isDirectory() ? 'folder' : 'file'
}
