import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { notWritable, ProblemError } from '../problem.js'

/**
 * Writes a file whole or not at all: whoever reads it sees the old text or the new one. `access` is its mode, such as
 * 0o600 for what only its owner may read. Throws a ProblemError that names the file as `shown`.
 */
export function writeWhole(path: string, text: string, access: number, shown: string = path): void {
  const temporary = `${path}.gatewright-new`
  try {
    makeFolder(dirname(path))
    rmSync(temporary, { force: true })
    const file = openSync(temporary, 'wx', access)
    try {
      writeSync(file, text)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(temporary, path)
  } catch (cause) {
    dropFile(temporary)
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

function unwritable(shown: string, cause: unknown): ProblemError {
  const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause)
  return new ProblemError([notWritable(shown, reason)], { cause })
}

/** A folder with all that it is in. Node's own recursion never ends where a file system lets nothing be made, as in /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  const parent = dirname(folder)
  if (parent !== folder) makeFolder(parent)
  try {
    mkdirSync(folder)
  } catch (error) {
    // Somebody else may have made it meanwhile.
    if (!existsSync(folder)) throw error
  }
}

/** What cannot be removed was never made: its folder is a file, or may not be written. */
function dropFile(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {
    // The fault that led here is the one to tell.
  }
}
