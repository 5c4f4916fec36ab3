import { existsSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { ProblemError } from '../problems/problem.js'
import { notWritable } from '../problems/records.js'
import { fileChanged } from '../problems/write-back.js'
import { makeFolder } from './folders.js'
import { type Readers, removeStaleDrafts, replaceFile } from './replace-file.js'
import { codeOf, reasonOf } from './system-error.js'

/**
 * Writes a file completely or not at all, and creates its folders. Drafts that killed runs have left next to it are removed.
 * Throws a ProblemError that names the file as `displayed`.
 */
export function writeWhole(
  path: string,
  content: string | Uint8Array,
  readers: Readers,
  displayed: string = path,
): void {
  removeDraftsBeside([path])
  write(displayed, () => {
    makeFolder(dirname(path))
    replaceFile(path, content, readers)
  })
}

/**
 * The same for a file that was read: `before` is its text, undefined if it did not exist. Throws a ProblemError if the file has
 * another text by now, unless that is already the new one. Other files next to it are not touched.
 */
export function rewrite(path: string, before: string | undefined, text: string, displayed: string): void {
  const look = () => {
    if (![before, text].includes(textNow(path, displayed))) throw new ProblemError([fileChanged(displayed)])
  }
  look()
  write(displayed, () => {
    makeFolder(dirname(path))
    replaceFile(path, text, 'as before', look)
  })
}

function write(displayed: string, writing: () => void): void {
  try {
    writing()
  } catch (cause) {
    throw cause instanceof ProblemError ? cause : unwritable(displayed, cause)
  }
}

/** Removes the drafts of these files that killed runs have left. */
export function removeDraftsBeside(paths: readonly string[]): void {
  const folders = paths.map((path) => dirname(existsSync(path) ? realpathSync(path) : path))
  for (const folder of new Set(folders)) removeStaleDrafts(folder)
}

/** The current text of a file; undefined if it does not exist. Throws the errors of writing. */
export const textNow = (path: string, displayed: string): string | undefined =>
  existsSync(path) ? bytesBefore(path, displayed).toString() : undefined

/** The bytes of a file that is to be replaced. Throws the errors of writing. */
export function bytesBefore(path: string, displayed: string): Buffer {
  try {
    return readFileSync(path)
  } catch (cause) {
    throw unwritable(displayed, cause)
  }
}

/** Removes a file. Throws a ProblemError that names it as `displayed`. */
export function removeFile(path: string, displayed: string): void {
  try {
    rmSync(path)
  } catch (cause) {
    throw unwritable(displayed, cause)
  }
}

/** The same for a file that may not exist. */
export function removeIfThere(path: string): void {
  if (existsSync(path)) removeFile(path, path)
}

const unwritable = (displayed: string, cause: unknown): ProblemError =>
  new ProblemError([notWritable(displayed, reasonOf(cause), codeOf(cause))], { cause })
