import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { notWritable, ProblemError } from '../problem.js'

/**
 * Writes a file whole or not at all: whoever reads it sees the old text or the new one. `access` is its mode, such as
 * 0o600 for what only its owner may read. Throws a ProblemError that names the file as `shown`.
 */
export function writeWhole(path: string, text: string, access: number, shown: string = path): void {
  const temporary = `${path}.gatewright-new`
  try {
    mkdirSync(dirname(path), { recursive: true })
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
    rmSync(temporary, { force: true })
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause)
    throw new ProblemError([notWritable(shown, reason)], { cause })
  }
}
