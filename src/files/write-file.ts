import { existsSync, readFileSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { ProblemError } from '../problems/problem.js'
import { notWritable } from '../problems/records.js'
import { makeFolder } from './folders.js'
import { type Readers, replaceFile } from './replace-file.js'
import { codeOf, reasonOf } from './system-error.js'

/** Writes a file whole or not at all, and the folders that it is in. Throws a ProblemError that names the file as `shown`. */
export function writeWhole(path: string, content: string | Uint8Array, readers: Readers, shown: string = path): void {
  try {
    makeFolder(dirname(path))
    replaceFile(path, content, readers)
  } catch (cause) {
    throw unwritable(shown, cause)
  }
}

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
