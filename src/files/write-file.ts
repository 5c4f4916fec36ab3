import { existsSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { ProblemError } from '../problems/problem.js'
import { notWritable } from '../problems/records.js'
import { fileChanged } from '../problems/write-back.js'
import { makeFolder } from './folders.js'
import { type Readers, removeStaleDrafts, replaceFile } from './replace-file.js'
import { codeOf, reasonOf } from './system-error.js'

/**
 * Writes a file whole or not at all, and the folders that it is in; what killed runs have left beside it goes. Throws a
 * ProblemError that names the file as `shown`.
 */
export function writeWhole(path: string, content: string | Uint8Array, readers: Readers, shown: string = path): void {
  removeDraftsBeside([path])
  write(shown, () => {
    makeFolder(dirname(path))
    replaceFile(path, content, readers)
  })
}

/**
 * The same of a file that was read: `before` is its text, undefined where it was not there. Throws a ProblemError if it is
 * another one by now, and not the new one already. What lies beside it is left alone.
 */
export function rewrite(path: string, before: string | undefined, text: string, shown: string): void {
  const look = () => {
    if (![before, text].includes(textNow(path, shown))) throw new ProblemError([fileChanged(shown)])
  }
  look()
  write(shown, () => {
    makeFolder(dirname(path))
    replaceFile(path, text, 'as before', look)
  })
}

function write(shown: string, writing: () => void): void {
  try {
    writing()
  } catch (cause) {
    throw cause instanceof ProblemError ? cause : unwritable(shown, cause)
  }
}

/** Removes what killed runs have left of these files. */
export function removeDraftsBeside(paths: readonly string[]): void {
  const folders = paths.map((path) => dirname(existsSync(path) ? realpathSync(path) : path))
  for (const folder of new Set(folders)) removeStaleDrafts(folder)
}

/** The text that a file has now; undefined if it is not there. Throws as writing does. */
export const textNow = (path: string, shown: string): string | undefined =>
  existsSync(path) ? bytesBefore(path, shown).toString() : undefined

/** The bytes of a file that is to be written anew. Throws as writing does. */
export function bytesBefore(path: string, shown: string = path): Buffer {
  try {
    return readFileSync(path)
  } catch (cause) {
    throw unwritable(shown, cause)
  }
}

/** Removes a file. Throws a ProblemError that names it as `shown`. */
export function removeFile(path: string, shown: string): void {
  try {
    rmSync(path)
  } catch (cause) {
    throw unwritable(shown, cause)
  }
}

/** The same of a file that need not be there. */
export function removeIfThere(path: string): void {
  if (existsSync(path)) removeFile(path, path)
}

const unwritable = (shown: string, cause: unknown): ProblemError =>
  new ProblemError([notWritable(shown, reasonOf(cause), codeOf(cause))], { cause })
